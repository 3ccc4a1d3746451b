//! Two captures of the same work, before and after a change: the table that
//! the published cases end with.

use std::fmt;

use super::columns::columns;
use super::ms;
use crate::{CaptureExplanation, EvidenceKind, ServiceTotals};

/// Before against after.
#[derive(Clone, Debug, serde::Serialize)]
pub struct CaptureComparison {
    /// Rows: all requests first, then services and kinds that occur in either.
    pub rows: Vec<ComparisonRow>,
}

/// One figure of both captures.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ComparisonRow {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Before. `None` if it does not occur.
    pub before: Option<f64>,
    /// After.
    pub after: Option<f64>,
}

impl ComparisonRow {
    /// The change in per cent of before.
    pub fn change_percent(&self) -> Option<f64> {
        match (self.before?, self.after?) {
            (before, after) if before != 0.0 => Some((after - before) / before * 100.0),
            _ => None,
        }
    }
}

/// Compares.
pub fn compare(before: &CaptureExplanation, after: &CaptureExplanation) -> CaptureComparison {
    let mut rows = Vec::new();
    let both = |name: String,
                unit: &'static str,
                f: &dyn Fn(&CaptureExplanation) -> Option<f64>| ComparisonRow {
        name,
        unit,
        before: f(before),
        after: f(after),
    };
    let each = |e: &CaptureExplanation, ns: i64| {
        (e.totals.exchanges > 0).then(|| ns as f64 / 1e6 / e.totals.exchanges as f64)
    };
    rows.push(both("response, all requests".into(), "ms", &|e| {
        each(e, e.totals.slices.total_ns())
    }));
    let mut ports: Vec<u16> = before
        .services
        .iter()
        .chain(&after.services)
        .map(|s| s.port)
        .collect();
    ports.sort_unstable();
    ports.dedup();
    for port in ports {
        let of = |e: &CaptureExplanation, f: &dyn Fn(&ServiceTotals) -> f64| -> Option<f64> {
            let service = e
                .services
                .iter()
                .find(|s| s.port == port && s.exchanges > 0)?;
            Some(f(service))
        };
        let named = |what: &str| format!("port {port}: {what}");
        let n = |s: &ServiceTotals| s.exchanges.max(1) as f64;
        rows.push(both(named("response, mean"), "ms", &|e| {
            of(e, &|s| s.times.mean_ns() as f64 / 1e6)
        }));
        rows.push(both(named("response, p99"), "ms", &|e| {
            of(e, &|s| s.times.quantile_ns(0.99) as f64 / 1e6)
        }));
        rows.push(both(named("packets a request"), "", &|e| {
            of(e, &|s| s.request_segments as f64 / n(s))
        }));
        rows.push(both(named("packets a response"), "", &|e| {
            of(e, &|s| s.response_segments as f64 / n(s))
        }));
    }
    for kind in EvidenceKind::ALL {
        let of = |e: &CaptureExplanation| e.totals.slices.of(kind);
        if of(before) > 0 || of(after) > 0 {
            let name = format!("{} a request", kind.title());
            rows.push(both(name, "ms", &|e| each(e, of(e))));
        }
    }
    CaptureComparison { rows }
}

impl fmt::Display for CaptureComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figure = |value: Option<f64>, unit: &str| match (value, unit) {
            (None, _) => "-".to_owned(),
            (Some(v), "ms") => ms((v * 1e6) as i64),
            (Some(v), _) => format!("{v:.1}"),
        };
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|r| {
                vec![
                    r.name.clone(),
                    figure(r.before, r.unit),
                    figure(r.after, r.unit),
                    r.unit.to_owned(),
                    r.change_percent()
                        .map_or(String::new(), |c| format!("{c:+.1} %")),
                ]
            })
            .collect();
        f.write_str(&columns(&["", ">before", ">after", "", ">change"], &rows))
    }
}
