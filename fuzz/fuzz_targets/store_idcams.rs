//! IDCAMS text and JCL around it.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let deck = store::idcams::parse(text);
    for found in &deck.diagnostics {
        assert!(found.line >= 1 && found.column >= 1);
    }
});
