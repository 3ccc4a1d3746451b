//! The HTML page of a comparison of two targets that ran alternately: the verdict,
//! both targets in each plot, and every run collapsed.

use maud::{Markup, html};
use page::chart::{ChartAxis, ChartSeries, LineChart, percentile_chart};
use page::{PageTable, cards, note, page};

use super::html::{details, or_dash, terms, three};
use super::model::{LatencyReport, LoadReport};

/// A comparison.
#[derive(Clone, Debug, Default)]
pub struct RunComparison {
    /// The name of each side.
    pub names: [String; 2],
    /// The runs of each side, round by round.
    pub runs: [Vec<LoadReport>; 2],
    /// The figures compared.
    pub rows: Vec<ComparisonRow>,
}

/// One figure of both sides.
#[derive(Clone, Debug, Default)]
pub struct ComparisonRow {
    /// Its name, with the unit.
    pub name: String,
    /// The mean over each side's runs.
    pub means: [f64; 2],
    /// The change from A to B relative to A, its 95 % interval, and p.
    pub change: Option<(f64, (f64, f64), f64)>,
    /// The verdict on the figure.
    pub verdict: String,
    /// Whether B is worse.
    pub worse: bool,
}

impl RunComparison {
    /// The comparison as one HTML page.
    pub fn html(&self) -> String {
        let [a, b] = &self.names;
        let rounds = self.runs[0].len();
        let runs = (0..rounds).flat_map(|round| {
            let sides = self.runs.iter().zip(["A", "B"]);
            sides.filter_map(move |(side, letter)| Some((letter, round + 1, side.get(round)?)))
        });
        let body = html! {
            h1 { "A against B" }
            p { "A: " (a) }
            p { "B: " (b) }
            @if let Some(first) = self.runs[0].first() {
                (note(html! {
                    (rounds) " rounds, A and B alternately; in each " (first.load)
                    "; from " (first.started)
                }))
            }
            p.verdict { (self.conclusion()) }
            (self.table().card())
            br;
            (cards(&self.charts()))
            h2 { "Every run" }
            @for (letter, round, run) in runs {
                details {
                    summary { (letter) ", round " (round) }
                    (details(run))
                }
            }
            (terms())
        };
        page("A against B", &body)
    }

    /// The verdict in a sentence.
    pub fn conclusion(&self) -> String {
        let named = |rows: Vec<&ComparisonRow>| -> String {
            let names: Vec<&str> = rows.iter().map(|r| r.name.as_str()).collect();
            names.join(", ")
        };
        let worse: Vec<&ComparisonRow> = self.rows.iter().filter(|r| r.worse).collect();
        let real = |r: &&ComparisonRow| r.change.is_some_and(|c| c.2 < 0.05);
        let real: Vec<&ComparisonRow> = self.rows.iter().filter(real).collect();
        match (worse.is_empty(), real.is_empty()) {
            (false, _) => format!("B is worse: {}.", named(worse)),
            (true, false) => format!(
                "B is not worse than the tolerance allows; significant differences: {}.",
                named(real)
            ),
            (true, true) => "There is no significant difference between A and B.".into(),
        }
    }

    fn table(&self) -> PageTable {
        let heads = [
            "mean of the runs",
            "A",
            "B",
            "change",
            "95 % interval",
            "p",
            "verdict",
        ];
        let mut table = PageTable::new(heads);
        for row in &self.rows {
            let [a, b] = row.means.map(three);
            let percent = |share: f64| format!("{:+.1} %", share * 100.0);
            let interval = |(low, high)| format!("{} to {}", percent(low), percent(high));
            let change = row.change;
            table.judged_row(
                !row.worse,
                &[
                    &row.name,
                    &a,
                    &b,
                    &or_dash(change.map(|c| percent(c.0))),
                    &or_dash(change.map(|c| interval(c.1))),
                    &or_dash(change.map(|c| format!("{:.4}", c.2))),
                    &row.verdict,
                ],
            );
        }
        table
    }

    fn charts(&self) -> Vec<Markup> {
        let rounds = 1..=self.runs[0].len();
        let ticks: Vec<(f64, String)> = rounds.map(|r| (r as f64, r.to_string())).collect();
        let by_round = |title: &str, unit: &str, get: &dyn Fn(&LoadReport) -> Option<f64>| {
            let series = |side: usize| ChartSeries {
                name: ["A", "B"][side].into(),
                points: (1..)
                    .zip(&self.runs[side])
                    .filter_map(|(round, run)| Some((f64::from(round), get(run)?)))
                    .collect(),
                dots: true,
                ..ChartSeries::default()
            };
            let chart = LineChart {
                title: title.into(),
                x: ChartAxis::with_ticks("round", ticks.clone()),
                y: ChartAxis::from_zero(unit),
                series: vec![series(0), series(1)],
                ..LineChart::default()
            };
            chart.card("")
        };
        let response =
            |f: fn(&LatencyReport) -> f64| move |r: &LoadReport| Some(f(&r.sum()?.response));
        let curves = [("A", &self.curve(0)[..]), ("B", &self.curve(1)[..])];
        let title = "Percentiles of the response time, mean of the runs";
        let mut charts = vec![
            by_round("Throughput", "answers/s", &|r| Some(r.throughput)),
            by_round("Response time, p50", "ms", &response(|l| l.p50)),
            by_round("Response time, p99", "ms", &response(|l| l.p99)),
            percentile_chart(title, &curves).card(""),
        ];
        let mut runs = self.runs.iter().flatten();
        if runs.any(|r| r.server_cpu_us().is_some()) {
            let cpu = |r: &LoadReport| r.server_cpu_us();
            charts.push(by_round("Server CPU per answer", "µs", &cpu));
        }
        charts
    }

    /// The percentiles of a side: the mean of each quantile that all runs have.
    fn curve(&self, side: usize) -> Vec<(f64, f64)> {
        let sums = self.runs[side].iter().filter_map(LoadReport::sum);
        let curves: Vec<&[(f64, f64)]> = sums.map(|s| &s.response.curve[..]).collect();
        let shortest = curves.iter().map(|c| c.len()).min().unwrap_or(0);
        let mean = |i: usize| {
            let sum: f64 = curves.iter().map(|c| c[i].1).sum();
            (curves[0][i].0, sum / curves.len() as f64)
        };
        (0..shortest).map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::PopulationReport;

    fn run(throughput: f64, p50: f64) -> LoadReport {
        let mut population = PopulationReport::default();
        population.response.p50 = p50;
        population.response.curve = vec![(0.0, p50 / 2.0), (0.5, p50), (0.9, p50 * 3.0)];
        LoadReport {
            throughput,
            populations: vec![population],
            ..LoadReport::default()
        }
    }

    #[test]
    fn both_sides_stand_in_every_plot_and_the_verdict_on_top() {
        let row = ComparisonRow {
            name: "p50 ms".into(),
            means: [1.0, 2.0],
            change: Some((1.0, (0.9, 1.1), 0.001)),
            verdict: "B is worse".into(),
            worse: true,
        };
        let mut versus = RunComparison {
            names: ["http://a/<x>".into(), "b.toml".into()],
            runs: [
                vec![run(100.0, 1.0), run(110.0, 1.2)],
                vec![run(50.0, 2.0), run(55.0, 2.2)],
            ],
            rows: vec![row],
        };
        let page = versus.html();
        assert!(page.contains("B is worse: p50 ms.") && page.contains("http://a/&lt;x&gt;"));
        // Four of both sides, and the percentiles of each of the four runs.
        assert_eq!(page.matches("class=\"plot wide\"").count(), 4 + 4);
        assert_eq!(page.matches("<summary>").count(), 4);
        assert!(page.contains("+90.0 % to +110.0 %") && !page.contains("<script"));
        assert_eq!(versus.curve(0)[1], (0.5, 1.1));
        versus.rows[0].worse = false;
        assert!(versus.conclusion().contains("not worse"));
        versus.rows.clear();
        versus.runs = Default::default();
        assert!(versus.html().contains("no significant difference"));
    }
}
