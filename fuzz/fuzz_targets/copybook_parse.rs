//! Any text is a copybook or a list of diagnostics, never a panic.
#![no_main]

use copybook::ParseOptions;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(layouts) = copybook::parse(text, &ParseOptions::default()) {
        for layout in &layouts {
            assert!(layout.min_length <= layout.length);
            let _ = copybook::describe(layout);
        }
    }
});
