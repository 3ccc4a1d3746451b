//! Any text can be read as a rule set without a panic, and what is wrong with
//! it has a place.
#![no_main]

use gateway::PolicyRules;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|text: &str| {
    if let Err(faults) = PolicyRules::parse(Path::new("p.xml"), text) {
        assert!(faults.has_errors());
    }
});
