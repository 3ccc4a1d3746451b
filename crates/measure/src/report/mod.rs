//! The report of a run: one model, output as text for a terminal, as JSON for
//! programs, and as one HTML page.
//!
//! Durations are in milliseconds, CPU per transaction in microseconds. A CPU figure
//! is always shown with the load level at which it was measured.

mod comparison;
mod cost;
mod curve;
mod html;
mod matrix;
mod model;
mod spread;
mod tables;
mod text;
mod verdict;

pub use comparison::{ComparisonRow, RunComparison};
pub use cost::{CpuPart, CpuView, ServerCpu};
pub use html::html;
pub use matrix::{LoopMatrix, MatrixCell};
pub use model::{
    CurvePoint, DriverUsage, DurationBuckets, LatencyReport, LoadCurve, LoadReport,
    PopulationReport, PresentedLoad, PresentedPiece, ReportInterval, Server, StepReport,
    ThreadShare, UnrecoveredLoad,
};
pub use text::text;
pub use verdict::sparkline;
