//! One client that is a task: its iterations, and the outcome of each request.

use super::line::{Answer, Asked, Failed, Line, Meter};
use super::{ThreadContext, ThreadState};
use crate::clock;
use crate::engine::RequestFailure;
use crate::engine::lifecycle::record_times;
use crate::engine::record::note;
use crate::message::TemplateScope;
use crate::plan::{LoadModel, LoadTarget, Population, RequestStep, RunPlan};
use base::SeededRandom;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::timeout;

/// One client between its requests.
pub(super) struct Client {
    population: usize,
    number: u64,
    iteration: u64,
    rng: SeededRandom,
    rows: Vec<u64>,
    captured: Vec<Vec<u8>>,
    line: Line,
}

impl Client {
    /// A client. Returns `None` if the clients of its population are not tasks.
    pub fn new(plan: &RunPlan, population: usize, number: u64) -> Option<Client> {
        let line = Line::of(&plan.populations[population])?;
        let steps = plan.populations[population].steps.iter();
        let slots = steps.flat_map(|s| &s.captures).map(|c| c.slot + 1).max();
        Some(Client {
            population,
            number,
            iteration: 0,
            rng: SeededRandom::stream(plan.seed, ((population as u64) << 40 | number) + 1),
            rows: vec![0; plan.feeders.len()],
            captured: vec![Vec::new(); slots.unwrap_or(0)],
            line,
        })
    }

    /// Sends its requests until the run is over.
    pub async fn live(mut self, common: &Rc<ThreadContext>) {
        let (plan, shared) = (common.plan.clone(), &common.state);
        let population = &plan.populations[self.population];
        let (start, warmup) = (shared.borrow().start, plan.warmup_ns);
        let mut free = clock::now();
        match &population.load {
            LoadModel::Open { .. } => loop {
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
            LoadModel::Closed { clients, .. } => {
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

    /// Runs one iteration. Returns `false` if a request failed.
    async fn iterate(
        &mut self,
        population: &Population,
        intended: u64,
        ready: u64,
        common: &Rc<ThreadContext>,
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

    /// Records the outcome of a request. Returns `false` if it failed.
    #[allow(clippy::too_many_arguments, reason = "one request's whole story")]
    fn settle(
        &mut self,
        answer: Result<Answer, Failed>,
        step: &RequestStep,
        index: usize,
        measured: bool,
        times: [u64; 4],
        target: &LoadTarget,
        shared: &RefCell<ThreadState>,
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
                });
                let record = &mut state.interval.populations[p];
                record.whole.in_window += in_window;
                record.measured.in_window += in_window;
                if measured {
                    // The library reads the socket, so there is
                    // no time stamp.
                    record_times(record, index, passed, times, 0);
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

    /// Renders and sends the step's request and receives the answer within the
    /// timeout.
    async fn exchange(
        &mut self,
        population: &Population,
        step: &RequestStep,
        measured: bool,
        common: &Rc<ThreadContext>,
    ) -> Result<Answer, Failed> {
        let mut bytes = Vec::new();
        let mut scope = TemplateScope {
            feeders: &common.plan.feeders,
            rows: &self.rows,
            captured: &self.captured,
            client: self.number,
            iteration: self.iteration,
            rng: &mut self.rng,
        };
        step.request
            .render(&mut scope, &mut Vec::new(), &mut bytes)
            .map_err(|why| (RequestFailure::Malformed, why.to_string()))?;
        let asked = Asked {
            step,
            target: &population.targets[step.target],
            bytes: &bytes,
            client: self.number,
        };
        let meter = Meter {
            common,
            population: self.population,
            measured,
        };
        let patience = Duration::from_nanos(population.timeout_ns);
        let answer = timeout(patience, self.line.exchange(&asked, &meter)).await;
        let late = || {
            let why = "no complete answer within the timeout".to_owned();
            Err((RequestFailure::Timeout, why))
        };
        answer.unwrap_or_else(|_| late())
    }

    fn examine(&mut self, step: &RequestStep, answer: &Answer) -> bool {
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

/// The pause after a failure, so that a stopped server does not cause a busy loop.
const RETRY_NS: u64 = 10_000_000;
