//! Any text is a set of definitions with diagnostics, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let csd = cics::csd::parse(text);
    for diagnostic in &csd.diagnostics {
        assert!(diagnostic.line > 0);
    }
});
