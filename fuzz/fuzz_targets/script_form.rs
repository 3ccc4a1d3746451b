//! Any body of a client is read as a form or refused, without a panic, and its
//! parts lie within it.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (kind, body) = input;
    for kind in [kind, "multipart/form-data; boundary=b"] {
        if let Ok(parts) = script::parse_form(kind, body) {
            let bytes: usize = parts.iter().map(|p| p.bytes.len()).sum();
            assert!(bytes <= body.len());
        }
    }
});
