//! The explanation for a terminal: the verdict, the important slices, notes on the
//! capture, services, and the slowest exchanges.

use std::fmt::Write;

use super::columns::columns;
use super::ms;
use super::points::points_text;
use crate::verdict::LEAST_SHARE;
use crate::{CaptureExplanation, EvidenceSlice, VerdictKind, station};

/// The text.
pub fn text(explanation: &CaptureExplanation) -> String {
    let mut out = String::new();
    if let Some(verdict) = &explanation.verdict {
        out += &sentences(verdict);
    }
    if let Some(points) = &explanation.points {
        out += &wrap_at(&points.sentence, "  ");
    }
    let large = |slice: &&EvidenceSlice| slice.share >= LEAST_SHARE;
    let slices: Vec<&EvidenceSlice> = explanation.slices.iter().filter(large).collect();
    if !slices.is_empty() {
        out += "\nWhere the time went\n";
        out += &slice_table(&slices);
        let rest = explanation.slices.len() - slices.len();
        if rest > 0 {
            let _ = writeln!(out, "{rest} more below 5 %");
        }
    }
    if let Some(points) = &explanation.points {
        out += "\nCapture points, from the client to the server\n";
        out += &points_text(points);
    }
    if !explanation.capture.problems.is_empty() {
        out += "\nNotes\n";
        for problem in &explanation.capture.problems {
            let place = match problem.offset {
                0 => String::new(),
                offset => format!(" at offset {offset}"),
            };
            out += &wrap_at(&format!("{}{place}: {}", problem.id, problem.text), "  ");
        }
    }
    if !explanation.services.is_empty() {
        out += "\nServices\n";
        out += &services(explanation);
    }
    if !explanation.exchanges.is_empty() {
        out += "\nLongest requests (--exchange NUMBER shows one)\n";
        out += &exchanges(explanation);
    }
    out
}

/// The verdict with its three sentences and the remedy.
fn sentences(verdict: &EvidenceSlice) -> String {
    let mut out = wrap_at(&verdict.sentence, "");
    let named = |name: &str, text: &str| wrap_at(&format!("{name}: {text}"), "  ");
    if !verdict.seen.is_empty() {
        out += &named("Seen", &verdict.seen);
    }
    if let Some(without_ms) = verdict
        .without_ms
        .filter(|_| verdict.kind != VerdictKind::None)
    {
        let now_ms = now_ms(verdict, without_ms);
        let text = format!(
            "{} ms instead of {} ms",
            ms((without_ms * 1e6) as i64),
            ms((now_ms * 1e6) as i64)
        );
        out += &named("Without it", &text);
    }
    if !verdict.alternatives.is_empty() {
        out += &named("What else", &verdict.alternatives);
    }
    if let Some(remedy) = &verdict.remedy {
        out += &named("To change", remedy);
    }
    out
}

/// The time of the requests, of which the slice is a part.
pub(super) fn now_ms(slice: &EvidenceSlice, without_ms: f64) -> f64 {
    if slice.share > 0.0 {
        slice.lost_ms / slice.share
    } else {
        without_ms + slice.lost_ms
    }
}

fn slice_table(slices: &[&EvidenceSlice]) -> String {
    let rows: Vec<Vec<String>> = slices
        .iter()
        .map(|slice| {
            vec![
                title(slice),
                slice.owner.name().to_owned(),
                slice.waits.to_string(),
                ms((slice.lost_ms * 1e6) as i64),
                format!("{:.1}", slice.share * 100.0),
            ]
        })
        .collect();
    columns(&["", "owner", ">waits", ">ms", ">%"], &rows)
}

/// The name of a slice, with its reason.
pub(super) fn title(slice: &EvidenceSlice) -> String {
    let kind = match slice.kind {
        VerdictKind::Kind(kind) => kind.title(),
        VerdictKind::None => "none",
    };
    match slice.reason {
        Some(reason) => format!("{kind} ({})", reason.name()),
        None => kind.to_owned(),
    }
}

fn services(explanation: &CaptureExplanation) -> String {
    let rows: Vec<Vec<String>> = explanation
        .services
        .iter()
        .take(ROWS)
        .map(|s| {
            let n = s.exchanges.max(1) as f64;
            let largest = s.slices.largest().map_or("", |(kind, _)| kind.title());
            vec![
                s.address.map_or("others".to_owned(), station::name),
                s.port.to_string(),
                s.protocol.name().to_owned(),
                s.connections.to_string(),
                s.exchanges.to_string(),
                ms(s.times.mean_ns()),
                ms(s.times.quantile_ns(0.99)),
                format!("{:.1}", s.request_segments as f64 / n),
                format!("{:.1}", s.response_segments as f64 / n),
                largest.to_owned(),
            ]
        })
        .collect();
    let heading = [
        "server",
        ">port",
        "protocol",
        ">connections",
        ">requests",
        ">mean ms",
        ">p99 ms",
        ">packets/request",
        ">packets/response",
        "most time",
    ];
    columns(&heading, &rows)
}

fn exchanges(explanation: &CaptureExplanation) -> String {
    let rows: Vec<Vec<String>> = explanation
        .exchanges
        .iter()
        .take(ROWS)
        .map(|e| {
            let (kind, ns) = match e.slices.largest() {
                Some((kind, ns)) => (kind.title(), ms(ns)),
                None => ("", String::new()),
            };
            vec![
                e.id.to_string(),
                ms(e.total_ns()),
                kind.to_owned(),
                ns,
                e.label.clone(),
            ]
        })
        .collect();
    columns(&[">number", ">ms", "most time", ">ms", "request"], &rows)
}

/// A paragraph of at most 100 columns; its other lines are indented further.
fn wrap_at(text: &str, indent: &str) -> String {
    let deeper = if indent.is_empty() {
        String::new()
    } else {
        format!("{indent}  ")
    };
    base::wrapped(text, [indent, &deeper], COLUMNS)
}

/// Width of a line.
const COLUMNS: usize = 100;

/// Rows of a table that has no end.
const ROWS: usize = 10;
