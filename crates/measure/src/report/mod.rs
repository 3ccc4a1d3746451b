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

pub use cost::{CpuPart, ServerCpu, View};
pub use html::{html, three_and_others};
pub use matrix::{Cell, Matrix};
pub use model::{
    Curve, CurvePoint, Driver, LatencyReport, Moment, PopulationReport, Presented, PresentedPiece,
    Report, Server, Shape, StepReport, ThreadShare, Unrecovered,
};
pub use page::{STYLE, page};
pub use svg::{Axis, Plot, Series, escape, short};
pub use text::text;
pub use verdict::sparkline;
pub use versus::{Versus, VersusRow};
