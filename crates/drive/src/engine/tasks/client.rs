//! One client that is a task: it carries out the moves of its life over a protocol.

use super::ThreadContext;
use super::line::{Answer, Asked, Failed, Line, Meter};
use crate::clock;
use crate::engine::RequestFailure;
use crate::engine::life::{AnswerVerdict, ClientLife, NextMove};
use crate::plan::RunPlan;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::timeout;

/// One client and its connections.
pub(super) struct TaskClient {
    life: ClientLife,
    line: Line,
}

impl TaskClient {
    /// A client. Returns `None` if the clients of its population are not tasks.
    pub fn new(plan: &RunPlan, population: usize, number: u64) -> Option<TaskClient> {
        Some(TaskClient {
            line: Line::of(&plan.populations[population])?,
            life: ClientLife::new(plan, population, number),
        })
    }

    /// Carries out its moves until it retires.
    pub async fn live(mut self, common: &Rc<ThreadContext>) {
        let plan = common.plan.clone();
        let mut next = self.life.join(&mut common.ledger.borrow_mut(), &plan);
        loop {
            next = match next {
                NextMove::Send => self.request(common).await,
                NextMove::Iterate(at) => {
                    common.timer.sleep_until(at).await;
                    let ledger = &mut common.ledger.borrow_mut();
                    let times = [at, at, clock::now()];
                    self.life.begin_iteration(ledger, &plan, times)
                }
                NextMove::Step(at) => {
                    common.timer.sleep_until(at).await;
                    let ledger = &mut common.ledger.borrow_mut();
                    self.life.begin_step(ledger, [at, at, clock::now()])
                }
                NextMove::Free => {
                    // Free clients take the arrivals in turn, each ahead of its time.
                    let freed = clock::now();
                    let due = common.ledger.borrow_mut().take_due(self.life.population);
                    let Some(due) = due else {
                        self.life.retire(&mut common.ledger.borrow_mut());
                        return;
                    };
                    common.timer.sleep_until(due).await;
                    let ledger = &mut common.ledger.borrow_mut();
                    let times = [due, due.max(freed), clock::now()];
                    self.life.begin_iteration(ledger, &plan, times)
                }
                NextMove::Retire => return,
            }
        }
    }

    /// Sends the request of the current step and settles its outcome.
    async fn request(&mut self, common: &Rc<ThreadContext>) -> NextMove {
        let plan = &common.plan;
        let population = &plan.populations[self.life.population];
        let step = &population.steps[self.life.step];
        let answer = self.exchange(common).await;
        let mut now = clock::now();
        let Answer {
            status,
            headers,
            body,
            size,
        } = match answer {
            Ok(answer) => answer,
            Err((failure, text)) => {
                self.line.give_up();
                let ledger = &mut common.ledger.borrow_mut();
                return self.life.fail(ledger, plan, (failure, &text), now);
            }
        };
        let header = |name: &str| headers.get(name).map(|v| v.as_bytes().to_vec());
        let verdict = AnswerVerdict {
            passed: self.life.examine(step, (status, &body, size), header),
            status,
            // The library reads the socket, so there is no time stamp.
            arrived: 0,
        };
        let life = &mut self.life;
        life.settle(&mut common.ledger.borrow_mut(), verdict, now);
        if life.at_last_step(population) {
            self.line.end_iteration(population).await;
            now = clock::now();
        }
        life.advance(&mut common.ledger.borrow_mut(), plan, now)
    }

    /// Renders and sends the step's request and receives the answer within the
    /// timeout.
    async fn exchange(&mut self, common: &Rc<ThreadContext>) -> Result<Answer, Failed> {
        let plan = &common.plan;
        let population = &plan.populations[self.life.population];
        let step = &population.steps[self.life.step];
        let mut bytes = Vec::new();
        step.request
            .render(&mut self.life.scope(plan), &mut Vec::new(), &mut bytes)
            .map_err(|why| (RequestFailure::Malformed, why.to_string()))?;
        let asked = Asked {
            step,
            target: &population.targets[step.target],
            bytes: &bytes,
            client: self.life.number,
        };
        let meter = Meter {
            common,
            population: self.life.population,
            measured: self.life.measured,
        };
        let patience = Duration::from_nanos(population.timeout_ns);
        let answer = timeout(patience, self.line.exchange(&asked, &meter)).await;
        let late = || {
            let why = "no complete answer within the timeout".to_owned();
            Err((RequestFailure::Timeout, why))
        };
        answer.unwrap_or_else(|_| late())
    }
}
