//! Faults of both versions: one meaning, two ways to write it.
//!
//! Reference: SOAP 1.1, section 4.4; SOAP 1.2 part 1, section 5.4, and its
//! table of codes; CICS API reference, SOAPFAULT CREATE.

use super::{Envelope, SoapVersion};
use crate::xml::{self, Limits, XmlElement, push_attribute};

/// The code of a fault: which side caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultCode {
    /// The message: Client in version 1.1.
    Sender,
    /// The receiver: Server in version 1.1.
    Receiver,
    /// The envelope's version.
    VersionMismatch,
    /// A header block that must be understood is not.
    MustUnderstand,
    /// A code of the application, as written.
    Other(String),
}

impl FaultCode {
    fn local(&self, version: SoapVersion) -> &str {
        match (self, version) {
            (FaultCode::Sender, SoapVersion::V11) => "Client",
            (FaultCode::Sender, SoapVersion::V12) => "Sender",
            (FaultCode::Receiver, SoapVersion::V11) => "Server",
            (FaultCode::Receiver, SoapVersion::V12) => "Receiver",
            (FaultCode::VersionMismatch, _) => "VersionMismatch",
            (FaultCode::MustUnderstand, _) => "MustUnderstand",
            (FaultCode::Other(name), _) => name,
        }
    }

    fn of(namespace: &str, name: &str, version: SoapVersion) -> Option<FaultCode> {
        if namespace != version.namespace() {
            return None;
        }
        // Version 1.1 lets a dot and a refinement follow.
        let name = name.split('.').next().unwrap_or(name);
        let all = [
            FaultCode::Sender,
            FaultCode::Receiver,
            FaultCode::VersionMismatch,
            FaultCode::MustUnderstand,
        ];
        all.into_iter().find(|code| code.local(version) == name)
    }
}

/// A fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The code.
    pub code: FaultCode,
    /// Codes within it, outermost first; version 1.1 has none.
    pub subcodes: Vec<String>,
    /// Language and text; version 1.1 writes the first.
    pub reasons: Vec<(String, String)>,
    /// The node that found it: `faultactor`, or `Role`.
    pub role: Option<String>,
    /// Elements with details, as they are in the message.
    pub detail: Option<String>,
}

impl Fault {
    /// A fault with a reason in English.
    pub fn new(code: FaultCode, reason: impl Into<String>) -> Fault {
        Fault {
            code,
            subcodes: Vec::new(),
            reasons: vec![("en".to_owned(), reason.into())],
            role: None,
            detail: None,
        }
    }

    /// The first reason.
    pub fn reason(&self) -> &str {
        self.reasons.first().map_or("", |(_, text)| text)
    }

    /// Appends the fault's element, whose prefix is that of [`super::open`].
    pub fn write(&self, out: &mut Vec<u8>, version: SoapVersion) {
        out.extend_from_slice(b"<SOAP-ENV:Fault>");
        match version {
            SoapVersion::V11 => self.write_11(out),
            SoapVersion::V12 => self.write_12(out),
        }
        out.extend_from_slice(b"</SOAP-ENV:Fault>");
    }

    /// A whole message.
    pub fn message(&self, version: SoapVersion) -> Vec<u8> {
        let mut out = Vec::new();
        super::open(&mut out, version, &[], "");
        self.write(&mut out, version);
        super::close(&mut out);
        out
    }

    fn name(&self, version: SoapVersion) -> String {
        match &self.code {
            FaultCode::Other(name) => name.clone(),
            code => format!("SOAP-ENV:{}", code.local(version)),
        }
    }

    fn write_11(&self, out: &mut Vec<u8>) {
        element(out, "faultcode", "", &self.name(SoapVersion::V11));
        element(out, "faultstring", "", self.reason());
        if let Some(role) = &self.role {
            element(out, "faultactor", "", role);
        }
        if let Some(detail) = &self.detail {
            out.extend_from_slice(format!("<detail>{detail}</detail>").as_bytes());
        }
    }

    fn write_12(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<SOAP-ENV:Code>");
        element(out, "SOAP-ENV:Value", "", &self.name(SoapVersion::V12));
        for code in &self.subcodes {
            out.extend_from_slice(b"<SOAP-ENV:Subcode>");
            element(out, "SOAP-ENV:Value", "", code);
        }
        for _ in &self.subcodes {
            out.extend_from_slice(b"</SOAP-ENV:Subcode>");
        }
        out.extend_from_slice(b"</SOAP-ENV:Code><SOAP-ENV:Reason>");
        for (language, text) in &self.reasons {
            element(out, "SOAP-ENV:Text", language, text);
        }
        out.extend_from_slice(b"</SOAP-ENV:Reason>");
        if let Some(role) = &self.role {
            element(out, "SOAP-ENV:Role", "", role);
        }
        if let Some(detail) = &self.detail {
            let text = format!("<SOAP-ENV:Detail>{detail}</SOAP-ENV:Detail>");
            out.extend_from_slice(text.as_bytes());
        }
    }

    /// The fault of a message, if it is one.
    ///
    /// # Errors
    /// A fault that is not as its version wants it.
    pub fn parse(envelope: &Envelope<'_>) -> Result<Option<Fault>, String> {
        if !envelope.is_fault() {
            return Ok(None);
        }
        let declarations = envelope.scopes.to_attributes();
        // The body only, with the namespace declarations of the envelope.
        let body = format!("<body {declarations}>{}</body>", envelope.body_text());
        let root = xml::parse_tree(&body, Limits::default()).map_err(|e| e.to_string())?;
        let Some(fault) = root.children.first() else {
            return Err("the fault is empty".into());
        };
        match envelope.version {
            SoapVersion::V11 => read_11(fault).map(Some),
            SoapVersion::V12 => read_12(fault).map(Some),
        }
    }
}

fn read_11(fault: &XmlElement) -> Result<Fault, String> {
    let text = |name: &str| fault.first("", name).map(|e| e.text.trim().to_owned());
    let written = text("faultcode").ok_or("the fault has no faultcode")?;
    let code = fault
        .first("", "faultcode")
        .and_then(|e| e.resolve(&written).ok());
    let code = code.and_then(|(ns, name)| FaultCode::of(&ns, &name, SoapVersion::V11));
    Ok(Fault {
        code: code.unwrap_or(FaultCode::Other(written)),
        subcodes: Vec::new(),
        reasons: vec![("en".into(), text("faultstring").unwrap_or_default())],
        role: text("faultactor"),
        detail: fault.first("", "detail").map(inner_text),
    })
}

fn read_12(fault: &XmlElement) -> Result<Fault, String> {
    let ns = SoapVersion::V12.namespace();
    let code = fault.first(ns, "Code").ok_or("the fault has no Code")?;
    let value = |e: &XmlElement| e.first(ns, "Value").map(|v| v.text.trim().to_owned());
    let written = value(code).ok_or("the fault's Code has no Value")?;
    let known = code
        .first(ns, "Value")
        .and_then(|e| e.resolve(&written).ok());
    let known = known.and_then(|(ns, name)| FaultCode::of(&ns, &name, SoapVersion::V12));
    let mut subcodes = Vec::new();
    let mut at = code.first(ns, "Subcode");
    while let Some(sub) = at {
        subcodes.extend(value(sub));
        at = sub.first(ns, "Subcode");
    }
    let reasons = fault.first(ns, "Reason").into_iter();
    let reasons = reasons.flat_map(|r| r.all(ns, "Text")).map(|t| {
        let language = t.attribute("xml:lang").unwrap_or("en");
        (language.to_owned(), t.text.trim().to_owned())
    });
    Ok(Fault {
        code: known.unwrap_or(FaultCode::Other(written)),
        subcodes,
        reasons: reasons.collect(),
        role: fault.first(ns, "Role").map(|e| e.text.trim().to_owned()),
        detail: fault.first(ns, "Detail").map(inner_text),
    })
}

/// The text of an element and of all its descendants.
fn inner_text(element: &XmlElement) -> String {
    let mut text = element.text.trim().to_owned();
    for child in &element.children {
        if !text.is_empty() {
            text.push(' ');
        }
        text += &inner_text(child);
    }
    text
}

fn element(out: &mut Vec<u8>, name: &str, language: &str, text: &str) {
    out.push(b'<');
    out.extend_from_slice(name.as_bytes());
    if !language.is_empty() {
        out.extend_from_slice(b" xml:lang");
        push_attribute(out, language);
    }
    out.push(b'>');
    // Characters that XML does not allow are left out of a fault's message.
    let text: String = text
        .chars()
        .filter(|c| !c.is_control() || *c == '\n')
        .collect();
    let _ = xml::escape(out, &text);
    out.extend_from_slice(b"</");
    out.extend_from_slice(name.as_bytes());
    out.push(b'>');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_read_back_in_both_versions() {
        for version in [SoapVersion::V11, SoapVersion::V12] {
            let mut fault = Fault::new(FaultCode::Receiver, "no <such> order & more");
            fault.role = Some("urn:region".into());
            let message = String::from_utf8(fault.message(version)).unwrap();
            let envelope = Envelope::parse(&message, Limits::default()).unwrap();
            assert!(envelope.is_fault());
            assert_eq!(Fault::parse(&envelope).unwrap(), Some(fault), "{message}");
        }
    }

    #[test]
    fn version_1_2_has_languages_and_subcodes() {
        let fault = Fault {
            code: FaultCode::Sender,
            subcodes: vec!["SOAP-ENV:a".into(), "SOAP-ENV:b".into()],
            reasons: vec![("en".into(), "no".into()), ("de".into(), "nein".into())],
            role: None,
            detail: Some("<e>7</e>".into()),
        };
        let message = String::from_utf8(fault.message(SoapVersion::V12)).unwrap();
        let envelope = Envelope::parse(&message, Limits::default()).unwrap();
        let read = Fault::parse(&envelope).unwrap().unwrap();
        assert_eq!(
            (read.subcodes, read.reasons),
            (fault.subcodes, fault.reasons)
        );
        assert_eq!(read.detail.as_deref(), Some("7"));
    }

    #[test]
    fn refined_and_strange_codes_are_taken() {
        let message = |code: &str| {
            format!(
                "<s:Envelope xmlns:s='{}'><s:Body><s:Fault><faultcode>{code}</faultcode>\
                 <faultstring>x</faultstring></s:Fault></s:Body></s:Envelope>",
                SoapVersion::V11.namespace()
            )
        };
        let read = |code: &str| {
            let text = message(code);
            let envelope = Envelope::parse(&text, Limits::default()).unwrap();
            Fault::parse(&envelope).unwrap().unwrap().code
        };
        assert_eq!(read("s:Client.Authentication"), FaultCode::Sender);
        assert_eq!(read("E42"), FaultCode::Other("E42".into()));
    }
}
