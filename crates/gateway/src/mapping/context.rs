//! Plans at work: one request, one reply, and the values between them.
//!
//! Values are written as JSON text into the buffer that becomes the response
//! body; a pass-through field is copied there from the program's own storage in
//! one step.

use super::expr::{Path, Root, Trim};
use super::plan::{Condition, GeneralPlan, Piece, Rows, Shape, Slot, Source, Value};
use super::text::{convert, same, trimmed, truthy};
use crate::json::{Found, Json, Tape, write_string};
use crate::problem::Fault;
use crate::project::asset::Interface;
use crate::validate::params::{self, Param, Place};
use crate::validate::schema::Type;
use copybook::FieldId;
use std::collections::BTreeSet;

/// A request with its parameters found and its body parsed.
pub(crate) struct Request<'a> {
    pub params: &'a [Param],
    pub values: &'a [params::Value<'a>],
    pub headers: &'a http::HeaderMap,
    /// As it came; it has the parameters that the document does not name.
    pub query: Option<&'a str>,
    pub body: Option<Json<'a>>,
}

/// The output of a program.
pub(crate) struct Reply<'a> {
    pub interface: &'a Interface,
    /// The bytes of each area, in the interface's order.
    pub bytes: &'a [Option<&'a [u8]>],
    pub abend: Option<&'a str>,
    /// All of it as JSON, where its structures are derived from the API.
    pub json: Option<Json<'a>>,
}

/// Why a value could not be made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    /// The program's data is not what its description says.
    Data(Box<Fault>),
    /// An expression failed; its text with its place, and why.
    Expression(String, String),
    /// A required value is missing; its pointer.
    Missing(String),
}

/// Everything a value may be made of.
pub(crate) struct EvalContext<'a> {
    pub request: &'a Request<'a>,
    pub reply: Option<&'a Reply<'a>>,
    /// Subscripts of the table rows around `$item`, outermost first.
    pub subscripts: Vec<u32>,
    /// `$item` of the innermost `foreach` over JSON.
    pub item: Option<Json<'a>>,
}

impl<'a> EvalContext<'a> {
    pub fn new(request: &'a Request<'a>, reply: Option<&'a Reply<'a>>) -> EvalContext<'a> {
        EvalContext {
            request,
            reply,
            subscripts: Vec::new(),
            item: None,
        }
    }

    /// Writes a slot's key and value; false if it has none and is left out.
    pub fn slot(&mut self, slot: &Slot, out: &mut Vec<u8>) -> Result<bool, Failure> {
        let start = out.len();
        out.extend_from_slice(&slot.key);
        let wrote = match &slot.value {
            Value::Object(members) => self.object(members, slot, out)?,
            Value::Each { input, rows, item } => self.each(input, *rows, item, slot, out)?,
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
                (Value::Object(_), _) | (_, Some(Type::Object)) => Some(b"{}"),
                (Value::Each { .. }, _) | (_, Some(Type::Array)) => Some(b"[]"),
                (Value::Template(_), None) | (_, Some(Type::String)) => Some(b"\"\""),
                _ => None,
            };
            let Some(filler) = filler else {
                return Err(Failure::Missing(slot.pointer.clone()));
            };
            out.extend_from_slice(filler);
            return Ok(true);
        }
        out.truncate(start);
        Ok(false)
    }

    fn object(
        &mut self,
        members: &[Slot],
        slot: &Slot,
        out: &mut Vec<u8>,
    ) -> Result<bool, Failure> {
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

    fn exists_if_empty(&mut self, slot: &Slot) -> Result<bool, Failure> {
        match &slot.exists_if_empty {
            Some(condition) => self.holds(condition),
            None => Ok(slot.required),
        }
    }

    fn each(
        &mut self,
        input: &Value,
        rows: Option<Rows>,
        item: &Slot,
        slot: &Slot,
        out: &mut Vec<u8>,
    ) -> Result<bool, Failure> {
        out.push(b'[');
        let from = out.len();
        let there = match rows {
            Some(rows) => self.each_row(rows, item, out)?,
            None => self.each_json(input, item, out)?,
        };
        let empty = out.len() == from;
        out.push(b']');
        let there = there || matches!(input, Value::OrEmpty(_));
        Ok(!empty || there || self.exists_if_empty(slot)?)
    }

    fn each_row(&mut self, rows: Rows, item: &Slot, out: &mut Vec<u8>) -> Result<bool, Failure> {
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
        input: &Value,
        item: &Slot,
        out: &mut Vec<u8>,
    ) -> Result<bool, Failure> {
        // A body's array is walked in place; a computed one gets a tape.
        if let Value::Source(source) | Value::OrEmpty(source) = input
            && let Some(found) = self.standing(source)
        {
            return self.each_item(found, item, out);
        }
        let mut text = Vec::new();
        if !self.value(input, &mut text)? {
            return Ok(false);
        }
        let mut tape = Tape::default();
        let Ok(list) = tape.parse(&text) else {
            return Ok(false);
        };
        let mut inner = EvalContext {
            request: self.request,
            reply: self.reply,
            subscripts: self.subscripts.clone(),
            item: None,
        };
        inner.each_item(Found::One(list), item, out)
    }

    /// Values in the request or in an item of it.
    pub fn standing(&self, source: &Source) -> Option<Found<'a>> {
        let (value, names) = match source {
            Source::Request(Root::Body, names) => (self.request.body, names),
            Source::Request(Root::Asset, names) => (self.reply.and_then(|r| r.json), names),
            Source::Item(names) => (self.item, names),
            _ => return None,
        };
        Some(value.map_or(Found::Nothing, |value| value.path(names)))
    }

    fn each_item(
        &mut self,
        list: Found<'a>,
        item: &Slot,
        out: &mut Vec<u8>,
    ) -> Result<bool, Failure> {
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

    fn element(&mut self, item: &Slot, out: &mut Vec<u8>) -> Result<(), Failure> {
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
    pub fn value(&mut self, value: &Value, out: &mut Vec<u8>) -> Result<bool, Failure> {
        match value {
            Value::Source(source) => self.source(source, Trim::Keep, out),
            Value::Trimmed {
                source,
                trim,
                whole,
            } => self.text_of(source, *trim, whole, out),
            Value::OrEmpty(source) => {
                let from = out.len();
                if !self.source(source, Trim::Keep, out)? || &out[from..] == b"null" {
                    out.truncate(from);
                    out.extend_from_slice(b"[]");
                }
                Ok(true)
            }
            Value::Constant(text) => {
                out.extend_from_slice(text.as_bytes());
                Ok(true)
            }
            Value::Template(pieces) => self.template(pieces, out),
            Value::General(plan) => self.evaluated(plan, out),
            Value::Object(_) | Value::Each { .. } | Value::Nothing => Ok(false),
        }
    }

    /// A text that is trimmed; what is no text is the evaluator's to judge.
    fn text_of(
        &mut self,
        source: &Source,
        trim: Trim,
        whole: &GeneralPlan,
        out: &mut Vec<u8>,
    ) -> Result<bool, Failure> {
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

    fn evaluated(&mut self, plan: &GeneralPlan, out: &mut Vec<u8>) -> Result<bool, Failure> {
        let text = self.general(plan)?;
        out.extend_from_slice(text.as_deref().unwrap_or_default().as_bytes());
        Ok(text.is_some())
    }

    /// A template of one value is that value as text, missing if it is missing;
    /// in a longer one a missing value adds nothing.
    fn template(&mut self, pieces: &[Piece], out: &mut Vec<u8>) -> Result<bool, Failure> {
        if let [Piece::Value(value)] = pieces {
            let from = out.len();
            let wrote = self.value(value, out)?;
            if wrote {
                if &out[from..] == b"null" {
                    out.truncate(from);
                    return Ok(false);
                }
                convert(Some(Type::String), out, from);
            }
            return Ok(wrote);
        }
        let mut text = String::new();
        let mut scratch = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Value(value) => {
                    scratch.clear();
                    if self.value(value, &mut scratch)? && scratch != b"null" {
                        let mut tape = Tape::default();
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

    fn area(&self, index: usize) -> Option<(&'a Interface, &'a [u8])> {
        let reply = self.reply?;
        Some((reply.interface, (*reply.bytes.get(index)?)?))
    }

    fn source(&mut self, source: &Source, trim: Trim, out: &mut Vec<u8>) -> Result<bool, Failure> {
        match source {
            Source::Field { area, id, depth } => self.field(*area, *id, *depth, trim, out),
            Source::Area(area) => self.field(*area, copybook::Layout::RECORD, 0, trim, out),
            Source::Reply => self.whole_reply(trim, out),
            Source::AbendCode => match self.reply.and_then(|r| r.abend) {
                Some(code) => {
                    write_string(code, out);
                    Ok(true)
                }
                None => Ok(false),
            },
            Source::Item(_) | Source::Request(..) => {
                let from = out.len();
                let wrote = match (self.standing(source), source) {
                    (Some(found), _) => found.write(out),
                    (None, Source::Request(root, names)) => self.request_value(*root, names, out),
                    (None, _) => false,
                };
                if wrote {
                    trimmed(trim, out, from);
                }
                Ok(wrote)
            }
            Source::Nothing => Ok(false),
        }
    }

    fn whole_reply(&mut self, trim: Trim, out: &mut Vec<u8>) -> Result<bool, Failure> {
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
            if !self.field(i, copybook::Layout::RECORD, 0, trim, out)? {
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
        trim: Trim,
        out: &mut Vec<u8>,
    ) -> Result<bool, Failure> {
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
        if wrote && trim == Trim::Both {
            trimmed(trim, out, from);
        }
        Ok(wrote)
    }

    fn request_value(&self, root: Root, names: &[String], out: &mut Vec<u8>) -> bool {
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
    fn declared(&self, place: Place, name: &str) -> Option<&'a params::Value<'a>> {
        let same = |p: &Param| {
            p.place == place
                && (p.name == name || place == Place::Header && p.name.eq_ignore_ascii_case(name))
        };
        let at = self.request.params.iter().position(same)?;
        Some(&self.request.values[at])
    }

    /// The text of a parameter that the document names and that has one.
    pub fn parameter(&self, source: &Source) -> Option<&'a str> {
        let Source::Request(root, names) = source else {
            return None;
        };
        match (root, names.as_slice()) {
            (
                Root::PathParameters | Root::QueryParameters | Root::Headers | Root::Cookies,
                [name],
            ) => match self.declared(place(*root), name)? {
                params::Value::One(text) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    fn param(&self, place: Place, name: &str, out: &mut Vec<u8>) -> bool {
        match self.declared(place, name) {
            Some(params::Value::Missing) => false,
            Some(value) => {
                value.write(out);
                true
            }
            // Headers need not be named in the document.
            None if place == Place::Header => {
                let value = params::joined(self.request.headers, name);
                value.inspect(|text| write_string(text, out)).is_some()
            }
            None if place == Place::Cookie => {
                let mut all = params::cookies(self.request.headers);
                let cookie = all.find(|(known, _)| *known == name);
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
    fn all_params(&self, place: Place, uses: &[Path], out: &mut Vec<u8>) {
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
        if place == Place::Query {
            let others = params::undeclared(self.request.query, self.request.params);
            for (name, values) in others {
                member(&name, &mut |out| values.write(out));
            }
        }
        let mut headers = |known: &str, write: &mut dyn FnMut(&mut Vec<u8>)| {
            let is_header = place == Place::Header;
            let used = uses
                .iter()
                .filter(|path| is_header && path.root == Root::Headers);
            let names: BTreeSet<&str> = used
                .filter_map(|path| path.names.first())
                .filter(|name| name.eq_ignore_ascii_case(known))
                .map(String::as_str)
                .collect();
            match names.is_empty() {
                true => member(known, write),
                false => names.into_iter().for_each(|name| member(name, write)),
            }
        };
        for (param, value) in self.request.params.iter().zip(self.request.values) {
            if param.place == place && *value != params::Value::Missing {
                headers(&param.name, &mut |out| value.write(out));
            }
        }
        if place == Place::Header {
            for name in self.request.headers.keys() {
                let named =
                    |p: &Param| p.place == place && p.name.eq_ignore_ascii_case(name.as_str());
                if let Some(text) = params::joined(self.request.headers, name.as_str())
                    && !self.request.params.iter().any(named)
                {
                    headers(name.as_str(), &mut |out| write_string(&text, out));
                }
            }
        }
        if place == Place::Cookie {
            let mut written = BTreeSet::new();
            for (name, text) in params::cookies(self.request.headers) {
                let named = |p: &Param| p.place == place && p.name == name;
                if !self.request.params.iter().any(named) && written.insert(name) {
                    headers(name, &mut |out| write_string(&text, out));
                }
            }
        }
        out.push(b'}');
    }

    fn general(&mut self, plan: &GeneralPlan) -> Result<Option<String>, Failure> {
        let mut texts: [Option<String>; 7] = Default::default();
        for (i, root) in Root::ALL.into_iter().enumerate() {
            if !plan.general.uses.iter().any(|path| path.root == root) {
                continue;
            }
            let mut out = Vec::new();
            let wrote = match (root, &plan.item) {
                (Root::Asset, _) => match self.reply.and_then(|reply| reply.json) {
                    Some(json) => {
                        out.extend_from_slice(json.raw().as_bytes());
                        true
                    }
                    None => self.shape(&plan.shape, &mut out)?,
                },
                (Root::Item, Some(source)) => self.source(source, Trim::Keep, &mut out)?,
                (Root::Item, None) => false,
                (Root::Body, _) => self.request.body.is_some_and(|body| {
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
        let bind = |root: Root| {
            let i = Root::ALL.iter().position(|r| *r == root)?;
            texts[i].take()
        };
        plan.general.evaluate(bind).map_err(|why| {
            let reported = format!("{} ({})", plan.general.source, plan.place);
            Failure::Expression(reported, why)
        })
    }

    fn shape(&mut self, shape: &Shape, out: &mut Vec<u8>) -> Result<bool, Failure> {
        if let Some(source) = &shape.leaf {
            return self.source(source, Trim::Keep, out);
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
    pub fn holds(&mut self, condition: &Condition) -> Result<bool, Failure> {
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
                let there = self.source(source, Trim::Keep, &mut out)?;
                // JSONata: nothing equals nothing, and differs from nothing.
                there && same(&out, constant) != *negated
            }
            Condition::General(plan) => self.general(plan)?.is_some_and(|text| truthy(&text)),
        })
    }

    fn exists(&mut self, source: &Source) -> Result<bool, Failure> {
        match source {
            Source::Field { area, id, .. } => {
                let Some((interface, bytes)) = self.area(*area) else {
                    return Ok(false);
                };
                Ok(interface.areas[*area].record.reaches(*id, bytes))
            }
            Source::Area(area) => Ok(self.area(*area).is_some()),
            other => self.source(other, Trim::Keep, &mut Vec::new()),
        }
    }
}

/// Where the parameters of a root that holds parameters come from.
fn place(root: Root) -> Place {
    match root {
        Root::PathParameters => Place::Path,
        Root::QueryParameters => Place::Query,
        Root::Cookies => Place::Cookie,
        _ => Place::Header,
    }
}

fn data(fault: Box<Fault>) -> Failure {
    Failure::Data(fault)
}
