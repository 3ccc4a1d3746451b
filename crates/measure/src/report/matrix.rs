//! The reports of a loop as one: a table with a row for each combination, tables of
//! one figure by two of the loop's values, and plots against the first value.
//! Output as text, CSV and one HTML page.

use super::html::{WORDS, details, grid, plain, three, three_and_others};
use super::model::LoadReport;
use super::page::page;
use super::svg::{Axis, Plot, Series, escape};
use std::fmt::Write;

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

    /// One self-contained page: plots, tables, and the figures of each
    /// combination, collapsed.
    pub fn html(&self) -> String {
        let mut body = format!("<h1>{}</h1>", escape(&self.title));
        let started = self.cells.first().map_or("", |c| &c.report.started);
        let _ = write!(
            body,
            "<p class=soft>{} combinations of {}, from {}</p>",
            self.cells.len(),
            escape(&self.names.join(" × ")),
            escape(started)
        );
        if let Some(verdict) = self.verdict() {
            let _ = write!(body, "<p class=verdict>{}</p>", escape(&verdict));
        }
        let warned = self.cells.iter().filter(|c| !c.report.warnings.is_empty());
        let warned = warned.count();
        for warning in &self.warnings {
            let _ = write!(body, "<p class=warn>{}</p>", escape(warning));
        }
        if warned > 0 {
            let of = match warned {
                1 => "One of the combinations has a warning; it is marked in the table and shown with its".to_owned(),
                n => format!("{n} of the combinations have warnings; they are marked in the table and shown with their"),
            };
            let _ = write!(body, "<p class=warn>{of} figures below.</p>");
        }
        body += &self.tiles();
        body += &grid(&self.plots());
        body += &self.table();
        for figure in FIGURES {
            body += &self.pivot(figure);
        }
        body += "<h2>Each combination</h2>";
        for (i, cell) in self.cells.iter().enumerate() {
            let _ = write!(
                body,
                "<details id=c{i}><summary>{}</summary>{}</details>",
                escape(&self.name(cell)),
                details(&cell.report)
            );
        }
        body += WORDS;
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
    fn tiles(&self) -> String {
        let greatest = |of: fn(&LoadReport) -> Option<f64>| {
            let figures = self.cells.iter().filter_map(|c| Some((c, of(&c.report)?)));
            figures.max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let at = |cell: &MatrixCell| escape(&self.name(cell));
        let most = greatest(|r| Some(r.throughput)).map_or_else(
            || ("–".to_owned(), "answers/s".to_owned()),
            |(cell, rate)| {
                (
                    plain(rate),
                    format!("answers/s, the highest rate: {}", at(cell)),
                )
            },
        );
        let slowest = greatest(p99).map_or_else(
            || ("–".to_owned(), "no request was answered".to_owned()),
            |(cell, ms)| {
                let name = format!("p99 of the slowest: {}", at(cell));
                (format!("{} ms", three(ms)), name)
            },
        );
        let wrong = self.cells.iter().filter(|c| errors(&c.report) > 0).count();
        let of = format!("of {} combinations had errors", self.cells.len());
        three_and_others(
            &[
                (most.0, most.1.as_str()),
                (slowest.0, slowest.1.as_str()),
                (wrong.to_string(), of.as_str()),
            ],
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

    fn plots(&self) -> Vec<Plot> {
        let Some(first) = self.names.first() else {
            return Vec::new();
        };
        // Values that are not numbers are placed in their order.
        let mut values: Vec<&String> = Vec::new();
        for cell in &self.cells {
            if !values.contains(&&cell.values[0]) {
                values.push(&cell.values[0]);
            }
        }
        let numbers: Option<Vec<f64>> = values.iter().map(|v| v.parse().ok()).collect();
        let place = |value: &String| match value.parse() {
            Ok(number) if numbers.is_some() => number,
            _ => values.iter().position(|v| *v == value).unwrap_or(0) as f64,
        };
        let ticks: Vec<(f64, String)> = match numbers {
            Some(_) => Vec::new(),
            None => values.iter().map(|v| (place(v), (*v).clone())).collect(),
        };
        let shown = FIGURES
            .iter()
            .filter(|f| self.cells.iter().any(|c| (f.of)(&c.report).is_some()));
        shown
            .map(|figure| Plot {
                title: format!("{} against {first}", figure.title),
                x: Axis {
                    label: first.clone(),
                    from_zero: ticks.is_empty(),
                    ticks: ticks.clone(),
                    ..Axis::default()
                },
                y: Axis {
                    label: if figure.log {
                        format!("{} (log)", figure.unit)
                    } else {
                        figure.unit.to_owned()
                    },
                    log: figure.log,
                    from_zero: true,
                    ..Axis::default()
                },
                series: self
                    .lines()
                    .into_iter()
                    .map(|(name, cells)| {
                        let point =
                            |c: &&MatrixCell| Some((place(&c.values[0]), (figure.of)(&c.report)?));
                        let mut points: Vec<(f64, f64)> = cells.iter().filter_map(point).collect();
                        points.sort_by(|a, b| a.0.total_cmp(&b.0));
                        Series {
                            name: if name.is_empty() {
                                figure.unit.into()
                            } else {
                                name
                            },
                            points,
                            dots: true,
                            ..Series::default()
                        }
                    })
                    .collect(),
                ..Plot::default()
            })
            .collect()
    }

    fn table(&self) -> String {
        let heads: String = self
            .names
            .iter()
            .map(|n| format!("<th>{}", escape(n)))
            .collect();
        let mut rows = String::new();
        for (i, cell) in self.cells.iter().enumerate() {
            let r = &cell.report;
            let Some(s) = r.sum() else { continue };
            let class = if r.warnings.is_empty() {
                ""
            } else {
                " class=missed"
            };
            let values: String = cell
                .values
                .iter()
                .enumerate()
                .map(|(n, v)| match n {
                    0 => format!("<td><a href=#c{i}>{}</a>", escape(v)),
                    _ => format!("<td>{}", escape(v)),
                })
                .collect();
            let l = Some(&s.response).filter(|l| l.count > 0);
            let maybe = |v: Option<f64>| v.map_or("–".to_owned(), three);
            let _ = write!(
                rows,
                "<tr{class}>{values}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}</tr>",
                plain(r.throughput),
                maybe(l.map(|l| l.mean)),
                maybe(l.map(|l| l.p50)),
                maybe(l.map(|l| l.p99)),
                maybe(l.map(|l| l.max)),
                errors(r),
                maybe(r.server_cpu_us()),
                maybe(r.server_cpu_percent())
            );
        }
        format!(
            "<h2>Every combination</h2><div class=\"card scroll\"><table><tr>{heads}<th>answers/s<th>mean ms<th>p50 ms<th>p99 ms\
             <th>max ms<th>failed or wrong<th>CPU µs per answer<th>CPU %</tr>{rows}</table></div>"
        )
    }

    /// One figure in a table: the first value across, the others down.
    fn pivot(&self, figure: &MatrixFigure) -> String {
        let known = self.cells.iter().any(|c| (figure.of)(&c.report).is_some());
        if self.names.len() < 2 || !known {
            return String::new();
        }
        let mut columns: Vec<&String> = Vec::new();
        for cell in &self.cells {
            if !columns.contains(&&cell.values[0]) {
                columns.push(&cell.values[0]);
            }
        }
        let heads: String = columns
            .iter()
            .map(|c| format!("<th>{} {}", escape(&self.names[0]), escape(c)))
            .collect();
        let mut rows = String::new();
        for (name, cells) in self.lines() {
            let _ = write!(rows, "<tr><td>{}", escape(&name));
            for column in &columns {
                let cell = cells.iter().find(|c| c.values[0] == **column);
                let value = cell.and_then(|c| (figure.of)(&c.report));
                let _ = write!(rows, "<td>{}", value.map_or("–".to_owned(), three));
            }
            rows += "</tr>";
        }
        format!(
            "<h2>{}, {}</h2><div class=\"card scroll\"><table><tr><th>{heads}</tr>{rows}</table></div>",
            figure.title, figure.unit
        )
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
            html.contains("<tr><td>size &lt;big&gt;<td>190.0<td>–</tr>"),
            "{html}"
        );
        assert!(html.contains("<details id=c2>"));
    }
}
