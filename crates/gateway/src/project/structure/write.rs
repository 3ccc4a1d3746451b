//! From JSON to the containers that a program gets.
//!
//! Text of a varying length is followed by binary zeros, as programs that were
//! written for CICS expect; numbers begin as zero.

use super::{
    BASE, ContainerInstances, DirectionStructures, MAX_INSTANCES, NAME_BYTES, Node, ValueShape,
};
use crate::json::{JsonKind, TapeValue, write_string};
use crate::problem::Fault;
use crate::validate::schema::MAX_FAULTS;

/// Most bytes that one request may become: a short item can have a long
/// structure.
const MAX_BYTES: usize = 64 << 20;

impl DirectionStructures {
    /// The containers of a JSON object, that of the base first.
    ///
    /// # Errors
    /// Every value that does not fit.
    pub fn write(&self, json: Option<TapeValue<'_>>) -> Result<Vec<(String, Vec<u8>)>, Vec<Fault>> {
        let made = self.written(json, false)?.into_iter();
        Ok(made.map(|(name, bytes, _)| (name, bytes)).collect())
    }

    /// The same for unchecked JSON, each with the bytes of one instance in it.
    ///
    /// # Errors
    /// Every value that does not fit, and every one that the schema requires and
    /// that is not there: a blank or a zero in its place would be an answer.
    pub fn write_unchecked(
        &self,
        json: Option<TapeValue<'_>>,
    ) -> Result<Vec<WrittenContainer>, Vec<Fault>> {
        self.written(json, true)
    }

    fn written(
        &self,
        json: Option<TapeValue<'_>>,
        unchecked: bool,
    ) -> Result<Vec<WrittenContainer>, Vec<Fault>> {
        if self.parts.is_empty() {
            return Ok(Vec::new());
        }
        let mut writer = Writer {
            structures: self,
            unchecked,
            made: vec![(BASE.to_owned(), Vec::new(), self.base_bytes())],
            bytes: 0,
            faults: Vec::new(),
        };
        let base = writer.instance(0, json, "");
        writer.made[0].1 = base;
        if writer.faults.is_empty() {
            Ok(writer.made)
        } else {
            Err(writer.faults)
        }
    }
}

/// A container: its name, its bytes, and the bytes of one instance.
type WrittenContainer = (String, Vec<u8>, usize);

struct Writer<'s> {
    structures: &'s DirectionStructures,
    /// The JSON has not been checked.
    unchecked: bool,
    made: Vec<WrittenContainer>,
    /// Bytes of all instances so far.
    bytes: usize,
    faults: Vec<Fault>,
}

impl Writer<'_> {
    /// One instance of a part.
    fn instance(&mut self, part: usize, json: Option<TapeValue<'_>>, at: &str) -> Vec<u8> {
        let structures = self.structures;
        let part_of = &structures.parts[part];
        self.bytes += part_of.record.max_len();
        let mut bytes = vec![0; part_of.record.max_len()];
        part_of.record.initialise(&mut bytes);
        blank(structures, part, &part_of.shape, &mut bytes);
        if let Some(json) = json {
            self.value(part, &part_of.shape, json, &mut bytes, at);
        }
        bytes
    }

    fn value(
        &mut self,
        part: usize,
        shape: &ValueShape,
        json: TapeValue<'_>,
        bytes: &mut [u8],
        at: &str,
    ) {
        let record = &self.structures.parts[part].record;
        let (wanted, word) = match shape {
            ValueShape::Object(_) => (JsonKind::Object, "an object"),
            ValueShape::Array(_) | ValueShape::Table { .. } => (JsonKind::Array, "an array"),
            ValueShape::Truth(_) => (JsonKind::Bool, "true or false"),
            // Their own text would be put into the structure.
            ValueShape::Text { .. }
                if matches!(json.kind(), JsonKind::Object | JsonKind::Array) =>
            {
                (JsonKind::String, "a text")
            }
            _ => (json.kind(), ""),
        };
        if json.kind() != wanted {
            return self.fault(at, format!("must be {word}"), None);
        }
        let put = match shape {
            ValueShape::Object(members) => return self.members(part, members, json, bytes, at),
            ValueShape::Optional(contained) => {
                let instance = self.instance(contained.part, Some(json), at);
                return self.container(part, contained, 1, instance, bytes);
            }
            ValueShape::Array(contained) => return self.array(part, contained, json, bytes, at),
            ValueShape::Table {
                count,
                table,
                part: inner,
                most,
            } => {
                let offset = record.layout()[*table].offset as usize;
                return self.table(part, (*count, offset, *inner, *most), json, bytes, at);
            }
            ValueShape::Truth(field) => {
                let offset = record.layout()[*field].offset as usize;
                bytes[offset] = u8::from(json.plain() == "true");
                return;
            }
            ValueShape::Number(field) => record.encode(*field, json.raw(), bytes, &[]),
            ValueShape::Text { field, length, .. } => {
                let text = json.plain();
                let mut quoted = Vec::new();
                write_string(&text, &mut quoted);
                let quoted = String::from_utf8_lossy(&quoted);
                let put = record.encode(*field, &quoted, bytes, &[]);
                put.and_then(|()| match length {
                    Some(length) => {
                        let count = record.bytes_of(&text);
                        let of = &record.layout()[*field];
                        let (from, to) = (of.offset as usize + count, end(of));
                        bytes[from.min(to)..to].fill(0);
                        record.encode(*length, &count.to_string(), bytes, &[])
                    }
                    None => Ok(()),
                })
            }
        };
        if let Err(fault) = put {
            self.fault(at, fault.message, fault.field);
        }
    }

    fn members(
        &mut self,
        part: usize,
        members: &[Node],
        json: TapeValue<'_>,
        bytes: &mut [u8],
        at: &str,
    ) {
        for member in members {
            let at = format!("{at}/{}", member.name);
            let given = json.get(&member.name);
            let value = given.filter(|v| v.kind() != JsonKind::Null);
            let Some(value) = value else {
                let may = !member.required || given.is_some() && member.nullable;
                if self.unchecked && !may {
                    let why = match given {
                        Some(_) => "is null, and the document describes a value",
                        None => "is missing, and the document requires it",
                    };
                    self.fault(&at, why.into(), None);
                }
                continue;
            };
            if let Some(existence) = member.existence {
                self.count(part, existence, 1, bytes);
            }
            self.value(part, &member.shape, value, bytes, &at);
        }
    }

    fn array(
        &mut self,
        part: usize,
        contained: &ContainerInstances,
        json: TapeValue<'_>,
        bytes: &mut [u8],
        at: &str,
    ) {
        let most = contained.most.unwrap_or(u64::MAX).min(MAX_INSTANCES as u64);
        if json.len() as u64 > most {
            let message = format!(
                "has {} items, the structure takes at most {most}",
                json.len()
            );
            return self.fault(at, message, None);
        }
        let mut all = Vec::new();
        for (index, item) in json.items().enumerate() {
            if self.bytes > MAX_BYTES {
                let message = format!("makes structures of more than {MAX_BYTES} bytes");
                return self.fault(at, message, None);
            }
            let at = format!("{at}/{index}");
            let item = self.item(contained.part, item, &at);
            all.extend(self.instance(contained.part, item, &at));
        }
        if json.len() > 0 {
            self.container(part, contained, json.len(), all, bytes);
        }
    }

    /// An item of an array; `None` for null.
    fn item<'j>(&mut self, part: usize, item: TapeValue<'j>, at: &str) -> Option<TapeValue<'j>> {
        if item.kind() != JsonKind::Null {
            return Some(item);
        }
        if self.unchecked && !self.structures.parts[part].nullable {
            let message = "is null, and the document describes a value";
            self.fault(at, message.into(), None);
        }
        None
    }

    /// Puts the items of an array into the structure.
    fn table(
        &mut self,
        part: usize,
        (count, offset, inner, most): (copybook::FieldId, usize, usize, usize),
        json: TapeValue<'_>,
        bytes: &mut [u8],
        at: &str,
    ) {
        if json.len() > most {
            let message = format!("has {} items, the structure takes {most}", json.len());
            return self.fault(at, message, None);
        }
        self.count(part, count, json.len(), bytes);
        let mut offset = offset;
        for (index, item) in json.items().enumerate() {
            let at = format!("{at}/{index}");
            let item = self.item(inner, item, &at);
            let instance = self.instance(inner, item, &at);
            bytes[offset..offset + instance.len()].copy_from_slice(&instance);
            offset += instance.len();
        }
    }

    /// Puts instances into a container with a name of its own.
    fn container(
        &mut self,
        part: usize,
        contained: &ContainerInstances,
        count: usize,
        instances: Vec<u8>,
        bytes: &mut [u8],
    ) {
        let name = format!("BAQ-{:08}", self.made.len());
        let record = &self.structures.parts[part].record;
        let from = record.layout()[contained.container].offset as usize;
        let field = &mut bytes[from..from + NAME_BYTES];
        field.fill(b' ');
        field[..name.len()].copy_from_slice(name.as_bytes());
        let size = self.structures.parts[contained.part].record.max_len();
        self.made.push((name, instances, size));
        self.count(part, contained.count, count, bytes);
    }

    fn count(&mut self, part: usize, field: copybook::FieldId, count: usize, bytes: &mut [u8]) {
        let record = &self.structures.parts[part].record;
        if let Err(fault) = record.encode(field, &count.to_string(), bytes, &[]) {
            self.fault("", fault.message, fault.field);
        }
    }

    fn fault(&mut self, at: &str, message: String, field: Option<String>) {
        if self.faults.len() >= MAX_FAULTS {
            return;
        }
        // The place in the client's request.
        let mut fault = Fault {
            message,
            field,
            ..Fault::default()
        };
        let body = if self.unchecked {
            // Its first name is that of the structure's own member.
            at.get(1..)
                .and_then(|rest| rest.find('/').map(|end| &rest[end..]))
        } else {
            at.strip_prefix("/requestBody")
        };
        match body {
            Some(rest) => fault.pointer = Some(rest.to_owned()),
            None => fault.parameter = at.rsplit('/').next().map(str::to_owned),
        }
        self.faults.push(fault);
    }
}

/// Offset after a field.
fn end(field: &copybook::Field) -> usize {
    (field.offset + field.length) as usize
}

/// Binary zeros for texts that are not there.
fn blank(structures: &DirectionStructures, part: usize, shape: &ValueShape, bytes: &mut [u8]) {
    match shape {
        ValueShape::Text {
            field,
            length: Some(_),
            ..
        } => {
            let of = &structures.parts[part].record.layout()[*field];
            bytes[of.offset as usize..end(of)].fill(0);
        }
        ValueShape::Truth(field) => {
            let offset = structures.parts[part].record.layout()[*field].offset as usize;
            bytes[offset] = 0;
        }
        ValueShape::Object(members) => {
            for member in members {
                blank(structures, part, &member.shape, bytes);
            }
        }
        _ => {}
    }
}
