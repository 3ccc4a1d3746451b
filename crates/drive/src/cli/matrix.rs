//! The table of a scenario's loop: one row a combination.

use crate::scenario::Variant;
use measure::report::Report;
use std::fmt::Write;

/// One row for each combination that ran.
pub(super) fn table(variants: &[Variant], reports: &[Report]) -> String {
    let width = variants
        .iter()
        .map(|v| v.name.len())
        .max()
        .unwrap_or(0)
        .max(4);
    let mut out = format!(
        "\n{:<width$}{:>12}{:>10}{:>10}{:>10}{:>9}{:>12}{:>8}\n",
        "loop", "answers/s", "mean ms", "p50 ms", "p99 ms", "errors", "CPU µs", "CPU %"
    );
    for (variant, report) in variants.iter().zip(reports) {
        let Some(sum) = report.sum() else { continue };
        let maybe = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.1}"));
        let percent = (!report.servers.is_empty())
            .then(|| report.servers.iter().map(|s| s.cpu_percent).sum::<f64>());
        let _ = writeln!(
            out,
            "{:<width$}{:>12.1}{:>10.3}{:>10.3}{:>10.3}{:>9}{:>12}{:>8}",
            variant.name,
            report.throughput,
            sum.response.mean,
            sum.response.p50,
            sum.response.p99,
            sum.failed + sum.checks_failed,
            maybe(report.server_cpu_us()),
            maybe(percent)
        );
    }
    out
}
