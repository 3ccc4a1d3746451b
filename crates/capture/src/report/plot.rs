//! Time-sequence plots: bytes of each direction over time, and what was
//! acknowledged of them.

use measure::report::{Axis, Plot, Series};

use crate::{Exchange, Flags, Segment, Side};

/// The plot of one exchange; its longest gap is shaded.
pub fn time_sequence(exchange: &Exchange) -> Plot {
    let start = exchange.segments.first().map_or(0, |s| s.time_ns);
    let at = |ns: i64| (ns - start) as f64 / 1e6;
    let line = |name: &str, dashed: bool, points: Vec<(f64, f64)>| Series {
        name: name.into(),
        points,
        dashed,
        dots: !dashed,
    };
    let base = |side: Side| {
        let mine = exchange
            .segments
            .iter()
            .filter(|s| s.from == side && s.len > 0);
        mine.map(|s| s.seq).min().unwrap_or(0)
    };
    let data = |side: Side| -> Vec<(f64, f64)> {
        let from = base(side);
        let mine = exchange
            .segments
            .iter()
            .filter(|s| s.from == side && s.len > 0);
        mine.map(|s| (at(s.time_ns), f64::from(s.end_seq().wrapping_sub(from))))
            .collect()
    };
    let acked = |side: Side| -> Vec<(f64, f64)> {
        let from = base(side);
        let tells = |s: &&Segment| {
            s.from != side && s.flags.has(Flags::ACK) && s.ack.wrapping_sub(from) < 1 << 31
        };
        let theirs = exchange.segments.iter().filter(tells);
        theirs
            .map(|s| (at(s.time_ns), f64::from(s.ack.wrapping_sub(from))))
            .collect()
    };
    let inside = exchange.gaps.iter().filter(|g| g.from_ns >= start);
    let longest = inside.max_by_key(|g| g.to_ns - g.from_ns);
    let axis = |label: &str| Axis {
        label: label.into(),
        from_zero: true,
        ..Axis::default()
    };
    Plot {
        title: format!("Bytes over time, exchange {}", exchange.id),
        x: axis("ms"),
        y: axis("bytes"),
        series: vec![
            line("request sent", false, data(Side::Client)),
            line("response sent", false, data(Side::Server)),
            line("request acknowledged", true, acked(Side::Client)),
            line("response acknowledged", true, acked(Side::Server)),
        ],
        mark: None,
        shade: longest.map(|g| (at(g.from_ns), at(g.to_ns), g.rule.unwrap_or("").to_owned())),
    }
}
