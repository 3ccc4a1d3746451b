//! The search for the knee. Load is raised in steps with repetitions, and the
//! points are fitted. Bisection then finds the highest load that meets the
//! objectives. The result says so when no knee was found.

use crate::engine::RunError;
use crate::objective::Objective;
use crate::plan::{LoadModel, RunPlan};
use crate::session::SessionResult;
use measure::knee::{COLLAPSED, broken_stick, knee_before_collapse, scalability};
use measure::report::{CurvePoint, LatencyReport, LoadCurve, LoadReport, UnrecoveredLoad};
use measure::stats::SampleStatistics;
use std::time::{Duration, Instant};

/// The parameters of a search.
#[derive(Clone, Debug)]
pub struct CapacitySearch {
    /// The lowest load.
    pub from: f64,
    /// The highest load. `None` doubles the load until the objectives are
    /// missed.
    pub to: Option<f64>,
    /// Load levels from `from` to `to`, both included.
    pub steps: usize,
    /// Runs at each level.
    pub repeats: usize,
    /// Bisection stops when the limit is known to this fraction of itself.
    pub precision: f64,
    /// How long the system may take to recover from a load that was too high
    /// before a lower one is tried.
    pub recovery: Duration,
}

/// The result of a search.
pub struct SearchResult {
    /// The figures against load.
    pub curve: LoadCurve,
    /// The report of the highest load that met the objectives, or of the
    /// lowest load when none did.
    pub report: LoadReport,
}

impl Default for CapacitySearch {
    fn default() -> CapacitySearch {
        CapacitySearch {
            from: 100.0,
            to: None,
            steps: 10,
            repeats: 3,
            precision: 0.02,
            recovery: Duration::from_secs(30),
        }
    }
}

/// The unit in which a plan's load is counted.
pub fn unit(plan: &RunPlan) -> &'static str {
    let open = |p: &crate::plan::Population| matches!(p.load, LoadModel::Open { .. });
    if plan.populations.iter().any(open) {
        "requests/s"
    } else {
        "clients"
    }
}

/// The plan at another load: rates are scaled together, or clients when there
/// is not an open loop.
pub fn at_load(plan: &RunPlan, load: f64) -> RunPlan {
    let by_rate = unit(plan) == "requests/s";
    let total: f64 = plan
        .populations
        .iter()
        .map(|p| level(&p.load, by_rate))
        .sum();
    let factor = load / total.max(1e-9);
    let mut scaled = plan.clone();
    for population in &mut scaled.populations {
        match &mut population.load {
            LoadModel::Open { rate, .. } if by_rate => *rate = rate.scaled(factor),
            LoadModel::Closed { clients, .. } if !by_rate => *clients = clients.scaled(factor),
            _ => {}
        }
    }
    scaled.threads = scaled
        .threads
        .max(crate::load::default_threads(&scaled.populations));
    scaled
}

fn level(load: &LoadModel, by_rate: bool) -> f64 {
    match load {
        LoadModel::Open { rate, .. } if by_rate => rate.peak(),
        LoadModel::Closed { clients, .. } if !by_rate => clients.peak(),
        _ => 0.0,
    }
}

/// Runs the search. `run` executes one plan. `on_level` is called after every
/// level. `stopped` ends the search with the levels tried so far.
pub fn search(
    plan: &RunPlan,
    search: &CapacitySearch,
    objectives: &[Objective],
    run: &mut dyn FnMut(&RunPlan) -> Result<SessionResult, RunError>,
    on_level: &mut dyn FnMut(&CurvePoint),
    stopped: &dyn Fn() -> bool,
) -> Result<SearchResult, RunError> {
    let mut state = SearchRun {
        plan,
        search,
        objectives,
        run,
        on_level,
        points: Vec::new(),
        best: None,
        stopped,
        last_bad: None,
        unrecovered: None,
    };
    match search.to {
        Some(to) => {
            let steps = search.steps.max(2);
            for i in 0..steps {
                let share = i as f64 / (steps - 1) as f64;
                if state.over() {
                    break;
                }
                state.try_load(search.from + (to - search.from) * share)?;
            }
        }
        None => {
            let mut load = search.from;
            let mut bad = 0;
            // Two levels beyond the limit show how the system behaves there.
            while bad < 2 && load < MOST && !state.over() {
                bad += usize::from(!state.try_load(load)?);
                load *= 2.0;
            }
            state.fill_gaps()?;
        }
    }
    while let Some((good, bad)) = state.bracket() {
        let whole = unit(plan) == "clients" && bad - good <= 1.0;
        if bad - good <= good * search.precision || whole || state.over() {
            break;
        }
        state.try_load((good + bad) / 2.0)?;
    }
    Ok(state.conclude())
}

impl CapacitySearch {
    /// The expected length of a search as text, for the line printed before it.
    pub fn duration(&self, plan: &RunPlan) -> String {
        let repeats = self.repeats.max(1);
        let Some(run_s) = run_seconds(plan) else {
            return format!(
                "each load is tried {repeats} times; how long a run takes depends on the server"
            );
        };
        let load_s = run_s * repeats as f64;
        let [least, most] = match self.to {
            Some(_) => [self.steps.max(2), self.steps.max(2) + NARROWING],
            None => SEARCHED,
        };
        format!(
            "each load takes {} ({repeats} × {run_s:.0} s); {least} to {most} loads are tried: about {} to {}",
            spelled(load_s),
            spelled(load_s * least as f64),
            spelled(load_s * most as f64)
        )
    }
}

/// Seconds of one run with its warm-up. Returns `None` for a run that ends after a
/// number of requests.
pub fn run_seconds(plan: &RunPlan) -> Option<f64> {
    Some((plan.duration_ns? + plan.warmup_ns) as f64 / 1e9)
}

/// A duration as text, for example `2 min`.
pub fn spelled(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{:.0} min", seconds / 60.0)
    }
}

/// The usual number of loads that bisection adds to evenly spaced ones.
const NARROWING: usize = 7;
/// The usual numbers of loads of a search without an upper bound.
const SEARCHED: [usize; 2] = [8, 22];

struct SearchRun<'a> {
    plan: &'a RunPlan,
    search: &'a CapacitySearch,
    objectives: &'a [Objective],
    run: &'a mut dyn FnMut(&RunPlan) -> Result<SessionResult, RunError>,
    on_level: &'a mut dyn FnMut(&CurvePoint),
    points: Vec<CurvePoint>,
    best: Option<(f64, bool, LoadReport)>,
    stopped: &'a dyn Fn() -> bool,
    /// The last load tried, when it missed the objectives.
    last_bad: Option<f64>,
    /// The load from which the system did not recover.
    unrecovered: Option<f64>,
}

impl SearchRun<'_> {
    /// Whether no further load is to be tried.
    fn over(&self) -> bool {
        (self.stopped)() || self.unrecovered.is_some()
    }

    /// Waits until the lowest good load meets the objectives again, in brief
    /// runs. Without this wait the backlog of an overload would fail the next,
    /// lower load. Returns `false` if the system does not recover in time.
    fn recover(&mut self) -> Result<bool, RunError> {
        let Some(lowest) = self.points.iter().find(|p| p.good).map(|p| p.load) else {
            return Ok(true);
        };
        let mut probe = at_load(self.plan, lowest);
        let brief = probe.duration_ns.unwrap_or(LONGEST_PROBE_NS);
        probe.duration_ns = Some(brief.min(LONGEST_PROBE_NS));
        probe.warmup_ns = 0;
        probe.grace_ns = probe.grace_ns.min(LONGEST_PROBE_NS);
        for population in &mut probe.populations {
            population.timeout_ns = population.timeout_ns.min(LONGEST_PROBE_NS);
        }
        let began = Instant::now();
        loop {
            let report = match (self.run)(&probe) {
                Err(RunError::NotBegun) => return Ok(true),
                recording => recording?.report,
            };
            let well = self.objectives.iter().all(|o| o.met(&report));
            if well || (self.stopped)() {
                return Ok(true);
            }
            if began.elapsed() >= self.search.recovery {
                return Ok(false);
            }
        }
    }

    /// Tries a load. Returns whether it met the objectives.
    fn try_load(&mut self, load: f64) -> Result<bool, RunError> {
        let load = if unit(self.plan) == "clients" {
            load.round().max(1.0)
        } else {
            load
        };
        if let Some(bad) = self.last_bad.take().filter(|bad| load < *bad)
            && !self.recover()?
        {
            self.unrecovered = Some(bad);
            return Ok(false);
        }
        let plan = at_load(self.plan, load);
        let mut reports = Vec::new();
        for _ in 0..self.search.repeats.max(1) {
            let report = match (self.run)(&plan) {
                Err(RunError::NotBegun) if !self.points.is_empty() => break,
                recording => recording?.report,
            };
            // An interrupted run is not a level, unless it is the only
            // one.
            if (self.stopped)() && !(self.points.is_empty() && reports.is_empty()) {
                break;
            }
            reports.push(report);
        }
        if reports.is_empty() {
            return Ok(false);
        }
        // Judged by the means that the table shows, so that both agree.
        let good = self.objectives.iter().all(|o| o.met_by(&reports));
        let figure =
            |f: &dyn Fn(&LoadReport) -> f64| -> Vec<f64> { reports.iter().map(f).collect() };
        let mean = |values: Vec<f64>| SampleStatistics::of(&values).mean;
        let sum = |r: &LoadReport| r.sum().cloned().unwrap_or_default();
        // Runs without an answer have no times to average.
        let time = |of: &dyn Fn(&LatencyReport) -> f64| {
            let answered = reports.iter().map(sum).filter(|s| s.response.count > 0);
            match answered.map(|s| of(&s.response)).collect::<Vec<f64>>() {
                none if none.is_empty() => 0.0,
                times => mean(times),
            }
        };
        let throughput = SampleStatistics::of(&figure(&|r| r.throughput));
        let cpu: Vec<f64> = reports
            .iter()
            .filter_map(LoadReport::server_cpu_us)
            .collect();
        let point = CurvePoint {
            load,
            throughput: throughput.mean,
            throughput_half: if reports.len() > 1 {
                throughput.half_width()
            } else {
                0.0
            },
            mean: time(&|l| l.mean),
            p50: time(&|l| l.p50),
            p99: time(&|l| l.p99),
            errors: mean(figure(&|r| {
                let s = sum(r);
                (s.failed + s.checks_failed + s.unsent) as f64 / (s.sent + s.unsent).max(1) as f64
            })),
            server_cpu_us: (!cpu.is_empty()).then(|| mean(cpu)),
            good,
        };
        self.last_bad = (!good).then_some(load);
        (self.on_level)(&point);
        self.points.push(point);
        self.points.sort_by(|a, b| a.load.total_cmp(&b.load));
        let better = match &self.best {
            None => true,
            Some((at, was_good, _)) => match (good, was_good) {
                (true, true) => load > *at,
                (false, false) => load < *at,
                (good, _) => good,
            },
        };
        if let Some(report) = reports.pop().filter(|_| better) {
            self.best = Some((load, good, report));
        }
        Ok(good)
    }

    /// Adds loads between the doubled ones, where the fits need points.
    fn fill_gaps(&mut self) -> Result<(), RunError> {
        let Some((good, bad)) = self.bracket() else {
            return Ok(());
        };
        let above = self.points.iter().map(|p| p.load).find(|l| *l > bad);
        let mut wanted: Vec<f64> = (1..4)
            .map(|i| good + (bad - good) * f64::from(i) / 4.0)
            .collect();
        wanted.push(good * 0.75);
        wanted.extend(above.map(|above| (bad + above) / 2.0));
        for load in wanted {
            if self.over() {
                break;
            }
            self.try_load(load)?;
        }
        Ok(())
    }

    /// The highest good load and the lowest bad load above it.
    fn bracket(&self) -> Option<(f64, f64)> {
        let bad = self.points.iter().find(|p| !p.good)?.load;
        let below = self.points.iter().rev().find(|p| p.good && p.load < bad)?;
        Some((below.load, bad))
    }

    /// Whether throughput at the highest load is below its greatest, by more than
    /// a tenth and by more than repetitions differ.
    fn collapses(&self) -> bool {
        let greatest = |a: &&CurvePoint, b: &&CurvePoint| a.throughput.total_cmp(&b.throughput);
        let (Some(last), Some(peak)) = (self.points.last(), self.points.iter().max_by(greatest))
        else {
            return false;
        };
        let surely = last.throughput + last.throughput_half;
        last.throughput < peak.throughput * COLLAPSED
            && surely < peak.throughput - peak.throughput_half
    }

    fn conclude(self) -> SearchResult {
        let pairs: Vec<(f64, f64)> = self.points.iter().map(|p| (p.load, p.throughput)).collect();
        let collapse = self.collapses();
        let (verdict, stick) = if collapse {
            knee_before_collapse(&pairs)
        } else {
            broken_stick(&pairs)
        };
        let bad = self.points.iter().find(|p| !p.good).map(|p| p.load);
        let limit = bad.unwrap_or(f64::INFINITY);
        let good = self.points.iter().rev().find(|p| p.good && p.load < limit);
        let texts: Vec<String> = self.objectives.iter().map(ToString::to_string).collect();
        let curve = LoadCurve {
            unit: unit(self.plan).to_owned(),
            verdict,
            stick,
            // A law that its own figures contradict is not reported.
            scalability: scalability(&pairs)
                .filter(|law| law.agrees(&pairs, unit(self.plan) == "requests/s")),
            objectives: texts.join(", "),
            highest_good: good.map(|p| p.load),
            lowest_bad: bad,
            collapse,
            unrecovered: self.unrecovered.map(|load| UnrecoveredLoad {
                load,
                waited_s: self.search.recovery.as_secs_f64(),
            }),
            interrupted: (self.stopped)(),
            points: self.points,
        };
        let mut report = self.best.map(|b| b.2).unwrap_or_default();
        report.curve = Some(curve.clone());
        SearchResult { curve, report }
    }
}

/// The longest probe of whether a system has recovered, and the longest request of
/// it.
const LONGEST_PROBE_NS: u64 = 1_000_000_000;
/// An upper bound of every load, in requests/s.
const MOST: f64 = 1e7;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::HttpLoad;
    use crate::session::Session;
    use std::cell::RefCell;
    use std::sync::atomic::AtomicBool;

    /// Searches a simulated system with a capacity of 150 requests/s. From 200
    /// on it collapses, and stays so for `broken` further runs.
    fn search_of(broken: usize) -> (SearchResult, Vec<f64>) {
        let server =
            crate::server::Server::start(crate::server::ServerBehaviour::default()).unwrap();
        let mut load = HttpLoad::new(format!("http://{}/", server.address()));
        load.iterations = Some(1);
        let session = Session {
            plan: &load.plan().unwrap(),
            observed: &[],
            viewers: Vec::new(),
        };
        let any = session.run(&AtomicBool::new(false)).unwrap();
        (load.iterations, load.rate) = (None, Some(50.0));
        let plan = load.plan().unwrap();
        let left = RefCell::new(0);
        let mut loads = Vec::new();
        let mut run = |plan: &RunPlan| {
            let rate = level(&plan.populations[0].load, true);
            loads.push(rate);
            let mut left = left.borrow_mut();
            let well = *left == 0 && rate <= 150.0;
            *left = match rate {
                r if r >= 200.0 => broken,
                _ => left.saturating_sub(1),
            };
            let mut report = any.report.clone();
            report.throughput = if well { rate } else { 10.0 };
            report.populations[0].failed = u64::from(!well);
            Ok(SessionResult {
                outcome: any.outcome.clone(),
                report,
                log: Vec::new(),
            })
        };
        let wanted = CapacitySearch {
            from: 50.0,
            repeats: 1,
            recovery: Duration::ZERO,
            ..CapacitySearch::default()
        };
        let objectives = [Objective::parse("errors=0").unwrap()];
        let never = || false;
        let found = search(&plan, &wanted, &objectives, &mut run, &mut |_| {}, &never);
        (found.unwrap(), loads)
    }

    #[test]
    fn a_system_that_recovers_is_searched_to_its_limit_and_its_collapse_is_reported() {
        let (found, loads) = search_of(0);
        let curve = found.curve;
        assert_eq!(loads[..4], [50.0, 100.0, 200.0, 400.0]);
        let good = curve.highest_good.unwrap();
        assert!((147.0..=150.0).contains(&good), "{good}");
        assert!(curve.collapse && curve.unrecovered.is_none());
    }

    #[test]
    fn a_system_that_stays_collapsed_ends_the_search_and_spoils_no_lower_load() {
        let (found, loads) = search_of(1000);
        assert_eq!(loads, [50.0, 100.0, 200.0, 400.0, 50.0]);
        let curve = &found.curve;
        assert_eq!(
            (curve.highest_good, curve.lowest_bad),
            (Some(100.0), Some(200.0))
        );
        assert!(curve.collapse);
        assert_eq!(curve.unrecovered.as_ref().unwrap().load, 400.0);
        let shown = measure::report::text(&found.report);
        assert!(
            shown.contains("did not recover from 400 requests/s"),
            "{shown}"
        );
    }
}
