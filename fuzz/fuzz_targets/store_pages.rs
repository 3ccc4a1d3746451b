//! A data file of the store in which bytes were changed: checked, opened and
//! dumped. What is dumped is what was stored, or the damage is told; LMDB is
//! never led astray. Five bytes of the input change one: where, and to what.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use store::transfer::{DumpOptions, RecordFraming, FileSource, VerbatimConverter, dump};
use store::{
    DiskOptions, DiskReader, DiskStore, CommitDurability, FileDef, IndexDef, KeyField, ReadStore,
    RecordFormat, UnitOfWork, WriteStore, check,
};

/// A store's bytes, and what a dump of it gives.
static WHOLE: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(|| {
    let home = folder("whole");
    make(&home);
    let data = std::fs::read(home.join("data.mdb")).expect("a data file");
    let dumped = dumped(&home).expect("a whole store");
    (data, dumped)
});

static HOME: LazyLock<PathBuf> = LazyLock::new(|| folder("changed"));

fuzz_target!(|changes: &[u8]| {
    let (whole, before) = &*WHOLE;
    let mut data = whole.clone();
    let (changes, _) = changes.as_chunks::<5>();
    for [a, b, c, d, value] in changes {
        let at = u32::from_le_bytes([*a, *b, *c, *d]) as usize % data.len();
        data[at] = *value;
    }
    let home = &*HOME;
    std::fs::write(home.join("data.mdb"), &data).expect("a folder of ours");
    let _ = std::fs::remove_file(home.join("lock.mdb"));
    let is_clean = check(home, &options(), &mut |_, _| ()).is_ok_and(|report| report.is_clean());
    // Whatever the damage, it is gone around.
    let mut certain = 0;
    let report = store::salvage(
        home,
        &mut |found| {
            certain += u64::from(found.is_certain);
            Ok(())
        },
        &mut |_, _| (),
    );
    let report = report.expect("a data file");
    let told: u64 = report.files.iter().map(|file| file.records).sum();
    assert_eq!(certain, told);
    // A sum over a record may be right by chance, where it was made for it.
    if changes.len() > 1 {
        let _ = dumped(home);
        return;
    }
    match dumped(home) {
        Ok(now) => assert_eq!(&now, before),
        Err(error) => assert!(!is_clean, "{error}"),
    }
});

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("store-pages-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder for scratch");
    path
}

fn options() -> DiskOptions {
    DiskOptions {
        map_bytes: 1 << 30,
        max_readers: 8,
        durability: CommitDurability::NoFlush,
        ..DiskOptions::default()
    }
}

fn make(home: &Path) {
    let key = |offset_bytes, length_bytes| KeyField {
        offset_bytes,
        length_bytes,
    };
    let name = |name: &str| name.parse().expect("a name");
    let mut store = DiskStore::open(home, &options()).expect("a new store");
    let def = FileDef::ksds(name("FILE"), key(0, 4), RecordFormat::Variable, 9_000);
    let file = store.define(def.expect("a definition")).expect("a file");
    let index = IndexDef {
        name: name("INDEX"),
        base: name("FILE"),
        key: key(4, 2),
        unique: false,
        upgrade: true,
        suppress: None,
    };
    let index = store.define_index(index).expect("an index");
    store
        .build_index(index, 1 << 20, &mut |_| ())
        .expect("an empty index");
    let mut reader = store.reader().expect("a reader");
    let mut unit = UnitOfWork::new();
    for n in 0..300_usize {
        let long = if n % 100 == 7 { 6_000 } else { n % 60 };
        let record = format!("{n:04}{:02}{}", n % 70, "x".repeat(long));
        let record = record.as_bytes();
        unit.insert(&mut *reader, file, &record[..4], record)
            .expect("a new record");
    }
    assert_eq!(store.apply(&[unit]), [Ok(())]);
}

fn dumped(home: &Path) -> Result<Vec<u8>, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let mut reader = DiskReader::open(home, &options()).map_err(|e| text(&e))?;
    let mut out = Vec::new();
    for entry in reader.files().map_err(|e| text(&e))? {
        let indexes = reader.indexes(entry.id).map_err(|e| text(&e))?;
        let indexes = indexes.iter().filter(|index| index.built);
        for index in [None].into_iter().chain(indexes.map(|i| Some(i.id))) {
            let from = FileSource {
                file: entry.id,
                index,
            };
            let options = DumpOptions::new(RecordFraming::Rdw);
            dump(
                &mut reader,
                from,
                &mut out,
                &options,
                &VerbatimConverter,
                &mut |_| (),
            )
            .map_err(|e| text(&e))?;
        }
    }
    Ok(out)
}
