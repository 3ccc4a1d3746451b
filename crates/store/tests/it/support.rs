//! Shared parts of the tests: files, records and short ways to read them.

use std::ops::ControlFlow;

use store::{
    CommitDurability, FileDef, FileId, IndexDef, KeyField, LmdbOptions, PathEntry, ReadError,
    ReadExt, ReadStore, RecordFormat, SeekKey, UnitOfWork, WriteStore,
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
        durability: CommitDurability::NoFlush,
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
pub fn at(reader: &mut dyn ReadStore, file: FileId, seek: SeekKey<'_>) -> Option<String> {
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
    seek: SeekKey<'_>,
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
    reader.scan(file, SeekKey::First, &mut |entry| {
        records.push(String::from_utf8_lossy(entry.record).into_owned());
        ControlFlow::Continue(())
    })?;
    Ok(records)
}

/// An index of the upgrade set over `length_bytes` at an offset of its base's
/// records.
pub fn index(
    name: &str,
    base: &str,
    offset_bytes: u32,
    length_bytes: u32,
    unique: bool,
) -> IndexDef {
    IndexDef {
        name: name.parse().unwrap(),
        base: base.parse().unwrap(),
        key: KeyField {
            offset_bytes,
            length_bytes,
        },
        unique,
        upgrade: true,
        suppress: None,
    }
}

/// What a path shows, as text: the record, followed by `+` if more records
/// with its key follow; and the position.
pub fn shown(entry: PathEntry<'_>) -> (String, Vec<u8>) {
    let more = if entry.more { "+" } else { "" };
    let record = String::from_utf8_lossy(entry.record);
    assert_eq!(
        entry.position,
        [entry.alternate_key, entry.base_key].concat()
    );
    (format!("{record}{more}"), entry.position.to_vec())
}

/// The record that `seek` finds through an index as a unit's task sees it.
pub fn on_path(
    unit: &UnitOfWork,
    reader: &mut dyn ReadStore,
    index: FileId,
    seek: SeekKey<'_>,
) -> Option<(String, Vec<u8>)> {
    let mut hit = None;
    let found = unit.seek_path(reader, index, seek, &mut |entry| {
        assert_eq!(hit, None, "one record a command");
        hit = Some(shown(entry));
    });
    assert_eq!(found.unwrap(), hit.is_some());
    hit
}

/// Every record as a task browses it through an index, forwards or backwards.
pub fn browsed(
    unit: &UnitOfWork,
    reader: &mut dyn ReadStore,
    index: FileId,
    backwards: bool,
) -> Vec<String> {
    let mut records = Vec::new();
    let mut next = on_path(
        unit,
        reader,
        index,
        if backwards {
            SeekKey::Last
        } else {
            SeekKey::First
        },
    );
    while let Some((record, position)) = next {
        records.push(record);
        let step = if backwards {
            SeekKey::Less(&position)
        } else {
            SeekKey::Greater(&position)
        };
        next = on_path(unit, reader, index, step);
    }
    records
}
