//! `tupelo drive knee` and `tupelo drive compare`.

use super::interrupt::{stop_on_interrupt, unless};
use super::load::{record, watched};
use super::output::{judgeable, write};
use super::print::{errln, outln};
use super::{CliError, CompareArgs, KneeArgs, LoadArgs, failed};
use crate::capacity::{CapacitySearch, run_seconds, search, spelled, unit};
use crate::engine::RunError;
use crate::objective::Objective;
use measure::report::{ComparisonRow, CurvePoint, LoadReport, RunComparison, text};
use measure::stats::{SampleComparison, SampleStatistics, centres, compare};
use serde::Serialize;
use std::cell::RefCell;
use std::sync::atomic::Ordering;

/// Searches for the knee. Returns `true` if at least one load met the objectives.
pub(super) fn knee(args: &KneeArgs) -> Result<bool, CliError> {
    let known = ["--title", "--csv", "--html", "--listen", "--objective"];
    args.output.only("knee", &known)?;
    let mut objectives = args.output.parsed_objectives()?;
    let observing = args.observe.any();
    let one_line = args.load.scenario.is_none();
    let load = if one_line && args.load.how.rate.is_none() && !args.clients_mode {
        args.load.as_rate(args.from)
    } else {
        args.load.clone()
    };
    let stop = stop_on_interrupt();
    let scenario = unless(&stop, move || load.scenario(observing))??;
    judgeable(&objectives, observing || !scenario.observed.is_empty())?;
    objectives.extend(scenario.objectives);
    if objectives.is_empty() {
        for usual in ["p99<20ms", "errors=0"] {
            objectives.push(Objective::parse(usual).map_err(failed)?);
        }
    }
    let [variant] = &scenario.variants[..] else {
        return Err(CliError::Usage(
            "the knee search needs one combination; remove the loop from the scenario".into(),
        ));
    };
    let plan = variant.plan.clone();
    let wanted = CapacitySearch {
        from: args.from,
        to: args.to,
        steps: args.steps,
        repeats: args.repeats,
        precision: args.precision / 100.0,
        ..CapacitySearch::default()
    };
    if !(wanted.from > 0.0 && wanted.to.is_none_or(|to| to > wanted.from)) {
        return Err(CliError::Usage(
            "--from must be above 0, and --to above --from".into(),
        ));
    }
    let observed = watched(&args.observe, scenario.observed, &stop)?;
    args.output.check(false)?;
    let quiet = args.output.json || args.output.quiet;
    let unit = unit(&plan);
    if !quiet {
        errln!("{}", wanted.duration(&plan));
    }
    let on_level = &mut |point: &CurvePoint| {
        if !quiet {
            let word = if point.good { "met" } else { "missed" };
            let p99 = match point.time(point.p99) {
                Some(ms) => format!("p99 {ms:.3} ms"),
                None => "no request answered".to_owned(),
            };
            errln!(
                "{:.0} {unit}: {:.1} answers/s, {p99}, {word}",
                point.load,
                point.throughput
            );
        }
    };
    let mut silent = args.output.clone();
    silent.quiet = true;
    // An error ends the search; the loads tried before it are reported.
    let trouble = RefCell::new(None);
    let run = &mut |plan: &crate::plan::RunPlan| {
        record(plan, &observed, &silent, &stop).map_err(|error| {
            if !matches!(error, CliError::Interrupted) {
                trouble.replace(Some(error));
            }
            RunError::NotBegun
        })
    };
    let found = search(&plan, &wanted, &objectives, run, on_level, &|| {
        stop.load(Ordering::Relaxed) || trouble.borrow().is_some()
    });
    let found = match found {
        Err(RunError::NotBegun) => {
            return Err(trouble.take().unwrap_or(CliError::Interrupted));
        }
        found => found.map_err(failed)?,
    };
    args.output.write_report(&found.report)?;
    args.output.print_json(&found.report)?;
    if !args.output.json {
        super::print::out(format_args!("{}", text(&found.report)));
    }
    match trouble.into_inner() {
        Some(error) => Err(error),
        None => Ok(found.curve.highest_good.is_some()),
    }
}

/// One figure of a comparison.
#[derive(Serialize)]
struct ComparedFigure {
    name: &'static str,
    unit: &'static str,
    a: SampleStatistics,
    b: SampleStatistics,
    /// The compared means: geometric means, or plain ones for counts.
    compared: [f64; 2],
    #[serde(flatten)]
    comparison: Option<SampleComparison>,
    worse: bool,
}

/// Runs A and B alternately. Returns `false` if B is significantly worse.
pub(super) fn compare_two(args: &CompareArgs) -> Result<bool, CliError> {
    args.output.only("compare", &["--html", "--listen"])?;
    args.output.check(false)?;
    let stop = stop_on_interrupt();
    let observing = args.observe.any();
    let plan = |target: &str| -> Result<crate::plan::RunPlan, CliError> {
        let from_file = target.ends_with(".toml");
        let load = LoadArgs {
            url: (!from_file).then(|| target.to_owned()),
            scenario: from_file.then(|| target.into()),
            how: args.how.clone(),
        };
        let mut variants = unless(&stop, move || load.scenario(observing))??.variants;
        match variants.len() {
            1 => Ok(variants.remove(0).plan),
            _ => Err(CliError::Usage(format!(
                "{target}: a comparison needs one combination; remove the loop"
            ))),
        }
    };
    let plans = [plan(&args.a)?, plan(&args.b)?];
    let observed = watched(&args.observe, Vec::new(), &stop)?;
    let mut silent = args.output.clone();
    silent.quiet = true;
    let mut reports: [Vec<LoadReport>; 2] = [Vec::new(), Vec::new()];
    if !args.output.json && !args.output.quiet {
        let runs = args.rounds.max(2);
        let round_s = plans.iter().filter_map(run_seconds).sum::<f64>();
        errln!(
            "{runs} rounds of A and B: about {}",
            spelled(round_s * runs as f64)
        );
    }
    'rounds: for round in 0..args.rounds.max(2) {
        // The order changes from round to round, so that a drift of the
        // machine does not show as a difference.
        for side in [round % 2, 1 - round % 2] {
            let recording = match record(&plans[side], &observed, &silent, &stop) {
                Err(CliError::Interrupted) => break 'rounds,
                recording => recording?,
            };
            if stop.load(Ordering::Relaxed) {
                // An interrupted run is not comparable to the
                // others.
                break 'rounds;
            }
            reports[side].push(recording.report);
        }
    }
    let rounds = reports[0].len().min(reports[1].len());
    if rounds == 0 {
        return Err(failed("interrupted before both sides had run"));
    }
    reports.iter_mut().for_each(|side| side.truncate(rounds));
    let wanted = args.rounds.max(2);
    if rounds < wanted {
        errln!(
            "interrupted after {rounds} of {wanted} rounds; one round is too few for a comparison"
        );
    }
    let figures = figures(&reports, args.output.tolerance / 100.0);
    args.output.print_json(&figures)?;
    if let Some(path) = &args.output.html {
        let names = [args.a.clone(), args.b.clone()];
        write(path, page(names, reports, &figures).as_bytes())?;
    }
    if !args.output.json {
        outln!(
            "{:<14}{:>12}{:>12}{:>10}{:>22}{:>10}",
            "",
            "A",
            "B",
            "change",
            "95 % interval",
            "p"
        );
        for figure in &figures {
            print_figure(figure);
        }
    }
    Ok(figures.iter().all(|f| !f.worse))
}

fn figures(reports: &[Vec<LoadReport>; 2], tolerance: f64) -> Vec<ComparedFigure> {
    type Get = fn(&LoadReport) -> Option<f64>;
    let wanted: [(&str, &str, Get, bool); 5] = [
        ("answers/s", "1/s", |r| Some(r.throughput), true),
        ("p50", "ms", |r| Some(r.sum()?.response.p50), false),
        ("p99", "ms", |r| Some(r.sum()?.response.p99), false),
        (
            "errors",
            "",
            |r| Some((r.sum()?.failed + r.sum()?.checks_failed) as f64),
            false,
        ),
        ("server CPU", "µs", LoadReport::server_cpu_us, false),
    ];
    let mut figures = Vec::new();
    for (name, unit, get, more_is_better) in wanted {
        let values = |side: usize| -> Vec<f64> { reports[side].iter().filter_map(get).collect() };
        let (a, b) = (values(0), values(1));
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let comparison = compare(&a, &b);
        let compared = centres(&a, &b);
        let (a, b) = (SampleStatistics::of(&a), SampleStatistics::of(&b));
        let worse = comparison.is_some_and(|c| {
            let loss = if more_is_better { -c.change } else { c.change };
            c.p_value < 0.05 && loss > tolerance
        });
        let from_none = a.mean == 0.0 && b.mean > 0.0 && !more_is_better;
        figures.push(ComparedFigure {
            name,
            unit,
            a,
            b,
            compared,
            comparison,
            worse: worse || from_none,
        });
    }
    figures
}

fn print_figure(figure: &ComparedFigure) {
    let ComparedFigure {
        name,
        unit,
        compared: [a, b],
        comparison,
        worse,
        ..
    } = figure;
    let label = format!("{name} {unit}");
    let Some(c) = comparison else {
        return outln!("{label:<14}{a:>12.3}{b:>12.3}");
    };
    let interval = format!(
        "{:+.1} % to {:+.1} %",
        c.interval.0 * 100.0,
        c.interval.1 * 100.0
    );
    let verdict = verdict(*worse, c);
    outln!(
        "{label:<14}{a:>12.3}{b:>12.3}{:>9.1}%{interval:>22}{:>10.4}  {verdict}",
        c.change * 100.0,
        c.p_value
    );
}

fn verdict(worse: bool, comparison: &SampleComparison) -> &'static str {
    match (worse, comparison.p_value < 0.05) {
        (true, _) => "B is worse",
        (false, true) => "a significant difference",
        (false, false) => "no significant difference",
    }
}

/// The comparison as a page.
fn page(names: [String; 2], runs: [Vec<LoadReport>; 2], figures: &[ComparedFigure]) -> String {
    let row = |figure: &ComparedFigure| ComparisonRow {
        name: format!("{} {}", figure.name, figure.unit).trim().to_owned(),
        means: figure.compared,
        change: figure.comparison.map(|c| (c.change, c.interval, c.p_value)),
        verdict: match &figure.comparison {
            Some(comparison) => verdict(figure.worse, comparison).into(),
            None if figure.worse => "B is worse".into(),
            None => "no significant difference".into(),
        },
        worse: figure.worse,
    };
    let rows = figures.iter().map(row).collect();
    RunComparison { names, runs, rows }.html()
}
