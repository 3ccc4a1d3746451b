//! Runs a plan: starts the threads together, collects their records, and sums them
//! up.

use super::ledger::ThreadResult;
use super::record::{IntervalRecord, PopulationRecord, RequestCounts};
use super::tasks::{self, ClientTasks};
use super::worker::Worker;
use crate::clock;
use crate::plan::RunPlan;
use std::collections::BTreeMap;
use std::io;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use thiserror::Error;

/// Receives the progress of a run.
pub trait RunObserver {
    /// The run begins; monotonic and wall clock in nanoseconds.
    fn begun(&mut self, _start: u64, _wall: u64) {}

    /// All threads have completed an interval. `seconds` is its length.
    fn interval(&mut self, interval: &IntervalRecord, seconds: f64);
}

/// An observer that ignores everything.
pub struct SilentObserver;

impl RunObserver for SilentObserver {
    fn interval(&mut self, _: &IntervalRecord, _: f64) {}
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct LoadOutcome {
    /// Everything, by population.
    pub total: IntervalRecord,
    /// Length of the measured part in seconds.
    pub measured_s: f64,
    /// Length of the run in seconds.
    pub whole_s: f64,
    /// The measured part on the monotonic clock, ns.
    pub window: (u64, u64),
    /// When load began, ns since 1970.
    pub started_wall: u64,
    /// Difference between the wall clock's and the monotonic clock's progress,
    /// ns.
    pub wall_jump_ns: i64,
    /// CPU of the driver's threads in the measured part, ns.
    pub cpu_ns: u64,
    /// CPU of the busiest thread in the measured part, ns.
    pub busiest_cpu_ns: u64,
    /// Threads that presented load.
    pub threads: usize,
}

/// Why a run failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// The plan has no request.
    #[error("the plan has no population with a step")]
    Empty,
    /// The system refuses an epoll, a timer or a thread.
    #[error("the system refuses what a load thread needs: {0}")]
    System(#[from] io::Error),
    /// The run was stopped before its start.
    #[error("interrupted before the first request; nothing was begun")]
    NotBegun,
}

/// Executes a plan. `stop` ends it early and keeps everything recorded so far.
/// Before the start it ends the run without a result.
pub fn run(
    plan: &RunPlan,
    observer: &mut dyn RunObserver,
    stop: &AtomicBool,
) -> Result<LoadOutcome, RunError> {
    let complete = |p: &crate::plan::Population| !p.steps.is_empty() && !p.targets.is_empty();
    if plan.threads == 0 || plan.populations.is_empty() || !plan.populations.iter().all(complete) {
        return Err(RunError::Empty);
    }
    // Clients that are tasks have their own threads.
    let threads = |any: bool| if any { plan.threads } else { 0 };
    let foreign = threads(plan.populations.iter().any(tasks::serve));
    let own = threads(!plan.populations.iter().all(tasks::serve));
    let connected = Barrier::new(own + 1);
    let go = Barrier::new(own + foreign + 1);
    let start = AtomicU64::new(0);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        let mut parts = Vec::new();
        for index in 0..own {
            let (sender, receiver) = mpsc::channel();
            parts.push(receiver);
            let (connected, go, start) = (&connected, &go, &start);
            let work = move || -> io::Result<ThreadResult> {
                precise_timers();
                let prepared = Worker::new(plan, index)
                    .and_then(|mut worker| worker.connect_ahead(stop).map(|()| worker));
                // Every thread passes both barriers, also after an error.
                connected.wait();
                go.wait();
                match start.load(Ordering::Acquire) {
                    NEVER => Ok(ThreadResult::default()),
                    start => prepared?.run(start, stop, &sender),
                }
            };
            threads.push(scope.spawn(work));
        }
        for index in 0..foreign {
            let (sender, receiver) = mpsc::channel();
            parts.push(receiver);
            let (go, start) = (&go, &start);
            threads.push(scope.spawn(move || {
                precise_timers();
                let clients = ClientTasks::new(plan, index);
                go.wait();
                match start.load(Ordering::Acquire) {
                    NEVER => Ok(ThreadResult::default()),
                    start => clients.run(start, stop, &sender),
                }
            }));
        }
        connected.wait();
        let Some((begin, wall)) = start_time(plan, stop) else {
            start.store(NEVER, Ordering::Release);
            go.wait();
            return Err(RunError::NotBegun);
        };
        start.store(begin, Ordering::Release);
        observer.begun(begin, wall);
        go.wait();
        let total = collect(plan, &parts, observer);
        let ended = threads.into_iter().map(|thread| match thread.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        let ended = ended.collect::<io::Result<Vec<_>>>()?;
        Ok(sum_up(total, &ended, begin, wall))
    })
}

/// Waits until shortly before the start and returns the start time: shortly after,
/// or the time that the plan gives by the wall clock. Returns `None` if the stop
/// flag was set first.
fn start_time(plan: &RunPlan, stop: &AtomicBool) -> Option<(u64, u64)> {
    while !stop.load(Ordering::Relaxed) {
        let (now, wall) = (clock::now(), clock::wall());
        let wait = match plan.start_at {
            Some(at) => at.saturating_sub(wall),
            None => HEAD_START_NS,
        };
        if wait <= NEARLY_NS {
            return Some((now + wait, wall + wait));
        }
        thread::sleep(POLL_INTERVAL.min(Duration::from_nanos(wait - NEARLY_NS)));
    }
    None
}

fn collect(
    plan: &RunPlan,
    parts: &[mpsc::Receiver<IntervalRecord>],
    observer: &mut dyn RunObserver,
) -> IntervalRecord {
    let steps: Vec<usize> = plan.populations.iter().map(|p| p.steps.len()).collect();
    let mut total = IntervalRecord::new(0, &steps);
    for index in 0.. {
        let mut whole = IntervalRecord::new(index, &steps);
        let mut alive = false;
        for part in parts {
            if let Ok(interval) = part.recv() {
                alive = true;
                whole.merge(&interval);
            }
        }
        if !alive {
            break;
        }
        total.merge(&whole);
        total.outstanding = whole.outstanding;
        observer.interval(&whole, plan.interval_ns as f64 / 1e9);
    }
    total
}

fn sum_up(total: IntervalRecord, ended: &[ThreadResult], begin: u64, wall: u64) -> LoadOutcome {
    let mut sum = RequestCounts::default();
    for population in &total.populations {
        sum += &population.whole;
        // Measured requests are a subset of all: both sums must balance.
        population.measured.outstanding();
    }
    assert_eq!(
        sum.sent,
        sum.answered + sum.failures() + total.outstanding,
        "every request is answered, failed or outstanding"
    );
    let window = ended.iter().fold((0, 0), |(from, to), end| {
        (end.window.0.max(from), end.window.1.max(to))
    });
    let (now, wall_now) = (clock::now(), clock::wall());
    let ran = now.saturating_sub(begin);
    LoadOutcome {
        measured_s: window.1.saturating_sub(window.0) as f64 / 1e9,
        whole_s: ran as f64 / 1e9,
        window,
        started_wall: wall,
        wall_jump_ns: wall_now.wrapping_sub(wall).wrapping_sub(ran) as i64,
        cpu_ns: ended.iter().map(|e| e.cpu_ns).sum(),
        busiest_cpu_ns: ended.iter().map(|e| e.cpu_ns).max().unwrap_or(0),
        threads: ended.len(),
        total,
    }
}

impl LoadOutcome {
    /// All populations in one record.
    pub fn sum(&self) -> PopulationRecord {
        let mut sum = PopulationRecord::default();
        for population in &self.total.populations {
            sum.merge(population);
        }
        sum.steps.clear();
        sum
    }

    /// Answers/s in the measured part.
    pub fn throughput(&self) -> f64 {
        let answers: u64 = self
            .total
            .populations
            .iter()
            .map(|p| p.measured.in_window)
            .sum();
        if self.measured_s > 0.0 {
            answers as f64 / self.measured_s
        } else {
            0.0
        }
    }

    /// The driver's own CPU per answer in the measured part, in nanoseconds.
    pub fn cpu_per_request_ns(&self) -> f64 {
        let answers = self.throughput() * self.measured_s;
        if answers > 0.0 {
            self.cpu_ns as f64 / answers
        } else {
            0.0
        }
    }

    /// Messages of failures and how often each occurred.
    pub fn messages(&self) -> &BTreeMap<String, u64> {
        &self.total.messages
    }
}

/// Disables timer slack of this thread. If the system refuses, the slack shows as
/// lateness in the report.
fn precise_timers() {
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

/// Time between the last connection and the first request.
const HEAD_START_NS: u64 = 5_000_000;
/// The threads are released this long before the start and wait for it themselves.
const NEARLY_NS: u64 = 100_000_000;
/// Interval of checking the stop flag before the start.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The start time of a run that was stopped before its start.
const NEVER: u64 = u64::MAX;
