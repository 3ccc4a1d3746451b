//! The reports of a loop as one: a table with a row for each combination, tables of
//! one figure by two of the loop's values, and plots against the first value.
//! Output as text, CSV and one HTML page.

use maud::{Markup, Render, html};
use page::chart::{ChartAxis, ChartSeries, LineChart};
use page::{PageTable, TableColumn, TileFigure, cards, note, page, tiles};
use std::fmt::Write;

use super::html::{details, or_dash, plain, terms, three, warnings};
use super::model::LoadReport;

/// All combinations of a loop that ran.
#[derive(Clone, Debug, Default)]
pub struct LoopMatrix {
    /// The title of the scenario.
    pub title: String,
    /// The loop's variables, in the order of the scenario.
    pub names: Vec<String>,
    /// The combinations, in the order in which they ran.
    pub cells: Vec<MatrixCell>,
    /// Why combinations are missing; shown on top.
    pub warnings: Vec<String>,
}

/// One combination.
#[derive(Clone, Debug, Default)]
pub struct MatrixCell {
    /// One value for each of the loop's names.
    pub values: Vec<String>,
    /// Its report.
    pub report: LoadReport,
}

/// A figure of a combination.
struct MatrixFigure {
    title: &'static str,
    unit: &'static str,
    log: bool,
    of: fn(&LoadReport) -> Option<f64>,
}

const FIGURES: &[MatrixFigure] = &[
    MatrixFigure {
        title: "Throughput",
        unit: "answers/s",
        log: false,
        of: |r| Some(r.throughput),
    },
    MatrixFigure {
        title: "Mean response time",
        unit: "ms",
        log: true,
        of: |r| answered(r).then_some(r.sum()?.response.mean),
    },
    MatrixFigure {
        title: "p99 response time",
        unit: "ms",
        log: true,
        of: p99,
    },
    MatrixFigure {
        title: "Server CPU per answer",
        unit: "µs",
        log: false,
        of: LoadReport::server_cpu_us,
    },
    MatrixFigure {
        title: "Server CPU",
        unit: "% of a processor",
        log: false,
        of: LoadReport::server_cpu_percent,
    },
];

fn answered(report: &LoadReport) -> bool {
    report.sum().is_some_and(|sum| sum.response.count > 0)
}

fn p99(report: &LoadReport) -> Option<f64> {
    answered(report).then_some(report.sum()?.response.p99)
}

fn errors(report: &LoadReport) -> u64 {
    report.sum().map_or(0, |s| s.failed + s.checks_failed)
}

impl LoopMatrix {
    /// One row for each combination, as text.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.names.len())
            .map(|i| {
                let values = self.cells.iter().map(|c| c.values[i].chars().count());
                values
                    .chain([self.names[i].chars().count()])
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let mut out = String::from("\n");
        let mut line = |values: &[String], rest: &str| {
            for (value, width) in values.iter().zip(&widths) {
                let _ = write!(out, "{value:>width$}  ");
            }
            let _ = writeln!(out, "{rest}");
        };
        line(
            &self.names,
            &format!(
                "{:>10}{:>10}{:>10}{:>10}{:>9}{:>10}{:>8}",
                "answers/s", "mean ms", "p50 ms", "p99 ms", "errors", "CPU µs", "CPU %"
            ),
        );
        for cell in &self.cells {
            let r = &cell.report;
            let latency = r.sum().map(|s| &s.response).filter(|l| l.count > 0);
            let ms = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.3}"));
            let maybe = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.1}"));
            line(
                &cell.values,
                &format!(
                    "{:>10.1}{:>10}{:>10}{:>10}{:>9}{:>10}{:>8}",
                    r.throughput,
                    ms(latency.map(|l| l.mean)),
                    ms(latency.map(|l| l.p50)),
                    ms(latency.map(|l| l.p99)),
                    errors(r),
                    maybe(r.server_cpu_us()),
                    maybe(r.server_cpu_percent())
                ),
            );
        }
        out
    }

    /// One line for each combination, the loop's values first.
    pub fn csv(&self) -> String {
        let quoted = |text: &String| {
            if text.contains([',', '"', '\n']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.clone()
            }
        };
        let joined =
            |texts: &[String]| -> String { texts.iter().map(|t| quoted(t) + ",").collect() };
        let mut out = joined(&self.names)
            + "answers_s,sent,answered,failed,outstanding,checks_failed,mean_ms,p50_ms,p90_ms,p99_ms,max_ms,late_p99_ms,server_cpu_us,server_cpu_percent,driver_cpu_us\n";
        for cell in &self.cells {
            let r = &cell.report;
            let Some(s) = r.sum() else { continue };
            let l = &s.response;
            let maybe = |v: Option<f64>| v.map_or(String::new(), |v| v.to_string());
            let ms = |v: f64| maybe((l.count > 0).then_some(v));
            let fields = [
                r.throughput.to_string(),
                s.sent.to_string(),
                s.answered.to_string(),
                s.failed.to_string(),
                s.outstanding.to_string(),
                s.checks_failed.to_string(),
                ms(l.mean),
                ms(l.p50),
                ms(l.p90),
                ms(l.p99),
                ms(l.max),
                ms(s.lateness.p99),
                maybe(r.server_cpu_us()),
                maybe(r.server_cpu_percent()),
                r.driver.cpu_us.to_string(),
            ];
            out += &format!("{}{}\n", joined(&cell.values), fields.join(","));
        }
        out
    }

    /// One self-contained page: charts, tables, and the figures of each
    /// combination, collapsed.
    pub fn html(&self) -> String {
        let started = self.cells.first().map_or("", |c| &c.report.started);
        let names = self.names.join(" × ");
        let warned = self.cells.iter().filter(|c| !c.report.warnings.is_empty());
        let warned = match warned.count() {
            0 => None,
            1 => Some("One of the combinations has a warning; it is marked in the table and shown with its".to_owned()),
            n => Some(format!("{n} of the combinations have warnings; they are marked in the table and shown with their")),
        };
        let body = html! {
            h1 { (self.title) }
            (note(html! { (self.cells.len()) " combinations of " (names) ", from " (started) }))
            @if let Some(verdict) = self.verdict() { p.verdict { (verdict) } }
            (warnings(&self.warnings))
            @if let Some(warned) = warned { p.warn { (warned) " figures below." } }
            (self.figures())
            (cards(&self.charts()))
            h2 { "Every combination" }
            (self.table().card())
            @for figure in FIGURES { (self.pivot(figure)) }
            h2 { "Each combination" }
            @for (i, cell) in self.cells.iter().enumerate() {
                details id={ "c" (i) } {
                    summary { (self.name(cell)) }
                    (details(&cell.report))
                }
            }
            (terms())
        };
        page(&self.title, &body)
    }

    /// The highest and the lowest rate, in one sentence.
    fn verdict(&self) -> Option<String> {
        let by =
            |a: &&MatrixCell, b: &&MatrixCell| a.report.throughput.total_cmp(&b.report.throughput);
        let most = self.cells.iter().max_by(by)?;
        let fewest = self.cells.iter().min_by(by)?;
        Some(format!(
            "From {} answers/s ({}) to {} ({}).",
            plain(fewest.report.throughput),
            self.name(fewest),
            plain(most.report.throughput),
            self.name(most)
        ))
    }

    /// The three figures of a matrix: the highest rate, the slowest
    /// combination, and the number of combinations with errors.
    fn figures(&self) -> Markup {
        let greatest = |of: fn(&LoadReport) -> Option<f64>| {
            let figures = self.cells.iter().filter_map(|c| Some((c, of(&c.report)?)));
            figures.max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let most = match greatest(|r| Some(r.throughput)) {
            Some((cell, rate)) => TileFigure::new(
                plain(rate),
                format!("answers/s, the highest rate: {}", self.name(cell)),
            ),
            None => TileFigure::new("–", "answers/s"),
        };
        let slowest = match greatest(p99) {
            Some((cell, ms)) => TileFigure::new(
                format!("{} ms", three(ms)),
                format!("p99 of the slowest: {}", self.name(cell)),
            ),
            None => TileFigure::new("–", "no request was answered"),
        };
        let wrong = self.cells.iter().filter(|c| errors(&c.report) > 0).count();
        let of = format!("of {} combinations had errors", self.cells.len());
        tiles(
            &[most, slowest, TileFigure::new(wrong.to_string(), of)],
            &[],
        )
    }

    fn name(&self, cell: &MatrixCell) -> String {
        let parts = self.names.iter().zip(&cell.values);
        let parts: Vec<String> = parts.map(|(n, v)| format!("{n}={v}")).collect();
        parts.join(" ")
    }

    /// One line for every combination of the values after the first.
    fn lines(&self) -> Vec<(String, Vec<&MatrixCell>)> {
        let mut lines: Vec<(String, Vec<&MatrixCell>)> = Vec::new();
        for cell in &self.cells {
            let rest = self.names.iter().zip(&cell.values).skip(1);
            let rest: Vec<String> = rest.map(|(n, v)| format!("{n} {v}")).collect();
            let name = rest.join(", ");
            match lines.iter_mut().find(|l| l.0 == name) {
                Some(line) => line.1.push(cell),
                None => lines.push((name, vec![cell])),
            }
        }
        lines
    }

    fn charts(&self) -> Vec<Markup> {
        let Some(first) = self.names.first() else {
            return Vec::new();
        };
        let values = self.first_values();
        let numbers: Option<Vec<f64>> = values.iter().map(|v| v.parse().ok()).collect();
        // Values that are not numbers are placed in their order.
        let place = |value: &String| match value.parse() {
            Ok(number) if numbers.is_some() => number,
            _ => values.iter().position(|v| *v == value).unwrap_or(0) as f64,
        };
        let x = if numbers.is_some() {
            ChartAxis::from_zero(first)
        } else {
            let ticks = values.iter().map(|v| (place(v), (*v).clone()));
            ChartAxis::with_ticks(first, ticks.collect())
        };
        let series = |figure: &MatrixFigure, (name, cells): (String, Vec<&MatrixCell>)| {
            let point = |c: &&MatrixCell| Some((place(&c.values[0]), (figure.of)(&c.report)?));
            let mut points: Vec<(f64, f64)> = cells.iter().filter_map(point).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            ChartSeries {
                name: if name.is_empty() {
                    figure.unit.into()
                } else {
                    name
                },
                points,
                dots: true,
                ..ChartSeries::default()
            }
        };
        let chart = |figure: &MatrixFigure| LineChart {
            title: format!("{} against {first}", figure.title),
            x: x.clone(),
            y: if figure.log {
                ChartAxis::log(figure.unit)
            } else {
                ChartAxis::from_zero(figure.unit)
            },
            series: self
                .lines()
                .into_iter()
                .map(|line| series(figure, line))
                .collect(),
            ..LineChart::default()
        };
        let shown = FIGURES.iter().filter(|figure| self.has(figure));
        shown.map(|figure| chart(figure).card("")).collect()
    }

    /// Whether any combination has a figure.
    fn has(&self, figure: &MatrixFigure) -> bool {
        self.cells.iter().any(|c| (figure.of)(&c.report).is_some())
    }

    /// The values of the loop's first variable, in their order.
    fn first_values(&self) -> Vec<&String> {
        let mut values: Vec<&String> = Vec::new();
        for cell in &self.cells {
            if !values.contains(&&cell.values[0]) {
                values.push(&cell.values[0]);
            }
        }
        values
    }

    fn table(&self) -> PageTable {
        let figures = [
            "answers/s",
            "mean ms",
            "p50 ms",
            "p99 ms",
            "max ms",
            "failed or wrong",
            "CPU µs per answer",
            "CPU %",
        ];
        let names = self.names.iter().map(String::as_str);
        let mut table = PageTable::new(names.chain(figures));
        for (i, cell) in self.cells.iter().enumerate() {
            let r = &cell.report;
            let Some(sum) = r.sum() else { continue };
            let latency = Some(&sum.response).filter(|l| l.count > 0);
            let maybe = |v: Option<f64>| or_dash(v.map(three));
            let value = |(n, value): (usize, &String)| match n {
                0 => html! { a href={ "#c" (i) } { (value) } },
                _ => html! { (value) },
            };
            let figures = [
                plain(r.throughput),
                maybe(latency.map(|l| l.mean)),
                maybe(latency.map(|l| l.p50)),
                maybe(latency.map(|l| l.p99)),
                maybe(latency.map(|l| l.max)),
                errors(r).to_string(),
                maybe(r.server_cpu_us()),
                maybe(r.server_cpu_percent()),
            ];
            let values: Vec<Markup> = cell.values.iter().enumerate().map(value).collect();
            let values = values.iter().map(|v| v as &dyn Render);
            let cells: Vec<&dyn Render> = values
                .chain(figures.iter().map(|f| f as &dyn Render))
                .collect();
            table.judged_row(r.warnings.is_empty(), &cells);
        }
        table
    }

    /// One figure in a table: the first value across, the others down.
    fn pivot(&self, figure: &MatrixFigure) -> Markup {
        if self.names.len() < 2 || !self.has(figure) {
            return html! {};
        }
        let columns = self.first_values();
        let heads = columns.iter().map(|c| format!("{} {c}", self.names[0]));
        let heads = std::iter::once(String::new()).chain(heads);
        let mut table = PageTable::new(heads.map(TableColumn::numbers));
        for (name, cells) in self.lines() {
            let value = |column: &&String| {
                let cell = cells.iter().find(|c| c.values[0] == **column);
                or_dash(cell.and_then(|c| (figure.of)(&c.report)).map(three))
            };
            let values = columns.iter().map(value);
            table.row_of(std::iter::once(name.clone()).chain(values));
        }
        html! {
            h2 { (figure.title) ", " (figure.unit) }
            (table.card())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::PopulationReport;
    use super::*;

    fn matrix() -> LoopMatrix {
        let cell = |clients: &str, size: &str, throughput: f64| {
            let mut population = PopulationReport::default();
            population.response.count = 1;
            population.response.mean = 2.0;
            MatrixCell {
                values: vec![clients.into(), size.into()],
                report: LoadReport {
                    throughput,
                    populations: vec![population],
                    ..LoadReport::default()
                },
            }
        };
        LoopMatrix {
            title: "sizes".into(),
            names: vec!["clients".into(), "size".into()],
            cells: vec![
                cell("100", "1,024", 200.0),
                cell("100", "<big>", 190.0),
                cell("200", "1,024", 400.0),
            ],
            warnings: Vec::new(),
        }
    }

    #[test]
    fn every_combination_has_its_row() {
        let matrix = matrix();
        assert_eq!(matrix.text().lines().count(), 5);
        let csv = matrix.csv();
        assert!(
            csv.lines()
                .nth(1)
                .unwrap()
                .starts_with("100,\"1,024\",200,")
        );
        let commas = |line: &str| line.replace("\"1,024\"", "").matches(',').count();
        let counts: Vec<usize> = csv.lines().map(commas).collect();
        assert!(counts.iter().all(|c| *c == counts[0]), "{csv}");
    }

    #[test]
    fn the_page_has_plots_and_a_place_for_what_did_not_run() {
        let html = matrix().html();
        assert!(html.contains("Throughput against clients"));
        assert!(
            html.contains("<b>400</b><span>answers/s, the highest rate: clients=200 size=1,024")
        );
        assert!(html.contains("<b>0</b><span>of 3 combinations had errors"));
        assert!(html.contains("From 190 answers/s (clients=100 size=&lt;big&gt;) to 400 ("));
        assert!(html.contains("size &lt;big&gt;") && !html.contains("<big>"));
        assert!(
            html.contains("<tr><td>size &lt;big&gt;</td><td>190.0</td><td>–</td></tr>"),
            "{html}"
        );
        assert!(html.contains("<details id=\"c2\">"));
    }
}
