//! Captures of traffic on interfaces of this host, for `tupelo capture record` and
//! for experiments.
//!
//! A thread reads frames from a packet socket, keeps those that the filter
//! wants and writes pcapng with the kernel's time stamps in nanoseconds.

pub mod cli;
mod filter;
mod recorder;

pub use cli::{Args, run};
pub use filter::PacketFilter;
pub use recorder::{CaptureSetup, FinishedCapture, Limits, PacketRecorder};
