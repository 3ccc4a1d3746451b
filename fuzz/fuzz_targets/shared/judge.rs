//! What every target of `advise` asks: a text read as given kinds and judged
//! ends in findings and diagnostics that have a place, never in a panic.

use advise::{Document, Documents, advise, kinds};

/// Reads a text as each of some kinds and runs every rule over it.
pub fn judge(text: &str, words: &[&str]) {
    for kind in kinds().filter(|k| words.contains(&k.word)) {
        if let Ok(document) = Document::read("text", text, Some(kind)) {
            for diagnostic in &document.diagnostics {
                assert!(diagnostic.line > 0);
            }
            advise(&Documents::new([document]), &[]);
        }
    }
}
