//! The report of a run: one model, shown as text for a terminal, as JSON for a
//! program, and as one HTML page for everybody else.
//!
//! Durations are in milliseconds, CPU per transaction in microseconds, and a
//! CPU figure never stands without the load level at which it was measured.

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
mod versus;

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
pub use versus::{RunComparison, VersusRow};
