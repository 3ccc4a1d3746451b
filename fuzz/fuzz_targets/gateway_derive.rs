//! Structures of JSON schemas, and answers of programs read by them: whatever
//! the bytes, nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let middle = data.iter().position(|b| *b == 0).unwrap_or(data.len());
    let (schema, answer) = data.split_at(middle);
    gateway::fuzz_derived(schema, answer);
});
