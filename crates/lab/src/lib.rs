//! The papers' experiments, reproduced and printed beside the published figures.
//!
//! An [`Experiment`](experiments::Experiment) is one file under `experiments/`
//! and one row in its table. It makes the conditions that a paper describes,
//! runs real traffic or a model through them, and gives back a
//! [`Report`](report::Report): figures beside what was published, pictures,
//! and what the explained captures name as the cause.
//!
//! Layer 3: reads wires and records, never internals of what it measures.

pub mod appc;
pub mod cli;
pub mod cycles;
mod error;
pub mod experiments;
pub mod net;
pub mod record;
pub mod repeat;
pub mod report;
pub mod serve;
pub mod services;
pub mod traffic;

pub use error::LabError;
