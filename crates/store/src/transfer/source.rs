//! The input of a dump: the file in the order of its own keys, or of an
//! alternate index, as a REPRO from a path reads it.
//!
//! In the order of its keys a file is read as one committed state. In that of
//! an index each record is as it is committed when its turn comes.

use std::ops::ControlFlow;

use crate::error::ReadError;
use crate::file::FileId;
use crate::index::FileAccessPath;
use crate::seek::{RecordView, SeekKey};
use crate::traits::ReadStore;

/// A file, and the order of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSource {
    /// The file that has the records.
    pub file: FileId,
    /// The alternate index that orders them; `None` for the file's own keys.
    pub index: Option<FileId>,
}

impl From<FileId> for FileSource {
    fn from(file: FileId) -> Self {
        FileSource { file, index: None }
    }
}

impl From<&FileAccessPath> for FileSource {
    fn from(access: &FileAccessPath) -> Self {
        FileSource {
            file: access.base.id,
            index: access.index.as_ref().map(|index| index.id),
        }
    }
}

impl FileSource {
    /// Shows the first record after a place, or the first of all, with its own
    /// place. Returns false without a call at the end. No state stays alive
    /// between two calls.
    pub fn next(
        self,
        store: &mut (impl ReadStore + ?Sized),
        after: Option<&[u8]>,
        found: &mut dyn FnMut(&[u8], RecordView<'_>),
    ) -> Result<bool, ReadError> {
        let seek = after.map_or(SeekKey::First, SeekKey::Greater);
        match self.index {
            None => store.seek(self.file, seek, &mut |entry| found(entry.key, entry)),
            Some(index) => store.seek_path(index, seek, &mut |entry| {
                let shown = RecordView {
                    key: entry.base_key,
                    record: entry.record,
                };
                found(entry.position, shown);
            }),
        }
    }

    /// Shows the records after a place, each with its own, until `each` breaks.
    /// Shows no record of a file or index whose pages are damaged.
    pub fn scan(
        self,
        store: &mut (impl ReadStore + ?Sized),
        after: Option<&[u8]>,
        each: &mut dyn FnMut(&[u8], RecordView<'_>) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        for of in [Some(self.file), self.index].into_iter().flatten() {
            store.verify(of)?;
        }
        if self.index.is_none() {
            let seek = after.map_or(SeekKey::First, SeekKey::Greater);
            return store.scan(self.file, seek, &mut |entry| each(entry.key, entry));
        }
        let mut last: Option<Box<[u8]>> = after.map(Into::into);
        loop {
            let mut flow = ControlFlow::Break(());
            let mut place = None;
            self.next(store, last.as_deref(), &mut |at, entry| {
                place = Some(at.into());
                flow = each(at, entry);
            })?;
            if flow.is_break() {
                return Ok(());
            }
            last = place;
        }
    }
}
