//! Populations whose protocol comes from a library or has a stack of its own:
//! each client is a task of a small runtime, one a thread of the driver. What
//! is recorded, and how, is the same as on the driver's own request path;
//! [`line`] is the seam to the protocols.

mod appc;
mod http2;
mod line;
mod timer;

use super::arrivals::{Schedule, stream};
use super::record::{Counts, Interval, note};
use super::worker::{Ended, share};
use crate::clock;
use crate::message::Scope;
use crate::plan::{Load, Plan, Population, Protocol, Step, Target};
use crate::rng::Rng;
use line::{Answer, Asked, Failed, Kits, Line, Meter};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;
use timer::Timer;
use tokio::sync::Notify;
use tokio::task::LocalSet;
use tokio::time::timeout;

/// Whether a population's clients are tasks.
pub(super) fn serve(population: &Population) -> bool {
    let foreign = |t: &Target| !matches!(t.protocol, Protocol::Stream);
    population.targets.iter().any(foreign)
}

/// One thread's clients that are tasks.
pub(super) struct Tasks {
    plan: Arc<Plan>,
    index: usize,
}

/// What the clients of one thread have in common.
struct Common {
    plan: Arc<Plan>,
    /// Which thread of the driver this is.
    index: usize,
    state: RefCell<Shared>,
    timer: Timer,
    kits: Kits,
}

/// What is recorded, and what is left to do.
struct Shared {
    interval_ns: u64,
    grace_ns: u64,
    start: u64,
    window: (u64, u64),
    end: u64,
    in_flight: u64,
    active: usize,
    last_done: u64,
    interval: Interval,
    quotas: Vec<Option<u64>>,
    schedules: Vec<Option<Schedule>>,
}

/// One client between its requests.
struct Client {
    population: usize,
    number: u64,
    iteration: u64,
    rng: Rng,
    rows: Vec<u64>,
    captured: Vec<Vec<u8>>,
    line: Line,
}

impl Tasks {
    pub fn new(plan: &Plan, index: usize) -> Tasks {
        Tasks {
            plan: Arc::new(plan.clone()),
            index,
        }
    }

    /// Presents the load from `start` on and returns when the run is over.
    pub fn run(self, start: u64, stop: &AtomicBool, out: &Sender<Interval>) -> io::Result<Ended> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let plan = self.plan.clone();
        let end = plan.length_ns().map_or(u64::MAX, |length| start + length);
        let steps: Vec<usize> = plan.populations.iter().map(|p| p.steps.len()).collect();
        let mut shared = Shared {
            start,
            window: (start + plan.warmup_ns, end),
            end,
            in_flight: 0,
            active: 0,
            last_done: start,
            interval: Interval::new(0, &steps),
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
        let common = Rc::new(Common {
            index: self.index,
            state: RefCell::new(shared),
            timer: Timer::new()?,
            kits: Kits::default(),
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
        let window = match shared.window {
            (from, u64::MAX) => (from, shared.last_done.max(from)),
            window => window,
        };
        Ok(Ended {
            window,
            cpu_ns: cpu,
        })
    }

    fn shares(&self, p: usize, population: &Population) -> (Option<u64>, Option<Schedule>) {
        let threads = self.plan.threads;
        match &population.load {
            _ if !serve(population) => (None, None),
            Load::Closed { iterations, .. } => {
                (iterations.map(|n| share(n, self.index, threads)), None)
            }
            Load::Open { rate, arrivals, .. } => {
                let rng = Rng::new(self.plan.seed, stream(p, self.index));
                let rate = rate.after(self.plan.warmup_ns);
                (
                    None,
                    Some(Schedule::new(rate, *arrivals, (self.index, threads), rng)),
                )
            }
        }
    }
}

/// Flushes intervals and ends the run; returns the CPU of the measured part.
async fn watch(
    shared: &RefCell<Shared>,
    done: &Notify,
    steps: &[usize],
    stop: &AtomicBool,
    out: &Sender<Interval>,
) -> u64 {
    let first = shared.borrow().start + shared.borrow().interval_ns;
    let mut watching = Watching {
        flush_at: first,
        cpu_at_flush: clock::thread_cpu(),
        cpu_at_window: [None; 2],
        stopped: false,
    };
    loop {
        let wish = stop.load(Ordering::Relaxed);
        if let Some(cpu) = watching.look(&mut shared.borrow_mut(), steps, wish, out) {
            return cpu;
        }
        // Woken by the last client, or to look around.
        let _ = timeout(GLANCE, done.notified()).await;
    }
}

/// What the watching task remembers between two looks.
struct Watching {
    flush_at: u64,
    cpu_at_flush: u64,
    cpu_at_window: [Option<u64>; 2],
    stopped: bool,
}

impl Watching {
    /// Looks around; the CPU of the measured part when the run is over.
    fn look(
        &mut self,
        state: &mut Shared,
        steps: &[usize],
        stop: bool,
        out: &Sender<Interval>,
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
        let late = state.end.saturating_add(state.grace_ns);
        (state.active == 0 || now >= late).then(|| {
            let cpu = clock::thread_cpu();
            self.cpu_at_window[1].unwrap_or(cpu) - self.cpu_at_window[0].unwrap_or(cpu)
        })
    }
}

impl Shared {
    fn flush(&mut self, steps: &[usize], cpu_ns: u64, out: &Sender<Interval>) {
        let next = Interval::new(self.interval.index + 1, steps);
        let mut interval = std::mem::replace(&mut self.interval, next);
        interval.outstanding = self.in_flight;
        interval.cpu_ns = cpu_ns;
        // The collector is gone only when the run is being abandoned.
        let _ = out.send(interval);
    }

    fn count(&mut self, population: usize, measured: bool, each: impl Fn(&mut Counts)) {
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

    /// Takes the next arrival of the open loop that lies before the end.
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

impl Client {
    fn new(plan: &Plan, population: usize, number: u64) -> Option<Client> {
        let line = Line::of(&plan.populations[population])?;
        let steps = plan.populations[population].steps.iter();
        let slots = steps.flat_map(|s| &s.captures).map(|c| c.slot + 1).max();
        Some(Client {
            population,
            number,
            iteration: 0,
            rng: Rng::new(plan.seed, ((population as u64) << 40 | number) + 1),
            rows: vec![0; plan.feeders.len()],
            captured: vec![Vec::new(); slots.unwrap_or(0)],
            line,
        })
    }

    async fn live(mut self, common: &Rc<Common>) {
        let (plan, shared) = (common.plan.clone(), &common.state);
        let population = &plan.populations[self.population];
        let (start, warmup) = (shared.borrow().start, plan.warmup_ns);
        let mut free = clock::now();
        match &population.load {
            Load::Open { .. } => loop {
                let due = shared.borrow_mut().next_due(self.population);
                let Some(due) = due else { return };
                common.timer.sleep_until(due).await;
                if due < free {
                    let mut state = shared.borrow_mut();
                    let measured = state.measures(due);
                    state.count(self.population, measured, |c| c.held += 1);
                }
                self.iterate(population, due, due.max(free), common).await;
                free = clock::now();
            },
            Load::Closed { clients, .. } => {
                let level = clients.after(warmup);
                let spread = population.think.mean_ns() * self.number as f64;
                let mut at = start + (spread / population.clients().max(1) as f64) as u64;
                loop {
                    let join = level.next_above(self.number as f64, at.saturating_sub(start));
                    let Some(join) = join.map(|t| start + t) else {
                        return;
                    };
                    at = at.max(join);
                    if at >= shared.borrow().end {
                        return;
                    }
                    common.timer.sleep_until(at).await;
                    if !shared.borrow_mut().may_begin(self.population, at) {
                        return;
                    }
                    let well = self.iterate(population, at, at, common).await;
                    let pause = population.think.draw(&mut self.rng);
                    at = clock::now() + if well { pause } else { pause.max(RETRY_NS) };
                }
            }
        }
    }

    /// One iteration; false when a request failed.
    async fn iterate(
        &mut self,
        population: &Population,
        intended: u64,
        ready: u64,
        common: &Rc<Common>,
    ) -> bool {
        let (plan, shared) = (&common.plan, &common.state);
        for (feeder, row) in plan.feeders.iter().zip(&mut self.rows) {
            *row = feeder.draw(&mut self.rng);
        }
        let (mut intended, mut ready) = (intended, ready);
        for (i, step) in population.steps.iter().enumerate() {
            let sent = clock::now();
            let p = self.population;
            let measured = {
                let mut state = shared.borrow_mut();
                let measured = state.measures(intended);
                state.in_flight += 1;
                state.count(p, measured, |c| {
                    c.sent += 1;
                    c.iterations += u64::from(i == 0);
                });
                measured
            };
            let target = &population.targets[step.target];
            let answer = self.exchange(population, step, measured, common).await;
            let done = clock::now();
            let times = [intended, ready, sent, done];
            let answered = self.settle(answer, step, i, measured, times, target, shared);
            if !answered {
                self.line.give_up();
                self.iteration += 1;
                return false;
            }
            let last = i + 1 == population.steps.len();
            if last {
                self.line.end_iteration(population).await;
            }
            let think = step.think.as_ref().unwrap_or(&population.think);
            let pause = if last { 0 } else { think.draw(&mut self.rng) };
            intended = done + pause;
            ready = intended;
            common.timer.sleep_until(intended).await;
        }
        self.iteration += 1;
        true
    }

    /// Records what became of a request; false when it failed.
    #[allow(clippy::too_many_arguments, reason = "one request's whole story")]
    fn settle(
        &mut self,
        answer: Result<Answer, Failed>,
        step: &Step,
        index: usize,
        measured: bool,
        times: [u64; 4],
        target: &Target,
        shared: &RefCell<Shared>,
    ) -> bool {
        let p = self.population;
        let done = times[3];
        let mut state = shared.borrow_mut();
        state.in_flight -= 1;
        state.last_done = done;
        match answer {
            Ok(answer) => {
                let passed = self.examine(step, &answer);
                let in_window = u64::from(state.measures(done));
                state.count(p, measured, |c| {
                    c.answered += 1;
                    c.checks_failed += u64::from(!passed);
                    c.status[usize::from(answer.status / 100).min(5)] += 1;
                    c.bytes_in += answer.size;
                });
                let record = &mut state.interval.populations[p];
                record.whole.in_window += in_window;
                record.measured.in_window += in_window;
                if measured {
                    // The library reads the socket, so no stamp is seen.
                    super::lifecycle::record_times(record, index, passed, times, 0);
                }
                true
            }
            Err((failure, text)) => {
                state.count(p, measured, |c| c.failed[failure as usize] += 1);
                let text = format!("{}: {text}", target.name);
                note(&mut state.interval.messages, &text, 1);
                false
            }
        }
    }

    /// The step's request, rendered, presented and answered in time.
    async fn exchange(
        &mut self,
        population: &Population,
        step: &Step,
        measured: bool,
        common: &Rc<Common>,
    ) -> Result<Answer, Failed> {
        let mut bytes = Vec::new();
        let mut scope = Scope {
            feeders: &common.plan.feeders,
            rows: &self.rows,
            captured: &self.captured,
            client: self.number,
            iteration: self.iteration,
            rng: &mut self.rng,
        };
        step.request.render(&mut scope, &mut Vec::new(), &mut bytes);
        let asked = Asked {
            step,
            target: &population.targets[step.target],
            bytes: &bytes,
        };
        let meter = Meter {
            common,
            population: self.population,
            measured,
        };
        let patience = Duration::from_nanos(population.timeout_ns);
        let answer = timeout(patience, self.line.exchange(&asked, &meter)).await;
        let late = || {
            let why = "no complete answer in time".to_owned();
            Err((super::Failure::Timeout, why))
        };
        answer.unwrap_or_else(|_| late())
    }

    fn examine(&mut self, step: &Step, answer: &Answer) -> bool {
        let Answer {
            status,
            headers,
            body,
            size,
        } = answer;
        let mut passed = step.checks.iter().all(|k| k.passes(*status, body, *size));
        for capture in &step.captures {
            let header = |name: &str| headers.get(name).map(|v| v.as_bytes().to_vec());
            if let Some(slot) = self.captured.get_mut(capture.slot) {
                passed &= capture.from.take(header, body, slot);
            }
        }
        passed
    }
}

/// How often a wish to stop is looked for.
const GLANCE: Duration = Duration::from_millis(20);
/// The pause after a failure, so that a dead server is no busy loop.
const RETRY_NS: u64 = 10_000_000;
