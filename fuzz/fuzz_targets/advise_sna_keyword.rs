//! Any text read as one of keywords with values in parentheses: node
//! definitions and control language.
#![no_main]

#[path = "shared/judge.rs"]
mod judge;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| judge::judge(text, &["cm2-ndf", "as400"]));
