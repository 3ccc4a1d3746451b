//! A single run, and the parts that it shares with the runs of a loop.

use super::interrupt::{stop_on_interrupt, unless};
use super::output::judgeable;
use super::print::errln;
use super::{CliError, LoadArgs, ObserveArgs, OutputArgs, failed, matrix};
use crate::clock;
use crate::engine::RunError;
use crate::export::MetricsExporter;
use crate::live::LiveView;
use crate::objective::Objective;
use crate::observe::{ObservationPanel, ObservedServer};
use crate::plan::RunPlan;
use crate::preflight;
use crate::scenario::ScenarioVariant;
use crate::session::{IntervalViewer, Session, SessionResult};
use measure::report::LoadReport;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs the load of the arguments. Returns `true` if every objective was met.
pub(super) fn run(
    load: &LoadArgs,
    observe: &ObserveArgs,
    output: &OutputArgs,
) -> Result<bool, CliError> {
    let mut objectives = output.parsed_objectives()?;
    let stop = stop_on_interrupt();
    let scenario = {
        let (load, observing) = (load.clone(), observe.any());
        unless(&stop, move || load.scenario(observing))??
    };
    judgeable(&objectives, observe.any() || !scenario.observed.is_empty())?;
    objectives.extend(scenario.objectives);
    let observed = watched(observe, scenario.observed, &stop)?;
    let looped = scenario.variants.iter().any(|v| !v.values.is_empty());
    output.check(looped)?;
    let mut all = RunContext {
        observed: &observed,
        objectives: &objectives,
        output,
        stop: &stop,
        met: true,
    };
    if looped {
        matrix::run(&scenario.variants, &mut all)
    } else {
        for variant in &scenario.variants {
            let report = all.one(variant)?;
            output.print_json(&report)?;
        }
        Ok(all.met)
    }
}

/// Everything to sample; each server is tried once.
pub(super) fn watched(
    observe: &ObserveArgs,
    asked: Vec<ObservedServer>,
    stop: &AtomicBool,
) -> Result<Vec<ObservedServer>, CliError> {
    let observe = observe.clone();
    let observed = unless(stop, move || observe.observed(asked))??;
    if let Some(line) = ObservationPanel::new(observed.clone()).counted() {
        errln!("{line}");
    }
    Ok(observed)
}

/// The parts that all runs of one command share.
pub(super) struct RunContext<'a> {
    observed: &'a [ObservedServer],
    objectives: &'a [Objective],
    /// Where results go.
    pub output: &'a OutputArgs,
    /// The stop flag.
    pub stop: &'a AtomicBool,
    /// Whether all objectives were met so far.
    pub met: bool,
}

impl RunContext<'_> {
    /// Executes one run: its text, its files and its judgement.
    pub fn one(&mut self, variant: &ScenarioVariant) -> Result<LoadReport, CliError> {
        let recording = record(&variant.plan, self.observed, self.output, self.stop)?;
        // Text first: a full disk must not lose the result.
        self.met &= self.output.judge(&recording.report, self.objectives)?;
        self.met &= worked(&recording.report);
        self.output.write_log(&recording, &variant.name)?;
        if variant.values.is_empty() {
            self.output.write_report(&recording.report)?;
        }
        Ok(recording.report)
    }
}

/// Whether a run was successful. It was not if no request was answered, if most
/// answers are errors, or if the target stopped answering before the end.
fn worked(report: &LoadReport) -> bool {
    if report.populations.iter().all(|p| p.answered == 0) {
        errln!("error: no request was answered");
        return false;
    }
    let Some(sum) = report.sum() else {
        return true;
    };
    if let Some(silent) = report.silent_s() {
        let whole = report.measured_s;
        errln!("error: no request was answered in the last {silent:.1} of {whole:.1} s");
        return false;
    }
    let ended = sum.answered + sum.failed;
    let wrong = sum.failed + sum.checks_failed;
    let mostly = wrong * 2 > ended;
    if mostly {
        let classes: Vec<String> = sum.status.iter().map(|(k, n)| format!("{k} {n}")).collect();
        let status = if classes.is_empty() {
            String::new()
        } else {
            format!(" (status {})", classes.join(", "))
        };
        errln!(
            "error: {wrong} of {ended} requests ended in errors{status}, so the figures describe errors; --any-status accepts every status"
        );
    }
    !mostly
}

/// Executes one run with its live view and exporter.
pub(super) fn record(
    plan: &RunPlan,
    observed: &[ObservedServer],
    output: &OutputArgs,
    stop: &AtomicBool,
) -> Result<SessionResult, CliError> {
    let mut prepared = plan.clone();
    let (plan, notes) = unless(stop, move || {
        let notes = preflight::prepare(&mut prepared);
        (prepared, notes)
    })?;
    let plan = &plan;
    let notes = notes.map_err(|foreseen| {
        let lines: Vec<String> = foreseen.iter().map(ToString::to_string).collect();
        failed(lines.join("\n       "))
    })?;
    let seconds = plan.length_ns().map(|ns| ns as f64 / 1e9);
    let mut live = LiveView::new(seconds, !observed.is_empty(), output.quiet || output.json);
    let names = plan.populations.iter().map(|p| p.name.clone()).collect();
    let mut exporter = match output.listen {
        Some(address) => Some(
            MetricsExporter::start(address, names)
                .map_err(|e| failed(format!("{address}: {e}")))?,
        ),
        None => None,
    };
    let mut viewers: Vec<&mut dyn IntervalViewer> = vec![&mut live];
    if let Some(exporter) = &mut exporter {
        viewers.push(exporter);
    }
    let session = Session {
        plan,
        observed,
        viewers,
    };
    if !(output.quiet || output.json) {
        announce(plan);
    }
    let recording = session.run(stop).map_err(|error| match error {
        RunError::NotBegun => CliError::Interrupted,
        error => failed(error),
    });
    live.clear();
    let mut recording = recording?;
    let report = &mut recording.report;
    if let Some(title) = &output.title {
        report.title.clone_from(title);
    }
    let planned = plan.duration_ns.map_or(f64::INFINITY, |ns| ns as f64 / 1e9);
    // A run that ended by itself was not interrupted.
    if stop.load(Ordering::Relaxed) && report.measured_s < planned * 0.999 {
        report.warnings.insert(
            0,
            format!(
                "Interrupted: the figures cover the {:.1} s measured so far.",
                report.measured_s
            ),
        );
    }
    report.warnings.extend(notes);
    Ok(recording)
}

/// Prints the start time if the run has to wait for its common start.
fn announce(plan: &RunPlan) {
    let ahead = |at: u64| at.saturating_sub(clock::wall()) / 1_000_000_000;
    if let Some((at, seconds)) = plan.start_at.map(|at| (at, ahead(at)))
        && seconds > 0
    {
        let at = crate::summary::rfc3339(at);
        errln!("the run starts at {at}, in {seconds} s; Ctrl-C cancels it");
    }
}
