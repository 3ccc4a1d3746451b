//! Pictures that network experiments share, drawn from explained captures.

use crate::report::Picture;
use crate::traffic::TrialResult;
use capture::{EvidenceKind, Exchange};
use page::chart::{BarChart, BarPart, ChartAxis, ChartSeries, LineChart, StackedBar};

/// The time of one exchange of each run by cause.
pub fn where_time_went(runs: &[&TrialResult]) -> Picture {
    let bar = |run: &&TrialResult| {
        let part = |name: &str, ns: i64, strong| BarPart {
            name: name.into(),
            length: ns as f64 / 1e6,
            strong,
        };
        let mut parts = Vec::new();
        if let Some(exchange) = usual(run) {
            let kinds = EvidenceKind::ALL.into_iter();
            parts.extend(kinds.map(|kind| {
                let strong = !OWN_TIME.contains(&kind);
                part(kind.title(), exchange.slices.of(kind), strong)
            }));
            parts.retain(|p| p.length > 0.0);
        }
        StackedBar {
            name: run.conditions.clone(),
            parts,
        }
    };
    Picture::Bars {
        chart: BarChart {
            title: "Where the time went".into(),
            unit: "ms".into(),
            bars: runs.iter().map(bar).collect(),
        },
        caption: "The exchange of median length, as captured near the client, by kind of evidence."
            .into(),
    }
}

/// The bytes of one exchange of each run over time, request and response. A
/// logarithmic axis shows both an exchange with a stall and one without.
pub fn bytes_over_time(title: &str, runs: &[&TrialResult], log: bool) -> Picture {
    let series = |run: &&TrialResult| {
        let mut points = vec![(0.0, 0.0)];
        let mut bytes = 0.0;
        if let Some(exchange) = usual(run) {
            for segment in exchange.segments.iter().filter(|s| s.len > 0) {
                let at = (segment.time_ns - exchange.start_ns) as f64 / 1e6;
                let at = if log { at.max(EARLIEST_MS) } else { at };
                points.push((at, bytes));
                bytes += f64::from(segment.len);
                points.push((at, bytes));
            }
        }
        ChartSeries {
            name: run.conditions.clone(),
            points,
            ..ChartSeries::default()
        }
    };
    Picture::Plot(LineChart {
        title: title.into(),
        x: if log {
            ChartAxis::log("ms since the exchange began")
        } else {
            ChartAxis::from_zero("ms since the exchange began")
        },
        y: ChartAxis::from_zero("bytes of request and response"),
        series: runs.iter().map(series).collect(),
        ..LineChart::default()
    })
}

/// The exchange of median length: neither a first request nor one during a stall of
/// the machine.
fn usual(run: &TrialResult) -> Option<&Exchange> {
    let mut exchanges: Vec<_> = run.explanation.exchanges.iter().collect();
    exchanges.sort_by_key(|e| e.total_ns());
    exchanges.get(exchanges.len() / 2).copied()
}

/// Start of a logarithmic axis: less than the time of a packet.
const EARLIEST_MS: f64 = 0.01;

/// Time that passes without a fault: the path's and the server's own.
const OWN_TIME: [EvidenceKind; 3] = [
    EvidenceKind::SlowPath,
    EvidenceKind::Chatty,
    EvidenceKind::HostWait,
];
