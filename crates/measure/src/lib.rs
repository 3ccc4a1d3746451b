//! Histograms, CPU accounting, fits and the report model.
//!
//! The crate computes; it opens no socket, starts no thread and reads no
//! clock. The one exception is [`proc`], which reads the kernel's accounting
//! files because every instrument needs the same figures from them.

pub mod hdrlog;
mod histogram;
pub mod knee;
pub mod proc;
pub mod queueing;
pub mod report;
pub mod stats;

pub use histogram::Histogram;
