//! `--self-test`: shows that reports can be believed.

use super::say::say;
use super::{CliError, LoadArgs, OutputArgs, failed};
use crate::selftest;
use serde_json::json;

/// Runs the lengths one after another; true when every report told the truth.
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
            "--self-test has a load and a server of its own; {} does not go with it",
            given.join(", ")
        )));
    }
    let mut all = true;
    let mut rows = Vec::new();
    if !output.json {
        say!("A server stands still for 1 s while 500 requests/s are presented.");
        say!(
            "{:>6}{:>14}{:>14}{:>12}{:>12}",
            "run s",
            "true p99 ms",
            "told p99 ms",
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
                "true_p99": figures.true_p99_ms,
                "told_p99": figures.reported_p99_ms,
                "told_p50": figures.reported_p50_ms,
                "told_max": figures.reported_max_ms,
                "true_enough": figures.true_enough(),
            }));
        } else {
            say!(
                "{:>6}{:>14.0}{:>14.1}{:>12.3}{:>12.1}  {}",
                figures.seconds,
                figures.true_p99_ms,
                figures.reported_p99_ms,
                figures.reported_p50_ms,
                figures.reported_max_ms,
                if figures.true_enough() {
                    "true"
                } else {
                    "NOT TRUE"
                }
            );
        }
    }
    if output.json {
        say!("{}", json!(rows));
    }
    Ok(all)
}
