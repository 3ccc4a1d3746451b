//! Pictures that network experiments share, drawn from explained captures.

use crate::report::{Bar, Picture, bars};
use crate::traffic::Run;
use capture::Phase;
use measure::report::{Axis, Plot, Series};

/// Where the time of the mean exchange of each run went.
pub fn where_time_went(runs: &[&Run]) -> Picture {
    let bar = |run: &&Run| -> Bar {
        let totals = &run.explanation.totals;
        let mean = |ns: i64| ns as f64 / 1e6 / totals.exchanges.max(1) as f64;
        let phases = Phase::ALL.into_iter().skip(1);
        let phases = phases.map(|p| (p.name().to_owned(), mean(totals.phases.of(p))));
        let causes = run.explanation.causes.iter();
        let causes = causes.map(|c| (c.rule.to_owned(), mean(c.stalled_ns)));
        let parts = phases.chain(causes).filter(|p| p.1 > 0.0);
        (run.conditions.clone(), parts.collect())
    };
    bars(
        "Where the time went",
        "ms",
        &runs.iter().map(bar).collect::<Vec<_>>(),
        "One exchange on average; stalls carry the name of their cause.",
    )
}

/// How one exchange of each run moved its bytes, request and response, over
/// time: the one of median length, so that no first request stands for all.
pub fn bytes_over_time(title: &str, runs: &[&Run]) -> Picture {
    let series = |run: &&Run| {
        let mut exchanges: Vec<_> = run.explanation.exchanges.iter().collect();
        exchanges.sort_by_key(|e| e.total_ns());
        let mut points = vec![(0.0, 0.0)];
        let mut bytes = 0.0;
        if let Some(exchange) = exchanges.get(exchanges.len() / 2) {
            for segment in exchange.segments.iter().filter(|s| s.len > 0) {
                let at = (segment.time_ns - exchange.start_ns) as f64 / 1e6;
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
    let axis = |label: &str| Axis {
        label: label.into(),
        from_zero: true,
        ..Axis::default()
    };
    Picture::Plot(Plot {
        title: title.into(),
        x: axis("ms since the exchange began"),
        y: axis("bytes of request and response"),
        series: runs.iter().map(series).collect(),
        ..Plot::default()
    })
}
