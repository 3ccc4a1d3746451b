//! The catalogue: which files an environment holds.
//!
//! It is a data base of its own, so that any process can list the files. The
//! records of a file are in a data base named by the file's number. What is
//! removed, or only half loaded, is put on a *discard list* in the same
//! transaction and goes when the environment is next opened for writing, when
//! no handle to it can be in use. `docs/internals/store.md` draws the bytes.

use std::ffi::{CStr, CString};
use std::sync::Arc;

use super::sys::{Code, Dbi, Move, Txn, WriteTxn};
use crate::file::{FileDef, FileId, KeyField, Organisation, RecordFormat};
use crate::traits::CatalogueEntry;

/// The catalogue's data base.
pub(super) const CATALOGUE: &CStr = c"catalogue";

/// Version of all that is stored; another one is refused.
const FORMAT: u32 = 1;

/// Key of the version. Keys of the catalogue's own begin with a byte that no
/// file name begins with.
const FORMAT_KEY: &[u8] = b"\0format";

/// Key of the last number given to a file.
const LAST_KEY: &[u8] = b"\0last";

/// First byte of a key of the discard list; the file's number follows.
const DISCARD: u8 = 1;

/// Bytes of an entry.
const ENTRY_BYTES: usize = 20;

/// Name of the data base of a file's records.
pub(super) fn db_name(file: FileId) -> CString {
    CString::new(format!("file-{:08x}", file.0)).unwrap_or_default()
}

/// Writes the version into a new catalogue.
pub(super) fn create(txn: &mut WriteTxn, catalogue: Dbi) -> Result<(), Code> {
    if txn.get(catalogue, FORMAT_KEY)?.is_none() {
        txn.put(catalogue, FORMAT_KEY, &FORMAT.to_be_bytes())?;
    }
    Ok(())
}

/// What the version is, if it is not ours.
pub(super) fn foreign_format(txn: &Txn<'_>, catalogue: Dbi) -> Result<Option<String>, Code> {
    Ok(match txn.get(catalogue, FORMAT_KEY)? {
        Some(bytes) if bytes == FORMAT.to_be_bytes() => None,
        Some(bytes) => Some(format!(
            "format {bytes:02x?}, and this program reads {FORMAT}"
        )),
        None => Some("it has no catalogue".to_owned()),
    })
}

/// All files in the order of their names, or what is wrong with one.
pub(super) fn list(
    txn: &Txn<'_>,
    catalogue: Dbi,
) -> Result<Result<Vec<CatalogueEntry>, String>, Code> {
    let mut cursor = txn.new_cursor(catalogue)?;
    let mut files = Vec::new();
    // '!' sorts behind the catalogue's own keys and before any name.
    let mut to = Move::AtLeast(b"!");
    while let Some((name, entry)) = cursor.go(to)? {
        match decode(name, entry) {
            Some(entry) => files.push(entry),
            None => return Ok(Err(damaged(name))),
        }
        to = Move::Next;
    }
    Ok(Ok(files))
}

/// The file of this name, or what is wrong with it.
pub(super) fn find(
    txn: &Txn<'_>,
    catalogue: Dbi,
    name: &str,
) -> Result<Result<Option<CatalogueEntry>, String>, Code> {
    let Some(entry) = txn.get(catalogue, name.as_bytes())? else {
        return Ok(Ok(None));
    };
    Ok(match decode(name.as_bytes(), entry) {
        Some(entry) => Ok(Some(entry)),
        None => Err(damaged(name.as_bytes())),
    })
}

/// Gives the next number, never to be given again.
pub(super) fn next_id(txn: &mut WriteTxn, catalogue: Dbi) -> Result<FileId, Code> {
    let last = txn
        .get(catalogue, LAST_KEY)?
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_be_bytes);
    let id = last.checked_add(1).ok_or(Code(libc::EOVERFLOW))?;
    txn.put(catalogue, LAST_KEY, &id.to_be_bytes())?;
    Ok(FileId(id))
}

/// Enters a file under its name, in the place of one that is there.
pub(super) fn enter(
    txn: &mut WriteTxn,
    catalogue: Dbi,
    file: FileId,
    def: &FileDef,
) -> Result<(), Code> {
    txn.put(catalogue, def.name.as_str().as_bytes(), &encode(file, def))
}

/// Takes a file's name out.
pub(super) fn take_out(txn: &mut WriteTxn, catalogue: Dbi, def: &FileDef) -> Result<(), Code> {
    txn.delete(catalogue, def.name.as_str().as_bytes())
        .map(drop)
}

/// Puts a file's number on the discard list.
pub(super) fn discard(txn: &mut WriteTxn, catalogue: Dbi, file: FileId) -> Result<(), Code> {
    txn.put(catalogue, &discard_key(file), &[])
}

/// Takes a file's number off the discard list.
pub(super) fn keep(txn: &mut WriteTxn, catalogue: Dbi, file: FileId) -> Result<(), Code> {
    txn.delete(catalogue, &discard_key(file)).map(drop)
}

/// True if the file's number is on the discard list.
pub(super) fn is_discarded(txn: &Txn<'_>, catalogue: Dbi, file: FileId) -> Result<bool, Code> {
    Ok(txn.get(catalogue, &discard_key(file))?.is_some())
}

/// The first file of the discard list.
pub(super) fn first_discarded(txn: &Txn<'_>, catalogue: Dbi) -> Result<Option<FileId>, Code> {
    let mut cursor = txn.new_cursor(catalogue)?;
    Ok(match cursor.go(Move::AtLeast(&[DISCARD]))? {
        Some((&[DISCARD, a, b, c, d], _)) => Some(FileId(u32::from_be_bytes([a, b, c, d]))),
        _ => None,
    })
}

fn discard_key(file: FileId) -> [u8; 5] {
    let [a, b, c, d] = file.0.to_be_bytes();
    [DISCARD, a, b, c, d]
}

fn damaged(name: &[u8]) -> String {
    format!(
        "the catalogue's entry for {} cannot be read",
        String::from_utf8_lossy(name)
    )
}

fn encode(file: FileId, def: &FileDef) -> [u8; ENTRY_BYTES] {
    let (organisation, offset, length) = match def.organisation {
        Organisation::Ksds(key) => (0, key.offset_bytes, key.length_bytes),
        Organisation::Esds => (1, 0, 0),
        Organisation::Rrds => (2, 0, 0),
    };
    let mut entry = [0; ENTRY_BYTES];
    entry[0] = FORMAT as u8;
    entry[1] = organisation;
    entry[2] = u8::from(def.format == RecordFormat::Variable);
    entry[3] = u8::from(def.recoverable);
    for (at, number) in [file.0, offset, length, def.max_record_bytes]
        .into_iter()
        .enumerate()
    {
        entry[4 + at * 4..8 + at * 4].copy_from_slice(&number.to_be_bytes());
    }
    entry
}

fn decode(name: &[u8], entry: &[u8]) -> Option<CatalogueEntry> {
    let (head, numbers) = entry.split_first_chunk::<4>()?;
    let (numbers, []) = numbers.as_chunks::<4>() else {
        return None;
    };
    let &[id, offset_bytes, length_bytes, max_record_bytes] =
        <&[[u8; 4]; 4]>::try_from(numbers).ok()?;
    let organisation = match head[1] {
        0 => Organisation::Ksds(KeyField {
            offset_bytes: u32::from_be_bytes(offset_bytes),
            length_bytes: u32::from_be_bytes(length_bytes),
        }),
        1 => Organisation::Esds,
        2 => Organisation::Rrds,
        _ => return None,
    };
    let def = FileDef {
        name: std::str::from_utf8(name).ok()?.parse().ok()?,
        organisation,
        format: if head[2] == 0 {
            RecordFormat::Fixed
        } else {
            RecordFormat::Variable
        },
        max_record_bytes: u32::from_be_bytes(max_record_bytes),
        recoverable: head[3] & 1 != 0,
    };
    let def = Arc::new(def.build().ok()?);
    Some(CatalogueEntry {
        id: FileId(u32::from_be_bytes(id)),
        def,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_reads_back_as_it_was_written() {
        let key = KeyField {
            offset_bytes: 3,
            length_bytes: 9,
        };
        let name = || "BANK.ACCTS".parse().unwrap();
        let mut defs = vec![
            FileDef::ksds(name(), key, RecordFormat::Fixed, 80).unwrap(),
            FileDef::esds(name(), RecordFormat::Variable, 32_767).unwrap(),
            FileDef::rrds(name(), RecordFormat::Fixed, 1).unwrap(),
        ];
        defs[2].recoverable = false;
        for def in defs {
            let entry = encode(FileId(0x0102_0304), &def);
            let back = decode(b"BANK.ACCTS", &entry).unwrap();
            assert_eq!((back.id, &*back.def), (FileId(0x0102_0304), &def));
        }
    }

    #[test]
    fn a_damaged_entry_is_refused() {
        let def = FileDef::rrds("A".parse().unwrap(), RecordFormat::Fixed, 1).unwrap();
        let entry = encode(FileId(1), &def);
        assert!(decode(b"A", &entry[..19]).is_none());
        assert!(decode(b"a b", &entry).is_none());
        assert!(decode(b"A", &[9; ENTRY_BYTES]).is_none());
        assert!(decode(b"A", &[0; ENTRY_BYTES]).is_none());
    }
}
