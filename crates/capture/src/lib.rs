//! Packet captures explained: pcap and pcapng to TCP flows, to
//! request/response exchanges, to stalls with causes.
//!
//! Layer 0: reads bytes it is given, opens no socket. [`explain`] takes any
//! `Read`, [`explain_file`] a path.
//!
//! ```no_run
//! let explanation = capture::explain_file("trace.pcapng".as_ref(), &capture::Options::default())?;
//! for cause in &explanation.causes {
//!     println!("{:<32} {:>6} {:>12.3} ms", cause.rule, cause.count, cause.cost_ns as f64 / 1e6);
//! }
//! # Ok::<(), capture::ReadError>(())
//! ```
//!
//! The way of a packet: [`read`] splits the file into frames, [`decode`]
//! turns a frame into the fields of a TCP segment, the tracker judges it
//! against its connection, reassembly hands bytes in order to a protocol's
//! parser, which tells exchanges apart; when one has ended its time is split
//! into phases and its gaps are offered to the [`rules`].
//!
//! Invariant: bounded memory, whatever the file's size; no panic, whatever
//! its content; the same result with any number of threads.

#![forbid(unsafe_code)]

mod app;
mod connection;
pub mod decode;
mod engine;
mod error;
mod exchange;
mod explanation;
mod histogram;
pub mod ipcs;
pub mod join;
pub mod judge;
mod options;
mod pacing;
pub mod read;
pub mod report;
pub mod rules;
mod segment;
pub mod station;
mod stream;
pub mod synth;
mod tcp;
mod told;

pub use connection::{
    ACK_DELAY_BOUNDS_NS, AckDelays, Close, Connection, End, FLIGHTS, Handshake, ResetPacket, Rtt,
    Tls, Vantage,
};
pub use error::ReadError;
pub use exchange::{Exchange, GapReport, Part, Phase, PhaseTimes, Split, Stall};
pub use explanation::{CaptureInfo, Cause, Explanation, Problem, Service, Totals};
pub use histogram::Histogram;
pub use options::{Filter, KeyLog, KeyLogError, Options, Protocol};
pub use pacing::{Pacing, WAIT_CLASSES};
pub use rules::{About, Claim, Confidence, Evidence, Finding, Gap, Quiet, Rule, Silence};
pub use segment::{Flags, MarkCounts, Marks, Segment, Side};
pub use told::Told;

use std::io::Read;
use std::path::Path;

/// Explains the capture in `path`.
pub fn explain_file(path: &Path, options: &Options) -> Result<Explanation, ReadError> {
    explain(std::fs::File::open(path)?, options)
}

/// Explains the capture that `source` gives; no buffering is needed.
pub fn explain(source: impl Read + Send, options: &Options) -> Result<Explanation, ReadError> {
    engine::run(source, options)
}
