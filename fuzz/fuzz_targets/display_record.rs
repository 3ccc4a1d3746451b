//! Any bytes in a worker's pipe give a printable line, and a record made of
//! them comes back with its task.
#![no_main]

use libfuzzer_sys::fuzz_target;
use link::display::{Line, RECORD_BYTES, Source, parse, record};

fuzz_target!(|data: (u64, [u8; 4], [u8; 8], &[u8])| {
    let (task, transid, program, line) = data;
    let Line {
        transid: shown,
        program: and,
        text,
        ..
    } = parse(line);
    assert!(!(shown + &and + &text).chars().any(char::is_control));
    let source = Source {
        task,
        transid,
        program,
    };
    let record = record(&source, line);
    assert!(record.len() <= RECORD_BYTES);
    let body = record.strip_suffix('\n').expect("a record ends its line");
    assert!(!body.contains('\n'));
    assert_eq!(parse(body.as_bytes()).task, Some(task));
});
