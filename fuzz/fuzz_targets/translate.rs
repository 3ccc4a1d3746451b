//! Any text is a program with diagnostics, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use translator::{Format, Library, translate};

fuzz_target!(|text: &[u8]| {
    let none: [&Path; 0] = [];
    let library = Library::open(&none);
    for format in [Format::Fixed, Format::Free] {
        translate(Path::new("FUZZ.cbl"), text, format, &library);
    }
});
