//! Which namespace a prefix means, at the place that was read last.

use super::{StartTag, XML};

/// The namespace declarations in force.
///
/// Elements without attributes declare nothing, so their readers need no scope
/// for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamespaceScopes {
    /// Prefix (empty for the default) and namespace, innermost last.
    bindings: Vec<(String, String)>,
}

impl NamespaceScopes {
    /// No declarations.
    pub fn new() -> NamespaceScopes {
        NamespaceScopes::default()
    }

    /// Takes in the declarations among an element's attributes; the mark to
    /// close the scope with.
    ///
    /// # Errors
    /// Declarations that the rules forbid.
    pub fn open(&mut self, attributes: &[(String, String)]) -> Result<usize, String> {
        let mark = self.bindings.len();
        for (key, value) in attributes {
            let prefix = match key.strip_prefix("xmlns") {
                Some("") => "",
                Some(rest) if rest.starts_with(':') => &rest[1..],
                _ => continue,
            };
            let forbidden = prefix == "xmlns"
                || (prefix == "xml") != (value == XML)
                || (value.is_empty() && !prefix.is_empty())
                || key == "xmlns:";
            if forbidden {
                return Err(format!("{key}=\"{value}\" is a reserved declaration"));
            }
            self.bindings.push((prefix.to_owned(), value.clone()));
        }
        Ok(mark)
    }

    /// Opens a scope for a start tag. Returns `None` without attributes.
    ///
    /// # Errors
    ///
    /// The mistake in the attributes.
    pub fn enter(&mut self, start: &StartTag<'_>) -> Result<usize, String> {
        if start.is_plain() {
            Ok(self.bindings.len())
        } else {
            self.open(&start.attributes()?)
        }
    }

    /// Closes all scopes after the mark.
    pub fn close(&mut self, mark: usize) {
        self.bindings.truncate(mark);
    }

    /// The namespace of a prefix. The empty prefix is the default, which is no
    /// namespace unless it is declared. Returns `None` for an undeclared
    /// prefix.
    pub fn resolve(&self, prefix: &[u8]) -> Option<&str> {
        let found = self
            .bindings
            .iter()
            .rev()
            .find(|(p, _)| p.as_bytes() == prefix);
        match found {
            Some((_, namespace)) => Some(namespace),
            None if prefix.is_empty() => Some(""),
            None if prefix == b"xml" => Some(XML),
            None => None,
        }
    }

    /// The declarations, innermost last; those that an inner one hides are not
    /// among them.
    pub fn in_force(&self) -> Vec<(&str, &str)> {
        let mut seen: Vec<(&str, &str)> = Vec::new();
        for (prefix, namespace) in self.bindings.iter().rev() {
            if !seen.iter().any(|(p, _)| p == prefix) {
                seen.push((prefix, namespace));
            }
        }
        seen.reverse();
        seen
    }

    /// The declarations as attributes, each after a blank: the contents of the
    /// container DFHWS-XMLNS.
    pub fn to_attributes(&self) -> String {
        let mut out = Vec::new();
        for (prefix, namespace) in self.in_force() {
            if !out.is_empty() {
                out.push(b' ');
            }
            match prefix {
                "" => out.extend_from_slice(b"xmlns"),
                prefix => {
                    out.extend_from_slice(b"xmlns:");
                    out.extend_from_slice(prefix.as_bytes());
                }
            }
            super::push_attribute(&mut out, namespace);
        }
        String::from_utf8(out).unwrap_or_default()
    }

    /// The reverse of [`NamespaceScopes::to_attributes`].
    ///
    /// # Errors
    ///
    /// The text is not a list of declarations.
    pub fn from_attributes(text: &str) -> Result<NamespaceScopes, String> {
        let document = format!("<x {text}/>");
        let limits = super::Limits::default();
        let mut reader = super::Reader::new(&document, limits).map_err(|e| e.reason)?;
        let mut scopes = NamespaceScopes::new();
        if let super::ReaderEvent::Start(start) = reader.next_event().map_err(|e| e.reason)? {
            scopes.enter(&start)?;
        }
        Ok(scopes)
    }
}

/// Prefix and local part of a name; the prefix is empty if the name has none.
#[inline]
pub fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b':', name) {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (&[], name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
        of.iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn inner_declarations_hide_outer_ones_until_their_scope_is_closed() {
        let mut scopes = NamespaceScopes::new();
        scopes
            .open(&pairs(&[
                ("xmlns", "urn:a"),
                ("xmlns:p", "urn:p"),
                ("x", "1"),
            ]))
            .unwrap();
        let mark = scopes.open(&pairs(&[("xmlns", "urn:b")])).unwrap();
        assert_eq!(scopes.resolve(b""), Some("urn:b"));
        assert_eq!(scopes.in_force(), [("p", "urn:p"), ("", "urn:b")]);
        scopes.close(mark);
        assert_eq!(scopes.resolve(b""), Some("urn:a"));
        assert_eq!(scopes.resolve(b"q"), None);
        let text = scopes.to_attributes();
        assert_eq!(text, "xmlns=\"urn:a\" xmlns:p=\"urn:p\"");
        assert_eq!(NamespaceScopes::from_attributes(&text).unwrap(), scopes);
    }

    #[test]
    fn reserved_and_empty_declarations_are_refused() {
        for (key, value) in [
            ("xmlns:xml", "urn:a"),
            ("xmlns:p", ""),
            ("xmlns:xmlns", "urn:a"),
            ("xmlns:p", XML),
            ("xmlns:", "urn:a"),
        ] {
            assert!(
                NamespaceScopes::new()
                    .open(&pairs(&[(key, value)]))
                    .is_err(),
                "{key}"
            );
        }
    }
}
