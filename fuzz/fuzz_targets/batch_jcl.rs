//! Jobs.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let job = batch::jcl::parse(text);
    for found in &job.diagnostics {
        assert!(found.line >= 1 && found.column >= 1);
    }
    assert!(job.has_errors() || !job.steps.is_empty());
});
