//! The report as one page: the cause first, then its share, the worst request
//! as a packet ladder, and tables that are folded.

use maud::{Markup, html};
use page::{ChangeBars, PageTable, note, page};

use super::detail::second;
use super::paint::{paint, share_bar};
use super::points::points_html;
use super::text::{now_ms, title};
use super::{ladder_svg, ms};
use crate::verdict::LEAST_SHARE;
use crate::{CaptureExplanation, EvidenceKind, EvidenceSlice, Exchange, VerdictKind, station};

/// The page. `pictures` exchanges are drawn, the first one unfolded.
pub fn html(explanation: &CaptureExplanation, heading: &str, pictures: usize) -> String {
    let body = html! {
        h1 { (heading) }
        @if let Some(verdict) = &explanation.verdict { (verdict_card(verdict)) }
        (slices(&explanation.slices))
        @if let Some(points) = &explanation.points { (points_html(points)) }
        (notes(explanation))
        (ladders(explanation, pictures))
        (services(explanation))
    };
    page(heading, &body)
}

/// The sentence, now against without it, and the three sentences.
fn verdict_card(verdict: &EvidenceSlice) -> Markup {
    let without_ms = verdict.without_ms;
    let parts = [
        ("To change", verdict.remedy.as_deref().unwrap_or_default()),
        ("Seen", verdict.seen.as_str()),
        (
            "What else would look the same",
            verdict.alternatives.as_str(),
        ),
    ];
    html! {
        div.card {
            p.verdict { (verdict.sentence) }
            @if let Some(bars) = without_ms.and_then(|ms| saving(verdict, ms)) { (bars) }
            dl {
                @for (name, text) in parts.iter().filter(|part| !part.1.is_empty()) {
                    dt { (name) }
                    dd { (text) }
                }
            }
        }
    }
}

/// The saving of a change: the time of requests now, and without the cause.
fn saving(verdict: &EvidenceSlice, without_ms: f64) -> Option<ChangeBars> {
    let VerdictKind::Kind(kind) = verdict.kind else {
        return None;
    };
    let now_ms = now_ms(verdict, without_ms);
    if now_ms <= 0.0 {
        return None;
    }
    let in_ms = |value: f64| ms((value * 1e6) as i64);
    let (colour, opacity) = paint(kind);
    Some(ChangeBars {
        subject: String::new(),
        before: format!("now {} ms", in_ms(now_ms)),
        after: format!("without it {} ms", in_ms(without_ms)),
        left: without_ms / now_ms,
        colour,
        opacity,
    })
}

/// The bar over all time, and a table of slices of at least a twentieth.
fn slices(slices: &[EvidenceSlice]) -> Markup {
    let ns = |slice: &EvidenceSlice| (slice.lost_ms * 1e6) as i64;
    let parts: Vec<(EvidenceKind, i64)> = (slices.iter())
        .filter_map(|slice| match slice.kind {
            VerdictKind::Kind(kind) => Some((kind, ns(slice))),
            VerdictKind::None => None,
        })
        .collect();
    if parts.is_empty() {
        return html! {};
    }
    let table = |slices: &[&EvidenceSlice]| {
        let mut table = PageTable::new(["", "owner", "waits", "ms", "%"]);
        for slice in slices {
            table.row(&[
                &title(slice),
                &slice.owner.name(),
                &slice.waits,
                &ms(ns(slice)),
                &format_args!("{:.1}", slice.share * 100.0),
            ]);
        }
        table.scrolling()
    };
    let (large, small): (Vec<&EvidenceSlice>, Vec<&EvidenceSlice>) =
        slices.iter().partition(|slice| slice.share >= LEAST_SHARE);
    html! {
        h2 { "Where the time went" }
        div.card {
            (share_bar(parts))
            (table(&large))
            @if !small.is_empty() {
                details {
                    summary { (small.len()) " more below 5 %" }
                    (table(&small))
                }
            }
        }
    }
}

/// Gaps of the capture, collapsed.
fn notes(explanation: &CaptureExplanation) -> Markup {
    let problems = &explanation.capture.problems;
    html! {
        @if !problems.is_empty() {
            details {
                summary { "Notes on the capture (" (problems.len()) ")" }
                @for problem in problems {
                    (note(html! {
                        (problem.id)
                        @if problem.offset > 0 { " at offset " (problem.offset) }
                        ": " (problem.text)
                    }))
                }
            }
        }
    }
}

/// The worst request as a ladder, the others folded.
fn ladders(explanation: &CaptureExplanation, pictures: usize) -> Markup {
    let with_segments = explanation
        .exchanges
        .iter()
        .filter(|e| !e.segments.is_empty());
    let mut drawn = with_segments.take(pictures);
    let Some(worst) = drawn.next() else {
        return html! {};
    };
    let others: Vec<&Exchange> = drawn.collect();
    html! {
        h2 { "The request that took most" }
        (ladder(explanation, worst, true))
        @if !others.is_empty() {
            details {
                summary { "Others" }
                @for exchange in others { (ladder(explanation, exchange, false)) }
            }
        }
    }
}

fn ladder(explanation: &CaptureExplanation, exchange: &Exchange, open: bool) -> Markup {
    let mut connections = explanation.connections.iter();
    let connection = connections.find(|c| c.id == exchange.connection);
    let kinds = EvidenceKind::ALL.iter();
    let parts = kinds.map(|kind| (*kind, exchange.slices.of(*kind)));
    let second = connection.and_then(|c| second(explanation, c));
    let heading = html! {
        "Exchange " (exchange.id)
        // A protocol without a known format has no label.
        @if !exchange.label.is_empty() { ": " (exchange.label) }
        " (" (ms(exchange.total_ns())) " ms)"
    };
    let content = html! {
        (share_bar(parts.filter(|part| part.1 > 0)))
        (ladder_svg(connection, second, exchange))
    };
    html! {
        @if open {
            div.card { h3 { (heading) } (content) }
        } @else {
            details.card { summary { (heading) } (content) }
        }
    }
}

fn services(explanation: &CaptureExplanation) -> Markup {
    let heads = [
        "server",
        "port",
        "protocol",
        "connections",
        "requests",
        "mean ms",
        "p99 ms",
        "packets a request",
        "packets a response",
    ];
    let mut table = PageTable::new(heads);
    for s in explanation.services.iter().take(ROWS) {
        let n = s.exchanges.max(1) as f64;
        table.row(&[
            &s.address.map_or("others".to_owned(), station::name),
            &s.port,
            &s.protocol.name(),
            &s.connections,
            &s.exchanges,
            &ms(s.times.mean_ns()),
            &ms(s.times.quantile_ns(0.99)),
            &format_args!("{:.1}", s.request_segments as f64 / n),
            &format_args!("{:.1}", s.response_segments as f64 / n),
        ]);
    }
    html! {
        @if !table.is_empty() {
            h2 { "Services" }
            (table.card())
        }
    }
}

/// Services in the table.
const ROWS: usize = 8;
