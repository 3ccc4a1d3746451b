//! A simulated task: its script, and the state of its unit of work.

use cics::command::commands::{fetch_any, get_counter, readq_td, readq_ts, run_transid};
use cics::cvda;
use cics::resp::Condition;
use link::{CallAnswer, CallOperation, CommandOperands, WorkerCall};

use super::SimWorld;
use super::links::SlotProgress;
use super::model::{ModelChange, OnTd, StartFate};
use super::program::{self, TaskStep, TdQueueKind, Token};
use super::terminals;
use crate::core::{CallOwner as Who, TaskKey};
use base::SeededRandom;

/// A task that runs, or is about to.
#[derive(Debug)]
pub struct SimTask {
    script: std::vec::IntoIter<TaskStep>,
    /// The call that has no response yet.
    pub pending_call: Option<PendingCall>,
    /// The unit in progress, once it has changed anything that is not in the
    /// store.
    pub unit: Option<u64>,
    /// The changes of the unit except files.
    pub changes: Vec<ModelChange>,
    /// The START that started the task.
    pub request: Option<u64>,
    /// The change to an account after the task has read it.
    change: Option<(u64, i64)>,
    /// The children, and the children that FETCH ANY has returned.
    children: Vec<Token>,
    fetched: Vec<Token>,
    /// The number that RETURN saved, and whether it outlives the region.
    pub returned: Option<(u64, bool)>,
    /// The response to a call abended the task.
    abended: bool,
    /// The results in the slot have no abend.
    pub ended_well: bool,
}

/// A call that waits for its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PendingCall {
    Read,
    Unit(u64),
    Item(u64),
    LookAtItem,
    NoItems,
    Td(OnTd),
    Number,
    Counter,
    Start(u64, bool),
    Cancel(u64),
    Run,
    FetchAny,
    Fetch(Token),
    Free,
    Enqueue(u8),
    Dequeue(u8),
    Syncpoint,
    Rollback,
    Return(u64, bool),
    Other,
}

impl SimTask {
    /// A task of a transaction with a script of its own.
    pub fn new(random: &mut SeededRandom, transid: &str, request: Option<u64>) -> Self {
        SimTask {
            script: program::script(random, transid).into_iter(),
            pending_call: None,
            unit: None,
            changes: Vec::new(),
            request,
            change: None,
            children: Vec::new(),
            fetched: Vec::new(),
            returned: None,
            abended: false,
            ended_well: false,
        }
    }
}

impl SimWorld {
    /// Continues the running task of a slot.
    pub(super) fn run_task(&mut self, worker: usize, slot: usize) {
        let Who::Task(key) = self.core.caller(worker, slot) else {
            return;
        };
        let Some(task) = self.tasks.get_mut(&key) else {
            return;
        };
        if task.pending_call.is_some() {
            return;
        }
        if task.abended {
            self.finish(key, worker, slot, false);
            return;
        }
        match task.script.next() {
            Some(act) => self.do_act(key, act),
            None => self.finish(key, worker, slot, true),
        }
    }

    fn do_act(&mut self, key: TaskKey, act: TaskStep) {
        let Some(task) = self.tasks.get_mut(&key) else {
            return;
        };
        let unit = task.unit.unwrap_or(0);
        let child = task.children.last().cloned().unwrap_or_default();
        let (call, asked) = match act {
            TaskStep::Delay(ms) => (program::wait(ms), PendingCall::Other),
            TaskStep::Enqueue(name) => (program::enqueue(name), PendingCall::Enqueue(name)),
            TaskStep::Dequeue(name) => (program::dequeue(name), PendingCall::Dequeue(name)),
            TaskStep::Change(account, amount) => {
                task.change = Some((account, amount));
                (program::read_update(account), PendingCall::Read)
            }
            TaskStep::Ledger => {
                self.last_unit += 1;
                task.unit = Some(self.last_unit);
                (program::write_ledger(self.last_unit), PendingCall::Other)
            }
            TaskStep::LookForUnit(back) => {
                let Some(number) = self.last_unit.checked_sub(back).filter(|n| *n > 0) else {
                    return;
                };
                (program::read_ledger(number), PendingCall::Unit(number))
            }
            TaskStep::Deposit(at, amount) => {
                self.known_to_kernel(key);
                let done = self.deposit(at, key, unit, amount);
                if let Some(task) = self.tasks.get_mut(&key) {
                    task.abended |= !done;
                }
                return;
            }
            TaskStep::DepositAtDecider(amount) => {
                self.known_to_kernel(key);
                let done = self.deposit_at_decider(key, unit, amount);
                if let Some(task) = self.tasks.get_mut(&key) {
                    task.abended |= !done;
                }
                return;
            }
            TaskStep::JoinDecider => {
                self.known_to_kernel(key);
                let joined = self.join_decider(key).is_some();
                if let Some(task) = self.tasks.get_mut(&key) {
                    task.abended |= !joined;
                }
                return;
            }
            TaskStep::PutItem => (program::put_item(unit), PendingCall::Item(unit)),
            TaskStep::LookAtItem => (program::look_at_item(), PendingCall::LookAtItem),
            TaskStep::DropItems => (program::drop_items(), PendingCall::NoItems),
            TaskStep::PutRecord(td) => {
                let asked = PendingCall::Td(OnTd::Put(td, unit));
                (program::put_record(td, unit), asked)
            }
            TaskStep::TakeRecord(td) => (program::take_record(td), PendingCall::Td(OnTd::Take(td))),
            TaskStep::DropRecords(td) => {
                (program::drop_records(td), PendingCall::Td(OnTd::Drop(td)))
            }
            TaskStep::Number => (program::number(), PendingCall::Number),
            TaskStep::Counter(call) => (call, PendingCall::Counter),
            TaskStep::Start(seconds, protect) => {
                self.last_request += 1;
                let number = self.last_request;
                self.model.ask(number, protect);
                let call = program::start_call(number, seconds, protect);
                (call, PendingCall::Start(number, protect))
            }
            TaskStep::StartAt(at, seconds, protect) => {
                self.last_request += 1;
                let number = self.last_request;
                self.model.ask(number, protect);
                self.model.for_terminal(number, at);
                let call = terminals::start_call(number, at, seconds, protect);
                (call, PendingCall::Start(number, protect))
            }
            TaskStep::Receive => (terminals::receive_call(), PendingCall::Other),
            TaskStep::Send => (terminals::send_call(), PendingCall::Other),
            TaskStep::Return(keeps) => {
                let number = self.terminals.next_number();
                let call = terminals::return_call(number, keeps);
                (call, PendingCall::Return(number, keeps))
            }
            TaskStep::Cancel => {
                let back = self.random.below(4);
                let Some(number) = self.last_request.checked_sub(back).filter(|n| *n > 0) else {
                    return;
                };
                (program::cancel_call(number), PendingCall::Cancel(number))
            }
            TaskStep::Run => (program::run_child(), PendingCall::Run),
            TaskStep::FetchAny => {
                let timeout_ms = self.random.below(3) as i64 * 20;
                (program::fetch_any_call(timeout_ms), PendingCall::FetchAny)
            }
            TaskStep::FetchChild => (program::fetch_child_call(&child), PendingCall::Fetch(child)),
            TaskStep::Free => {
                task.children.pop();
                (program::free_child_call(&child), PendingCall::Free)
            }
            TaskStep::Syncpoint => (bare(CallOperation::Syncpoint), PendingCall::Syncpoint),
            TaskStep::Rollback => (bare(CallOperation::Rollback), PendingCall::Rollback),
            TaskStep::Abend => {
                task.abended = true;
                return;
            }
        };
        self.ask(key, call, asked);
    }

    /// A task gets a response.
    pub(super) fn answered(&mut self, key: TaskKey, answer: &CallAnswer) {
        if self.core.runs_in(key).is_none() {
            return;
        }
        let Some(task) = self.tasks.get_mut(&key) else {
            return;
        };
        let asked = task.pending_call.take().expect("an answer to a question");
        if !answer.abend.is_blank() {
            task.abended = true;
            // Its unit may be in doubt, and continues without it.
            let synced = asked == PendingCall::Syncpoint;
            if let PendingCall::Start(number, _) = asked {
                self.model.fate(number, StartFate::Never);
            }
            if synced {
                self.deciding_without(key);
                self.model.unit_over(key);
            }
            return;
        }
        match (asked, answer.condition) {
            (PendingCall::Syncpoint, condition) => self.synced(key, condition == Condition::Normal),
            (PendingCall::Rollback, _) => {
                self.model.unit_over(key);
                self.backed_out(key);
            }
            (asked, Condition::Normal) => self.done(key, asked, answer),
            (asked, condition) => self.not_done(key, &asked, condition),
        }
    }

    /// A SYNCPOINT gets its response.
    fn synced(&mut self, key: TaskKey, committed: bool) {
        self.model.unit_over(key);
        self.must_be_decided(key);
        let start = self.core.task(key).and_then(|task| task.start);
        let Some(task) = self.tasks.get(&key) else {
            return;
        };
        if committed {
            self.terminals.unit_committed(start);
            let lost = (task.unit, &task.changes);
            assert!(
                task.unit.is_none() && task.changes.is_empty(),
                "acknowledged and not in the store: {lost:?}"
            );
        } else {
            self.backed_out(key)
        }
    }

    /// A task's unit was backed out.
    fn backed_out(&mut self, key: TaskKey) {
        if let Some(task) = self.tasks.get_mut(&key) {
            self.model.back_out(&std::mem::take(&mut task.changes));
            if let Some(unit) = task.unit.take() {
                self.report.backed_out += 1;
                self.refused.insert(unit);
            }
        }
    }

    /// A task's call succeeded.
    fn done(&mut self, key: TaskKey, asked: PendingCall, answer: &CallAnswer) {
        let Some(task) = self.tasks.get_mut(&key) else {
            return;
        };
        let given = |option: u8| {
            let operands = CommandOperands::parse(&answer.data).expect("operands");
            operands.get_bytes(option).expect("it").to_vec()
        };
        match asked {
            PendingCall::Read => {
                if let Some((account, amount)) = task.change.take() {
                    let record = answer.on_file().found().record;
                    let balance = program::balance(record) + amount;
                    self.ask(key, program::rewrite(account, balance), PendingCall::Other);
                }
            }
            // What others have not committed is waited for.
            PendingCall::Unit(number) => {
                assert!(!self.refused.contains(&number), "unit {number} never was");
                let mut others = self.tasks.iter().filter(|(other, _)| **other != key);
                let open = others.any(|(_, task)| task.unit == Some(number));
                assert!(!open, "unit {number} is not committed and was read");
            }
            PendingCall::Item(unit) => task.changes.push(ModelChange::Item(unit)),
            PendingCall::NoItems => task.changes.push(ModelChange::NoItems),
            PendingCall::LookAtItem => {
                let item = program::number_in(&given(readq_ts::INTO));
                let seen = self.model.items_seen(&task.changes);
                assert_eq!(Some(&item), seen.first(), "the first item of {seen:?}");
            }
            PendingCall::Td(OnTd::Put(TdQueueKind::Logical, unit)) => {
                task.changes.push(ModelChange::Record(unit))
            }
            PendingCall::Td(OnTd::Drop(TdQueueKind::Logical)) => {
                task.changes.push(ModelChange::NoRecords);
                self.model.found_empty(key);
            }
            PendingCall::Td(OnTd::Take(TdQueueKind::Logical)) => {
                let record = program::number_in(&given(readq_td::INTO));
                let seen = self.model.records_seen(&task.changes);
                assert_eq!(Some(&record), seen.front(), "the first record of {seen:?}");
                task.changes.push(ModelChange::Taken);
            }
            PendingCall::Number => {
                let operands = CommandOperands::parse(&answer.data).expect("operands");
                let number = operands.get_int(get_counter::VALUE);
                self.model.given(number.expect("a number"));
            }
            PendingCall::Return(number, keeps) => self.left(key, number, keeps),
            PendingCall::Start(number, true) => task.changes.push(ModelChange::Request(number)),
            PendingCall::Cancel(number) => {
                self.report.cancelled += 1;
                self.model.cancelled(number);
            }
            PendingCall::Run => task.children.push(given(run_transid::CHILD)),
            PendingCall::FetchAny => {
                let token = given(fetch_any::ANY);
                assert!(!task.fetched.contains(&token), "a child is fetched twice");
                task.fetched.push(token.clone());
                self.fetched(&token, answer, fetch_any::COMPSTATUS);
            }
            PendingCall::Fetch(token) => {
                task.fetched.push(token.clone());
                let status = cics::command::commands::fetch_child::COMPSTATUS;
                self.fetched(&token, answer, status);
            }
            PendingCall::Enqueue(name) => self.model.enqueued(name, key),
            PendingCall::Dequeue(name) => self.model.dequeued(name, key),
            // The physically recoverable queue counts what is in the store.
            _ => {}
        }
    }

    /// RETURN gets its response. A terminal that was removed keeps no data.
    fn left(&mut self, key: TaskKey, number: u64, keeps: bool) {
        let start = self.core.task(key).and_then(|t| t.start);
        let there = start.is_some_and(|start| self.has_terminal(start));
        if let Some(task) = self.tasks.get_mut(&key) {
            task.returned = there.then_some((number, keeps));
        }
    }

    /// A FETCH returns how a child has ended.
    fn fetched(&mut self, token: &Token, answer: &CallAnswer, option: u8) {
        let operands = CommandOperands::parse(&answer.data).expect("operands");
        let status = operands.get_int(option).expect("COMPSTATUS");
        let start = u64::from_be_bytes(token[..8].try_into().expect("a token"));
        let end = self.model.children.get(&start).copied().flatten();
        let name = if end.expect("a child that has ended") {
            "ABEND"
        } else {
            "NORMAL"
        };
        assert_eq!(status, i64::from(cvda::value(name).expect("a value")));
        self.report.fetched += 1;
    }

    /// A task's call failed: the task continues if the condition allows that, and ends
    /// otherwise.
    fn not_done(&mut self, key: TaskKey, asked: &PendingCall, condition: Condition) {
        let Some(task) = self.tasks.get_mut(&key) else {
            return;
        };
        match (asked, condition) {
            (PendingCall::Unit(number), Condition::NotFnd) => {
                let lost = self.acknowledged.contains(number);
                assert!(!lost, "unit {number} was acknowledged and is not found");
            }
            (PendingCall::LookAtItem | PendingCall::NoItems, Condition::QIdErr) => {
                let seen = self.model.items_seen(&task.changes);
                assert!(seen.is_empty(), "items are left: {seen:?}");
            }
            (PendingCall::Td(OnTd::Take(TdQueueKind::Logical)), Condition::QZero) => {
                let seen = self.model.records_seen(&task.changes);
                assert!(seen.is_empty(), "records are left: {seen:?}");
                self.model.found_empty(key);
            }
            (PendingCall::Td(OnTd::Take(TdQueueKind::Physical)), Condition::QZero) => {
                let left = &self.model.physical;
                assert!(left.is_empty(), "records are left: {left:?}");
            }
            (
                PendingCall::Td(
                    OnTd::Put(TdQueueKind::Physical, _) | OnTd::Take(TdQueueKind::Physical),
                ),
                Condition::NoSpace | Condition::IoErr,
            ) => {}
            (
                PendingCall::Number | PendingCall::Counter,
                Condition::InvReq | Condition::Suppressed,
            ) => {}
            (PendingCall::Cancel(_), Condition::NotFnd) => {}
            (
                PendingCall::Fetch(_) | PendingCall::FetchAny,
                Condition::NotFinished | Condition::NotFnd,
            ) => {}
            (
                PendingCall::Fetch(_) | PendingCall::FetchAny | PendingCall::Free,
                Condition::InvReq,
            ) => {}
            (PendingCall::Start(number, _), _) => {
                task.abended = true;
                self.model.fate(*number, StartFate::Never);
            }
            _ => task.abended = true,
        }
    }

    /// A task has ended: checks that its unit is backed out if the store does not have it.
    pub(super) fn judge_end(&mut self, key: TaskKey, normal: bool) {
        if normal {
            self.must_be_decided(key);
        }
        let Some(task) = self.tasks.get(&key) else {
            return;
        };
        if task.ended_well && normal {
            let lost = (task.unit, &task.changes);
            assert!(
                task.unit.is_none() && task.changes.is_empty(),
                "ended well and not in the store: {lost:?}"
            );
        }
        self.backed_out(key);
    }

    fn ask(&mut self, key: TaskKey, call: WorkerCall, asked: PendingCall) {
        if let Some(task) = self.tasks.get_mut(&key) {
            task.pending_call = Some(asked);
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
            *state = SlotProgress::Done;
        }
        self.core(|c, cx| c.poll_completions(cx, worker, None));
    }
}

fn bare(op: CallOperation) -> WorkerCall {
    program::call(op, [0, 0], Vec::new())
}
