//! A simulated task: its script, and what it knows of its unit of work.

use link::{Answer, Call, Op};

use super::World;
use super::links::Slot;
use super::program::{self, Act, REMOTE};
use super::random::Random;
use crate::core::{Caller as Who, TaskKey};
use cics::resp::Condition;

/// A task that runs, or is about to.
#[derive(Debug)]
pub struct SimTask {
    script: std::vec::IntoIter<Act>,
    /// It asked and was not answered.
    asked: Option<Asked>,
    /// The unit in progress, once it has changed anything.
    pub unit: Option<u64>,
    /// What it does to an account when it has read it.
    change: Option<(u64, i64)>,
    /// An answer told it to end.
    abended: bool,
    /// Its slot holds results without an abend.
    pub ended_well: bool,
    /// It asked for a syncpoint and does not know how it ended.
    pub deciding: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Read,
    Other,
    Syncpoint,
    Rollback,
}

impl SimTask {
    /// A task with a script of its own.
    pub fn new(random: &mut Random, may_start: bool) -> Self {
        SimTask {
            script: program::script(random, may_start).into_iter(),
            asked: None,
            unit: None,
            change: None,
            abended: false,
            ended_well: false,
            deciding: false,
        }
    }
}

impl World {
    /// The running task of a slot goes on.
    pub(super) fn run_task(&mut self, worker: usize, slot: usize) {
        let Who::Task(key) = self.core.caller(worker, slot) else {
            return;
        };
        let Some(task) = self.tasks.get_mut(&key) else {
            return;
        };
        if task.asked.is_some() {
            return;
        }
        if task.abended {
            self.finish(key, worker, slot, false);
            return;
        }
        let Some(act) = task.script.next() else {
            self.finish(key, worker, slot, true);
            return;
        };
        match act {
            Act::Ask(call) => self.ask(key, call, Asked::Other),
            Act::Change(account, amount) => {
                task.change = Some((account, amount));
                self.ask(key, program::read_update(account), Asked::Read);
            }
            Act::Ledger => {
                self.last_unit += 1;
                task.unit = Some(self.last_unit);
                self.ask(key, program::write_ledger(self.last_unit), Asked::Other);
            }
            Act::Deposit(amount) => {
                if let Some(unit) = task.unit {
                    self.remote.pending.insert(key, (unit, amount));
                    self.known_to_kernel(key);
                    self.kernel(|k, now, out| k.with(now, out, |_, cx| cx.join(key, REMOTE)));
                }
            }
            Act::Syncpoint => {
                task.deciding = true;
                self.ask(key, bare(Op::Syncpoint), Asked::Syncpoint);
            }
            Act::Rollback => self.ask(key, bare(Op::Rollback), Asked::Rollback),
            Act::Abend => task.abended = true,
        }
    }

    /// A task is answered.
    pub(super) fn answered(&mut self, key: TaskKey, answer: &Answer) {
        if self.core.runs_in(key).is_none() {
            return;
        }
        let Some(task) = self.tasks.get_mut(&key) else {
            return;
        };
        let asked = task.asked.take().expect("an answer to a question");
        if !answer.abend.is_blank() {
            task.abended = true;
            return;
        }
        match (asked, answer.condition) {
            (Asked::Read, Condition::Normal) => {
                if let Some((account, amount)) = task.change.take() {
                    let balance =
                        program::balance(&answer.data[answer.args[2] as usize..]) + amount;
                    self.ask(key, program::rewrite(account, balance), Asked::Other);
                }
            }
            (Asked::Syncpoint, Condition::Normal) => {
                task.deciding = false;
                let unit = task.unit.take();
                self.report.committed += u64::from(unit.is_some());
                self.acknowledged.extend(unit);
            }
            (Asked::Syncpoint, _) | (Asked::Rollback, _) => {
                task.deciding = false;
                let unit = task.unit.take();
                self.report.backed_out += u64::from(unit.is_some());
                self.refused.extend(unit);
            }
            (_, Condition::Normal) => {}
            // Whatever else it is told, it gives up.
            _ => task.abended = true,
        }
    }

    /// A task is over: what is known of its last unit now.
    pub(super) fn judge_end(&mut self, task: &SimTask, normal: bool) {
        let Some(unit) = task.unit else {
            return;
        };
        if task.deciding {
            // It died while the unit was decided: either is right.
            return;
        }
        if task.ended_well && normal {
            self.report.committed += 1;
            self.acknowledged.insert(unit);
        } else {
            self.report.backed_out += 1;
            self.refused.insert(unit);
        }
    }

    fn ask(&mut self, key: TaskKey, call: Call, asked: Asked) {
        if let Some(task) = self.tasks.get_mut(&key) {
            task.asked = Some(asked);
        }
        self.known_to_kernel(key);
        let Some(caller) = self.core.task(key).map(|t| t.caller(key)) else {
            return;
        };
        let called = self.kernel(|k, now, out| k.call(now, caller, call, out));
        assert_eq!(called, Ok(()), "operands of our own");
    }

    fn known_to_kernel(&mut self, key: TaskKey) {
        if let Some(task) = self.core.task_mut(key) {
            task.in_kernel = true;
        }
    }

    fn finish(&mut self, key: TaskKey, worker: usize, slot: usize, well: bool) {
        if let Some(task) = self.tasks.get_mut(&key) {
            task.ended_well = well;
        }
        if let Some((_, _, state)) = &mut self.links.worker(worker).slots[slot] {
            *state = Slot::Done;
        }
        self.core(|c, cx| c.hear(cx, worker, None));
    }
}

fn bare(op: Op) -> Call {
    program::call(op, [0, 0], Vec::new())
}
