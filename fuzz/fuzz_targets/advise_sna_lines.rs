//! Any text read as one whose statements are lines: LAN profiles, .NSD files,
//! AIX profiles.
#![no_main]

#[path = "shared/judge.rs"]
mod judge;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| judge::judge(text, &["cm2-lan", "nsdos", "aix-sna"]));
