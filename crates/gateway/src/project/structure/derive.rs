//! From a JSON schema to COBOL structures: their text, and the place of each value.
//!
//! The text is a program's copybook. The text is parsed like any copybook,
//! so that offsets and slack bytes are those that the program has.

use super::{
    ContainerInstances, DirectionStructures, NAME_BYTES, Node, PatchField, PatchStyle,
    StructurePart, ValueShape,
};
use crate::project::record::Record;
use copybook::generated::{self, TakenNames};
use copybook::{FieldId, ParseOptions, RecordLayout};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::Write as _;

/// Longest text whose length fits its field.
pub(crate) const MAX_TEXT: u64 = 32_767;
/// Characters of a date or time.
const DATE_TEXT: u64 = 32;
/// Digits of a number.
const DIGITS: u32 = 18;
/// Deepest schema.
const MAX_DEPTH: usize = 32;
/// Most structures of one direction.
const MAX_PARTS: usize = 1000;
/// Characters of the name of a field with the patch operation of a property.
const OPERATION_NAME: usize = 28;
/// Picture of a count.
const COUNT: &str = "PIC S9(9) COMP-5 SYNC";

/// Words that GnuCOBOL takes for a USAGE or a statement; no other compiler
/// reserves them.
const GNU_COBOL: [&str; 7] = [
    "DOUBLE",
    "EXHIBIT",
    "FLOAT",
    "HANDLE",
    "SIGNED",
    "TRANSFORM",
    "UNSIGNED",
];

/// The settings of `options.yaml` for schemas without bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Characters of a text without `maxLength`.
    pub characters: u64,
    /// Digits after the point of a number without `multipleOf`.
    pub fraction_digits: u32,
    /// A number that says neither `multipleOf` nor a format is a double.
    pub doubles: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            characters: 255,
            fraction_digits: 2,
            doubles: false,
        }
    }
}

/// The places of parts that may be missing or repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DynamicStyle {
    /// In containers of the channel.
    Containers,
    /// Objects in the structure, responses and arrays in data areas.
    DataAreas,
    /// All in the structure, which has no level 01 of its own.
    Inline,
}

/// Items of an array in the structure that says no number.
const TABLE_ITEMS: u64 = 255;
/// Most items of such an array.
const MAX_TABLE: u64 = 32_767;

/// The text of a copybook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedCopybook {
    /// Name of the file, without its extension.
    pub name: String,
    /// COBOL source in fixed form.
    pub text: String,
}

/// Derives the structures of a schema; `prefix` begins the names of their 01
/// levels.
///
/// # Errors The part of the schema that has no rule, and its place.
pub(crate) fn derive(
    schema: &Value,
    prefix: &str,
    limits: Limits,
) -> Result<(DirectionStructures, GeneratedCopybook), String> {
    derive_in(DynamicStyle::Containers, schema, prefix, limits, None)
}

/// As above in a style. The member that `patched` names is a patch of a kind.
///
/// # Errors
/// As [`derive`].
pub(crate) fn derive_in(
    manner: DynamicStyle,
    schema: &Value,
    prefix: &str,
    limits: Limits,
    patched: Option<(&str, PatchStyle)>,
) -> Result<(DirectionStructures, GeneratedCopybook), String> {
    // The build toolkit, whose structures these are, has such numbers as COMP-2.
    let doubles = manner == DynamicStyle::Inline;
    let mut builder = Builder {
        prefix,
        manner,
        limits: Limits { doubles, ..limits },
        outer: TakenNames::default(),
        drafts: Vec::new(),
        depth: 0,
        patched,
        patching: None,
    };
    builder.drafts.push(Draft::new(format!("BAQBASE-{prefix}")));
    let level = if manner == DynamicStyle::Inline { 6 } else { 3 };
    let shape = ValueShape::Object(builder.members(0, level, schema, "")?);
    let mut parts = Vec::new();
    let mut text = String::new();
    // Without items there is no structure: COBOL has no empty one.
    if builder.drafts[0].items.is_empty() {
        builder.drafts.clear();
    } else {
        builder.drafts[0].shape = Some(shape);
    }
    for (index, mut draft) in builder.drafts.into_iter().enumerate() {
        let mut layout = draft.layout()?;
        let slack = (draft.align - layout.length % draft.align) % draft.align;
        // Instances follow one another: each begins where its fields can.
        if index > 0 && slack > 0 {
            let level = if draft.grouped { 6 } else { 3 };
            draft.emit(level, "filler", &format!("PIC X({slack})"));
            layout = draft.layout()?;
        }
        match manner {
            DynamicStyle::Inline if index > 0 => {}
            DynamicStyle::Inline => {
                text += draft.text().split_once('\n').map_or("", |(_, items)| items)
            }
            _ => text += &draft.text(),
        }
        let shape = draft.shape.take().unwrap_or(ValueShape::Object(Vec::new()));
        let record = Record::new(layout)?;
        parts.push(StructurePart {
            record,
            shape,
            nullable: draft.nullable,
        });
    }
    let name = prefix.to_owned();
    Ok((
        DirectionStructures { parts },
        GeneratedCopybook { name, text },
    ))
}

struct Builder<'a> {
    prefix: &'a str,
    manner: DynamicStyle,
    limits: Limits,
    /// Names of groups, counts and containers: one set for all parts.
    outer: TakenNames,
    drafts: Vec<Draft>,
    depth: usize,
    /// The member of the base that is a patch.
    patched: Option<(&'a str, PatchStyle)>,
    /// The members that are being made are those of one.
    patching: Option<PatchStyle>,
}

impl DynamicStyle {
    /// The ending of the name of a field that says whether a value exists.
    fn existence(self) -> &'static str {
        match self {
            DynamicStyle::Containers | DynamicStyle::DataAreas => "existence",
            DynamicStyle::Inline => "num",
        }
    }
}

/// A part that is being made.
struct Draft {
    title: String,
    /// Level, name and clause of each item.
    items: Vec<(u32, String, String)>,
    /// Names within the part.
    names: TakenNames,
    /// The names of fields with the patch operation of a property.
    operations: HashSet<String>,
    align: u32,
    /// Its members are in a group.
    grouped: bool,
    nullable: bool,
    shape: Option<ValueShape>,
}

impl Draft {
    fn new(title: String) -> Draft {
        Draft {
            title,
            items: Vec::new(),
            names: TakenNames::default(),
            operations: HashSet::new(),
            align: 1,
            grouped: false,
            nullable: false,
            shape: None,
        }
    }

    /// Adds an item; fields are numbered in their order, the record being 0.
    fn emit(&mut self, level: u32, name: &str, clause: &str) -> FieldId {
        let align = match clause {
            _ if !clause.ends_with("SYNC") => 1,
            _ if clause.contains("9999 ") => 2,
            _ => 4,
        };
        self.align = self.align.max(align);
        self.items.push((level, name.to_owned(), clause.to_owned()));
        FieldId(self.items.len() as u32)
    }

    fn text(&self) -> String {
        let mut text = format!("       01  {}.\n", self.title);
        for (level, name, clause) in &self.items {
            let indent = " ".repeat(7 + *level as usize);
            let line = format!("{indent}{level:02} {name:<29} {clause}");
            let line = line.trim_end();
            // Column 72 is the last one that counts.
            let _ = if line.len() < 72 {
                writeln!(text, "{line}.")
            } else {
                writeln!(text, "{indent}{level:02} {name}\n{indent}   {clause}.")
            };
        }
        text
    }

    fn layout(&self) -> Result<RecordLayout, String> {
        let parsed = copybook::parse(&self.text(), &ParseOptions::default());
        let layouts = parsed.map_err(|e| format!("the structure {}: {e}", self.title))?;
        let layout = layouts.into_iter().next();
        layout.ok_or_else(|| format!("the structure {} is empty", self.title))
    }
}

/// The value that a schema describes.
enum Kind<'s> {
    /// Text of at most so many characters, or of exactly so many.
    Text {
        most: u64,
        fixed: bool,
        date: bool,
    },
    Number(String),
    Truth,
    Object,
    Array {
        items: &'s Value,
        most: Option<u64>,
    },
}

impl Builder<'_> {
    /// The members of an object, in their order.
    fn members(
        &mut self,
        part: usize,
        level: u32,
        schema: &Value,
        at: &str,
    ) -> Result<Vec<Node>, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH || level > 46 {
            return Err(format!("{at} is nested too deeply"));
        }
        let required = schema.get("required").and_then(Value::as_array);
        let required: Vec<&str> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut nodes = Vec::new();
        for (name, schema) in properties.into_iter().flatten() {
            let at = format!("{at}/{name}");
            let needed = required.contains(&name.as_str()) || self.patching.is_some();
            let patch = self.operation(part, level, name, schema);
            let outermost = part == 0 && self.depth == 1;
            let begins = self.patched.filter(|(of, _)| outermost && of == name);
            self.patching = begins.map(|(_, how)| how).or(self.patching);
            let node = self.member(part, level, (name, schema), needed, &at)?;
            self.patching = self.patching.filter(|_| begins.is_none());
            nodes.push(Node { patch, ..node });
        }
        self.depth -= 1;
        if nodes.is_empty() && !at.is_empty() {
            Err(format!("{at} is an object without properties"))
        } else {
            Ok(nodes)
        }
    }

    /// The byte that says what a patch does with a property; a long name is
    /// replaced by its end.
    fn operation(
        &mut self,
        part: usize,
        level: u32,
        name: &str,
        schema: &Value,
    ) -> Option<PatchField> {
        let how = self.patching?;
        let array = schema.get("type").and_then(Value::as_str) == Some("array");
        let items = array && how == PatchStyle::Operations;
        let (suffix, clause) = if items {
            ("-patch-item", "PIC X(50)")
        } else {
            ("-patch-operation", "PIC X(1)")
        };
        let known = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let mut text: String = name.chars().map(known).collect();
        text.drain(..text.len().saturating_sub(OPERATION_NAME - suffix.len()));
        let text = match text.trim_matches('-') {
            "" => "X",
            text => text,
        };
        let draft = &mut self.drafts[part];
        let mut name = format!("{text}{suffix}");
        let mut number = 2;
        while !draft.operations.insert(name.to_ascii_uppercase()) {
            name = format!("{text}{number}{suffix}");
            number += 1;
        }
        let field = draft.emit(level, &name, clause);
        Some(match (how, items) {
            (PatchStyle::Merge, _) => PatchField::Merge(field),
            (PatchStyle::Operations, false) => PatchField::Operation(field),
            (PatchStyle::Operations, true) => PatchField::Items(field),
        })
    }

    fn member(
        &mut self,
        part: usize,
        level: u32,
        (name, schema): (&str, &Value),
        required: bool,
        at: &str,
    ) -> Result<Node, String> {
        let kind = kind(schema, self.limits, at)?;
        let base = cobol(name);
        let node = |existence, shape| Node {
            name: name.to_owned(),
            existence,
            required,
            nullable: nullable(schema),
            patch: None,
            shape,
        };
        match kind {
            Kind::Object if required => {
                let group = self.outer.unique(&base, 0);
                self.drafts[part].names.take(&group);
                self.drafts[part].emit(level, &group, "");
                let members = self.members(part, level + 3, schema, at)?;
                Ok(node(None, ValueShape::Object(members)))
            }
            // An optional object is part of the structure, except in responses.
            Kind::Object
                if self.manner == DynamicStyle::Inline
                    || self.manner == DynamicStyle::DataAreas && level > 3 =>
            {
                let own = self.outer.twice(&base, 10);
                let draft = &mut self.drafts[part];
                // Inside, the count has the object's name except for its
                // number.
                let count = match self.manner {
                    DynamicStyle::Inline => own.clone(),
                    _ => draft.names.unique(&base, 10),
                };
                draft.names.take(&own);
                let existence = format!("{count}-{}", self.manner.existence());
                let existence = draft.emit(level, &existence, COUNT);
                draft.emit(level, &own, "");
                let members = self.members(part, level + 3, schema, at)?;
                Ok(node(Some(existence), ValueShape::Object(members)))
            }
            Kind::Object => {
                let own = self.outer.twice(&base, 10);
                let inside = self.contained(part, level, &own, "existence");
                let inner = self.part(&own, schema, at)?;
                Ok(node(None, ValueShape::Optional(inside(inner, Some(1)))))
            }
            Kind::Array { items, most } if self.manner == DynamicStyle::Inline => {
                let own = self.outer.unique(&base, 5);
                let most = most.unwrap_or(TABLE_ITEMS);
                let shape = self.table(part, level, &own, (items, most), at)?;
                Ok(node(None, shape))
            }
            Kind::Array { items, most } => {
                let own = match self::kind(items, self.limits, at)? {
                    Kind::Object => self.outer.twice(&base, 5),
                    _ => self.outer.unique(&base, 5),
                };
                let inside = self.contained(part, level, &own, "num");
                let inner = self.part(&own, items, at)?;
                Ok(node(None, ValueShape::Array(inside(inner, most))))
            }
            // A response that is a text or a number has a data area, too.
            _ if self.manner == DynamicStyle::DataAreas && level == 3 && !required => {
                let own = self.outer.unique(&base, 10);
                let inside = self.contained(part, level, &own, "existence");
                let inner = self.part(&own, schema, at)?;
                Ok(node(None, ValueShape::Optional(inside(inner, Some(1)))))
            }
            kind if required => {
                let shape = self.leaf(part, level, &base, kind);
                Ok(node(None, shape))
            }
            kind => {
                let own = self.outer.unique(&base, 10);
                let draft = &mut self.drafts[part];
                let existence = format!("{own}-{}", self.manner.existence());
                let existence = draft.emit(level, &existence, COUNT);
                let mut inner = level;
                if matches!(kind, Kind::Text { fixed: false, .. }) {
                    draft.names.take(&own);
                    draft.emit(level, &own, "");
                    inner += 3;
                }
                let shape = self.leaf(part, inner, &base, kind);
                Ok(node(Some(existence), shape))
            }
        }
    }

    /// Count and name of a container.
    fn contained(
        &mut self,
        part: usize,
        level: u32,
        own: &str,
        count: &str,
    ) -> impl FnOnce(usize, Option<u64>) -> ContainerInstances + use<> {
        let draft = &mut self.drafts[part];
        let count = draft.emit(level, &format!("{own}-{count}"), COUNT);
        let clause = format!("PIC X({NAME_BYTES})");
        let suffix = match self.manner {
            DynamicStyle::Containers => "cont",
            DynamicStyle::DataAreas | DynamicStyle::Inline => "dataarea",
        };
        let container = draft.emit(level, &format!("{own}-{suffix}"), &clause);
        move |part, most| ContainerInstances {
            count,
            container,
            part,
            most,
        }
    }

    /// An array in the structure: its items are a separate part, whose text is
    /// that of each element.
    fn table(
        &mut self,
        part: usize,
        level: u32,
        own: &str,
        (items, most): (&Value, u64),
        at: &str,
    ) -> Result<ValueShape, String> {
        if !(1..=MAX_TABLE).contains(&most) {
            return Err(format!(
                "{at} is an array of {most} items; a table has 1 to {MAX_TABLE}"
            ));
        }
        let draft = &mut self.drafts[part];
        let count = draft.emit(level, &format!("{own}-num"), COUNT);
        let inner = self.part(own, items, at)?;
        let element = &mut self.drafts[inner];
        let mut length = element.layout()?.length;
        let slack = (element.align - length % element.align) % element.align;
        if slack > 0 {
            let level = if element.grouped { 6 } else { 3 };
            element.emit(level, "filler", &format!("PIC X({slack})"));
            length += slack;
        }
        let below: Vec<(u32, String, String)> = if element.grouped {
            element.items[1..].to_vec()
        } else {
            let deeper = element.items.iter().cloned();
            deeper
                .map(|(level, name, clause)| (level + 3, name, clause))
                .collect()
        };
        let align = element.align;
        let draft = &mut self.drafts[part];
        draft.names.take(own);
        draft.align = draft.align.max(align);
        let table = draft.emit(level, own, &format!("OCCURS {most}"));
        for (deeper, name, clause) in below {
            if level + deeper > 49 + 3 {
                return Err(format!("{at} is nested too deeply"));
            }
            draft.emit(level + deeper - 3, &name, &clause);
        }
        let layout = draft.layout()?;
        let laid_out = &layout[table];
        if laid_out.length != length || laid_out.offset % align != 0 {
            return Err(format!("{at} has items that cannot be aligned in a table"));
        }
        Ok(ValueShape::Table {
            count,
            table,
            part: inner,
            most: most as usize,
        })
    }

    /// A part of its own.
    fn part(&mut self, own: &str, schema: &Value, at: &str) -> Result<usize, String> {
        let index = self.drafts.len();
        if index >= MAX_PARTS {
            return Err(format!("{at} exceeds the number of structures"));
        }
        self.drafts.push(Draft {
            nullable: nullable(schema),
            ..Draft::new(format!("{}-{own}", self.prefix))
        });
        // A merge patch has an array as a whole.
        let patching = self.patching;
        self.patching = patching.filter(|how| *how == PatchStyle::Operations);
        let shape = match kind(schema, self.limits, at)? {
            Kind::Object => {
                let draft = &mut self.drafts[index];
                draft.grouped = true;
                draft.names.take(own);
                draft.emit(3, own, "");
                ValueShape::Object(self.members(index, 6, schema, at)?)
            }
            Kind::Array { .. } => {
                return Err(format!("{at} is an array of arrays"));
            }
            kind => {
                // An array's number is not that of its items.
                let bare = at.rsplit('/').next().map(cobol).unwrap_or_default();
                self.leaf(index, 3, &bare, kind)
            }
        };
        self.patching = patching;
        self.drafts[index].shape = Some(shape);
        Ok(index)
    }

    fn leaf(&mut self, part: usize, level: u32, base: &str, kind: Kind<'_>) -> ValueShape {
        let draft = &mut self.drafts[part];
        match kind {
            Kind::Text { most, fixed, date } => {
                let name = draft.names.unique(base, 7);
                let length = (!fixed).then(|| {
                    let length = format!("{name}-length");
                    draft.emit(level, &length, "PIC S9999 COMP-5 SYNC")
                });
                let field = draft.emit(level, &name, &format!("PIC X({most})"));
                ValueShape::Text {
                    field,
                    length,
                    date,
                }
            }
            Kind::Truth => {
                let name = draft.names.unique(base, 0);
                ValueShape::Truth(draft.emit(level, &name, "PIC X"))
            }
            Kind::Number(clause) => {
                let name = draft.names.unique(base, 0);
                ValueShape::Number(draft.emit(level, &name, &clause))
            }
            // Distinguished by the caller.
            Kind::Object | Kind::Array { .. } => ValueShape::Object(Vec::new()),
        }
    }
}

/// The COBOL name of a property, as yet without a number.
fn cobol(name: &str) -> String {
    let name = generated::cobol(name);
    if GNU_COBOL.contains(&&*name.to_ascii_uppercase()) {
        format!("X{name}")
    } else {
        name
    }
}

/// Whether null is a value of a schema: in 3.1 it is among the types.
fn nullable(schema: &Value) -> bool {
    let types = schema.get("type").and_then(Value::as_array);
    schema.get("nullable") == Some(&Value::Bool(true))
        || types.is_some_and(|types| types.iter().any(|one| one == "null"))
}

/// Why a schema, not counting its parts, has no rule; `None` if it has one.
pub(crate) fn refusal(schema: &Value, limits: Limits, at: &str) -> Option<String> {
    kind(schema, limits, at).err()
}

/// The value that a schema describes; an error if there is no rule for it.
fn kind<'s>(schema: &'s Value, limits: Limits, at: &str) -> Result<Kind<'s>, String> {
    for word in ["$ref", "allOf", "anyOf", "oneOf", "not"] {
        if schema.get(word).is_some() {
            return Err(format!("{at} uses {word}"));
        }
    }
    let number = |key: &str| schema.get(key).and_then(Value::as_u64);
    let format = schema
        .get("format")
        .and_then(Value::as_str)
        .unwrap_or_default();
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => {
            let words = schema.get("enum").and_then(Value::as_array);
            let longest = words.map(|words| {
                let lengths = words
                    .iter()
                    .filter_map(Value::as_str)
                    .map(|w| w.chars().count());
                lengths.max().unwrap_or(1) as u64
            });
            let dated = matches!(format, "date" | "date-time" | "time");
            let fixed = longest.is_none()
                && number("maxLength").is_some_and(|most| number("minLength") == Some(most));
            let most = match (longest, dated) {
                (Some(longest), _) => longest,
                (None, true) => number("maxLength").unwrap_or(DATE_TEXT),
                (None, false) => number("maxLength").unwrap_or(limits.characters),
            };
            if (1..=MAX_TEXT).contains(&most) {
                Ok(Kind::Text {
                    most,
                    fixed,
                    date: format == "date",
                })
            } else {
                Err(format!(
                    "{at} is text of {most} characters; a field has 1 to {MAX_TEXT}"
                ))
            }
        }
        Some("number") => Ok(Kind::Number(decimal(schema, format, limits, at)?)),
        Some("integer") => Ok(Kind::Number(integer(schema, format))),
        Some("boolean") => Ok(Kind::Truth),
        Some("object") => Ok(Kind::Object),
        Some("array") => {
            let (least, most) = (number("minItems").unwrap_or(0), number("maxItems"));
            if most == Some(least) {
                return Err(format!("{at} is an array of a fixed number of items"));
            }
            let items = schema
                .get("items")
                .ok_or_else(|| format!("{at} has no items"))?;
            Ok(Kind::Array { items, most })
        }
        Some(other) => Err(format!("{at} has the type '{other}'")),
        None => Err(format!("{at} has no type, or several")),
    }
}

fn decimal(schema: &Value, format: &str, limits: Limits, at: &str) -> Result<String, String> {
    match format {
        "double" => return Ok("COMP-2 SYNC".into()),
        "float" => return Ok("COMP-1 SYNC".into()),
        _ => {}
    }
    let step = schema.get("multipleOf").map(ToString::to_string);
    if limits.doubles && format.is_empty() && step.is_none() {
        return Ok("COMP-2 SYNC".into());
    }
    let fraction = match step {
        Some(step) => step
            .split_once('.')
            .map_or(0, |(_, digits)| digits.len() as u32),
        None => limits.fraction_digits,
    };
    let sign = if at_least_zero(schema) { "" } else { "S" };
    match fraction {
        0 => Ok(format!("PIC {sign}9({DIGITS}) COMP-3")),
        f if f < DIGITS => Ok(format!("PIC {sign}9({})V9({f}) COMP-3", DIGITS - f)),
        f => Err(format!("{at} has {f} digits after the point")),
    }
}

fn integer(schema: &Value, format: &str) -> String {
    let of = |key: &str| schema.get(key).and_then(Value::as_i64);
    let (least, most) = match format {
        "int32" => (
            of("minimum").or(Some(i32::MIN.into())),
            of("maximum").or(Some(i32::MAX.into())),
        ),
        _ => (of("minimum"), of("maximum")),
    };
    let unsigned = at_least_zero(schema);
    let sign = if unsigned { "" } else { "S" };
    let within =
        |low: i64, high: i64| least.is_some_and(|l| l >= low) && most.is_some_and(|m| m <= high);
    let (short, long) = if unsigned {
        (within(0, 0xFFFF), within(0, 0xFFFF_FFFF))
    } else {
        (
            within(i16::MIN.into(), i16::MAX.into()),
            within(i32::MIN.into(), i32::MAX.into()),
        )
    };
    match (short, long) {
        (true, _) => format!("PIC {sign}9999 COMP-5 SYNC"),
        (_, true) => format!("PIC {sign}9(9) COMP-5 SYNC"),
        _ => format!("PIC {sign}9({DIGITS}) COMP-5 SYNC"),
    }
}

fn at_least_zero(schema: &Value) -> bool {
    let least = schema.get("minimum").and_then(Value::as_f64);
    least.is_some_and(|least| least >= 0.0)
}
