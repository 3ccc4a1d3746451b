//! Any bytes in a worker's pipe give a printable line, and a record made of
//! them comes back with its task.
#![no_main]

use libfuzzer_sys::fuzz_target;
use link::display::{DisplayCharacters, DisplayLine, RECORD_BYTES, DisplaySource, parse, record};

fuzz_target!(|data: (u64, [u8; 4], [u8; 8], Option<u8>, &[u8])| {
    let (task, transid, program, page, line) = data;
    // A page of one byte a character moves the letters of Latin-1 about, some of them to none.
    let characters = match page {
        None => DisplayCharacters::Utf8,
        Some(by) => DisplayCharacters::Table(Box::new(std::array::from_fn(|high| {
            let byte = (high as u8).wrapping_add(by);
            (byte != 0xff).then(|| char::from(byte))
        }))),
    };
    let DisplayLine {
        transid: shown,
        program: and,
        text,
        ..
    } = parse(line, &characters);
    assert!(!(shown + &and + &text).chars().any(char::is_control));
    let source = DisplaySource {
        task,
        transid,
        program,
    };
    let record = record(&source, line);
    assert!(record.len() <= RECORD_BYTES);
    let body = record.strip_suffix(b"\n").expect("a record ends its line");
    assert!(!body.contains(&b'\n'));
    assert_eq!(parse(body, &characters).task, Some(task));
});
