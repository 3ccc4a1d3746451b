//! The papers' experiments, reproduced and compared with the published figures.
//!
//! An [`Experiment`](experiments::Experiment) is one file under `experiments/` and
//! one row in its table. It creates the conditions of a paper, runs real traffic or
//! a model, and returns a [`Report`](report::Report): measured and published
//! figures, plots, and the causes that the explained captures name.
//!
//! Layer 3: it measures from wires and records, never from the internals of the
//! system under test.

pub mod appc;
pub mod cli;
pub mod cycles;
mod error;
pub mod experiments;
pub mod net;
pub mod record;
pub mod repeat;
pub mod report;
pub mod ring;
pub mod serve;
pub mod services;
pub mod traffic;

pub use error::LabError;
