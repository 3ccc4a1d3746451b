//! A single run, or the runs of a scenario's matrix.

use super::{CliError, LoadArgs, ObserveArgs, OutputArgs, failed, stop_on_interrupt};
use crate::export::Exporter;
use crate::live::Live;
use crate::observe::Observed;
use crate::plan::Plan;
use crate::preflight;
use crate::session::{Recording, Session, Viewer};
use std::sync::atomic::AtomicBool;

/// Runs what the arguments ask for; true when every objective was met.
pub(super) fn run(
    load: &LoadArgs,
    observe: &ObserveArgs,
    output: &OutputArgs,
) -> Result<bool, CliError> {
    let mut objectives = output.parsed_objectives()?;
    let scenario = load.scenario()?;
    objectives.extend(scenario.objectives);
    let observed = observe.observed(scenario.observed)?;
    let variants = scenario.variants;
    let stop = stop_on_interrupt();
    let mut reports = Vec::new();
    let mut met = true;
    for variant in &variants {
        if !variant.name.is_empty() && !output.json {
            println!("== {}", variant.name);
        }
        let recording = record(&variant.plan, &observed, output, &stop)?;
        output.write_files(&recording, &variant.name)?;
        met &= output.judge(&recording.report, &objectives)?;
        reports.push(recording.report);
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
    }
    if output.json {
        let json = match &reports[..] {
            [one] => serde_json::to_string_pretty(one),
            all => serde_json::to_string_pretty(all),
        };
        println!("{}", json.map_err(failed)?);
    } else if reports.len() > 1 {
        print!("{}", super::matrix::table(&variants, &reports));
    }
    Ok(met)
}

/// One run with its live view and exporter.
pub(super) fn record(
    plan: &Plan,
    observed: &[Observed],
    output: &OutputArgs,
    stop: &AtomicBool,
) -> Result<Recording, CliError> {
    let foreseen = preflight::check(plan);
    if !foreseen.is_empty() {
        let lines: Vec<String> = foreseen.iter().map(ToString::to_string).collect();
        return Err(failed(lines.join("\n       ")));
    }
    let seconds = plan.length_ns().map(|ns| ns as f64 / 1e9);
    let mut live = Live::new(seconds, output.quiet || output.json);
    let names = plan.populations.iter().map(|p| p.name.clone()).collect();
    let mut exporter = match output.listen {
        Some(address) => {
            Some(Exporter::start(address, names).map_err(|e| failed(format!("{address}: {e}")))?)
        }
        None => None,
    };
    let mut viewers: Vec<&mut dyn Viewer> = vec![&mut live];
    if let Some(exporter) = &mut exporter {
        viewers.push(exporter);
    }
    let session = Session {
        plan,
        observed,
        viewers,
    };
    let recording = session.run(stop).map_err(failed);
    live.clear();
    recording
}
