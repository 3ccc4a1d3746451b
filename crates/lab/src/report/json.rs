//! A report as JSON lines: one a figure, then one a finding.

use super::model::{ExperimentReport, ReportFigure};
use serde_json::{Value, json};

/// One line for each figure, `{"experiment", "figure", "conditions", "published",
/// "found", "origin", "unit", "error", "half_width", "repetitions"}`, then one for
/// each finding, `{"experiment", "conditions", "planted", "named", "holds"}`. A
/// report of predictions has one line for each figure, `{"figure", "published",
/// "predicted", "error", "origin"}`. Figures that a model was calibrated on, and
/// arithmetic on other rows, are not predictions.
pub fn json_lines(report: &ExperimentReport) -> String {
    let line = |value: Value| format!("{value}\n");
    if report.predictions {
        return report.figures.iter().map(prediction).map(line).collect();
    }
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
            "half_width": f.half_width,
            "repetitions": report.repetitions.max(1),
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
    figures.chain(findings).map(line).collect()
}

fn prediction(figure: &ReportFigure) -> Value {
    let predicted = figure.origin.claims().then_some(figure.found);
    json!({
        "figure": figure.name,
        "published": figure.published,
        "predicted": predicted,
        "error": figure.error(),
        "origin": figure.origin,
    })
}

#[cfg(test)]
mod tests {
    use super::super::model::PublishedValue;
    use super::*;

    #[test]
    fn what_a_model_was_calibrated_on_predicts_nothing() {
        let mut report = ExperimentReport {
            predictions: true,
            ..ExperimentReport::default()
        };
        report.calibrated("before", "", PublishedValue::number(2.0), 2.1, "s");
        report.predicted("after", "", PublishedValue::number(2.0), 1.0, "s");
        assert_eq!(
            json_lines(&report),
            "{\"figure\":\"before\",\"published\":2.0,\"predicted\":null,\"error\":null,\"origin\":\"calibrated\"}\n\
             {\"figure\":\"after\",\"published\":2.0,\"predicted\":1.0,\"error\":-0.5,\"origin\":\"predicted\"}\n"
        );
    }

    #[test]
    fn every_figure_is_a_line() {
        let mut report = ExperimentReport {
            experiment: "mss".into(),
            ..ExperimentReport::default()
        };
        report.measured("a", "x", PublishedValue::number(2.0), 3.0, "ms");
        report.measured("b", "", PublishedValue::words("grows"), 1.0, "ms");
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
