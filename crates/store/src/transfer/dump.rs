//! Out of a file: all records of one committed state, in the order of keys.

use std::io::{self, Write};
use std::ops::ControlFlow;

use thiserror::Error;

use super::convert::Convert;
use super::framing::Framing;
use super::load::PROGRESS_RECORDS;
use crate::error::{Key, ReadError};
use crate::file::FileId;
use crate::seek::Seek;
use crate::traits::ReadStore;

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DumpReport {
    /// Records written.
    pub records: u64,
    /// Their bytes in the file.
    pub bytes: u64,
}

/// Why a dump ended early. What was written before is whole.
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
    /// The output took no more.
    #[error("the output cannot be written")]
    Output(#[from] io::Error),
    /// The store failed.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Writes every record of a file. Tells `progress` now and then what was
/// written so far.
pub fn dump(
    store: &mut (impl ReadStore + ?Sized),
    file: FileId,
    output: &mut dyn Write,
    framing: Framing,
    convert: &dyn Convert,
    progress: &mut dyn FnMut(DumpReport),
) -> Result<DumpReport, DumpError> {
    let mut report = DumpReport::default();
    let mut outside = Vec::new();
    let mut failed = None;
    store.scan(file, Seek::First, &mut |entry| {
        outside.clear();
        let written = convert
            .outward(entry.record, &mut outside)
            .map_err(|error| error.to_string())
            .map(|()| framing.write(output, &outside));
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
