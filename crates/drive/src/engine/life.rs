//! The life of a client, whatever its transport: it joins, begins iterations and
//! steps, is answered or fails, thinks, and retires.
//!
//! Each transition returns the client's [`NextMove`], which the transport carries
//! out: it sends the request of a step, or waits until a time. The transitions also
//! settle the request in the thread's [`ThreadLedger`].
//!
//! Invariant: no socket, no timer, no clock.

use super::group::GroupLoad;
use super::ledger::ThreadLedger;
use super::record::{PopulationRecord, RequestFailure, note};
use crate::message::TemplateScope;
use crate::plan::{Population, RequestStep, RunPlan};
use base::SeededRandom;

/// A client between its transitions.
pub(super) struct ClientLife {
    /// The index of its population.
    pub population: usize,
    /// Its number in the population, over all threads.
    pub number: u64,
    /// The index of its current step.
    pub step: usize,
    /// The number of its iteration; `u64::MAX` before the first one.
    pub iteration: u64,
    /// When the schedule wanted the request to be sent.
    pub intended: u64,
    /// The earliest possible time: `intended`, or later if the bound on
    /// outstanding requests held it back.
    pub ready: u64,
    /// When it was sent.
    pub sent: u64,
    /// Whether the request counts: it was intended in the measured part.
    pub measured: bool,
    /// The row of each feeder in this iteration.
    pub rows: Vec<u64>,
    /// Values captured from answers.
    pub captured: Vec<Vec<u8>>,
    pub rng: SeededRandom,
    /// Consecutive connection failures; they determine the pause before the
    /// next attempt.
    refusals: u32,
}

/// What a client does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextMove {
    /// It sends the request of its current step.
    Send,
    /// It begins an iteration at this time.
    Iterate(u64),
    /// It begins its current step at this time.
    Step(u64),
    /// It is free for the next arrival of the open loop.
    Free,
    /// It takes part no more.
    Retire,
}

/// An answer as the settlement needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnswerVerdict {
    /// Whether it passed every check.
    pub passed: bool,
    /// Its status; 0 where the protocol has none.
    pub status: u16,
    /// The kernel's time stamp of the last byte on the monotonic clock; 0 without
    /// one.
    pub arrived: u64,
}

impl ClientLife {
    /// A client that has not joined yet.
    pub fn new(plan: &RunPlan, population: usize, number: u64) -> ClientLife {
        let steps = plan.populations[population].steps.iter();
        let slots = steps.flat_map(|s| &s.captures).map(|c| c.slot + 1).max();
        ClientLife {
            population,
            number,
            step: 0,
            iteration: u64::MAX,
            intended: 0,
            ready: 0,
            sent: 0,
            measured: false,
            rows: vec![0; plan.feeders.len()],
            captured: vec![Vec::new(); slots.unwrap_or(0)],
            rng: SeededRandom::stream(plan.seed, ((population as u64) << 40 | number) + 1),
            refusals: 0,
        }
    }

    /// Joins the run. A client of a closed loop joins when its population has grown
    /// to its number. Clients that exist from the start are spread over one think
    /// time. Otherwise they would stay synchronised for the whole run.
    pub fn join(&self, ledger: &mut ThreadLedger, plan: &RunPlan) -> NextMove {
        let GroupLoad::Closed { clients, .. } = &ledger.groups[self.population].load else {
            return NextMove::Free;
        };
        let population = &plan.populations[self.population];
        let share = self.number as f64 / population.clients().max(1) as f64;
        let spread = (population.think.mean_ns() * share) as u64;
        match clients.next_above(self.number as f64, 0) {
            Some(at) => self.iterate_at(ledger, ledger.start + at.max(spread)),
            None => self.retire(ledger),
        }
    }

    /// Begins an iteration. `ready` is the earliest possible time; a delay after it
    /// is the driver's own lateness.
    pub fn begin_iteration(
        &mut self,
        ledger: &mut ThreadLedger,
        plan: &RunPlan,
        [intended, ready, now]: [u64; 3],
    ) -> NextMove {
        if intended >= ledger.end {
            return self.retire(ledger);
        }
        let (p, at) = (self.population, now.max(intended) - ledger.start);
        if let GroupLoad::Closed { clients, quota } = &mut ledger.groups[p].load {
            if *quota == Some(0) {
                return self.retire(ledger);
            }
            let number = self.number as f64;
            if clients.level(at) <= number {
                // The profile has shrunk below this client's number.
                let again = clients.next_above(number, at).map(|t| ledger.start + t);
                return match again.filter(|t| *t < ledger.end) {
                    Some(t) => NextMove::Iterate(t),
                    None => self.retire(ledger),
                };
            }
            if let Some(left) = quota {
                *left -= 1;
            }
        }
        for (feeder, row) in plan.feeders.iter().zip(&mut self.rows) {
            *row = feeder.draw(&mut self.rng);
        }
        self.step = 0;
        self.iteration = self.iteration.wrapping_add(1);
        let held = u64::from(ready > intended);
        let measured = ledger.measures(intended);
        ledger.count(p, measured, |counts| {
            counts.iterations += 1;
            counts.held += held;
        });
        if let GroupLoad::Open { last_sent, .. } = &mut ledger.groups[p].load {
            let last = last_sent.replace(now);
            if let Some(last) = last.filter(|_| measured) {
                ledger.interval.populations[p]
                    .gaps
                    .push((now - last) as f64);
            }
        }
        self.begin_step(ledger, [intended, ready, now])
    }

    /// Begins the current step.
    pub fn begin_step(
        &mut self,
        ledger: &mut ThreadLedger,
        [intended, ready, now]: [u64; 3],
    ) -> NextMove {
        let group = &ledger.groups[self.population];
        if intended >= ledger.end && !group.is_open() && !group.stateful {
            return self.retire(ledger);
        }
        self.intended = intended;
        self.ready = ready;
        self.sent = now;
        self.measured = ledger.measures(intended);
        ledger.in_flight += 1;
        ledger.count(self.population, self.measured, |counts| counts.sent += 1);
        NextMove::Send
    }

    /// The values of the current request's template.
    pub fn scope<'a>(&'a mut self, plan: &'a RunPlan) -> TemplateScope<'a> {
        TemplateScope {
            feeders: &plan.feeders,
            rows: &self.rows,
            captured: &self.captured,
            client: self.number,
            iteration: self.iteration,
            rng: &mut self.rng,
        }
    }

    /// Whether an answer passes every check. Also takes captures.
    pub fn examine(
        &mut self,
        step: &RequestStep,
        (status, body, size): (u16, &[u8], u64),
        header: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> bool {
        let mut passed = step.checks.iter().all(|k| k.passes(status, body, size));
        for capture in &step.captures {
            if let Some(slot) = self.captured.get_mut(capture.slot) {
                passed &= capture.from.take(&header, body, slot);
            }
        }
        passed
    }

    /// Settles the request: its answer was complete at `now`.
    pub fn settle(&mut self, ledger: &mut ThreadLedger, verdict: AnswerVerdict, now: u64) {
        ledger.note_done(now);
        self.refusals = 0;
        let in_window = u64::from(ledger.measures(now));
        let AnswerVerdict { passed, status, .. } = verdict;
        ledger.count(self.population, self.measured, |counts| {
            counts.answered += 1;
            counts.checks_failed += u64::from(!passed);
            counts.status[usize::from(status / 100).min(5)] += 1;
        });
        let record = &mut ledger.interval.populations[self.population];
        // What was begun in the warm-up and answered in the measured part is in its
        // throughput but not in its percentiles.
        record.whole.in_window += in_window;
        record.measured.in_window += in_window;
        if self.measured {
            let times = [self.intended, self.ready, self.sent, now];
            record_times(record, self.step, verdict, times);
        }
    }

    /// Whether the current step is the last one of an iteration.
    pub fn at_last_step(&self, population: &Population) -> bool {
        self.step + 1 == population.steps.len()
    }

    /// Goes on after an answer.
    pub fn advance(&mut self, ledger: &mut ThreadLedger, plan: &RunPlan, now: u64) -> NextMove {
        let population = &plan.populations[self.population];
        let think = population.steps[self.step].think.as_ref();
        let pause = think.unwrap_or(&population.think).draw(&mut self.rng);
        let last = self.at_last_step(population);
        self.step += 1;
        if !last {
            NextMove::Step(now + pause)
        } else if ledger.groups[self.population].is_open() {
            NextMove::Free
        } else {
            self.iterate_at(ledger, now + pause)
        }
    }

    /// Fails the request, which ends its iteration.
    pub fn fail(
        &mut self,
        ledger: &mut ThreadLedger,
        plan: &RunPlan,
        (failure, text): (RequestFailure, &str),
        now: u64,
    ) -> NextMove {
        ledger.note_done(now);
        let population = &plan.populations[self.population];
        let target = &population.targets[population.steps[self.step].target];
        let text = format!("{}: {text}", target.name);
        note(&mut ledger.interval.messages, &text, 1);
        ledger.count(self.population, self.measured, |counts| {
            counts.failed[failure as usize] += 1;
        });
        let record = &mut ledger.interval.populations[self.population];
        if let Some(step) = record.steps.get_mut(self.step).filter(|_| self.measured) {
            step.errors += 1;
        }
        if ledger.groups[self.population].is_open() {
            return NextMove::Free;
        }
        // A closed loop against a stopped server must not become a busy loop.
        let think = population.think.draw(&mut self.rng);
        let mut pause = think.max(SHORTEST_RETRY_NS);
        if failure == RequestFailure::Connect {
            pause += SHORTEST_RETRY_NS << (3 + self.refusals.min(7));
            self.refusals += 1;
        }
        self.iterate_at(ledger, now + pause)
    }

    /// Takes part no more.
    pub fn retire(&self, ledger: &mut ThreadLedger) -> NextMove {
        ledger.groups[self.population].active -= 1;
        NextMove::Retire
    }

    /// The end of the run waits for every client of a stateful group, so none of
    /// them may sleep beyond it.
    fn iterate_at(&self, ledger: &mut ThreadLedger, at: u64) -> NextMove {
        if ledger.groups[self.population].stateful && at >= ledger.end {
            return self.retire(ledger);
        }
        NextMove::Iterate(at)
    }
}

fn record_times(
    record: &mut PopulationRecord,
    step: usize,
    verdict: AnswerVerdict,
    [intended, ready, sent, done]: [u64; 4],
) {
    // A stamp outside the request's duration means that the wall clock was set.
    let arrived = if (sent..done).contains(&verdict.arrived) {
        verdict.arrived
    } else {
        done
    };
    let response = done.saturating_sub(intended);
    record.lateness.record(sent.saturating_sub(ready));
    record.wire.record(arrived.saturating_sub(sent));
    record.response.record(response);
    if verdict.passed {
        record.passed.record(response);
    }
    if let Some(step) = record.steps.get_mut(step) {
        step.response.record(response);
        step.errors += u64::from(!verdict.passed);
    }
}

/// The pause after a failure. While connections are refused, it doubles from eight
/// times this value.
const SHORTEST_RETRY_NS: u64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{ReplyEnd, RequestTemplate};
    use crate::plan::{
        ArrivalSpacing, LoadModel, LoadTarget, Protocol, SocketOptions, ThinkTime, WritePattern,
    };
    use crate::profile::{LevelProfile, ProfilePiece};
    use std::sync::Arc;

    const MS: u64 = 1_000_000;

    /// A plan of one population with two steps, which thinks 10 ms and runs 1 s.
    fn plan(load: LoadModel) -> RunPlan {
        let step = |name: &str| RequestStep {
            name: name.into(),
            target: 0,
            reply_target: 0,
            request: RequestTemplate::Fixed(Arc::new([])),
            writes: WritePattern::default(),
            reply: ReplyEnd::None,
            checks: Vec::new(),
            captures: Vec::new(),
            think: None,
        };
        RunPlan {
            title: String::new(),
            populations: vec![Population {
                name: "p".into(),
                load,
                think: ThinkTime::Constant(10 * MS),
                steps: vec![step("first"), step("second")],
                targets: vec![LoadTarget {
                    address: "127.0.0.1:1".parse().unwrap(),
                    name: "server".into(),
                    tls: None,
                    protocol: Protocol::Stream,
                    keep_alive: true,
                    sources: Arc::new([]),
                    knobs: SocketOptions::default(),
                    opening: None,
                    cycle: None,
                }],
                timeout_ns: 100 * MS,
            }],
            feeders: Vec::new(),
            warmup_ns: 0,
            duration_ns: Some(1000 * MS),
            grace_ns: 50 * MS,
            threads: 1,
            seed: 1,
            start_at: None,
            interval_ns: 1000 * MS,
        }
    }

    fn closed() -> LoadModel {
        LoadModel::Closed {
            clients: LevelProfile::constant(1.0),
            iterations: None,
        }
    }

    fn open() -> LoadModel {
        LoadModel::Open {
            rate: LevelProfile::constant(100.0),
            arrivals: ArrivalSpacing::Constant,
            outstanding: 1,
            ahead: 1,
            spin_ns: None,
        }
    }

    /// A client that has joined the plan's run, which began at 0.
    fn joined(plan: &RunPlan, stateful: bool) -> (ClientLife, ThreadLedger, NextMove) {
        let mut ledger = ThreadLedger::new(plan, 0, |_| true, stateful);
        ledger.begin(plan, 0);
        let life = ClientLife::new(plan, 0, 0);
        let next = life.join(&mut ledger, plan);
        (life, ledger, next)
    }

    const PASSED: AnswerVerdict = AnswerVerdict {
        passed: true,
        status: 200,
        arrived: 0,
    };

    #[test]
    fn a_closed_loop_thinks_after_each_answer() {
        let plan = plan(closed());
        let (mut life, mut ledger, next) = joined(&plan, false);
        assert_eq!(next, NextMove::Iterate(0));
        let next = life.begin_iteration(&mut ledger, &plan, [0, 0, 0]);
        assert_eq!((next, ledger.in_flight), (NextMove::Send, 1));
        life.settle(&mut ledger, PASSED, 3 * MS);
        let next = life.advance(&mut ledger, &plan, 3 * MS);
        assert_eq!((next, ledger.in_flight), (NextMove::Step(13 * MS), 0));
        let next = life.begin_step(&mut ledger, [13 * MS, 13 * MS, 14 * MS]);
        assert_eq!(next, NextMove::Send);
        life.settle(&mut ledger, PASSED, 20 * MS);
        let next = life.advance(&mut ledger, &plan, 20 * MS);
        assert_eq!(next, NextMove::Iterate(30 * MS));
        let record = &ledger.interval.populations[0];
        assert_eq!((record.measured.sent, record.measured.iterations), (2, 1));
        assert_eq!(record.steps[1].response.max() / MS, 7);
        assert_eq!(record.lateness.max() / MS, 1);
    }

    #[test]
    fn a_failure_ends_the_iteration_and_counts_for_its_step() {
        let plan = plan(closed());
        let (mut life, mut ledger, _) = joined(&plan, false);
        let mut pauses = Vec::new();
        for at in [0, 100 * MS, 200 * MS] {
            assert_eq!(
                life.begin_iteration(&mut ledger, &plan, [at, at, at]),
                NextMove::Send
            );
            let failed = (RequestFailure::Connect, "connection refused");
            match life.fail(&mut ledger, &plan, failed, at) {
                NextMove::Iterate(next) => pauses.push((next - at) / MS),
                other => panic!("{other:?}"),
            }
        }
        // The think time, and a pause that doubles.
        assert_eq!(pauses, [18, 26, 42]);
        let record = &ledger.interval.populations[0];
        assert_eq!(record.measured.failures(), 3);
        assert_eq!((record.steps[0].errors, record.steps[1].errors), (3, 0));
        assert_eq!(ledger.interval.messages["server: connection refused"], 3);
    }

    #[test]
    fn an_arrival_that_waited_for_a_client_was_held_back() {
        let plan = plan(open());
        let (mut life, mut ledger, next) = joined(&plan, false);
        assert_eq!(next, NextMove::Free);
        let dues = [ledger.take_due(0).unwrap(), ledger.take_due(0).unwrap()];
        assert_eq!(dues, [0, 10 * MS]);
        life.begin_iteration(&mut ledger, &plan, [0, 0, MS]);
        life.settle(&mut ledger, PASSED, 15 * MS);
        assert_eq!(
            life.advance(&mut ledger, &plan, 15 * MS),
            NextMove::Step(25 * MS)
        );
        life.begin_step(&mut ledger, [25 * MS, 25 * MS, 25 * MS]);
        life.settle(&mut ledger, PASSED, 30 * MS);
        assert_eq!(life.advance(&mut ledger, &plan, 30 * MS), NextMove::Free);
        life.begin_iteration(&mut ledger, &plan, [10 * MS, 30 * MS, 31 * MS]);
        let record = &ledger.interval.populations[0];
        assert_eq!((record.measured.held, record.gaps.mean()), (1, 30e6));
    }

    #[test]
    fn a_closed_loop_ends_between_its_steps_unless_the_server_knows_its_clients() {
        let plan = plan(closed());
        for (stateful, wanted) in [(false, NextMove::Retire), (true, NextMove::Send)] {
            let (mut life, mut ledger, _) = joined(&plan, stateful);
            let at = 995 * MS;
            life.begin_iteration(&mut ledger, &plan, [at, at, at]);
            assert!(!ledger.is_over(1000 * MS));
            life.settle(&mut ledger, PASSED, 996 * MS);
            assert_eq!(
                life.advance(&mut ledger, &plan, 996 * MS),
                NextMove::Step(1006 * MS)
            );
            assert_eq!(ledger.is_over(1000 * MS), !stateful);
            let at = 1006 * MS;
            assert_eq!(life.begin_step(&mut ledger, [at, at, at]), wanted);
            assert_eq!(ledger.is_over(at), !stateful);
            // The grace ends the run in any case.
            assert!(ledger.is_over(1050 * MS));
        }
    }

    #[test]
    fn a_client_leaves_when_the_profile_shrinks_and_comes_back() {
        let piece = |level, length_ns| ProfilePiece {
            from: level,
            to: level,
            length_ns,
        };
        let pieces = vec![piece(1.0, 100 * MS), piece(0.0, 100 * MS), piece(1.0, 0)];
        let plan = plan(LoadModel::Closed {
            clients: LevelProfile::new(pieces),
            iterations: Some(1),
        });
        let (mut life, mut ledger, _) = joined(&plan, false);
        let mut begin = |at| life.begin_iteration(&mut ledger, &plan, [at, at, at]);
        assert_eq!(begin(150 * MS), NextMove::Iterate(200 * MS));
        assert_eq!(begin(200 * MS), NextMove::Send);
        assert_eq!(begin(300 * MS), NextMove::Retire, "the quota is used up");
    }

    #[test]
    fn a_stamp_of_a_clock_that_was_set_does_not_bend_the_time_on_the_wire() {
        let wire = |arrived| {
            let mut record = PopulationRecord::new(1);
            let verdict = AnswerVerdict {
                passed: true,
                status: 200,
                arrived,
            };
            record_times(&mut record, 0, verdict, [1000, 1100, 1200, 2000]);
            assert_eq!(record.response.max(), 1000);
            record.wire.max()
        };
        assert_eq!(wire(1900), 700);
        for jumped in [0, 1199, 2001, u64::MAX] {
            assert_eq!(wire(jumped), 800, "{jumped}");
        }
    }
}
