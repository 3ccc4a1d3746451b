//! JSON GENERATE: a record as JSON text.
//!
//! Reference: Enterprise COBOL Language Reference, "JSON GENERATE statement";
//! Programming Guide, "Producing JSON output".

use super::Fault;
use super::generate::{OutputItem, SourceRecord};
use super::value::{ItemText, convert, is_figurative, is_true};

/// JSON-CODE when the receiver is too small.
pub(super) const TOO_SMALL: i64 = 1;

/// The JSON text of a record.
///
/// # Errors
/// A number in it is invalid.
pub(super) fn generate(source: &SourceRecord<'_>) -> Result<Vec<u8>, Fault> {
    let root = source.outputs()?;
    let name = &source.statement.nodes[0].name;
    let mut writer = JsonWriter {
        source,
        out: Vec::new(),
    };
    if name.is_empty() {
        writer.value(&root)?;
    } else {
        writer.object(std::slice::from_ref(&root))?;
    }
    Ok(writer.out)
}

struct JsonWriter<'a> {
    source: &'a SourceRecord<'a>,
    out: Vec<u8>,
}

impl JsonWriter<'_> {
    fn object(&mut self, items: &[OutputItem]) -> Result<(), Fault> {
        self.out.push(b'{');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            let name = &self.source.statement.nodes[item.node()].name;
            quote(&mut self.out, name);
            self.out.push(b':');
            self.value(item)?;
        }
        self.out.push(b'}');
        Ok(())
    }

    fn value(&mut self, item: &OutputItem) -> Result<(), Fault> {
        match item {
            OutputItem::Group(_, items) => self.object(items),
            OutputItem::Table(_, elements) => {
                self.out.push(b'[');
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        self.out.push(b',');
                    }
                    self.value(element)?;
                }
                self.out.push(b']');
                Ok(())
            }
            OutputItem::Leaf(node, at) => self.leaf(*node, *at),
        }
    }

    fn leaf(&mut self, node: usize, at: usize) -> Result<(), Fault> {
        let node = &self.source.statement.nodes[node];
        let bytes = self.source.bytes(node, at)?;
        if is_figurative(node, bytes, node.null) {
            self.out.extend_from_slice(b"null");
        } else if !node.truths.is_empty() {
            let value: &[u8] = if is_true(node, bytes)? {
                b"true"
            } else {
                b"false"
            };
            self.out.extend_from_slice(value);
        } else {
            match convert(node, bytes)? {
                ItemText::Number(text) => self.out.extend_from_slice(text.as_bytes()),
                ItemText::Text(text) => quote(&mut self.out, &text),
            }
        }
        Ok(())
    }
}

/// A string in its quotes, with what must be escaped escaped.
fn quote(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0x08 => out.extend_from_slice(b"\\b"),
            0x09 => out.extend_from_slice(b"\\t"),
            0x0A => out.extend_from_slice(b"\\n"),
            0x0C => out.extend_from_slice(b"\\f"),
            0x0D => out.extend_from_slice(b"\\r"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
