//! Load and dump.

use copybook::codec::SourceMachine;
use copybook::{CodePage, CodecOptions, RecordCodec};
use proptest::prelude::*;
use store::transfer::{
    ConvertError, DumpOptions, FileSource, JsonRecords, LoadError, LoadEvent, LoadMode,
    LoadOptions, LoadReport, RecordConverter, RecordFraming, ThroughCopybook, VerbatimConverter,
    copy, dump, load,
};
use store::{
    FileDef, FileId, FileOrganisation, KeyField, LmdbStore, MemoryStore, ReadExt, ReadStore,
    RecordFormat, UnitOfWork, WriteStore,
};

use crate::support::{all, fill, index, ksds, options};

/// A file of 8-byte records with a key of two bytes after the first one.
fn fixed() -> FileDef {
    let key = KeyField {
        offset_bytes: 1,
        length_bytes: 2,
    };
    FileDef::ksds("F".parse().unwrap(), key, RecordFormat::Fixed, 8).unwrap()
}

/// A load and its events.
struct Loaded {
    result: Result<(LoadReport, FileId), LoadError>,
    rejects: Vec<String>,
}

fn run(store: &mut dyn WriteStore, file: FileId, input: &[u8], options: &LoadOptions) -> Loaded {
    let mut rejects = Vec::new();
    let result = load(
        store,
        file,
        &mut &*input,
        options,
        &VerbatimConverter,
        &mut |event| {
            if let LoadEvent::Rejected {
                number,
                key,
                reason,
            } = event
            {
                let key = key.map_or_else(String::new, |key| format!(" {key}"));
                rejects.push(format!("{number}{key}: {reason}"));
            }
        },
    );
    Loaded { result, rejects }
}

fn dumped(reader: &mut dyn ReadStore, file: FileId, framing: RecordFraming) -> Vec<u8> {
    let mut bytes = Vec::new();
    let report = dump(
        reader,
        file,
        &mut bytes,
        &DumpOptions::new(framing),
        &VerbatimConverter,
        &mut |_| (),
    )
    .unwrap();
    assert_eq!(report.records as usize, all(reader, file).unwrap().len());
    bytes
}

#[test]
fn text_lines_are_padded_and_sorted() {
    let mut store = MemoryStore::new();
    let file = store.define(fixed()).unwrap();
    let lines = LoadOptions::new(RecordFraming::ascii_lines(&fixed()));
    let loaded = run(&mut store, file, b"x20two\nx10one\r\nx30", &lines);
    let (report, file) = loaded.result.unwrap();
    assert_eq!(
        report,
        LoadReport {
            read: 3,
            loaded: 3,
            rejected: 0,
            bytes: 24
        }
    );
    assert_eq!(
        all(&mut store, file).unwrap(),
        ["x10one  ", "x20two  ", "x30     "]
    );
    let text = dumped(&mut store, file, RecordFraming::ascii_lines(&fixed()));
    assert_eq!(text, b"x10one\nx20two\nx30\n");
}

#[test]
fn bad_records_are_reported_with_number_and_key_and_the_others_loaded() {
    let mut store = MemoryStore::new();
    let file = store.define(fixed()).unwrap();
    let input = b"x20first\nx10one\nx20again\nx30much too long\n\nx40four\n";
    let lines = LoadOptions {
        max_rejects: 9,
        ..LoadOptions::new(RecordFraming::Lines {
            end: b'\n',
            blank: b' ',
            pad_to: Some(4),
        })
    };
    let loaded = run(&mut store, file, input, &lines);
    let (report, file) = loaded.result.unwrap();
    assert_eq!((report.read, report.loaded, report.rejected), (6, 1, 5));
    assert_eq!(all(&mut store, file).unwrap(), ["x20first"]);
    assert_eq!(
        loaded.rejects,
        [
            "2 '10': the record has 6 bytes, but this file's records have 8",
            "4 '30': the record has 16 bytes, more than the file's 8",
            "5 '  ': the record has 4 bytes, but this file's records have 8",
            "6 '40': the record has 7 bytes, but this file's records have 8",
            "3 '20': a record with this key already exists",
        ]
    );
}

#[test]
fn one_reject_too_many_ends_the_load_and_changes_nothing() {
    let mut store = MemoryStore::new();
    let file = store.define(ksds("F", 1)).unwrap();
    fill(&mut store, file, 1, &["1 old"]);
    let lines = LoadOptions {
        max_rejects: 1,
        ..LoadOptions::new(RecordFraming::ascii_lines(&ksds("F", 1)))
    };
    let loaded = run(&mut store, file, b"3\n\n2\n3\n3\n", &lines);
    assert_eq!(loaded.rejects.len(), 2);
    let error = loaded.result.unwrap_err().to_string();
    assert_eq!(
        error,
        "record 4 was rejected: a record with this key already exists (1 before it were skipped)"
    );
    assert_eq!(all(&mut store, file).unwrap(), ["1 old"]);
}

#[test]
fn records_are_added_to_those_that_are_there() {
    let mut store = MemoryStore::new();
    let file = store.define(ksds("F", 1)).unwrap();
    fill(&mut store, file, 1, &["2 old"]);
    let lines = LoadOptions {
        mode: LoadMode::Add,
        max_rejects: 1,
        ..LoadOptions::new(RecordFraming::ascii_lines(&ksds("F", 1)))
    };
    let loaded = run(&mut store, file, b"3 new\n2 new\n1 new\n", &lines);
    assert_eq!(
        loaded.rejects,
        ["2 '2': a record with this key already exists"]
    );
    assert_eq!(loaded.result.unwrap().1, file);
    assert_eq!(all(&mut store, file).unwrap(), ["1 new", "2 old", "3 new"]);
}

#[test]
fn a_truncated_input_changes_nothing() {
    let mut store = MemoryStore::new();
    let file = store.define(fixed()).unwrap();
    let options = LoadOptions::new(RecordFraming::Fixed { record_bytes: 8 });
    let loaded = run(&mut store, file, b"x10one..x20tw", &options);
    assert!(matches!(loaded.result, Err(LoadError::Framing(_))));
    assert!(all(&mut store, file).unwrap().is_empty());
}

#[test]
fn entries_and_relative_records_keep_their_order_and_go_on_at_the_end() {
    let mut store = MemoryStore::new();
    let log = FileDef::esds("LOG".parse().unwrap(), RecordFormat::Variable, 80).unwrap();
    let slots = FileDef::rrds("SLOTS".parse().unwrap(), RecordFormat::Variable, 80).unwrap();
    for def in [log, slots] {
        let file = store.define(def.clone()).unwrap();
        let lines = LoadOptions::new(RecordFraming::ascii_lines(&def));
        let (_, file) = run(&mut store, file, b"zwei\neins\n", &lines)
            .result
            .unwrap();
        let more = LoadOptions {
            mode: LoadMode::Add,
            ..lines
        };
        run(&mut store, file, b"acht\n", &more).result.unwrap();
        assert_eq!(all(&mut store, file).unwrap(), ["zwei", "eins", "acht"]);
        assert_eq!(
            dumped(&mut store, file, RecordFraming::ascii_lines(&def)),
            b"zwei\neins\nacht\n"
        );
    }
}

/// Reverses the bytes of a record, in place of a code page.
struct Backwards;

impl RecordConverter for Backwards {
    fn inward(&self, outside: &[u8], record: &mut Vec<u8>) -> Result<(), ConvertError> {
        if outside.contains(&b'?') {
            return Err(ConvertError("field NAME holds '?'".to_owned()));
        }
        record.extend(outside.iter().rev());
        Ok(())
    }

    fn outward(&self, record: &[u8], outside: &mut Vec<u8>) -> Result<(), ConvertError> {
        self.inward(record, outside)
    }
}

#[test]
fn records_are_converted_both_ways_and_failures_are_reported() {
    let mut store = MemoryStore::new();
    let file = store.define(ksds("F", 1)).unwrap();
    let json = LoadOptions {
        max_rejects: 1,
        ..LoadOptions::new(RecordFraming::JsonLines)
    };
    let mut rejects = Vec::new();
    let (report, file) = load(
        &mut store,
        file,
        &mut &b"b2\n\n \na1\n?\n"[..],
        &json,
        &Backwards,
        &mut |event| {
            rejects.push(format!("{event:?}"));
        },
    )
    .unwrap();
    assert_eq!((report.read, report.loaded), (3, 2));
    assert!(rejects[0].contains("number: 5, key: None"), "{rejects:?}");
    assert_eq!(all(&mut store, file).unwrap(), ["1a", "2b"]);
    let mut out = Vec::new();
    dump(
        &mut store,
        file,
        &mut out,
        &DumpOptions::new(RecordFraming::JsonLines),
        &Backwards,
        &mut |_| (),
    )
    .unwrap();
    assert_eq!(out, b"a1\nb2\n");
    fill(&mut store, file, 1, &["3?"]);
    let error = dump(
        &mut store,
        file,
        &mut out,
        &DumpOptions::new(RecordFraming::JsonLines),
        &Backwards,
        &mut |_| (),
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "the record with key '3' cannot be written: field NAME holds '?'"
    );
}

/// An account with a signed packed balance, a binary counter and nameless
/// storage, alone and in a table.
const ACCOUNT: &str = "
       01  ACCOUNT.
           05  NUMBER-OF-IT  PIC 9(4).
           05  HOLDER        PIC X(6).
           05  BALANCE       PIC S9(5)V99 COMP-3.
           05  USES          PIC 9(4) COMP.
           05  CHANGE-OF-IT  PIC S99.
           05  FILLER        PIC X(3).
           05  PARTS OCCURS 2.
               10  PART      PIC X.
               10  FILLER    PIC 9.
           05  FILLER        PIC 9(4) COMP.
";

/// The account as a mainframe holds it, and as a region does.
const OUTSIDE: &[u8] = b"\xF0\xF0\xF4\xF2\xC1\x84\x81\x40\x40\x40\x00\x12\x34\x5D\x01\x02\xF1\xD2\
    \xC1\xC2\xC3\xE7\xF1\xE8\xF2\xC1\xC2";
const INSIDE: &[u8] = b"0042Ada   \x00\x12\x34\x5D\x01\x021rABCX1Y2\xC1\xC2";

fn account() -> copybook::RecordLayout {
    copybook::parse(ACCOUNT, &copybook::ParseOptions::default())
        .unwrap()
        .remove(0)
}

fn accounts() -> (MemoryStore, FileId) {
    let mut store = MemoryStore::new();
    let key = KeyField {
        offset_bytes: 0,
        length_bytes: 4,
    };
    let length = INSIDE.len() as u32;
    let def = FileDef::ksds(
        "ACCOUNTS".parse().unwrap(),
        key,
        RecordFormat::Fixed,
        length,
    )
    .unwrap();
    let file = store.define(def).unwrap();
    (store, file)
}

fn round(
    convert: &dyn RecordConverter,
    framing: RecordFraming,
    outside: &[u8],
) -> (Vec<u8>, Vec<u8>) {
    let (mut store, file) = accounts();
    let options = LoadOptions::new(framing);
    let (_, file) = load(
        &mut store,
        file,
        &mut &*outside,
        &options,
        convert,
        &mut |_| (),
    )
    .unwrap();
    let inside = store.get(file, b"0042", <[u8]>::to_vec).unwrap().unwrap();
    let mut back = Vec::new();
    dump(
        &mut store,
        file,
        &mut back,
        &DumpOptions::new(framing),
        convert,
        &mut |_| (),
    )
    .unwrap();
    (inside, back)
}

#[test]
fn a_mainframe_s_records_go_through_a_copybook_and_back() {
    let here = CodecOptions::default();
    let there = CodecOptions {
        code_page: CodePage::by_ccsid(37).unwrap(),
        machine: SourceMachine::Mainframe,
        ..CodecOptions::default()
    };
    let convert = ThroughCopybook::new(&account(), &there, &here).unwrap();
    let fixed = RecordFraming::Fixed {
        record_bytes: OUTSIDE.len(),
    };
    let (inside, back) = round(&convert, fixed, OUTSIDE);
    assert_eq!(inside, INSIDE);
    assert_eq!(back, OUTSIDE);
}

#[test]
fn json_lines_go_through_a_copybook_and_back() {
    let codec = RecordCodec::build(&account(), &CodecOptions::default()).unwrap();
    let json = br#"{"NUMBER-OF-IT":42,"HOLDER":"Ada","BALANCE":-123.45,"USES":258,"CHANGE-OF-IT":-12,"PARTS":[{"PART":"X"},{"PART":"Y"}]}
"#;
    let (inside, back) = round(&JsonRecords::new(codec), RecordFraming::JsonLines, json);
    assert_eq!(&inside[..18], &INSIDE[..18]);
    assert_eq!(&inside[18..], b"   X0Y0\0\0");
    assert_eq!(
        String::from_utf8(back).unwrap(),
        String::from_utf8_lossy(json)
    );
}

#[test]
fn a_field_that_does_not_fit_is_named() {
    let (mut store, file) = accounts();
    let codec = RecordCodec::build(&account(), &CodecOptions::default()).unwrap();
    let options = LoadOptions::new(RecordFraming::JsonLines);
    let input = br#"{"NUMBER-OF-IT": 42, "HOLDER": "far too long"}"#;
    let convert = JsonRecords::new(codec);
    let error = load(
        &mut store,
        file,
        &mut &input[..],
        &options,
        &convert,
        &mut |_| (),
    );
    let text = error.unwrap_err().to_string();
    assert!(
        text.starts_with("record 1 was rejected") && text.contains("HOLDER"),
        "{text}"
    );
}

#[test]
fn a_large_unsorted_load_is_sorted_in_little_memory_and_fills_its_pages() {
    let home = tempfile::tempdir().unwrap();
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let file = store.define(ksds("F", 4)).unwrap();
    let mut input = Vec::new();
    for number in 0..30_000_u32 {
        input.extend_from_slice(&[0, 104, 0, 0]);
        input.extend_from_slice(&number.wrapping_mul(2_654_435_761).to_be_bytes());
        input.extend_from_slice(&[b'.'; 96]);
    }
    let little = LoadOptions {
        memory_bytes: 100_000,
        ..LoadOptions::new(RecordFraming::Rdw)
    };
    let loaded = run(&mut store, file, &input, &little);
    let (report, file) = loaded.result.unwrap();
    assert_eq!(report.loaded, 30_000);
    let mut reader = store.disk_reader().unwrap();
    let stat = reader.file_stat(file).unwrap();
    assert!(stat.leaf_pages < 30_000 / 33, "{} leaves", stat.leaf_pages);
    let out = dumped(&mut reader, file, RecordFraming::Rdw);
    let mut expected: Vec<_> = input.chunks(104).collect();
    expected.sort_unstable();
    assert_eq!(out, expected.concat());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_input_panics(
        input in proptest::collection::vec(any::<u8>(), 0..300),
        framing in 0..5_usize,
    ) {
        let mut store = MemoryStore::new();
        let file = store.define(ksds("F", 2)).unwrap();
        let framing = [
            RecordFraming::Fixed { record_bytes: 7 },
            RecordFraming::ascii_lines(&fixed()),
            RecordFraming::ebcdic_lines(&ksds("F", 2)),
            RecordFraming::Rdw,
            RecordFraming::JsonLines,
        ][framing];
        let options = LoadOptions { max_rejects: 1000, memory_bytes: 64, ..LoadOptions::new(framing) };
        let loaded = run(&mut store, file, &input, &options);
        if let Ok((report, file)) = loaded.result {
            prop_assert_eq!(report.read, report.loaded + report.rejected);
            prop_assert_eq!(all(&mut store, file).unwrap().len() as u64, report.loaded);
            prop_assert_eq!(loaded.rejects.len() as u64, report.rejected);
        }
    }

    #[test]
    fn what_is_dumped_loads_again(keys in proptest::collection::btree_set(any::<[u8; 2]>(), 0..40)) {
        let mut store = MemoryStore::new();
        let file = store.define(ksds("F", 2)).unwrap();
        let records: Vec<_> =
            keys.iter().map(|key| [&key[..], &vec![7; key[0] as usize]].concat()).collect();
        let mut load = store.start_load(file).unwrap();
        for record in &records {
            load.insert(&record[..2], record).unwrap();
        }
        let file = load.finish(&mut |_| ()).unwrap();
        let bytes = dumped(&mut store, file, RecordFraming::Rdw);
        let (_, again) =
            run(&mut store, file, &bytes, &LoadOptions::new(RecordFraming::Rdw)).result.unwrap();
        prop_assert_eq!(dumped(&mut store, again, RecordFraming::Rdw), bytes);
    }
}

#[test]
fn an_index_orders_what_is_read_through_it_and_relative_records_keep_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LmdbStore::open(folder.path(), &options()).unwrap();
    let base = store.define(ksds("BASE", 2)).unwrap();
    fill(&mut store, base, 2, &["01c", "02a", "03b", "04a"]);
    let by = store
        .define_index(index("BY", "BASE", 2, 1, false))
        .unwrap();
    let by = store.build_index(by, 1 << 20, &mut |_| ()).unwrap();
    let source = FileSource {
        file: base,
        index: Some(by),
    };
    let mut reader = store.reader().unwrap();
    let mut dumped = |skip, count| {
        let (mut out, framing) = (Vec::new(), RecordFraming::ascii_lines(&ksds("BASE", 2)));
        let options = DumpOptions {
            skip,
            count,
            ..DumpOptions::new(framing)
        };
        dump(
            &mut *reader,
            source,
            &mut out,
            &options,
            &VerbatimConverter,
            &mut |_| (),
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(dumped(0, None), "02a\n04a\n03b\n01c\n");
    assert_eq!(dumped(1, Some(2)), "04a\n03b\n");
    let relative = |name: &str| FileDef {
        organisation: FileOrganisation::Rrds,
        ..FileDef {
            name: name.parse().unwrap(),
            ..ksds("BASE", 2)
        }
    };
    let slots = store.define(relative("SLOTS")).unwrap();
    let load_options = LoadOptions::new(RecordFraming::Rdw);
    let (report, slots) = copy(&mut store, source, slots, &load_options, &mut |_| ()).unwrap();
    assert_eq!(report.loaded, 4);
    let mut unit = UnitOfWork::new();
    let mut reader = store.reader().unwrap();
    unit.delete(&mut *reader, slots, &2u32.to_be_bytes())
        .unwrap();
    assert!(store.apply(&[unit])[0].is_ok());
    let again = store.define(relative("AGAIN")).unwrap();
    let (_, again) = copy(&mut store, slots, again, &load_options, &mut |_| ()).unwrap();
    let mut slot = |n: u32| reader.get(again, &n.to_be_bytes(), |r| r.to_vec()).unwrap();
    assert_eq!(slot(1).as_deref(), Some(&b"02a"[..]));
    assert_eq!(slot(2), None);
    assert_eq!(slot(3).as_deref(), Some(&b"03b"[..]));
}
