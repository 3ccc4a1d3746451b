//! The schemas of a description, and their top-level components by name.

use super::read::ImportResolver;
use crate::xml::{XSD, XmlElement};
use base::Diagnostic;
use std::collections::HashMap;

/// A schema document, or a schema within a description.
pub(super) struct Schema {
    /// Its file.
    pub file: String,
    pub namespace: String,
    pub root: XmlElement,
}

impl Schema {
    fn qualified(&self, what: &str) -> bool {
        self.root.attribute(what) == Some("qualified")
    }

    /// The namespace of an element or attribute that is declared within.
    pub fn local_namespace(&self, declaration: &XmlElement, default: &str) -> String {
        let qualified = match declaration.attribute("form") {
            Some(form) => form == "qualified",
            None => self.qualified(default),
        };
        if qualified {
            self.namespace.clone()
        } else {
            String::new()
        }
    }

    /// Resolves a name in an attribute. In an included schema a name without a
    /// prefix belongs to the including schema.
    pub fn resolve(&self, at: &XmlElement, written: &str) -> Result<(String, String), Diagnostic> {
        let name = at.resolve(written).map_err(|e| self.broken(at, e))?;
        Ok(if name.0.is_empty() {
            (self.namespace.clone(), name.1)
        } else {
            name
        })
    }

    pub fn refused(&self, at: &XmlElement, what: impl Into<String>, fix: &str) -> Diagnostic {
        super::mistake(&self.file, at, what, Some(fix))
    }

    pub fn broken(&self, at: &XmlElement, reason: impl Into<String>) -> Diagnostic {
        super::mistake(&self.file, at, reason, None)
    }
}

/// The schemas of a WSDL document.
#[derive(Default)]
pub(super) struct XsdSchemaSet {
    all: Vec<Schema>,
    /// Kind, namespace and name; which schema and which of its children.
    index: HashMap<(&'static str, String, String), (usize, usize)>,
    /// Locations that were read.
    seen: Vec<(String, String)>,
}

impl XsdSchemaSet {
    /// A component at the top of some schema.
    pub fn get(
        &self,
        kind: &'static str,
        name: &(String, String),
    ) -> Option<(&Schema, &XmlElement)> {
        let key = (kind, name.0.clone(), name.1.clone());
        let (schema, child) = *self.index.get(&key)?;
        let schema = &self.all[schema];
        Some((schema, &schema.root.children[child]))
    }

    /// Takes in a schema with all that it includes and imports.
    pub fn add(
        &mut self,
        file: &str,
        root: XmlElement,
        namespace: Option<&str>,
        resolver: ImportResolver<'_>,
        depth: usize,
    ) -> Result<(), Diagnostic> {
        let own = root.attribute("targetNamespace").or(namespace);
        let schema = Schema {
            file: file.to_owned(),
            namespace: own.unwrap_or_default().to_owned(),
            root,
        };
        if depth > MAX_DEPTH || self.all.len() > MAX_SCHEMAS {
            let fix = "Put the required schemas into one file.";
            return Err(schema.refused(&schema.root, "there are too many schemas", fix));
        }
        for child in schema.root.children.iter().filter(|c| c.namespace == XSD) {
            let including = match child.name.as_str() {
                "include" => true,
                "import" => false,
                "redefine" => {
                    let fix = "Write the changed type out and remove the redefine.";
                    return Err(schema.refused(child, "xsd:redefine is not supported", fix));
                }
                _ => continue,
            };
            let Some(location) = child.attribute("schemaLocation") else {
                // Its schema is elsewhere in the description.
                continue;
            };
            let namespace = if including {
                Some(schema.namespace.as_str())
            } else {
                child.attribute("namespace")
            };
            let key = (
                location.to_owned(),
                namespace.unwrap_or_default().to_owned(),
            );
            if self.seen.contains(&key) {
                continue;
            }
            self.seen.push(key);
            let Some(text) = resolver(location) else {
                let what = format!("the schema {location:?} cannot be read");
                let fix = "Put the file next to the description, under that name.";
                return Err(schema.refused(child, what, fix));
            };
            let inner = super::parsed(&text, location)?;
            if !inner.is(XSD, "schema") {
                return Err(schema.broken(child, format!("{location:?} is not a schema")));
            }
            self.add(location, inner, namespace, resolver, depth + 1)?;
        }
        let number = self.all.len();
        for (at, child) in schema.root.children.iter().enumerate() {
            let kind = KINDS.iter().find(|kind| child.is(XSD, kind));
            if let (Some(kind), Some(name)) = (kind, child.attribute("name")) {
                let key = (*kind, schema.namespace.clone(), name.to_owned());
                self.index.entry(key).or_insert((number, at));
            }
        }
        self.all.push(schema);
        Ok(())
    }
}

/// The named components at the top of a schema.
const KINDS: [&str; 6] = [
    "element",
    "complexType",
    "simpleType",
    "group",
    "attributeGroup",
    "attribute",
];
/// Deepest chain of imports.
const MAX_DEPTH: usize = 32;
/// Most schemas of a description.
const MAX_SCHEMAS: usize = 500;
