//! Any expression of a mapping is compiled or refused, as a value, a condition
//! and a template, with what bounds its texts.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(source) = std::str::from_utf8(data) {
        gateway::fuzz_expression(source);
    }
});
