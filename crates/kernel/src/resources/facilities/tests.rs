//! Facilities in virtual time, over a store in memory: the data of the next task, waits, and
//! restarts.

use cics::command::commands::{
    receive, ret, retrieve, send, start, wait_signal, writeq_td, writeq_ts,
};
use cics::resp::Condition;
use link::terminal::{INPUT_AID, INPUT_CURSOR};
use link::{CommandOperands, Name, TransId};
use store::MemoryStore;

use super::*;
use crate::kernel::StartEnd;
use crate::resources::world::KernelFixture;
use crate::types::{
    FacilityOutput, InputRefused, InputTaken, KernelConfig, QueueDefinitions, RegionDefinitions,
    StartCode, StartRefusal, TdKind, TdQueueDef, TdRecovery, Trigger, TsModelDef,
};

const MS: u64 = 1_000_000;

fn config() -> KernelConfig {
    let transaction = |name: &str, recover_conversation| TransactionDef {
        name: Name::new(name).expect("a name"),
        recover_conversation,
        ..TransactionDef::default()
    };
    let trigger = Trigger {
        level: 2,
        transid: Name::from_bytes(*b"MENU"),
        userid: Name::BLANK,
        terminal: Name::from_bytes(*b"T001"),
    };
    KernelConfig {
        definitions: RegionDefinitions {
            transactions: vec![
                transaction("MENU", false),
                transaction("STEP", false),
                transaction("KEEP", true),
            ],
            queues: QueueDefinitions {
                models: vec![TsModelDef {
                    prefix: b"REC".to_vec(),
                    recoverable: true,
                    ..TsModelDef::default()
                }],
                transient: vec![TdQueueDef {
                    name: Name::from_bytes(*b"L86O"),
                    kind: TdKind::Intrapartition {
                        recovery: TdRecovery::No,
                        trigger: Some(trigger),
                    },
                    enabled: true,
                }],
                ..QueueDefinitions::default()
            },
            ..RegionDefinitions::default()
        },
        ..KernelConfig::default()
    }
}

pub(super) fn world() -> KernelFixture {
    KernelFixture::at(1_000 * MS, config(), Some(MemoryStore::new()))
}

pub(super) fn def(terminal: &str, userid: &str) -> FacilityDef {
    FacilityDef {
        terminal: Name::new(terminal).expect("a name"),
        userid: Name::new(userid).expect("a name"),
        ..FacilityDef::default()
    }
}

/// A world with its steps at facilities.
pub(super) trait AtFacilities {
    fn register(&mut self, def: FacilityDef) -> FacilityId;
    fn enter(&mut self, id: FacilityId, text: &str) -> Result<InputTaken, InputRefused>;
    fn close(&mut self, id: FacilityId);
    fn look(&mut self, id: FacilityId) -> FacilityState;
    fn begun(&mut self, task: u32) -> InternalStart;
    fn leave(&mut self, task: u32, transid: &str, commarea: &[u8]);
    fn over(&mut self, task: u32);
    fn seen(&mut self) -> Vec<FacilityEvent>;
}

impl AtFacilities for KernelFixture {
    fn register(&mut self, def: FacilityDef) -> FacilityId {
        let id = self.manage(|resources, cx| register(resources, cx, def));
        id.expect("a facility")
    }

    /// ENTER with a text whose first word is the transaction.
    fn enter(&mut self, id: FacilityId, text: &str) -> Result<InputTaken, InputRefused> {
        let word = text.split(' ').next().filter(|w| w.len() <= 4);
        let entered = FacilityInput {
            aid: 0x7D,
            cursor: 81,
            data: text.as_bytes().to_vec(),
            transid: word.map_or(TransId::BLANK, |w| Name::new(w).unwrap_or_default()),
            ..FacilityInput::default()
        };
        self.manage(|resources, cx| input(resources, cx, id, entered))
    }

    fn close(&mut self, id: FacilityId) {
        self.manage(|resources, cx| close(resources, cx, id));
    }

    fn look(&mut self, id: FacilityId) -> FacilityState {
        let state = self.manage(|resources, cx| resources.facilities.state(cx, id));
        state.expect("a facility")
    }

    /// The task that was started last, under this number.
    fn begun(&mut self, task: u32) -> InternalStart {
        let start = self.started.pop().expect("a start");
        assert!(self.started.is_empty(), "one start at a time");
        self.starts.insert(task, start.id);
        start
    }

    /// RETURN TRANSID COMMAREA, and the end of the task.
    fn leave(&mut self, task: u32, transid: &str, commarea: &[u8]) {
        let reply = self.command(task, ret::NUMBER, &returning(transid, commarea));
        assert_eq!(reply.expect("an answer").condition, Condition::Normal);
        self.over(task);
    }

    /// The task ends well.
    fn over(&mut self, task: u32) {
        self.end(task, true);
        let start = self.starts.remove(&task).expect("a started task");
        self.start_over(start);
        self.kernel.resources.facilities.check_books();
    }

    fn seen(&mut self) -> Vec<FacilityEvent> {
        let events = std::mem::take(&mut self.events);
        events.into_iter().map(|(_, event)| event).collect()
    }
}

pub(super) fn returning(transid: &str, commarea: &[u8]) -> CommandOperands {
    CommandOperands::new(1 << ret::TRANSID | 1 << ret::COMMAREA)
        .bytes(ret::TRANSID, transid.as_bytes())
        .bytes(ret::COMMAREA, commarea)
}

pub(super) fn starting(transid: &str, terminal: &str, data: &str) -> CommandOperands {
    CommandOperands::new(1 << start::TRANSID | 1 << start::TERMID | 1 << start::FROM)
        .bytes(start::TRANSID, transid.as_bytes())
        .bytes(start::TERMID, terminal.as_bytes())
        .bytes(start::FROM, data.as_bytes())
}

pub(super) fn command_condition(
    w: &mut KernelFixture,
    task: u32,
    number: u16,
    operands: &CommandOperands,
) -> Condition {
    w.command(task, number, operands)
        .expect("an answer")
        .condition
}

/// RECEIVE of a task: its data, or none while it waits.
fn received(w: &mut KernelFixture, task: u32) -> Option<String> {
    let reply = w.command(task, receive::NUMBER, &CommandOperands::default())?;
    Some(text(&reply.operands, receive::INTO))
}

fn text(operands: &CommandOperands, option: u8) -> String {
    let bytes = operands.get_bytes(option).unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn three_steps_hand_their_commarea_on_and_hold_no_task_between() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert_eq!(
        w.enter(t, "MENU now"),
        Ok(InputTaken::Begins(Name::from_bytes(*b"MENU")))
    );
    let first = w.begun(1);
    assert_eq!(
        (first.start_code, first.commarea.len()),
        (StartCode::Terminal, 0)
    );
    assert_eq!(
        (first.facility.as_str(), first.userid.as_str()),
        ("T001", "ANNE")
    );
    let terminal = first.terminal.as_ref().expect("a terminal");
    assert_eq!((terminal.aid, terminal.cursor), (0x7D, 81));
    assert_eq!(received(&mut w, 1).as_deref(), Some("MENU now"));
    w.leave(1, "STEP", b"one");
    let state = w.look(t);
    assert_eq!(
        (state.busy, state.next_transid.as_str(), state.saved_bytes),
        (false, "STEP", 3)
    );
    assert!(w.enter(t, "anything").is_ok());
    let second = w.begun(2);
    assert_eq!(
        (second.transid.as_str(), &second.commarea[..]),
        ("STEP", &b"one"[..])
    );
    w.leave(2, "STEP", b"two");
    assert!(w.enter(t, "more").is_ok());
    assert_eq!(w.begun(3).commarea, b"two");
    w.over(3);
    assert_eq!(w.look(t).next_transid, TransId::BLANK);
    let reply = w.enter(t, "nothing to begin");
    assert_eq!(reply, Err(InputRefused::NoTransaction));
}

#[test]
fn what_a_backed_out_task_leaves_never_was() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    assert_eq!(
        command_condition(&mut w, 1, ret::NUMBER, &returning("STEP", b"x")),
        Condition::Normal
    );
    w.end(1, false);
    w.start_over(w.starts[&1]);
    assert_eq!(w.look(t).next_transid, TransId::BLANK);
}

#[test]
fn inputs_that_can_begin_nothing_are_refused_and_leave_all_as_it_is() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    let unknown = Name::from_bytes(*b"NONE");
    let refusal = StartRefusal::UnknownTransaction(unknown);
    assert_eq!(w.enter(t, "NONE"), Err(InputRefused::Task(refusal)));
    assert_eq!(
        w.enter(t, "too long a word"),
        Err(InputRefused::Task(StartRefusal::UnknownTransaction(
            Name::from_bytes(*b"too ")
        )))
    );
    assert_eq!(w.enter(t, "longest"), Err(InputRefused::NoTransaction));
    let entered = FacilityInput {
        data: vec![0; 40_000],
        ..FacilityInput::default()
    };
    let reply = w.manage(|resources, cx| input(resources, cx, t, entered));
    assert_eq!(reply, Err(InputRefused::TooMuch));
    assert!(w.started.is_empty());
}

#[test]
fn a_task_that_could_not_begin_leaves_what_it_would_have_been_given() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    w.leave(1, "STEP", b"one");
    assert!(w.enter(t, "x").is_ok());
    let start = w.begun(2);
    w.start_ended(start.id, &StartEnd::Refused(StartRefusal::TooManyTasks));
    assert_eq!(w.look(t).saved_bytes, 3);
    let refused = w
        .seen()
        .into_iter()
        .filter(|e| matches!(e, FacilityEvent::Refused { .. }));
    assert_eq!(refused.count(), 1);
}

#[test]
fn a_conversational_task_waits_for_its_input() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    assert!(received(&mut w, 1).is_some());
    let out =
        CommandOperands::new(1 << send::FROM | 1 << send::ERASE).bytes(send::FROM, *b"screen");
    assert_eq!(
        command_condition(&mut w, 1, send::NUMBER, &out),
        Condition::Normal
    );
    assert_eq!(received(&mut w, 1), None);
    assert!(w.look(t).waits);
    let output = FacilityOutput {
        data: b"screen".to_vec(),
        erase: crate::types::ScreenErase::Same,
        ..FacilityOutput::default()
    };
    assert_eq!(
        w.seen()[1..],
        [FacilityEvent::Output(output), FacilityEvent::Waits]
    );
    assert_eq!(w.enter(t, "answer"), Ok(InputTaken::Received));
    let reply = w.answer(1).expect("an answer");
    assert_eq!(text(&reply.operands, receive::INTO), "answer");
    let key = (
        reply.operands.get_int(INPUT_AID),
        reply.operands.get_int(INPUT_CURSOR),
    );
    assert_eq!(key, (Some(0x7D), Some(81)));
    w.over(1);
}

#[test]
fn what_is_entered_ahead_waits_and_then_begins_the_next_task() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    assert_eq!(w.enter(t, "ahead"), Ok(InputTaken::Queued));
    assert_eq!(received(&mut w, 1).as_deref(), Some("MENU"));
    w.leave(1, "STEP", b"");
    assert_eq!(w.begun(2).transid.as_str(), "STEP");
    assert_eq!(received(&mut w, 2).as_deref(), Some("ahead"));
    for _ in 0..8 {
        assert_eq!(w.enter(t, "more"), Ok(InputTaken::Queued));
    }
    assert_eq!(w.enter(t, "more"), Err(InputRefused::TooMuch));
}

#[test]
fn a_terminal_that_leaves_ends_the_wait_with_termerr() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    assert!(received(&mut w, 1).is_some());
    assert_eq!(received(&mut w, 1), None);
    w.close(t);
    assert_eq!(
        w.answer(1).expect("an answer").condition,
        Condition::TermErr
    );
    assert_eq!(
        command_condition(&mut w, 1, send::NUMBER, &CommandOperands::default()),
        Condition::TermErr
    );
    // Its name is free again, and the data that it leaves is dropped.
    let again = w.register(def("T001", "ANNE"));
    w.leave(1, "STEP", b"lost");
    assert_eq!(w.look(again).next_transid, TransId::BLANK);
}

#[test]
fn a_read_that_lasts_too_long_ends_the_task() {
    let mut w = world();
    let t = w.register(FacilityDef {
        read_timeout_ms: 500,
        ..def("T001", "ANNE")
    });
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    assert!(received(&mut w, 1).is_some());
    assert_eq!(received(&mut w, 1), None);
    w.later(499);
    assert!(w.answer(1).is_none());
    w.later(2);
    assert_eq!(w.answer(1).expect("an answer").abend, "AKCT");
}

#[test]
fn starts_for_a_terminal_begin_one_after_another_when_it_is_free() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    let unknown = starting("MENU", "T999", "x");
    assert_eq!(
        command_condition(&mut w, 9, start::NUMBER, &unknown),
        Condition::TermIdErr
    );
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    for data in ["a", "b"] {
        let operands = starting("STEP", "T001", data);
        assert_eq!(
            command_condition(&mut w, 9, start::NUMBER, &operands),
            Condition::Normal
        );
    }
    assert!(w.started.is_empty());
    assert_eq!(w.look(t).queued_starts, 2);
    w.leave(1, "MENU", b"kept");
    // Between two inputs; the data for the next one is kept.
    let first = w.begun(2);
    assert_eq!(
        (first.start_code, first.userid.as_str()),
        (StartCode::StartData, "ANNE")
    );
    assert_eq!(w.look(t).saved_bytes, 4);
    w.over(2);
    w.begun(3);
    w.over(3);
    assert!(w.enter(t, "x").is_ok());
    assert_eq!(w.begun(4).commarea, b"kept");
}

#[test]
fn starts_beyond_the_bound_of_a_terminal_are_refused() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    let operands = starting("STEP", "T001", "x");
    for _ in 0..100 {
        assert_eq!(
            command_condition(&mut w, 9, start::NUMBER, &operands),
            Condition::Normal
        );
    }
    assert_eq!(
        command_condition(&mut w, 9, start::NUMBER, &operands),
        Condition::IoErr
    );
}

#[test]
fn a_task_retrieves_what_further_starts_of_its_transaction_brought() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    for (transid, data) in [("STEP", "a"), ("MENU", "other"), ("STEP", "b")] {
        let operands = starting(transid, "T001", data);
        assert_eq!(
            command_condition(&mut w, 9, start::NUMBER, &operands),
            Condition::Normal
        );
    }
    w.over(1);
    w.begun(2);
    let into = CommandOperands::new(1 << retrieve::INTO);
    let mut data = Vec::new();
    w.transid = Name::from_bytes(*b"STEP");
    loop {
        let reply = w.command(2, retrieve::NUMBER, &into).expect("an answer");
        match reply.condition {
            Condition::Normal => data.push(text(&reply.operands, retrieve::INTO)),
            other => break assert_eq!(other, Condition::EndData),
        }
    }
    assert_eq!(data, ["a", "b"]);
    w.over(2);
    assert_eq!(w.begun(3).transid.as_str(), "MENU");
}

#[test]
fn a_trigger_with_a_terminal_waits_until_it_is_there_and_free() {
    let mut w = world();
    let record = CommandOperands::new(1 << writeq_td::QUEUE | 1 << writeq_td::FROM)
        .bytes(writeq_td::QUEUE, *b"L86O")
        .bytes(writeq_td::FROM, *b"a line");
    for _ in 0..2 {
        assert_eq!(
            command_condition(&mut w, 9, writeq_td::NUMBER, &record),
            Condition::Normal
        );
    }
    w.later(1);
    assert!(w.started.is_empty());
    w.register(def("T001", "ANNE"));
    w.later(1);
    let start = w.begun(1);
    assert_eq!(
        (start.start_code, start.facility.as_str()),
        (StartCode::Queue, "T001")
    );
    assert_eq!(start.terminal.expect("a terminal").queue.as_str(), "L86O");
    w.over(1);
}

#[test]
fn attention_is_reported_once_by_the_next_command() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    // Without a task the key has no effect.
    w.manage(|resources, cx| resources.facilities.attention(cx, t));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    let signal = |w: &mut KernelFixture, command| {
        let answer = w.command(1, command, &CommandOperands::default());
        let operands = answer.expect("an answer").operands;
        operands.get_int(link::terminal::SIGNAL_RECEIVED).is_some()
    };
    assert!(!signal(&mut w, receive::NUMBER));
    w.manage(|resources, cx| resources.facilities.attention(cx, t));
    assert!(signal(&mut w, send::NUMBER));
    assert!(!signal(&mut w, send::NUMBER));
    w.manage(|resources, cx| resources.facilities.attention(cx, t));
    assert!(w.enter(t, "more").is_ok());
    assert!(signal(&mut w, receive::NUMBER));
    w.over(1);
}

#[test]
fn wait_signal_waits_for_attention_and_ends_when_the_terminal_leaves() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    let none = CommandOperands::default();
    w.manage(|resources, cx| resources.facilities.attention(cx, t));
    let answer = w.command(1, wait_signal::NUMBER, &none).expect("an answer");
    assert_eq!(answer.condition, Condition::Normal);
    // That was the key's only report.
    assert!(w.command(1, wait_signal::NUMBER, &none).is_none());
    w.manage(|resources, cx| resources.facilities.attention(cx, t));
    let answer = w.answer(1).expect("the wait is over");
    let signal = answer.operands.get_int(link::terminal::SIGNAL_RECEIVED);
    assert_eq!(signal, Some(1));
    assert!(w.command(1, wait_signal::NUMBER, &none).is_none());
    w.manage(|resources, cx| close(resources, cx, t));
    let answer = w.answer(1).expect("the wait is over");
    assert_eq!(answer.condition, Condition::TermErr);
    w.over(1);
}

#[test]
fn an_input_that_the_worker_has_taken_is_not_given_again() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    let start = w.begun(1);
    assert_eq!(start.input, Some((b"MENU".to_vec(), Vec::new())));
    let taken = |value| CommandOperands::default().int(link::terminal::INPUT_TAKEN, value);
    let only = link::terminal::ONLY_REPORT;
    assert!(w.command(1, receive::NUMBER, &taken(only)).is_some());
    assert!(w.command(1, receive::NUMBER, &taken(1)).is_none());
    assert!(w.enter(t, "more").is_ok());
    let answer = w.answer(1).expect("the next input");
    assert_eq!(answer.operands.get_bytes(receive::INTO), Some(&b"more"[..]));
    w.over(1);
}

#[test]
fn immediate_goes_before_what_was_started_and_its_message_is_received() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    let operands = starting("MENU", "T001", "x");
    assert_eq!(
        command_condition(&mut w, 9, start::NUMBER, &operands),
        Condition::Normal
    );
    let mut operands = returning("STEP", b"now").bytes(ret::INPUTMSG, *b"said");
    operands.options |= 1 << ret::IMMEDIATE;
    assert_eq!(
        command_condition(&mut w, 1, ret::NUMBER, &operands),
        Condition::Normal
    );
    w.over(1);
    assert_eq!(w.begun(2).commarea, b"now");
    assert_eq!(received(&mut w, 2).as_deref(), Some("said"));
    w.over(2);
    assert_eq!(w.begun(3).transid.as_str(), "MENU");
}

/// A world in which ANNE at T001 has saved data for KEEP; with other changes
/// in the same unit, or without.
fn left(changes: bool) -> KernelFixture {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    if changes {
        let item = CommandOperands::new(1 << writeq_ts::QUEUE | 1 << writeq_ts::FROM)
            .bytes(writeq_ts::QUEUE, *b"REC")
            .bytes(writeq_ts::FROM, *b"item");
        assert_eq!(
            command_condition(&mut w, 1, writeq_ts::NUMBER, &item),
            Condition::Normal
        );
    }
    w.leave(1, "KEEP", b"saved");
    w
}

#[test]
fn what_is_recoverable_outlives_the_region_for_the_same_unit_and_user() {
    for changes in [true, false] {
        let mut w = left(changes).restart();
        let t = w.register(def("T001", "ANNE"));
        let state = w.look(t);
        assert_eq!(
            (state.next_transid.as_str(), state.recovered),
            ("KEEP", true)
        );
        assert!(w.enter(t, "go on").is_ok());
        assert_eq!(w.begun(1).commarea, b"saved");
        w.over(1);
        // It is used up.
        let mut w = w.restart();
        let t = w.register(def("T001", "ANNE"));
        assert_eq!(
            w.look(t),
            FacilityState {
                userid: Name::from_bytes(*b"ANNE    "),
                ..FacilityState::default()
            }
        );
    }
}

#[test]
fn what_is_recoverable_is_not_given_to_others() {
    let mut w = left(false).restart();
    let other = w.register(def("T001", "BILL"));
    assert_eq!(w.look(other).next_transid, TransId::BLANK);
    // ANNE signs on there, and it is hers.
    w.manage(|resources, cx| {
        resources
            .facilities
            .sign_on(cx, other, Name::from_bytes(*b"ANNE    "));
    });
    assert_eq!(w.look(other).next_transid.as_str(), "KEEP");
    w.close(other);
    let pooled = w.register(FacilityDef {
        pooled: true,
        ..def("T001", "ANNE")
    });
    assert_eq!(w.look(pooled).next_transid, TransId::BLANK);
    w.close(pooled);
    let elsewhere = w.register(def("T002", "ANNE"));
    assert_eq!(w.look(elsewhere).next_transid, TransId::BLANK);
}

#[test]
fn what_is_recoverable_is_not_given_when_it_is_too_old() {
    let mut w = left(false);
    w.later(86_401_000);
    let mut w = w.restart();
    let t = w.register(def("T001", "ANNE"));
    assert_eq!(w.look(t).next_transid, TransId::BLANK);
}

#[test]
fn what_is_not_recoverable_ends_with_the_region() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    w.leave(1, "STEP", b"lost");
    let mut w = w.restart();
    let t = w.register(def("T001", "ANNE"));
    assert_eq!(w.look(t).next_transid, TransId::BLANK);
    assert!(!w.look(t).recovered);
}

#[test]
fn a_task_that_the_region_loses_finds_what_it_was_given_again() {
    let mut w = left(true).restart();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "go on").is_ok());
    w.begun(1);
    assert!(received(&mut w, 1).is_some());
    // It has committed nothing.
    let mut w = w.restart();
    let t = w.register(def("T001", "ANNE"));
    assert_eq!(w.look(t).saved_bytes, 5);
    // One that abends has used it up.
    assert!(w.enter(t, "go on").is_ok());
    w.begun(1);
    w.end(1, false);
    let start = w.starts.remove(&1).expect("its start");
    w.start_over(start);
    let mut w = w.restart();
    let t = w.register(def("T001", "ANNE"));
    assert_eq!(w.look(t).saved_bytes, 0);
}

#[test]
fn starts_for_a_named_terminal_wait_for_its_return_and_over_a_restart() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    w.close(t);
    let mut operands = starting("STEP", "T001", "x");
    operands.options |= 1 << start::PROTECT;
    assert_eq!(
        command_condition(&mut w, 9, start::NUMBER, &operands),
        Condition::Normal
    );
    w.end(9, true);
    assert!(w.started.is_empty());
    let mut w = w.restart();
    assert!(w.started.is_empty());
    w.register(def("T001", "ANNE"));
    assert_eq!(w.begun(1).transid.as_str(), "STEP");
    w.over(1);
}

#[test]
fn starts_for_a_pooled_terminal_go_with_it() {
    let mut w = world();
    let pooled = || FacilityDef {
        pooled: true,
        ..def("T001", "ANNE")
    };
    let t = w.register(pooled());
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    assert_eq!(
        command_condition(&mut w, 9, start::NUMBER, &starting("STEP", "T001", "x")),
        Condition::Normal
    );
    w.close(t);
    w.over(1);
    w.register(pooled());
    assert!(w.started.is_empty());
    assert!(w.kernel.resources.interval.is_idle());
}
