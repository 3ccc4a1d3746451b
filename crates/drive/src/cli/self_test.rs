//! `--self-test`: proves that reports are correct.

use super::print::outln;
use super::{CliError, LoadArgs, OutputArgs, failed};
use crate::selftest;
use serde_json::json;

/// Runs the lengths in sequence. Returns `true` if every report was correct.
pub(super) fn run(lengths: &[u64], load: &LoadArgs, output: &OutputArgs) -> Result<bool, CliError> {
    output.only("--self-test", &[])?;
    let named = [
        ("a URL", load.url.is_some()),
        ("--scenario", load.scenario.is_some()),
    ];
    let named = named.into_iter().filter(|n| n.1).map(|n| n.0);
    let given: Vec<&str> = named.chain(load.how.given()).collect();
    if !given.is_empty() {
        return Err(CliError::Usage(format!(
            "--self-test uses its own load and server; it cannot be combined with {}",
            given.join(", ")
        )));
    }
    let mut all = true;
    let mut rows = Vec::new();
    if !output.json {
        outln!("A server stops for 1 s while 500 requests/s are sent.");
        outln!(
            "{:>6}{:>14}{:>14}{:>12}{:>12}",
            "run s",
            "true p99 ms",
            "reported p99 ms",
            "p50 ms",
            "max ms"
        );
    }
    for seconds in lengths {
        let figures = selftest::run(*seconds).map_err(failed)?;
        all &= figures.true_enough();
        if output.json {
            rows.push(json!({
                "seconds": figures.seconds,
                "true_p99_ms": figures.true_p99_ms,
                "reported_p99_ms": figures.reported_p99_ms,
                "reported_p50_ms": figures.reported_p50_ms,
                "reported_max_ms": figures.reported_max_ms,
                "true_enough": figures.true_enough(),
            }));
        } else {
            outln!(
                "{:>6}{:>14.0}{:>14.1}{:>12.3}{:>12.1}  {}",
                figures.seconds,
                figures.true_p99_ms,
                figures.reported_p99_ms,
                figures.reported_p50_ms,
                figures.reported_max_ms,
                if figures.true_enough() {
                    "true"
                } else {
                    "WRONG"
                }
            );
        }
    }
    if output.json {
        outln!("{}", json!(rows));
    }
    Ok(all)
}
