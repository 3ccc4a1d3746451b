//! Loading a file of records never panics, whatever is in it, and accounts for
//! every record it read. The first byte chooses the framing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use store::transfer::{RecordFraming, LoadOptions, VerbatimConverter, load};
use store::{FileDef, KeyField, MemoryStore, RecordFormat, WriteStore};

fuzz_target!(|data: &[u8]| {
    let Some((choice, mut input)) = data.split_first() else {
        return;
    };
    let key = KeyField {
        offset_bytes: 1,
        length_bytes: 2,
    };
    let name = "FUZZ".parse().expect("a file name");
    let def = FileDef::ksds(name, key, RecordFormat::Variable, 80).expect("a definition");
    let framing = match choice % 5 {
        0 => RecordFraming::Fixed {
            record_bytes: usize::from(choice / 5),
        },
        1 => RecordFraming::ascii_lines(&def),
        2 => RecordFraming::ebcdic_lines(&def),
        3 => RecordFraming::Rdw,
        _ => RecordFraming::JsonLines,
    };
    let mut store = MemoryStore::new();
    let file = store.define(def).expect("an empty store");
    let options = LoadOptions {
        max_rejects: u64::MAX,
        memory_bytes: 256,
        ..LoadOptions::new(framing)
    };
    let loaded = load(
        &mut store,
        file,
        &mut input,
        &options,
        &VerbatimConverter,
        &mut |_| (),
    );
    if let Ok((report, _)) = loaded {
        assert_eq!(report.read, report.loaded + report.rejected);
    }
});
