//! Plans at work: one request, one reply, and the values between them.
//!
//! Values are written as JSON text into the buffer that becomes the response
//! body; a pass-through field is copied there from the program's own storage in
//! one step.

use super::expr::{PathRoot, TrimMode, ValuePath};
use super::plan::{
    Condition, GeneralPlan, ReplyPart, TableRows, TemplatePiece, ValuePlan, ValueSlot, ValueSource,
};
use super::text::{convert, same, trimmed, truthy};
use crate::json::{JsonTape, PathResult, TapeValue, write_string};
use crate::problem::Fault;
use crate::project::asset::AssetInterface;
use crate::validate::params::{self, OperationParameter, ParameterPlace};
use crate::validate::schema::SchemaType;
use copybook::FieldId;
use std::collections::BTreeSet;

/// A request with its parameters found and its body parsed.
pub(crate) struct Request<'a> {
    pub params: &'a [OperationParameter],
    pub values: &'a [params::ParameterValue<'a>],
    pub headers: &'a http::HeaderMap,
    /// As it came; it has the parameters that the document does not name.
    pub query: Option<&'a str>,
    pub body: Option<TapeValue<'a>>,
}

/// The output of a program.
pub(crate) struct MappingReply<'a> {
    pub interface: &'a AssetInterface,
    /// The bytes of each area, in the interface's order.
    pub bytes: &'a [Option<&'a [u8]>],
    pub abend: Option<&'a str>,
    /// The whole answer as JSON, if its structures are derived from the API.
    pub json: Option<TapeValue<'a>>,
}

/// Why a value could not be made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MappingFailure {
    /// The program's data does not agree with its description.
    Data(Box<Fault>),
    /// An expression failed; its text with its place, and why.
    Expression(String, String),
    /// A required value is missing; its pointer.
    Missing(String),
}

/// Everything a value may be made of.
pub(crate) struct EvalContext<'a> {
    pub request: &'a Request<'a>,
    pub reply: Option<&'a MappingReply<'a>>,
    /// Subscripts of the table rows around `$item`, outermost first.
    pub subscripts: Vec<u32>,
    /// `$item` of the innermost `foreach` over JSON.
    pub item: Option<TapeValue<'a>>,
}

impl<'a> EvalContext<'a> {
    pub fn new(request: &'a Request<'a>, reply: Option<&'a MappingReply<'a>>) -> EvalContext<'a> {
        EvalContext {
            request,
            reply,
            subscripts: Vec::new(),
            item: None,
        }
    }

    /// Writes a slot's key and value; false if it has none and is left out.
    pub fn slot(&mut self, slot: &ValueSlot, out: &mut Vec<u8>) -> Result<bool, MappingFailure> {
        let start = out.len();
        out.extend_from_slice(&slot.key);
        let wrote = match &slot.value {
            ValuePlan::Object(members) => self.object(members, slot, out)?,
            ValuePlan::Each { input, rows, item } => self.each(input, *rows, item, slot, out)?,
            value => {
                let from = out.len();
                let wrote = self.value(value, out)?;
                if wrote {
                    convert(slot.want, out, from);
                }
                wrote
            }
        };
        if wrote {
            return Ok(true);
        }
        if slot.required {
            let filler: Option<&[u8]> = match (&slot.value, slot.want) {
                _ if slot.nullable => Some(b"null"),
                (ValuePlan::Object(_), _) | (_, Some(SchemaType::Object)) => Some(b"{}"),
                (ValuePlan::Each { .. }, _) | (_, Some(SchemaType::Array)) => Some(b"[]"),
                (ValuePlan::Template(_), None) | (_, Some(SchemaType::String)) => Some(b"\"\""),
                _ => None,
            };
            let Some(filler) = filler else {
                return Err(MappingFailure::Missing(slot.pointer.clone()));
            };
            out.extend_from_slice(filler);
            return Ok(true);
        }
        out.truncate(start);
        Ok(false)
    }

    fn object(
        &mut self,
        members: &[ValueSlot],
        slot: &ValueSlot,
        out: &mut Vec<u8>,
    ) -> Result<bool, MappingFailure> {
        out.push(b'{');
        let mut empty = true;
        for member in members {
            if !empty {
                out.push(b',');
            }
            if self.slot(member, out)? {
                empty = false;
            } else if !empty {
                out.pop();
            }
        }
        out.push(b'}');
        Ok(!empty || self.exists_if_empty(slot)?)
    }

    fn exists_if_empty(&mut self, slot: &ValueSlot) -> Result<bool, MappingFailure> {
        match &slot.exists_if_empty {
            Some(condition) => self.holds(condition),
            None => Ok(slot.required),
        }
    }

    fn each(
        &mut self,
        input: &ValuePlan,
        rows: Option<TableRows>,
        item: &ValueSlot,
        slot: &ValueSlot,
        out: &mut Vec<u8>,
    ) -> Result<bool, MappingFailure> {
        out.push(b'[');
        let from = out.len();
        let there = match rows {
            Some(rows) => self.each_row(rows, item, out)?,
            None => self.each_json(input, item, out)?,
        };
        let empty = out.len() == from;
        out.push(b']');
        let there = there || matches!(input, ValuePlan::OrEmpty(_));
        Ok(!empty || there || self.exists_if_empty(slot)?)
    }

    fn each_row(
        &mut self,
        rows: TableRows,
        item: &ValueSlot,
        out: &mut Vec<u8>,
    ) -> Result<bool, MappingFailure> {
        let Some((interface, bytes)) = self.area(rows.area) else {
            return Ok(false);
        };
        let area = &interface.areas[rows.area];
        let depth = rows.depth.min(self.subscripts.len());
        let count = area
            .record
            .count(rows.id, bytes, &self.subscripts[..depth])
            .map_err(data)?;
        let outer = std::mem::take(&mut self.subscripts);
        let result = (0..count).try_for_each(|i| {
            self.subscripts.clear();
            self.subscripts.extend_from_slice(&outer[..depth]);
            self.subscripts.push(i);
            self.element(item, out)
        });
        self.subscripts = outer;
        result.map(|()| true)
    }

    fn each_json(
        &mut self,
        input: &ValuePlan,
        item: &ValueSlot,
        out: &mut Vec<u8>,
    ) -> Result<bool, MappingFailure> {
        // A body's array is walked in place; a computed one gets a tape.
        if let ValuePlan::Source(source) | ValuePlan::OrEmpty(source) = input
            && let Some(found) = self.standing(source)
        {
            return self.each_item(found, item, out);
        }
        let mut text = Vec::new();
        if !self.value(input, &mut text)? {
            return Ok(false);
        }
        let mut tape = JsonTape::default();
        let Ok(list) = tape.parse(&text) else {
            return Ok(false);
        };
        let mut inner = EvalContext {
            request: self.request,
            reply: self.reply,
            subscripts: self.subscripts.clone(),
            item: None,
        };
        inner.each_item(PathResult::One(list), item, out)
    }

    /// Values in the request or in an item of an array.
    pub fn standing(&self, source: &ValueSource) -> Option<PathResult<'a>> {
        let (value, names) = match source {
            ValueSource::Request(PathRoot::Body, names) => (self.request.body, names),
            ValueSource::Request(PathRoot::Asset, names) => {
                (self.reply.and_then(|r| r.json), names)
            }
            ValueSource::Item(names) => (self.item, names),
            _ => return None,
        };
        Some(value.map_or(PathResult::Nothing, |value| value.path(names)))
    }

    fn each_item(
        &mut self,
        list: PathResult<'a>,
        item: &ValueSlot,
        out: &mut Vec<u8>,
    ) -> Result<bool, MappingFailure> {
        // JSONata gives a sequence of one as the one.
        let Some(rows) = list.rows() else {
            return Ok(false);
        };
        let outer = self.item;
        let result = rows.into_iter().try_for_each(|value| {
            self.item = Some(value);
            self.element(item, out)
        });
        self.item = outer;
        result.map(|()| true)
    }

    fn element(&mut self, item: &ValueSlot, out: &mut Vec<u8>) -> Result<(), MappingFailure> {
        let comma = out.last() != Some(&b'[');
        if comma {
            out.push(b',');
        }
        if !self.slot(item, out)? && comma {
            out.pop();
        }
        Ok(())
    }

    /// Writes a value as JSON text; returns false if it is missing.
    pub fn value(&mut self, value: &ValuePlan, out: &mut Vec<u8>) -> Result<bool, MappingFailure> {
        match value {
            ValuePlan::Source(source) => self.source(source, TrimMode::Keep, out),
            ValuePlan::Trimmed {
                source,
                trim,
                whole,
            } => self.text_of(source, *trim, whole, out),
            ValuePlan::OrEmpty(source) => {
                let from = out.len();
                if !self.source(source, TrimMode::Keep, out)? || &out[from..] == b"null" {
                    out.truncate(from);
                    out.extend_from_slice(b"[]");
                }
                Ok(true)
            }
            ValuePlan::Constant(text) => {
                out.extend_from_slice(text.as_bytes());
                Ok(true)
            }
            ValuePlan::Template(pieces) => self.template(pieces, out),
            ValuePlan::General(plan) => self.evaluated(plan, out),
            ValuePlan::Object(_) | ValuePlan::Each { .. } | ValuePlan::Nothing => Ok(false),
        }
    }

    /// A trimmed text. A value that is not a text is left to the evaluator.
    fn text_of(
        &mut self,
        source: &ValueSource,
        trim: TrimMode,
        whole: &GeneralPlan,
        out: &mut Vec<u8>,
    ) -> Result<bool, MappingFailure> {
        let from = out.len();
        if !self.source(source, trim, out)? {
            return Ok(false);
        }
        if out.get(from) == Some(&b'"') {
            return Ok(true);
        }
        out.truncate(from);
        self.evaluated(whole, out)
    }

    fn evaluated(&mut self, plan: &GeneralPlan, out: &mut Vec<u8>) -> Result<bool, MappingFailure> {
        let text = self.general(plan)?;
        out.extend_from_slice(text.as_deref().unwrap_or_default().as_bytes());
        Ok(text.is_some())
    }

    /// A template of one value is that value as text, missing if it is missing;
    /// in a longer one a missing value adds nothing.
    fn template(
        &mut self,
        pieces: &[TemplatePiece],
        out: &mut Vec<u8>,
    ) -> Result<bool, MappingFailure> {
        if let [TemplatePiece::Value(value)] = pieces {
            let from = out.len();
            let wrote = self.value(value, out)?;
            if wrote {
                if &out[from..] == b"null" {
                    out.truncate(from);
                    return Ok(false);
                }
                convert(Some(SchemaType::String), out, from);
            }
            return Ok(wrote);
        }
        let mut text = String::new();
        let mut scratch = Vec::new();
        for piece in pieces {
            match piece {
                TemplatePiece::Text(piece) => text.push_str(piece),
                TemplatePiece::Value(value) => {
                    scratch.clear();
                    if self.value(value, &mut scratch)? && scratch != b"null" {
                        let mut tape = JsonTape::default();
                        if let Ok(json) = tape.parse(&scratch) {
                            text.push_str(&json.plain());
                        }
                    }
                }
            }
        }
        write_string(&text, out);
        Ok(true)
    }

    fn area(&self, index: usize) -> Option<(&'a AssetInterface, &'a [u8])> {
        let reply = self.reply?;
        Some((reply.interface, (*reply.bytes.get(index)?)?))
    }

    fn source(
        &mut self,
        source: &ValueSource,
        trim: TrimMode,
        out: &mut Vec<u8>,
    ) -> Result<bool, MappingFailure> {
        match source {
            ValueSource::Field { area, id, depth } => self.field(*area, *id, *depth, trim, out),
            ValueSource::Area(area) => {
                self.field(*area, copybook::RecordLayout::RECORD, 0, trim, out)
            }
            ValueSource::Reply => self.whole_reply(trim, out),
            ValueSource::AbendCode => match self.reply.and_then(|r| r.abend) {
                Some(code) => {
                    write_string(code, out);
                    Ok(true)
                }
                None => Ok(false),
            },
            ValueSource::Item(_) | ValueSource::Request(..) => {
                let from = out.len();
                let wrote = match (self.standing(source), source) {
                    (Some(found), _) => found.write(out),
                    (None, ValueSource::Request(root, names)) => {
                        self.request_value(*root, names, out)
                    }
                    (None, _) => false,
                };
                if wrote {
                    trimmed(trim, out, from);
                }
                Ok(wrote)
            }
            ValueSource::Nothing => Ok(false),
        }
    }

    fn whole_reply(&mut self, trim: TrimMode, out: &mut Vec<u8>) -> Result<bool, MappingFailure> {
        let Some(reply) = self.reply else {
            return Ok(false);
        };
        out.push(b'{');
        write_string(reply.interface.root(), out);
        out.extend_from_slice(b":{");
        let from = out.len();
        for (i, area) in reply.interface.areas.iter().enumerate() {
            let start = out.len();
            if start > from {
                out.push(b',');
            }
            write_string(&area.name, out);
            out.push(b':');
            if !self.field(i, copybook::RecordLayout::RECORD, 0, trim, out)? {
                out.truncate(start);
            }
        }
        out.push(b'}');
        if let Some(code) = reply.abend {
            out.extend_from_slice(b",\"abendCode\":");
            write_string(code, out);
        }
        out.push(b'}');
        Ok(true)
    }

    fn field(
        &mut self,
        area: usize,
        id: FieldId,
        depth: usize,
        trim: TrimMode,
        out: &mut Vec<u8>,
    ) -> Result<bool, MappingFailure> {
        let Some((interface, bytes)) = self.area(area) else {
            return Ok(false);
        };
        let subscripts = &self.subscripts[..depth.min(self.subscripts.len())];
        let area = &interface.areas[area];
        let from = out.len();
        let wrote = area
            .record
            .decode(id, bytes, subscripts, trim, out)
            .map_err(data)?;
        if wrote && trim == TrimMode::Both {
            trimmed(trim, out, from);
        }
        Ok(wrote)
    }

    fn request_value(&self, root: PathRoot, names: &[String], out: &mut Vec<u8>) -> bool {
        let place = place(root);
        match names {
            [] => {
                self.all_params(place, &[], out);
                true
            }
            [name] => self.param(place, name, out),
            _ => false,
        }
    }

    /// The value of a parameter that the document names.
    fn declared(
        &self,
        place: ParameterPlace,
        name: &str,
    ) -> Option<&'a params::ParameterValue<'a>> {
        let same = |p: &OperationParameter| {
            p.place == place
                && (p.name == name
                    || place == ParameterPlace::Header && p.name.eq_ignore_ascii_case(name))
        };
        let at = self.request.params.iter().position(same)?;
        Some(&self.request.values[at])
    }

    /// The text of a parameter that the document names and that has one.
    pub fn parameter(&self, source: &ValueSource) -> Option<&'a str> {
        let ValueSource::Request(root, names) = source else {
            return None;
        };
        match (root, names.as_slice()) {
            (
                PathRoot::PathParameters
                | PathRoot::QueryParameters
                | PathRoot::Headers
                | PathRoot::Cookies,
                [name],
            ) => match self.declared(place(*root), name)? {
                params::ParameterValue::One(text) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    fn param(&self, place: ParameterPlace, name: &str, out: &mut Vec<u8>) -> bool {
        match self.declared(place, name) {
            Some(params::ParameterValue::Missing) => false,
            Some(value) => {
                value.write(out);
                true
            }
            // Headers need not be named in the document.
            None if place == ParameterPlace::Header => {
                let value = params::joined(self.request.headers, name);
                value.inspect(|text| write_string(text, out)).is_some()
            }
            None if place == ParameterPlace::Cookie => {
                let all = params::cookies(self.request.headers);
                let cookie = all.iter().find(|(known, _)| *known == name);
                cookie
                    .inspect(|(_, text)| write_string(text, out))
                    .is_some()
            }
            None => false,
        }
    }

    /// Writes all parameters of a place as an object: of the query and of the
    /// headers and cookies those too that the document does not name. Names of headers have no
    /// case: a header has the name that `uses` gives it, then that of the
    /// document, then its own in lower case.
    fn all_params(&self, place: ParameterPlace, uses: &[ValuePath], out: &mut Vec<u8>) {
        out.push(b'{');
        let from = out.len();
        let mut member = |name: &str, write: &mut dyn FnMut(&mut Vec<u8>)| {
            if out.len() > from {
                out.push(b',');
            }
            write_string(name, out);
            out.push(b':');
            write(out);
        };
        if place == ParameterPlace::Query {
            let others = params::undeclared(self.request.query, self.request.params);
            for (name, values) in others {
                member(&name, &mut |out| values.write(out));
            }
        }
        let mut headers = |known: &str, write: &mut dyn FnMut(&mut Vec<u8>)| {
            let is_header = place == ParameterPlace::Header;
            let used = uses
                .iter()
                .filter(|path| is_header && path.root == PathRoot::Headers);
            let names: BTreeSet<&str> = used
                .filter_map(|path| path.names.first())
                .filter(|name| name.eq_ignore_ascii_case(known))
                .map(String::as_str)
                .collect();
            if names.is_empty() {
                member(known, write)
            } else {
                names.into_iter().for_each(|name| member(name, write))
            }
        };
        for (param, value) in self.request.params.iter().zip(self.request.values) {
            if param.place == place && *value != params::ParameterValue::Missing {
                headers(&param.name, &mut |out| value.write(out));
            }
        }
        if place == ParameterPlace::Header {
            for name in self.request.headers.keys() {
                let named = |p: &OperationParameter| {
                    p.place == place && p.name.eq_ignore_ascii_case(name.as_str())
                };
                if let Some(text) = params::joined(self.request.headers, name.as_str())
                    && !self.request.params.iter().any(named)
                {
                    headers(name.as_str(), &mut |out| write_string(&text, out));
                }
            }
        }
        if place == ParameterPlace::Cookie {
            for (name, text) in params::cookies(self.request.headers) {
                let named = |p: &OperationParameter| p.place == place && p.name == name;
                if !self.request.params.iter().any(named) {
                    headers(name, &mut |out| write_string(&text, out));
                }
            }
        }
        out.push(b'}');
    }

    fn general(&mut self, plan: &GeneralPlan) -> Result<Option<String>, MappingFailure> {
        let mut texts: [Option<String>; 7] = Default::default();
        for (i, root) in PathRoot::ALL.into_iter().enumerate() {
            if !plan.general.uses.iter().any(|path| path.root == root) {
                continue;
            }
            let mut out = Vec::new();
            let wrote = match (root, &plan.item) {
                (PathRoot::Asset, _) => match self.reply.and_then(|reply| reply.json) {
                    Some(json) => {
                        out.extend_from_slice(json.raw().as_bytes());
                        true
                    }
                    None => self.shape(&plan.shape, &mut out)?,
                },
                (PathRoot::Item, Some(source)) => self.source(source, TrimMode::Keep, &mut out)?,
                (PathRoot::Item, None) => false,
                (PathRoot::Body, _) => self.request.body.is_some_and(|body| {
                    out.extend_from_slice(body.raw().as_bytes());
                    true
                }),
                (root, _) => {
                    self.all_params(place(root), &plan.general.uses, &mut out);
                    true
                }
            };
            texts[i] = wrote.then(|| String::from_utf8_lossy(&out).into_owned());
        }
        let bind = |root: PathRoot| {
            let i = PathRoot::ALL.iter().position(|r| *r == root)?;
            texts[i].take()
        };
        plan.general.evaluate(bind).map_err(|why| {
            let reported = format!("{} ({})", plan.general.source, plan.place);
            MappingFailure::Expression(reported, why)
        })
    }

    fn shape(&mut self, shape: &ReplyPart, out: &mut Vec<u8>) -> Result<bool, MappingFailure> {
        if let Some(source) = &shape.leaf {
            return self.source(source, TrimMode::Keep, out);
        }
        out.push(b'{');
        let mut empty = true;
        for (name, member) in &shape.members {
            let start = out.len();
            if !empty {
                out.push(b',');
            }
            write_string(name, out);
            out.push(b':');
            if self.shape(member, out)? {
                empty = false;
            } else {
                out.truncate(start);
            }
        }
        out.push(b'}');
        Ok(true)
    }

    /// Whether a condition holds.
    pub fn holds(&mut self, condition: &Condition) -> Result<bool, MappingFailure> {
        Ok(match condition {
            Condition::Constant(b) => *b,
            Condition::All(list) => {
                for condition in list {
                    if !self.holds(condition)? {
                        return Ok(false);
                    }
                }
                true
            }
            Condition::Any(list) => {
                for condition in list {
                    if self.holds(condition)? {
                        return Ok(true);
                    }
                }
                false
            }
            Condition::Not(inner) => !self.holds(inner)?,
            Condition::Exists(source) => self.exists(source)?,
            Condition::Compare {
                source,
                constant,
                negated,
            } => {
                let mut out = Vec::new();
                let there = self.source(source, TrimMode::Keep, &mut out)?;
                // JSONata: nothing equals nothing, and differs from nothing.
                there && same(&out, constant) != *negated
            }
            Condition::General(plan) => self.general(plan)?.is_some_and(|text| truthy(&text)),
        })
    }

    fn exists(&mut self, source: &ValueSource) -> Result<bool, MappingFailure> {
        match source {
            ValueSource::Field { area, id, .. } => {
                let Some((interface, bytes)) = self.area(*area) else {
                    return Ok(false);
                };
                Ok(interface.areas[*area].record.reaches(*id, bytes))
            }
            ValueSource::Area(area) => Ok(self.area(*area).is_some()),
            other => self.source(other, TrimMode::Keep, &mut Vec::new()),
        }
    }
}

/// The place of the parameters of a root with parameters.
fn place(root: PathRoot) -> ParameterPlace {
    match root {
        PathRoot::PathParameters => ParameterPlace::Path,
        PathRoot::QueryParameters => ParameterPlace::Query,
        PathRoot::Cookies => ParameterPlace::Cookie,
        _ => ParameterPlace::Header,
    }
}

fn data(fault: Box<Fault>) -> MappingFailure {
    MappingFailure::Data(fault)
}
