//! Any text is a record or an error; what encodes decodes.
#![no_main]

use std::sync::LazyLock;

use copybook::{RecordCodec, CodecOptions, ParseOptions};
use libfuzzer_sys::fuzz_target;

static CODEC: LazyLock<(RecordCodec, usize)> = LazyLock::new(|| {
    let layouts = copybook::parse(include_str!("../record.cpy"), &ParseOptions::default()).unwrap();
    let codec = RecordCodec::build(&layouts[0], &CodecOptions::default()).unwrap();
    (codec, layouts[0].length as usize)
});

fuzz_target!(|json: &[u8]| {
    let (codec, length) = &*CODEC;
    let mut record = vec![0; *length];
    if let Ok(bytes) = codec.encode(json, &mut record) {
        let mut out = Vec::new();
        codec
            .decode(&record[..bytes], &mut out)
            .expect("what was encoded decodes");
    }
});
