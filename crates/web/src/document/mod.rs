//! Documents: what a program puts together piece by piece and sends.
//!
//! A document is a list of blocks, of which bookmarks name places. Text is
//! converted when the document is sent, binary blocks are not. Symbols are put
//! in where a template or a buffer that is like one is inserted.
//!
//! Reference: CICS Internet guide, "Programming with documents".

mod retrieved;
mod symbols;
mod template;

use std::collections::HashMap;

use copybook::codepage::CodePage;
use region::CountAndBytes;

pub use symbols::{SymbolError, SymbolTable};
pub use template::{TemplateError, TemplateTable};

use crate::pages;

/// Most documents of one task.
const MOST: usize = 1_000;

/// The documents of a task, by token.
#[derive(Debug, Default)]
pub struct TaskDocuments {
    each: HashMap<[u8; 16], Document>,
    made: u64,
}

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Document {
    blocks: Vec<Block>,
    /// Values of its symbols.
    pub symbols: SymbolTable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    Text(Vec<u8>),
    Binary(Vec<u8>),
    Bookmark([u8; 16]),
}

/// The inserted part.
#[derive(Debug)]
pub enum InsertedPart<'a> {
    /// Text without symbols.
    Text(&'a [u8]),
    /// Bytes that are never converted.
    Binary(&'a [u8]),
    /// A buffer: a document that was retrieved, or text with symbols.
    From(&'a [u8]),
    /// A template.
    Template(&'a str),
    /// Another document.
    Document(Document),
    /// The value of a symbol.
    Symbol(&'a str),
    /// A place.
    Bookmark([u8; 16]),
}

/// Why something could not be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertError {
    /// There is a bookmark of that name.
    Bookmark,
    /// There is no bookmark AT.
    At,
    /// There is no bookmark TO.
    To,
    /// TO precedes AT.
    Order,
    /// There is no symbol of that name.
    Symbol,
    /// The template is not as it must be.
    Template(TemplateError),
}

/// The bookmark before everything.
const TOP: [u8; 16] = *b"TOP             ";
/// The bookmark at the end of the document.
const BOTTOM: [u8; 16] = *b"BOTTOM          ";

impl TaskDocuments {
    /// Adds a document. Returns `None` when the task has the most documents allowed.
    pub fn add(&mut self, document: Document) -> Option<[u8; 16]> {
        if self.each.len() >= MOST {
            return None;
        }
        self.made += 1;
        let mut token = *b"DFHDOC\0\0\0\0\0\0\0\0\0\0";
        token[8..].copy_from_slice(&self.made.to_be_bytes());
        self.each.insert(token, document);
        Some(token)
    }

    /// The document of a token.
    pub fn get(&self, token: &[u8; 16]) -> Option<&Document> {
        self.each.get(token)
    }

    /// As above, mutable.
    pub fn get_mut(&mut self, token: &[u8; 16]) -> Option<&mut Document> {
        self.each.get_mut(token)
    }

    /// Takes a document out.
    pub fn remove(&mut self, token: &[u8; 16]) -> Option<Document> {
        self.each.remove(token)
    }

    /// How many documents there are, and their bytes.
    pub fn amount(&self) -> CountAndBytes {
        CountAndBytes {
            count: self.each.len() as u64,
            bytes: self.bytes() as u64,
        }
    }

    /// Bytes of all documents.
    pub fn bytes(&self) -> usize {
        self.each.values().map(Document::size).sum()
    }
}

impl Document {
    /// Bytes that a copy with its tags takes (DOCSIZE).
    pub fn size(&self) -> usize {
        retrieved::size(&self.blocks)
    }

    /// Inserts at the end, or AT a bookmark, replacing the text between
    /// it and TO. Nothing changes when that is not possible.
    pub fn insert(
        &mut self,
        piece: InsertedPart<'_>,
        templates: &TemplateTable,
        at: Option<[u8; 16]>,
        to: Option<[u8; 16]>,
    ) -> Result<(), InsertError> {
        let range = self.range(at, to)?;
        let blocks = self.blocks_of(piece, templates)?;
        let replaced = range.clone();
        let kept =
            |b: &Block| matches!(b, Block::Bookmark(name) if self.has_outside(name, &replaced));
        if blocks.iter().any(kept) {
            return Err(InsertError::Bookmark);
        }
        self.blocks.splice(range, blocks);
        Ok(())
    }

    /// Whether a bookmark is there that would stay.
    fn has_outside(&self, name: &[u8; 16], range: &std::ops::Range<usize>) -> bool {
        let place = self.place(name);
        [TOP, BOTTOM].contains(name) || place.is_some_and(|at| !range.contains(&at))
    }

    fn place(&self, name: &[u8; 16]) -> Option<usize> {
        let is = |b: &Block| matches!(b, Block::Bookmark(own) if own == name);
        self.blocks.iter().position(is)
    }

    fn range(
        &self,
        at: Option<[u8; 16]>,
        to: Option<[u8; 16]>,
    ) -> Result<std::ops::Range<usize>, InsertError> {
        let end = self.blocks.len();
        let place = |name: &[u8; 16]| match *name {
            TOP => Some((0, 0)),
            BOTTOM => Some((end, end)),
            // After it if text follows, before it if it is the end.
            _ => self.place(name).map(|at| (at + 1, at)),
        };
        let Some(at) = at else {
            return Ok(end..end);
        };
        let (begin, before) = place(&at).ok_or(InsertError::At)?;
        let Some(to) = to else {
            return Ok(before..before);
        };
        let (_, until) = place(&to).ok_or(InsertError::To)?;
        if begin <= until {
            Ok(begin..until)
        } else {
            Err(InsertError::Order)
        }
    }

    fn blocks_of(
        &mut self,
        piece: InsertedPart<'_>,
        templates: &TemplateTable,
    ) -> Result<Vec<Block>, InsertError> {
        Ok(match piece {
            InsertedPart::Text(bytes) => vec![Block::Text(bytes.to_vec())],
            InsertedPart::Binary(bytes) => vec![Block::Binary(bytes.to_vec())],
            InsertedPart::Bookmark(name) => vec![Block::Bookmark(name)],
            InsertedPart::Document(other) => other.blocks,
            InsertedPart::Symbol(name) => {
                let value = self.symbols.get(name).ok_or(InsertError::Symbol)?;
                vec![Block::Text(value.to_vec())]
            }
            InsertedPart::Template(name) => {
                let made = templates.expand(name, &mut self.symbols);
                let (bytes, binary) = made.map_err(InsertError::Template)?;
                vec![if binary {
                    Block::Binary(bytes)
                } else {
                    Block::Text(bytes)
                }]
            }
            InsertedPart::From(bytes) => match retrieved::parse(bytes) {
                Some(blocks) => blocks,
                None => {
                    let made = templates.expand_text(bytes, &mut self.symbols);
                    vec![Block::Text(made.map_err(InsertError::Template)?)]
                }
            },
        })
    }

    /// Its bytes, text converted from one page into another.
    pub fn data(&self, pages: Option<(CodePage, CodePage)>) -> Vec<u8> {
        let mut out = Vec::new();
        for block in &self.blocks {
            match (block, pages) {
                (Block::Text(text), Some((from, to))) => {
                    out.extend_from_slice(&pages::convert(text, from, to));
                }
                (Block::Text(bytes) | Block::Binary(bytes), _) => out.extend_from_slice(bytes),
                (Block::Bookmark(_), _) => {}
            }
        }
        out
    }

    /// Its bytes with tags around blocks, which FROM understands.
    pub fn tagged(&self) -> Vec<u8> {
        retrieved::emit(&self.blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> [u8; 16] {
        let mut name = [b' '; 16];
        name[..text.len()].copy_from_slice(text.as_bytes());
        name
    }

    fn text(document: &Document) -> String {
        String::from_utf8(document.data(None)).unwrap()
    }

    #[test]
    fn pieces_are_inserted_at_their_bookmarks() {
        let (none, mut d) = (TemplateTable::default(), Document::default());
        d.insert(InsertedPart::Text(b"one "), &none, None, None)
            .unwrap();
        d.insert(InsertedPart::Bookmark(name("A")), &none, None, None)
            .unwrap();
        d.insert(InsertedPart::Text(b"two "), &none, None, None)
            .unwrap();
        d.insert(InsertedPart::Bookmark(name("B")), &none, None, None)
            .unwrap();
        d.insert(InsertedPart::Text(b"three"), &none, None, None)
            .unwrap();
        d.insert(InsertedPart::Text(b"zero "), &none, Some(TOP), None)
            .unwrap();
        d.insert(InsertedPart::Text(b"1.5 "), &none, Some(name("A")), None)
            .unwrap();
        assert_eq!(text(&d), "zero one 1.5 two three");
        let (a, b) = (Some(name("A")), Some(name("B")));
        d.insert(InsertedPart::Text(b"TWO "), &none, a, b).unwrap();
        assert_eq!(text(&d), "zero one 1.5 TWO three");
        let wrong = d.insert(InsertedPart::Text(b"x"), &none, b, a);
        assert_eq!(wrong, Err(InsertError::Order));
        let twice = d.insert(InsertedPart::Bookmark(name("B")), &none, None, None);
        assert_eq!(twice, Err(InsertError::Bookmark));
        let nowhere = d.insert(InsertedPart::Text(b"x"), &none, Some(name("C")), None);
        assert_eq!(nowhere, Err(InsertError::At));
    }

    #[test]
    fn a_document_that_was_retrieved_keeps_its_bookmarks() {
        let (none, mut d) = (TemplateTable::default(), Document::default());
        d.insert(InsertedPart::Text(b"a"), &none, None, None)
            .unwrap();
        d.insert(InsertedPart::Bookmark(name("M")), &none, None, None)
            .unwrap();
        d.insert(InsertedPart::Binary(b"b"), &none, None, None)
            .unwrap();
        let copy = d.tagged();
        assert_eq!(copy.len(), d.size());
        let mut second = Document::default();
        second
            .insert(InsertedPart::From(&copy), &none, None, None)
            .unwrap();
        second
            .insert(InsertedPart::Text(b"-"), &none, Some(name("M")), None)
            .unwrap();
        assert_eq!(text(&second), "a-b");
    }
}
