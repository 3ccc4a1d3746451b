//! Any text read as one of keywords with values in parentheses: node definitions and control language:
//! statements, diagnostics and findings, never a panic.
#![no_main]

use advise::{Document, Documents, advise, kinds};
use libfuzzer_sys::fuzz_target;

const KINDS: &[&str] = &["cm2-ndf", "as400"];

fuzz_target!(|text: &str| {
    for kind in kinds().filter(|k| KINDS.contains(&k.word)) {
        if let Ok(document) = Document::read("text", text, Some(kind)) {
            for diagnostic in &document.diagnostics {
                assert!(diagnostic.line > 0);
            }
            advise(&Documents::new([document]), &[]);
        }
    }
});
