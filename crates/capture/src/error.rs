//! Why a capture could not be read at all.

use std::io;
use thiserror::Error;

/// Why a capture could not be read. An error after the first packet is a
/// [`Problem`](crate::Problem) of the explanation instead.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The operating system refused.
    #[error("cannot read the capture: {0}")]
    Io(#[from] io::Error),
    /// Nothing in it.
    #[error("the capture is empty (0 bytes); record it again")]
    Empty,
    /// Not a format that is read here.
    #[error("offset 0: {found} is not a capture format known here; {fix}")]
    UnknownFormat {
        /// The first bytes, as text.
        found: String,
        /// The remedy.
        fix: &'static str,
    },
    /// The header of the file makes no sense.
    #[error("offset {offset}: {what}; {fix}")]
    Corrupt {
        /// Offset in the uncompressed file.
        offset: u64,
        /// The mistake.
        what: String,
        /// The remedy.
        fix: &'static str,
    },
}
