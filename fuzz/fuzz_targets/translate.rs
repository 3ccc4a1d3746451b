//! Any text is a program with diagnostics, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use translator::{ReferenceFormat, CopyLibrary, translate};

fuzz_target!(|text: &[u8]| {
    let none: [&Path; 0] = [];
    let library = CopyLibrary::open(&none);
    for format in [ReferenceFormat::Fixed, ReferenceFormat::Free] {
        translate(Path::new("FUZZ.cbl"), text, format, &library);
    }
});
