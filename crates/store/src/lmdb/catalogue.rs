//! The catalogue: the list of files, alternate indexes and paths of an environment.
//!
//! The catalogue is a data base of its own, so that any process can list them. The records
//! of a file are in a data base named by the file's number, and so are the
//! entries of an index. Removed or half-loaded data bases are put on a *discard
//! list* in the same transaction and dropped when the environment is next
//! opened for writing, when no handle to them can be in use.
//! `docs/internals/store.md` draws the bytes.

use std::ffi::{CStr, CString};
use std::sync::Arc;

use super::seal;
use super::sys::{CursorMove, DbHandle, LmdbError, LmdbTransaction, WriteTxn};
use crate::file::{FileDef, FileId, FileName, FileOrganisation, KeyField, RecordFormat};
use crate::index::{CatalogueName, IndexDef, IndexEntry, PathDef};
use crate::traits::CatalogueEntry;

/// The entry of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CatalogueItem {
    /// A file, and whether its records have check sums.
    File {
        id: FileId,
        def: Arc<FileDef>,
        sealed: bool,
    },
    /// An alternate index, and whether it is built.
    Index {
        id: FileId,
        def: Arc<IndexDef>,
        built: bool,
    },
    /// A path.
    Path(PathDef),
}

/// The catalogue's data base.
pub(super) const CATALOGUE: &CStr = c"catalogue";

/// Version of the stored format. A later one is rejected; version 1, which had
/// no checksums, indexes and tables, is read, and becomes this one when it is
/// opened for writing. Its files get checksums when they are loaded again.
const FORMAT: u32 = 2;

/// Key of the version. Keys of the catalogue's own begin with a byte that no
/// file name begins with.
const FORMAT_KEY: &[u8] = b"\0format";

/// Key of the last number given to a file.
const LAST_KEY: &[u8] = b"\0last";

/// First byte of a key of the discard list; the file's number follows.
const DISCARD: u8 = 1;

/// First byte of an entry: a file without check sums, as version 1 has it.
const FILE_1: u8 = 1;

/// First byte of an entry: a file with check sums.
const FILE: u8 = 2;

/// First byte of an entry: an alternate index.
const INDEX: u8 = 3;

/// First byte of an entry: a path.
const PATH: u8 = 4;

/// Bytes of a file's entry before its check sum.
const FILE_BYTES: usize = 20;

/// Bytes of an index's entry before the name of its base.
const INDEX_BYTES: usize = 16;

/// Bytes of a path's entry before the name that it leads to.
const PATH_BYTES: usize = 2;

/// Name of the data base of a file's records.
pub(super) fn db_name(file: FileId) -> CString {
    CString::new(format!("file-{:08x}", file.0)).unwrap_or_default()
}

/// Writes the version into a new catalogue, or an old one.
pub(super) fn create(txn: &mut WriteTxn, catalogue: DbHandle) -> Result<(), LmdbError> {
    let is_older = match txn.get(catalogue, FORMAT_KEY)? {
        Some(bytes) => version(bytes).is_some_and(|version| version < FORMAT),
        None => true,
    };
    if is_older {
        txn.put(catalogue, FORMAT_KEY, &FORMAT.to_be_bytes())?;
    }
    Ok(())
}

/// The unsupported format version, if it is not supported.
pub(super) fn foreign_format(
    txn: &LmdbTransaction<'_>,
    catalogue: DbHandle,
) -> Result<Option<String>, LmdbError> {
    Ok(match txn.get(catalogue, FORMAT_KEY)? {
        Some(bytes) if matches!(version(bytes), Some(1..=FORMAT)) => None,
        Some(bytes) => Some(format!(
            "format {bytes:02x?}; this version of Tupelo reads formats 1 to {FORMAT}"
        )),
        None => Some("it has no catalogue".to_owned()),
    })
}

fn version(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// All entries, in the order of names, or the error in one.
pub(super) fn list(
    txn: &LmdbTransaction<'_>,
    catalogue: DbHandle,
) -> Result<Result<Vec<CatalogueItem>, String>, LmdbError> {
    let mut cursor = txn.new_cursor(catalogue)?;
    let mut items = Vec::new();
    // '!' sorts after the catalogue's own keys and before any name.
    let mut to = CursorMove::AtLeast(b"!");
    while let Some((name, entry)) = cursor.go(to)? {
        match decode(name, entry) {
            Some(item) => items.push(item),
            None => return Ok(Err(damaged(name))),
        }
        to = CursorMove::Next;
    }
    Ok(Ok(items))
}

/// The entries as the store's callers see them: an index whose base is missing
/// is left out.
pub(super) fn names(items: &[CatalogueItem]) -> Vec<CatalogueName> {
    let base = |name: &FileName| {
        items.iter().find_map(|item| match item {
            CatalogueItem::File { id, def, .. } if def.name == *name => Some(*id),
            _ => None,
        })
    };
    let named = |item: &CatalogueItem| {
        Some(match item {
            CatalogueItem::File { id, def, .. } => CatalogueName::File(CatalogueEntry {
                id: *id,
                def: def.clone(),
            }),
            CatalogueItem::Index { id, def, built } => CatalogueName::Index(IndexEntry {
                id: *id,
                base: base(&def.base)?,
                def: def.clone(),
                built: *built,
            }),
            CatalogueItem::Path(def) => CatalogueName::Path(def.clone()),
        })
    };
    items.iter().filter_map(named).collect()
}

/// Finds the entry of this name, or the error in it.
pub(super) fn find(
    txn: &LmdbTransaction<'_>,
    catalogue: DbHandle,
    name: &str,
) -> Result<Result<Option<CatalogueItem>, String>, LmdbError> {
    let Some(entry) = txn.get(catalogue, name.as_bytes())? else {
        return Ok(Ok(None));
    };
    Ok(match decode(name.as_bytes(), entry) {
        Some(item) => Ok(Some(item)),
        None => Err(damaged(name.as_bytes())),
    })
}

/// Gives the next number, never to be given again.
pub(super) fn next_id(txn: &mut WriteTxn, catalogue: DbHandle) -> Result<FileId, LmdbError> {
    let last = txn
        .get(catalogue, LAST_KEY)?
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_be_bytes);
    let id = last.checked_add(1).ok_or(LmdbError(libc::EOVERFLOW))?;
    txn.put(catalogue, LAST_KEY, &id.to_be_bytes())?;
    Ok(FileId(id))
}

/// Enters an item under its name, replacing an existing one.
pub(super) fn enter(
    txn: &mut WriteTxn,
    catalogue: DbHandle,
    item: &CatalogueItem,
) -> Result<(), LmdbError> {
    let name = item.name().as_str().as_bytes();
    txn.put(catalogue, name, &encode(item))
}

/// Takes a name out.
pub(super) fn take_out(
    txn: &mut WriteTxn,
    catalogue: DbHandle,
    name: &FileName,
) -> Result<(), LmdbError> {
    txn.delete(catalogue, name.as_str().as_bytes()).map(drop)
}

/// Puts a file's number on the discard list.
pub(super) fn discard(
    txn: &mut WriteTxn,
    catalogue: DbHandle,
    file: FileId,
) -> Result<(), LmdbError> {
    txn.put(catalogue, &discard_key(file), &[])
}

/// Takes a file's number off the discard list.
pub(super) fn keep(txn: &mut WriteTxn, catalogue: DbHandle, file: FileId) -> Result<(), LmdbError> {
    txn.delete(catalogue, &discard_key(file)).map(drop)
}

/// True if the file's number is on the discard list.
pub(super) fn is_discarded(
    txn: &LmdbTransaction<'_>,
    catalogue: DbHandle,
    file: FileId,
) -> Result<bool, LmdbError> {
    Ok(txn.get(catalogue, &discard_key(file))?.is_some())
}

/// The first file of the discard list.
pub(super) fn first_discarded(
    txn: &LmdbTransaction<'_>,
    catalogue: DbHandle,
) -> Result<Option<FileId>, LmdbError> {
    let mut cursor = txn.new_cursor(catalogue)?;
    Ok(match cursor.go(CursorMove::AtLeast(&[DISCARD]))? {
        Some((&[DISCARD, a, b, c, d], _)) => Some(FileId(u32::from_be_bytes([a, b, c, d]))),
        _ => None,
    })
}

/// The numbers in the catalogue, for a check.
#[derive(Debug, Default)]
pub(super) struct CatalogueNumbering {
    /// The last number that was given.
    pub last: Option<u32>,
    /// The files on the discard list.
    pub discarded: Vec<FileId>,
}

impl CatalogueNumbering {
    /// Takes an entry of the catalogue's own in.
    pub fn read(&mut self, key: &[u8], value: &[u8]) {
        match key {
            LAST_KEY => self.last = value.try_into().ok().map(u32::from_be_bytes),
            &[DISCARD, a, b, c, d] => {
                let id = FileId(u32::from_be_bytes([a, b, c, d]));
                self.discarded.push(id);
            }
            _ => {}
        }
    }
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

impl CatalogueItem {
    /// The name it is entered under.
    pub fn name(&self) -> &FileName {
        match self {
            Self::File { def, .. } => &def.name,
            Self::Index { def, .. } => &def.name,
            Self::Path(def) => &def.name,
        }
    }
}

fn encode(item: &CatalogueItem) -> Vec<u8> {
    let mut entry = Vec::new();
    match item {
        CatalogueItem::File { id, def, sealed } => {
            let (organisation, offset, length) = match def.organisation {
                FileOrganisation::Ksds(key) => (0, key.offset_bytes, key.length_bytes),
                FileOrganisation::Esds => (1, 0, 0),
                FileOrganisation::Rrds => (2, 0, 0),
            };
            entry.extend([
                if *sealed { FILE } else { FILE_1 },
                organisation,
                u8::from(def.format == RecordFormat::Variable),
                u8::from(def.recoverable),
            ]);
            for number in [id.0, offset, length, def.max_record_bytes] {
                entry.extend(number.to_be_bytes());
            }
            if !*sealed {
                return entry;
            }
        }
        CatalogueItem::Index { id, def, built } => {
            let flags = [def.unique, def.upgrade, *built, def.suppress.is_some()];
            let flags = flags
                .iter()
                .rev()
                .fold(0, |all, flag| all << 1 | u8::from(*flag));
            entry.extend([INDEX, flags, def.suppress.unwrap_or(0), 0]);
            for number in [id.0, def.key.offset_bytes, def.key.length_bytes] {
                entry.extend(number.to_be_bytes());
            }
            entry.extend_from_slice(def.base.as_str().as_bytes());
        }
        CatalogueItem::Path(def) => {
            entry.extend([PATH, u8::from(def.update)]);
            entry.extend_from_slice(def.entry.as_str().as_bytes());
        }
    }
    let sum = seal::sum(item.name().as_str().as_bytes(), &entry);
    entry.extend(sum);
    entry
}

/// Reads an entry; `None` if it is damaged.
pub(super) fn decode(name: &[u8], entry: &[u8]) -> Option<CatalogueItem> {
    let entry = match entry.first()? {
        &FILE_1 => entry,
        _ => seal::checked(name, entry)?,
    };
    let name: FileName = std::str::from_utf8(name).ok()?.parse().ok()?;
    match *entry.first()? {
        kind @ (FILE_1 | FILE) => decode_file(name, entry, kind == FILE),
        INDEX => decode_index(name, entry),
        PATH => {
            let (head, leads_to) = entry.split_at_checked(PATH_BYTES)?;
            Some(CatalogueItem::Path(PathDef {
                name,
                entry: std::str::from_utf8(leads_to).ok()?.parse().ok()?,
                update: head[1] & 1 != 0,
            }))
        }
        _ => None,
    }
}

fn decode_file(name: FileName, entry: &[u8], sealed: bool) -> Option<CatalogueItem> {
    let entry: &[u8; FILE_BYTES] = entry.try_into().ok()?;
    let organisation = match entry[1] {
        0 => FileOrganisation::Ksds(KeyField {
            offset_bytes: number(entry, 8)?,
            length_bytes: number(entry, 12)?,
        }),
        1 => FileOrganisation::Esds,
        2 => FileOrganisation::Rrds,
        _ => return None,
    };
    let def = FileDef {
        name,
        organisation,
        format: if entry[2] == 0 {
            RecordFormat::Fixed
        } else {
            RecordFormat::Variable
        },
        max_record_bytes: number(entry, 16)?,
        recoverable: entry[3] & 1 != 0,
    };
    Some(CatalogueItem::File {
        id: FileId(number(entry, 4)?),
        def: Arc::new(def.build().ok()?),
        sealed,
    })
}

fn decode_index(name: FileName, entry: &[u8]) -> Option<CatalogueItem> {
    let (head, base) = entry.split_at_checked(INDEX_BYTES)?;
    let flag = |bit: u8| head[1] & (1 << bit) != 0;
    let def = IndexDef {
        name,
        base: std::str::from_utf8(base).ok()?.parse().ok()?,
        key: KeyField {
            offset_bytes: number(head, 8)?,
            length_bytes: number(head, 12)?,
        },
        unique: flag(0),
        upgrade: flag(1),
        suppress: flag(3).then_some(head[2]),
    };
    Some(CatalogueItem::Index {
        id: FileId(number(head, 4)?),
        def: Arc::new(def),
        built: flag(2),
    })
}

fn number(entry: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(entry.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Vec<CatalogueItem> {
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
        let files = defs.into_iter().flat_map(|def| {
            [true, false].map(|sealed| CatalogueItem::File {
                id: FileId(0x0102_0304),
                def: Arc::new(def.clone()),
                sealed,
            })
        });
        let indexes = [None, Some(b' ')].map(|suppress| CatalogueItem::Index {
            id: FileId(7),
            def: Arc::new(IndexDef {
                name: name(),
                base: "BANK.BASE".parse().unwrap(),
                key,
                unique: suppress.is_some(),
                upgrade: suppress.is_none(),
                suppress,
            }),
            built: suppress.is_some(),
        });
        let path = CatalogueItem::Path(PathDef {
            name: name(),
            entry: "BANK.IX".parse().unwrap(),
            update: true,
        });
        files.chain(indexes).chain([path]).collect()
    }

    #[test]
    fn an_entry_reads_back_as_it_was_written() {
        for item in items() {
            assert_eq!(decode(b"BANK.ACCTS", &encode(&item)), Some(item));
        }
    }

    #[test]
    fn a_damaged_entry_is_refused() {
        for item in items() {
            let entry = encode(&item);
            assert_eq!(decode(b"BANK.ACCTS", &entry[..entry.len() - 1]), None);
            assert_eq!(decode(b"a b", &entry), None);
            if entry[0] == FILE_1 {
                continue;
            }
            for bit in 0..entry.len() * 8 {
                let mut flipped = entry.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(
                    decode(b"BANK.ACCTS", &flipped),
                    Some(item.clone()),
                    "bit {bit}"
                );
            }
        }
        assert_eq!(decode(b"A", &[9; FILE_BYTES]), None);
        assert_eq!(decode(b"A", &[0; FILE_BYTES]), None);
        assert_eq!(decode(b"A", &[]), None);
    }
}
