//! Charts as SVG: lines and steps, percentiles, columns, a heatmap, bars, and the
//! shares of a whole.
//!
//! This is own code instead of a library (plotters): a page needs the style sheet's
//! colours in light and dark, two widths, and values at the pointer without a
//! script. No drawing library has them. Lines and axes are 20 KB of machine code.
//!
//! Every chart names itself and its axes to a screen reader. It does so by a label
//! and a `desc` element, not by a `title` element: browsers show a title at the
//! pointer, over the values that are shown there.

mod axis;
mod bars;
mod columns;
mod heat;
mod hover;
mod lines;
mod percentiles;
mod picture;
mod scale;
mod share;

pub use axis::ChartAxis;
pub use bars::{BarChart, BarPart, StackedBar};
pub use columns::{ChartColumn, ColumnChart};
pub use heat::{HeatChart, HeatColumn};
pub use lines::{ChartSeries, LineChart};
pub use percentiles::percentile_chart;
pub use picture::{PxLength, SvgPicture, card};
pub use share::{ShareBar, SharePart};
