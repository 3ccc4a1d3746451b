//! XML PARSE: a document as a sequence of events.
//!
//! The events are those of the parser of z/OS XML System Services: references
//! are resolved, names are split into prefix and local name, and a document may
//! come in several segments. A segment that ends within a construct waits for
//! the next one, so no construct is reported in parts.
//! Reference: Enterprise COBOL Language Reference, "XML-EVENT"; Programming
//! Guide, "XML input processing", "XML PARSE exceptions with XMLPARSE(XMLSS) in
//! effect"; Namespaces in XML 1.0.

use std::collections::VecDeque;

use super::xml_names::{begins_name, is_blank, is_character, is_name_byte, resolve};

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct XmlEvent {
    pub name: &'static str,
    pub text: Vec<u8>,
    pub namespace: Vec<u8>,
    pub prefix: Vec<u8>,
}

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParseStep {
    Event(XmlEvent),
    /// The segment ends before the document does.
    NeedsInput,
    /// The document is not well formed: the code, and the text up to there.
    Exception(i64, Vec<u8>),
    /// END-OF-DOCUMENT was given.
    End,
}

/// The return code of a document that is not well formed, in the high halfword.
const NOT_WELL_FORMED: i64 = 0x000C_0000;
/// The reason code of an end tag with another name than its start tag.
const END_TAG_MISMATCH: i64 = 0x3035;
/// The reason code of everything else.
const OTHER: i64 = 0x3000;
/// Most open elements.
const MOST_LEVELS: usize = 10_000;

/// Why a construct gives no event.
enum ParseStop {
    Incomplete,
    Wrong(i64),
}

type ParseResult<T> = Result<T, ParseStop>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParsePhase {
    Declaration,
    Prolog,
    Content,
    Epilog,
    Ended,
}

/// An element that is open.
#[derive(Debug)]
struct OpenElement {
    name: Vec<u8>,
    /// Declarations in force around it.
    scopes: usize,
}

/// A document that is being read.
#[derive(Debug)]
pub(super) struct XmlReader {
    document: Vec<u8>,
    at: usize,
    phase: ParsePhase,
    queue: VecDeque<XmlEvent>,
    open: Vec<OpenElement>,
    /// Prefixes and their namespaces, innermost last.
    scopes: Vec<(Vec<u8>, Vec<u8>)>,
    is_last: bool,
    is_latin: bool,
    has_type: bool,
}

impl XmlReader {
    /// `is_utf8` is what ENCODING says.
    pub(super) fn new(document: Vec<u8>, is_utf8: bool) -> XmlReader {
        let mut queue = VecDeque::new();
        queue.push_back(event("START-OF-DOCUMENT", b""));
        let at = 3 * usize::from(document.starts_with(b"\xEF\xBB\xBF"));
        XmlReader {
            document,
            at,
            phase: ParsePhase::Declaration,
            queue,
            open: Vec::new(),
            scopes: vec![(
                b"xml".to_vec(),
                b"http://www.w3.org/XML/1998/namespace".to_vec(),
            )],
            is_last: false,
            is_latin: !is_utf8,
            has_type: false,
        }
    }

    /// Adds a segment.
    pub(super) fn add(&mut self, segment: &[u8]) {
        self.document.drain(..self.at);
        self.at = 0;
        self.document.extend_from_slice(segment);
    }

    /// There is no further segment.
    pub(super) fn finish(&mut self) {
        self.is_last = true;
    }

    /// The next event.
    pub(super) fn step(&mut self) -> ParseStep {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return ParseStep::Event(event);
            }
            if self.phase == ParsePhase::Ended {
                return ParseStep::End;
            }
            let start = self.at;
            match self.construct() {
                Ok(()) => {}
                Err(ParseStop::Incomplete) if !self.is_last => {
                    self.at = start;
                    self.queue.clear();
                    return ParseStep::NeedsInput;
                }
                Err(ParseStop::Incomplete) => return self.exception(OTHER),
                Err(ParseStop::Wrong(reason)) => return self.exception(reason),
            }
        }
    }

    fn exception(&mut self, reason: i64) -> ParseStep {
        self.phase = ParsePhase::Ended;
        self.queue.clear();
        let end = self.at.min(self.document.len());
        let text = self.document[..end].to_vec();
        ParseStep::Exception(NOT_WELL_FORMED | reason, text)
    }

    fn rest(&self) -> &[u8] {
        &self.document[self.at..]
    }

    fn peek(&self) -> ParseResult<u8> {
        self.document
            .get(self.at)
            .copied()
            .ok_or(ParseStop::Incomplete)
    }

    /// Whether the text continues with this; incomplete if it may still.
    fn is_next(&self, text: &[u8]) -> ParseResult<bool> {
        let rest = self.rest();
        if rest.len() < text.len() && text.starts_with(rest) {
            return if self.is_last {
                Ok(false)
            } else {
                Err(ParseStop::Incomplete)
            };
        }
        Ok(rest.starts_with(text))
    }

    fn expect(&mut self, text: &[u8]) -> ParseResult<()> {
        if !self.is_next(text)? {
            return Err(wrong());
        }
        self.at += text.len();
        Ok(())
    }

    fn blanks(&mut self) -> bool {
        let start = self.at;
        while self.rest().first().is_some_and(|&b| is_blank(b)) {
            self.at += 1;
        }
        self.at > start
    }

    /// The text up to a mark, which is passed over.
    fn until(&mut self, mark: &[u8]) -> ParseResult<Vec<u8>> {
        let found = self.rest().windows(mark.len()).position(|w| w == mark);
        let length = found.ok_or(ParseStop::Incomplete)?;
        let text = self.rest()[..length].to_vec();
        if !text.iter().all(|&b| is_character(b)) {
            return Err(wrong());
        }
        self.at += length + mark.len();
        Ok(text)
    }

    fn name(&mut self) -> ParseResult<Vec<u8>> {
        if !begins_name(self.peek()?) {
            return Err(wrong());
        }
        let rest = self.rest();
        let length = rest.iter().position(|&b| !is_name_byte(b));
        let name = rest[..length.ok_or(ParseStop::Incomplete)?].to_vec();
        self.at += name.len();
        Ok(name)
    }

    fn construct(&mut self) -> ParseResult<()> {
        match self.phase {
            ParsePhase::Declaration => {
                if self.is_next(b"<?xml")?
                    && self.document.get(self.at + 5).is_none_or(|&b| is_blank(b))
                {
                    self.declaration()?;
                }
                self.phase = ParsePhase::Prolog;
                Ok(())
            }
            ParsePhase::Prolog | ParsePhase::Epilog => self.around_root(),
            ParsePhase::Content => self.content(),
            ParsePhase::Ended => Ok(()),
        }
    }

    fn declaration(&mut self) -> ParseResult<()> {
        self.at += 5;
        const EVENTS: [(&[u8], &str); 3] = [
            (b"version", "VERSION-INFORMATION"),
            (b"encoding", "ENCODING-DECLARATION"),
            (b"standalone", "STANDALONE-DECLARATION"),
        ];
        let mut next = 0;
        loop {
            let has_blank = self.blanks();
            if self.is_next(b"?>")? {
                break;
            }
            let name = self.name()?;
            let place = EVENTS.iter().position(|(n, _)| *n == name);
            let Some(place) = place.filter(|p| *p >= next && has_blank) else {
                return Err(wrong());
            };
            let value = self.value_of()?;
            if place == 1 {
                const LATIN: [&[u8]; 3] = [b"ISO-8859-1", b"ISO-8859-15", b"IBM819"];
                self.is_latin |= LATIN.contains(&&*value.to_ascii_uppercase());
            }
            self.queue.push_back(event(EVENTS[place].1, &value));
            next = place + 1;
        }
        if next == 0 {
            return Err(wrong());
        }
        self.expect(b"?>")
    }

    /// `=` and a value in quotes, references resolved.
    fn value_of(&mut self) -> ParseResult<Vec<u8>> {
        self.blanks();
        self.expect(b"=")?;
        self.blanks();
        let quote = self.peek()?;
        if !matches!(quote, b'"' | b'\'') {
            return Err(wrong());
        }
        self.at += 1;
        let text = self.until(&[quote])?;
        let mut value = Vec::new();
        let mut at = 0;
        while at < text.len() {
            match text[at] {
                b'<' => return Err(wrong()),
                b'&' => {
                    let end = text[at..]
                        .iter()
                        .position(|&b| b == b';')
                        .ok_or_else(wrong)?;
                    let found = resolve(&text[at + 1..at + end], self.is_latin);
                    value.extend(found.ok_or_else(wrong)?);
                    at += end;
                }
                byte if is_blank(byte) => value.push(b' '),
                byte => value.push(byte),
            }
            at += 1;
        }
        Ok(value)
    }

    /// Before and after the root element.
    fn around_root(&mut self) -> ParseResult<()> {
        self.blanks();
        if self.rest().is_empty() && self.phase == ParsePhase::Epilog {
            self.queue.push_back(event("END-OF-DOCUMENT", b""));
            self.phase = ParsePhase::Ended;
            return Ok(());
        }
        if self.peek()? != b'<' {
            return Err(wrong());
        }
        if self.comment_or_instruction()? {
            return Ok(());
        }
        if self.phase == ParsePhase::Epilog {
            return Err(wrong());
        }
        if self.is_next(b"<!DOCTYPE")? {
            return self.document_type();
        }
        self.phase = ParsePhase::Content;
        let started = self.start_tag();
        if started.is_err() {
            self.phase = ParsePhase::Prolog;
        }
        started
    }

    fn comment_or_instruction(&mut self) -> ParseResult<bool> {
        if self.is_next(b"<!--")? {
            self.at += 4;
            let text = self.until(b"-->")?;
            self.queue.push_back(event("COMMENT", &text));
            return Ok(true);
        }
        if !self.is_next(b"<?")? {
            return Ok(false);
        }
        self.at += 2;
        let target = self.name()?;
        if target.eq_ignore_ascii_case(b"xml") {
            return Err(wrong());
        }
        self.blanks();
        let data = self.until(b"?>")?;
        self.queue
            .push_back(event("PROCESSING-INSTRUCTION-TARGET", &target));
        if !data.is_empty() {
            self.queue
                .push_back(event("PROCESSING-INSTRUCTION-DATA", &data));
        }
        Ok(true)
    }

    /// Passes over a document type declaration; its text is the root's name.
    fn document_type(&mut self) -> ParseResult<()> {
        self.at += b"<!DOCTYPE".len();
        self.blanks();
        let name = self.name()?;
        let (mut depth, mut quote) = (0, None);
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match (quote, byte) {
                (Some(open), byte) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'[') => depth += 1,
                (None, b']') => depth -= 1,
                (None, b'>') if depth <= 0 => break,
                _ => {}
            }
        }
        self.has_type = true;
        self.queue
            .push_back(event("DOCUMENT-TYPE-DECLARATION", &name));
        Ok(())
    }

    fn content(&mut self) -> ParseResult<()> {
        if self.peek()? != b'<' {
            return self.characters();
        }
        if self.comment_or_instruction()? {
            return Ok(());
        }
        if self.is_next(b"<![CDATA[")? {
            self.at += b"<![CDATA[".len();
            let text = self.until(b"]]>")?;
            self.queue.push_back(event("START-OF-CDATA-SECTION", b""));
            if !text.is_empty() {
                self.queue
                    .push_back(event("CONTENT-CHARACTERS", &line_ends(&text)));
            }
            self.queue.push_back(event("END-OF-CDATA-SECTION", b""));
            return Ok(());
        }
        if self.is_next(b"</")? {
            return self.end_tag();
        }
        self.start_tag()
    }

    fn characters(&mut self) -> ParseResult<()> {
        let length = self.rest().iter().position(|&b| b == b'<');
        let text = self.rest()[..length.ok_or(ParseStop::Incomplete)?].to_vec();
        if !text.iter().all(|&b| is_character(b)) || text.windows(3).any(|w| w == b"]]>") {
            return Err(wrong());
        }
        let mut found = Vec::new();
        let mut rest = &line_ends(&text)[..];
        while let Some(amp) = rest.iter().position(|&b| b == b'&') {
            found.extend_from_slice(&rest[..amp]);
            let end = rest[amp..]
                .iter()
                .position(|&b| b == b';')
                .ok_or_else(wrong)?;
            let reference = &rest[amp + 1..amp + end];
            rest = &rest[amp + end + 1..];
            match resolve(reference, self.is_latin) {
                Some(characters) => found.extend(characters),
                None if self.has_type && !reference.starts_with(b"#") => {
                    if !found.is_empty() {
                        self.queue.push_back(event("CONTENT-CHARACTERS", &found));
                        found.clear();
                    }
                    self.queue
                        .push_back(event("UNRESOLVED-REFERENCE", reference));
                }
                None => return Err(wrong()),
            }
        }
        found.extend_from_slice(rest);
        if !found.is_empty() {
            self.queue.push_back(event("CONTENT-CHARACTERS", &found));
        }
        self.at += text.len();
        Ok(())
    }

    fn start_tag(&mut self) -> ParseResult<()> {
        self.expect(b"<")?;
        let name = self.name()?;
        let mut attributes: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let is_empty = loop {
            let has_blank = self.blanks();
            if self.is_next(b"/>")? {
                self.at += 2;
                break true;
            }
            if self.is_next(b">")? {
                self.at += 1;
                break false;
            }
            let attribute = self.name()?;
            if !has_blank || attributes.iter().any(|(n, _)| *n == attribute) {
                return Err(wrong());
            }
            let value = self.value_of()?;
            attributes.push((attribute, value));
        };
        if self.open.len() == MOST_LEVELS {
            return Err(wrong());
        }
        let scopes = self.scopes.len();
        for (attribute, value) in &attributes {
            if let Some(prefix) = declared_prefix(attribute) {
                self.scopes.push((prefix.to_vec(), value.clone()));
            }
        }
        if let Err(stop) = self.tag_events(&name, &attributes) {
            self.scopes.truncate(scopes);
            return Err(stop);
        }
        self.open.push(OpenElement { name, scopes });
        if is_empty {
            self.close()?;
        }
        Ok(())
    }

    fn tag_events(&mut self, name: &[u8], attributes: &[(Vec<u8>, Vec<u8>)]) -> ParseResult<()> {
        let start = self.named("START-OF-ELEMENT", name, true)?;
        self.queue.push_back(start);
        for (attribute, value) in attributes {
            if let Some(prefix) = declared_prefix(attribute) {
                let mut declaration = event("NAMESPACE-DECLARATION", b"");
                declaration.namespace = value.clone();
                declaration.prefix = prefix.to_vec();
                self.queue.push_back(declaration);
            }
        }
        for (attribute, value) in attributes {
            if declared_prefix(attribute).is_none() {
                let name = self.named("ATTRIBUTE-NAME", attribute, false)?;
                self.queue.push_back(name);
                self.queue.push_back(event("ATTRIBUTE-CHARACTERS", value));
            }
        }
        Ok(())
    }

    /// An event of a name that may have a prefix. The default namespace is that
    /// of elements alone.
    fn named(&self, what: &'static str, name: &[u8], has_default: bool) -> ParseResult<XmlEvent> {
        let (prefix, local) = match name.iter().position(|&b| b == b':') {
            Some(colon) => (&name[..colon], &name[colon + 1..]),
            None => (&b""[..], name),
        };
        let mut event = event(what, local);
        event.prefix = prefix.to_vec();
        if !prefix.is_empty() || has_default {
            let found = self.scopes.iter().rev().find(|(p, _)| p == prefix);
            match found {
                Some((_, namespace)) => event.namespace = namespace.clone(),
                None if prefix.is_empty() => {}
                None => return Err(wrong()),
            }
        }
        Ok(event)
    }

    fn end_tag(&mut self) -> ParseResult<()> {
        self.at += 2;
        let name = self.name()?;
        self.blanks();
        self.expect(b">")?;
        if self.open.last().is_none_or(|open| open.name != name) {
            return Err(ParseStop::Wrong(END_TAG_MISMATCH));
        }
        self.close()
    }

    fn close(&mut self) -> ParseResult<()> {
        let Some(open) = self.open.pop() else {
            return Err(wrong());
        };
        let end = self.named("END-OF-ELEMENT", &open.name, true)?;
        self.queue.push_back(end);
        self.scopes.truncate(open.scopes);
        if self.open.is_empty() {
            self.phase = ParsePhase::Epilog;
        }
        Ok(())
    }
}

fn wrong() -> ParseStop {
    ParseStop::Wrong(OTHER)
}

fn event(name: &'static str, text: &[u8]) -> XmlEvent {
    XmlEvent {
        name,
        text: text.to_vec(),
        ..XmlEvent::default()
    }
}

/// The prefix that an attribute declares; empty for the default namespace.
fn declared_prefix(attribute: &[u8]) -> Option<&[u8]> {
    match attribute.strip_prefix(b"xmlns")? {
        b"" => Some(b""),
        rest => rest.strip_prefix(b":"),
    }
}

/// A text with one line feed for each line end.
fn line_ends(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'\r' if text.get(at + 1) == Some(&b'\n') => {}
            b'\r' => out.push(b'\n'),
            _ => out.push(byte),
        }
    }
    out
}
