//! Packet captures explained: pcap and pcapng to TCP flows, to
//! request/response exchanges, to a verdict on where their time went.
//!
//! Layer 0: reads bytes it is given, opens no socket. [`explain`] takes any
//! `Read`, [`explain_file`] a path.
//!
//! ```no_run
//! let explanation = capture::explain_file("trace.pcapng".as_ref(), &capture::AnalysisOptions::default())?;
//! for slice in &explanation.slices {
//!     println!("{:<20} {:>12.3} ms", slice.kind.name(), slice.lost_ms);
//! }
//! # Ok::<(), capture::ReadError>(())
//! ```
//!
//! The way of a packet: [`read`] splits the file into frames, [`decode`]
//! turns a frame into the fields of a TCP segment, the tracker judges it
//! against its connection, reassembly hands bytes in order to a protocol's
//! parser, which separates exchanges; when one has ended its time is given to
//! kinds of evidence, and a ledger gives each instant to one of them.
//!
//! Invariant: bounded memory, whatever the file's size; no panic, whatever
//! its content; the same result with any number of threads.

#![forbid(unsafe_code)]

mod app;
mod capture_points;
mod connection;
pub mod decode;
mod engine;
mod error;
mod evidence;
mod exchange;
mod explanation;
mod histogram;
pub mod ipcs;
pub mod join;
mod ledger;
mod lookups;
mod options;
pub mod points;
pub mod read;
pub mod report;
mod segment;
mod sender_clock;
pub mod station;
mod stream;
mod tcp;
mod verdict;

pub use connection::{
    CapturePoint, Connection, ConnectionClose, ConnectionEnd, ResetPacket, RoundTripTime,
    TcpHandshake, TlsHandshake,
};
pub use error::ReadError;
pub use evidence::{DelayOwner, EvidenceKind, Reason};
pub use exchange::{Exchange, ExchangePart, ExchangePhase};
pub use explanation::{CaptureExplanation, CaptureInfo, CaptureTotals, FileProblem, ServiceTotals};
pub use histogram::Histogram;
pub use ledger::{LedgerInterval, SliceTimes};
pub use options::{AnalysisOptions, AppProtocol, ConnectionFilter, KeyLog, KeyLogError};
pub use segment::{ConnectionSide, MarkCounts, Segment, SegmentMarks, TcpFlags};
pub use verdict::{AdvicePlatform, EvidenceSlice, EvidenceStrength, VerdictKind};

use std::io::Read;
use std::path::Path;

/// Explains the capture in `path`.
pub fn explain_file(
    path: &Path,
    options: &AnalysisOptions,
) -> Result<CaptureExplanation, ReadError> {
    explain(std::fs::File::open(path)?, options)
}

/// Explains the capture that `source` gives; no buffering is needed.
pub fn explain(
    source: impl Read + Send,
    options: &AnalysisOptions,
) -> Result<CaptureExplanation, ReadError> {
    engine::run(source, options)
}
