//! From a description to the operations in it.

use super::actions::ActionNames;
use super::derive;
use super::simple::Limits;
use super::types::{Schema, XsdSchemaSet};
use super::{SOAP, WSDL, WSDL2, parsed};
use crate::binding::{MAPPING_LEVEL, MessageLayout, ProgramInterface, ServiceBinding, VERSION};
use crate::xml::{XSD, XmlElement};
use base::{Diagnostic, Severity};

/// Resolves an import: returns the text at a location, if it exists.
pub type ImportResolver<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Settings that a description does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopybookOptions {
    /// Name of the description in messages.
    pub file: String,
    /// Only this operation.
    pub operation: Option<String>,
    /// The program of a provider.
    pub program: Option<String>,
    /// The interface of programs.
    pub interface: ProgramInterface,
    /// Path of a provider; without one the endpoint of the description.
    pub uri: Option<String>,
    /// Elements with at most this many occurrences are in the record, others in
    /// separate containers.
    pub inline_limit: u32,
    /// Characters of a text that the schema does not limit.
    pub text_limit: u32,
}

impl Default for CopybookOptions {
    fn default() -> CopybookOptions {
        CopybookOptions {
            file: "description".into(),
            operation: None,
            program: None,
            interface: ProgramInterface::Channel {
                container: "DFHWS-DATA".into(),
            },
            uri: None,
            inline_limit: 1,
            text_limit: 255,
        }
    }
}

/// An operation that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedOperation {
    /// Its binding, with both copybooks.
    pub binding: ServiceBinding,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Makes copybooks and bindings of a description's operations.
///
/// # Errors
/// The first thing in the description that is wrong, or refused.
pub fn to_copybooks(
    text: &str,
    resolver: ImportResolver<'_>,
    options: &CopybookOptions,
) -> Result<Vec<DerivedOperation>, Diagnostic> {
    let root = parsed(text, &options.file)?;
    let mut reader = Description {
        file: &options.file,
        parts: Vec::new(),
        schemas: XsdSchemaSet::default(),
        seen: Vec::new(),
        options,
    };
    if root.is(WSDL2, "description") {
        let fix = "Make it a description of version 1.1.";
        return Err(reader.refused(&root, "this is WSDL 2.0", fix));
    }
    reader.add(root, resolver, 0)?;
    reader.operations()
}

struct Description<'a> {
    file: &'a str,
    /// The description and those that it imports.
    parts: Vec<XmlElement>,
    schemas: XsdSchemaSet,
    /// Locations that were imported.
    seen: Vec<String>,
    options: &'a CopybookOptions,
}

/// A message of an operation.
struct Wanted<'e> {
    body: &'e XmlElement,
    message: &'e XmlElement,
}

impl Description<'_> {
    fn refused(&self, at: &XmlElement, what: impl Into<String>, fix: &str) -> Diagnostic {
        super::mistake(self.file, at, what, Some(fix))
    }

    fn broken(&self, at: &XmlElement, reason: impl Into<String>) -> Diagnostic {
        super::mistake(self.file, at, reason, None)
    }

    fn add(
        &mut self,
        root: XmlElement,
        resolver: ImportResolver<'_>,
        depth: usize,
    ) -> Result<(), Diagnostic> {
        if !root.is(WSDL, "definitions") {
            let reason = format!(
                "{{{}}}{} is not a WSDL description",
                root.namespace, root.name
            );
            return Err(self.broken(&root, reason));
        }
        for types in root.all(WSDL, "types") {
            let other = |e: &&XmlElement| e.name == "schema" && e.namespace != XSD;
            if let Some(old) = types.children.iter().find(other) {
                let what = format!("a schema of {:?} is not supported", old.namespace);
                return Err(self.refused(old, what, "Use a schema of the year 2001."));
            }
            for schema in types.all(XSD, "schema") {
                self.schemas
                    .add(self.file, schema.clone(), None, resolver, 0)?;
            }
        }
        for import in root.all(WSDL, "import") {
            let location = import.attribute("location").unwrap_or_default();
            if self.seen.iter().any(|seen| seen == location) {
                continue;
            }
            self.seen.push(location.to_owned());
            let text = if depth < MAX_DEPTH {
                resolver(location)
            } else {
                None
            };
            let Some(text) = text else {
                let what = format!("the import {location:?} cannot be read");
                let fix = "Put the file next to the description, under that name.";
                return Err(self.refused(import, what, fix));
            };
            let inner = parsed(&text, location)?;
            if inner.is(XSD, "schema") {
                self.schemas.add(location, inner, None, resolver, 0)?
            } else {
                self.add(inner, resolver, depth + 1)?
            }
        }
        self.parts.push(root);
        Ok(())
    }

    /// A component of a kind by its qualified name.
    fn find<'e>(
        &'e self,
        kind: &'static str,
        at: &XmlElement,
        name: &str,
    ) -> Result<&'e XmlElement, Diagnostic> {
        let (namespace, local) = at.resolve(name).map_err(|e| self.broken(at, e))?;
        let fits =
            |root: &&XmlElement| root.attribute("targetNamespace").unwrap_or("") == namespace;
        let mut all = self
            .parts
            .iter()
            .filter(fits)
            .flat_map(|root| root.all(WSDL, kind));
        let found = all.find(|e| e.attribute("name") == Some(&local));
        found.ok_or_else(|| self.broken(at, format!("no {kind} {name:?}")))
    }

    fn operations(&self) -> Result<Vec<DerivedOperation>, Diagnostic> {
        let mut made: Vec<DerivedOperation> = Vec::new();
        let mut names = Vec::new();
        let bindings = self.parts.iter().flat_map(|root| root.all(WSDL, "binding"));
        for binding in bindings {
            let soap = SOAP
                .iter()
                .find_map(|ns| binding.first(ns, "binding").map(|e| (*ns, e)));
            let Some((ns, soap)) = soap else {
                continue;
            };
            let port_type = binding.attribute("type").unwrap_or_default();
            let port_type = self.find("portType", binding, port_type)?;
            for operation in binding.all(WSDL, "operation") {
                let name = operation.attribute("name").unwrap_or_default();
                let wanted = self.options.operation.as_deref();
                if wanted.is_some_and(|w| w != name) || names.contains(&name) {
                    continue;
                }
                names.push(name);
                made.push(self.operation(ns, soap, binding, operation, port_type)?);
            }
        }
        match (made.is_empty(), self.parts.last()) {
            (true, Some(root)) => Err(match &self.options.operation {
                Some(name) => self.broken(root, format!("it has no SOAP operation {name:?}")),
                None => self.broken(root, "the description has no SOAP binding with operations"),
            }),
            _ => Ok(made),
        }
    }

    fn operation(
        &self,
        ns: &str,
        soap: &XmlElement,
        binding: &XmlElement,
        operation: &XmlElement,
        port_type: &XmlElement,
    ) -> Result<DerivedOperation, Diagnostic> {
        let name = operation.attribute("name").unwrap_or_default();
        let own = operation.first(ns, "operation");
        let style = own
            .and_then(|o| o.attribute("style"))
            .or(soap.attribute("style"));
        let is_rpc = style == Some("rpc");
        let all = port_type.all(WSDL, "operation");
        let mut all = all.filter(|o| o.attribute("name") == Some(name));
        let Some(described) = all.next() else {
            let reason = "the port type does not have this operation";
            return Err(self.broken(operation, reason));
        };
        let input = self.message(ns, operation, described, "input")?;
        let Some(input) = input else {
            let fix = "Only operations that begin with a request are supported.";
            return Err(self.refused(operation, "it has no input", fix));
        };
        let output = self.message(ns, operation, described, "output")?;
        let mut warnings = Vec::new();
        let mut structure = |wanted: &Wanted<'_>, what: &str, suffix: &str| {
            if is_rpc {
                self.rpc(wanted, what, &format!("{name}{suffix}"))
            } else {
                self.structure(wanted, what, &mut warnings)
            }
        };
        let request = structure(&input, "REQUEST", "")?;
        let response = match &output {
            Some(output) => Some(structure(output, "RESPONSE", "Response")?),
            None => None,
        };
        let (service, endpoint) = self.service(ns, binding);
        let action = own.and_then(|o| o.attribute("soapAction")).unwrap_or("");
        let actions = ActionNames {
            namespace: self.namespace_of(port_type),
            port_type: port_type.attribute("name").unwrap_or_default(),
            operation: name,
            soap_action: action,
            input: described.first(WSDL, "input"),
            output: described.first(WSDL, "output"),
        };
        Ok(DerivedOperation {
            binding: ServiceBinding {
                version: VERSION,
                mapping_level: MAPPING_LEVEL.into(),
                service,
                operation: name.to_owned(),
                action: action.to_owned(),
                addressing: Some(actions.actions(response.is_some())),
                program: self.options.program.clone(),
                interface: self.options.interface.clone(),
                methods: Vec::new(),
                uri: self.options.uri.clone().unwrap_or(endpoint),
                request,
                response,
            },
            warnings,
        })
    }

    /// The target namespace of the document part that contains a port type.
    fn namespace_of(&self, port_type: &XmlElement) -> &str {
        let part = self.parts.iter().find(|root| {
            let mut all = root.all(WSDL, "portType");
            all.any(|p| std::ptr::eq(p, port_type))
        });
        let namespace = part.and_then(|root| root.attribute("targetNamespace"));
        namespace.unwrap_or_default()
    }

    /// The service that has a binding, and its address.
    fn service(&self, ns: &str, binding: &XmlElement) -> (String, String) {
        let name = binding.attribute("name").unwrap_or_default();
        for service in self.parts.iter().flat_map(|root| root.all(WSDL, "service")) {
            for port in service.all(WSDL, "port") {
                let of = port.attribute("binding").unwrap_or_default();
                if of.rsplit(':').next() == Some(name) {
                    let address = port
                        .first(ns, "address")
                        .and_then(|a| a.attribute("location"));
                    let service = service.attribute("name").unwrap_or(name);
                    return (service.to_owned(), address.unwrap_or_default().to_owned());
                }
            }
        }
        (name.to_owned(), String::new())
    }

    fn message<'e>(
        &'e self,
        ns: &str,
        operation: &'e XmlElement,
        described: &'e XmlElement,
        way: &str,
    ) -> Result<Option<Wanted<'e>>, Diagnostic> {
        let Some(part) = described.first(WSDL, way) else {
            return Ok(None);
        };
        let name = part.attribute("message").unwrap_or_default();
        let message = self.find("message", part, name)?;
        let Some(bound) = operation.first(WSDL, way) else {
            return Err(self.broken(operation, format!("the binding has no {way}")));
        };
        let Some(body) = bound.first(ns, "body") else {
            let fix = "Attachments and bodies in MIME parts are not supported.";
            return Err(self.refused(bound, format!("its {way} has no soap:body"), fix));
        };
        if body.attribute("use") == Some("encoded") {
            let fix = "Make the binding document/literal.";
            return Err(self.refused(body, "the use encoded is not supported", fix));
        }
        Ok(Some(Wanted { body, message }))
    }

    /// A message of RPC: every part of the body, in an element of this name.
    fn rpc(
        &self,
        wanted: &Wanted<'_>,
        what: &str,
        name: &str,
    ) -> Result<MessageLayout, Diagnostic> {
        let chosen = wanted.body.attribute("parts");
        let named = |p: &&XmlElement| {
            let name = p.attribute("name");
            chosen.is_none_or(|c| c.split_ascii_whitespace().any(|c| name == Some(c)))
        };
        let parts: Vec<&XmlElement> = wanted.message.all(WSDL, "part").filter(named).collect();
        if let Some(part) = parts.iter().find(|p| p.attribute("type").is_none()) {
            let fix = "Give the part a type, as RPC requires.";
            return Err(self.refused(part, "a part with an element in RPC", fix));
        }
        let own = Schema {
            file: self.file.to_owned(),
            namespace: String::new(),
            root: wanted.message.clone(),
        };
        let limits = Limits {
            inline: self.options.inline_limit,
            text: self.options.text_limit,
        };
        let namespace = wanted.body.attribute("namespace").unwrap_or_default();
        derive::parts(&self.schemas, &own, &parts, (namespace, name), what, limits)
    }

    fn structure(
        &self,
        wanted: &Wanted<'_>,
        what: &str,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<MessageLayout, Diagnostic> {
        let chosen = wanted.body.attribute("parts");
        let parts: Vec<&XmlElement> = wanted.message.all(WSDL, "part").collect();
        let named = |p: &&&XmlElement| {
            chosen.is_none_or(|c| {
                c.split_ascii_whitespace()
                    .any(|c| p.attribute("name") == Some(c))
            })
        };
        let mut within: Vec<&XmlElement> = parts.iter().filter(named).copied().collect();
        if within.len() > 1 && chosen.is_none() {
            // Parts for header blocks have the same message, often.
            let first = within.len();
            within.truncate(1);
            let message = format!("it has {first} parts, but the first must be the body");
            let mut warning = self.broken(wanted.message, message);
            warning.severity = Severity::Warning;
            warnings.push(warning);
        }
        let Some(part) = within.first() else {
            let fix = "Give the message a part with an element.";
            return Err(self.refused(wanted.message, "the message has no part for the body", fix));
        };
        let Some(element) = part.attribute("element") else {
            let fix = "Give the part an element, as document/literal requires.";
            return Err(self.refused(part, "a part with a type is not supported", fix));
        };
        let name = part.resolve(element).map_err(|e| self.broken(part, e))?;
        let Some((schema, declaration)) = self.schemas.get("element", &name) else {
            return Err(self.broken(part, format!("no element {element:?}")));
        };
        let limits = Limits {
            inline: self.options.inline_limit,
            text: self.options.text_limit,
        };
        derive::structure(&self.schemas, schema, declaration, what, limits)
    }
}

/// Deepest chain of imports.
const MAX_DEPTH: usize = 16;
