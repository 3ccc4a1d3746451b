//! Pictures that network experiments share, drawn from explained captures.

use crate::report::{Bar, BarPart, Picture, bars};
use crate::traffic::Run;
use capture::Phase;
use measure::report::{Axis, Plot, Series};

/// Where the time of the mean exchange of each run went.
pub fn where_time_went(runs: &[&Run]) -> Picture {
    let bar = |run: &&Run| {
        let totals = &run.explanation.totals;
        let part = |name: &str, ns: i64, strong| BarPart {
            name: name.into(),
            length: ns as f64 / 1e6 / totals.exchanges.max(1) as f64,
            strong,
        };
        // Client think lies outside of an exchange.
        let phases = Phase::ALL.into_iter().skip(1);
        let phases = phases.map(|p| part(p.name(), totals.phases.of(p), false));
        let causes = run.explanation.causes.iter();
        let causes = causes.map(|c| part(c.rule, c.stalled_ns, true));
        Bar {
            name: run.conditions.clone(),
            parts: phases.chain(causes).filter(|p| p.length > 0.0).collect(),
        }
    };
    bars(
        "Where the time went",
        "ms",
        &runs.iter().map(bar).collect::<Vec<_>>(),
        "One exchange on average, as captured near the client, so server think includes the way \
         there and back; stalls carry the name of their cause.",
    )
}

/// How one exchange of each run moved its bytes, request and response, over
/// time: the one of median length, so that no first request stands for all.
/// A logarithmic axis keeps a stall and an exchange without one apart.
pub fn bytes_over_time(title: &str, runs: &[&Run], log: bool) -> Picture {
    let series = |run: &&Run| {
        let mut exchanges: Vec<_> = run.explanation.exchanges.iter().collect();
        exchanges.sort_by_key(|e| e.total_ns());
        let mut points = vec![(0.0, 0.0)];
        let mut bytes = 0.0;
        if let Some(exchange) = exchanges.get(exchanges.len() / 2) {
            for segment in exchange.segments.iter().filter(|s| s.len > 0) {
                let at = (segment.time_ns - exchange.start_ns) as f64 / 1e6;
                let at = if log { at.max(EARLIEST_MS) } else { at };
                points.push((at, bytes));
                bytes += f64::from(segment.len);
                points.push((at, bytes));
            }
        }
        Series {
            name: run.conditions.clone(),
            points,
            ..Series::default()
        }
    };
    Picture::Plot(Plot {
        title: title.into(),
        x: Axis {
            label: match log {
                true => "ms since the exchange began (log)".into(),
                false => "ms since the exchange began".into(),
            },
            log,
            from_zero: true,
            ..Axis::default()
        },
        y: Axis {
            label: "bytes of request and response".into(),
            from_zero: true,
            ..Axis::default()
        },
        series: runs.iter().map(series).collect(),
        ..Plot::default()
    })
}

/// Where a logarithmic axis begins: less than a packet takes.
const EARLIEST_MS: f64 = 0.01;
