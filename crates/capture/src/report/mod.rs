//! An explanation as people read it: the verdict and its three sentences, the
//! slices, one exchange in detail, a page with pictures, before against after.
//!
//! All of it is made from an [`Explanation`](crate::Explanation) alone, so it
//! looks the same whether the capture came from a file, a trace or a laboratory.

mod columns;
mod compare;
mod detail;
mod html;
mod ladder;
mod mask;
mod paint;
mod points;
mod reference;
mod text;

pub use compare::{CaptureComparison, ComparisonRow, compare};
pub use detail::detail;
pub use html::html;
pub use ladder::ladder_svg;
pub use mask::mask;
pub use reference::reference_page;
pub use text::text;

/// Version of the JSON, raised when a field changes its meaning or goes.
pub const SCHEMA_VERSION: u32 = 2;

/// Milliseconds with as many digits as they deserve.
pub(crate) fn ms(ns: i64) -> String {
    let ms = ns as f64 / 1e6;
    match ms.abs() {
        v if v >= 1000.0 => format!("{ms:.0}"),
        v if v >= 100.0 => format!("{ms:.1}"),
        v if v >= 1.0 => format!("{ms:.2}"),
        _ => format!("{ms:.3}"),
    }
}

/// A share of a whole in per cent.
pub(crate) fn percent(part: i64, whole: i64) -> f64 {
    match whole {
        0 => 0.0,
        whole => part as f64 * 100.0 / whole as f64,
    }
}
