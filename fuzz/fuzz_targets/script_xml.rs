//! Any text that a client sends can be read as XML for a script, or is refused,
//! without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(tree) = script::parse_xml(text) {
        assert!(tree.is_array());
    }
});
