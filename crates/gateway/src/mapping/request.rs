//! From a request to the records that the program reads.
//!
//! Each operation of the plan writes one field, in the order of the record, so
//! that counters precede the tables they count. The records are written where
//! the program will read them.

use super::context::{EvalContext, MappingFailure, Request};
use super::expr::PathRoot;
use super::plan::{ItemScope, MappingCompiler, TemplatePiece, ValuePlan, ValueSlot, ValueSource};
use super::tree::{MapNode, MapValue};
use crate::diagnostics::FilePosition;
use crate::json::{JsonKind, JsonTape, PathResult};
use crate::problem::Fault;
use crate::project::asset::{AssetInterface, DataArea, InterfaceStyle};
use crate::project::structure::DirectionStructures;
use base::suggestion_or_all;
use copybook::{FieldId, RecordLayout};

/// The values for the areas of an interface, by area.
#[derive(Debug)]
pub(crate) struct RequestPlan {
    pub areas: Vec<Vec<RequestStep>>,
    /// The values for derived structures.
    pub derived: Option<Box<DerivedPlan>>,
}

/// The input of an API-first program.
#[derive(Debug)]
pub(crate) struct DerivedPlan {
    /// Containers of text: name and value.
    pub texts: Vec<(String, ValuePlan)>,
    /// The value for the structures.
    pub data: Option<ValueSlot>,
}

/// One step.
#[derive(Debug)]
pub(crate) enum RequestStep {
    Field {
        id: FieldId,
        value: ValuePlan,
    },
    Table {
        id: FieldId,
        input: ValuePlan,
        items: Vec<RequestStep>,
    },
}

impl RequestStep {
    fn id(&self) -> FieldId {
        match self {
            RequestStep::Field { id, .. } | RequestStep::Table { id, .. } => *id,
        }
    }
}

/// Compiles the mappings of `request.yaml`.
pub(crate) fn compile(
    nodes: &[MapNode],
    interface: &AssetInterface,
    compiler: &mut MappingCompiler<'_>,
) -> RequestPlan {
    let mut plan = RequestPlan {
        areas: interface.areas.iter().map(|_| Vec::new()).collect(),
        derived: None,
    };
    for node in nodes {
        if node.name != interface.root() {
            let help = format!("this asset takes a {}", interface.root());
            let message = format!("unknown key {}", node.name);
            compiler
                .out
                .error_help(compiler.file, node.at, message, help);
            continue;
        }
        let MapValue::Mappings(children) = &node.value else {
            continue;
        };
        let lone = interface.style == InterfaceStyle::Commarea && interface.areas.len() == 1;
        let named = |name: &str| {
            let names = [name.to_string()];
            interface
                .find(&names)
                .filter(|f| f.rest.is_empty())
                .map(|f| f.area)
        };
        if lone && !children.iter().any(|child| named(&child.name).is_some()) {
            fields(
                children,
                &interface.areas[0],
                RecordLayout::RECORD,
                compiler,
                &mut plan.areas[0],
            );
            continue;
        }
        for child in children {
            let Some(found) = named(&child.name) else {
                let known = interface.areas.iter().map(|a| a.name.as_str());
                unknown(
                    &child.name,
                    child.at,
                    "the asset's request",
                    known,
                    compiler,
                );
                continue;
            };
            let area = &interface.areas[found];
            let ops = &mut plan.areas[found];
            node_ops(
                below_record(child, area),
                area,
                RecordLayout::RECORD,
                compiler,
                ops,
            );
        }
    }
    for ops in &mut plan.areas {
        sort(ops);
    }
    plan
}

/// Compiles the mappings of `request.yaml` of an API-first asset.
pub(crate) fn compile_derived(
    nodes: &[MapNode],
    structures: &DirectionStructures,
    compiler: &mut MappingCompiler<'_>,
) -> RequestPlan {
    let mut plan = DerivedPlan {
        texts: Vec::new(),
        data: None,
    };
    for node in nodes {
        let MapValue::Mappings(children) = &node.value else {
            continue;
        };
        if node.name != "channel" {
            let message = format!("unknown key {}", node.name);
            let help = "this asset takes a channel";
            compiler
                .out
                .error_help(compiler.file, node.at, message, help);
            continue;
        }
        for child in children {
            if child.name == "data" {
                known_below(child, structures, &mut Vec::new(), compiler);
                plan.data = Some(compiler.slot(child, None, ItemScope::None, ""));
            } else {
                let value = compiler.plain(&child.value, ItemScope::None);
                plan.texts.push((child.name.clone(), value));
            }
        }
    }
    RequestPlan {
        areas: Vec::new(),
        derived: Some(Box::new(plan)),
    }
}

/// Warns of names that the structures do not have.
fn known_below(
    node: &MapNode,
    structures: &DirectionStructures,
    path: &mut Vec<String>,
    compiler: &mut MappingCompiler<'_>,
) {
    let children = match &node.value {
        MapValue::Mappings(children) => children,
        MapValue::Foreach { item, .. } => return known_below(item, structures, path, compiler),
        _ => return,
    };
    let known = structures.names_below(path).unwrap_or_default();
    for child in children {
        if !known.contains(&child.name.as_str()) {
            let place = format!("data.{}", path.join("."));
            let place = place.trim_end_matches('.');
            unknown(
                &child.name,
                child.at,
                place,
                known.iter().copied(),
                compiler,
            );
            continue;
        }
        path.push(child.name.clone());
        known_below(child, structures, path, compiler);
        path.pop();
    }
}

/// Below a container the record may be named or left out.
fn below_record<'n>(node: &'n MapNode, area: &DataArea) -> &'n MapNode {
    if let MapValue::Mappings(children) = &node.value
        && let [only] = children.as_slice()
        && crate::project::asset::same_name(area.layout().name(), &only.name)
        && area.child(RecordLayout::RECORD, &only.name).is_none()
    {
        return only;
    }
    node
}

fn fields(
    nodes: &[MapNode],
    area: &DataArea,
    group: FieldId,
    compiler: &mut MappingCompiler<'_>,
    ops: &mut Vec<RequestStep>,
) {
    for node in nodes {
        match area.child(group, &node.name) {
            Some(id) => node_ops(node, area, id, compiler, ops),
            None => {
                let place = area.layout().path(group);
                unknown(&node.name, node.at, &place, area.children(group), compiler);
            }
        }
    }
}

fn node_ops(
    node: &MapNode,
    area: &DataArea,
    id: FieldId,
    compiler: &mut MappingCompiler<'_>,
    ops: &mut Vec<RequestStep>,
) {
    let field = &area.layout()[id];
    match &node.value {
        MapValue::Mappings(children) => {
            if field.occurs.is_some() {
                let help = "map it with foreach";
                let message = format!("{} is a table", node.name);
                compiler
                    .out
                    .error_help(compiler.file, node.at, message, help);
            }
            fields(children, area, id, compiler, ops);
        }
        MapValue::Foreach { input, at, item } => {
            if field.occurs.is_none() {
                let message = format!(
                    "{} is not a table, so foreach has no place for its rows",
                    node.name
                );
                compiler.out.error(compiler.file, node.at, message);
                return;
            }
            let (input, _) = compiler.input(input, *at, ItemScope::None);
            let mut names = Vec::new();
            let scope = compiler.items_of(&input, ItemScope::None, &mut names);
            let mut items = Vec::new();
            match &item.value {
                MapValue::Mappings(children) => {
                    for child in children {
                        match area.child(id, &child.name) {
                            Some(id) => item_ops(child, area, id, scope, compiler, &mut items),
                            None => {
                                let place = area.layout().path(id);
                                unknown(&child.name, child.at, &place, area.children(id), compiler);
                            }
                        }
                    }
                }
                other => {
                    let value = compiler.plain(other, scope);
                    items.push(RequestStep::Field { id, value });
                }
            }
            sort(&mut items);
            ops.push(RequestStep::Table { id, input, items });
        }
        other => {
            let value = compiler.plain(other, ItemScope::None);
            if !matches!(value, ValuePlan::Nothing) {
                ops.push(RequestStep::Field { id, value });
            }
        }
    }
}

/// Like [`node_ops`] below a `foreach`, where `$item` is bound.
fn item_ops(
    node: &MapNode,
    area: &DataArea,
    id: FieldId,
    scope: ItemScope<'_>,
    compiler: &mut MappingCompiler<'_>,
    ops: &mut Vec<RequestStep>,
) {
    match &node.value {
        MapValue::Mappings(children) => {
            for child in children {
                match area.child(id, &child.name) {
                    Some(id) => item_ops(child, area, id, scope, compiler, ops),
                    None => {
                        let place = area.layout().path(id);
                        unknown(&child.name, child.at, &place, area.children(id), compiler);
                    }
                }
            }
        }
        MapValue::Foreach { input, at, item } => {
            let (input, _) = compiler.input(input, *at, scope);
            let mut names = Vec::new();
            let scope = compiler.items_of(&input, scope, &mut names);
            let mut items = Vec::new();
            match &item.value {
                MapValue::Mappings(_) => {
                    let node = MapNode {
                        value: item.value.clone(),
                        ..(**item).clone()
                    };
                    item_ops(&node, area, id, scope, compiler, &mut items);
                }
                other => {
                    let value = compiler.plain(other, scope);
                    items.push(RequestStep::Field { id, value });
                }
            }
            sort(&mut items);
            ops.push(RequestStep::Table { id, input, items });
        }
        other => {
            let value = compiler.plain(other, scope);
            if !matches!(value, ValuePlan::Nothing) {
                ops.push(RequestStep::Field { id, value });
            }
        }
    }
}

fn sort(ops: &mut [RequestStep]) {
    ops.sort_by_key(RequestStep::id);
}

fn unknown<'k>(
    name: &str,
    at: FilePosition,
    place: &str,
    known: impl Iterator<Item = &'k str>,
    compiler: &mut MappingCompiler<'_>,
) {
    let known: Vec<&str> = known.collect();
    let help = if known.is_empty() {
        "it is not a group: write template or expression in place of mappings".to_owned()
    } else {
        suggestion_or_all(name, &known, "it has")
    };
    let message = format!("{place} has no {name}");
    compiler.out.error_help(compiler.file, at, message, help);
}

impl DerivedPlan {
    /// The containers that the program gets.
    pub fn containers(
        &self,
        structures: &DirectionStructures,
        request: &Request<'_>,
    ) -> Result<Vec<(String, Vec<u8>)>, EncodeFailure> {
        let mut context = EvalContext::new(request, None);
        let mut text = Vec::new();
        let wrote = match &self.data {
            Some(slot) => context.slot(slot, &mut text).map_err(expression)?,
            None => false,
        };
        // A slot writes its name before its value.
        let value = if wrote {
            &text[DATA_KEY.len()..]
        } else {
            &b"null"[..]
        };
        let mut tape = JsonTape::default();
        let json = tape
            .parse(value)
            .ok()
            .filter(|json| json.kind() != JsonKind::Null);
        let mut all = structures.write(json).map_err(EncodeFailure::Faults)?;
        for (name, value) in &self.texts {
            let mut out = Vec::new();
            let mut bytes = Vec::new();
            if context.value(value, &mut out).map_err(expression)?
                && let Ok(json) = JsonTape::default().parse(&out)
            {
                bytes = json.plain().into_owned().into_bytes();
            }
            all.push((name.clone(), bytes));
        }
        Ok(all)
    }
}

/// The start of a slot with the name `data`.
const DATA_KEY: &[u8] = b"\"data\":";

/// Why a record could not be written.
#[derive(Debug, PartialEq)]
pub(crate) enum EncodeFailure {
    /// The request holds something that the record cannot.
    Faults(Vec<Fault>),
    /// An expression failed.
    Expression(String, String),
}

impl RequestPlan {
    /// Writes one area. Returns the bytes it takes. `record` has the area's
    /// full length.
    pub fn encode(
        &self,
        index: usize,
        area: &DataArea,
        request: &Request<'_>,
        record: &mut [u8],
    ) -> Result<usize, EncodeFailure> {
        area.record.initialise(record);
        let mut writer = Writer {
            area,
            context: EvalContext::new(request, None),
            record,
            subscripts: Vec::new(),
            scratch: Vec::new(),
            faults: Vec::new(),
            counted: Vec::new(),
        };
        writer.ops(&self.areas[index])?;
        if !writer.faults.is_empty() {
            return Err(EncodeFailure::Faults(writer.faults));
        }
        area.record
            .finish(record)
            .map_err(|fault| EncodeFailure::Faults(vec![*fault]))
    }
}

struct Writer<'a, 'r> {
    area: &'a DataArea,
    context: EvalContext<'a>,
    record: &'r mut [u8],
    subscripts: Vec<u32>,
    scratch: Vec<u8>,
    faults: Vec<Fault>,
    /// Counters of tables in rows, with what the first row has set them to.
    counted: Vec<(FieldId, usize)>,
}

impl Writer<'_, '_> {
    fn ops(&mut self, ops: &[RequestStep]) -> Result<(), EncodeFailure> {
        for op in ops {
            match op {
                RequestStep::Field { id, value } => self.field(*id, value)?,
                RequestStep::Table { id, input, items } => self.table(*id, input, items)?,
            }
        }
        Ok(())
    }

    fn field(&mut self, id: FieldId, value: &ValuePlan) -> Result<(), EncodeFailure> {
        // The client's text is copied to the record from its place.
        let source = match value {
            ValuePlan::Source(source) => Some(source),
            ValuePlan::Template(pieces) => match pieces.as_slice() {
                [TemplatePiece::Value(ValuePlan::Source(source @ ValueSource::Request(..)))] => {
                    Some(source)
                }
                _ => None,
            },
            _ => None,
        };
        match source.and_then(|source| self.context.standing(source)) {
            Some(PathResult::Nothing) => return Ok(()),
            Some(PathResult::One(json)) => {
                if json.kind() != JsonKind::Null {
                    self.put(id, json.raw(), value);
                }
                return Ok(());
            }
            Some(PathResult::Many(_)) | None => {}
        }
        if let Some(text) = source.and_then(|source| self.context.parameter(source))
            && self.put_number(id, text, value)
        {
            return Ok(());
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let wrote = self
            .context
            .value(value, &mut scratch)
            .map_err(expression)?;
        if wrote && scratch != b"null" {
            match std::str::from_utf8(&scratch) {
                Ok(text) => self.put(id, text, value),
                Err(_) => self.fault(value, "is not UTF-8".into(), None),
            }
        }
        self.scratch = scratch;
        Ok(())
    }

    fn put(&mut self, id: FieldId, json: &str, value: &ValuePlan) {
        if let Err(fault) = self
            .area
            .record
            .encode(id, json, self.record, &self.subscripts)
        {
            self.fault(value, fault.message, fault.field);
        }
    }

    /// Puts a text into a number; returns false if the field is not one.
    fn put_number(&mut self, id: FieldId, text: &str, value: &ValuePlan) -> bool {
        let record = &self.area.record;
        match record.encode_number(id, text, self.record, &self.subscripts) {
            Ok(put) => put,
            Err(fault) => {
                self.fault(value, fault.message, fault.field);
                true
            }
        }
    }

    #[cold]
    fn fault(&mut self, value: &ValuePlan, message: String, field: Option<String>) {
        if self.faults.len() < crate::validate::schema::MAX_FAULTS {
            let (pointer, parameter) = origin(value);
            self.faults.push(Fault {
                pointer,
                parameter,
                field,
                message,
                ..Fault::default()
            });
        }
    }

    fn table(
        &mut self,
        id: FieldId,
        input: &ValuePlan,
        items: &[RequestStep],
    ) -> Result<(), EncodeFailure> {
        if let ValuePlan::Source(source) | ValuePlan::OrEmpty(source) = input
            && let Some(list) = self.context.standing(source)
        {
            return self.rows(id, list, input, items);
        }
        let mut text = Vec::new();
        let wrote = self.context.value(input, &mut text).map_err(expression)?;
        let mut tape = JsonTape::default();
        let made = if wrote { tape.parse(&text).ok() } else { None };
        let list = made.map_or(PathResult::Nothing, PathResult::One);
        // The rows live as long as the text they were made from.
        let mut inner = Writer {
            area: self.area,
            context: EvalContext::new(self.context.request, None),
            record: &mut *self.record,
            subscripts: self.subscripts.clone(),
            scratch: Vec::new(),
            faults: Vec::new(),
            counted: std::mem::take(&mut self.counted),
        };
        inner.rows(id, list, input, items)?;
        let faults = inner.faults;
        self.counted = inner.counted;
        self.faults.extend(faults);
        Ok(())
    }
}

impl<'a> Writer<'a, '_> {
    /// Why a table in a row cannot have so many elements: the one counter that
    /// it has for all rows has another value already.
    fn other_count(&mut self, id: FieldId, rows: usize) -> Option<String> {
        let record = &self.area.record;
        let counter = self.area.layout()[id].occurs.as_ref()?.depending_on?;
        if self.subscripts.is_empty() || record.depth(counter) >= self.subscripts.len() {
            return None;
        }
        let Some((_, before)) = self.counted.iter().find(|(known, _)| *known == counter) else {
            self.counted.push((counter, rows));
            return None;
        };
        (*before != rows).then(|| {
            let counter = self.area.layout().path(counter);
            format!("has {rows} items, and {before} in an earlier row: {counter} counts those of every row")
        })
    }

    fn rows(
        &mut self,
        id: FieldId,
        list: PathResult<'a>,
        input: &ValuePlan,
        items: &[RequestStep],
    ) -> Result<(), EncodeFailure> {
        let rows = list.rows().unwrap_or_default();
        if let Some(why) = self.other_count(id, rows.len()) {
            self.fault(input, why, Some(self.area.layout().path(id)));
            return Ok(());
        }
        if let Err(fault) =
            self.area
                .record
                .set_count(id, rows.len(), self.record, &self.subscripts)
        {
            self.fault(input, fault.message, fault.field);
            return Ok(());
        }
        let outer = self.context.item;
        for (i, row) in rows.into_iter().enumerate() {
            self.context.item = Some(row);
            self.subscripts.push(i as u32);
            let result = self.ops(items);
            self.subscripts.pop();
            result?;
        }
        self.context.item = outer;
        Ok(())
    }
}

fn expression(failure: MappingFailure) -> EncodeFailure {
    match failure {
        MappingFailure::Expression(source, why) => EncodeFailure::Expression(source, why),
        MappingFailure::Data(fault) => EncodeFailure::Faults(vec![*fault]),
        MappingFailure::Missing(pointer) => EncodeFailure::Faults(vec![Fault {
            pointer: Some(pointer),
            message: "has no value".into(),
            ..Fault::default()
        }]),
    }
}

/// The source of a value in the request: JSON pointer or parameter.
fn origin(value: &ValuePlan) -> (Option<String>, Option<String>) {
    match value {
        ValuePlan::Source(source)
        | ValuePlan::OrEmpty(source)
        | ValuePlan::Trimmed { source, .. } => match source {
            ValueSource::Request(PathRoot::Body, names) => {
                (Some(names.iter().map(|n| format!("/{n}")).collect()), None)
            }
            ValueSource::Item(names) => (Some(format!("/*/{}", names.join("/"))), None),
            ValueSource::Request(_, names) => (None, names.first().cloned()),
            _ => (None, None),
        },
        ValuePlan::Template(pieces) => pieces
            .iter()
            .find_map(|piece| match piece {
                TemplatePiece::Value(value) => Some(origin(value)),
                TemplatePiece::Text(_) => None,
            })
            .unwrap_or_default(),
        ValuePlan::General(plan) => plan
            .general
            .uses
            .first()
            .map(|path| match path.root {
                PathRoot::Body => (
                    Some(path.names.iter().map(|n| format!("/{n}")).collect()),
                    None,
                ),
                _ => (None, path.names.first().cloned()),
            })
            .unwrap_or_default(),
        _ => (None, None),
    }
}
