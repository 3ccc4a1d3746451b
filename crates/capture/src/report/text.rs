//! The whole explanation for a terminal: the sentences, the table that adds
//! up, causes with remedies, services, the worst exchanges.

use std::fmt::Write;

use super::columns::columns;
use super::{ms, percent, summary, total_ns};
use crate::rules::{is_own_time, rule};
use crate::{Explanation, Phase, station};

/// The text.
pub fn text(explanation: &Explanation) -> String {
    let mut out = String::new();
    for sentence in summary(explanation) {
        out += &wrap(&sentence);
    }
    for problem in &explanation.capture.problems {
        let place = match problem.offset {
            0 => String::new(),
            offset => format!(" at offset {offset}"),
        };
        out += &wrap(&format!("{}{place}: {}", problem.id, problem.text));
    }
    if explanation.totals.exchanges > 0 {
        out += "\nWhere the time went\n";
        out += &sum(explanation);
    }
    let beside = beside(explanation);
    if !beside.is_empty() {
        out += "\nFound beside the sum\n";
        out += &columns(&["cause", ">count", ">cost ms", "what"], &beside);
    }
    out += &remedies(explanation);
    if !explanation.services.is_empty() {
        out += "\nServices\n";
        out += &services(explanation);
    }
    if !explanation.exchanges.is_empty() {
        out += "\nWorst exchanges (--exchange NUMBER shows one)\n";
        out += &exchanges(explanation);
    }
    out
}

/// Waits of which nothing was said, and why: what `-v` adds.
pub fn silences(explanation: &Explanation) -> String {
    if explanation.silences.is_empty() {
        return "\nNo wait was left without a verdict for a reason.\n".to_owned();
    }
    let rows: Vec<Vec<String>> = (explanation.silences.iter())
        .map(|s| {
            let longest = format!("{} (to packet {})", ms(s.longest_ns), s.packet);
            vec![
                s.count.to_string(),
                ms(s.total_ns),
                longest,
                s.why.text().to_owned(),
            ]
        })
        .collect();
    let heading = [
        ">waits",
        ">ms",
        ">longest ms",
        "why nothing is said of them",
    ];
    format!("\nWithout a verdict\n{}", columns(&heading, &rows))
}

/// Phases and stalls; the last line is their sum.
pub(super) fn sum_rows(explanation: &Explanation) -> Vec<(String, i64, u64)> {
    let totals = &explanation.totals;
    let mut rows: Vec<(String, i64, u64)> = Phase::ALL[1..]
        .iter()
        .filter(|p| totals.phases.of(**p) != 0)
        .map(|p| (p.name().to_owned(), totals.phases.of(*p), totals.exchanges))
        .collect();
    let stalls = explanation.causes.iter().filter(|c| c.stalled_ns > 0);
    rows.extend(stalls.map(|c| (format!("stall: {}", c.rule), c.stalled_ns, c.count)));
    rows
}

fn sum(explanation: &Explanation) -> String {
    let total = total_ns(explanation);
    let n = explanation.totals.exchanges.max(1) as i64;
    let row = |name: &str, ns: i64, count: String| {
        vec![
            name.to_owned(),
            count,
            ms(ns),
            ms(ns / n),
            format!("{:.1}", percent(ns, total)),
        ]
    };
    let mut rows: Vec<Vec<String>> = sum_rows(explanation)
        .iter()
        .map(|(name, ns, count)| {
            let stall = name.starts_with("stall");
            row(
                name,
                *ns,
                if stall {
                    count.to_string()
                } else {
                    String::new()
                },
            )
        })
        .collect();
    rows.push(row("sum", total, explanation.totals.exchanges.to_string()));
    columns(&["", ">count", ">ms", ">ms a request", ">%"], &rows)
}

/// Causes that took nothing out of a phase.
fn beside(explanation: &Explanation) -> Vec<Vec<String>> {
    let causes = explanation.causes.iter().filter(|c| c.stalled_ns == 0);
    causes
        .map(|c| {
            let title = rule(c.rule).map_or("", |r| r.about().title);
            vec![
                c.rule.to_owned(),
                c.count.to_string(),
                ms(c.cost_ns),
                title.to_owned(),
            ]
        })
        .collect()
}

fn remedies(explanation: &Explanation) -> String {
    let mut out = String::new();
    for cause in explanation.causes.iter().filter(|c| !is_own_time(c.rule)) {
        let Some(rule) = rule(cause.rule) else {
            continue;
        };
        let about = rule.about();
        let _ = write!(out, "\n{}: {}\n", about.id, about.title);
        for told in explanation
            .told
            .iter()
            .filter(|told| told.rule == cause.rule)
            .take(if cause.cost_ns > 0 { EXAMPLES } else { 1 })
        {
            let numbers: Vec<String> = told.packets.iter().map(u64::to_string).collect();
            let at = match numbers.is_empty() {
                true => String::new(),
                false => format!(" [packets {}]", numbers.join(" ")),
            };
            let sure = format!("{:?}", told.confidence).to_lowercase();
            let again = told
                .again()
                .map_or(String::new(), |again| format!("; {again}"));
            out += &wrap_at(
                &format!("{}{at}{again} ({sure} confidence)", told.text),
                "  ",
            );
        }
        if cause.cost_ns > 0 {
            out += &wrap_at(&format!("Linux: {}", about.linux), "  ");
            out += &wrap_at(&format!("z/OS: {}", about.zos), "  ");
        }
    }
    out
}

fn services(explanation: &Explanation) -> String {
    let rows: Vec<Vec<String>> = explanation
        .services
        .iter()
        .take(ROWS)
        .map(|s| {
            let n = s.exchanges.max(1);
            let total = s.phases.inside_ns() + s.stalled_ns;
            vec![
                s.address.map_or("others".to_owned(), station::name),
                s.port.to_string(),
                s.protocol.name().to_owned(),
                s.connections.to_string(),
                s.exchanges.to_string(),
                ms(s.times.mean_ns()),
                ms(s.times.quantile_ns(0.99)),
                format!("{:.0}", percent(s.stalled_ns, total)),
                format!("{:.1}", s.request_segments as f64 / n as f64),
                format!("{:.1}", s.response_segments as f64 / n as f64),
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
        ">stalled %",
        ">packets/request",
        ">packets/response",
    ];
    columns(&heading, &rows)
}

fn exchanges(explanation: &Explanation) -> String {
    let rows: Vec<Vec<String>> = explanation
        .exchanges
        .iter()
        .take(ROWS)
        .map(|e| {
            let worst = e.split.stalls.iter().max_by_key(|s| s.cost_ns);
            vec![
                e.id.to_string(),
                ms(e.total_ns()),
                ms(e.split.stalled_ns()),
                ms(e.split.phases.of(Phase::ServerThink)),
                worst.map_or("", |s| s.rule).to_owned(),
                e.label.clone(),
            ]
        })
        .collect();
    columns(
        &[
            ">number",
            ">ms",
            ">stalled",
            ">server",
            "worst cause",
            "what",
        ],
        &rows,
    )
}

/// A paragraph of at most 100 columns.
fn wrap(text: &str) -> String {
    wrap_at(text, "")
}

fn wrap_at(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut line = indent.to_owned();
    for word in text.split_whitespace() {
        let fits = line.chars().count() + 1 + word.chars().count() <= COLUMNS;
        if line.trim().is_empty() {
            line += word;
        } else if fits {
            line.push(' ');
            line += word;
        } else {
            out += &line;
            out.push('\n');
            line = format!(
                "{indent}{}{word}",
                if indent.is_empty() { "" } else { "  " }
            );
        }
    }
    out += &line;
    out.push('\n');
    out
}

/// Width of a line.
const COLUMNS: usize = 100;

/// Rows of a table that has no end.
const ROWS: usize = 10;

/// Claims shown for each cause.
const EXAMPLES: usize = 3;
