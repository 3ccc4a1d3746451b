//! Any text read as one in the columns of the assembler: mode tables, major
//! nodes, generations, start options.
#![no_main]

#[path = "shared/judge.rs"]
mod judge;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| judge::judge(text, &["vtam-modes", "vtam-node", "ncp", "vtam-start"]));
