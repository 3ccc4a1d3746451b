//! Any text is a scenario, a .har or a .jmx, or a list of what is wrong.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|text: &str| {
    let _ = drive::scenario::read(text, Path::new("."));
    let _ = drive::import::har(text);
    let _ = drive::import::jmx(text);
});
