//! Out of a file: its records in the order of their keys, all of one committed
//! state, or in that of an alternate index.

use std::io::{self, Write};
use std::ops::ControlFlow;

use thiserror::Error;

use super::convert::RecordConverter;
use super::framing::RecordFraming;
use super::load::PROGRESS_RECORDS;
use super::source::FileSource;
use crate::error::{Key, ReadError};
use crate::traits::ReadStore;

/// Which records, and in what form.
#[derive(Debug, Clone, Copy)]
pub struct DumpOptions {
    /// The framing of records in the output.
    pub framing: RecordFraming,
    /// Records passed over at the beginning.
    pub skip: u64,
    /// Most records written.
    pub count: Option<u64>,
    /// Whether each record follows its key, which the framing counts; for files
    /// whose records do not contain a key.
    pub numbered: bool,
}

impl DumpOptions {
    /// All records.
    pub fn new(framing: RecordFraming) -> Self {
        Self {
            framing,
            skip: 0,
            count: None,
            numbered: false,
        }
    }
}

/// The counts of a dump.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DumpReport {
    /// Records written.
    pub records: u64,
    /// Their bytes in the file.
    pub bytes: u64,
}

/// Why a dump ended early. The records written before are whole.
#[derive(Debug, Error)]
pub enum DumpError {
    /// A record has no place in the form asked for.
    #[error("the record with key {key} cannot be written: {reason}")]
    Record {
        /// Its key.
        key: Key,
        /// Why not.
        reason: String,
    },
    /// A write to the output failed.
    #[error("the output cannot be written")]
    Output(#[from] io::Error),
    /// The store failed.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Writes the records of a file. Reports the progress to `progress` now and
/// then.
pub fn dump(
    store: &mut (impl ReadStore + ?Sized),
    from: impl Into<FileSource>,
    output: &mut dyn Write,
    options: &DumpOptions,
    convert: &dyn RecordConverter,
    progress: &mut dyn FnMut(DumpReport),
) -> Result<DumpReport, DumpError> {
    let mut report = DumpReport::default();
    let mut outside = Vec::new();
    let mut failed = None;
    let mut passed = 0;
    from.into().scan(store, None, &mut |_, entry| {
        if passed < options.skip {
            passed += 1;
            return ControlFlow::Continue(());
        }
        if options.count.is_some_and(|most| report.records >= most) {
            return ControlFlow::Break(());
        }
        outside.clear();
        let written = convert
            .outward(entry.record, &mut outside)
            .map_err(|error| error.to_string())
            .map(|()| {
                if options.numbered {
                    outside.splice(0..0, entry.key.iter().copied());
                }
                options.framing.write(output, &outside)
            });
        let refused = |reason| DumpError::Record {
            key: entry.key.into(),
            reason,
        };
        failed = match written {
            Ok(Ok(Ok(()))) => None,
            Ok(Err(error)) => Some(error.into()),
            Ok(Ok(Err(reason))) | Err(reason) => Some(refused(reason)),
        };
        if failed.is_some() {
            return ControlFlow::Break(());
        }
        report.records += 1;
        report.bytes += entry.record.len() as u64;
        if report.records.is_multiple_of(PROGRESS_RECORDS) {
            progress(report);
        }
        ControlFlow::Continue(())
    })?;
    match failed {
        Some(error) => Err(error),
        None => {
            output.flush()?;
            Ok(report)
        }
    }
}
