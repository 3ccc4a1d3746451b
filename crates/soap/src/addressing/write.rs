//! Addressing properties as header blocks.

use super::endpoint::{XmlPart, parts, with_attributes};
use super::{AddressingProperties, AddressingVersion, EndpointReference};
use crate::xml::{NamespaceScopes, escape, push_attribute};

impl AddressingProperties {
    /// The header blocks, each with its own declarations.
    pub fn blocks(&self, edition: AddressingVersion) -> Vec<String> {
        let mut blocks = Vec::new();
        let mut text = |name: &str, value: &str| blocks.push(block(edition, name, value));
        if let Some(to) = &self.to {
            text("To", to.address_in(edition));
        }
        if let Some(action) = &self.action {
            text("Action", action);
        }
        if let Some(id) = &self.message_id {
            text("MessageID", id);
        }
        for (id, kind) in &self.relates_to {
            blocks.push(related(edition, id, kind));
        }
        for (name, endpoint) in [
            ("From", &self.from),
            ("ReplyTo", &self.reply_to),
            ("FaultTo", &self.fault_to),
        ] {
            if let Some(endpoint) = endpoint {
                blocks.push(reference(edition, name, endpoint));
            }
        }
        if let Some(to) = &self.to {
            blocks.extend(parameters(edition, to));
        }
        blocks
    }
}

fn opened(edition: AddressingVersion, name: &str) -> Vec<u8> {
    let mut out = format!("<wsa:{name} xmlns:wsa").into_bytes();
    push_attribute(&mut out, edition.namespace());
    out
}

fn closed(mut out: Vec<u8>, name: &str) -> String {
    out.extend_from_slice(format!("</wsa:{name}>").as_bytes());
    String::from_utf8(out).unwrap_or_default()
}

fn block(edition: AddressingVersion, name: &str, value: &str) -> String {
    let mut out = opened(edition, name);
    out.push(b'>');
    let _ = escape(&mut out, value);
    closed(out, name)
}

fn related(edition: AddressingVersion, id: &str, kind: &str) -> String {
    let mut out = opened(edition, "RelatesTo");
    // Reply is the default relationship.
    if !kind.is_empty() && kind != edition.reply() {
        out.extend_from_slice(b" RelationshipType");
        push_attribute(&mut out, kind);
    }
    out.push(b'>');
    let _ = escape(&mut out, id);
    closed(out, "RelatesTo")
}

fn reference(edition: AddressingVersion, name: &str, endpoint: &EndpointReference) -> String {
    let mut out = opened(edition, name);
    out.push(b'>');
    endpoint.write_inner(&mut out, edition);
    closed(out, name)
}

/// The reference parameters of the destination: each element a header block of
/// its own, marked if the edition has the mark.
fn parameters(edition: AddressingVersion, to: &EndpointReference) -> Vec<String> {
    let all = format!("<x>{}</x>", to.parameters);
    let found = parts(&all, &NamespaceScopes::new()).unwrap_or_default();
    let marked = |part: &XmlPart<'_>| {
        let mut all = part.attributes.iter();
        all.any(|(key, _)| key.rsplit(':').next() == Some("IsReferenceParameter"))
    };
    let mark = |part: &XmlPart<'_>| match edition {
        AddressingVersion::Recommendation if !marked(part) => {
            let mut mark = b" xmlns:wsa-p".to_vec();
            push_attribute(&mut mark, edition.namespace());
            mark.extend_from_slice(b" wsa-p:IsReferenceParameter=\"true\"");
            with_attributes(part.text, &String::from_utf8(mark).unwrap_or_default())
        }
        _ => part.text.to_owned(),
    };
    found.iter().map(mark).collect()
}
