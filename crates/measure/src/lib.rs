//! Histograms, CPU accounting, fits and the report model.
//!
//! The crate computes; it opens no socket, starts no thread and reads no
//! clock. The one exception is [`proc`], which reads the kernel's accounting
//! files because every instrument needs the same figures from them.

mod histogram;

pub use histogram::Histogram;
