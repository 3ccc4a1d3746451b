//! Events of a document, every rule of [`Limits`] kept.
//!
//! An empty element is a start and an end. Text arrives in pieces: around
//! references and CDATA sections. Content outside the root is checked and not
//! reported.

use std::borrow::Cow;
use std::collections::HashSet;

use quick_xml::Reader as Inner;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event as Read};

use super::Error;

/// The limits of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Levels of elements.
    pub depth: usize,
    /// Bytes.
    pub bytes: usize,
    /// Whether processing instructions are allowed; messages must not have any.
    pub instructions: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: 100,
            bytes: 32 << 20,
            instructions: true,
        }
    }
}

/// One event.
#[derive(Debug)]
pub enum ReaderEvent<'a> {
    /// An element begins.
    Start(StartTag<'a>),
    /// The element that began last ends.
    End,
    /// A piece of text, references resolved.
    Text(Cow<'a, str>),
    /// The end of the document.
    Eof,
}

/// The start of an element.
#[derive(Debug, Clone, Copy)]
pub struct StartTag<'a> {
    /// The text between its angle brackets.
    content: &'a str,
    /// Bytes of its name, with which the content begins.
    name_bytes: usize,
}

impl<'a> StartTag<'a> {
    /// The name with its prefix.
    #[inline]
    pub fn name(&self) -> &'a [u8] {
        &self.content.as_bytes()[..self.name_bytes]
    }

    /// Whether the start tag has no attributes, like nearly all elements of a body.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.content.len() == self.name_bytes
    }

    /// The attributes as written, including namespace declarations.
    ///
    /// # Errors
    ///
    /// The mistake in them.
    pub fn attributes(&self) -> Result<Vec<(String, String)>, String> {
        let mut all = Vec::new();
        // The library compares each name with all before it.
        let mut names = HashSet::new();
        let inner = BytesStart::from_content(self.content, self.name_bytes);
        for attribute in inner.attributes().with_checks(false) {
            let attribute = attribute.map_err(|e| e.to_string())?;
            if attribute.value.contains(&b'<') {
                return Err("an attribute's value contains `<`".into());
            }
            let value = attribute.unescape_value().map_err(|e| e.to_string())?;
            let key = String::from_utf8_lossy(attribute.key.0).into_owned();
            if !names.insert(attribute.key.0) {
                return Err(format!("duplicate attribute {key}"));
            }
            all.push((key, value.into_owned()));
        }
        Ok(all)
    }
}

/// Reads a document.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    inner: Inner<&'a [u8]>,
    limits: Limits,
    depth: usize,
    /// The root was there.
    rooted: bool,
    /// The last start was that of an empty element.
    empty: bool,
    /// Whether the text has no carriage returns, so that it is used unchanged.
    as_is: bool,
    /// Start of the last event.
    at: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `text`.
    ///
    /// # Errors
    /// Text that is too long, or has a character that no document may have.
    pub fn new(text: &'a str, limits: Limits) -> Result<Reader<'a>, Error> {
        if text.len() > limits.bytes {
            let reason = format!("the document is larger than {} bytes", limits.bytes);
            return Err(Error::at(text, 0, reason));
        }
        let bad = |b: u8| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r');
        // Checked once for all bytes: that is fast, and nearly no document
        // has one.
        let all = text.bytes().fold((0, 0), |(any, returns), b| {
            (any | u8::from(bad(b)), returns | u8::from(b == b'\r'))
        });
        if all.0 != 0 {
            let at = text.bytes().position(bad).unwrap_or(0);
            return Err(Error::at(text, at, "a control character"));
        }
        let text = text.strip_prefix(MARK).unwrap_or(text);
        if text.starts_with(MARK) {
            // The library leaves one out too, and does not count it.
            return Err(Error::at(text, 0, "a second byte order mark"));
        }
        Ok(Reader {
            text,
            inner: Inner::from_str(text),
            limits,
            depth: 0,
            rooted: false,
            empty: false,
            as_is: all.1 == 0,
            at: 0,
        })
    }

    /// Start of the last event, in bytes.
    pub fn start(&self) -> usize {
        self.at
    }

    /// End of the last event, in bytes.
    pub fn position(&self) -> usize {
        (self.inner.buffer_position() as usize).min(self.text.len())
    }

    /// The text that is read.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// An error at the last event.
    #[cold]
    pub fn wrong(&self, reason: impl Into<String>) -> Error {
        Error::at(self.text, self.at, reason)
    }

    /// The next event.
    ///
    /// # Errors
    ///
    /// A violated rule of XML, or an exceeded limit.
    #[inline]
    pub fn next_event(&mut self) -> Result<ReaderEvent<'a>, Error> {
        if self.empty {
            self.empty = false;
            self.depth -= 1;
            return Ok(ReaderEvent::End);
        }
        loop {
            self.at = self.position();
            let event = self.inner.read_event();
            if let Some(event) = self.take(event)? {
                return Ok(event);
            }
        }
    }

    /// The text up to the end of the current element. Returns `None` if the
    /// element contains an element, whose start is read then.
    ///
    /// # Errors
    /// As [`Reader::next_event`].
    #[inline]
    pub fn element_text(&mut self) -> Result<Option<Cow<'a, str>>, Error> {
        if self.empty {
            self.empty = false;
            self.depth -= 1;
            return Ok(Some(Cow::Borrowed("")));
        }
        self.at = self.position();
        // Usually there is one piece of text and then the end; both are handled
        // here without a loop.
        let first = match self.inner.read_event() {
            Ok(Read::Text(piece)) if self.as_is => Cow::Borrowed(self.last(piece.len(), 0)),
            Ok(Read::End(_)) => {
                self.depth -= 1;
                return Ok(Some(Cow::Borrowed("")));
            }
            event => match self.take(event)? {
                Some(event) => return self.more_text(Cow::Borrowed(""), event),
                None => Cow::Borrowed(""),
            },
        };
        self.at = self.position();
        match self.inner.read_event() {
            Ok(Read::End(_)) => {
                self.depth -= 1;
                Ok(Some(first))
            }
            event => match self.take(event)? {
                Some(event) => self.more_text(first, event),
                None => {
                    let event = self.next_event()?;
                    self.more_text(first, event)
                }
            },
        }
    }

    #[cold]
    fn more_text(
        &mut self,
        mut text: Cow<'a, str>,
        mut event: ReaderEvent<'a>,
    ) -> Result<Option<Cow<'a, str>>, Error> {
        loop {
            match event {
                ReaderEvent::End => return Ok(Some(text)),
                ReaderEvent::Text(more) => text.to_mut().push_str(&more),
                ReaderEvent::Start(_) | ReaderEvent::Eof => return Ok(None),
            }
            event = self.next_event()?;
        }
    }

    /// The part of the document that the library's last event was read from:
    /// `bytes` long, ending `before` bytes before the position.
    #[inline]
    fn last(&self, bytes: usize, before: usize) -> &'a str {
        let end = self.position() - before;
        &self.text[end - bytes..end]
    }

    /// Converts an event of the library. Returns `None` for an event that is
    /// not reported.
    #[inline]
    fn take(
        &mut self,
        event: Result<Read<'a>, quick_xml::Error>,
    ) -> Result<Option<ReaderEvent<'a>>, Error> {
        match event {
            Ok(Read::Start(inner)) => {
                self.open()?;
                Ok(Some(ReaderEvent::Start(self.started(&inner, 1))))
            }
            Ok(Read::Empty(inner)) => {
                self.open()?;
                self.empty = true;
                Ok(Some(ReaderEvent::Start(self.started(&inner, 2))))
            }
            Ok(Read::End(_)) => {
                // The inner reader has seen that there was a start.
                self.depth = self.depth.saturating_sub(1);
                Ok(Some(ReaderEvent::End))
            }
            Ok(Read::Text(piece)) if self.depth > 0 => {
                if self.as_is {
                    Ok(Some(ReaderEvent::Text(Cow::Borrowed(
                        self.last(piece.len(), 0),
                    ))))
                } else {
                    match piece.xml10_content() {
                        Ok(piece) => Ok(Some(ReaderEvent::Text(piece))),
                        Err(error) => Err(self.wrong(error.to_string())),
                    }
                }
            }
            Ok(other) => self.rare(other),
            Err(error) => Err(self.broken(&error)),
        }
    }

    /// The start of an element whose end is `before` bytes before the position.
    #[inline]
    fn started(&self, inner: &BytesStart<'_>, before: usize) -> StartTag<'a> {
        StartTag {
            content: self.last(inner.len(), before),
            name_bytes: inner.name().into_inner().len(),
        }
    }

    #[cold]
    fn broken(&self, error: &quick_xml::Error) -> Error {
        let at = (self.inner.error_position() as usize).min(self.text.len());
        Error::at(self.text, at, error.to_string())
    }

    /// Skips the current element; returns the position of its end tag.
    ///
    /// # Errors
    /// As [`Reader::next_event`].
    pub fn skip(&mut self) -> Result<usize, Error> {
        let mut open = 1;
        loop {
            match self.next_event()? {
                ReaderEvent::Start(_) => open += 1,
                ReaderEvent::End => {
                    open -= 1;
                    if open == 0 {
                        return Ok(self.at);
                    }
                }
                ReaderEvent::Text(_) => {}
                ReaderEvent::Eof => return Err(self.cut()),
            }
        }
    }

    #[inline]
    fn open(&mut self) -> Result<(), Error> {
        if self.depth == 0 {
            if self.rooted {
                return Err(self.wrong("more than one root element"));
            }
            self.rooted = true;
        }
        if self.depth == self.limits.depth {
            let reason = format!(
                "elements are nested more than {} levels deep",
                self.limits.depth
            );
            return Err(self.wrong(reason));
        }
        self.depth += 1;
        Ok(())
    }

    #[cold]
    fn cut(&self) -> Error {
        self.wrong("the document ends within an element")
    }

    /// Events that are rare in bodies.
    fn rare(&mut self, event: Read<'a>) -> Result<Option<ReaderEvent<'a>>, Error> {
        match event {
            Read::Eof if self.depth > 0 || !self.rooted => Err(self.cut()),
            Read::Eof => Ok(Some(ReaderEvent::Eof)),
            Read::Text(text) if text.iter().all(u8::is_ascii_whitespace) => Ok(None),
            Read::Text(_) | Read::CData(_) | Read::GeneralRef(_) if self.depth == 0 => {
                Err(self.wrong("text outside the root element"))
            }
            Read::CData(piece) => {
                let piece = piece
                    .xml10_content()
                    .map_err(|e| self.wrong(e.to_string()))?;
                Ok(Some(ReaderEvent::Text(piece)))
            }
            Read::GeneralRef(reference) => {
                let name = reference.decode().map_err(|e| self.wrong(e.to_string()))?;
                match reference.resolve_char_ref() {
                    Ok(Some(c)) if is_char(c) => Ok(Some(ReaderEvent::Text(c.to_string().into()))),
                    Ok(None) => match resolve_predefined_entity(&name) {
                        Some(text) => Ok(Some(ReaderEvent::Text(text.into()))),
                        None => Err(self.wrong(format!("unknown entity &{name};"))),
                    },
                    _ => Err(self.wrong(format!("&{name}; is not a valid character"))),
                }
            }
            Read::DocType(_) => Err(self.wrong("a document type declaration is not allowed")),
            Read::PI(_) if !self.limits.instructions => {
                Err(self.wrong("processing instructions are not allowed in a message"))
            }
            Read::Decl(_) if self.at > 0 => {
                Err(self.wrong("an XML declaration is allowed only at the start"))
            }
            _ => Ok(None),
        }
    }
}

/// The byte order mark, allowed once at the beginning.
const MARK: char = '\u{feff}';

/// The characters that a document may have.
fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Result<String, Error> {
        let mut reader = Reader::new(text, Limits::default())?;
        let mut reported = String::new();
        loop {
            match reader.next_event()? {
                ReaderEvent::Start(start) => {
                    reported += &format!("<{}", String::from_utf8_lossy(start.name()));
                    for (key, value) in start.attributes().map_err(|e| reader.wrong(e))? {
                        reported += &format!(" {key}={value}");
                    }
                    reported += ">";
                }
                ReaderEvent::End => reported += "/",
                ReaderEvent::Text(text) => reported += &text,
                ReaderEvent::Eof => return Ok(reported),
            }
        }
    }

    #[test]
    fn elements_text_references_and_sections_are_read() {
        let reported = events(
            "<?xml version=\"1.0\"?><!-- c --><a x=\"1 &lt; 2\">t&amp;&#65;<b/><![CDATA[<raw>]]>\r\n</a>\n",
        );
        assert_eq!(reported.unwrap(), "<a x=1 < 2>t&A<b>/<raw>\n/");
    }

    #[test]
    fn bombs_and_documents_that_are_broken_are_refused() {
        let bomb = "<!DOCTYPE l [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;\">]><l>&b;</l>";
        let external = "<!DOCTYPE l SYSTEM \"file:///etc/passwd\"><l/>";
        for wrong in [
            bomb,
            external,
            "<a>&b;</a>",
            "<a>",
            "</a>",
            "<a></b>",
            "",
            "x",
            "<a/><b/>",
            "<a>&#0;</a>",
            "<a x=1/>",
            "<a x=\"<\"/>",
            "<a x=\"1\" x=\"2\"/>",
            "<a/>x",
            "<a>\u{1}</a>",
            "<a/><?xml version=\"1.0\"?>",
            "<a>t</b>",
        ] {
            assert!(events(wrong).is_err(), "{wrong}");
        }
        let deep = "<a>".repeat(101) + &"</a>".repeat(101);
        assert!(events(&deep).unwrap_err().reason.contains("100 levels"));
        let error = events("<a>\n  <b>&c;</b></a>").unwrap_err();
        assert_eq!((error.line, error.column), (2, 6));
    }

    #[test]
    fn one_byte_order_mark_is_left_out_and_a_second_refused() {
        assert_eq!(events("\u{feff}<a>é</a>").unwrap(), "<a>é/");
        // The library consumes one more byte without counting it, so the
        // text would be cut at the wrong place.
        for marks in 2..5 {
            let text = "\u{feff}".repeat(marks) + "<é>é</é>";
            let error = events(&text).unwrap_err();
            assert!(error.reason.contains("byte order mark"), "{error}");
        }
        assert!(events("<a>\u{feff}\u{feff}é</a>").is_ok());
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(\u{feff}){0,3}(<|>|/|a|b|=|\"|'|&|;|#|x|1|!|\\[|\\]|CDATA|DOCTYPE|-| |\\?|é){0,60}") {
            let _ = events(&text);
        }
    }
}
