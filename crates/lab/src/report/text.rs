//! A report for a terminal: the question, the table of published and found figures,
//! the named causes, and the conclusions.

use super::model::{ExperimentReport, FigureOrigin, JudgeFinding, PublishedValue, ReportFigure};
use page::short;

/// The report as text.
pub fn text(report: &ExperimentReport) -> String {
    let mut out = format!(
        "{} (lab {}, paper: {})\n",
        report.title, report.experiment, report.paper
    );
    out += &wrapped(&report.question, "");
    out.push('\n');
    let width = report.conditions.iter().map(|c| c.0.chars().count());
    let width = width.max().unwrap_or(0);
    for (name, value) in &report.conditions {
        let indent = " ".repeat(width + 4);
        let value = wrapped(value, &indent);
        out += &format!("  {name:width$}  {}", value.trim_start());
    }
    out.push('\n');
    if !report.has_no_comparison() {
        out += &table(&report.figures);
    }
    if report
        .figures
        .iter()
        .any(|f| f.origin != FigureOrigin::Measured)
    {
        out += &wrapped(MARKS, "");
    }
    if !report.findings.is_empty() {
        out += "\nCauses in the explained captures\n";
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

fn finding(finding: &JudgeFinding) -> String {
    let verdict = if finding.holds() { "ok  " } else { "MISS" };
    let planted = finding.planted.as_deref().unwrap_or("nothing");
    let named: Vec<String> = finding
        .named
        .iter()
        .map(|n| format!("{} {}× {} ms", n.cause, n.count, short(n.cost_ms)))
        .collect();
    let named = if named.is_empty() {
        "nothing".to_owned()
    } else {
        named.join(", ")
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
fn table(figures: &[ReportFigure]) -> String {
    // Conditions that no figure has take no room.
    let with = figures.iter().any(|f| !f.conditions.is_empty());
    let heading = ["figure", "conditions", "published", "found", "unit", "off"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(figures.iter().map(|f| {
        vec![
            f.name.clone(),
            f.conditions.clone(),
            published(f),
            found(f),
            f.unit.clone(),
            off(f),
        ]
    }));
    if with {
        return columns(&rows, &[2, 3, 5], "");
    }
    for row in &mut rows {
        row.remove(1);
    }
    columns(&rows, &[1, 2, 4], "")
}

/// The paper's value, or a dash.
pub(super) fn published(figure: &ReportFigure) -> String {
    match &figure.published {
        Some(PublishedValue::Number(value)) => number(*value, &figure.unit),
        Some(PublishedValue::Words(words)) => words.clone(),
        None => "–".into(),
    }
}

/// The value found, marked if it is a prediction.
pub(super) fn found(figure: &ReportFigure) -> String {
    let mark = match figure.origin {
        FigureOrigin::Measured => "",
        FigureOrigin::Predicted => "~",
        FigureOrigin::Seen => "≈",
        FigureOrigin::Calibrated => "=",
        FigureOrigin::Derived => "*",
    };
    let half = figure
        .half_width
        .map(|half| format!(" ± {}", number(half, &figure.unit)));
    format!(
        "{mark}{}{}",
        number(figure.found, &figure.unit),
        half.unwrap_or_default()
    )
}

/// A figure as short as its unit lets it be.
fn number(value: f64, unit: &str) -> String {
    match unit {
        // Adding zero makes no "-0.0" of a value that is rounded to nothing.
        "%" => format!("{:.1}", (value * 10.0).round() / 10.0 + 0.0),
        _ => short(value),
    }
}

/// The difference to the published value: relative, or in points if the figure is a
/// percentage.
pub(super) fn off(figure: &ReportFigure) -> String {
    if !figure.origin.claims() {
        return String::new();
    }
    if let (Some(PublishedValue::Number(published)), "%") =
        (&figure.published, figure.unit.as_str())
    {
        return format!("{:+.0} points", whole(figure.found - published));
    }
    match figure.error() {
        Some(error) => format!("{:+.0} %", whole(error * 100.0)),
        None => String::new(),
    }
}

/// Rounds; adding zero avoids "-0".
fn whole(value: f64) -> f64 {
    value.round() + 0.0
}

/// Rows of cells as columns that line up; those in `right` end together.
pub(super) fn columns(rows: &[Vec<String>], right: &[usize], indent: &str) -> String {
    let most = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..most).map(width).collect();
    let line = |row: &Vec<String>| {
        let mut line = String::from(indent);
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            line += &if right.contains(&column) {
                format!("{cell:>width$}  ")
            } else {
                format!("{cell:width$}  ")
            };
        }
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

/// Lines of the report's width, each after `indent`.
pub(super) fn wrapped(text: &str, indent: &str) -> String {
    base::wrapped(text, [indent, indent], COLUMNS)
}

/// The meaning of the marks before a figure, for text and page.
pub(super) const MARKS: &str = "~ predicted without a choice for it; ≈ predicted, but a choice \
    that moves it was made with the published figure in sight; = the model or the conditions were \
    chosen to match this figure; * arithmetic on other rows, or solved from a published figure; \
    the others are measured. ± half the width of the 95 % interval of repetitions.";

/// The usual width of a terminal that was made wider once.
const COLUMNS: usize = 100;

#[cfg(test)]
mod tests {
    use super::super::model::Table;
    use super::*;

    #[test]
    fn published_figures_stand_next_to_found_ones() {
        let mut report = ExperimentReport {
            experiment: "mss".into(),
            title: "Segment size".into(),
            paper: "We Do Performance".into(),
            ..ExperimentReport::default()
        };
        report.measured("packets", "MSS 536", PublishedValue::number(3.0), 3.0, "");
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
    fn figures_without_a_published_one_are_not_shown_twice() {
        let mut report = ExperimentReport::default();
        report.measured("answered", "2 × target", None, 95.5, "/s");
        assert!(text(&report).contains("answered"));
        report.tables.push(Table::default());
        assert!(!text(&report).contains("answered"));
        report.measured("response", "", PublishedValue::number(2.0), 2.0, "s");
        assert!(text(&report).contains("answered"));
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
