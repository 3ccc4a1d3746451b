//! Captures made on purpose, for tests and benches: whole TCP conversations over a
//! small modelled path, written as pcap or pcapng. No program depends on this crate.
//!
//! Two ends with their own MSS, windows, timers and habits talk over a path
//! with a delay, a rate and a list of faults; what passes the capture point
//! becomes a file. Everything follows from the description and a seed, so a
//! fixture is a few lines of text and the same bytes on every machine. The
//! rules' tests plant one cause each this way, and the benches make their large
//! captures with [`bulk`].
//!
//! The ends are a model of TCP, not a stack: slow start, congestion avoidance,
//! NewReno recovery, Nagle's algorithm, delayed acknowledgements and window
//! updates are there because stalls come from them; urgent data is not.
//!
//! Invariant: no clock and no random source but the seed.

#![forbid(unsafe_code)]

mod bulk;
mod conversation;
mod end;
mod frame;
mod model;
mod payload;
mod planted;
mod sna;
mod writer;

pub use self::sna::{LinkWord, SnaLink, SnaUnit, sna_capture, sna_captures};
pub use bulk::{BulkKind, bulk};
pub use conversation::simulate;
pub use frame::Segment;
pub use model::{
    AppWrite, CapturePlace, CloseStyle, Conversation, DelayedAck, EndModel, Exchange, Fault,
    FaultAction, NetworkPath, PacketSelector, PayloadKind, Reader,
};
pub use planted::{FixtureView, PLANTED, PlantedCapture, paced, planted, stopped};
pub use writer::{FileFormat, Writer, capture_file};
