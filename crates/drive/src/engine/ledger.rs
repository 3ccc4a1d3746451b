//! The settlement of one thread: its records by interval, its outstanding requests,
//! and the phases of its run (warm-up, measured part, grace, end). Threads of every
//! transport have one.
//!
//! Invariant: no socket and no timer; callers pass the time. Only the CPU clock of
//! the thread is read here.

use super::group::{ClientGroup, GroupLoad};
use super::record::{IntervalRecord, RequestCounts};
use crate::clock;
use crate::plan::{Population, RunPlan};
use std::sync::mpsc::Sender;

/// The records of one thread.
pub(super) struct ThreadLedger {
    /// One for each population of the plan.
    pub groups: Vec<ClientGroup>,
    /// The current interval.
    pub interval: IntervalRecord,
    /// Requests that are outstanding.
    pub in_flight: u64,
    /// When the run began.
    pub start: u64,
    /// No request is intended at or after this time.
    pub end: u64,
    /// The measured part.
    window: (u64, u64),
    /// When the last request was answered or failed.
    last_done: u64,
    stopped: bool,
    grace_ns: u64,
    interval_ns: u64,
    /// Steps of each population.
    steps: Vec<usize>,
    flush_at: u64,
    cpu_at_flush: u64,
    cpu_at_window: [Option<u64>; 2],
}

/// The result of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ThreadResult {
    /// The measured part as it really was, monotonic ns.
    pub window: (u64, u64),
    /// CPU used in the measured part, ns.
    pub cpu_ns: u64,
}

impl ThreadLedger {
    /// The ledger of thread `index` for the populations that `serves` selects.
    /// `stateful` is explained at [`ClientGroup`].
    pub fn new(
        plan: &RunPlan,
        index: usize,
        serves: impl Fn(&Population) -> bool,
        stateful: bool,
    ) -> ThreadLedger {
        let group = |(p, population): (usize, &Population)| {
            if serves(population) {
                ClientGroup::new(plan, p, index, stateful)
            } else {
                ClientGroup::elsewhere()
            }
        };
        let steps: Vec<usize> = plan.populations.iter().map(|p| p.steps.len()).collect();
        ThreadLedger {
            groups: plan.populations.iter().enumerate().map(group).collect(),
            interval: IntervalRecord::new(0, &steps),
            in_flight: 0,
            start: 0,
            end: u64::MAX,
            window: (0, u64::MAX),
            last_done: 0,
            stopped: false,
            grace_ns: plan.grace_ns,
            interval_ns: plan.interval_ns,
            steps,
            flush_at: u64::MAX,
            cpu_at_flush: 0,
            cpu_at_window: [None; 2],
        }
    }

    /// Begins the run at `start`.
    pub fn begin(&mut self, plan: &RunPlan, start: u64) {
        self.start = start;
        self.end = plan.length_ns().map_or(u64::MAX, |length| start + length);
        self.window = (start + plan.warmup_ns, self.end);
        self.flush_at = start + self.interval_ns;
        self.cpu_at_flush = clock::thread_cpu();
    }

    /// Notes the stop flag, and the CPU at both ends of the measured part. To be
    /// called often, but not for each request.
    pub fn note_progress(&mut self, now: u64, stop: bool) {
        if stop && !self.stopped {
            self.stopped = true;
            self.end = self.end.min(now);
            self.window.1 = self.window.1.min(now).max(self.window.0);
        }
        let ends = [self.window.0, self.window.1];
        for (slot, at) in self.cpu_at_window.iter_mut().zip(ends) {
            if slot.is_none() && now >= at {
                *slot = Some(clock::thread_cpu());
            }
        }
    }

    /// When the current interval ends.
    pub fn next_flush(&self) -> u64 {
        self.flush_at
    }

    /// Hands over the intervals that have ended.
    pub fn flush_ended(&mut self, now: u64, out: &Sender<IntervalRecord>) {
        while now >= self.flush_at {
            self.flush(out);
            self.flush_at += self.interval_ns;
        }
    }

    fn flush(&mut self, out: &Sender<IntervalRecord>) {
        let next = IntervalRecord::new(self.interval.index + 1, &self.steps);
        let mut ended = std::mem::replace(&mut self.interval, next);
        let cpu = clock::thread_cpu();
        ended.outstanding = self.in_flight;
        ended.cpu_ns = cpu - self.cpu_at_flush;
        self.cpu_at_flush = cpu;
        // The collector is gone only when the run is abandoned.
        let _ = out.send(ended);
    }

    /// Whether the thread's run is over: nothing more is due and nothing
    /// outstanding, or the grace for outstanding requests has passed.
    pub fn is_over(&self, now: u64) -> bool {
        let ended = now >= self.end || self.end == u64::MAX;
        if ended && self.in_flight == 0 && (0..self.groups.len()).all(|g| self.has_ended(g, now)) {
            return true;
        }
        let grace = if self.stopped {
            self.grace_ns.min(GRACE_WHEN_STOPPED_NS)
        } else {
            self.grace_ns
        };
        now >= self.end.saturating_add(grace)
    }

    /// Whether a group without outstanding requests begins no other one.
    fn has_ended(&self, group: usize, now: u64) -> bool {
        match &self.groups[group] {
            ClientGroup { active: 0, .. } => true,
            ClientGroup { stateful: true, .. } => self.stopped,
            ClientGroup { load, .. } => match load {
                GroupLoad::Closed { .. } => now >= self.end,
                GroupLoad::Open { .. } => self.next_due(group).is_none(),
            },
        }
    }

    /// Ends the run and hands over what is left.
    pub fn finish(&mut self, out: &Sender<IntervalRecord>) -> ThreadResult {
        self.count_unsent();
        self.flush(out);
        let cpu = clock::thread_cpu();
        let [from, to] = self.cpu_at_window.map(|at| at.unwrap_or(cpu));
        // A run that ends by its iterations ends with its last answer.
        if self.window.1 == u64::MAX {
            self.window.1 = self.last_done.max(self.window.0);
        }
        ThreadResult {
            window: self.window,
            cpu_ns: to - from,
        }
    }

    /// Counts the arrivals that were due but had no free client until the end.
    fn count_unsent(&mut self) {
        for g in 0..self.groups.len() {
            while let Some(due) = self.take_due(g) {
                let measured = self.measures(due);
                self.count(g, measured, |counts| counts.unsent += 1);
            }
        }
    }

    /// When the next arrival of an open loop is due. Returns `None` for a closed
    /// loop, and after the last one before the end.
    pub fn next_due(&self, group: usize) -> Option<u64> {
        let GroupLoad::Open { schedule, .. } = &self.groups[group].load else {
            return None;
        };
        let due = schedule.next().map(|t| self.start + t);
        due.filter(|due| *due < self.end)
    }

    /// Takes the next arrival of an open loop.
    pub fn take_due(&mut self, group: usize) -> Option<u64> {
        let due = self.next_due(group)?;
        if let GroupLoad::Open { schedule, .. } = &mut self.groups[group].load {
            schedule.advance();
        }
        Some(due)
    }

    /// Whether a time is in the measured part.
    pub fn measures(&self, at: u64) -> bool {
        (self.window.0..self.window.1).contains(&at)
    }

    /// Whether it was the measured part at `at` or when the last request ended, if
    /// that was later. This saves a reading of the clock.
    pub fn measures_now(&self, at: u64) -> bool {
        self.measures(at.max(self.last_done))
    }

    /// When the last request was answered or failed.
    pub fn last_done(&self) -> u64 {
        self.last_done
    }

    /// One request less is outstanding.
    pub fn note_done(&mut self, now: u64) {
        self.in_flight -= 1;
        self.last_done = now;
    }

    /// Counts something that happened to a population.
    pub fn count(&mut self, population: usize, measured: bool, each: impl Fn(&mut RequestCounts)) {
        let record = &mut self.interval.populations[population];
        each(&mut record.whole);
        if measured {
            each(&mut record.measured);
        }
    }

    /// Counts a connection or conversation that was opened in `took_ns`.
    pub fn note_connect(&mut self, population: usize, measured: bool, took_ns: u64) {
        self.count(population, measured, |counts| counts.connects += 1);
        let record = &mut self.interval.populations[population];
        record.connect.record(took_ns);
    }
}

/// How long an interrupted run waits for outstanding answers.
const GRACE_WHEN_STOPPED_NS: u64 = 2_000_000_000;
