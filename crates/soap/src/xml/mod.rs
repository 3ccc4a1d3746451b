//! XML as messages may use it: no document types, no entities but the five of
//! the language, limits on depth and size, one root.
//!
//! Limits and rules around the reader of `quick-xml`, which does not have these
//! limits. [`Reader`] returns events, [`NamespaceScopes`] resolves prefixes,
//! [`XmlElement`] is a whole document for tools that read descriptions; messages
//! never become one.
//!
//! Reference: XML 1.0 (fifth edition); Namespaces in XML 1.0.

use base::{Diagnostic, Severity};

mod reader;
mod scopes;
mod tree;
mod write;

pub use reader::{Limits, Reader, ReaderEvent, StartTag};
pub use scopes::{NamespaceScopes, split};
pub use tree::{XmlElement, parse_tree};
pub use write::{escape, escape_tail, push_attribute};

/// An error in a document, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct Error {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The reason.
    pub reason: String,
}

impl Error {
    /// An error at a byte of `text`.
    pub fn at(text: &str, offset: usize, reason: impl Into<String>) -> Error {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = column(before);
        Error {
            line,
            column,
            reason: reason.into(),
        }
    }
}

impl From<Error> for Diagnostic {
    fn from(error: Error) -> Diagnostic {
        let part = |n: usize| u32::try_from(n).unwrap_or(0);
        let place = (part(error.line), part(error.column));
        Diagnostic::new(Severity::Error, place, error.reason)
    }
}

/// The column of the place after a text, in characters from 1.
fn column(before: &[u8]) -> usize {
    let line = before.iter().rev().take_while(|b| **b != b'\n');
    // Further bytes of a character in UTF-8 begin with the bits 10.
    line.filter(|b| **b & 0xc0 != 0x80).count() + 1
}

/// The namespace of `xml:lang` and its kind.
pub const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// The namespace of `xsi:nil` and `xsi:type`.
pub const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// The namespace of schemas.
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema";
