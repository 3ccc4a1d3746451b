//! One thread of the engine: its loop, its clock and its queue of wake-ups. The
//! steps of a request are in `exchange`, the states of a client in `lifecycle`.

use super::arrivals::{ArrivalSchedule, stream};
use super::client::{Client, ClientPhase, RequestBytes, TargetConnection};
use super::record::IntervalRecord;
use crate::clock;
use crate::net::{Poller, ReadySocket};
use crate::plan::{ArrivalSpacing, LoadModel, RunPlan, usual_spin_ns};
use crate::profile::LevelProfile;
use base::SeededRandom;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

/// One thread of the engine.
pub(super) struct Worker<'p> {
    pub plan: &'p RunPlan,
    pub poller: Poller,
    pub clients: Vec<Client>,
    pub groups: Vec<ClientGroup>,
    pub wakes: BinaryHeap<Reverse<(u64, u32)>>,
    pub buffer: Box<[u8]>,
    pub scratch: Vec<u8>,
    pub interval: IntervalRecord,
    pub in_flight: u64,
    /// When the run began.
    pub start: u64,
    /// The measured part.
    pub window: (u64, u64),
    /// No request is intended at or after this time.
    pub end: u64,
    stopped: bool,
    steps: Vec<usize>,
    cpu_at_flush: u64,
    cpu_at_window: [Option<u64>; 2],
    last_done: u64,
    /// When this iteration of the event loop began.
    turned: u64,
    /// No request can time out before this time.
    pub expiry_at: u64,
    /// Wall clock minus monotonic clock, ns.
    pub wall_ahead: u64,
}

/// One population's clients in one thread.
pub(super) struct ClientGroup {
    pub kind: GroupKind,
    /// When the last request of the open loop was sent, for the gaps.
    pub last_sent: Option<u64>,
}

pub(super) enum GroupKind {
    Closed {
        /// Clients over time, warm-up included.
        clients: LevelProfile,
        /// Iterations left to begin in this thread.
        quota: Option<u64>,
        /// Clients that take part now or later.
        active: usize,
    },
    Open {
        schedule: ArrivalSchedule,
        idle: VecDeque<u32>,
        /// Until this time the bound on outstanding requests held arrivals
        /// back: no client was idle.
        starved_until: u64,
        /// Whether free clients are used in turn instead of the most recent
        /// first.
        rotate: bool,
        /// Clients of this thread whose connections are opened before the
        /// run.
        ahead: usize,
        spin_ns: u64,
    },
}

/// The result of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ThreadResult {
    /// The measured part as it really was, monotonic ns.
    pub window: (u64, u64),
    /// CPU used in the measured part, ns.
    pub cpu_ns: u64,
}

impl<'p> Worker<'p> {
    pub fn new(plan: &'p RunPlan, index: usize) -> io::Result<Worker<'p>> {
        let threads = plan.threads;
        let mut clients = Vec::new();
        let mut groups = Vec::new();
        for (p, population) in plan.populations.iter().enumerate() {
            let foreign = super::tasks::serve(population);
            let total = if foreign { 0 } else { population.clients() };
            let slots = population.steps.iter().flat_map(|s| &s.captures);
            let slots = slots.map(|c| c.slot + 1).max().unwrap_or(0);
            let first = clients.len();
            // Client numbers are assigned in turn, so that a ramp grows
            // in every thread.
            for number in (index..total).step_by(threads) {
                let own = (p as u64) << 40 | number as u64;
                clients.push(Client {
                    population: p,
                    number: number as u64,
                    phase: ClientPhase::Parked,
                    conns: population
                        .targets
                        .iter()
                        .map(|_| TargetConnection::default())
                        .collect(),
                    step: 0,
                    iteration: u64::MAX, // The first one is number 0.
                    intended: 0,
                    ready: 0,
                    sent: 0,
                    measured: false,
                    freed: 0,
                    wake_at: 0,
                    out: RequestBytes::default(),
                    rows: vec![0; plan.feeders.len()],
                    captured: vec![Vec::new(); slots],
                    rng: SeededRandom::stream(plan.seed, own + 1),
                    refusals: 0,
                });
            }
            let kind = match &population.load {
                LoadModel::Closed {
                    clients: profile,
                    iterations,
                } => GroupKind::Closed {
                    clients: profile.after(plan.warmup_ns),
                    quota: iterations.map(|n| share(n, index, threads)),
                    active: clients.len() - first,
                },
                // Clients that are tasks run elsewhere; nothing is
                // due here.
                LoadModel::Open { .. } if foreign => GroupKind::Closed {
                    clients: LevelProfile::constant(0.0),
                    quota: Some(0),
                    active: 0,
                },
                LoadModel::Open {
                    rate,
                    arrivals,
                    spin_ns,
                    ahead,
                    outstanding,
                } => GroupKind::Open {
                    rotate: ahead >= outstanding,
                    ahead: share(*ahead as u64, index, threads) as usize,
                    schedule: ArrivalSchedule::new(
                        rate.after(plan.warmup_ns),
                        *arrivals,
                        (index, threads),
                        SeededRandom::stream(plan.seed, stream(p, index)),
                    ),
                    idle: (first as u32..clients.len() as u32).collect(),
                    starved_until: 0,
                    spin_ns: match arrivals {
                        ArrivalSpacing::Constant => {
                            let share = rate.peak() / threads as f64;
                            spin_ns.unwrap_or(usual_spin_ns(share))
                        }
                        // Random arrivals need no exact
                        // time, so there is no spin by
                        // default.
                        ArrivalSpacing::Poisson => spin_ns.unwrap_or(0),
                    },
                },
            };
            groups.push(ClientGroup {
                kind,
                last_sent: None,
            });
        }
        let steps: Vec<usize> = plan.populations.iter().map(|p| p.steps.len()).collect();
        Ok(Worker {
            plan,
            poller: Poller::new()?,
            clients,
            groups,
            wakes: BinaryHeap::new(),
            buffer: vec![0; READ_BYTES].into(),
            scratch: Vec::new(),
            interval: IntervalRecord::new(0, &steps),
            in_flight: 0,
            start: 0,
            window: (0, u64::MAX),
            end: u64::MAX,
            stopped: false,
            steps,
            cpu_at_flush: 0,
            cpu_at_window: [None; 2],
            last_done: 0,
            turned: 0,
            expiry_at: 0,
            wall_ahead: 0,
        })
    }

    /// Runs the load from `start` on and returns when the run is over.
    pub fn run(
        mut self,
        start: u64,
        stop: &AtomicBool,
        out: &Sender<IntervalRecord>,
    ) -> io::Result<ThreadResult> {
        self.start = start;
        self.window.0 = start + self.plan.warmup_ns;
        if let Some(length) = self.plan.length_ns() {
            self.end = start + length;
            self.window.1 = self.end;
        }
        self.release_clients();
        self.cpu_at_flush = clock::thread_cpu();
        let mut flush_at = start + self.plan.interval_ns;
        let mut tick_at = 0;
        let mut spinning_since = None;
        loop {
            let now = clock::now();
            self.turned = now;
            if let Some(since) = spinning_since.take() {
                self.interval.spin_ns += now - since;
            }
            self.wake_clients(now);
            self.handle_arrivals(now);
            if now >= tick_at {
                self.tick(now, stop);
                tick_at = now + TICK_NS;
            }
            while now >= flush_at {
                self.flush(out);
                flush_at += self.plan.interval_ns;
            }
            if self.is_over(now) {
                break;
            }
            let (until, spin) = self.next_wake(tick_at.min(flush_at));
            let ready = if until <= now.saturating_add(spin) {
                self.poller.peek()?
            } else {
                self.poller.wait(until - spin)?
            };
            if ready == 0 && until <= now.saturating_add(spin) {
                spinning_since = Some(now);
            }
            for i in 0..ready {
                let ready = self.poller.ready(i);
                self.handle_ready(ready);
                // A full batch of answers takes longer than an
                // arrival can wait. The time of the last answer
                // shows whether one is due.
                if self.last_done >= until {
                    self.wake_clients(self.last_done);
                    self.handle_arrivals(self.last_done);
                }
            }
        }
        self.finish(out)
    }

    /// Whether the clock was within the measured part at its last reading.
    pub(super) fn measuring(&self) -> bool {
        (self.window.0..self.window.1).contains(&self.turned.max(self.last_done))
    }

    /// The time of the next event, and how long before it to spin.
    fn next_wake(&self, housekeeping: u64) -> (u64, u64) {
        let mut wake = (housekeeping, 0);
        if let Some(Reverse((at, _))) = self.wakes.peek() {
            wake = wake.min((*at, 0));
        }
        for group in &self.groups {
            if let GroupKind::Open {
                schedule,
                idle,
                spin_ns,
                ..
            } = &group.kind
            {
                let due = schedule.next().filter(|_| !idle.is_empty());
                if let Some(at) = due.map(|t| self.start + t).filter(|at| *at < self.end)
                    && at < wake.0
                {
                    wake = (at, *spin_ns);
                }
            }
        }
        wake
    }

    /// Work that is not needed in every iteration: the stop flag, timeouts, CPU
    /// at both ends of the measured part.
    fn tick(&mut self, now: u64, stop: &AtomicBool) {
        self.wall_ahead = clock::wall().saturating_sub(clock::now());
        if !self.stopped && stop.load(Ordering::Relaxed) {
            self.stopped = true;
            self.end = self.end.min(now);
            self.window.1 = self.window.1.min(now).max(self.window.0);
        }
        for (slot, at) in self
            .cpu_at_window
            .iter_mut()
            .zip([self.window.0, self.window.1])
        {
            if slot.is_none() && now >= at {
                *slot = Some(clock::thread_cpu());
            }
        }
        if self.in_flight > 0 && now >= self.expiry_at {
            self.expire_requests(now);
        }
    }

    fn is_over(&mut self, now: u64) -> bool {
        let mut nothing_more = true;
        for group in &self.groups {
            nothing_more &= match &group.kind {
                GroupKind::Closed { active, .. } => *active == 0 || now >= self.end,
                GroupKind::Open { schedule, .. } => {
                    schedule.next().is_none_or(|t| self.start + t >= self.end)
                }
            };
        }
        if nothing_more && self.in_flight == 0 && (now >= self.end || self.end == u64::MAX) {
            return true;
        }
        let grace = if self.stopped {
            self.plan.grace_ns.min(GRACE_WHEN_STOPPED_NS)
        } else {
            self.plan.grace_ns
        };
        now >= self.end.saturating_add(grace)
    }

    fn flush(&mut self, out: &Sender<IntervalRecord>) {
        let index = self.interval.index;
        let next = IntervalRecord::new(index + 1, &self.steps);
        let mut done = std::mem::replace(&mut self.interval, next);
        let cpu = clock::thread_cpu();
        done.outstanding = self.in_flight;
        done.cpu_ns = cpu - self.cpu_at_flush;
        self.cpu_at_flush = cpu;
        // The collector is gone only when the run is abandoned.
        let _ = out.send(done);
    }

    fn finish(mut self, out: &Sender<IntervalRecord>) -> io::Result<ThreadResult> {
        self.count_unsent();
        self.flush(out);
        let cpu = clock::thread_cpu();
        let from = self.cpu_at_window[0].unwrap_or(cpu);
        let to = self.cpu_at_window[1].unwrap_or(cpu);
        if self.window.1 == u64::MAX {
            self.window.1 = self.last_done.max(self.window.0);
        }
        Ok(ThreadResult {
            window: self.window,
            cpu_ns: to - from,
        })
    }

    /// Stores the time of the last answer; it is the end of a run that ends by
    /// iterations.
    pub fn note_done(&mut self, now: u64) {
        self.last_done = now;
    }

    /// Wakes a client at a time.
    pub fn wake_at(&mut self, client: usize, at: u64) {
        self.clients[client].wake_at = at;
        self.wakes.push(Reverse((at, client as u32)));
    }

    /// Handles an event, unless its connection was closed since.
    pub fn handle_ready(&mut self, ready: ReadySocket) {
        let token = super::client::Token::unpack(ready.token);
        let Some(client) = self.clients.get(token.client) else {
            return;
        };
        let current = client.conns.get(token.conn);
        if current.is_some_and(|c| c.generation == token.generation && c.stream.is_some()) {
            self.handle_socket(token.client, token.conn, ready);
        }
    }
}

/// The part of `n` things that thread `index` gets.
pub(super) fn share(n: u64, index: usize, threads: usize) -> u64 {
    let threads = threads as u64;
    n / threads + u64::from((index as u64) < n % threads)
}

/// The read size: an answer of 256 KB takes one or two reads.
const READ_BYTES: usize = 256 << 10;
/// Interval of the work that is not needed in every iteration.
const TICK_NS: u64 = 20_000_000;
/// How long an interrupted run waits for outstanding answers.
pub(super) const GRACE_WHEN_STOPPED_NS: u64 = 2_000_000_000;
