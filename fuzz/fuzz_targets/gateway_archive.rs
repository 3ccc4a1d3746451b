//! Archives of old projects: zip, XML, interfaces and mappings never panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| gateway::fuzz_archive(bytes));
