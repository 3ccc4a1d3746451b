//! The report of a run: one model, output as text for a terminal, as JSON for
//! programs, and as one HTML page.
//!
//!
//! Durations are in milliseconds, CPU per transaction in microseconds. A CPU figure
//! is always shown with the load level at which it was measured.

mod comparison;
mod cost;
mod fold;
mod heat;
mod hover;
mod html;
mod matrix;
mod model;
mod page;
mod scale;
mod svg;
mod text;
mod verdict;

pub use comparison::{ComparisonRow, RunComparison};
pub use cost::{CpuPart, CpuView, ServerCpu};
pub use html::{html, three_and_others};
pub use matrix::{LoopMatrix, MatrixCell};
pub use model::{
    CurvePoint, DriverUsage, DurationBuckets, LatencyReport, LoadCurve, LoadReport,
    PopulationReport, PresentedLoad, PresentedPiece, ReportInterval, Server, StepReport,
    ThreadShare, UnrecoveredLoad,
};
pub use page::{STYLE, page};
pub use svg::{Axis, Plot, Series, escape, short};
pub use text::text;
pub use verdict::sparkline;
