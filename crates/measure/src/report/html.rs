//! The report as one HTML page without scripts or external parts: first the most
//! important figures, then charts, tables, and an explanation of the terms.

use maud::{Markup, html};
use page::chart::{ChartAxis, ChartSeries, LineChart, percentile_chart};
use page::{TileFigure, cards, note, page, short, tiles};

use super::curve;
use super::model::{LoadReport, PopulationReport, ReportInterval};
use super::spread::{heatmap, histogram};
use super::tables::{cpu_section, population_section};
use super::verdict::{tip, verdict};

/// The report as one HTML page.
pub fn html(report: &LoadReport) -> String {
    let subtitle = format!(
        "{}; {} s measured after {} s of warm-up, from {}",
        report.load,
        short(report.measured_s),
        short(report.warmup_s),
        report.started
    );
    let body = html! {
        h1 { (report.title) }
        (note(subtitle))
        @if let Some(verdict) = verdict(report) { p.verdict { (verdict) } }
        @if let Some(tip) = tip(report) { (note(tip)) }
        (warnings(&report.warnings))
        @if let Some(curve) = &report.curve {
            (curve::tiles(curve))
            (curve::section(curve))
            h2 {
                @if curve.highest_good.is_some() {
                    "At the highest load that met the objectives"
                } @else {
                    "At the lowest load"
                }
            }
        }
        @if let Some(sum) = report.sum() {
            (figures(report, sum))
            (charts(report, sum))
        }
        @for population in &report.populations { (population_section(population)) }
        (cpu_section(report))
        (terms())
    };
    page(&report.title, &body)
}

/// The report of one combination within the page of its matrix.
pub(super) fn details(report: &LoadReport) -> Markup {
    html! {
        (note(&report.load))
        (warnings(&report.warnings))
        @if let Some(sum) = report.sum() { (charts(report, sum)) }
        @for population in &report.populations { (population_section(population)) }
        (cpu_section(report))
    }
}

pub(super) fn warnings(warnings: &[String]) -> Markup {
    html! {
        @for warning in warnings { p.warn { (warning) } }
    }
}

/// A figure with at most three decimals and no unnecessary digits.
pub(super) fn three(value: f64) -> String {
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A rate or a load with all digits, so that close values differ.
pub(super) fn plain(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        _ => short(value),
    }
}

/// A figure that may be unknown.
pub(super) fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".to_owned())
}

/// The three most important figures, then the others in smaller tiles.
fn figures(report: &LoadReport, sum: &PopulationReport) -> Markup {
    let ms = |v: f64| or_dash((sum.response.count > 0).then(|| format!("{} ms", three(v))));
    let errors = sum.failed + sum.checks_failed;
    let share = errors as f64 / sum.sent.max(1) as f64 * 100.0;
    let first = [
        TileFigure::new(plain(report.throughput), "answers/s"),
        TileFigure::new(ms(sum.response.p99), "p99"),
        TileFigure::new(
            plain(errors as f64),
            format!("failed or wrong, {} %", short(share)),
        ),
    ];
    let mut others = vec![
        TileFigure::new(ms(sum.response.p50), "p50"),
        TileFigure::new(ms(sum.response.p999), "p99.9"),
        TileFigure::new(ms(sum.response.max), "max"),
    ];
    let mut of = "server CPU per answer at this load".to_owned();
    if let Some(cpu) = report.server_cpu.as_ref().filter(|c| !c.notes().is_empty()) {
        of += &format!(": {}", cpu.subjects().join(" + "));
    }
    if let Some(us) = report.server_cpu_us() {
        others.push(TileFigure::new(format!("{} µs", three(us)), of));
    }
    tiles(&first, &others)
}

fn charts(report: &LoadReport, sum: &PopulationReport) -> Markup {
    let timeline = &report.timeline;
    let warm = timeline.iter().filter(|m| m.warmup).map(|m| m.at_s);
    let warm = warm.fold(0.0, f64::max);
    let shade = (warm > 0.0).then(|| (0.0, warm, "warm-up".to_owned()));
    let over_time = |title: &str, y: ChartAxis, series: Vec<ChartSeries>| {
        let chart = LineChart {
            title: title.into(),
            x: ChartAxis::from_zero("seconds"),
            y,
            series,
            shade: shade.clone(),
            ..LineChart::default()
        };
        chart.card("")
    };
    let line = |name: &str, f: &dyn Fn(&ReportInterval) -> f64| ChartSeries {
        name: name.into(),
        points: timeline.iter().map(|m| (m.at_s, f(m))).collect(),
        ..ChartSeries::default()
    };
    let mut shown = Vec::new();
    if timeline.len() > 1 {
        let times = vec![
            line("p50", &|m| m.p50),
            line("p99", &|m| m.p99),
            line("max", &|m| m.max),
        ];
        shown.push(over_time(
            "Response time over time",
            ChartAxis::log("ms"),
            times,
        ));
        let errors = ChartSeries {
            is_bad: true,
            ..line("errors/s", &|m| m.errors_s)
        };
        let requests = vec![
            line("sent", &|m| m.sent_s),
            line("answered", &|m| m.answered_s),
            errors,
        ];
        let axis = ChartAxis::from_zero("per second");
        shown.push(over_time("Requests over time", axis, requests));
    }
    let latencies = [
        ("response", &sum.response.curve[..]),
        ("wire", &sum.wire.curve[..]),
        ("lateness of the driver", &sum.lateness.curve[..]),
    ];
    shown.push(percentile_chart("Percentiles", &latencies).card(""));
    if timeline
        .iter()
        .filter(|m| m.server_cpu_us.is_some())
        .count()
        > 1
    {
        let cpu = line("CPU per answer", &|m| m.server_cpu_us.unwrap_or(f64::NAN));
        let title = "Server CPU per answer over time";
        shown.push(over_time(title, ChartAxis::from_zero("µs"), vec![cpu]));
    }
    shown.extend(histogram(&sum.response));
    shown.extend(heatmap(timeline));
    cards(&shown)
}

/// The explanation of the terms.
pub(super) fn terms() -> Markup {
    html! {
        h2 { "Terms" }
        div.card {
            dl {
                @for (term, meaning) in TERMS {
                    dt { (term) }
                    dd { (meaning) }
                }
            }
        }
    }
}

const TERMS: [(&str, &str); 7] = [
    (
        "response",
        "From the intended start of the request to the last byte of its answer: what a user sees, \
         including delays of the server and of the driver.",
    ),
    (
        "wire",
        "From the request's first byte out to the answer's last byte in. In clear over HTTP/1.1 and \
         raw sockets the end is the kernel's time stamp of the packet that brought the last byte; over \
         TLS, HTTP/2 and APPC it is measured in user space, when the driver has read and decrypted \
         that byte, and includes the driver's own delay.",
    ),
    (
        "lateness",
        "The delay of the request against the driver's own schedule. If it is not small compared with \
         the response time, the driver influences the result.",
    ),
    ("p99", "99 % of the requests took at most this time."),
    (
        "CPU per answer",
        "Processor time divided by answers. It depends on the load, so the load is shown with it.",
    ),
    (
        "switches, net",
        "Context switches per answer; bytes in the network namespace of the processes, loopback \
         included.",
    ),
    (
        "knee",
        "The load from which more load no longer means more answers.",
    ),
];
