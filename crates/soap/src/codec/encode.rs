//! XML to records.
//!
//! One pass over the events; an element's name leads to its node, most often
//! the next one, and its text straight into the item.

use super::{Content, Node, Plan, RecordMessage, XmlCodec, XmlError, forms};
use crate::xml::{self, NamespaceScopes, Reader, ReaderEvent, StartTag, XSI, split};
use copybook::EncodeError;
use std::borrow::Cow;

/// An error and its place, with names added on the way out.
struct Fault {
    path: Vec<String>,
    at: usize,
    reason: Reason,
}

enum Reason {
    Xml(xml::Error),
    Text(String),
}

type Step<T = ()> = Result<T, Box<Fault>>;

impl Fault {
    #[cold]
    fn xml(error: xml::Error) -> Box<Fault> {
        Box::new(Fault {
            path: Vec::new(),
            at: 0,
            reason: Reason::Xml(error),
        })
    }
}

impl XmlCodec {
    /// Reads a document that is the root element; `scopes` are the declarations
    /// around it.
    ///
    /// # Errors
    ///
    /// The mistake, and its place.
    pub fn encode(&self, text: &str, scopes: NamespaceScopes) -> Result<RecordMessage, XmlError> {
        let mut message = RecordMessage {
            record: vec![0; self.max_len()],
            containers: Vec::new(),
        };
        let length =
            self.encode_into(text, scopes, &mut message.record, &mut message.containers)?;
        message.record.truncate(length);
        Ok(message)
    }

    /// As above into an area of at least [`XmlCodec::max_len`] bytes; returns
    /// the record's length. On an error the area contains parts of the record.
    ///
    /// # Errors
    ///
    /// The mistake, and its place.
    pub fn encode_into(
        &self,
        text: &str,
        scopes: NamespaceScopes,
        area: &mut [u8],
        containers: &mut Vec<(String, Vec<u8>)>,
    ) -> Result<usize, XmlError> {
        let mut parser = Parser {
            plan: &self.plan,
            reader: Reader::new(text, self.plan.options.limits)?,
            scopes,
            prefix: Vec::new(),
            namespace: None,
            frames: Vec::new(),
            containers,
        };
        parser.document(area).map_err(|fault| match fault.reason {
            Reason::Xml(error) => XmlError::Xml(error),
            Reason::Text(reason) => {
                let at = xml::Error::at(parser.reader.text(), fault.at, "");
                let mut path = fault.path;
                path.reverse();
                XmlError::Message {
                    path: path.join("/"),
                    line: at.line,
                    column: at.column,
                    reason,
                }
            }
        })
    }
}

/// The state of a member.
#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    count: u32,
    /// Index into the containers, from 1.
    container: u32,
}

struct Parser<'a, 'c> {
    plan: &'a Plan,
    reader: Reader<'a>,
    scopes: NamespaceScopes,
    /// The last resolved prefix, and the index of its namespace in the plan.
    /// `None` if declarations have changed since.
    prefix: Vec<u8>,
    namespace: Option<u16>,
    frames: Vec<Frame>,
    containers: &'c mut Vec<(String, Vec<u8>)>,
}

impl<'a> Parser<'a, '_> {
    #[cold]
    fn fault(&self, reason: impl Into<String>) -> Box<Fault> {
        Box::new(Fault {
            path: Vec::new(),
            at: self.reader.start(),
            reason: Reason::Text(reason.into()),
        })
    }

    #[inline]
    fn next(&mut self) -> Step<ReaderEvent<'a>> {
        self.reader.next_event().map_err(Fault::xml)
    }

    fn document(&mut self, area: &mut [u8]) -> Step<usize> {
        let plan = self.plan;
        let root = &plan.nodes[0];
        let start = match self.next()? {
            ReaderEvent::Start(start) => start,
            _ => return Err(self.fault("an element is missing")),
        };
        let length = self.whole(root, start, area, true)?;
        // Only Eof can follow: a second root is refused by the reader.
        self.next()?;
        Ok(length)
    }

    /// Reads an element that is its own record. Returns the record's length.
    fn whole(
        &mut self,
        node: &'a Node,
        start: StartTag<'a>,
        area: &mut [u8],
        check: bool,
    ) -> Step<usize> {
        let codec = &self.plan.parts[node.part].codec;
        let record = |e: EncodeError| e.to_string();
        codec.initialise(area).map_err(|e| self.fault(record(e)))?;
        let area = &mut area[..codec.max_len()];
        let result = self.scoped(start, |parser, start, attributes| {
            if check {
                parser.root(node, &start)?;
            }
            parser.value(node, attributes, area, 0)
        });
        result.map_err(|mut fault| {
            fault.path.push(node.name.clone());
            fault
        })?;
        codec.finish(area).map_err(|e| self.fault(record(e)))
    }

    fn root(&mut self, node: &Node, start: &StartTag<'_>) -> Step {
        let (prefix, local) = split(start.name());
        let namespace = self.namespace_of(prefix)?;
        if local == node.local && namespace == node.namespace {
            return Ok(());
        }
        let found = self.scopes.resolve(prefix).unwrap_or_default();
        let local = String::from_utf8_lossy(local);
        let wanted = &self.plan.namespaces[usize::from(node.namespace)];
        Err(self.fault(format!(
            "expected the element {{{wanted}}}{}, found {{{found}}}{local}",
            node.name
        )))
    }

    /// Runs `inside` with an element's declarations in force.
    #[inline]
    fn scoped<T>(
        &mut self,
        start: StartTag<'a>,
        inside: impl FnOnce(&mut Self, StartTag<'a>, &[(String, String)]) -> Step<T>,
    ) -> Step<T> {
        if start.is_plain() {
            return inside(self, start, &[]);
        }
        let attributes = start.attributes().map_err(|e| self.fault(e))?;
        let mark = self.scopes.open(&attributes).map_err(|e| self.fault(e))?;
        self.namespace = None;
        let done = inside(self, start, &attributes)?;
        self.scopes.close(mark);
        self.namespace = None;
        Ok(done)
    }

    /// The number of a prefix's namespace; one that no element has for others.
    #[inline]
    fn namespace_of(&mut self, prefix: &[u8]) -> Step<u16> {
        // Nearly all prefixes are empty, and a comparison is expensive, because
        // an empty vector's address is dangling.
        let same =
            self.prefix.len() == prefix.len() && (prefix.is_empty() || self.prefix == prefix);
        match self.namespace {
            Some(number) if same => Ok(number),
            _ => self.resolve_prefix(prefix),
        }
    }

    #[inline(never)]
    fn resolve_prefix(&mut self, prefix: &[u8]) -> Step<u16> {
        let Some(namespace) = self.scopes.resolve(prefix) else {
            let prefix = String::from_utf8_lossy(prefix);
            return Err(self.fault(format!("the prefix {prefix} is not declared")));
        };
        let number = self.plan.namespaces.iter().position(|n| n == namespace);
        let number = number.map_or(u16::MAX, |n| n as u16);
        self.prefix.clear();
        self.prefix.extend_from_slice(prefix);
        self.namespace = Some(number);
        Ok(number)
    }

    /// Reads an element after its start tag.
    #[inline]
    fn value(
        &mut self,
        node: &'a Node,
        attributes: &[(String, String)],
        record: &mut [u8],
        delta: usize,
    ) -> Step {
        let nil = !attributes.is_empty() && self.is_nil(attributes)?;
        match &node.content {
            Content::Group {
                members,
                attributes: own,
                text,
            } => {
                if nil {
                    return self.nothing();
                }
                if *text {
                    return self.with_text(members.clone(), *own, attributes, record, delta);
                }
                self.group(members.clone(), *own, attributes, record, delta)
            }
            _ => {
                if !attributes.is_empty() {
                    self.only_known(attributes)?;
                }
                if nil {
                    self.nothing()?;
                    if let Content::Item(item, _) = node.content {
                        let codec = &self.plan.parts[node.part].codec;
                        codec.reset_item(item, record, delta);
                    }
                    return Ok(());
                }
                let text = self.text()?;
                self.put(node, &text, record, delta)
            }
        }
    }

    fn put(&mut self, node: &Node, text: &str, record: &mut [u8], delta: usize) -> Step {
        match &node.content {
            Content::Item(item, number) => {
                let codec = &self.plan.parts[node.part].codec;
                let text = if *number { text.trim_ascii() } else { text };
                codec
                    .set_item(*item, text, record, delta)
                    .map_err(|e| self.fault(e.to_string()))
            }
            Content::Bytes(form, span) => {
                let field = record.get_mut(span.start + delta..span.end + delta);
                let field = field.unwrap_or(&mut []);
                forms::read(*form, text, field).map_err(|e| self.fault(e))
            }
            Content::Group { .. } | Content::Contained { .. } => Ok(()),
        }
    }

    /// The text up to an element's end.
    #[inline]
    fn text(&mut self) -> Step<Cow<'a, str>> {
        match self.reader.element_text() {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(self.fault("expected text, found an element")),
            Err(error) => Err(Fault::xml(error)),
        }
    }

    /// Skips to an element's end, which must have no content.
    fn nothing(&mut self) -> Step {
        if self.text()?.trim().is_empty() {
            Ok(())
        } else {
            Err(self.fault("an element with xsi:nil must be empty"))
        }
    }

    fn is_nil(&self, attributes: &[(String, String)]) -> Step<bool> {
        for (key, value) in attributes {
            let (prefix, local) = split(key.as_bytes());
            if local != b"nil" || self.scopes.resolve(prefix) != Some(XSI) {
                continue;
            }
            return match value.trim() {
                "true" | "1" => Ok(true),
                "false" | "0" => Ok(false),
                other => Err(self.fault(format!("xsi:nil must be true or false, not {other:?}"))),
            };
        }
        Ok(false)
    }

    /// Rejects unknown attributes without a namespace; attributes of other
    /// namespaces are ignored.
    fn only_known(&self, attributes: &[(String, String)]) -> Step {
        for (key, _) in attributes {
            let (prefix, local) = split(key.as_bytes());
            if prefix.is_empty() && local != b"xmlns" && !self.plan.options.ignore_unknown {
                return Err(self.fault(format!("unknown attribute {key}")));
            }
            if !prefix.is_empty() && prefix != b"xmlns" && self.scopes.resolve(prefix).is_none() {
                return Err(self.fault(format!("the prefix of {key} is not declared")));
            }
        }
        Ok(())
    }

    /// Reads the content of a group's element into the record. The first `own` of the
    /// `members` are XML attributes, the others elements. `delta` is added to the offsets
    /// of the layout: it leads to the current occurrence of a table.
    fn group(
        &mut self,
        members: std::ops::Range<usize>,
        own: usize,
        attributes: &[(String, String)],
        record: &mut [u8],
        delta: usize,
    ) -> Step {
        let plan = self.plan;
        let members = &plan.nodes[members];
        let base = self.frames.len();
        self.frames.resize(base + members.len(), Frame::default());
        if own > 0 {
            self.attributes(&members[..own], base, attributes, record, delta)?;
        } else if !attributes.is_empty() {
            self.only_known(attributes)?;
        }
        let mut next = own;
        loop {
            match self.next()? {
                ReaderEvent::Start(start) => {
                    let found = self.scoped(start, |parser, start, attributes| {
                        let Some(number) = parser.find(members, own, next, &start)? else {
                            let skipped = parser.reader.skip().map(|_| None);
                            return skipped.map_err(Fault::xml);
                        };
                        parser.member(
                            &members[number],
                            base + number,
                            start,
                            attributes,
                            record,
                            delta,
                        )?;
                        Ok(Some(number))
                    })?;
                    if let Some(number) = found {
                        next = number + usize::from(members[number].max == 1);
                    }
                }
                ReaderEvent::End => break,
                ReaderEvent::Text(text) if text.trim().is_empty() => {}
                ReaderEvent::Text(_) => return Err(self.fault("expected elements, found text")),
                ReaderEvent::Eof => return Err(self.fault("the element is not closed")),
            }
        }
        self.settle(members, base, record, delta)?;
        self.frames.truncate(base);
        Ok(())
    }

    /// An element with attributes and text.
    fn with_text(
        &mut self,
        members: std::ops::Range<usize>,
        own: usize,
        attributes: &[(String, String)],
        record: &mut [u8],
        delta: usize,
    ) -> Step {
        let plan = self.plan;
        let members = &plan.nodes[members];
        let base = self.frames.len();
        self.frames.resize(base + members.len(), Frame::default());
        self.attributes(&members[..own], base, attributes, record, delta)?;
        let text = self.text()?;
        self.put(&members[own], &text, record, delta)?;
        self.frames[base + own].count = 1;
        self.settle(members, base, record, delta)?;
        self.frames.truncate(base);
        Ok(())
    }

    fn attributes(
        &mut self,
        members: &'a [Node],
        base: usize,
        attributes: &[(String, String)],
        record: &mut [u8],
        delta: usize,
    ) -> Step {
        let mut strange = Vec::new();
        for pair in attributes {
            let (prefix, local) = split(pair.0.as_bytes());
            let namespace = match prefix {
                b"" => Some(""),
                prefix => self.scopes.resolve(prefix),
            };
            let found = members.iter().position(|m| {
                m.local == local
                    && namespace == Some(&*self.plan.namespaces[usize::from(m.namespace)])
            });
            match found {
                Some(number) => {
                    self.frames[base + number].count = 1;
                    self.put(&members[number], &pair.1, record, delta)
                        .map_err(|mut fault| {
                            fault.path.push(format!("@{}", members[number].name));
                            fault
                        })?;
                }
                None => strange.push(pair.clone()),
            }
        }
        self.only_known(&strange)
    }

    /// The member with an element's name. Returns `None` for an element to
    /// skip.
    #[inline]
    fn find(
        &mut self,
        members: &[Node],
        own: usize,
        next: usize,
        start: &StartTag<'_>,
    ) -> Step<Option<usize>> {
        let (prefix, local) = split(start.name());
        let namespace = self.namespace_of(prefix)?;
        let is = |node: &Node| node.namespace == namespace && node.local == local;
        // Elements are nearly always in the order of the schema.
        for (number, member) in members.iter().enumerate().skip(next).take(2) {
            if is(member) {
                return Ok(Some(number));
            }
        }
        let found = members[own..].iter().position(is);
        match found {
            Some(number) => Ok(Some(own + number)),
            None if self.plan.options.ignore_unknown => Ok(None),
            None => Err(self.unknown(prefix, local, &members[own..])),
        }
    }

    #[cold]
    fn unknown(&self, prefix: &[u8], local: &[u8], members: &[Node]) -> Box<Fault> {
        let local = String::from_utf8_lossy(local);
        let namespace = self.scopes.resolve(prefix).unwrap_or_default();
        let same = members.iter().find(|m| *m.local == *local.as_bytes());
        if let Some(same) = same {
            let wanted = &self.plan.namespaces[usize::from(same.namespace)];
            let reason = format!(
                "{local} is in the namespace {namespace:?}, but the schema defines it in {wanted:?}"
            );
            return self.fault(reason);
        }
        let names: Vec<&str> = members.iter().take(8).map(|m| m.name.as_str()).collect();
        let more = if members.len() > 8 { ", …" } else { "" };
        self.fault(format!(
            "unknown element {local}; expected: {}{more}",
            names.join(", ")
        ))
    }

    #[inline]
    fn member(
        &mut self,
        node: &'a Node,
        frame: usize,
        start: StartTag<'a>,
        attributes: &[(String, String)],
        record: &mut [u8],
        delta: usize,
    ) -> Step {
        let count = self.frames[frame].count;
        let result = if count >= node.max {
            let max = node.max;
            Err(self.fault(match max {
                1 => "the element occurs twice".to_owned(),
                _ => format!("the element occurs more than {max} times"),
            }))
        } else if let Content::Contained { element, .. } = node.content {
            self.contained(&self.plan.nodes[element], frame, start)
        } else {
            self.frames[frame].count = count + 1;
            self.value(
                node,
                attributes,
                record,
                delta + node.stride * count as usize,
            )
        };
        result.map_err(|mut fault| {
            fault.path.push(match node.max {
                1 => node.name.clone(),
                _ => format!("{}[{}]", node.name, count + 1),
            });
            fault
        })
    }

    /// An occurrence that is stored at the end of a container.
    fn contained(&mut self, element: &'a Node, frame: usize, start: StartTag<'a>) -> Step {
        let Frame { count, container } = self.frames[frame];
        let container = match container {
            0 => {
                let number = self.containers.len() + 1;
                self.containers
                    .push((format!("{CONTAINER}{number:08}"), Vec::new()));
                number
            }
            known => known as usize,
        };
        self.frames[frame] = Frame {
            count: count + 1,
            container: container as u32,
        };
        let mut area = vec![0; self.plan.parts[element.part].codec.max_len()];
        let length = self
            .whole(element, start, &mut area, false)
            .map_err(|mut fault| {
                // The caller adds its name.
                fault.path.pop();
                fault
            })?;
        self.containers[container - 1]
            .1
            .extend_from_slice(&area[..length]);
        Ok(())
    }

    /// Ends a group: checks missing members, and stores the counts.
    #[inline]
    fn settle(&mut self, members: &[Node], base: usize, record: &mut [u8], delta: usize) -> Step {
        for (number, node) in members.iter().enumerate() {
            let Frame { count, container } = self.frames[base + number];
            if count < node.min && (node.count.is_some() || !self.plan.options.allow_missing) {
                return Err(self.too_few(node, count));
            }
            let Some(counter) = node.count else {
                continue;
            };
            let codec = &self.plan.parts[node.part].codec;
            let place = if counter.global { 0 } else { delta };
            let mut put = |item, text: &str, place| codec.set_item(item, text, record, place);
            let mut done = put(counter.item, &count.to_string(), place);
            if let (Content::Contained { name, .. }, 1..) = (&node.content, container) {
                let text = &self.containers[container as usize - 1].0;
                done = done.and_then(|()| put(*name, text, delta));
            }
            done.map_err(|e| self.fault(e.to_string()))?;
        }
        Ok(())
    }

    #[cold]
    fn too_few(&self, node: &Node, count: u32) -> Box<Fault> {
        let mut fault = self.fault(match (node.min, count) {
            (1, _) => "the element is missing".to_owned(),
            (min, count) => {
                format!("the element occurs {count} times, but at least {min} are needed")
            }
        });
        fault.path.push(node.name.clone());
        fault
    }
}

/// The prefix of container names for messages.
const CONTAINER: &str = "DFHPICC-";
