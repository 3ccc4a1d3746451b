//! The fields of a record as members of a JSON body: their names, values, and
//! directions.

use super::choice::{is_called, names_of};
use super::conditions::{conditions, number, numbers, show_values, texts};
use super::overrides::MemberMeaning;
use super::usage::Usage;
use super::{FieldOverrides, ImportNames, Redefines};
use crate::project::record::is_text;
use copybook::{Field, FieldId, FieldKind, NumberStorage, NumericItem, RecordLayout};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// A member of a body: a name in JSON, and its field.
pub(super) struct BodyMember {
    pub json: String,
    pub cobol: String,
    pub kind: MemberKind,
    pub table: Option<Table>,
    /// A request is wrong without it.
    pub required: bool,
    /// Another member describes the same storage.
    pub alternative: bool,
    /// May be left out for every content: its storage has other descriptions
    /// in the body.
    pub optional: bool,
    /// In a request with all descriptions of redefined storage: the item whose
    /// storage it is, and the description that it belongs to.
    pub storage: Option<(FieldId, FieldId)>,
    /// The names of its level-88 conditions.
    pub about: Option<String>,
}

/// How often a member may come.
pub(super) struct Table {
    pub min: u32,
    pub max: u32,
    /// A response has its rows up to the last that is not empty.
    pub trimmed: bool,
}

pub(super) enum MemberKind {
    /// JSON Schema of a text.
    Text(Value),
    /// JSON Schema of a number.
    Number(Value),
    /// The meaning by an override, for a field that is a number or a text.
    Meant {
        meaning: MemberMeaning,
        numeric: bool,
    },
    Object(Vec<BodyMember>),
    /// The number of elements of a table; it is not a member of the body.
    Count(CountedTable),
}

/// The table that a counter counts.
#[derive(Clone)]
pub(super) struct CountedTable {
    /// JSON names from below the body.
    pub path: Vec<String>,
    /// The fewest elements of a table inside of a table: every row has as many
    /// as the others.
    pub in_rows: Option<u32>,
}

/// Which conditions of level 88 limit the values of their field.
#[derive(Clone, Copy)]
pub(super) enum ValueLimits {
    /// None: a program answers with any value, such as blanks where it found
    /// nothing, and a document must not exclude an answer.
    Never,
    /// One that is named for the set of all values.
    NamedSets,
    /// All conditions.
    Always,
}

/// How members are made.
pub(super) struct MemberContext<'a> {
    pub layout: &'a RecordLayout,
    pub names: &'a ImportNames,
    pub redefines: &'a Redefines,
    pub overrides: &'a FieldOverrides,
    /// The one description that a response shows, where a value chooses.
    pub variant: Option<&'a str>,
    /// The field whose value chooses, in the request that gives one description.
    pub type_code: Option<&'a str>,
    pub usage: &'a Usage,
    /// For a request; else for a response.
    pub request: bool,
    /// Whether one record is request and response, so that its fields are sorted.
    pub shared: bool,
    /// Redefinitions that were left out, by name.
    pub left_out: Vec<String>,
}

impl MemberContext<'_> {
    /// The members of the record.
    pub fn record(&mut self) -> Vec<BodyMember> {
        let mut members = self.members(RecordLayout::RECORD, &mut Vec::new());
        let counters = self.counters();
        derive(&mut members, &counters, &mut Vec::new());
        if self.request && self.shared {
            require_groups(&mut members);
        }
        members
    }

    /// The named fields below a group; groups without a name are looked
    /// through.
    fn members(&mut self, group: FieldId, path: &mut Vec<String>) -> Vec<BodyMember> {
        let mut taken = HashSet::new();
        let mut names = HashSet::new();
        let mut all = Vec::new();
        self.collect(group, path, &mut taken, &mut names, &mut all);
        all
    }

    fn collect(
        &mut self,
        group: FieldId,
        path: &mut Vec<String>,
        taken: &mut HashSet<String>,
        names: &mut HashSet<String>,
        all: &mut Vec<BodyMember>,
    ) {
        let layout = self.layout;
        for id in &layout[group].children {
            let field = &layout[*id];
            if !self.takes_description(*id) {
                continue;
            }
            let Some(name) = &field.name else {
                if field.occurs.is_none() {
                    self.collect(*id, path, taken, names, all);
                }
                continue;
            };
            let wanted = if self.request && self.overrides.outputs.contains(name) {
                false
            } else if !self.shared {
                true
            } else if self.request {
                self.usage.goes_in(layout, *id)
                    || self.is_counter(*id)
                    || self.type_code == Some(name.as_str())
            } else {
                self.usage.comes_out(layout, *id)
            };
            // Of two fields of one name a mapping can reach the first.
            if !names.insert(name.clone())
                || !wanted
                || matches!(field.kind, FieldKind::Pointer | FieldKind::Index)
            {
                continue;
            }
            let json = unique(&self.names.spell(name), taken);
            let kind = match field.kind {
                FieldKind::Group => {
                    path.push(json.clone());
                    let members = self.members(*id, path);
                    path.pop();
                    MemberKind::Object(members)
                }
                _ => match self.overrides.of(name) {
                    Some(meaning) => MemberKind::Meant {
                        meaning,
                        numeric: matches!(field.kind, FieldKind::Numeric(_)),
                    },
                    None => leaf(layout, *id, self.overrides.value_limits(self.request)),
                },
            };
            let meant = matches!(kind, MemberKind::Meant { .. });
            let trims = self.overrides.trim_tables;
            let table = field.occurs.as_ref().map(|o| {
                let trimmed = trims && o.depending_on.is_none();
                // A program counts to none where it found nothing.
                let may_be_empty = trimmed || (!self.request && o.depending_on.is_some());
                Table {
                    min: if may_be_empty { 0 } else { o.min },
                    max: o.max,
                    trimmed,
                }
            });
            let counted = field
                .occurs
                .as_ref()
                .is_some_and(|o| o.depending_on.is_some() && o.min > 0);
            let needed = self.shared && self.usage.is_needed(*id);
            let chosen = self.request && self.variant.is_some() && self.is_in_choice(*id);
            let storage = self.storage(*id);
            let is_first = storage.is_some_and(|(first, description)| first == description);
            let optional = !chosen
                && (field.redefines.is_some() || self.is_redefined(*id) || storage.is_some());
            all.push(BodyMember {
                alternative: !chosen
                    && (field.redefines.is_some() || (storage.is_some() && !is_first)),
                optional,
                json,
                cobol: name.clone(),
                kind,
                table,
                required: if self.request {
                    (needed || counted || chosen) && !optional
                } else {
                    // A value that is neither of a boolean's values, or not a
                    // date, is missing.
                    !optional && !meant
                },
                storage,
                about: conditions(field),
            });
        }
    }

    /// Whether a field is in the body, considering the descriptions of its
    /// storage.
    fn takes_description(&mut self, id: FieldId) -> bool {
        let field = &self.layout[id];
        if let Some(choice) = self.redefines.choice()
            && choice.covers(self.layout, id)
        {
            return self
                .variant
                .is_none_or(|name| is_called(self.layout, id, name));
        }
        if field.redefines.is_none() {
            return true;
        }
        // A response that reads digits where another description has text
        // would fail, so there a description that is all text is taken only.
        let all = *self.redefines == Redefines::All;
        let taken = all && (self.request || self.all_text(id));
        if !taken {
            let names = names_of(self.layout, id);
            self.left_out.extend(names.into_iter().map(str::to_owned));
        }
        taken
    }

    fn all_text(&self, id: FieldId) -> bool {
        let field = &self.layout[id];
        match field.children.as_slice() {
            [] => is_text(&field.kind),
            children => children.iter().all(|child| self.all_text(*child)),
        }
    }

    /// Whether other descriptions of a field's storage are in the body too.
    fn is_redefined(&self, id: FieldId) -> bool {
        match self.redefines {
            Redefines::First => false,
            Redefines::All => self.layout.fields.iter().any(|f| f.redefines == Some(id)),
            Redefines::ByValue(choice) => choice.covers(self.layout, id),
        }
    }

    /// The storage of a field and the description that it is in, if a request gives
    /// one of several descriptions.
    fn storage(&self, id: FieldId) -> Option<(FieldId, FieldId)> {
        if !self.request || *self.redefines != Redefines::All {
            return None;
        }
        let mut at = Some(id);
        while let Some(id) = at {
            let is_first = self.is_redefined(id).then_some(id);
            if let Some(first) = self.layout[id].redefines.or(is_first) {
                return Some((first, id));
            }
            let above = self.layout[id]
                .parent
                .filter(|g| *g != RecordLayout::RECORD);
            at = above.filter(|g| self.layout[*g].name.is_none());
        }
        None
    }

    /// Whether a field is a description that a value chooses, or is in one
    /// without a name.
    fn is_in_choice(&self, id: FieldId) -> bool {
        let Some(choice) = self.redefines.choice() else {
            return false;
        };
        let layout = self.layout;
        let mut at = Some(id);
        while let Some(id) = at {
            if choice.covers(layout, id) {
                return true;
            }
            let above = layout[id].parent.filter(|g| *g != RecordLayout::RECORD);
            at = above.filter(|g| layout[*g].name.is_none());
        }
        false
    }

    fn is_counter(&self, id: FieldId) -> bool {
        let of = |f: &Field| f.occurs.as_ref().and_then(|o| o.depending_on);
        self.layout.fields.iter().any(|f| of(f) == Some(id))
    }

    /// Names of each counter and of the table that it counts, from the record
    /// down, and the fewest elements of a table inside of a table.
    fn counters(&self) -> Vec<Counter> {
        let mut found: Vec<Counter> = Vec::new();
        for (id, field) in self.layout.iter() {
            let Some(occurs) = field.occurs.as_ref() else {
                continue;
            };
            let Some(counter) = occurs.depending_on else {
                continue;
            };
            if let (Some((counter, false)), Some((table, nested))) =
                (self.path(counter), self.path(id))
            {
                // One counter of two tables is the client's to give.
                if found.iter().any(|known| known.counter == counter) {
                    found.retain(|known| known.counter != counter);
                } else {
                    let in_rows = nested.then_some(occurs.min);
                    found.push(Counter {
                        counter,
                        table,
                        in_rows,
                    });
                }
            }
        }
        found
    }

    /// COBOL names from below the record, and whether a table is among the
    /// groups.
    fn path(&self, id: FieldId) -> Option<(Vec<String>, bool)> {
        let mut names = vec![self.layout[id].name.clone()?];
        let mut in_table = false;
        let mut above = self.layout[id].parent;
        while let Some(group) = above.filter(|g| *g != RecordLayout::RECORD) {
            let field = &self.layout[group];
            if field.occurs.is_some() {
                // A mapping has no name for a table that is FILLER.
                field.name.as_ref()?;
                in_table = true;
            }
            names.extend(field.name.clone());
            above = field.parent;
        }
        names.reverse();
        Some((names, in_table))
    }
}

/// Requires each group that has something in it that is required.
fn require_groups(members: &mut [BodyMember]) {
    for member in members {
        let MemberKind::Object(inner) = &mut member.kind else {
            continue;
        };
        require_groups(inner);
        let has_rows = member.table.as_ref().is_none_or(|table| table.min > 0);
        let holds = inner.iter().any(|m| m.required && m.is_shown());
        member.required |= holds && has_rows && !member.optional;
    }
}

/// A counter and its table, by COBOL names from below the record.
struct Counter {
    counter: Vec<String>,
    table: Vec<String>,
    in_rows: Option<u32>,
}

/// Makes counts of the members that count a table which is a member too.
fn derive(members: &mut [BodyMember], counters: &[Counter], at: &mut Vec<String>) {
    let tables: Vec<(Vec<String>, CountedTable)> = counters
        .iter()
        .filter_map(|counter| {
            let counted = CountedTable {
                path: json_path(members, &counter.table)?,
                in_rows: counter.in_rows,
            };
            Some((counter.counter.clone(), counted))
        })
        .collect();
    mark(members, &tables, at);
}

fn mark(members: &mut [BodyMember], tables: &[(Vec<String>, CountedTable)], at: &mut Vec<String>) {
    for member in members {
        at.push(member.cobol.clone());
        match tables.iter().find(|(counter, _)| counter == at) {
            Some((_, counted)) => member.kind = MemberKind::Count(counted.clone()),
            None => {
                if let (MemberKind::Object(inner), None) = (&mut member.kind, &member.table) {
                    mark(inner, tables, at);
                }
            }
        }
        at.pop();
    }
}

/// JSON names of the member at a path of COBOL names.
fn json_path(members: &[BodyMember], cobol: &[String]) -> Option<Vec<String>> {
    let (first, rest) = cobol.split_first()?;
    let member = members.iter().find(|m| m.cobol == *first)?;
    let mut path = vec![member.json.clone()];
    if !rest.is_empty() {
        let MemberKind::Object(inner) = &member.kind else {
            return None;
        };
        path.extend(json_path(inner, rest)?);
    }
    Some(path)
}

/// Limits the type code to these values, or to any others if `others`, and
/// requires it with each group around it.
pub(super) fn limit(
    members: &mut [BodyMember],
    field: &str,
    values: &[String],
    others: bool,
) -> bool {
    for member in members {
        let found = match &mut member.kind {
            MemberKind::Object(inner) => limit(inner, field, values, others),
            MemberKind::Text(schema) | MemberKind::Number(schema) if member.cobol == field => {
                limit_values(schema, values, others);
                true
            }
            _ => false,
        };
        if found {
            member.required = true;
            return true;
        }
    }
    false
}

fn limit_values(schema: &mut Value, values: &[String], others: bool) {
    let is_text = schema["type"] == "string";
    let of = |value: &String| -> Value {
        let trimmed = value.trim();
        let as_number = || number(trimmed).filter(|_| !is_text);
        as_number().unwrap_or_else(|| json!(trimmed))
    };
    let values: Vec<Value> = values.iter().map(of).collect();
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    let named = object.remove("enum");
    object.remove("example");
    if !others {
        object.insert("enum".into(), Value::Array(values));
        return;
    }
    let free = |candidate: &Value| !values.contains(candidate);
    let named = named
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let letters = ('A'..='Z').map(|letter| json!(letter.to_string()));
    let digits = (0..=9).map(|digit| json!(digit));
    let usual: Vec<Value> = if is_text {
        letters.collect()
    } else {
        digits.collect()
    };
    let example = named.chain(&usual).find(|v| free(v)).cloned();
    object.extend(example.map(|example| ("example".to_owned(), example)));
    object.insert("not".into(), json!({"enum": values}));
}

impl MemberKind {
    /// Whether the field is a number.
    pub fn is_number(&self) -> bool {
        match self {
            MemberKind::Meant { numeric, .. } => *numeric,
            MemberKind::Number(_) | MemberKind::Count(_) => true,
            MemberKind::Text(_) | MemberKind::Object(_) => false,
        }
    }
}

impl BodyMember {
    /// JSON Schema of the member, `table` included.
    pub fn schema(&self) -> Value {
        let mut one = match &self.kind {
            MemberKind::Text(schema) | MemberKind::Number(schema) => schema.clone(),
            MemberKind::Meant { meaning, .. } => meaning.schema(),
            MemberKind::Object(members) => object_schema(members),
            MemberKind::Count(_) => json!({"type": "integer"}),
        };
        if let Some(about) = &self.about {
            one["description"] = json!(about);
        }
        match &self.table {
            Some(Table { min, max, .. }) => {
                json!({"type": "array", "minItems": min, "maxItems": max, "items": one})
            }
            None => one,
        }
    }

    /// Whether the member is in the body.
    pub fn is_shown(&self) -> bool {
        !matches!(self.kind, MemberKind::Count(_))
    }

    /// A value that fits.
    pub fn sample(&self) -> Value {
        let of = |schema: &Value| match &schema["enum"] {
            Value::Array(values) if !values.is_empty() => values[0].clone(),
            _ => match schema["type"].as_str() {
                _ if !schema["example"].is_null() => schema["example"].clone(),
                Some("string") => {
                    let length = schema["maxLength"].as_u64().unwrap_or(4) as usize;
                    json!("text".get(..length).unwrap_or("text"))
                }
                Some("integer") => json!(schema["minimum"].as_i64().unwrap_or(1).max(1)),
                _ if schema["maximum"].as_f64().is_some_and(|max| max < 1.0) => json!(0),
                _ => json!(1.5),
            },
        };
        let one = match &self.kind {
            MemberKind::Text(schema) => of(schema),
            MemberKind::Meant { meaning, .. } => meaning.sample(),
            // One and a half, where it fits.
            MemberKind::Number(schema) => match schema["multipleOf"].as_f64() {
                _ if schema["enum"].is_array() || !schema["example"].is_null() => of(schema),
                Some(step) if step > 1.0 => schema["multipleOf"].clone(),
                Some(step) if step > 0.5 => json!(1),
                Some(_) if schema["maximum"].as_f64().is_some_and(|max| max < 1.5) => {
                    schema["multipleOf"].clone()
                }
                _ => of(schema),
            },
            MemberKind::Object(members) => sample(members),
            MemberKind::Count(_) => Value::Null,
        };
        match &self.table {
            // As many elements as the schema asks for, and one to see its form.
            Some(table) => Value::Array(vec![one; table.min.max(1) as usize]),
            None => one,
        }
    }
}

/// An object with a value for each member.
pub(super) fn sample(members: &[BodyMember]) -> Value {
    let shown = members.iter().filter(|m| m.is_shown() && !m.alternative);
    Value::Object(shown.map(|m| (m.json.clone(), m.sample())).collect())
}

/// JSON Schema of an object of these members.
pub(super) fn object_schema<'a, M>(members: M) -> Value
where
    M: IntoIterator<Item = &'a BodyMember> + Clone,
{
    let shown = || members.clone().into_iter().filter(|m| m.is_shown());
    let properties: Map<String, Value> = shown().map(|m| (m.json.clone(), m.schema())).collect();
    let required: Vec<&str> = shown()
        .filter(|m| m.required)
        .map(|m| m.json.as_str())
        .collect();
    let mut schema = if required.is_empty() {
        json!({"type": "object", "properties": properties})
    } else {
        json!({"type": "object", "required": required, "properties": properties})
    };
    let one_each = exclusions(&shown().collect::<Vec<_>>());
    if !one_each.is_empty() {
        schema["allOf"] = Value::Array(one_each);
    }
    schema
}

/// A schema for each two members that describe the same storage: an object with
/// both is wrong.
fn exclusions(members: &[&BodyMember]) -> Vec<Value> {
    let mut all = Vec::new();
    for (i, one) in members.iter().enumerate() {
        for other in &members[i + 1..] {
            if let (Some((storage, description)), Some((same, another))) =
                (one.storage, other.storage)
                && storage == same
                && description != another
            {
                all.push(json!({"not": {"required": [one.json, other.json]}}));
            }
        }
    }
    all
}

/// A field that is not a group.
pub(super) fn leaf(layout: &RecordLayout, id: FieldId, limits: ValueLimits) -> MemberKind {
    let field = &layout[id];
    match &field.kind {
        FieldKind::Numeric(numeric) => {
            let mut schema = number_schema(numeric, field.length, limits);
            show_values(&mut schema, field, limits, numbers);
            MemberKind::Number(schema)
        }
        FieldKind::Float | FieldKind::Double | FieldKind::DecimalFloat => {
            MemberKind::Number(json!({"type": "number"}))
        }
        kind => {
            let length = match kind {
                FieldKind::National | FieldKind::Dbcs => field.length / 2,
                _ => field.length,
            };
            let mut schema = match kind {
                // Bytes of an unknown character set, as hexadecimal digits.
                FieldKind::Dbcs => {
                    let digits = field.length * 2;
                    let blanks = "40".repeat(field.length as usize);
                    json!({"type": "string", "minLength": digits, "maxLength": digits, "example": blanks})
                }
                FieldKind::NumericEdited(_) => {
                    json!({"type": "string", "maxLength": length, "example": "1"})
                }
                _ => json!({"type": "string", "maxLength": length}),
            };
            show_values(&mut schema, field, limits, texts);
            MemberKind::Text(schema)
        }
    }
}

/// Range and step of a number, by the rules for language structures. A program
/// answers with whatever the bytes of a binary number hold; a request has the
/// digits of its picture.
fn number_schema(numeric: &NumericItem, bytes: u32, limits: ValueLimits) -> Value {
    let is_whole = match numeric.storage {
        NumberStorage::Native => true,
        NumberStorage::Binary => matches!(limits, ValueLimits::Never),
        _ => false,
    };
    if is_whole && numeric.scale == 0 && bytes <= 8 {
        let bits = bytes * 8;
        let (low, high) = if numeric.signed {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        let mut schema = json!({"type": "integer", "minimum": low as i64});
        // The formats are of signed integers, and the largest has none.
        if i32::try_from(high).is_ok() {
            schema["format"] = json!("int32");
        } else if i64::try_from(high).is_ok() {
            schema["format"] = json!("int64");
        }
        schema["maximum"] = json!(high as u64);
        return schema;
    }
    let whole = i32::from(numeric.digits) - i32::from(numeric.scale);
    let mut schema = match numeric.scale {
        scale if scale > 0 => {
            let step = format!("0.{}1", "0".repeat(scale as usize - 1));
            let step = serde_json::from_str::<Value>(&step).unwrap_or(json!(0.01));
            json!({"type": "number", "format": "decimal", "multipleOf": step})
        }
        0 => json!({"type": "integer"}),
        // P on the right: a multiple of a power of ten.
        scale => match 10i64.checked_pow(u32::from(scale.unsigned_abs())) {
            Some(step) => json!({"type": "integer", "multipleOf": step}),
            None => json!({"type": "integer"}),
        },
    };
    let is_open = numeric.storage == NumberStorage::Binary && matches!(limits, ValueLimits::Never);
    // Larger bounds have no exact form in JSON; the field itself holds them.
    if whole <= 15 && !is_open {
        let of = |digit: &str, count: i32| digit.repeat(usize::try_from(count).unwrap_or(0));
        let (digits, scale) = (i32::from(numeric.digits), i32::from(numeric.scale));
        let nines = match whole {
            1.. => of("9", whole.min(digits)) + &of("0", -scale),
            _ => "0".to_owned(),
        };
        // P on the left: zeros without digits in the field.
        let fraction = of("0", -whole) + &of("9", scale.min(digits));
        let digits = if fraction.is_empty() {
            nines
        } else {
            format!("{nines}.{fraction}")
        };
        if digits.len() <= 16 {
            let bound = |text: &str| serde_json::from_str::<Value>(text).unwrap_or(Value::Null);
            let low = if numeric.signed {
                format!("-{digits}")
            } else {
                "0".to_string()
            };
            schema["minimum"] = bound(&low);
            schema["maximum"] = bound(&digits);
        }
    } else if !numeric.signed {
        schema["minimum"] = json!(0);
    }
    schema
}

/// A name that no sibling has.
fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let mut fresh = name.to_owned();
    let mut number = 2;
    while !taken.insert(fresh.clone()) {
        fresh = format!("{name}{number}");
        number += 1;
    }
    fresh
}
