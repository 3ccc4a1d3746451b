//! Endpoint references.

use super::{ANONYMOUS, AddressingVersion};
use crate::xml::{
    self, Limits, NamespaceScopes, Reader, ReaderEvent, escape, push_attribute, split,
};

/// An endpoint reference. Its XML is self-contained: it declares all that it
/// needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndpointReference {
    /// Its address.
    pub address: String,
    /// The reference parameters, which its owner wants returned: concatenated
    /// elements.
    pub parameters: String,
    /// The elements that describe it.
    pub metadata: String,
}

/// An element of a text that is looked at from outside.
pub(super) struct XmlPart<'a> {
    pub namespace: String,
    pub name: String,
    /// The element as it is written.
    pub text: &'a str,
    /// The namespace declarations around it.
    pub around: NamespaceScopes,
    /// The attributes of its start tag.
    pub attributes: Vec<(String, String)>,
}

impl EndpointReference {
    /// An endpoint that is an address alone.
    pub fn of(address: impl Into<String>) -> EndpointReference {
        EndpointReference {
            address: address.into(),
            ..EndpointReference::default()
        }
    }

    /// Reads an element whose contents are an endpoint reference's, of either
    /// edition.
    ///
    /// # Errors Why the text is not an endpoint reference.
    pub fn parse(text: &str) -> Result<EndpointReference, String> {
        let top = parts(&format!("<x>{text}</x>"), &NamespaceScopes::new())
            .map(|all| all.len())
            .unwrap_or_default();
        if top != 1 {
            return Err("an endpoint reference must be one element".into());
        }
        EndpointReference::within(text, &NamespaceScopes::new())
    }

    /// The same with the declarations around it.
    pub(super) fn within(
        text: &str,
        around: &NamespaceScopes,
    ) -> Result<EndpointReference, String> {
        let (mut address, mut made) = (None, EndpointReference::default());
        for part in parts(text, around)? {
            let Some(edition) = AddressingVersion::of(&part.namespace) else {
                // The recommendation lets others add their own.
                continue;
            };
            match part.name.as_str() {
                "Address" if address.is_none() => {
                    let written = inner(part.text, &part.around)?;
                    address = Some(match written.as_str() {
                        own if own == edition.anonymous() => ANONYMOUS.to_owned(),
                        other => other.to_owned(),
                    });
                }
                "Address" => return Err("it has more than one Address".into()),
                "ReferenceParameters" | "ReferenceProperties" => {
                    for inside in parts(part.text, &part.around)? {
                        made.parameters += &alone(&inside);
                    }
                }
                "Metadata" => {
                    for inside in parts(part.text, &part.around)? {
                        made.metadata += &alone(&inside);
                    }
                }
                _ => {}
            }
        }
        made.address = address
            .filter(|a| !a.is_empty())
            .ok_or("it has no Address")?;
        Ok(made)
    }

    /// Elements that may be in a reference, as they are written: XML, with
    /// nothing between them.
    ///
    /// # Errors
    /// Why they cannot.
    pub fn elements(text: &str) -> Result<String, String> {
        let all = format!("<x>{}</x>", text.trim());
        let found = parts(&all, &NamespaceScopes::new())?;
        Ok(found.iter().map(alone).collect())
    }

    /// The address as an edition writes it.
    pub(super) fn address_in(&self, edition: AddressingVersion) -> &str {
        match self.address.as_str() {
            ANONYMOUS => edition.anonymous(),
            other => other,
        }
    }

    /// Appends the elements of a reference, with the prefix `wsa`.
    pub(super) fn write_inner(&self, out: &mut Vec<u8>, edition: AddressingVersion) {
        out.extend_from_slice(b"<wsa:Address>");
        let _ = escape(out, self.address_in(edition));
        out.extend_from_slice(b"</wsa:Address>");
        let mut part = |name: &str, text: &str| {
            if !text.is_empty() {
                out.extend_from_slice(format!("<wsa:{name}>{text}</wsa:{name}>").as_bytes());
            }
        };
        part("ReferenceParameters", &self.parameters);
        if edition == AddressingVersion::Recommendation {
            part("Metadata", &self.metadata);
        }
    }

    /// The whole as a self-contained element, in the recommendation's form.
    pub fn to_text(&self) -> String {
        let edition = AddressingVersion::Recommendation;
        let mut out = b"<wsa:EndpointReference xmlns:wsa".to_vec();
        push_attribute(&mut out, edition.namespace());
        out.push(b'>');
        self.write_inner(&mut out, edition);
        out.extend_from_slice(b"</wsa:EndpointReference>");
        String::from_utf8(out).unwrap_or_default()
    }
}

/// The elements directly within a text's only element.
pub(super) fn parts<'a>(
    text: &'a str,
    around: &NamespaceScopes,
) -> Result<Vec<XmlPart<'a>>, String> {
    let reported = |e: xml::Error| e.to_string();
    let mut reader = Reader::new(text, Limits::default()).map_err(reported)?;
    let mut scopes = around.clone();
    let mut found = Vec::new();
    let mut depth = 0;
    loop {
        match reader.next_event().map_err(reported)? {
            ReaderEvent::Start(start) => {
                let attributes = start.attributes()?;
                if depth == 0 {
                    scopes.open(&attributes)?;
                    depth = 1;
                    continue;
                }
                let outside = scopes.clone();
                let mark = scopes.open(&attributes)?;
                let (prefix, local) = split(start.name());
                let Some(namespace) = scopes.resolve(prefix) else {
                    let prefix = String::from_utf8_lossy(prefix);
                    return Err(format!("the prefix {prefix} is not declared"));
                };
                let (namespace, name) = (namespace.to_owned(), local.to_vec());
                let from = reader.start();
                reader.skip().map_err(reported)?;
                scopes.close(mark);
                found.push(XmlPart {
                    namespace,
                    name: String::from_utf8(name).unwrap_or_default(),
                    text: &text[from..reader.position()],
                    around: outside,
                    attributes,
                });
                if found.len() > MOST {
                    return Err("it has too many parts".into());
                }
            }
            ReaderEvent::Eof => return Ok(found),
            ReaderEvent::End | ReaderEvent::Text(_) => {}
        }
    }
}

/// The text of an element without elements in it.
pub(super) fn inner(text: &str, around: &NamespaceScopes) -> Result<String, String> {
    if !parts(text, around)?.is_empty() {
        return Err("expected an address, found elements".into());
    }
    let reported = |e: xml::Error| e.to_string();
    let mut reader = Reader::new(text, Limits::default()).map_err(reported)?;
    let mut inner = String::new();
    loop {
        match reader.next_event().map_err(reported)? {
            ReaderEvent::Text(text) => inner += &text,
            ReaderEvent::Eof => return Ok(inner.trim().to_owned()),
            ReaderEvent::Start(_) | ReaderEvent::End => {}
        }
    }
}

/// An element with the declarations around it that it does not make itself.
pub(super) fn alone(part: &XmlPart<'_>) -> String {
    let own = |prefix: &str| match prefix {
        "" => part.attributes.iter().any(|(key, _)| key == "xmlns"),
        _ => part
            .attributes
            .iter()
            .any(|(key, _)| key.strip_prefix("xmlns:") == Some(prefix)),
    };
    let mut declared = Vec::new();
    for (prefix, namespace) in part.around.in_force() {
        // A prefix that does not occur in it is not needed.
        let used = prefix.is_empty() || part.text.contains(&format!("{prefix}:"));
        if own(prefix) || !used || (prefix.is_empty() && namespace.is_empty()) {
            continue;
        }
        declared.extend_from_slice(match prefix {
            "" => b" xmlns",
            _ => b" xmlns:",
        });
        declared.extend_from_slice(prefix.as_bytes());
        push_attribute(&mut declared, namespace);
    }
    with_attributes(part.text, &String::from_utf8(declared).unwrap_or_default())
}

/// An element with more attributes in its start tag, after its name.
pub(super) fn with_attributes(element: &str, more: &str) -> String {
    let end = element[1..]
        .find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/')
        .map_or(element.len(), |at| at + 1);
    format!("{}{more}{}", &element[..end], &element[end..])
}

/// Most elements within another that are looked at.
const MOST: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_read_back_as_it_was_written() {
        let made = EndpointReference {
            address: "http://h/a?b=1&c=2".into(),
            parameters: "<k xmlns=\"urn:k\">7</k>".into(),
            metadata: "<m/>".into(),
        };
        let text = made.to_text();
        assert!(text.contains("b=1&amp;c=2"), "{text}");
        assert_eq!(EndpointReference::parse(&text), Ok(made));
    }

    #[test]
    fn what_is_declared_around_parameters_goes_with_them() {
        let text = "<r xmlns:a='http://www.w3.org/2005/08/addressing' xmlns='urn:d' xmlns:k='urn:k'>\
                    <a:Address> http://h/ </a:Address><a:ReferenceParameters><k:x t='k:y'>k:z</k:x>\
                    <own xmlns='urn:o'/></a:ReferenceParameters></r>";
        let read = EndpointReference::parse(text).unwrap();
        assert_eq!(read.address, "http://h/");
        let again = format!("<x>{}</x>", read.parameters);
        let found = parts(&again, &NamespaceScopes::new()).unwrap();
        let names: Vec<_> = found.iter().map(|p| (&*p.namespace, &*p.name)).collect();
        assert_eq!(names, [("urn:k", "x"), ("urn:o", "own")]);
        assert!(read.parameters.contains("xmlns:k=\"urn:k\""));
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        for wrong in [
            "",
            "text",
            "<a/><b/>",
            "<a xmlns='http://www.w3.org/2005/08/addressing'/>",
            "<a xmlns='http://www.w3.org/2005/08/addressing'><Address/></a>",
            "<a xmlns='http://www.w3.org/2005/08/addressing'><Address><b/></Address></a>",
            "<a xmlns='http://www.w3.org/2005/08/addressing'><Address>x</Address>\
             <Address>y</Address></a>",
            "<a><q:Address>x</q:Address></a>",
        ] {
            assert!(EndpointReference::parse(wrong).is_err(), "{wrong}");
        }
        assert!(
            EndpointReference::elements("<a>").is_err()
                && EndpointReference::elements("<a/><b/>").is_ok()
        );
    }
}
