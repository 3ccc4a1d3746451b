//! A whole document as elements: for service descriptions and configurations,
//! which are read once and looked at in every direction.

use std::sync::Arc;

use base::{Diagnostic, Severity};

use super::{Error, Limits, NamespaceScopes, Reader, ReaderEvent, split};

/// An element with its namespace resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlElement {
    /// Namespace; empty for none.
    pub namespace: String,
    /// Local name.
    pub name: String,
    /// Attributes as they are written, without declarations.
    pub attributes: Vec<(String, String)>,
    /// Elements within, in their order.
    pub children: Vec<XmlElement>,
    /// All text directly within.
    pub text: String,
    /// Declarations in force here, for names in attributes.
    pub scopes: Arc<NamespaceScopes>,
    /// Its first line, from 1.
    pub line: usize,
    /// Its column there in characters, from 1.
    pub column: usize,
}

impl XmlElement {
    /// A mistake at this element.
    pub fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        let part = |n: usize| u32::try_from(n).unwrap_or(0);
        let place = (part(self.line), part(self.column));
        Diagnostic::new(Severity::Error, place, message)
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether the XML element has this name in this namespace.
    pub fn is(&self, namespace: &str, name: &str) -> bool {
        self.name == name && self.namespace == namespace
    }

    /// The elements within that have this name.
    pub fn all<'e>(
        &'e self,
        namespace: &'e str,
        name: &'e str,
    ) -> impl Iterator<Item = &'e XmlElement> {
        self.children
            .iter()
            .filter(move |child| child.is(namespace, name))
    }

    /// The first child with this name in this namespace.
    pub fn first(&self, namespace: &str, name: &str) -> Option<&XmlElement> {
        self.children.iter().find(|child| child.is(namespace, name))
    }

    /// Namespace and local part of a name such as `tns:Order`.
    ///
    /// # Errors
    /// A prefix that nothing declares.
    pub fn resolve(&self, name: &str) -> Result<(String, String), String> {
        let (prefix, local) = split(name.trim().as_bytes());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match self.scopes.resolve(prefix) {
            Some(namespace) => Ok((namespace.to_owned(), text(local))),
            None => Err(format!("the prefix of {name:?} is not declared")),
        }
    }
}

/// Reads a document.
///
/// # Errors
/// The first fault.
pub fn parse_tree(text: &str, limits: Limits) -> Result<XmlElement, Error> {
    let mut reader = Reader::new(text, limits)?;
    let mut scopes = NamespaceScopes::new();
    // Shared by all elements between two that declare something.
    let mut shared = Arc::new(NamespaceScopes::new());
    let mut open: Vec<(XmlElement, usize)> = Vec::new();
    let mut root = None;
    let (mut line, mut counted) = (1, 0);
    loop {
        match reader.next_event()? {
            ReaderEvent::Start(start) => {
                let at = reader.start().max(counted);
                line += reader.text().as_bytes()[counted..at]
                    .iter()
                    .filter(|b| **b == b'\n')
                    .count();
                counted = at;
                let all = start.attributes().map_err(|e| reader.wrong(e))?;
                let mark = scopes.open(&all).map_err(|e| reader.wrong(e))?;
                if all.iter().any(|(key, _)| is_declaration(key)) {
                    shared = Arc::new(scopes.clone());
                }
                let (prefix, local) = split(start.name());
                let Some(namespace) = scopes.resolve(prefix) else {
                    let prefix = String::from_utf8_lossy(prefix);
                    return Err(reader.wrong(format!("the prefix {prefix} is not declared")));
                };
                let element = XmlElement {
                    namespace: namespace.to_owned(),
                    name: String::from_utf8_lossy(local).into_owned(),
                    attributes: all
                        .into_iter()
                        .filter(|(k, _)| !is_declaration(k))
                        .collect(),
                    children: Vec::new(),
                    text: String::new(),
                    scopes: shared.clone(),
                    line,
                    column: super::column(&reader.text().as_bytes()[..at]),
                };
                open.push((element, mark));
            }
            ReaderEvent::End => {
                let Some((element, mark)) = open.pop() else {
                    continue;
                };
                scopes.close(mark);
                if *element.scopes != scopes {
                    shared = Arc::new(scopes.clone());
                }
                match open.last_mut() {
                    Some((parent, _)) => parent.children.push(element),
                    None => root = Some(element),
                }
            }
            ReaderEvent::Text(text) => {
                if let Some((element, _)) = open.last_mut() {
                    element.text += &text;
                }
            }
            ReaderEvent::Eof => break,
        }
    }
    root.ok_or_else(|| Error::at(text, 0, "the document has no element"))
}

fn is_declaration(key: &str) -> bool {
    key == "xmlns" || key.starts_with("xmlns:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_resolved_where_they_stand() {
        let text = "<a xmlns='urn:a' xmlns:p='urn:p'>\n <p:b type='p:t'/>\n <c xmlns=''/>x</a>";
        let root = parse_tree(text, Limits::default()).unwrap();
        assert!(root.is("urn:a", "a"));
        let b = root.first("urn:p", "b").unwrap();
        assert_eq!(b.line, 2);
        assert_eq!(b.resolve("p:t").unwrap(), ("urn:p".into(), "t".into()));
        assert!(b.resolve("q:t").is_err());
        assert!(root.first("", "c").is_some());
        assert_eq!(root.text.trim(), "x");
        assert!(parse_tree("<q:a/>", Limits::default()).is_err());
    }
}
