//! Any bytes in a worker's pipe give a printable line, and a record made of
//! them comes back with its task.
#![no_main]

use libfuzzer_sys::fuzz_target;
use link::display::{RECORD_BYTES, parse, record};

fuzz_target!(|data: (u64, &[u8])| {
    let (task, line) = data;
    assert!(!parse(line).1.chars().any(char::is_control));
    let record = record(task, line);
    assert!(record.len() <= RECORD_BYTES);
    let body = record.strip_suffix('\n').expect("a record ends its line");
    assert!(!body.contains('\n'));
    assert_eq!(parse(body.as_bytes()).0, Some(task));
});
