//! The report as one HTML page without scripts or external parts: first the most
//! important figures, then plots, tables, and an explanation of the terms.

use super::heat::{heatmap, histogram};
use super::model::{LatencyReport, LoadCurve, LoadReport, PopulationReport, Server};
use super::page::page;
use super::svg::{Axis, Plot, Series, escape, short};
use super::text::conclusions;
use super::verdict::{tip, verdict};

/// The report as one HTML page.
pub fn html(report: &LoadReport) -> String {
    let mut body = String::new();
    body += &format!("<h1>{}</h1>", escape(&report.title));
    body += &format!(
        "<p class=soft>{}; {} s measured after {} s of warm-up, from {}</p>",
        escape(&report.load),
        short(report.measured_s),
        short(report.warmup_s),
        escape(&report.started)
    );
    if let Some(verdict) = verdict(report) {
        body += &format!("<p class=verdict>{}</p>", escape(&verdict));
    }
    if let Some(tip) = tip(report) {
        body += &format!("<p class=soft>{}</p>", escape(tip));
    }
    for warning in &report.warnings {
        body += &format!("<p class=warn>{}</p>", escape(warning));
    }
    if let Some(curve) = &report.curve {
        body += &curve_tiles(curve);
        body += &curve_section(curve);
        body += match curve.highest_good {
            Some(_) => "<h2>At the highest load that met the objectives</h2>",
            None => "<h2>At the lowest load</h2>",
        };
    }
    if let Some(sum) = report.sum() {
        body += &tiles(report, sum);
        body += &plots(report, sum);
    }
    for population in &report.populations {
        body += &population_section(population);
    }
    body += &cpu_section(report);
    body += WORDS;
    page(&report.title, &body)
}

/// The report of one combination within the page of its matrix.
pub(super) fn details(report: &LoadReport) -> String {
    let mut body = format!("<p class=soft>{}</p>", escape(&report.load));
    for warning in &report.warnings {
        body += &format!("<p class=warn>{}</p>", escape(warning));
    }
    if let Some(sum) = report.sum() {
        body += &plots(report, sum);
    }
    for population in &report.populations {
        body += &population_section(population);
    }
    body + &cpu_section(report)
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

/// The three most important figures, then the others in smaller tiles.
fn tiles(report: &LoadReport, sum: &PopulationReport) -> String {
    let ms = |v: f64| match sum.response.count {
        0 => "–".to_owned(),
        _ => format!("{} ms", three(v)),
    };
    let errors = sum.failed + sum.checks_failed;
    let share = errors as f64 / sum.sent.max(1) as f64 * 100.0;
    let wrong = format!("failed or wrong, {} %", short(share));
    let matter = [
        (plain(report.throughput), "answers/s"),
        (ms(sum.response.p99), "p99"),
        (plain(errors as f64), &wrong),
    ];
    let mut others = vec![
        (ms(sum.response.p50), "p50"),
        (ms(sum.response.p999), "p99.9"),
        (ms(sum.response.max), "max"),
    ];
    let mut of = "server CPU per answer at this load".to_owned();
    if let Some(cpu) = report.server_cpu.as_ref().filter(|c| !c.notes().is_empty()) {
        of += &format!(": {}", escape(&cpu.subjects().join(" + ")));
    }
    if let Some(us) = report.server_cpu_us() {
        others.push((format!("{} µs", three(us)), &of));
    }
    three_and_others(&matter, &others)
}

/// The three figures of a search: the highest load that meets the objectives, the
/// knee, and p99 at that load.
fn curve_tiles(curve: &LoadCurve) -> String {
    let unit = escape(&curve.unit);
    let none = || "–".to_owned();
    let within = escape(&curve.objectives);
    let carried = curve.highest_good.map_or_else(none, plain);
    let knee = match (&curve.stick, curve.verdict) {
        (Some(stick), crate::knee::KneeVerdict::Found) => (plain(stick.knee), "the knee"),
        _ => (none(), "no knee was found"),
    };
    let lowest = || curve.points.first().map(|point| point.load);
    let load = curve.highest_good.or_else(lowest);
    let point = curve.points.iter().find(|point| Some(point.load) == load);
    let p99 = point.and_then(|point| point.time(point.p99));
    let at = load.map_or_else(none, plain);
    let names = [
        format!("{unit}, the highest load that met {within}"),
        format!("{unit}, {}", knee.1),
        format!("p99 at {at} {unit}"),
    ];
    let [of_carried, of_knee, of_time] = &names;
    let matter = [
        (carried, of_carried.as_str()),
        (knee.0, of_knee.as_str()),
        (
            p99.map_or_else(none, |ms| format!("{} ms", three(ms))),
            of_time.as_str(),
        ),
    ];
    three_and_others(&matter, &[])
}

/// Tiles: the three most important figures, then the others in smaller tiles. Names
/// are HTML.
pub fn three_and_others(matter: &[(String, &str); 3], others: &[(String, &str)]) -> String {
    let tile = |(value, name): &(String, &str)| {
        format!("<div class=tile><b>{value}</b><span>{name}</span></div>")
    };
    let matter: String = matter.iter().map(tile).collect();
    let others: String = others.iter().map(tile).collect();
    let others = if others.is_empty() {
        others
    } else {
        format!("<div class=\"tiles others\">{others}</div>")
    };
    format!("<div class=\"tiles three\">{matter}</div>{others}")
}

fn plots(report: &LoadReport, sum: &PopulationReport) -> String {
    let mut plots = Vec::new();
    let over_time = |name: &str, f: &dyn Fn(&super::ReportInterval) -> f64| Series {
        name: name.into(),
        points: report.timeline.iter().map(|m| (m.at_s, f(m))).collect(),
        ..Series::default()
    };
    let time = || Axis {
        label: "seconds".into(),
        from_zero: true,
        ..Axis::default()
    };
    let linear = |label: &str| Axis {
        label: label.into(),
        from_zero: true,
        ..Axis::default()
    };
    let warm = report
        .timeline
        .iter()
        .filter(|m| m.warmup)
        .map(|m| m.at_s)
        .fold(0.0, f64::max);
    let shade = (warm > 0.0).then(|| (0.0, warm, "warm-up".to_owned()));
    if report.timeline.len() > 1 {
        plots.push(Plot {
            title: "Response time over time".into(),
            x: time(),
            y: Axis {
                label: "ms (log)".into(),
                log: true,
                ..Axis::default()
            },
            series: vec![
                over_time("p50", &|m| m.p50),
                over_time("p99", &|m| m.p99),
                over_time("max", &|m| m.max),
            ],
            shade: shade.clone(),
            mark: None,
        });
        plots.push(Plot {
            title: "Requests over time".into(),
            x: time(),
            y: linear("per second"),
            series: vec![
                over_time("sent", &|m| m.sent_s),
                over_time("answered", &|m| m.answered_s),
                Series {
                    is_bad: true,
                    ..over_time("errors/s", &|m| m.errors_s)
                },
            ],
            shade: shade.clone(),
            mark: None,
        });
    }
    let spread = histogram(&sum.response) + &heatmap(&report.timeline);
    plots.push(percentiles(sum));
    let sampled = report.timeline.iter().filter(|m| m.server_cpu_us.is_some());
    if sampled.count() > 1 {
        plots.push(Plot {
            title: "Server CPU per answer over time".into(),
            x: time(),
            y: linear("µs"),
            series: vec![over_time("CPU per answer", &|m| {
                m.server_cpu_us.unwrap_or(f64::NAN)
            })],
            shade,
            mark: None,
        });
    }
    format!("<div class=plots>{}{spread}</div>", cards(&plots))
}

fn percentiles(sum: &PopulationReport) -> Plot {
    let line = |l: &LatencyReport| l.curve.clone();
    percentile_plot(&[
        ("response", line(&sum.response)),
        ("wire", line(&sum.wire)),
        ("lateness of the driver", line(&sum.lateness)),
    ])
}

/// Curves of quantiles in milliseconds; the first one sets the range.
pub(super) fn percentile_plot(curves: &[(&str, Vec<(f64, f64)>)]) -> Plot {
    // The horizontal position of a quantile is 1 ÷ (1 − quantile).
    let rarity = |q: f64| 1.0 / (1.0 - q).max(1e-9);
    let line = |(name, curve): &(&str, Vec<(f64, f64)>)| Series {
        name: (*name).into(),
        points: curve
            .iter()
            .filter(|c| c.0 < 1.0)
            .map(|(q, ms)| (rarity(*q), *ms))
            .collect(),
        ..Series::default()
    };
    let ticks = [
        (0.5, "p50"),
        (0.9, "p90"),
        (0.99, "p99"),
        (0.999, "p99.9"),
        (0.9999, "p99.99"),
        (0.99999, "99.999 %"),
    ];
    let first = curves.iter().take(1).flat_map(|(_, curve)| curve);
    let last = first.filter(|c| c.0 < 1.0).map(|c| c.0).fold(0.9, f64::max);
    Plot {
        title: "Percentiles".into(),
        x: Axis {
            label: "share of requests that are faster (log)".into(),
            log: true,
            from_zero: false,
            ticks: ticks
                .iter()
                .filter(|t| t.0 <= last)
                .map(|(q, text)| (rarity(*q), (*text).to_owned()))
                .collect(),
            name: Some(quantile),
        },
        y: Axis {
            label: "ms (log)".into(),
            log: true,
            ..Axis::default()
        },
        series: curves.iter().map(line).collect(),
        mark: None,
        shade: None,
    }
}

/// The percentage of faster requests at a position of the horizontal axis of
/// percentiles, with enough digits to differ from its neighbours.
fn quantile(rarity: f64) -> String {
    let digits = rarity.max(1.0).log10().ceil() as usize;
    let share = format!("{:.digits$}", 100.0 - 100.0 / rarity.max(1.0));
    let share = if share.contains('.') {
        share.trim_end_matches('0').trim_end_matches('.')
    } else {
        &share
    };
    format!("{share} % are faster")
}

pub(super) fn grid(plots: &[Plot]) -> String {
    format!("<div class=plots>{}</div>", cards(plots))
}

fn cards(plots: &[Plot]) -> String {
    plots
        .iter()
        .map(|p| {
            format!(
                "<div class=card><h3>{}</h3>{}{}</div>",
                escape(&p.title),
                p.legend(),
                p.svg()
            )
        })
        .collect()
}

fn curve_section(curve: &LoadCurve) -> String {
    let line = |name: &str, f: &dyn Fn(&super::CurvePoint) -> Option<f64>| Series {
        name: name.into(),
        points: curve
            .points
            .iter()
            .filter_map(|p| Some((p.load, f(p)?)))
            .collect(),
        dots: true,
        ..Series::default()
    };
    let mark = match (&curve.stick, curve.verdict) {
        (Some(s), crate::knee::KneeVerdict::Found) => {
            Some((s.knee, format!("knee {}", short(s.knee))))
        }
        _ => None,
    };
    let load = || Axis {
        label: curve.unit.clone(),
        from_zero: true,
        ..Axis::default()
    };
    let mut throughput = vec![line("answers/s", &|p| Some(p.throughput))];
    let knee = curve.verdict == crate::knee::KneeVerdict::Found;
    if let Some(law) = curve.scalability.filter(|law| knee && law.describes()) {
        let last = curve.points.iter().map(|p| p.load).fold(0.0, f64::max);
        let value =
            |n: f64| law.lambda * n / (1.0 + law.sigma * (n - 1.0) + law.kappa * n * (n - 1.0));
        throughput.push(Series {
            name: "Universal Scalability Law".into(),
            points: (1..=60)
                .map(|i| last * f64::from(i) / 60.0)
                .map(|n| (n, value(n)))
                .collect(),
            dashed: true,
            ..Series::default()
        });
    }
    let mut plots = vec![
        Plot {
            title: "Throughput against load".into(),
            x: load(),
            y: Axis {
                label: "answers/s".into(),
                from_zero: true,
                ..Axis::default()
            },
            series: throughput,
            mark: mark.clone(),
            shade: None,
        },
        Plot {
            title: "Response time against load".into(),
            x: load(),
            y: Axis {
                label: "ms (log)".into(),
                log: true,
                ..Axis::default()
            },
            series: vec![
                line("50 %", &|p| p.time(p.p50)),
                line("mean", &|p| p.time(p.mean)),
                line("99 %", &|p| p.time(p.p99)),
            ],
            mark: mark.clone(),
            shade: None,
        },
    ];
    if curve.points.iter().any(|p| p.server_cpu_us.is_some()) {
        plots.push(Plot {
            title: "Server CPU per answer against load".into(),
            x: load(),
            y: Axis {
                label: "µs".into(),
                from_zero: true,
                ..Axis::default()
            },
            series: vec![line("CPU per answer", &|p| p.server_cpu_us)],
            mark,
            shade: None,
        });
    }
    let said: String = conclusions(curve)
        .iter()
        .map(|l| format!("<p>{}</p>", escape(l)))
        .collect();
    let ms = |p: &super::CurvePoint, v: f64| p.time(v).map_or("–".to_owned(), three);
    let rows: String = curve
        .points
        .iter()
        .map(|p| {
            format!(
                "<tr{}><td>{}<td>{}<td>{}<td>{}<td>{}<td>{} %<td>{}<td>{}</tr>",
                if p.good { "" } else { " class=missed" },
                plain(p.load),
                plain(p.throughput),
                ms(p, p.mean),
                ms(p, p.p50),
                ms(p, p.p99),
                short(p.errors * 100.0),
                p.server_cpu_us.map_or("–".into(), three),
                if p.good { "met" } else { "missed" }
            )
        })
        .collect();
    format!(
        "<h2>Load and capacity</h2><div class=card>{said}</div><br>{}<br><div class=\"card scroll\"><table>\
         <tr><th>{}<th>answers/s<th>mean ms<th>p50 ms<th>p99 ms<th>errors<th>CPU µs<th>objectives</tr>{rows}</table></div>",
        grid(&plots),
        escape(&curve.unit)
    )
}

fn population_section(p: &PopulationReport) -> String {
    let row = |name: &str, l: &LatencyReport| {
        let cells: String = [l.mean, l.p50, l.p90, l.p95, l.p99, l.p999, l.max]
            .iter()
            .map(|ms| match l.count {
                0 => "<td>–".to_owned(),
                _ => format!("<td>{}", three(*ms)),
            })
            .collect();
        format!("<tr><td>{}{cells}</tr>", escape(name))
    };
    let mut rows =
        row("response", &p.response) + &row("wire", &p.wire) + &row("lateness", &p.lateness);
    if p.connect.count > 0 {
        rows += &row("connect", &p.connect);
    }
    rows.extend(p.steps.iter().map(|s| row(&s.name, &s.response)));
    let failures: String = p
        .failures
        .iter()
        .filter(|f| *f.1 > 0)
        .map(|(kind, n)| format!("; {}: {n}", escape(kind)))
        .collect();
    let held = match p.held {
        0 => String::new(),
        n => format!("; {n} waited for the bound on outstanding requests"),
    };
    let wire = match p.wire_end.as_str() {
        "" => String::new(),
        end => format!("<p class=soft>wire ends at {}</p>", escape(end)),
    };
    format!(
        "<h2>{}</h2><div class=\"card scroll\"><p>{} sent = {} answered + {} failed + {} outstanding; {} failed a check{failures}{held}</p>\
         <table><tr><th>ms<th>mean<th>p50<th>p90<th>p95<th>p99<th>p99.9<th>max</tr>{rows}</table>{wire}</div>",
        escape(&p.name),
        p.sent,
        p.answered,
        p.failed,
        p.outstanding,
        p.checks_failed
    )
}

/// MB/s in and out of a server's namespace; empty if unknown.
fn network(server: &Server, seconds: f64) -> String {
    let a_second = |bytes: u64| short(bytes as f64 / 1e6 / seconds);
    match server.network_in + server.network_out {
        0 => "–".to_owned(),
        _ => format!(
            "{} / {}",
            a_second(server.network_in),
            a_second(server.network_out)
        ),
    }
}

fn cpu_section(report: &LoadReport) -> String {
    let d = &report.driver;
    let seconds = report.measured_s.max(1e-9);
    let mut rows = format!(
        "<tr><td>driver ({})<td>{}<td>{} %<td>–<td>–<td>–<td>–<td>–</tr>",
        match d.threads {
            1 => "1 thread".to_owned(),
            n => format!("{n} threads"),
        },
        short(d.cpu_us),
        short(d.cpu_s / seconds * 100.0)
    );
    // A figure that an endpoint does not report is not zero.
    let or_dash = |v: f64| if v > 0.0 { short(v) } else { "–".to_owned() };
    for s in &report.servers {
        rows += &format!(
            "<tr><td>{}<td>{}<td>{} %<td>{}<td>{}<td>{}<td>{}<td>{}</tr>",
            escape(&s.subject),
            short(s.cpu_us),
            short(s.cpu_percent),
            or_dash(s.user_s),
            or_dash(s.system_s),
            or_dash(s.switches),
            short(s.resident_bytes as f64 / 1e6),
            network(s, seconds)
        );
        for t in s.threads.iter().filter(|t| t.percent >= 1.0) {
            rows += &format!(
                "<tr><td class=soft>&emsp;{}<td>{}<td>{} % of it<td><td><td><td><td></tr>",
                escape(&t.name),
                short(t.cpu_us),
                short(t.percent)
            );
        }
        for (name, each) in &s.counters {
            rows += &format!(
                "<tr><td class=soft>&emsp;{}, each answer<td>{}<td><td><td><td><td><td></tr>",
                escape(name),
                short(*each)
            );
        }
    }
    let mut notes = String::new();
    if let Some(cpu) = &report.server_cpu {
        let cpu_notes = cpu.notes();
        if !cpu_notes.is_empty() {
            rows += &format!(
                "<tr><td><b>servers, every process once</b><td>{}<td>{} %<td><td><td><td><td></tr>",
                short(cpu.us),
                short(cpu.percent)
            );
        }
        notes.extend(
            cpu_notes
                .iter()
                .map(|n| format!("<p class=soft>{}</p>", escape(n))),
        );
    }
    format!(
        "<h2>CPU at {} answers/s</h2><div class=\"card scroll\"><table><tr><th>who<th>µs per answer<th>of a processor\
         <th>user s<th>system s<th>switches<th>MB<th>net in / out, MB/s</tr>{rows}</table>{notes}</div>",
        short(report.throughput)
    )
}

pub(super) const WORDS: &str = "<h2>Terms</h2><div class=card><dl>\
<dt>response</dt><dd>From the intended start of the request to the last byte of its answer: what a user sees, \
including delays of the server and of the driver.</dd>\
<dt>wire</dt><dd>From the request's first byte out to the answer's last byte in. In clear over HTTP/1.1 and raw sockets the end is \
the kernel's time stamp of the packet that brought the last byte; over TLS, HTTP/2 and APPC it is measured in user space, when the \
driver has read and decrypted that byte, and includes the driver's own delay.</dd>\
<dt>lateness</dt><dd>The delay of the request against the driver's own schedule. If it is not small compared with the \
response time, the driver influences the result.</dd>\
<dt>p99</dt><dd>99 % of the requests took at most this time.</dd>\
<dt>CPU per answer</dt><dd>Processor time divided by answers. It depends on the load, so the load is shown with it.</dd>\
<dt>switches, net</dt><dd>Context switches per answer; bytes in the network namespace of the processes, loopback included.</dd>\
<dt>knee</dt><dd>The load from which more load no longer means more answers.</dd></dl></div>";

#[cfg(test)]
mod tests {
    use super::super::svg::WIDE;
    use super::*;
    use crate::report::CurvePoint;

    #[test]
    fn every_percentile_under_the_pointer_has_its_own_name() {
        let mut histogram = crate::Histogram::default();
        (1..=100_000).for_each(|ns| histogram.record(ns * 1000));
        let latency = LatencyReport::of(&histogram);
        let svg = percentile_plot(&[("response", latency.curve)]).svg();
        let heads = svg.split("<g class=\"tip\">").skip(1);
        let head = |tip: &str| {
            tip.split(['>', '<'])
                .find(|t| t.ends_with("faster"))
                .map(str::to_owned)
        };
        let heads: Vec<String> = heads.filter_map(head).collect();
        let wide = &heads[..heads.len().min(WIDE.places)];
        assert_eq!(wide.len(), WIDE.places, "{heads:?}");
        let mut once = wide.to_vec();
        once.dedup();
        assert_eq!(once, wide);
        for (rarity, name) in [
            (1.0, "0 %"),
            (2.0, "50 %"),
            (10.0, "90 %"),
            (40.0, "97.5 %"),
            (100.0, "99 %"),
            (2000.0, "99.95 %"),
            (1e5, "99.999 %"),
        ] {
            assert_eq!(quantile(rarity), format!("{name} are faster"));
        }
    }

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
        let shown = curve_tiles(&curve);
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
