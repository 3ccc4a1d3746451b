//! Records and JSON text: one group of behaviours a file.

mod decode;
mod encode;
mod fields;
mod redefines;
mod streams;
mod varying;

use copybook::{CodecOptions, ParseOptions, RecordCodec, RecordLayout};

/// The first record of a copybook.
pub fn layout(copybook: &str) -> RecordLayout {
    let text = copybook
        .lines()
        .map(|line| format!("       {}\n", line.trim_end()))
        .collect::<String>();
    match copybook::parse(&text, &ParseOptions::default()) {
        Ok(mut layouts) => layouts.remove(0),
        Err(diagnostics) => panic!("{diagnostics:?}\n{text}"),
    }
}

/// A codec with default options except what `adjust` changes.
pub fn codec(copybook: &str, adjust: impl FnOnce(&mut CodecOptions)) -> RecordCodec {
    let mut options = CodecOptions::default();
    adjust(&mut options);
    RecordCodec::build(&layout(copybook), &options).unwrap_or_else(|e| panic!("{e}"))
}

/// A record's JSON text, or the message of its error.
pub fn decoded(codec: &RecordCodec, record: &[u8]) -> Result<String, String> {
    let mut out = b"before".to_vec();
    match codec.decode(record, &mut out) {
        Ok(()) => Ok(String::from_utf8(out[6..].to_vec()).expect("JSON is UTF-8")),
        Err(error) => {
            assert_eq!(out, b"before", "nothing is left of a failed record");
            Err(error.to_string())
        }
    }
}

/// The record of a JSON text, or the message of its error.
pub fn encoded(codec: &RecordCodec, json: &str) -> Result<Vec<u8>, String> {
    let mut area = vec![0xee; codec.max_len() + 3];
    let len = codec
        .encode(json.as_bytes(), &mut area)
        .map_err(|e| e.to_string())?;
    assert_eq!(
        area[codec.max_len()..],
        [0xee; 3],
        "nothing is written after the record"
    );
    area.truncate(len);
    Ok(area)
}
