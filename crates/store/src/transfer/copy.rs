//! From one file into another: REPRO between two files of a store.
//!
//! The records of one are read a few thousand at a time and loaded into the
//! other as from any input. No state is kept alive in between. From one file of
//! relative records to another they keep their numbers, which then precede each
//! record of that input.

use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;

use super::convert::VerbatimConverter;
use super::framing::RecordFraming;
use super::load::{LoadError, LoadEvent, LoadOptions, LoadReport, load};
use super::source::FileSource;
use crate::error::ReadError;
use crate::file::{FileId, FileOrganisation};
use crate::traits::{ReadStore, WriteStore};

/// Copies the records of one file into another; otherwise as
/// [`load`](super::load()). The framing of `options` does not matter.
pub fn copy(
    store: &mut dyn WriteStore,
    from: impl Into<FileSource>,
    to: FileId,
    options: &LoadOptions,
    events: &mut dyn FnMut(LoadEvent<'_>),
) -> Result<(LoadReport, FileId), LoadError> {
    let from = from.into();
    let mut reader = store.reader()?;
    let mut is_relative = |file| {
        let def = reader.definition(file)?;
        Ok::<_, ReadError>(def.organisation == FileOrganisation::Rrds)
    };
    let numbered = is_relative(from.file)? && is_relative(to)?;
    let mut records = Records {
        reader,
        from,
        numbered,
        last: None,
        buffer: Vec::new(),
        at: 0,
        failed: None,
    };
    let options = LoadOptions {
        framing: RecordFraming::Rdw,
        numbered,
        ..options.clone()
    };
    let mut input = BufReader::new(&mut records);
    let copied = load(store, to, &mut input, &options, &VerbatimConverter, events);
    drop(input);
    match records.failed {
        Some(error) => Err(error.into()),
        None => copied,
    }
}

/// Records read from one state.
const CHUNK_RECORDS: usize = 4096;

/// A file as a stream of records after descriptor words.
struct Records {
    reader: Box<dyn ReadStore + Send>,
    from: FileSource,
    /// Each record follows its number.
    numbered: bool,
    /// The place of the last record read.
    last: Option<Box<[u8]>>,
    buffer: Vec<u8>,
    at: usize,
    failed: Option<ReadError>,
}

impl Records {
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.clear();
        self.at = 0;
        let after = self.last.take();
        let numbered = self.numbered;
        let mut framed = Vec::new();
        let (buffer, last) = (&mut self.buffer, &mut self.last);
        let mut taken = 0;
        let mut failed = None;
        let scanned = self
            .from
            .scan(&mut *self.reader, after.as_deref(), &mut |place, entry| {
                let number = if numbered { entry.key } else { &[] };
                framed.clear();
                framed.extend_from_slice(number);
                framed.extend_from_slice(entry.record);
                match RecordFraming::Rdw.write(buffer, &framed) {
                    Ok(Ok(())) => {}
                    Ok(Err(reason)) => failed = Some(io::Error::other(reason)),
                    Err(error) => failed = Some(error),
                }
                if failed.is_some() {
                    return ControlFlow::Break(());
                }
                *last = Some(place.into());
                taken += 1;
                if taken < CHUNK_RECORDS {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
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
