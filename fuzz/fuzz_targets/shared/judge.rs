//! What every target of `advise` asks: a text read as given kinds and judged
//! ends in findings and diagnostics that have a place, never in a panic, and
//! no finding stands where an error does.

use std::collections::HashSet;

use advise::{Document, DocumentSet, advise, kinds};
use base::Severity;

/// Reads a text as each of some kinds and runs every rule over it.
pub fn judge(text: &str, words: &[&str]) {
    for kind in kinds().filter(|k| words.contains(&k.word)) {
        if let Ok(document) = Document::read("text", text, Some(kind)) {
            for diagnostic in &document.diagnostics {
                assert!(diagnostic.line > 0);
            }
            let errors = document
                .diagnostics
                .iter()
                .filter(|d| d.severity == Severity::Error);
            let places: HashSet<_> = errors.map(|d| (d.line, d.column)).collect();
            // What the reader could not read, no rule may quote. What a statement
            // lacks stands where the statement begins.
            for finding in advise(&DocumentSet::new([document]), &["sna".to_owned()]) {
                if finding.value.ends_with("is not coded") {
                    continue;
                }
                assert!(
                    !places.contains(&(finding.place.line, finding.place.column)),
                    "{finding:?}"
                );
            }
        }
    }
}
