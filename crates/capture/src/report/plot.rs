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
        // Bytes are counted: nothing comes between two packets.
        step: true,
    };
    // Each direction of a link may have its own TCP connection, and numbers.
    let via = |side: Side| {
        let data = exchange.segments.iter().rev();
        data.filter(|s| s.from == side && s.len > 0)
            .map(|s| s.via)
            .next()
            .unwrap_or(0)
    };
    let sent = |side: Side| {
        let via = via(side);
        let all = exchange.segments.iter();
        all.filter(move |s| s.from == side && s.len > 0 && s.via == via)
    };
    let base = |side: Side| sent(side).map(|s| s.seq).min().unwrap_or(0);
    let data = |side: Side| -> Vec<(f64, f64)> {
        let from = base(side);
        sent(side)
            .map(|s| (at(s.time_ns), f64::from(s.end_seq().wrapping_sub(from))))
            .collect()
    };
    let acked = |side: Side| -> Vec<(f64, f64)> {
        let (from, via) = (base(side), via(side));
        let tells = |s: &&Segment| {
            let ack = s.flags.has(Flags::ACK) && s.ack.wrapping_sub(from) < 1 << 31;
            s.from != side && s.via == via && ack
        };
        let theirs = exchange.segments.iter().filter(tells);
        theirs
            .map(|s| (at(s.time_ns), f64::from(s.ack.wrapping_sub(from))))
            .collect()
    };
    let inside = exchange.gaps.iter().filter(|g| g.from_ns >= start);
    let longest = inside.max_by_key(|g| g.to_ns - g.from_ns);
    let asks = exchange.asked_by;
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
            line("request sent", false, data(asks)),
            line("response sent", false, data(asks.other())),
            line("request acknowledged", true, acked(asks)),
            line("response acknowledged", true, acked(asks.other())),
        ],
        mark: None,
        shade: longest.map(|g| (at(g.from_ns), at(g.to_ns), g.rule.unwrap_or("").to_owned())),
    }
}
