//! Repetitions of an experiment as one report: each figure with its interval, and
//! a verdict about each change.
//!
//! A repetition is the whole experiment, with all cases in sequence. So other load
//! on the machine affects all cases alike, and a change is computed from figures of
//! the same repetition.
//!
//! Invariant: no change is called one whose 95 % interval holds the opposite.

use crate::report::{ExperimentReport, PublishedValue, ReportFigure, Table};
use measure::stats::SampleStatistics;

/// Means of the figures of repetitions. Tables, pictures and captures are those of
/// the last one, except tables that have a row a repetition.
pub fn merged(mut runs: Vec<ExperimentReport>) -> ExperimentReport {
    let count = runs.len();
    let Some(mut report) = runs.pop() else {
        return ExperimentReport::default();
    };
    report.repetitions = count;
    for figure in &mut report.figures {
        let same = |f: &&ReportFigure| f.name == figure.name && f.conditions == figure.conditions;
        let mut values: Vec<f64> = runs
            .iter()
            .filter_map(|run| run.figures.iter().find(same))
            .map(|f| f.found)
            .collect();
        values.push(figure.found);
        let sample = SampleStatistics::of(&values);
        figure.found = sample.mean;
        figure.half_width =
            (values.len() > 1 && sample.variance > 0.0).then(|| sample.half_width());
    }
    for table in report
        .tables
        .iter_mut()
        .filter(|t| t.title.ends_with(EVERY))
    {
        let earlier = runs.iter().flat_map(|run| &run.tables);
        let mut rows: Vec<_> = earlier
            .filter(|t| t.title == table.title)
            .flat_map(|t| t.rows.clone())
            .collect();
        rows.append(&mut table.rows);
        table.rows = rows;
    }
    let findings = runs.iter().flat_map(|run| run.findings.iter().cloned());
    report.findings = findings
        .filter(|f| !f.holds())
        .chain(report.findings)
        .collect();
    if count > 1 {
        let repetitions_text =
            format!("{count}; figures are means, and tables and pictures those of the last one");
        report.condition("repetitions", repetitions_text);
    }
    let changes: Vec<&ReportFigure> = report.figures.iter().filter(|f| f.is_change).collect();
    if !changes.is_empty() {
        let first = verdict(changes[0], count);
        let table = verdicts(&changes, count);
        report.conclusions.insert(0, first);
        report.tables.insert(0, table);
    }
    report
}

/// A row a change.
fn verdicts(changes: &[&ReportFigure], count: usize) -> Table {
    let heading = [
        "change",
        "conditions",
        "found %",
        "95 % interval",
        "published",
        "verdict",
    ];
    let row = |f: &&ReportFigure| {
        let interval = match interval(f) {
            Some([least, most]) => format!("{least:+.1} to {most:+.1}"),
            None => "–".to_owned(),
        };
        let published = match &f.published {
            Some(PublishedValue::Number(value)) => format!("{value:+.1}"),
            Some(PublishedValue::Words(words)) => words.clone(),
            None => "–".to_owned(),
        };
        vec![
            f.name.clone(),
            f.conditions.clone(),
            format!("{:+.1}", f.found),
            interval,
            published,
            short_verdict(f, count),
        ]
    };
    Table {
        title: "Results of the repetitions".into(),
        heading: heading.map(str::to_owned).into(),
        rows: changes.iter().map(row).collect(),
        caption: "An interval that holds zero shows no difference; one that does not hold the \
                  published change disagrees with it."
            .into(),
    }
}

/// The 95 % interval of a change.
fn interval(figure: &ReportFigure) -> Option<[f64; 2]> {
    let half = figure.half_width?;
    Some([figure.found - half, figure.found + half])
}

/// The result of the repetitions for a change, in a few words.
fn short_verdict(figure: &ReportFigure, count: usize) -> String {
    let Some([least, most]) = interval(figure) else {
        return match count {
            0 | 1 => "one run: no verdict".to_owned(),
            _ => "the same each time".to_owned(),
        };
    };
    if least <= 0.0 && most >= 0.0 {
        return format!("no difference shown in {count}");
    }
    let direction = if least > 0.0 { "more" } else { "less" };
    match figure.published {
        Some(PublishedValue::Number(paper)) if paper < least || paper > most => {
            format!("{direction}; not the paper's")
        }
        Some(PublishedValue::Number(_)) => format!("{direction}, as the paper has it"),
        _ => direction.to_owned(),
    }
}

/// The result of the repetitions for a change, as a sentence.
fn verdict(figure: &ReportFigure, count: usize) -> String {
    let about = format!("{} ({})", capitalised(&figure.name), figure.conditions);
    let Some([least, most]) = interval(figure) else {
        return match count {
            0 | 1 => format!(
                "{about}: {:+.1} % in one run, which is not significant; --repeat 5 gives an interval.",
                figure.found
            ),
            _ => format!(
                "{about}: {:+.1} % in each of {count} repetitions.",
                figure.found
            ),
        };
    };
    if least > 0.0 || most < 0.0 {
        return format!(
            "{about}: {:+.1} %, {least:+.1} to {most:+.1} % in {count} repetitions.",
            figure.found
        );
    }
    let more = match repetitions_needed(figure.found, most - figure.found, count) {
        Some(needed) => format!("--repeat {needed} would show one of {:+.1} %", figure.found),
        None => "more repetitions are not worth their time".to_owned(),
    };
    format!(
        "{about}: no difference shown on this machine in {count} repetitions ({least:+.1} to {most:+.1} %); {more}."
    )
}

/// The number of repetitions after which the interval of such a change would
/// exclude zero: its width decreases with their square root. Returns `None` above
/// [`MOST`].
fn repetitions_needed(change: f64, half_width: f64, count: usize) -> Option<usize> {
    let ratio = half_width / change.abs().max(f64::MIN_POSITIVE);
    let needed = (count as f64 * ratio * ratio).ceil() + 1.0;
    (needed <= MOST).then_some(needed as usize)
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// The suffix of the title of a table with one row for each repetition.
const EVERY: &str = "every repetition";
/// The most repetitions that `--repeat` takes.
const MOST: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(changes: &[f64], published: Option<f64>) -> ExperimentReport {
        let run = |percent: &f64| {
            let mut report = ExperimentReport::default();
            report.change(
                "change of the CPU",
                "b",
                published.and_then(PublishedValue::number),
                *percent,
            );
            report
        };
        merged(changes.iter().map(run).collect())
    }

    #[test]
    fn a_change_is_said_only_when_its_interval_excludes_the_opposite() {
        let noise = runs(&[12.0, -48.0, 1.0], None);
        assert!(
            noise.conclusions[0].contains("no difference shown on this machine in 3 repetitions")
        );
        assert_eq!(noise.tables[0].rows[0][5], "no difference shown in 3");
        let sure = runs(&[-30.0, -31.0, -29.5], Some(-34.0));
        assert!(
            sure.conclusions[0].contains("-30.2 %"),
            "{:?}",
            sure.conclusions
        );
        assert_eq!(sure.tables[0].rows[0][5], "less; not the paper's");
        assert_eq!(
            runs(&[-33.0, -35.5], Some(-34.0)).tables[0].rows[0][5],
            "less, as the paper has it"
        );
    }

    #[test]
    fn one_run_gives_no_verdict() {
        let one = runs(&[-48.0], Some(-34.0));
        assert!(
            one.conclusions[0].contains("--repeat 5"),
            "{:?}",
            one.conclusions
        );
        assert_eq!(one.figures[0].half_width, None);
    }

    #[test]
    fn more_repetitions_are_named_where_they_would_do() {
        assert_eq!(repetitions_needed(2.0, 4.0, 3), Some(13));
        assert_eq!(repetitions_needed(0.0, 4.0, 3), None);
    }

    #[test]
    fn tables_of_every_repetition_have_the_rows_of_all() {
        let run = |n: usize| {
            let mut report = ExperimentReport::default();
            report.measured("cpu", "", None, n as f64, "µs");
            report.tables.push(Table {
                title: "Figure 6: every repetition".into(),
                rows: vec![vec![n.to_string()]],
                ..Table::default()
            });
            report
        };
        let all = merged(vec![run(1), run(2), run(3)]);
        assert_eq!(all.tables[0].rows, [["1"], ["2"], ["3"]]);
        assert_eq!(all.figures[0].found, 2.0);
        assert!(all.figures[0].half_width.is_some());
    }
}
