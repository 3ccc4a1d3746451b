//! Any bytes can be read as any kind of configuration, and judged, without a
//! panic. The first byte chooses the kind.
#![no_main]

use advise::{Document, DocumentSet, advise, decode, kinds};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: (u8, &[u8])| {
    let (choice, bytes) = data;
    let Ok(text) = decode(bytes) else {
        return;
    };
    let kind = kinds().nth(usize::from(choice) % (kinds().count() + 1));
    let Ok(document) = Document::read("f", &text, kind) else {
        return;
    };
    for diagnostic in &document.diagnostics {
        assert!(diagnostic.line > 0);
    }
    advise(&DocumentSet::new([document]), &[]);
});
