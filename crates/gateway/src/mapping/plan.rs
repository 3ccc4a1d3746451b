//! A mapping compiled against an asset.
//!
//! Names are resolved to fields here, once; the plans that come out are walked
//! by [`super::context`] with nothing left to look up.

use super::expr::{
    self, CompiledExpression, EvaluatorExpression, PathRoot, TemplatePart, TrimMode, ValuePath,
};
use super::tree::{MapNode, MapValue};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::project::asset::{AssetInterface, DataArea};
use crate::project::structure::DirectionStructures;
use crate::validate::params::ParameterPlace;
use crate::validate::schema::{SchemaId, SchemaSet, SchemaType};
use base::{did_you_mean, nearest, suggestion, suggestion_or_all};
use copybook::FieldId;
use std::path::{Path as FilePath, PathBuf as FilePathBuf};

/// A path with its target found.
#[derive(Debug)]
pub(crate) enum ValueSource {
    /// A request variable: its root and the names after it.
    Request(PathRoot, Vec<String>),
    /// A field of the reply; the count of subscripts it takes.
    Field {
        area: usize,
        id: FieldId,
        depth: usize,
    },
    /// All of one area of the reply.
    Area(usize),
    /// Everything the program gave back.
    Reply,
    /// `$zosAssetResponse.abendCode`.
    AbendCode,
    /// `$item` of a JSON array, and the names after it.
    Item(Vec<String>),
    /// The name is unknown; the value is always missing.
    Nothing,
}

/// An expression for the evaluator, with the data it reads.
#[derive(Debug)]
pub(crate) struct GeneralPlan {
    pub general: Box<EvaluatorExpression>,
    /// Its file and line, for messages about its failure.
    pub place: Box<str>,
    /// The part of the reply that is shown to it.
    pub shape: ReplyPart,
    /// The source of `$item`.
    pub item: Option<ValueSource>,
}

/// The part of a reply that an expression reads.
#[derive(Debug, Default)]
pub(crate) struct ReplyPart {
    pub leaf: Option<ValueSource>,
    pub members: Vec<(String, ReplyPart)>,
}

/// How a value comes about.
#[derive(Debug)]
pub(crate) enum ValuePlan {
    Source(ValueSource),
    /// A text without some of its blanks; the whole expression says what
    /// becomes of a value that is not text.
    Trimmed {
        source: ValueSource,
        trim: TrimMode,
        whole: Box<GeneralPlan>,
    },
    /// The value, and `[]` where it is missing or null.
    OrEmpty(ValueSource),
    /// JSON text.
    Constant(String),
    /// Texts and values, joined to one text.
    Template(Vec<TemplatePiece>),
    Object(Vec<ValueSlot>),
    Each {
        input: Box<ValuePlan>,
        rows: Option<TableRows>,
        item: Box<ValueSlot>,
    },
    General(GeneralPlan),
    /// Never has a value.
    Nothing,
}

/// The table that a `foreach` walks without leaving the record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableRows {
    pub area: usize,
    pub id: FieldId,
    /// Subscripts that lead to the table.
    pub depth: usize,
}

#[derive(Debug)]
pub(crate) enum TemplatePiece {
    Text(String),
    Value(ValuePlan),
}

/// A value with its name and its rules.
#[derive(Debug)]
pub(crate) struct ValueSlot {
    /// `"name":`, ready to be written; empty for elements and for the body.
    pub key: Vec<u8>,
    /// JSON pointer, for messages.
    pub pointer: String,
    pub required: bool,
    pub nullable: bool,
    /// The type the API's document gives it.
    pub want: Option<SchemaType>,
    pub exists_if_empty: Option<Condition>,
    pub value: ValuePlan,
}

/// A compiled condition with its paths found.
#[derive(Debug)]
pub(crate) enum Condition {
    Constant(bool),
    Exists(ValueSource),
    Compare {
        source: ValueSource,
        constant: String,
        negated: bool,
    },
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    General(GeneralPlan),
}

/// The meaning of `$item` inside the `foreach` being compiled.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ItemScope<'n> {
    None,
    Json(JsonItem<'n>),
    Rows(TableRows),
}

/// The item of a JSON array.
#[derive(Debug, Clone, Copy)]
pub(crate) enum JsonItem<'n> {
    /// Any member is allowed.
    Anything,
    /// The document describes it.
    Schema(SchemaId),
    /// Members are below these names of the derived structures.
    Derived(&'n [String]),
}

/// Compiles the values of one file.
pub(crate) struct MappingCompiler<'a> {
    pub file: &'a FilePath,
    /// The program's output; `None` while a request is mapped.
    pub reply: Option<&'a AssetInterface>,
    /// Its structures, if they are derived from the API.
    pub tree: Option<&'a DirectionStructures>,
    /// While a request is mapped: the schema of its body, the inner none where
    /// nothing describes it, the outer where the operation takes none.
    pub body: Option<Option<Option<SchemaId>>>,
    /// The operation's parameters; `None` if they are not known.
    pub params: Option<&'a [(ParameterPlace, String)]>,
    pub set: &'a SchemaSet,
    pub out: &'a mut ProjectDiagnostics,
}

impl MappingCompiler<'_> {
    /// Compiles a node of a response; `schema` is its schema in the document.
    pub fn slot(
        &mut self,
        node: &MapNode,
        schema: Option<SchemaId>,
        scope: ItemScope<'_>,
        pointer: &str,
    ) -> ValueSlot {
        let mut key = Vec::new();
        crate::json::write_string(&node.name, &mut key);
        key.push(b':');
        let kind = node.kind.as_deref().and_then(SchemaType::by_name);
        let want = kind.or_else(|| schema.and_then(|id| self.set.kind_of(id)));
        let value = match &node.value {
            MapValue::Mappings(children) => {
                let mut slots = Vec::with_capacity(children.len());
                for child in children {
                    let below = schema.and_then(|id| self.set.property(id, &child.name));
                    let pointer = format!("{pointer}/{}", child.name);
                    slots.push(self.slot(child, below, scope, &pointer));
                }
                ValuePlan::Object(slots)
            }
            MapValue::Foreach { input, at, item } => {
                let (input, rows) = self.input(input, *at, scope);
                let mut names = Vec::new();
                let inner = match rows {
                    Some(rows) => ItemScope::Rows(rows),
                    None => self.items_of(&input, scope, &mut names),
                };
                let below = schema.and_then(|id| self.set.items_of(id));
                let mut item = self.slot(item, below, inner, &format!("{pointer}/*"));
                item.key.clear();
                ValuePlan::Each {
                    input: Box::new(input),
                    rows,
                    item: Box::new(item),
                }
            }
            other => self.plain(other, scope),
        };
        let exists = node.exists_if_empty.as_ref();
        ValueSlot {
            key,
            pointer: pointer.to_string(),
            required: node.required,
            nullable: node.nullable,
            want,
            exists_if_empty: exists.map(|(text, at)| self.condition(text, *at, scope)),
            value,
        }
    }

    /// Compiles a template or an expression.
    pub fn plain(&mut self, value: &MapValue, scope: ItemScope<'_>) -> ValuePlan {
        match value {
            MapValue::Template(text, at) => match expr::compile_template(text) {
                Ok(parts) => self.template(parts, *at, scope),
                Err(message) => {
                    self.out.error(self.file, *at, message);
                    ValuePlan::Nothing
                }
            },
            MapValue::Expression(text, at) => match expr::compile(text) {
                Ok(expr) => self.expr(expr, *at, scope),
                Err(message) => {
                    self.out.error(self.file, *at, message);
                    ValuePlan::Nothing
                }
            },
            _ => ValuePlan::Nothing,
        }
    }

    fn template(
        &mut self,
        parts: Vec<TemplatePart>,
        at: FilePosition,
        scope: ItemScope<'_>,
    ) -> ValuePlan {
        let pieces = parts.into_iter().map(|part| match part {
            TemplatePart::Text(text) => TemplatePiece::Text(text),
            TemplatePart::Expr(expr) => TemplatePiece::Value(self.expr(expr, at, scope)),
        });
        ValuePlan::Template(pieces.collect())
    }

    fn expr(
        &mut self,
        expr: CompiledExpression,
        at: FilePosition,
        scope: ItemScope<'_>,
    ) -> ValuePlan {
        match expr {
            CompiledExpression::Path(path, trim) => match self.source(&path, at, scope) {
                Ok(source) if trim == TrimMode::Keep => ValuePlan::Source(source),
                Ok(ValueSource::Nothing) => ValuePlan::Nothing,
                found => {
                    let Ok(whole) = expr::force_general(&path, trim) else {
                        return ValuePlan::Nothing;
                    };
                    let whole = self.evaluated(whole, at, scope);
                    match found {
                        Ok(source) => ValuePlan::Trimmed {
                            source,
                            trim,
                            whole: Box::new(whole),
                        },
                        // A path through a table's rows is a question for
                        // JSONata.
                        Err(()) => ValuePlan::General(whole),
                    }
                }
            },
            CompiledExpression::OrEmpty(path) => match self.source(&path, at, scope) {
                Ok(source) => ValuePlan::OrEmpty(source),
                Err(()) => match expr::force_or_empty(&path) {
                    Ok(whole) => ValuePlan::General(self.evaluated(whole, at, scope)),
                    Err(_) => ValuePlan::Nothing,
                },
            },
            CompiledExpression::Constant(text) => ValuePlan::Constant(text),
            CompiledExpression::General(general) => {
                ValuePlan::General(self.general(general, at, scope))
            }
        }
    }

    /// The input of a `foreach`, and the table if it is one.
    pub fn input(
        &mut self,
        text: &str,
        at: FilePosition,
        scope: ItemScope<'_>,
    ) -> (ValuePlan, Option<TableRows>) {
        let expr = match expr::compile(text) {
            Ok(expr) => expr,
            Err(message) => {
                self.out.error(self.file, at, message);
                return (ValuePlan::Nothing, None);
            }
        };
        let value = self.expr(expr, at, scope);
        if let (
            ValuePlan::Source(ValueSource::Field { area, id, depth })
            | ValuePlan::OrEmpty(ValueSource::Field { area, id, depth }),
            Some(reply),
        ) = (&value, self.reply)
            && reply.areas[*area].layout()[*id].occurs.is_some()
        {
            let rows = TableRows {
                area: *area,
                id: *id,
                depth: *depth,
            };
            return (value, Some(rows));
        }
        (value, None)
    }

    pub fn condition(&mut self, text: &str, at: FilePosition, scope: ItemScope<'_>) -> Condition {
        let compiled = expr::compile_condition(text)
            .map(|condition| self.resolved(condition, at, scope))
            .and_then(|found| match found {
                Ok(condition) => Ok(condition),
                // A path in it leads through a table's rows.
                Err(()) => {
                    let whole = expr::general(text)?;
                    Ok(Condition::General(self.evaluated(whole, at, scope)))
                }
            });
        compiled.unwrap_or_else(|message| {
            self.out.error(self.file, at, message);
            Condition::Constant(false)
        })
    }

    /// `Err` if one of its paths leads through a table's rows.
    fn resolved(
        &mut self,
        condition: expr::Condition,
        at: FilePosition,
        scope: ItemScope<'_>,
    ) -> Result<Condition, ()> {
        use expr::Condition as C;
        let mut list = |items: Vec<C>| -> Result<Vec<Condition>, ()> {
            let items = items.into_iter();
            items.map(|c| self.resolved(c, at, scope)).collect()
        };
        Ok(match condition {
            C::Constant(b) => Condition::Constant(b),
            C::All(items) => Condition::All(list(items)?),
            C::Any(items) => Condition::Any(list(items)?),
            C::Not(inner) => Condition::Not(Box::new(self.resolved(*inner, at, scope)?)),
            C::General(general) => Condition::General(self.general(general, at, scope)),
            C::Exists(path) => Condition::Exists(self.source(&path, at, scope)?),
            C::Compare {
                path,
                constant,
                negated,
            } => Condition::Compare {
                source: self.source(&path, at, scope)?,
                constant,
                negated,
            },
        })
    }

    fn general(
        &mut self,
        general: Box<EvaluatorExpression>,
        at: FilePosition,
        scope: ItemScope<'_>,
    ) -> GeneralPlan {
        let own_item = general.binds_item;
        for path in &general.uses {
            match path.root {
                PathRoot::Body => self.body_path(&path.names, at),
                // A name that cannot be found has been reported.
                PathRoot::Item if !own_item => drop(self.source(path, at, scope)),
                root => self.parameter(root, &path.names, at),
            }
        }
        for name in &general.unknown {
            self.variable(name, at);
        }
        self.evaluated(general, at, scope)
    }

    /// Like [`Self::general`] for an expression whose paths into the body and
    /// the item were already checked.
    fn evaluated(
        &mut self,
        general: Box<EvaluatorExpression>,
        at: FilePosition,
        scope: ItemScope<'_>,
    ) -> GeneralPlan {
        let mut shape = ReplyPart::default();
        for path in general.uses.iter().filter(|p| p.root == PathRoot::Asset) {
            // Names that lead through a table are cut at the table: the
            // evaluator walks its rows.
            for taken in (0..=path.names.len()).rev() {
                let head = ValuePath {
                    root: PathRoot::Asset,
                    names: path.names[..taken].to_vec(),
                };
                if let Ok(source) = self.source(&head, at, ItemScope::None) {
                    shape.insert(&head.names, source);
                    break;
                }
            }
        }
        let item = match scope {
            ItemScope::None => None,
            ItemScope::Json(_) => Some(ValueSource::Item(Vec::new())),
            ItemScope::Rows(rows) => Some(ValueSource::Field {
                area: rows.area,
                id: rows.id,
                depth: rows.depth + 1,
            }),
        };
        GeneralPlan {
            general,
            place: place(self.file, at),
            shape,
            item,
        }
    }

    /// Finds what a path means. `Err` if it leads through a table's rows.
    fn source(
        &mut self,
        path: &ValuePath,
        at: FilePosition,
        scope: ItemScope<'_>,
    ) -> Result<ValueSource, ()> {
        match (path.root, scope) {
            (PathRoot::Asset, _) if self.tree.is_some() => Ok(self.tree_source(&path.names, at)),
            (PathRoot::Asset, _) => match self.reply {
                Some(reply) => self.reply_source(reply, &path.names, at),
                None => {
                    let help = "a request is mapped before the program runs";
                    let message = "$zosAssetResponse has no value in a request";
                    self.out.error_help(self.file, at, message, help);
                    Ok(ValueSource::Nothing)
                }
            },
            (PathRoot::Item, ItemScope::Json(item)) => {
                self.item_path(item, &path.names, at);
                Ok(ValueSource::Item(path.names.clone()))
            }
            (PathRoot::Item, ItemScope::Rows(rows)) => {
                let Some(reply) = self.reply else {
                    return Ok(ValueSource::Nothing);
                };
                let area = &reply.areas[rows.area];
                self.field(area, rows.area, rows.id, rows.depth + 1, &path.names, at)
            }
            (PathRoot::Item, ItemScope::None) => {
                let message = "$item has a value only inside a foreach";
                self.out.error(self.file, at, message);
                Ok(ValueSource::Nothing)
            }
            (PathRoot::Body, _) => {
                self.body_path(&path.names, at);
                Ok(ValueSource::Request(PathRoot::Body, path.names.clone()))
            }
            (root, _) => {
                self.parameter(root, &path.names, at);
                Ok(ValueSource::Request(root, path.names.clone()))
            }
        }
    }

    /// Warns of a parameter that the operation does not have. A query or a
    /// header may have more than the document describes; the path may not.
    fn parameter(&mut self, root: PathRoot, names: &[String], at: FilePosition) {
        let (place, what) = match root {
            PathRoot::PathParameters => (ParameterPlace::Path, "path variable"),
            PathRoot::QueryParameters => (ParameterPlace::Query, "query parameter"),
            PathRoot::Headers => (ParameterPlace::Header, "header"),
            PathRoot::Cookies => (ParameterPlace::Cookie, "cookie"),
            PathRoot::Body | PathRoot::Asset | PathRoot::Item => return,
        };
        let (Some(params), Some(name)) = (self.params, names.first()) else {
            return;
        };
        let known = || {
            params
                .iter()
                .filter(|(p, _)| *p == place)
                .map(|(_, name)| name.as_str())
        };
        let same = |one: &str| {
            one == name || (place == ParameterPlace::Header && one.eq_ignore_ascii_case(name))
        };
        if known().any(same) {
            return;
        }
        let message = format!("the API's document gives this operation no {what} {name}");
        match (suggestion(name, known()), place) {
            (Some(help), ParameterPlace::Path) => {
                self.out.error_help(self.file, at, message, help);
            }
            (None, ParameterPlace::Path) => self.out.error(self.file, at, message),
            (help @ Some(_), _) => self.out.warn_help(self.file, at, message, help),
            (None, _) => {}
        }
    }

    /// Warns of a variable that never has a value.
    fn variable(&mut self, name: &str, at: FilePosition) {
        let known = PathRoot::ALL.iter().flat_map(|root| root.variables());
        let known = known.chain(&["apiRequest"]).copied();
        let message = format!("unknown variable ${name}: it never has a value");
        let help = nearest(name, known).map(|near| did_you_mean(format_args!("${near}")));
        self.out.warn_help(self.file, at, message, help);
    }

    /// Warns of a path into the request's body that the document does not
    /// describe: it never has a value.
    fn body_path(&mut self, names: &[String], at: FilePosition) {
        match self.body {
            None | Some(Some(None)) => {}
            Some(Some(Some(schema))) => self.described(schema, "$body", names, at),
            Some(None) => {
                let message = "$body has no value: the API's document gives this operation no body";
                self.out.warn(self.file, at, message);
            }
        }
    }

    /// As above for a path into an item of a JSON array.
    fn item_path(&mut self, item: JsonItem<'_>, names: &[String], at: FilePosition) {
        match item {
            JsonItem::Anything => {}
            JsonItem::Schema(schema) => self.described(schema, "$item", names, at),
            JsonItem::Derived(above) => {
                let path = [above, names].concat();
                self.derived_path(&path, above.len(), "$item", at);
            }
        }
    }

    /// Warns of names that the document does not describe below a schema.
    fn described(&mut self, schema: SchemaId, root: &str, names: &[String], at: FilePosition) {
        let mut here = schema;
        let mut place = root.to_owned();
        for name in names {
            // The array's own name selects its items.
            let id = self.set.items_of(here).unwrap_or(here);
            let known = self.set.names_of(id);
            if known.is_empty() || self.set.is_open(id) {
                return;
            }
            let Some(below) = self.set.property(id, name) else {
                let message =
                    format!("the API's document gives {place} no {name}, so it never has a value");
                let help = suggestion_or_all(name, &known, "it has");
                return self.out.warn_help(self.file, at, message, Some(help));
            };
            here = below;
            place = format!("{place}.{name}");
        }
    }

    /// Warns of the first name after `from` that the derived structures do not
    /// have; returns true if they have them all.
    fn derived_path(
        &mut self,
        names: &[String],
        from: usize,
        root: &str,
        at: FilePosition,
    ) -> bool {
        let Some(tree) = self.tree else {
            return false;
        };
        for taken in from..names.len() {
            let known = tree.names_below(&names[..taken]).unwrap_or_default();
            if !known.contains(&names[taken].as_str()) {
                let mut place = root.to_owned();
                for name in &names[from..taken] {
                    place = format!("{place}.{name}");
                }
                self.unknown(&names[taken], &place, known.into_iter(), at);
                return false;
            }
        }
        true
    }

    /// The meaning of `$item` in a `foreach` over a JSON array; `names` is
    /// filled if it is in derived structures.
    pub fn items_of<'n>(
        &self,
        input: &ValuePlan,
        scope: ItemScope<'_>,
        names: &'n mut Vec<String>,
    ) -> ItemScope<'n> {
        let (ValuePlan::Source(source) | ValuePlan::OrEmpty(source)) = input else {
            return ItemScope::Json(JsonItem::Anything);
        };
        let body = self.body.flatten().flatten();
        let (schema, below) = match (source, scope) {
            (ValueSource::Request(PathRoot::Body, names), _) => (body, names),
            (ValueSource::Item(names), ItemScope::Json(JsonItem::Schema(id))) => (Some(id), names),
            (ValueSource::Request(PathRoot::Asset, path), _) if self.tree.is_some() => {
                names.extend_from_slice(path.get(1..).unwrap_or_default());
                return ItemScope::Json(JsonItem::Derived(names));
            }
            (ValueSource::Item(path), ItemScope::Json(JsonItem::Derived(above))) => {
                names.extend_from_slice(above);
                names.extend_from_slice(path);
                return ItemScope::Json(JsonItem::Derived(names));
            }
            _ => return ItemScope::Json(JsonItem::Anything),
        };
        let one = |id: SchemaId| self.set.items_of(id).unwrap_or(id);
        let found = below.iter().try_fold(schema, |here, name| {
            here.map(|id| self.set.property(one(id), name))
        });
        ItemScope::Json(match found.flatten() {
            Some(id) => JsonItem::Schema(one(id)),
            None => JsonItem::Anything,
        })
    }

    /// A path into a reply that is JSON when it is asked.
    fn tree_source(&mut self, names: &[String], at: FilePosition) -> ValueSource {
        match names.first().map(String::as_str) {
            None => return ValueSource::Request(PathRoot::Asset, Vec::new()),
            Some("abendCode") => return ValueSource::AbendCode,
            Some("channel") => {}
            Some(other) => {
                self.unknown(
                    other,
                    "the asset's response",
                    ["channel", "abendCode"].into_iter(),
                    at,
                );
                return ValueSource::Nothing;
            }
        }
        if !self.derived_path(&names[1..], 0, "$channel", at) {
            return ValueSource::Nothing;
        }
        ValueSource::Request(PathRoot::Asset, names.to_vec())
    }

    fn reply_source(
        &mut self,
        reply: &AssetInterface,
        names: &[String],
        at: FilePosition,
    ) -> Result<ValueSource, ()> {
        let Some(first) = names.first() else {
            return Ok(ValueSource::Reply);
        };
        if first == "abendCode" {
            return Ok(ValueSource::AbendCode);
        }
        if *first != reply.root() {
            let message = format!("the asset's response has no {first}");
            let help = format!("it has {} and abendCode", reply.root());
            self.out.error_help(self.file, at, message, help);
            return Ok(ValueSource::Nothing);
        }
        let Some(found) = reply.find(&names[1..]) else {
            let Some(name) = names.get(1) else {
                return Ok(ValueSource::Reply);
            };
            let known = reply.areas.iter().map(|a| a.name.as_str());
            self.unknown(name, "the asset's response", known, at);
            return Ok(ValueSource::Nothing);
        };
        if found.rest.is_empty() && found.area_only {
            return Ok(ValueSource::Area(found.area));
        }
        let area = &reply.areas[found.area];
        self.field(
            area,
            found.area,
            copybook::RecordLayout::RECORD,
            0,
            found.rest,
            at,
        )
    }

    fn field(
        &mut self,
        area: &DataArea,
        index: usize,
        from: FieldId,
        depth: usize,
        names: &[String],
        at: FilePosition,
    ) -> Result<ValueSource, ()> {
        let mut id = from;
        let mut through_table = false;
        for (i, name) in names.iter().enumerate() {
            let layout = area.layout();
            // `from` has its subscripts; a table met on the way has none.
            through_table |= i > 0 && layout[id].occurs.is_some();
            match area.child(id, name) {
                Some(child) => id = child,
                None => {
                    let group = layout.path(id);
                    self.unknown(name, &group, area.children(id), at);
                    return Ok(ValueSource::Nothing);
                }
            }
        }
        if through_table {
            return Err(());
        }
        Ok(ValueSource::Field {
            area: index,
            id,
            depth,
        })
    }

    fn unknown<'k>(
        &mut self,
        name: &str,
        place: &str,
        known: impl Iterator<Item = &'k str>,
        at: FilePosition,
    ) {
        let known: Vec<&str> = known.collect();
        let message = format!("{place} has no {name}");
        let help = if known.is_empty() {
            "it is not a group".to_owned()
        } else {
            suggestion_or_all(name, &known, "it has")
        };
        self.out.error_help(self.file, at, message, help);
    }
}

impl ReplyPart {
    fn insert(&mut self, names: &[String], source: ValueSource) {
        let Some((first, rest)) = names.split_first() else {
            self.leaf = Some(source);
            return;
        };
        let at = match self.members.iter().position(|(name, _)| name == first) {
            Some(at) => at,
            None => {
                self.members.push((first.clone(), ReplyPart::default()));
                self.members.len() - 1
            }
        };
        self.members[at].1.insert(rest, source);
    }
}

/// A place in a file, with the folders that say of which operation it is: a
/// client may read it, so it says nothing of where projects lie.
fn place(file: &FilePath, at: FilePosition) -> Box<str> {
    let names: Vec<_> = file.iter().rev().take(3).collect();
    let names: FilePathBuf = names.into_iter().rev().collect();
    format!("{} line {}", names.display(), at.line).into()
}
