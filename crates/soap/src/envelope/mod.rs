//! SOAP envelopes, versions 1.1 and 1.2.
//!
//! An [`Envelope`] is a view of a message: the positions of its header blocks and
//! body, and the namespace declarations there. A codec reads the contents of the
//! body directly from the message's text.
//!
//! Reference: SOAP 1.1, sections 4 and 6; SOAP 1.2 part 1, section 5; WS-I basic
//! profile 1.1, section 4.

mod build;
mod fault;

pub use build::{close, open};
pub use fault::{Fault, FaultCode};

use std::ops::Range;

use crate::xml::{self, Limits, NamespaceScopes, Reader, ReaderEvent, StartTag, split};

/// The two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoapVersion {
    /// SOAP 1.1.
    V11,
    /// SOAP 1.2.
    V12,
}

impl SoapVersion {
    /// The namespace of the envelope.
    pub const fn namespace(self) -> &'static str {
        match self {
            SoapVersion::V11 => "http://schemas.xmlsoap.org/soap/envelope/",
            SoapVersion::V12 => "http://www.w3.org/2003/05/soap-envelope",
        }
    }

    /// The media type of its messages.
    pub const fn media_type(self) -> &'static str {
        match self {
            SoapVersion::V11 => "text/xml",
            SoapVersion::V12 => "application/soap+xml",
        }
    }

    /// As the container DFHWS-SOAPLEVEL has it.
    pub const fn level(self) -> i32 {
        match self {
            SoapVersion::V11 => 1,
            SoapVersion::V12 => 2,
        }
    }

    fn of(namespace: &str) -> Option<SoapVersion> {
        [SoapVersion::V11, SoapVersion::V12]
            .into_iter()
            .find(|v| v.namespace() == namespace)
    }
}

/// A header block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Namespace of its element.
    pub namespace: String,
    /// Local name.
    pub name: String,
    /// A receiver that does not understand this block must not process the
    /// message.
    pub must_understand: bool,
    /// `actor`, or `role`; `None` for the ultimate receiver.
    pub role: Option<String>,
    /// It is one of the destination's reference parameters, as WS-Addressing
    /// marks them.
    pub is_parameter: bool,
    /// The whole element in the message.
    pub span: Range<usize>,
}

impl Header {
    /// Whether the header is for the ultimate receiver.
    pub fn is_for_ultimate_receiver(&self) -> bool {
        match self.role.as_deref() {
            None | Some("") => true,
            Some(role) => ROLES.contains(&role),
        }
    }
}

/// A message that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// The message, without a byte order mark.
    pub text: &'a str,
    /// Its version.
    pub version: SoapVersion,
    /// Its header blocks.
    pub headers: Vec<Header>,
    /// Everything between the header's tags, if there are any.
    pub header: Option<Range<usize>>,
    /// The declarations in force around the header blocks.
    pub header_scopes: NamespaceScopes,
    /// Everything between the body's tags.
    pub body: Range<usize>,
    /// The first element of the body: namespace and local name.
    pub payload: Option<(String, String)>,
    /// The declarations in force in the body.
    pub scopes: NamespaceScopes,
}

/// Why a message is not an envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// It is not well-formed, or breaks a limit.
    #[error(transparent)]
    Xml(#[from] xml::Error),
    /// An envelope of another version of SOAP.
    #[error("unsupported envelope namespace {0:?}; use SOAP 1.1 or 1.2")]
    Version(String),
    /// It is XML, but no envelope.
    #[error("{0}")]
    Form(xml::Error),
}

impl EnvelopeError {
    /// The fault that its sender gets.
    pub fn fault(&self) -> Fault {
        let code = match self {
            EnvelopeError::Version(_) => FaultCode::VersionMismatch,
            _ => FaultCode::Sender,
        };
        Fault::new(code, self.to_string())
    }
}

impl<'a> Envelope<'a> {
    /// Looks at a message.
    ///
    /// # Errors
    ///
    /// Why it is not an envelope.
    pub fn parse(text: &'a str, limits: Limits) -> Result<Envelope<'a>, EnvelopeError> {
        let limits = Limits {
            instructions: false,
            ..limits
        };
        Parser {
            reader: Reader::new(text, limits)?,
            scopes: NamespaceScopes::new(),
        }
        .envelope()
    }

    /// The contents of the body.
    pub fn body_text(&self) -> &'a str {
        &self.text[self.body.clone()]
    }

    /// Whether the body is a fault.
    pub fn is_fault(&self) -> bool {
        let payload = self.payload.as_ref();
        payload.is_some_and(|(ns, name)| name == "Fault" && ns == self.version.namespace())
    }

    /// The header blocks for this receiver with mustUnderstand that are not in
    /// `known` (namespace and name).
    pub fn not_understood(&self, known: &[(String, String)]) -> Vec<&Header> {
        let strange = |h: &&Header| {
            h.must_understand
                && h.is_for_ultimate_receiver()
                && !known
                    .iter()
                    .any(|(ns, name)| *ns == h.namespace && *name == h.name)
        };
        self.headers.iter().filter(strange).collect()
    }
}

struct Parser<'a> {
    reader: Reader<'a>,
    scopes: NamespaceScopes,
}

impl<'a> Parser<'a> {
    fn envelope(mut self) -> Result<Envelope<'a>, EnvelopeError> {
        let text = self.reader.text();
        let Some((root, _)) = self.element()? else {
            return Err(self.form("the message has no envelope"));
        };
        if root.1 != "Envelope" {
            return Err(self.form(format!("the root element is {}, not Envelope", root.1)));
        }
        let Some(version) = SoapVersion::of(&root.0) else {
            return Err(EnvelopeError::Version(root.0));
        };
        let mut made = Envelope {
            text,
            version,
            headers: Vec::new(),
            header: None,
            header_scopes: NamespaceScopes::new(),
            body: 0..0,
            payload: None,
            scopes: NamespaceScopes::new(),
        };
        let mut there = false;
        while let Some((name, found)) = self.element()? {
            let own = name.0 == version.namespace();
            match name.1.as_str() {
                "Header" if own && !there && made.header.is_none() => {
                    let from = self.reader.position();
                    made.header_scopes = self.scopes.clone();
                    let (headers, end) = self.headers(version)?;
                    made.headers = headers;
                    made.header = Some(from.min(end)..end);
                }
                "Body" if own && !there => {
                    there = true;
                    let from = self.reader.position();
                    made.scopes = self.scopes.clone();
                    let (payload, end) = self.body()?;
                    made.payload = payload;
                    // An empty element has no end tag of its own.
                    made.body = from.min(end)..end;
                }
                other => {
                    return Err(self.form(format!("{other} is not allowed here in an envelope")));
                }
            }
            self.scopes.close(found.mark);
        }
        if !there {
            return Err(self.form("the envelope has no Body"));
        }
        match self.reader.next_event()? {
            ReaderEvent::Eof => Ok(made),
            _ => Err(self.form("the envelope is followed by more content")),
        }
    }

    /// The next child element, after entering its declarations. Returns `None`
    /// at the end. The number closes its scope.
    fn element(&mut self) -> Result<Option<(Name, Attributes)>, EnvelopeError> {
        loop {
            match self.reader.next_event()? {
                ReaderEvent::Start(start) => {
                    let attributes = start.attributes().map_err(|e| self.reader.wrong(e))?;
                    let mark = self
                        .scopes
                        .open(&attributes)
                        .map_err(|e| self.reader.wrong(e))?;
                    let name = self.name(&start)?;
                    return Ok(Some((name, Attributes { attributes, mark })));
                }
                ReaderEvent::Text(text) if text.trim().is_empty() => {}
                ReaderEvent::Text(_) => {
                    return Err(self.form("text between the parts of the envelope"));
                }
                ReaderEvent::End | ReaderEvent::Eof => return Ok(None),
            }
        }
    }

    fn name(&self, start: &StartTag<'_>) -> Result<(String, String), EnvelopeError> {
        let (prefix, local) = split(start.name());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match self.scopes.resolve(prefix) {
            Some(namespace) => Ok((namespace.to_owned(), text(local))),
            None => Err(self.form(format!("the prefix {} is not declared", text(prefix)))),
        }
    }

    /// The header's blocks, and where its end tag begins.
    fn headers(&mut self, version: SoapVersion) -> Result<(Vec<Header>, usize), EnvelopeError> {
        let mut headers = Vec::new();
        loop {
            let Some(((namespace, name), found)) = self.element()? else {
                return Ok((headers, self.reader.start()));
            };
            if headers.len() == MAX_HEADERS {
                let reason = format!("the message has more than {MAX_HEADERS} header blocks");
                return Err(self.form(reason));
            }
            let from = self.reader.start();
            let mut header = Header {
                namespace,
                name,
                must_understand: false,
                role: None,
                is_parameter: false,
                span: from..from,
            };
            for (key, value) in &found.attributes {
                let (prefix, local) = split(key.as_bytes());
                if local == b"IsReferenceParameter" {
                    header.is_parameter = matches!(value.trim(), "true" | "1");
                    continue;
                }
                if prefix.is_empty() || self.scopes.resolve(prefix) != Some(version.namespace()) {
                    continue;
                }
                match local {
                    b"mustUnderstand" => match value.trim() {
                        "1" | "true" => header.must_understand = true,
                        "0" | "false" => {}
                        other => {
                            let reason = format!("mustUnderstand must be 0 or 1, not {other:?}");
                            return Err(self.form(reason));
                        }
                    },
                    b"actor" | b"role" => header.role = Some(value.clone()),
                    _ => {}
                }
            }
            self.reader.skip()?;
            header.span.end = self.reader.position();
            self.scopes.close(found.mark);
            headers.push(header);
        }
    }

    /// The name of the body's first element, and where its end tag begins.
    fn body(&mut self) -> Result<(Option<(String, String)>, usize), EnvelopeError> {
        let mut payload = None;
        while let Some((name, found)) = self.element()? {
            payload.get_or_insert(name);
            self.reader.skip()?;
            self.scopes.close(found.mark);
        }
        Ok((payload, self.reader.start()))
    }

    fn form(&self, reason: impl Into<String>) -> EnvelopeError {
        EnvelopeError::Form(self.reader.wrong(reason))
    }
}

/// Namespace and local part.
type Name = (String, String);

struct Attributes {
    attributes: Vec<(String, String)>,
    mark: usize,
}

/// Roles that a region plays: the next receiver, and the last.
const ROLES: [&str; 3] = [
    "http://schemas.xmlsoap.org/soap/actor/next",
    "http://www.w3.org/2003/05/soap-envelope/role/next",
    "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver",
];
/// More blocks are treated as an attack.
const MAX_HEADERS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    const V11: &str = "http://schemas.xmlsoap.org/soap/envelope/";

    fn parse(text: &str) -> Result<Envelope<'_>, EnvelopeError> {
        Envelope::parse(text, Limits::default())
    }

    #[test]
    fn headers_body_and_declarations_are_found() {
        let text = format!(
            "<?xml version='1.0'?>\n<s:Envelope xmlns:s='{V11}' xmlns:o='urn:o'>\
             <s:Header><o:tx s:mustUnderstand='1'><o:n>7</o:n></o:tx><l xmlns='urn:l' s:actor='urn:x'/></s:Header>\
             <s:Body xmlns='urn:b'><order><n>1</n></order></s:Body></s:Envelope>"
        );
        let envelope = parse(&text).unwrap();
        assert_eq!(envelope.version, SoapVersion::V11);
        assert_eq!(envelope.body_text(), "<order><n>1</n></order>");
        assert_eq!(envelope.payload, Some(("urn:b".into(), "order".into())));
        let [tx, l] = &envelope.headers[..] else {
            panic!("two blocks")
        };
        assert_eq!(
            &text[tx.span.clone()],
            "<o:tx s:mustUnderstand='1'><o:n>7</o:n></o:tx>"
        );
        assert!(
            tx.must_understand && tx.is_for_ultimate_receiver() && !l.is_for_ultimate_receiver()
        );
        assert_eq!(envelope.not_understood(&[]), [tx]);
        assert!(
            envelope
                .not_understood(&[("urn:o".into(), "tx".into())])
                .is_empty()
        );
        assert_eq!(envelope.scopes.resolve(b"o"), Some("urn:o"));
        assert_eq!(envelope.scopes.resolve(b""), Some("urn:b"));
    }

    #[test]
    fn an_empty_body_and_an_empty_header_are_taken() {
        let text = format!("<Envelope xmlns='{V11}'><Header/><Body/></Envelope>");
        let envelope = parse(&text).unwrap();
        assert_eq!((envelope.body_text(), envelope.payload), ("", None));
    }

    #[test]
    fn wrong_envelopes_are_distinguished() {
        let other = parse("<Envelope xmlns='urn:x'><Body/></Envelope>").unwrap_err();
        assert_eq!(other.fault().code, FaultCode::VersionMismatch);
        for wrong in [
            format!("<Envelope xmlns='{V11}'/>"),
            format!("<Envelope xmlns='{V11}'><Body/><Header/></Envelope>"),
            format!("<Envelope xmlns='{V11}'><Body/><Body/></Envelope>"),
            format!("<Envelope xmlns='{V11}'>x<Body/></Envelope>"),
            format!("<Envelope xmlns='{V11}'><Body/><x xmlns=''/></Envelope>"),
            format!("<Envelope xmlns='{V11}'><Body><p:x/></Body></Envelope>"),
            format!("<Envelope xmlns='{V11}'><?pi x?><Body/></Envelope>"),
            format!("<!DOCTYPE a><Envelope xmlns='{V11}'><Body/></Envelope>"),
            "<Body/>".to_owned(),
            String::new(),
        ] {
            let error = parse(&wrong).unwrap_err();
            assert_eq!(error.fault().code, FaultCode::Sender, "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_message_panics(text in "(<|>|/|e:|Envelope|Header|Body|Fault| xmlns=\"http://www.w3.org/2003/05/soap-envelope\"| xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'|x|&amp;| e:mustUnderstand='1'| |é){0,30}") {
            if let Ok(envelope) = parse(&text) {
                let _ = envelope.body_text();
                let _ = Fault::parse(&envelope);
            }
        }
    }
}
