//! XML of archives as a tree: small documents, read within limits.
//!
//! Invariant: no document type and no entity but the five of XML; nothing is
//! fetched and nothing grows.

use quick_xml::events::{BytesStart, Event};

/// Deepest element.
const MAX_DEPTH: usize = 64;
/// Most elements of a document.
const MAX_ELEMENTS: usize = 100_000;

/// An element; names are without prefixes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct ArchiveElement {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<ArchiveElement>,
    pub text: String,
}

impl ArchiveElement {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut all = self.attributes.iter();
        all.find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    pub fn child(&self, name: &str) -> Option<&ArchiveElement> {
        self.children.iter().find(|c| c.name == name)
    }

    pub fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a ArchiveElement> {
        self.children.iter().filter(move |c| c.name == name)
    }

    /// The text of a child.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|c| c.text.trim())
    }

    /// The first element of that name, this one or below.
    pub fn find(&self, name: &str) -> Option<&ArchiveElement> {
        if self.name == name {
            return Some(self);
        }
        self.children.iter().find_map(|c| c.find(name))
    }
}

/// Reads a document.
///
/// # Errors
/// Why it is refused, with its line.
pub(super) fn parse(bytes: &[u8]) -> Result<ArchiveElement, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = quick_xml::Reader::from_str(text);
    let mut open: Vec<ArchiveElement> = vec![ArchiveElement::default()];
    let mut count = 0;
    loop {
        let at = reader.buffer_position() as usize;
        let line = |why: &str| {
            let before = &text.as_bytes()[..at.min(text.len())];
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            format!("line {line}: {why}")
        };
        let event = reader
            .read_event()
            .map_err(|e| line(&format!("not well-formed XML: {e}")))?;
        match event {
            Event::Start(tag) | Event::Empty(tag)
                if open.len() > MAX_DEPTH || count >= MAX_ELEMENTS =>
            {
                let name = String::from_utf8_lossy(tag.name().into_inner()).into_owned();
                return Err(line(&format!(
                    "<{name}> is one element too many or too deep"
                )));
            }
            Event::Start(tag) => {
                count += 1;
                open.push(element(&tag).map_err(|why| line(&why))?);
            }
            Event::Empty(tag) => {
                count += 1;
                let element = element(&tag).map_err(|why| line(&why))?;
                close(&mut open, element);
            }
            Event::End(_) => {
                let element = open.pop().unwrap_or_default();
                close(&mut open, element);
            }
            Event::Text(piece) => {
                let piece = piece.decode().map_err(|e| line(&e.to_string()))?;
                add(&mut open, &piece);
            }
            // Schemas of other tools; nothing here is read from them.
            Event::CData(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::GeneralRef(name) => {
                let named = match name.resolve_char_ref() {
                    Ok(Some(letter)) => Some(letter.to_string()),
                    Ok(None) => predefined(&name).map(str::to_owned),
                    Err(_) => None,
                };
                match named {
                    Some(text) => add(&mut open, &text),
                    None => return Err(line("an entity that XML does not have is refused")),
                }
            }
            Event::DocType(_) => return Err(line("a document type is refused")),
            Event::Eof => break,
        }
    }
    let mut root = match open.len() {
        1 => open.remove(0),
        _ => return Err("it ends within an element".into()),
    };
    match root.children.len() {
        1 => Ok(root.children.remove(0)),
        _ => Err("it has no root element, or several".into()),
    }
}

fn close(open: &mut [ArchiveElement], element: ArchiveElement) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(element);
    }
}

fn add(open: &mut [ArchiveElement], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text += text;
    }
}

fn predefined(name: &[u8]) -> Option<&'static str> {
    Some(match name {
        b"lt" => "<",
        b"gt" => ">",
        b"amp" => "&",
        b"quot" => "\"",
        b"apos" => "'",
        _ => return None,
    })
}

fn element(tag: &BytesStart<'_>) -> Result<ArchiveElement, String> {
    let local = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let mut element = ArchiveElement {
        name: local(tag.local_name().as_ref()),
        ..ArchiveElement::default()
    };
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|e| format!("an attribute is wrong: {e}"))?;
        let value = attribute
            .unescape_value()
            .map_err(|e| format!("an attribute is wrong: {e}"))?;
        let name = local(attribute.key.local_name().as_ref());
        element.attributes.push((name, value.into_owned()));
    }
    Ok(element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_attributes_and_text_are_read_without_prefixes() {
        let root =
            parse(b"<?xml version='1.0'?><n:a x='1 &amp; 2'><!-- c --><b> t&lt;u </b><b/></n:a>")
                .unwrap();
        assert_eq!(root.name, "a");
        assert_eq!(root.attribute("x"), Some("1 & 2"));
        assert_eq!(root.text_of("b"), Some("t<u"));
        assert_eq!(root.children_named("b").count(), 2);
    }

    #[test]
    fn entities_and_document_types_are_refused() {
        let bomb = b"<!DOCTYPE a [<!ENTITY b \"bb\">]><a>&b;</a>";
        assert!(parse(bomb).unwrap_err().contains("document type"));
        assert!(
            parse(b"<a>\n&b;</a>")
                .unwrap_err()
                .contains("line 2: an entity")
        );
        assert!(parse(b"<a x='&b;'/>").unwrap_err().contains("attribute"));
    }

    #[test]
    fn documents_that_are_too_deep_or_cut_are_refused() {
        let deep = "<a>".repeat(100) + &"</a>".repeat(100);
        assert!(parse(deep.as_bytes()).unwrap_err().contains("too deep"));
        for cut in ["<a>", "", "<a></b>", "<a/><b/>", "text"] {
            assert!(parse(cut.as_bytes()).is_err(), "{cut}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(<|>|/|a|&|;|x='|'|!|\\[|-|#| ){0,40}") {
            let _ = parse(text.as_bytes());
        }
    }
}
