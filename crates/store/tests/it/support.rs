//! What the tests share: files, records and short ways to read them.

use std::ops::ControlFlow;

use store::{
    Durability, FileDef, FileId, KeyField, LmdbOptions, ReadError, ReadExt, ReadStore,
    RecordFormat, Seek, UnitOfWork, WriteStore,
};

/// A variable-length KSDS whose key is the first `key_bytes` of a record.
pub fn ksds(name: &str, key_bytes: u32) -> FileDef {
    let key = KeyField {
        offset_bytes: 0,
        length_bytes: key_bytes,
    };
    FileDef::ksds(name.parse().unwrap(), key, RecordFormat::Variable, 32_767).unwrap()
}

/// Options for stores that need not outlive the machine.
pub fn options() -> LmdbOptions {
    LmdbOptions {
        durability: Durability::NoFlush,
        ..LmdbOptions::default()
    }
}

/// Adds records to a file, each under its first `key_bytes` bytes.
pub fn fill(store: &mut dyn WriteStore, file: FileId, key_bytes: usize, records: &[&str]) {
    let mut reader = store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    for record in records {
        let record = record.as_bytes();
        unit.insert(&mut *reader, file, &record[..key_bytes], record)
            .unwrap();
    }
    assert_eq!(store.apply(&[unit]), [Ok(())]);
}

/// The record that `seek` finds, as text.
pub fn at(reader: &mut dyn ReadStore, file: FileId, seek: Seek<'_>) -> Option<String> {
    reader
        .read(file, seek, |entry| {
            String::from_utf8_lossy(entry.record).into_owned()
        })
        .unwrap()
}

/// The record that `seek` finds through a unit, as text.
pub fn through(
    unit: &UnitOfWork,
    reader: &mut dyn ReadStore,
    file: FileId,
    seek: Seek<'_>,
) -> Option<String> {
    let mut text = None;
    let found = unit
        .seek(reader, file, seek, &mut |entry| {
            assert_eq!(text, None, "one record a command");
            text = Some(String::from_utf8_lossy(entry.record).into_owned());
        })
        .unwrap();
    assert_eq!(found, text.is_some());
    text
}

/// Every record of a file, as text.
pub fn all(reader: &mut dyn ReadStore, file: FileId) -> Result<Vec<String>, ReadError> {
    let mut records = Vec::new();
    reader.scan(file, Seek::First, &mut |entry| {
        records.push(String::from_utf8_lossy(entry.record).into_owned());
        ControlFlow::Continue(())
    })?;
    Ok(records)
}
