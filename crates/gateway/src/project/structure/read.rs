//! From the containers that a program returned to JSON.
//!
//! A part that the program does not mark as existing is left out. An array
//! whose count is zero is left out too, unless its container is named: then it
//! is empty.

use super::{
    BASE, ContainerInstances, DirectionStructures, MAX_INSTANCES, NAME_BYTES, Node, ValueShape,
};
use crate::json::{JsonTape, write_string};
use crate::mapping::expr::TrimMode;
use crate::problem::Fault;
use std::cell::Cell;

/// Longest JSON that is made of one answer: containers that are named many
/// times could make it larger than the memory.
pub(super) const MAX_JSON: usize = 64 << 20;

impl DirectionStructures {
    /// Appends what a program returned as a JSON object; false if it left no
    /// base.
    ///
    /// # Errors
    /// Data that do not agree with the structures.
    pub fn read<'c>(
        &self,
        container: &dyn Fn(&str) -> Option<&'c [u8]>,
        out: &mut Vec<u8>,
    ) -> Result<bool, Box<Fault>> {
        let Some(first) = self.parts.first() else {
            out.extend_from_slice(b"{}");
            return Ok(true);
        };
        let Some(base) = container(BASE) else {
            return Ok(false);
        };
        let reader = Reader {
            structures: self,
            container,
            whole: Cell::new(false),
        };
        let needed = self.base_bytes();
        if base.len() < needed {
            let message = format!("{BASE} has {} bytes, its structure {needed}", base.len());
            return Err(fault(BASE, message));
        }
        reader.value(0, &first.shape, base, out)?;
        Ok(true)
    }
}

pub(super) struct Reader<'r, 'c> {
    pub structures: &'r DirectionStructures,
    container: &'r dyn Fn(&str) -> Option<&'c [u8]>,
    /// A patched value is read as a whole.
    pub whole: Cell<bool>,
}

impl Reader<'_, '_> {
    /// Appends a value; returns false if it is missing.
    pub fn value(
        &self,
        part: usize,
        shape: &ValueShape,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<bool, Box<Fault>> {
        let record = &self.structures.parts[part].record;
        match shape {
            ValueShape::Object(members) if members.iter().any(|m| m.patch.is_some()) => {
                self.patch(part, members, bytes, out).map(|()| true)
            }
            ValueShape::Object(members) => self.members(part, members, bytes, out).map(|()| true),
            ValueShape::Optional(contained) => {
                if self.count(part, contained.count, bytes)? == 0 {
                    return Ok(false);
                }
                let (name, there) = self.named(part, contained, bytes)?;
                let instance = self.instances(&name, there, contained.part, 1)?;
                self.value(
                    contained.part,
                    &self.structures.parts[contained.part].shape,
                    instance,
                    out,
                )
            }
            ValueShape::Array(contained) => self.array(part, contained, bytes, out),
            ValueShape::Table {
                count,
                table,
                part: inner,
                most,
            } => {
                let count = self.count(part, *count, bytes)?;
                if count == 0 {
                    return Ok(false);
                }
                let offset = record.layout()[*table].offset as usize;
                let size = self.structures.parts[*inner].record.max_len();
                let all = bytes.get(offset..offset + count.min(*most) * size);
                let Some(all) = all.filter(|_| count <= *most) else {
                    let path = record.layout().path(*table);
                    return Err(fault(
                        &path,
                        format!("has room for {most} items, not {count}"),
                    ));
                };
                self.items(*inner, all, &record.layout().path(*table), out)
            }
            ValueShape::Number(field) => record.decode(*field, bytes, &[], TrimMode::Keep, out),
            ValueShape::Truth(field) => {
                let truth = match bytes[record.layout()[*field].offset as usize] {
                    0 => "false",
                    1 => "true",
                    other => {
                        let message = format!("a truth is 0 or 1, not X'{other:02X}'");
                        return Err(fault(&record.layout().path(*field), message));
                    }
                };
                out.extend_from_slice(truth.as_bytes());
                Ok(true)
            }
            ValueShape::Text {
                field,
                length,
                date,
            } => {
                let mut whole = Vec::new();
                record.decode(*field, bytes, &[], TrimMode::Keep, &mut whole)?;
                let mut tape = JsonTape::default();
                let Ok(text) = tape.parse(&whole) else {
                    return Ok(false);
                };
                let text = text.plain();
                let text = match length {
                    Some(length) => self.cut(part, *length, &text, bytes)?,
                    None => text.into_owned(),
                };
                write_string(if *date { day(&text) } else { &text }, out);
                Ok(true)
            }
        }
    }

    /// A text, cut to its length.
    fn cut(
        &self,
        part: usize,
        length: copybook::FieldId,
        text: &str,
        bytes: &[u8],
    ) -> Result<String, Box<Fault>> {
        let count = self.count(part, length, bytes)?;
        let record = &self.structures.parts[part].record;
        let has = record.bytes_of(text);
        if count > has {
            let message = format!("says {count} characters, the text has {has}");
            return Err(fault(&record.layout().path(length), message));
        }
        let mut rest = count;
        let within = |c: &char| {
            let bytes = record.bytes_of(c.encode_utf8(&mut [0; 4]));
            let fits = bytes <= rest;
            rest -= if fits { bytes } else { rest };
            fits
        };
        Ok(text.chars().take_while(within).collect())
    }

    fn members(
        &self,
        part: usize,
        members: &[Node],
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Box<Fault>> {
        out.push(b'{');
        let mut empty = true;
        for member in members {
            if let Some(existence) = member.existence
                && self.count(part, existence, bytes)? == 0
            {
                continue;
            }
            let start = out.len();
            if !empty {
                out.push(b',');
            }
            write_string(&member.name, out);
            out.push(b':');
            if self.value(part, &member.shape, bytes, out)? {
                empty = false
            } else {
                out.truncate(start)
            }
        }
        out.push(b'}');
        if out.len() > MAX_JSON {
            Err(fault(
                BASE,
                format!("the answer is longer than {MAX_JSON} bytes"),
            ))
        } else {
            Ok(())
        }
    }

    fn array(
        &self,
        part: usize,
        contained: &ContainerInstances,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<bool, Box<Fault>> {
        let count = self.count(part, contained.count, bytes)?;
        if count == 0 {
            let named = !self.name(part, contained, bytes).is_empty();
            if named {
                out.extend_from_slice(b"[]");
            }
            return Ok(named);
        }
        let (name, there) = self.named(part, contained, bytes)?;
        let all = self.instances(&name, there, contained.part, count)?;
        self.items(contained.part, all, &name, out)
    }

    /// Instances one after another, as an array.
    pub fn items(
        &self,
        part: usize,
        all: &[u8],
        name: &str,
        out: &mut Vec<u8>,
    ) -> Result<bool, Box<Fault>> {
        let inner = &self.structures.parts[part];
        out.push(b'[');
        for (index, instance) in all.chunks_exact(inner.record.max_len()).enumerate() {
            if index > 0 {
                out.push(b',');
            }
            if !self.value(part, &inner.shape, instance, out)? {
                out.extend_from_slice(b"null");
            }
            if out.len() > MAX_JSON {
                return Err(fault(
                    name,
                    format!("the answer is longer than {MAX_JSON} bytes"),
                ));
            }
        }
        out.push(b']');
        Ok(true)
    }

    /// The bytes of so many instances.
    pub fn instances<'b>(
        &self,
        name: &str,
        bytes: &'b [u8],
        part: usize,
        count: usize,
    ) -> Result<&'b [u8], Box<Fault>> {
        let needed = self.structures.parts[part].record.max_len() * count;
        bytes.get(..needed).ok_or_else(|| {
            let has = bytes.len();
            let message =
                format!("the container {name} has {has} bytes, {count} instances {needed}");
            Box::new(Fault {
                container: Some(name.to_owned()),
                ..*fault(name, message)
            })
        })
    }

    fn name(&self, part: usize, contained: &ContainerInstances, bytes: &[u8]) -> String {
        let from = self.structures.parts[part].record.layout()[contained.container].offset as usize;
        let field = &bytes[from..from + NAME_BYTES];
        let text = String::from_utf8_lossy(field);
        text.trim_matches([' ', '\0']).to_owned()
    }

    /// The container that a field names.
    pub fn named(
        &self,
        part: usize,
        contained: &ContainerInstances,
        bytes: &[u8],
    ) -> Result<(String, &[u8]), Box<Fault>> {
        let name = self.name(part, contained, bytes);
        let there = (!name.is_empty())
            .then(|| (self.container)(&name))
            .flatten();
        match there {
            Some(there) => Ok((name, there)),
            None => {
                let layout = self.structures.parts[part].record.layout();
                let field = layout.path(contained.container);
                let message = format!("{field} names the container '{name}', which is not there");
                Err(fault(&field, message))
            }
        }
    }

    /// A count, which is not negative and not past what there can be.
    pub fn count(
        &self,
        part: usize,
        field: copybook::FieldId,
        bytes: &[u8],
    ) -> Result<usize, Box<Fault>> {
        let record = &self.structures.parts[part].record;
        let mut text = Vec::new();
        record.decode(field, bytes, &[], TrimMode::Keep, &mut text)?;
        let text = String::from_utf8_lossy(&text);
        let count = text
            .parse::<usize>()
            .ok()
            .filter(|count| *count <= MAX_INSTANCES);
        count.ok_or_else(|| {
            let path = record.layout().path(field);
            fault(
                &path,
                format!("{path} is {text}: it counts from 0 to {MAX_INSTANCES}"),
            )
        })
    }
}

/// The day of a date that has a time with it.
fn day(text: &str) -> &str {
    match text.as_bytes() {
        [_, _, _, _, b'-', _, _, b'-', _, _, b'T', ..] if text.is_char_boundary(10) => &text[..10],
        _ => text,
    }
}

pub(super) fn fault(field: &str, message: String) -> Box<Fault> {
    Box::new(Fault {
        field: Some(field.to_owned()),
        message,
        ..Fault::default()
    })
}
