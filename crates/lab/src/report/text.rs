//! A report for a terminal: the question, the table of published against
//! found, what was named, and what follows.

use super::model::{Figure, Finding, Origin, Published, Report};
use measure::report::short;

/// The report as text.
pub fn text(report: &Report) -> String {
    let mut out = format!(
        "{} (lab {}, paper {})\n",
        report.title, report.experiment, report.paper
    );
    out += &wrapped(&report.question, "");
    out.push('\n');
    let width = report.conditions.iter().map(|c| c.0.chars().count());
    let width = width.max().unwrap_or(0);
    for (name, value) in &report.conditions {
        out += &format!("  {name:width$}  {value}\n");
    }
    out.push('\n');
    out += &table(&report.figures);
    if !report.findings.is_empty() {
        out += "\nWhat the explained captures name\n";
        out.extend(report.findings.iter().map(finding));
    }
    for table in &report.tables {
        out += &super::table::text(table);
    }
    if !report.conclusions.is_empty() {
        out.push('\n');
    }
    for conclusion in &report.conclusions {
        out += &wrapped(conclusion, "");
    }
    for file in &report.files {
        out += &format!("kept {}\n", file.display());
    }
    out
}

fn finding(finding: &Finding) -> String {
    let verdict = if finding.holds() { "ok  " } else { "MISS" };
    let planted = finding.planted.as_deref().unwrap_or("nothing");
    let named: Vec<String> = finding
        .named
        .iter()
        .map(|n| format!("{} {}× {} ms", n.cause, n.count, short(n.cost_ms)))
        .collect();
    let named = match named.is_empty() {
        true => "nothing".to_owned(),
        false => named.join(", "),
    };
    let mut out = format!(
        "  {verdict} {}: planted {planted}; named {named}\n",
        finding.conditions
    );
    if !finding.summary.is_empty() {
        out += &wrapped(&finding.summary, "       ");
    }
    out
}

/// The table of published against found.
fn table(figures: &[Figure]) -> String {
    let heading = ["figure", "conditions", "published", "found", "unit", "off"];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(figures.iter().map(|f| {
        [
            f.name.clone(),
            f.conditions.clone(),
            published(f),
            found(f),
            f.unit.clone(),
            off(f),
        ]
    }));
    let right = [false, false, true, true, false, true];
    let widths: Vec<usize> = (0..heading.len())
        .map(|c| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0))
        .collect();
    let line = |row: &[String; 6]| {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[column] - cell.chars().count());
            line += &match right[column] {
                true => format!("{pad}{cell}  "),
                false => format!("{cell}{pad}  "),
            };
        }
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

/// What the paper says, or a dash.
pub(super) fn published(figure: &Figure) -> String {
    match &figure.published {
        Some(Published::Number(value)) => short(*value),
        Some(Published::Words(words)) => words.clone(),
        None => "–".into(),
    }
}

/// What came out, marked where it is a prediction.
pub(super) fn found(figure: &Figure) -> String {
    let mark = match figure.origin {
        Origin::Measured => "",
        Origin::Predicted => "~",
        Origin::Calibrated => "=",
    };
    format!("{mark}{}", short(figure.found))
}

/// How far it is from what was published: a share, or points where the figure
/// is a share already.
pub(super) fn off(figure: &Figure) -> String {
    if let (Some(Published::Number(published)), "%") = (&figure.published, figure.unit.as_str()) {
        return format!("{:+.0} points", figure.found - published);
    }
    match figure.error() {
        Some(error) => format!("{:+.0} %", error * 100.0),
        None => String::new(),
    }
}

pub(super) fn wrapped(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut line = String::from(indent);
    for word in text.split_whitespace() {
        let used = line.chars().count();
        if used > indent.len() && used + 1 + word.chars().count() > COLUMNS {
            out += &line;
            out.push('\n');
            line = indent.to_owned();
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line += word;
    }
    if line.len() > indent.len() {
        out += &line;
        out.push('\n');
    }
    out
}

/// The usual width of a terminal that was made wider once.
const COLUMNS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_stands_beside_found() {
        let mut report = Report {
            experiment: "mss".into(),
            title: "Segment size".into(),
            paper: "000".into(),
            ..Report::default()
        };
        report.measured("packets", "MSS 536", Published::number(3.0), 3.0, "");
        report.predicted("time", "", None, 12.5, "ms");
        let text = text(&report);
        assert!(
            text.contains("packets  MSS 536             3      3"),
            "{text}"
        );
        assert!(text.contains("~12.5"), "{text}");
        assert!(text.contains("+0 %"), "{text}");
    }

    #[test]
    fn long_sentences_are_wrapped() {
        let text = wrapped(&"word ".repeat(60), "  ");
        assert!(text.lines().count() > 2);
        assert!(
            text.lines()
                .all(|l| l.len() <= COLUMNS && l.starts_with("  "))
        );
    }
}
