//! A report as JSON lines: one a figure, then one a finding.

use super::model::Report;
use serde_json::{Value, json};

/// One line a figure, `{"experiment", "figure", "conditions", "published",
/// "found", "origin", "unit", "error"}`, then one a finding, `{"experiment",
/// "conditions", "planted", "named", "holds"}`.
pub fn json_lines(report: &Report) -> String {
    let figures = report.figures.iter().map(|f| {
        json!({
            "experiment": report.experiment,
            "figure": f.name,
            "conditions": f.conditions,
            "published": f.published,
            "found": f.found,
            "origin": f.origin,
            "unit": f.unit,
            "error": f.error(),
        })
    });
    let findings = report.findings.iter().map(|f| {
        json!({
            "experiment": report.experiment,
            "conditions": f.conditions,
            "planted": f.planted,
            "named": f.named,
            "holds": f.holds(),
        })
    });
    let line = |value: Value| format!("{value}\n");
    figures.chain(findings).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::model::Published;
    use super::*;

    #[test]
    fn every_figure_is_a_line() {
        let mut report = Report {
            experiment: "mss".into(),
            ..Report::default()
        };
        report.measured("a", "x", Published::number(2.0), 3.0, "ms");
        report.measured("b", "", Published::words("grows"), 1.0, "ms");
        let lines: Vec<Value> = json_lines(&report)
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        assert_eq!(lines[0]["error"], 0.5);
        assert_eq!(lines[0]["published"], 2.0);
        assert_eq!(lines[1]["published"], "grows");
        assert_eq!(lines[1]["error"], Value::Null);
    }
}
