//! An explanation as people read it: three sentences, a table that adds up,
//! one exchange in detail, a page with pictures, before against after.
//!
//! All of it is made from an [`Explanation`](crate::Explanation) alone, so it
//! looks the same whether the capture came from a file, a trace or a laboratory.

mod columns;
mod compare;
mod detail;
mod html;
mod plot;
mod sequence;
mod split_bar;
mod summary;
mod text;

pub use compare::{Comparison, Row, compare};
pub use detail::detail;
pub use html::html;
pub use plot::time_sequence;
pub use sequence::sequence_svg;
pub use summary::summary;
pub use text::{silences, text};

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

/// Time of all exchanges, client think excluded.
pub(crate) fn total_ns(explanation: &crate::Explanation) -> i64 {
    explanation.totals.phases.inside_ns() + explanation.totals.stalled_ns
}

/// The place of a cause in the palette of pictures: 0 to 7, by what is concerned.
pub(crate) fn colour(rule: &str) -> usize {
    let is = |beginnings: &[&str]| beginnings.iter().any(|b| rule.starts_with(b));
    match rule {
        _ if crate::rules::is_own_time(rule) => 2,
        _ if is(&["tcp.nagle", "tcp.ack"]) => 1,
        _ if is(&["tcp.window", "tcp.sender"]) => 4,
        _ if is(&["tcp.retransmit", "tcp.reordering"]) => 3,
        _ if is(&["tcp.rto", "tcp.syn", "tcp.pmtu", "tcp.reset"]) => 7,
        _ if is(&["sna.", "dlsw.", "llc."]) => 5,
        "tcp.congestion-window" => 6,
        _ => 0,
    }
}
