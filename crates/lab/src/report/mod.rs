//! The result of an experiment: one model, output as text for a terminal, as JSON
//! lines for programs, and as one HTML page.

mod file;
mod html;
mod json;
mod model;
mod table;
mod text;

pub use file::ReportPage;
pub use html::html;
pub use json::json_lines;
pub use model::{
    ExperimentReport, FigureOrigin, JudgeFinding, NamedCause, Picture, PublishedValue,
    ReportFigure, Table,
};
pub use text::text;
