//! The text of a description.

use super::actions::{ActionNames, NAMESPACES};
use super::schema::{conditions, simple};
use super::{HTTP, SOAP, WSDL};
use crate::binding::{MessageActions, MessageLayout, Node};
use crate::xml::{XSD, escape, push_attribute};
use copybook::{FieldId, FieldKind, RecordLayout};

/// The description to write.
pub(super) struct WsdlDescription<'a> {
    pub namespace: String,
    pub program: &'a str,
    pub operation: &'a str,
    pub address: &'a str,
    /// Request and response.
    pub messages: [(&'a MessageLayout, &'a RecordLayout); 2],
}

impl WsdlDescription<'_> {
    /// The actions of its messages.
    pub fn actions(&self) -> MessageActions {
        let named = ActionNames {
            namespace: &self.namespace,
            port_type: &format!("{}Port", self.program),
            operation: self.operation,
            soap_action: "",
            input: None,
            output: None,
        };
        named.actions(true)
    }

    /// The description; `actions` are those of its messages.
    pub fn text(&self, actions: &MessageActions) -> String {
        let mut w = Writer::default();
        let (program, operation) = (self.program, self.operation);
        let [request, response] = self.messages.map(|(s, _)| s);
        w.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        w.open(
            "wsdl:definitions",
            &[
                ("name", program),
                ("targetNamespace", &self.namespace),
                ("xmlns:wsdl", WSDL),
                ("xmlns:soap", SOAP[0]),
                ("xmlns:soap12", SOAP[1]),
                ("xmlns:xsd", XSD),
                ("xmlns:wsam", NAMESPACES[0]),
                ("xmlns:tns", &self.namespace),
                ("xmlns:req", &request.root.namespace),
                ("xmlns:res", &response.root.namespace),
            ],
        );
        w.open("wsdl:types", &[]);
        for (structure, layout) in self.messages {
            w.schema(structure, layout);
        }
        w.close("wsdl:types");
        let messages = [("Request", "req", request), ("Response", "res", response)];
        for (what, prefix, structure) in messages {
            let element = format!("{prefix}:{}", structure.root.name);
            w.open("wsdl:message", &[("name", &format!("{operation}{what}"))]);
            w.empty(
                "wsdl:part",
                &[("name", &format!("{what}Part")), ("element", &element)],
            );
            w.close("wsdl:message");
        }
        let port = format!("{program}Port");
        w.open("wsdl:portType", &[("name", &port)]);
        w.open("wsdl:operation", &[("name", operation)]);
        let response = actions.response.as_deref().unwrap_or_default();
        for (tag, what, action) in [
            ("wsdl:input", "Request", actions.request.as_str()),
            ("wsdl:output", "Response", response),
        ] {
            let message = format!("tns:{operation}{what}");
            w.empty(
                tag,
                &[
                    ("name", &format!("{operation}{what}")),
                    ("message", &message),
                    ("wsam:Action", action),
                ],
            );
        }
        w.close("wsdl:operation");
        w.close("wsdl:portType");
        self.bindings(&mut w, &port);
        w.close("wsdl:definitions");
        w.text()
    }

    /// A binding and a port for each version.
    fn bindings(&self, w: &mut Writer, port: &str) {
        let (program, operation) = (self.program, self.operation);
        let name = |suffix: &str| format!("{program}HTTPSoap{suffix}Binding");
        let versions = [("11", "soap"), ("12", "soap12")];
        for (suffix, tag) in versions {
            let tag = |part: &str| format!("{tag}:{part}");
            let attributes = [("name", &*name(suffix)), ("type", &format!("tns:{port}"))];
            w.open("wsdl:binding", &attributes);
            w.empty(
                &tag("binding"),
                &[("style", "document"), ("transport", HTTP)],
            );
            w.open("wsdl:operation", &[("name", operation)]);
            w.empty(
                &tag("operation"),
                &[("soapAction", ""), ("style", "document")],
            );
            for (part, what) in [("wsdl:input", "Request"), ("wsdl:output", "Response")] {
                w.open(part, &[("name", &format!("{operation}{what}"))]);
                w.empty(&tag("body"), &[("use", "literal")]);
                w.close(part);
            }
            w.close("wsdl:operation");
            w.close("wsdl:binding");
        }
        w.open("wsdl:service", &[("name", &format!("{program}Service"))]);
        for (suffix, tag) in versions {
            let binding = format!("tns:{}", name(suffix));
            let attributes = [("name", &*format!("{port}{suffix}")), ("binding", &binding)];
            w.open("wsdl:port", &attributes);
            w.empty(&format!("{tag}:address"), &[("location", self.address)]);
            w.close("wsdl:port");
        }
        w.close("wsdl:service");
    }
}

/// Indented XML.
#[derive(Default)]
struct Writer {
    out: Vec<u8>,
    depth: usize,
}

impl Writer {
    fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)], end: &str) {
        let indent = 2 * self.depth;
        self.out.resize(self.out.len() + indent, b' ');
        self.raw("<");
        self.raw(name);
        for (key, value) in attributes {
            self.raw(" ");
            self.raw(key);
            push_attribute(&mut self.out, value);
        }
        self.raw(end);
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, ">\n");
        self.depth += 1;
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, "/>\n");
    }

    fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.tag(&format!("/{name}"), &[], ">\n");
    }

    fn text(self) -> String {
        String::from_utf8(self.out).unwrap_or_default()
    }

    fn schema(&mut self, structure: &MessageLayout, layout: &RecordLayout) {
        let namespace = &structure.root.namespace;
        self.open(
            "xsd:schema",
            &[
                ("targetNamespace", namespace),
                ("elementFormDefault", "qualified"),
                ("attributeFormDefault", "unqualified"),
            ],
        );
        self.element(&structure.root, layout);
        self.close("xsd:schema");
    }

    fn element(&mut self, node: &Node, layout: &RecordLayout) {
        let (min, max) = (node.min.to_string(), node.max.unwrap_or(1).to_string());
        let mut attributes = vec![("name", node.name.as_str())];
        // The top has no occurrences.
        if node.field != 0 {
            if node.min != 1 {
                attributes.push(("minOccurs", &min));
            }
            if node.max != Some(1) {
                attributes.push(("maxOccurs", &max));
            }
        }
        let field = &layout[FieldId(node.field)];
        self.open("xsd:element", &attributes);
        if let Some(text) = conditions(&field.conditions) {
            self.open("xsd:annotation", &[]);
            self.tag("xsd:documentation", &[], ">");
            let _ = escape(&mut self.out, &text);
            self.raw("</xsd:documentation>\n");
            self.close("xsd:annotation");
        }
        if field.kind == FieldKind::Group {
            self.open("xsd:complexType", &[]);
            self.open("xsd:sequence", &[]);
            for child in &node.children {
                self.element(child, layout);
            }
            self.close("xsd:sequence");
            self.close("xsd:complexType");
        } else {
            let simple = simple(field);
            self.open("xsd:simpleType", &[]);
            self.open(
                "xsd:restriction",
                &[("base", &format!("xsd:{}", simple.base))],
            );
            for (facet, value) in &simple.facets {
                self.empty(&format!("xsd:{facet}"), &[("value", value)]);
            }
            self.close("xsd:restriction");
            self.close("xsd:simpleType");
        }
        self.close("xsd:element");
    }
}
