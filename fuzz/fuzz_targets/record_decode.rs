//! Any bytes are a record or an error; what decodes is JSON.
#![no_main]

use std::sync::LazyLock;

use copybook::codec::{RedefinesChoice, InvalidPolicy, LongRecord, ShortRecord};
use copybook::{CodePage, RecordCodec, CodecOptions, ParseOptions};
use libfuzzer_sys::fuzz_target;

static CODECS: LazyLock<Vec<RecordCodec>> = LazyLock::new(|| {
    let layouts = copybook::parse(include_str!("../record.cpy"), &ParseOptions::default()).unwrap();
    let ebcdic = CodePage::by_name("cp037").unwrap();
    [
        (CodePage::ascii(), InvalidPolicy::Error),
        (ebcdic, InvalidPolicy::Null),
        (CodePage::utf8(), InvalidPolicy::Raw),
    ]
    .into_iter()
    .map(|(code_page, invalid)| {
        let options = CodecOptions {
            code_page,
            invalid,
            other_redefines: RedefinesChoice::AllValid,
            short_record: ShortRecord::Absent,
            long_record: LongRecord::Ignore,
            ..CodecOptions::default()
        };
        RecordCodec::build(&layouts[0], &options).unwrap()
    })
    .collect()
});

fuzz_target!(|bytes: &[u8]| {
    for codec in CODECS.iter() {
        let mut json = Vec::new();
        if codec.decode(bytes, &mut json).is_ok() {
            std::str::from_utf8(&json).expect("JSON is UTF-8");
        }
    }
});
