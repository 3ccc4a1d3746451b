//! Records to XML.

use super::{Content, Node, Plan, XmlCodec, XmlError, forms};
use crate::xml::{escape_tail, push_attribute};
use std::borrow::Cow;

/// An error, with names added on the way out.
struct Fault {
    path: Vec<String>,
    reason: String,
}

type Step = Result<(), Box<Fault>>;

/// Finds a container by name.
pub type ContainerSource<'a> = &'a dyn Fn(&str) -> Option<&'a [u8]>;

impl XmlCodec {
    /// Appends a record's root element; appends nothing on an error. Bytes
    /// after the record's end are ignored.
    ///
    /// # Errors Items with invalid data.
    pub fn decode(&self, record: &[u8], out: &mut Vec<u8>) -> Result<(), XmlError> {
        self.decode_with(record, &|_| None, out)
    }

    /// As above for a record that names containers.
    ///
    /// # Errors Items with invalid data, and missing containers.
    pub fn decode_with(
        &self,
        record: &[u8],
        containers: ContainerSource<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), XmlError> {
        let start = out.len();
        let writer = Writer {
            plan: &self.plan,
            containers,
        };
        let result = writer.whole(0, record, out);
        result.map(|_| ()).map_err(|mut fault| {
            out.truncate(start);
            fault.path.reverse();
            XmlError::Record {
                path: fault.path.join("/"),
                reason: fault.reason,
            }
        })
    }
}

struct Writer<'p, 'c> {
    plan: &'p Plan,
    containers: ContainerSource<'c>,
}

impl Writer<'_, '_> {
    fn fault(&self, reason: impl Into<String>) -> Box<Fault> {
        Box::new(Fault {
            path: Vec::new(),
            reason: reason.into(),
        })
    }

    /// Writes an element that is a record. Returns the bytes of the record.
    fn whole(&self, at: usize, record: &[u8], out: &mut Vec<u8>) -> Result<usize, Box<Fault>> {
        let node = &self.plan.nodes[at];
        let codec = &self.plan.parts[node.part].codec;
        let length = if codec.is_variable() {
            codec
                .record_len(record)
                .map_err(|e| self.fault(e.to_string()))?
        } else {
            codec.max_len()
        };
        let Some(own) = record.get(..length) else {
            let reason = format!(
                "the record has {} bytes, its layout needs {length}",
                record.len()
            );
            return Err(self.fault(reason));
        };
        let expanded: Cow<'_, [u8]> = if codec.is_variable() {
            let mut area = vec![0; codec.max_len()];
            codec
                .expand(own, &mut area)
                .map_err(|e| self.fault(e.to_string()))?;
            area.into()
        } else {
            own.into()
        };
        self.one(node, &expanded, 0, out).map_err(|mut fault| {
            fault.path.push(node.name.clone());
            fault
        })?;
        Ok(length)
    }

    /// Every occurrence of an element.
    fn all(&self, node: &Node, record: &[u8], delta: usize, out: &mut Vec<u8>) -> Step {
        let named = |mut fault: Box<Fault>, k: u32| {
            let one = node.stride == 0 && node.max == 1;
            fault.path.push(if one {
                node.name.clone()
            } else {
                format!("{}[{}]", node.name, k + 1)
            });
            fault
        };
        if let Content::Contained { .. } = node.content {
            return self
                .contained(node, record, delta, out)
                .map_err(|f| named(f, 0));
        }
        let count = match node.count {
            None => node.fixed,
            Some(_) => self.count(node, record, delta).map_err(|f| named(f, 0))?,
        };
        let mut delta = delta;
        for k in 0..count {
            self.one(node, record, delta, out)
                .map_err(|f| named(f, k))?;
            delta += node.stride;
        }
        Ok(())
    }

    fn count(&self, node: &Node, record: &[u8], delta: usize) -> Result<u32, Box<Fault>> {
        let Some(count) = node.count else {
            return Ok(node.fixed);
        };
        let codec = &self.plan.parts[node.part].codec;
        let delta = if count.global { 0 } else { delta };
        let value = codec.item_integer(count.item, record, delta);
        let fits = value.and_then(|n| u32::try_from(n).ok());
        fits.filter(|n| (node.min..=node.max).contains(n))
            .ok_or_else(|| {
                let value = value.map_or("no number".into(), |n| n.to_string());
                let (min, max) = (node.min, node.max);
                self.fault(format!(
                    "its count is {value}, it occurs from {min} to {max} times"
                ))
            })
    }

    /// One occurrence.
    fn one(&self, node: &Node, record: &[u8], delta: usize, out: &mut Vec<u8>) -> Step {
        out.extend_from_slice(&node.open);
        match &node.content {
            Content::Item(item, number) => {
                let codec = &self.plan.parts[node.part].codec;
                let start = out.len();
                codec
                    .item_text(*item, record, delta, out)
                    .map_err(|e| self.fault(e.to_string()))?;
                if !number {
                    self.clean(node, start, out)?;
                }
            }
            Content::Bytes(form, span) => {
                let bytes = record
                    .get(span.start + delta..span.end + delta)
                    .unwrap_or(&[]);
                forms::write(*form, bytes, out).map_err(|e| self.fault(e))?;
            }
            Content::Group {
                members,
                attributes,
                ..
            } => {
                let members = &self.plan.nodes[members.clone()];
                let (own, within) = members.split_at(*attributes);
                for attribute in own {
                    self.all(attribute, record, delta, out)?;
                }
                if *attributes > 0 {
                    out.push(b'>');
                }
                for member in within {
                    match (&member.content, member.count, member.stride) {
                        // Most are one item, once.
                        (Content::Item(..), None, 0) => {
                            self.one(member, record, delta, out).map_err(|mut fault| {
                                fault.path.push(member.name.clone());
                                fault
                            })?;
                        }
                        _ => self.all(member, record, delta, out)?,
                    }
                }
            }
            // Only `all` meets these.
            Content::Contained { .. } => {}
        }
        out.extend_from_slice(&node.close);
        Ok(())
    }

    /// Appends the text after `start`, escaped for the document.
    #[inline]
    fn clean(&self, node: &Node, start: usize, out: &mut Vec<u8>) -> Step {
        if out.last() == Some(&0) {
            // Fields that were never filled end in low-values.
            let kept = out[start..].iter().rposition(|b| !matches!(b, 0 | b' '));
            out.truncate(start + kept.map_or(0, |at| at + 1));
        }
        if node.attribute {
            let text = String::from_utf8_lossy(&out[start..]).into_owned();
            out.truncate(start - 2);
            push_attribute(out, &text);
            out.pop();
            return Ok(());
        }
        escape_tail(out, start).map_err(|c| {
            let code = u32::from(c);
            self.fault(format!("the character X'{code:02X}' is not allowed in XML"))
        })
    }

    fn contained(&self, node: &Node, record: &[u8], delta: usize, out: &mut Vec<u8>) -> Step {
        let Content::Contained { name, element } = node.content else {
            return Ok(());
        };
        let count = self.count(node, record, delta)?;
        if count == 0 {
            return Ok(());
        }
        let codec = &self.plan.parts[node.part].codec;
        let mut text = Vec::new();
        codec
            .item_text(name, record, delta, &mut text)
            .map_err(|e| self.fault(e.to_string()))?;
        let name = String::from_utf8_lossy(&text)
            .trim_end_matches(['\0', ' '])
            .to_owned();
        let Some(mut data) = (self.containers)(&name) else {
            return Err(self.fault(format!("no container {name:?} on the channel")));
        };
        for _ in 0..count {
            let used = self.whole(element, data, out)?;
            data = &data[used.min(data.len())..];
        }
        Ok(())
    }
}
