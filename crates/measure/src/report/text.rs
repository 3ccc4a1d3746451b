//! The report as text: first the verdict and warnings, then the figures.

use super::cost::ServerCpu;
use super::model::{LatencyReport, LoadCurve, LoadReport, PopulationReport, ReportInterval};
use super::verdict::{bars, sparkline, tip, verdict};
use crate::knee::{KneeVerdict, before_collapse};
use std::fmt::Write;

/// The report as text.
pub fn text(report: &LoadReport) -> String {
    let mut out = String::new();
    write_text(report, &mut out).expect("writing to a string does not fail");
    out
}

fn write_text(report: &LoadReport, out: &mut String) -> std::fmt::Result {
    writeln!(out, "{}", report.title)?;
    writeln!(
        out,
        "{}; {:.1} s measured after {:.1} s of warm-up, from {}",
        report.load, report.measured_s, report.warmup_s, report.started
    )?;
    if let Some(verdict) = verdict(report) {
        writeln!(out, "{verdict}")?;
    }
    if let Some(tip) = tip(report) {
        writeln!(out, "{tip}")?;
    }
    for warning in &report.warnings {
        writeln!(out, "! {warning}")?;
    }
    for population in &report.populations {
        write_population(population, out)?;
    }
    if let Some(sum) = report.sum() {
        let bars = bars(&sum.response);
        if !bars.is_empty() {
            write!(out, "\nResponse times\n{bars}")?;
        }
    }
    write_timeline(&report.timeline, out)?;
    if !report.messages.is_empty() {
        let warmup = if report.warmup_s > 0.0 {
            ", warm-up included"
        } else {
            ""
        };
        writeln!(out, "\nMessages of the whole run{warmup}")?;
    }
    for (text, count) in &report.messages {
        writeln!(out, "  {count} × {text}")?;
    }
    write_cpu(report, out)?;
    if let Some(curve) = &report.curve {
        write_curve(curve, out)?;
    }
    Ok(())
}

/// Answers and response times over time, as lines of block characters.
fn write_timeline(timeline: &[ReportInterval], out: &mut String) -> std::fmt::Result {
    if timeline.len() < 4 {
        return Ok(());
    }
    // Long runs: several intervals share a block, which shows the worst of
    // them.
    let each = timeline.len().div_ceil(WIDEST_LINE);
    let last = timeline.last().map_or(0.0, |m| m.at_s);
    writeln!(
        out,
        "\nOver {last:.0} s, {:.1} s a block",
        last * each as f64 / timeline.len() as f64
    )?;
    let mean = |group: &[ReportInterval]| {
        group.iter().map(|m| m.answered_s).sum::<f64>() / group.len() as f64
    };
    let rates = timeline.chunks(each).map(mean);
    let highest = rates.clone().fold(0.0, f64::max);
    writeln!(out, "  answers/s  {}  most {highest:.0}", sparkline(rates))?;
    let worst = |group: &[ReportInterval]| group.iter().map(|m| m.p99).fold(0.0, f64::max);
    let times = timeline.chunks(each).map(worst);
    let longest = times.clone().fold(0.0, f64::max);
    writeln!(
        out,
        "  p99        {}  most {longest:.3} ms",
        sparkline(times)
    )
}

fn write_population(p: &PopulationReport, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\n{}: {:.1} answers/s", p.name, p.throughput)?;
    write!(
        out,
        "  {} sent = {} answered + {} failed + {} outstanding",
        p.sent, p.answered, p.failed, p.outstanding
    )?;
    let counts = [
        (p.checks_failed, "failed a check"),
        (p.held, "waited for the bound on outstanding requests"),
        (p.unsent, "due but never started"),
    ];
    for (count, what) in counts {
        if count > 0 {
            write!(out, "; {count} {what}")?;
        }
    }
    writeln!(out)?;
    for (kind, count) in p.failures.iter().filter(|f| *f.1 > 0) {
        writeln!(out, "  failed, {kind}: {count}")?;
    }
    if !p.status.is_empty() {
        let classes: Vec<String> = p.status.iter().map(|(k, n)| format!("{k} {n}")).collect();
        writeln!(out, "  status: {}", classes.join(", "))?;
    }
    let names = p.steps.iter().map(|s| s.name.chars().count() + 1);
    let width = names.max().unwrap_or(0).clamp(12, WIDEST_NAME);
    writeln!(
        out,
        "  {:.2} MB/s in, {:.2} MB/s out",
        p.bytes_in_s / 1e6,
        p.bytes_out_s / 1e6
    )?;
    writeln!(
        out,
        "  {:<width$}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
        "ms", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"
    )?;
    write_latency("response", width, &p.response, out)?;
    write_latency("wire", width, &p.wire, out)?;
    write_latency("lateness", width, &p.lateness, out)?;
    if p.wire.count > 0 && !p.wire_end.is_empty() {
        writeln!(out, "  wire ends at {}", p.wire_end)?;
    }
    if p.connect.count > 0 {
        write_latency("connect", width, &p.connect, out)?;
    }
    for step in &p.steps {
        write_latency(&step.name, width, &step.response, out)?;
        if step.errors > 0 {
            writeln!(out, "  {:<width$}{} errors", "", step.errors)?;
        }
    }
    if let Some(variation) = p.gap_variation {
        writeln!(
            out,
            "  gaps between sends: coefficient of variation {variation:.3}"
        )?;
    }
    Ok(())
}

fn write_latency(
    name: &str,
    width: usize,
    l: &LatencyReport,
    out: &mut String,
) -> std::fmt::Result {
    write!(out, "  {name:<width$}")?;
    for ms in [l.mean, l.p50, l.p90, l.p95, l.p99, l.p999, l.max] {
        match l.count {
            0 => write!(out, "{:>9}", "-")?,
            _ if ms >= 10_000.0 => write!(out, "{ms:>9.0}")?,
            _ => write!(out, "{ms:>9.3}")?,
        }
    }
    writeln!(out)
}

fn write_cpu(report: &LoadReport, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\nCPU at {:.0} answers/s", report.throughput)?;
    let d = &report.driver;
    writeln!(
        out,
        "  driver: {} µs per answer, {} thread{}, busiest {:.0} % of a processor, {:.0} % spinning",
        if report.throughput > 0.0 {
            format!("{:.2}", d.cpu_us)
        } else {
            "-".to_owned()
        },
        d.threads,
        if d.threads == 1 { "" } else { "s" },
        d.busiest_percent,
        d.spin_percent
    )?;
    for server in &report.servers {
        write!(
            out,
            "  {}: {:.2} µs per answer ({:.0} % of a processor",
            server.subject, server.cpu_us, server.cpu_percent
        )?;
        // A remote server does not report the two separately.
        if server.user_s + server.system_s > 0.0 {
            write!(
                out,
                "; user {:.2} s, system {:.2} s), {:.2} switches per answer",
                server.user_s, server.system_s, server.switches
            )?;
        } else {
            write!(out, ")")?;
        }
        write!(out, ", {:.1} MB", server.resident_bytes as f64 / 1e6)?;
        writeln!(out)?;
        // The kernel counts them for a network namespace, not for a
        // process.
        if server.network_in + server.network_out > 0 {
            let a_second = |bytes: u64| bytes as f64 / 1e6 / report.measured_s.max(1e-9);
            writeln!(
                out,
                "    all interfaces: {:.2} MB/s in, {:.2} MB/s out",
                a_second(server.network_in),
                a_second(server.network_out)
            )?;
        }
        for thread in server.threads.iter().filter(|t| t.percent >= 1.0) {
            writeln!(
                out,
                "    {:<20}{:>10.2} µs per answer{:>7.1} %",
                thread.name, thread.cpu_us, thread.percent
            )?;
        }
        for (name, each) in &server.counters {
            writeln!(out, "    {name:<32}{each:>10.2} per answer")?;
        }
    }
    report
        .server_cpu
        .as_ref()
        .map_or(Ok(()), |cpu| write_servers_cpu(cpu, out))
}

/// The CPU of all servers together, where its figure needs an explanation.
fn write_servers_cpu(cpu: &ServerCpu, out: &mut String) -> std::fmt::Result {
    let notes = cpu.notes();
    if !notes.is_empty() {
        writeln!(
            out,
            "  servers: {:.2} µs per answer ({:.0} % of a processor)",
            cpu.us, cpu.percent
        )?;
    }
    notes
        .iter()
        .try_for_each(|note| writeln!(out, "    {note}"))
}

fn write_curve(curve: &LoadCurve, out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "\n{:>12}{:>12}{:>10}{:>10}{:>10}{:>10}{:>9}{:>12}  objectives",
        curve.unit, "answers/s", "±", "mean ms", "p50 ms", "p99 ms", "errors", "CPU µs"
    )?;
    for p in &curve.points {
        let cpu = p.server_cpu_us.map_or("-".into(), |us| format!("{us:.1}"));
        let ms = |v: f64| {
            let time = p.time(v);
            time.map_or("-".to_owned(), |v| format!("{v:.3}"))
        };
        writeln!(
            out,
            "{:>12.0}{:>12.1}{:>10.1}{:>10}{:>10}{:>10}{:>8.2}%{:>12}  {}",
            p.load,
            p.throughput,
            if p.throughput_half.is_finite() {
                p.throughput_half
            } else {
                0.0
            },
            ms(p.mean),
            ms(p.p50),
            ms(p.p99),
            p.errors * 100.0,
            cpu,
            if p.good { "met" } else { "missed" }
        )?;
    }
    for line in conclusions(curve) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Number of blocks in a line over time.
const WIDEST_LINE: usize = 50;
/// Longer step names move their figures to the right.
const WIDEST_NAME: usize = 48;

/// The loads between which throughput collapses.
fn collapse(curve: &LoadCurve) -> String {
    let points: Vec<(f64, f64)> = curve
        .points
        .iter()
        .map(|p| (p.load, p.throughput))
        .collect();
    let kept = before_collapse(&points);
    let unit = &curve.unit;
    match (kept.last(), points.get(kept.len())) {
        (Some(good), Some(fallen)) => format!(
            "Collapse between {:.0} and {:.0} {unit}: throughput follows the load to {:.0} answers/s and is {:.0} beyond.",
            good.0, fallen.0, good.1, fallen.1
        ),
        _ => "Throughput falls beyond its maximum.".into(),
    }
}

/// The law fitted to a curve with a knee. Without a knee its parameters would be
/// determined by noise.
fn law(curve: &LoadCurve) -> Option<String> {
    let law = curve
        .scalability
        .filter(|_| curve.verdict == KneeVerdict::Found)?;
    if !law.describes() {
        return Some(format!(
            "The Universal Scalability Law does not describe this system (R² {:.2}).",
            law.r_squared
        ));
    }
    let unit = &curve.unit;
    let last = curve.points.iter().map(|p| p.load).fold(0.0, f64::max);
    // The law is not valid beyond the tried loads.
    let peak = match law.peak.filter(|peak| *peak <= last) {
        Some(peak) => format!(
            "; by this law the throughput is greatest at {peak:.0} {unit}, past the knee, and falls beyond"
        ),
        None => String::new(),
    };
    Some(format!(
        "Universal Scalability Law: {:.1} ± {:.1} answers/s per unit of load ({unit}) (λ), contention {:.4} ± {:.4} (σ), coherency {:.2e} ± {:.1e} (κ), R² {:.4}{peak}.",
        law.lambda,
        law.half_widths[0],
        law.sigma,
        law.half_widths[1],
        law.kappa,
        law.half_widths[2],
        law.r_squared
    ))
}

/// The conclusions from a curve, in sentences.
pub(super) fn conclusions(curve: &LoadCurve) -> Vec<String> {
    let unit = &curve.unit;
    let mut lines = Vec::new();
    if curve.interrupted {
        lines.push("The search was interrupted: the results cover the loads tried so far.".into());
    }
    match (curve.verdict, &curve.stick) {
        (KneeVerdict::Found, Some(s)) => lines.push(format!(
            "Knee at {:.0} {unit} (95 %: {:.0} to {:.0}), {:.0} answers/s there: beyond this load, throughput no longer grows in proportion.",
            s.knee, s.interval.0, s.interval.1, s.throughput
        )),
        (KneeVerdict::Unclear, Some(s)) => lines.push(format!(
            "No knee is reported: its interval, {:.0} to {:.0} {unit}, is too wide. Use more repetitions (--repeats) or a quieter machine.",
            s.interval.0, s.interval.1
        )),
        (KneeVerdict::NotReached, _) => lines.push(
            "No knee found: throughput follows the load to the last step. Try higher loads.".into(),
        ),
        (KneeVerdict::AlreadyBeyond, _) => lines.push(
            "No knee found: the first load is already beyond capacity. Try lower loads.".into(),
        ),
        (KneeVerdict::Collapses, _) => lines.push(collapse(curve)),
        _ => lines.push("No knee found: too few load levels.".into()),
    }
    lines.extend(law(curve));
    let objectives = &curve.objectives;
    lines.push(match (curve.highest_good, curve.lowest_bad) {
        (Some(good), Some(bad)) => {
            let mut line =
                format!("It meets {objectives} up to {good:.0} {unit}; at {bad:.0} it does not.");
            let again: Vec<String> = curve.met_again().map(|load| format!("{load:.0}")).collect();
            if !again.is_empty() {
                line += &format!(
                    " It met them again at {}: this machine shows no sharp limit; more repetitions (--repeats) narrow it.",
                    again.join(", ")
                );
            }
            line
        }
        (Some(good), None) => format!(
            "It meets {objectives} at every load tried, up to {good:.0} {unit}: the limit lies higher."
        ),
        (None, _) => match curve.met_after_the_lowest() {
            Some(met) => format!(
                "This machine shows no sharp limit: {met}. More repetitions (--repeats) narrow it."
            ),
            None => format!("No load tried met {objectives}."),
        },
    });
    if let Some(stuck) = &curve.unrecovered {
        lines.push(format!(
            "The system did not recover from {:.0} {unit}: {:.0} s later even the lowest load that had met the objectives missed them. The search ended there, so the limit is between the two loads above.",
            stuck.load, stuck.waited_s
        ));
    }
    if curve.collapse && curve.verdict != KneeVerdict::Collapses {
        lines
            .push("Beyond its peak, throughput falls: the system collapses under overload.".into());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knee::{broken_stick, scalability};
    use crate::report::CurvePoint;

    fn curve(throughput: impl Fn(f64) -> f64) -> LoadCurve {
        let point = |load: f64| CurvePoint {
            load,
            throughput: throughput(load),
            p99: 1.0,
            good: true,
            ..CurvePoint::default()
        };
        let points: Vec<CurvePoint> = (1..=10).map(|i| point(f64::from(i) * 100.0)).collect();
        let pairs: Vec<(f64, f64)> = points.iter().map(|p| (p.load, p.throughput)).collect();
        let (verdict, stick) = broken_stick(&pairs);
        LoadCurve {
            unit: "requests/s".into(),
            verdict,
            stick,
            scalability: scalability(&pairs),
            objectives: "errors=0".into(),
            highest_good: Some(1000.0),
            lowest_bad: None,
            collapse: false,
            interrupted: false,
            unrecovered: None,
            points,
        }
    }

    #[test]
    fn without_a_knee_no_fit_is_reported() {
        let lines = conclusions(&curve(|load| load)).join("\n");
        assert!(lines.contains("No knee found"), "{lines}");
        assert!(!lines.contains("Scalability"), "{lines}");
    }

    #[test]
    fn loads_that_met_the_objectives_above_a_lowest_that_missed_them_are_reported() {
        let mut curve = curve(|load| load);
        curve.points[0].good = false;
        curve.points[3].good = false;
        (curve.highest_good, curve.lowest_bad) = (None, Some(100.0));
        let lines = conclusions(&curve).join("\n");
        let expected = "the lowest load, 100 requests/s, missed errors=0, and 200, 300, 500, 600, \
                        700, 800, 900, 1000 met it";
        assert!(lines.contains(expected), "{lines}");
        assert!(!lines.contains("No load"), "{lines}");
        for point in &mut curve.points {
            point.good = false;
        }
        let lines = conclusions(&curve).join("\n");
        assert!(lines.contains("No load tried met errors=0."), "{lines}");
    }

    #[test]
    fn each_figure_of_a_knee_says_what_it_is_and_none_lies_beyond_the_loads() {
        let lines = conclusions(&curve(|load| load.min(486.0) + load / 50.0)).join("\n");
        assert!(lines.contains("Knee at "), "{lines}");
        assert!(
            lines.contains("throughput no longer grows in proportion"),
            "{lines}"
        );
        assert!(!lines.contains("greatest throughput at"), "{lines}");
    }
}
