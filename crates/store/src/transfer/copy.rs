//! From one file into another: REPRO between two files of a store.
//!
//! The records of one are read a few thousand at a time and loaded into the
//! other as from any input. No state is kept alive in between.

use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;

use super::convert::Verbatim;
use super::framing::Framing;
use super::load::{LoadError, LoadEvent, LoadOptions, LoadReport, load};
use crate::error::ReadError;
use crate::file::FileId;
use crate::seek::Seek;
use crate::traits::{ReadStore, WriteStore};

/// Copies the records of one file into another, in the order of their keys;
/// otherwise as [`load`]. The framing of `options` does not matter.
pub fn copy(
    store: &mut dyn WriteStore,
    from: FileId,
    to: FileId,
    options: &LoadOptions,
    events: &mut dyn FnMut(LoadEvent<'_>),
) -> Result<(LoadReport, FileId), LoadError> {
    let mut records = Records {
        reader: store.reader()?,
        file: from,
        last: None,
        buffer: Vec::new(),
        at: 0,
        failed: None,
    };
    let options = LoadOptions {
        framing: Framing::Rdw,
        ..options.clone()
    };
    let copied = load(
        store,
        to,
        &mut BufReader::new(&mut records),
        &options,
        &Verbatim,
        events,
    );
    match records.failed {
        Some(error) => Err(error.into()),
        None => copied,
    }
}

/// Records read from one state.
const CHUNK_RECORDS: usize = 4096;

/// A file as a stream of records behind descriptor words.
struct Records {
    reader: Box<dyn ReadStore + Send>,
    file: FileId,
    /// The key of the last record read.
    last: Option<Box<[u8]>>,
    buffer: Vec<u8>,
    at: usize,
    failed: Option<ReadError>,
}

impl Records {
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.clear();
        self.at = 0;
        let from = self.last.take();
        let seek = from.as_deref().map_or(Seek::First, Seek::Greater);
        let (buffer, last) = (&mut self.buffer, &mut self.last);
        let mut taken = 0;
        let mut failed = None;
        let scanned = self.reader.scan(self.file, seek, &mut |entry| {
            match Framing::Rdw.write(buffer, entry.record) {
                Ok(Ok(())) => {}
                Ok(Err(reason)) => failed = Some(io::Error::other(reason)),
                Err(error) => failed = Some(error),
            }
            if failed.is_some() {
                return ControlFlow::Break(());
            }
            *last = Some(entry.key.into());
            taken += 1;
            match taken < CHUNK_RECORDS {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        match (scanned, failed) {
            (Err(error), _) => {
                let text = error.to_string();
                self.failed = Some(error);
                Err(io::Error::other(text))
            }
            (Ok(()), Some(error)) => Err(error),
            (Ok(()), None) => Ok(()),
        }
    }
}

impl Read for Records {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.buffer.len() {
            self.fill()?;
        }
        let n = into.len().min(self.buffer.len() - self.at);
        into[..n].copy_from_slice(&self.buffer[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}
