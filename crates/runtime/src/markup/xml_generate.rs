//! XML GENERATE: a record as an XML document.
//!
//! Reference: Enterprise COBOL Language Reference, "XML GENERATE statement",
//! "XML element name and attribute name formation"; Programming Guide, "XML
//! GENERATE exceptions".

use super::Fault;
use super::descriptor::{Node, XmlForm};
use super::generate::{OutputItem, SourceRecord};
use super::value::{ItemText, convert};
use super::xml_names::{escape, is_character};

/// XML-CODE when the receiver is too small.
pub(super) const TOO_SMALL: i64 = 400;
/// XML-CODE when the namespace has characters that XML does not.
const NAMESPACE: i64 = 416;
/// XML-CODE when a value has characters that XML does not.
const CHARACTERS: i64 = 417;

/// The document of a record, and XML-CODE.
///
/// # Errors
/// A number in it is invalid.
pub(super) fn generate(
    source: &SourceRecord<'_>,
    namespace: &[u8],
    prefix: &[u8],
) -> Result<(Vec<u8>, i64), Fault> {
    if !namespace.iter().chain(prefix).all(|&b| is_character(b)) {
        return Ok((Vec::new(), NAMESPACE));
    }
    let mut writer = XmlWriter {
        source,
        namespace: Some(namespace).filter(|n| !n.is_empty()),
        prefix,
        out: Vec::new(),
        code: 0,
    };
    if source.statement.has_declaration {
        let encoding = if source.statement.is_utf8 {
            "UTF-8"
        } else {
            "ISO-8859-1"
        };
        let text = format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>");
        writer.out.extend_from_slice(text.as_bytes());
    }
    writer.element(&source.outputs()?)?;
    Ok((writer.out, writer.code))
}

struct XmlWriter<'a> {
    source: &'a SourceRecord<'a>,
    /// What the next element declares.
    namespace: Option<&'a [u8]>,
    prefix: &'a [u8],
    out: Vec<u8>,
    code: i64,
}

impl XmlWriter<'_> {
    fn node(&self, output: &OutputItem) -> &Node {
        &self.source.statement.nodes[output.node()]
    }

    /// An item with its tags, or the elements of a table.
    fn element(&mut self, output: &OutputItem) -> Result<(), Fault> {
        let mut name = name(self.node(output));
        match output {
            OutputItem::Table(_, elements) => {
                for element in elements {
                    self.item(element)?;
                }
            }
            OutputItem::Leaf(index, at) => {
                let (text, is_hex) = self.text(*index, *at)?;
                if is_hex {
                    name.splice(..0, *b"hex.");
                }
                self.start(&name);
                self.out.push(b'>');
                escape(&mut self.out, &text);
                self.end(&name);
            }
            OutputItem::Group(_, items) => {
                self.start(&name);
                for item in items {
                    if let OutputItem::Leaf(index, at) = item
                        && self.node(item).form == XmlForm::Attribute
                    {
                        self.attribute(*index, *at)?;
                    }
                }
                self.out.push(b'>');
                for item in items {
                    if self.node(item).form != XmlForm::Attribute {
                        self.item(item)?;
                    }
                }
                self.end(&name);
            }
        }
        Ok(())
    }

    /// An item of a group that is not an attribute.
    fn item(&mut self, output: &OutputItem) -> Result<(), Fault> {
        match output {
            OutputItem::Leaf(index, at) if self.node(output).form == XmlForm::Content => {
                let (text, _) = self.text(*index, *at)?;
                escape(&mut self.out, &text);
                Ok(())
            }
            _ => self.element(output),
        }
    }

    fn attribute(&mut self, index: usize, at: usize) -> Result<(), Fault> {
        let (text, is_hex) = self.text(index, at)?;
        self.out.push(b' ');
        if is_hex {
            self.out.extend_from_slice(b"hex.");
        }
        let name = name(&self.source.statement.nodes[index]);
        self.out.extend_from_slice(&name);
        self.out.extend_from_slice(b"=\"");
        escape(&mut self.out, &text);
        self.out.push(b'"');
        Ok(())
    }

    fn start(&mut self, name: &[u8]) {
        self.out.push(b'<');
        self.qualified(name);
        if let Some(namespace) = self.namespace.take() {
            self.out.extend_from_slice(b" xmlns");
            if !self.prefix.is_empty() {
                self.out.push(b':');
                self.out.extend_from_slice(self.prefix);
            }
            self.out.extend_from_slice(b"=\"");
            escape(&mut self.out, namespace);
            self.out.push(b'"');
        }
    }

    fn end(&mut self, name: &[u8]) {
        self.out.extend_from_slice(b"</");
        self.qualified(name);
        self.out.push(b'>');
    }

    fn qualified(&mut self, name: &[u8]) {
        if !self.prefix.is_empty() {
            self.out.extend_from_slice(self.prefix);
            self.out.push(b':');
        }
        self.out.extend_from_slice(name);
    }

    /// The characters of an item, or its bytes as hexadecimal digits if it has
    /// characters that XML does not.
    fn text(&mut self, index: usize, at: usize) -> Result<(Vec<u8>, bool), Fault> {
        let node = &self.source.statement.nodes[index];
        let bytes = self.source.bytes(node, at)?;
        let text = match convert(node, bytes)? {
            ItemText::Number(text) => text.into_bytes(),
            ItemText::Text(text) => text,
        };
        if text.iter().all(|&b| is_character(b)) {
            return Ok((text, false));
        }
        self.code = CHARACTERS;
        let digits = base::hex::upper(bytes);
        Ok((digits.into_bytes(), true))
    }
}

/// The name of an element or attribute.
fn name(node: &Node) -> Vec<u8> {
    let mut name = node.name.clone();
    let is_reserved = name
        .get(..3)
        .is_some_and(|n| n.eq_ignore_ascii_case(b"xml"));
    if !node.is_exact && (is_reserved || name.first().is_some_and(u8::is_ascii_digit)) {
        name.insert(0, b'_');
    }
    name
}
