//! The actions of an operation's messages.
//!
//! A description names them, or its SOAPAction does, or they follow from its
//! names.
//!
//! Reference: W3C, Web Services Addressing 1.0 Metadata, section 4.4; WSDL
//! Binding, section 4.2.

use crate::binding::MessageActions;
use crate::xml::{XmlElement, split};

/// Namespaces of the attribute Action, the recommendation's first.
pub(super) const NAMESPACES: [&str; 3] = [
    "http://www.w3.org/2007/05/addressing/metadata",
    "http://www.w3.org/2006/05/addressing/wsdl",
    "http://schemas.xmlsoap.org/ws/2004/08/addressing",
];

/// The names for the actions.
pub(super) struct ActionNames<'e> {
    /// Target namespace of the description.
    pub namespace: &'e str,
    /// Name of the port type.
    pub port_type: &'e str,
    /// Name of the operation.
    pub operation: &'e str,
    /// SOAPAction, empty for none.
    pub soap_action: &'e str,
    /// `input` of the port type's operation, if it is described.
    pub input: Option<&'e XmlElement>,
    /// `output`. `None` for a one-way operation.
    pub output: Option<&'e XmlElement>,
}

impl ActionNames<'_> {
    /// The actions. `two_way` says that there is a response.
    pub fn actions(&self, two_way: bool) -> MessageActions {
        let operation = self.operation;
        let of = |element: Option<&XmlElement>, own: &str| {
            let name = element.and_then(|e| e.attribute("name")).unwrap_or(own);
            element
                .and_then(explicit)
                .unwrap_or_else(|| self.pattern(name))
        };
        let (asks, answers) = if two_way {
            (
                format!("{operation}Request"),
                format!("{operation}Response"),
            )
        } else {
            (operation.to_owned(), String::new())
        };
        let request = match self.input.and_then(explicit) {
            None if !self.soap_action.is_empty() => self.soap_action.to_owned(),
            _ => of(self.input, &asks),
        };
        MessageActions {
            request,
            response: two_way.then(|| of(self.output, &answers)),
        }
    }

    fn pattern(&self, name: &str) -> String {
        let delimiter = if self.namespace.starts_with("urn:") {
            ':'
        } else {
            '/'
        };
        let namespace = self.namespace.trim_end_matches(delimiter);
        let port_type = self.port_type;
        format!("{namespace}{delimiter}{port_type}{delimiter}{name}")
    }
}

/// The attribute Action, under one of its namespaces.
fn explicit(element: &XmlElement) -> Option<String> {
    let mut all = element.attributes.iter();
    let found = all.find(|(key, _)| {
        let (prefix, local) = split(key.as_bytes());
        let namespace = element.scopes.resolve(prefix);
        local == b"Action"
            && !prefix.is_empty()
            && namespace.is_some_and(|ns| NAMESPACES.contains(&ns))
    });
    found.map(|(_, value)| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml::{Limits, parse_tree};

    #[test]
    fn actions_are_named_or_follow_from_the_names() {
        let text = "<o xmlns:w='http://www.w3.org/2006/05/addressing/wsdl'>\
                    <input w:Action='urn:asks'/><output name='done'/></o>";
        let root = parse_tree(text, Limits::default()).unwrap();
        let named = |soap_action, input| ActionNames {
            namespace: "http://h/n/",
            port_type: "P",
            operation: "op",
            soap_action,
            input,
            output: root.children.get(1),
        };
        let made = named("urn:soap", root.children.first()).actions(true);
        assert_eq!(made.request, "urn:asks");
        assert_eq!(made.response.as_deref(), Some("http://h/n/P/done"));
        assert_eq!(named("urn:soap", None).actions(true).request, "urn:soap");
        let one_way = named("", None).actions(false);
        assert_eq!(
            (&*one_way.request, one_way.response),
            ("http://h/n/P/op", None)
        );
        let urn = ActionNames {
            namespace: "urn:n",
            ..named("", None)
        };
        assert_eq!(urn.actions(true).request, "urn:n:P:opRequest");
    }
}
