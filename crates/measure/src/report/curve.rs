//! The part of a report that shows a search over loads: its three figures, charts
//! against the load, and a row for each load.

use maud::{Markup, html};
use page::chart::{ChartAxis, ChartSeries, LineChart};
use page::{PageTable, TileFigure, cards, short};

use super::html::{or_dash, plain, three};
use super::model::{CurvePoint, LoadCurve};
use super::text::conclusions;
use crate::knee::KneeVerdict;

/// The highest load that meets the objectives, the knee, and p99 at that load.
pub(super) fn tiles(curve: &LoadCurve) -> Markup {
    let unit = &curve.unit;
    let (knee, of_knee) = match &curve.stick {
        Some(stick) if found(curve) => (plain(stick.knee), "the knee"),
        _ => (or_dash(None), "no knee was found"),
    };
    let lowest = || curve.points.first().map(|point| point.load);
    let load = curve.highest_good.or_else(lowest);
    let point = curve.points.iter().find(|point| Some(point.load) == load);
    let p99 = point.and_then(|point| point.time(point.p99));
    let at = or_dash(load.map(plain));
    let first = [
        TileFigure::new(
            or_dash(curve.highest_good.map(plain)),
            format!("{unit}, the highest load that met {}", curve.objectives),
        ),
        TileFigure::new(knee, format!("{unit}, {of_knee}")),
        TileFigure::new(
            or_dash(p99.map(|ms| format!("{} ms", three(ms)))),
            format!("p99 at {at} {unit}"),
        ),
    ];
    page::tiles(&first, &[])
}

/// The conclusions, the charts and the table.
pub(super) fn section(curve: &LoadCurve) -> Markup {
    html! {
        h2 { "Load and capacity" }
        div.card {
            @for line in conclusions(curve) { p { (line) } }
        }
        br;
        (cards(&charts(curve)))
        br;
        (table(curve).card())
    }
}

fn found(curve: &LoadCurve) -> bool {
    curve.verdict == KneeVerdict::Found
}

fn charts(curve: &LoadCurve) -> Vec<Markup> {
    let line = |name: &str, f: &dyn Fn(&CurvePoint) -> Option<f64>| ChartSeries {
        name: name.into(),
        points: curve
            .points
            .iter()
            .filter_map(|p| Some((p.load, f(p)?)))
            .collect(),
        dots: true,
        ..ChartSeries::default()
    };
    let knee = curve.stick.as_ref().filter(|_| found(curve));
    let against_load = |title: &str, y: ChartAxis, series: Vec<ChartSeries>| {
        let chart = LineChart {
            title: title.into(),
            x: ChartAxis::from_zero(&curve.unit),
            y,
            series,
            mark: knee.map(|s| (s.knee, format!("knee {}", short(s.knee)))),
            ..LineChart::default()
        };
        chart.card("")
    };
    let mut throughput = vec![line("answers/s", &|p| Some(p.throughput))];
    throughput.extend(scalability(curve));
    let times = vec![
        line("50 %", &|p| p.time(p.p50)),
        line("mean", &|p| p.time(p.mean)),
        line("99 %", &|p| p.time(p.p99)),
    ];
    let answers = ChartAxis::from_zero("answers/s");
    let mut charts = vec![
        against_load("Throughput against load", answers, throughput),
        against_load("Response time against load", ChartAxis::log("ms"), times),
    ];
    if curve.points.iter().any(|p| p.server_cpu_us.is_some()) {
        let cpu = vec![line("CPU per answer", &|p| p.server_cpu_us)];
        let title = "Server CPU per answer against load";
        charts.push(against_load(title, ChartAxis::from_zero("µs"), cpu));
    }
    charts
}

/// The line of the Universal Scalability Law, if it describes the curve.
fn scalability(curve: &LoadCurve) -> Option<ChartSeries> {
    let law = curve.scalability.filter(|law| law.describes())?;
    if !found(curve) {
        return None;
    }
    let last = curve.points.iter().map(|p| p.load).fold(0.0, f64::max);
    let value = |n: f64| law.lambda * n / (1.0 + law.sigma * (n - 1.0) + law.kappa * n * (n - 1.0));
    let loads = (1..=60).map(|i| last * f64::from(i) / 60.0);
    Some(ChartSeries {
        name: "Universal Scalability Law".into(),
        points: loads.map(|n| (n, value(n))).collect(),
        dashed: true,
        ..ChartSeries::default()
    })
}

fn table(curve: &LoadCurve) -> PageTable {
    let heads = [
        curve.unit.as_str(),
        "answers/s",
        "mean ms",
        "p50 ms",
        "p99 ms",
        "errors",
        "CPU µs",
        "objectives",
    ];
    let mut table = PageTable::new(heads);
    for p in &curve.points {
        let ms = |v: f64| or_dash(p.time(v).map(three));
        table.judged_row(
            p.good,
            &[
                &plain(p.load),
                &plain(p.throughput),
                &ms(p.mean),
                &ms(p.p50),
                &ms(p.p99),
                &format_args!("{} %", short(p.errors * 100.0)),
                &or_dash(p.server_cpu_us.map(three)),
                &if p.good { "met" } else { "missed" },
            ],
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_opens_with_what_is_carried_the_knee_and_the_time_there() {
        let point = |load: f64, good: bool| CurvePoint {
            load,
            throughput: load,
            p99: load / 10.0,
            good,
            ..CurvePoint::default()
        };
        let curve = LoadCurve {
            unit: "requests/s".into(),
            points: vec![point(400.0, true), point(475.0, true), point(500.0, false)],
            verdict: crate::knee::KneeVerdict::NotReached,
            stick: None,
            scalability: None,
            objectives: "p99<80ms".into(),
            highest_good: Some(475.0),
            lowest_bad: Some(500.0),
            collapse: false,
            interrupted: false,
            unrecovered: None,
        };
        let shown = tiles(&curve).into_string();
        assert!(
            shown.contains("<b>475</b><span>requests/s, the highest load that met p99&lt;80ms"),
            "{shown}"
        );
        assert!(shown.contains("no knee was found"), "{shown}");
        assert!(
            shown.contains("<b>47.5 ms</b><span>p99 at 475 requests/s"),
            "{shown}"
        );
    }
}
