//! Statistics of an environment: used and free pages, readers.
//!
//! Any process can take them while another writes.

use lmdb_master_sys as ffi;

use super::reader::LmdbReader;
use super::sys::{CursorMove, FREE_LIST, LmdbError, ReadTransaction};
use crate::error::{ReadError, StorageError};
use crate::file::FileId;
use crate::traits::{CatalogueEntry, ReadStore};

/// An environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStat {
    /// Size of a page.
    pub page_bytes: u64,
    /// The largest size the environment may reach.
    pub map_bytes: u64,
    /// Pages in the data file, free ones included.
    pub pages: u64,
    /// Pages that can be used again, or could, were it not for a reader.
    pub free_pages: u64,
    /// Number of the last committed transaction.
    pub last_transaction: u64,
    /// Reader slots there are.
    pub max_readers: u32,
    /// Readers that have a slot.
    pub readers: Vec<ReaderStat>,
}

/// A reader's slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderStat {
    /// Its process.
    pub pid: u32,
    /// The transaction whose state it reads at this moment; `None` between
    /// commands. If it is far before [`StoreStat::last_transaction`], pages
    /// cannot be reused.
    pub reading: Option<u64>,
}

/// A file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Records.
    pub records: u64,
    /// Bytes of the pages that hold them.
    pub bytes: u64,
    /// Levels of the tree; 0 when empty.
    pub depth: u32,
    /// Pages of keys above the records.
    pub branch_pages: u64,
    /// Pages of records.
    pub leaf_pages: u64,
    /// Pages of records too long for a leaf.
    pub overflow_pages: u64,
}

impl LmdbReader {
    /// The environment's figures.
    pub fn store_stat(&mut self) -> Result<StoreStat, StorageError> {
        self.verify_free()?;
        let error = |code| self.env.error(code, "reading its statistics");
        let info = self.env.sys().info().map_err(error)?;
        let table = self.env.sys().reader_table().map_err(error)?;
        let (free_pages, page_bytes) = self.with_snapshot(|snapshot| {
            Ok((
                free_pages(snapshot)?,
                snapshot.stat(FREE_LIST)?.ms_psize.into(),
            ))
        })?;
        Ok(StoreStat {
            page_bytes,
            map_bytes: info.me_mapsize as u64,
            pages: info.me_last_pgno as u64 + 1,
            free_pages,
            last_transaction: info.me_last_txnid as u64,
            max_readers: info.me_maxreaders,
            readers: table.lines().filter_map(reader).collect(),
        })
    }

    /// The statistics of a file, or of an alternate index, whose records are
    /// its entries.
    pub fn file_stat(&mut self, file: FileId) -> Result<FileStat, ReadError> {
        let db = self.db(file)?;
        Ok(self.with_snapshot(|snapshot| {
            let ffi::MDB_stat {
                ms_psize,
                ms_depth,
                ms_branch_pages,
                ms_leaf_pages,
                ms_overflow_pages,
                ms_entries,
            } = snapshot.stat(db)?;
            let pages = (ms_branch_pages + ms_leaf_pages + ms_overflow_pages) as u64;
            Ok(FileStat {
                records: ms_entries as u64,
                bytes: pages * u64::from(ms_psize),
                depth: ms_depth,
                branch_pages: ms_branch_pages as u64,
                leaf_pages: ms_leaf_pages as u64,
                overflow_pages: ms_overflow_pages as u64,
            })
        })?)
    }

    /// Every file with its figures, in the order of their names.
    pub fn file_stats(&mut self) -> Result<Vec<(CatalogueEntry, FileStat)>, ReadError> {
        let files = self.files()?;
        files
            .into_iter()
            .map(|entry| Ok((entry.clone(), self.file_stat(entry.id)?)))
            .collect()
    }
}

/// Sums the free list: each transaction's number has an array of page numbers
/// whose first word is the count of those that follow.
fn free_pages(snapshot: &ReadTransaction<'_>) -> Result<u64, LmdbError> {
    let mut cursor = snapshot.new_cursor(FREE_LIST)?;
    let (mut pages, mut to) = (0, CursorMove::First);
    while let Some((_, list)) = cursor.go(to)? {
        pages += list
            .first_chunk()
            .map_or(0, |count| usize::from_ne_bytes(*count) as u64);
        to = CursorMove::Next;
    }
    Ok(pages)
}

/// A line of the reader table: process, thread, and transaction or `-`. Its
/// heading does not parse.
fn reader(line: &str) -> Option<ReaderStat> {
    let mut words = line.split_whitespace();
    let pid = words.next()?.parse().ok()?;
    let reading = words.nth(1)?;
    Some(ReaderStat {
        pid,
        reading: reading.parse().ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_reader_table_are_read() {
        assert_eq!(
            reader("      1234 7f00aa 56\n"),
            Some(ReaderStat {
                pid: 1234,
                reading: Some(56)
            })
        );
        assert_eq!(
            reader(" 1234 7f00aa -"),
            Some(ReaderStat {
                pid: 1234,
                reading: None
            })
        );
        assert_eq!(reader("    pid     thread     txnid"), None);
        assert_eq!(reader("(no active readers)"), None);
    }
}
