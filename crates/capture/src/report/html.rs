//! The report as one page: the cause first, then its share, the worst request
//! as a packet ladder, and tables that are folded.

use measure::report::{escape, page};

use super::detail::second;
use super::points::points_html;
use super::slice_bar::{paint, slice_bar};
use super::text::{now_ms, title};
use super::{ladder_svg, ms};
use crate::verdict::LEAST_SHARE;
use crate::{CaptureExplanation, EvidenceKind, EvidenceSlice, Exchange, VerdictKind, station};

/// The page. `pictures` exchanges are drawn, the first one unfolded.
pub fn html(explanation: &CaptureExplanation, heading: &str, pictures: usize) -> String {
    let mut body = format!("<h1>{}</h1>", escape(heading));
    if let Some(verdict) = &explanation.verdict {
        body += &verdict_card(verdict);
    }
    body += &slices(&explanation.slices);
    if let Some(points) = &explanation.points {
        body += &points_html(points);
    }
    body += &notes(explanation);
    body += &ladders(explanation, pictures);
    body += &services(explanation);
    page(heading, &body)
}

/// The sentence, now against without it, and the three sentences.
fn verdict_card(verdict: &EvidenceSlice) -> String {
    let mut card = format!("<p class=verdict>{}</p>", escape(&verdict.sentence));
    if let Some(without_ms) = verdict
        .without_ms
        .filter(|_| verdict.kind != VerdictKind::None)
    {
        card += &saving(verdict, without_ms);
    }
    let part = |name: &str, text: &str| {
        if text.is_empty() {
            String::new()
        } else {
            format!("<dt>{name}</dt><dd>{}</dd>", escape(text))
        }
    };
    card += "<dl>";
    if let Some(remedy) = &verdict.remedy {
        card += &part("To change", remedy);
    }
    card += &part("Seen", &verdict.seen);
    card += &part("What else would look the same", &verdict.alternatives);
    card += "</dl>";
    format!("<div class=card>{card}</div>")
}

/// The saving of a change: the time of requests now, and without the cause.
fn saving(verdict: &EvidenceSlice, without_ms: f64) -> String {
    let now_ms = now_ms(verdict, without_ms);
    if now_ms <= 0.0 {
        return String::new();
    }
    let share = ((now_ms - without_ms) / now_ms * 100.0).clamp(0.0, 100.0);
    let in_ms = |value: f64| ms((value * 1e6) as i64);
    let (colour, opacity) = match verdict.kind {
        VerdictKind::Kind(kind) => paint(kind),
        VerdictKind::None => return String::new(),
    };
    format!(
        "<div class=saving><span>now {} ms</span><i><b style=\"width:{share:.1}%;background:{colour};opacity:{opacity}\"></b></i>\
         <span>without it {} ms</span><i style=\"width:{:.1}%\"></i></div>",
        in_ms(now_ms),
        in_ms(without_ms),
        100.0 - share
    )
}

/// The bar over all time, and a table of slices of at least a twentieth.
fn slices(slices: &[EvidenceSlice]) -> String {
    let parts: Vec<(EvidenceKind, String, i64)> = (slices.iter())
        .filter_map(|slice| match slice.kind {
            VerdictKind::Kind(kind) => {
                Some((kind, kind.title().to_owned(), (slice.lost_ms * 1e6) as i64))
            }
            VerdictKind::None => None,
        })
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    let row = |slice: &EvidenceSlice| {
        format!(
            "<tr><td>{}<td>{}<td>{}<td>{}<td>{:.1}</tr>",
            escape(&title(slice)),
            slice.owner.name(),
            slice.waits,
            ms((slice.lost_ms * 1e6) as i64),
            slice.share * 100.0
        )
    };
    let heading = "<tr><th><th>owner<th>waits<th>ms<th>%</tr>";
    let (large, small): (Vec<&EvidenceSlice>, Vec<&EvidenceSlice>) =
        slices.iter().partition(|slice| slice.share >= LEAST_SHARE);
    let rows =
        |slices: &[&EvidenceSlice]| slices.iter().map(|slice| row(slice)).collect::<String>();
    let rest = if small.is_empty() {
        String::new()
    } else {
        format!(
            "<details><summary>{} more below 5 %</summary><div class=scroll><table>{heading}{}</table></div></details>",
            small.len(),
            rows(&small)
        )
    };
    format!(
        "<h2>Where the time went</h2><div class=card>{}<div class=scroll><table>{heading}{}</table></div>{rest}</div>",
        slice_bar(&parts),
        rows(&large)
    )
}

/// Gaps of the capture, collapsed.
fn notes(explanation: &CaptureExplanation) -> String {
    let problems = &explanation.capture.problems;
    if problems.is_empty() {
        return String::new();
    }
    let items: String = (problems.iter())
        .map(|problem| {
            let place = match problem.offset {
                0 => String::new(),
                offset => format!(" at offset {offset}"),
            };
            format!(
                "<p class=soft>{}{place}: {}</p>",
                problem.id,
                escape(&problem.text)
            )
        })
        .collect();
    format!(
        "<details><summary>Notes on the capture ({})</summary>{items}</details>",
        problems.len()
    )
}

/// The worst request as a ladder, the others folded.
fn ladders(explanation: &CaptureExplanation, pictures: usize) -> String {
    let mut drawn = explanation
        .exchanges
        .iter()
        .filter(|e| !e.segments.is_empty())
        .take(pictures);
    let Some(worst) = drawn.next() else {
        return String::new();
    };
    let mut out = format!(
        "<h2>The request that took most</h2>{}",
        ladder(explanation, worst, true)
    );
    let others: Vec<&Exchange> = drawn.collect();
    if !others.is_empty() {
        out += "<details><summary>Others</summary>";
        for exchange in others {
            out += &ladder(explanation, exchange, false);
        }
        out += "</details>";
    }
    out
}

fn ladder(explanation: &CaptureExplanation, exchange: &Exchange, open: bool) -> String {
    let mut connections = explanation.connections.iter();
    let connection = connections.find(|c| c.id == exchange.connection);
    let parts: Vec<(EvidenceKind, String, i64)> = EvidenceKind::ALL
        .iter()
        .filter(|kind| exchange.slices.of(**kind) > 0)
        .map(|kind| (*kind, kind.title().to_owned(), exchange.slices.of(*kind)))
        .collect();
    let second = connection.and_then(|c| second(explanation, c));
    let picture = ladder_svg(connection, second, exchange);
    // A protocol without a known format has no label.
    let label = match exchange.label.as_str() {
        "" => String::new(),
        label => format!(": {}", escape(label)),
    };
    let total = ms(exchange.total_ns());
    let heading = format!("Exchange {}{label} ({total} ms)", exchange.id);
    let inside = format!("{}{picture}", slice_bar(&parts));
    if open {
        format!("<div class=card><h3>{heading}</h3>{inside}</div>")
    } else {
        format!("<details class=card><summary>{heading}</summary>{inside}</details>")
    }
}

fn services(explanation: &CaptureExplanation) -> String {
    let rows: String = explanation
        .services
        .iter()
        .take(ROWS)
        .map(|s| {
            let n = s.exchanges.max(1) as f64;
            format!(
                "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{:.1}<td>{:.1}</tr>",
                s.address.map_or("others".to_owned(), station::name),
                s.port,
                s.protocol.name(),
                s.connections,
                s.exchanges,
                ms(s.times.mean_ns()),
                ms(s.times.quantile_ns(0.99)),
                s.request_segments as f64 / n,
                s.response_segments as f64 / n
            )
        })
        .collect();
    if rows.is_empty() {
        rows
    } else {
        format!(
            "<h2>Services</h2><div class=\"card scroll\"><table><tr><th>server<th>port<th>protocol<th>connections<th>requests\
             <th>mean ms<th>p99 ms<th>packets a request<th>packets a response</tr>{rows}</table></div>"
        )
    }
}

/// Services in the table.
const ROWS: usize = 8;
