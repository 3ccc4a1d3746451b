//! Populations whose protocol comes from a library or has its own stack: each
//! client is a task of a small runtime, one runtime for each thread of the driver.
//! The records are the same as on the driver's own request path. [`line`] is the
//! interface to the protocols.

mod appc;
mod client;
mod http2;
mod line;
mod terminal;
mod timer;

use super::arrivals::{ArrivalSchedule, stream};
use super::record::{IntervalRecord, RequestCounts};
use super::worker::{GRACE_WHEN_STOPPED_NS, ThreadResult, share};
use crate::clock;
use crate::plan::{LoadModel, LoadTarget, Population, Protocol, RunPlan};
use base::SeededRandom;
use client::Client;
use line::ThreadResources;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;
use timer::ThreadTimer;
use tokio::sync::Notify;
use tokio::task::LocalSet;
use tokio::time::timeout;

/// Whether a population's clients are tasks.
pub(super) fn serve(population: &Population) -> bool {
    let foreign = |t: &LoadTarget| !matches!(t.protocol, Protocol::Stream);
    population.targets.iter().any(foreign)
}

/// The task clients of one thread.
pub(super) struct ClientTasks {
    plan: Arc<RunPlan>,
    index: usize,
}

/// Data that the clients of one thread share.
struct ThreadContext {
    plan: Arc<RunPlan>,
    /// The index of the thread.
    index: usize,
    state: RefCell<ThreadState>,
    timer: ThreadTimer,
    resources: ThreadResources,
}

/// Records, and the iterations that are left.
struct ThreadState {
    interval_ns: u64,
    grace_ns: u64,
    start: u64,
    window: (u64, u64),
    end: u64,
    in_flight: u64,
    active: usize,
    last_done: u64,
    interval: IntervalRecord,
    quotas: Vec<Option<u64>>,
    schedules: Vec<Option<ArrivalSchedule>>,
}

impl ClientTasks {
    pub fn new(plan: &RunPlan, index: usize) -> ClientTasks {
        ClientTasks {
            plan: Arc::new(plan.clone()),
            index,
        }
    }

    /// Runs the load from `start` on and returns when the run is over.
    pub fn run(
        self,
        start: u64,
        stop: &AtomicBool,
        out: &Sender<IntervalRecord>,
    ) -> io::Result<ThreadResult> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let plan = self.plan.clone();
        let end = plan.length_ns().map_or(u64::MAX, |length| start + length);
        let steps: Vec<usize> = plan.populations.iter().map(|p| p.steps.len()).collect();
        let mut shared = ThreadState {
            start,
            window: (start + plan.warmup_ns, end),
            end,
            in_flight: 0,
            active: 0,
            last_done: start,
            interval: IntervalRecord::new(0, &steps),
            quotas: Vec::new(),
            schedules: Vec::new(),
            interval_ns: plan.interval_ns,
            grace_ns: plan.grace_ns,
        };
        let mut clients = Vec::new();
        for (p, population) in plan.populations.iter().enumerate() {
            let (quota, schedule) = self.shares(p, population);
            shared.quotas.push(quota);
            shared.schedules.push(schedule);
            if serve(population) {
                let numbers = (self.index..population.clients()).step_by(plan.threads);
                clients.extend(numbers.filter_map(|n| Client::new(&plan, p, n as u64)));
            }
        }
        shared.active = clients.len();
        let entered = runtime.enter();
        let common = Rc::new(ThreadContext {
            index: self.index,
            state: RefCell::new(shared),
            timer: ThreadTimer::new()?,
            resources: ThreadResources::default(),
            plan,
        });
        drop(entered);
        let done = Rc::new(Notify::new());
        let local = LocalSet::new();
        for client in clients {
            let (common, done) = (common.clone(), done.clone());
            local.spawn_local(async move {
                client.live(&common).await;
                common.state.borrow_mut().active -= 1;
                done.notify_one();
            });
        }
        let timer = common.clone();
        local.spawn_local(async move { timer.timer.run().await });
        let cpu = local.block_on(&runtime, watch(&common.state, &done, &steps, stop, out));
        drop(local);
        let mut shared = common.state.borrow_mut();
        shared.count_unsent();
        shared.flush(&steps, 0, out);
        Ok(ThreadResult {
            window: shared.measured(),
            cpu_ns: cpu,
        })
    }

    fn shares(&self, p: usize, population: &Population) -> (Option<u64>, Option<ArrivalSchedule>) {
        let threads = self.plan.threads;
        match &population.load {
            _ if !serve(population) => (None, None),
            LoadModel::Closed { iterations, .. } => {
                (iterations.map(|n| share(n, self.index, threads)), None)
            }
            LoadModel::Open { rate, arrivals, .. } => {
                let rng = SeededRandom::stream(self.plan.seed, stream(p, self.index));
                let rate = rate.after(self.plan.warmup_ns);
                (
                    None,
                    Some(ArrivalSchedule::new(
                        rate,
                        *arrivals,
                        (self.index, threads),
                        rng,
                    )),
                )
            }
        }
    }
}

/// Hands over intervals and ends the run. Returns the CPU of the measured part.
async fn watch(
    shared: &RefCell<ThreadState>,
    done: &Notify,
    steps: &[usize],
    stop: &AtomicBool,
    out: &Sender<IntervalRecord>,
) -> u64 {
    let first = shared.borrow().start + shared.borrow().interval_ns;
    let mut watching = WatchState {
        flush_at: first,
        cpu_at_flush: clock::thread_cpu(),
        cpu_at_window: [None; 2],
        stopped: false,
    };
    loop {
        let wish = stop.load(Ordering::Relaxed);
        if let Some(cpu) = watching.check_progress(&mut shared.borrow_mut(), steps, wish, out) {
            return cpu;
        }
        // Woken by the last client, or after the interval.
        let _ = timeout(POLL_INTERVAL, done.notified()).await;
    }
}

/// The state of the watching task between two checks.
struct WatchState {
    flush_at: u64,
    cpu_at_flush: u64,
    cpu_at_window: [Option<u64>; 2],
    stopped: bool,
}

impl WatchState {
    /// Checks the progress. Returns the CPU of the measured part when the run
    /// is over.
    fn check_progress(
        &mut self,
        state: &mut ThreadState,
        steps: &[usize],
        stop: bool,
        out: &Sender<IntervalRecord>,
    ) -> Option<u64> {
        let now = clock::now();
        if stop && !self.stopped {
            self.stopped = true;
            state.end = state.end.min(now);
            state.window.1 = state.window.1.min(now).max(state.window.0);
        }
        let ends = [state.window.0, state.window.1];
        for (slot, at) in self.cpu_at_window.iter_mut().zip(ends) {
            if slot.is_none() && now >= at {
                *slot = Some(clock::thread_cpu());
            }
        }
        while now >= self.flush_at {
            let cpu = clock::thread_cpu();
            state.flush(steps, cpu - self.cpu_at_flush, out);
            self.cpu_at_flush = cpu;
            self.flush_at += state.interval_ns;
        }
        let grace = if self.stopped {
            state.grace_ns.min(GRACE_WHEN_STOPPED_NS)
        } else {
            state.grace_ns
        };
        let late = state.end.saturating_add(grace);
        // Clients in think time need not be waited for when the run stops.
        let idle = self.stopped && state.in_flight == 0;
        (state.active == 0 || idle || now >= late).then(|| {
            let cpu = clock::thread_cpu();
            self.cpu_at_window[1].unwrap_or(cpu) - self.cpu_at_window[0].unwrap_or(cpu)
        })
    }
}

impl ThreadState {
    /// The measured part, which ends with the last answer if nothing else ends it.
    fn measured(&self) -> (u64, u64) {
        match self.window {
            (from, u64::MAX) => (from, self.last_done.max(from)),
            window => window,
        }
    }

    fn flush(&mut self, steps: &[usize], cpu_ns: u64, out: &Sender<IntervalRecord>) {
        let next = IntervalRecord::new(self.interval.index + 1, steps);
        let mut interval = std::mem::replace(&mut self.interval, next);
        interval.outstanding = self.in_flight;
        interval.cpu_ns = cpu_ns;
        // The collector is gone only when the run is abandoned.
        let _ = out.send(interval);
    }

    fn count(&mut self, population: usize, measured: bool, each: impl Fn(&mut RequestCounts)) {
        let record = &mut self.interval.populations[population];
        each(&mut record.whole);
        if measured {
            each(&mut record.measured);
        }
    }

    fn measures(&self, at: u64) -> bool {
        (self.window.0..self.window.1).contains(&at)
    }

    fn count_unsent(&mut self) {
        for p in 0..self.schedules.len() {
            while let Some(due) = self.next_due(p) {
                let measured = self.measures(due);
                self.count(p, measured, |c| c.unsent += 1);
            }
        }
    }

    /// Takes the next arrival of the open loop before the end of the run.
    fn next_due(&mut self, population: usize) -> Option<u64> {
        let (start, end) = (self.start, self.end);
        let schedule = self.schedules[population].as_mut()?;
        let due = schedule
            .next()
            .map(|t| start + t)
            .filter(|due| *due < end)?;
        schedule.advance();
        Some(due)
    }

    /// Whether a closed loop's client may begin another iteration at `now`.
    fn may_begin(&mut self, population: usize, now: u64) -> bool {
        if now >= self.end {
            return false;
        }
        match &mut self.quotas[population] {
            None => true,
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }
}

/// Interval of checking the stop flag.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
