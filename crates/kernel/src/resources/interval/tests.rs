//! Interval control in virtual time, over a store in memory: when requests
//! begin, their data, who may cancel them, and a restart.

use cics::command::commands::{cancel, delay, retrieve, start};
use cics::resp::Condition;
use link::CommandOperands;
use store::{MemoryStore, WriteStore};

use super::*;
use crate::kernel::StartEnd;
use crate::resources::world::{KernelFixture, Response};
use crate::types::{AccountLimit, AccountLimits, KernelConfig, RegionDefinitions, StartRefusal};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;
/// Two in the morning.
const TWO: u64 = 2 * 3600 * SECOND;

fn transactions() -> KernelConfig {
    let names = [*b"TRNA", *b"TRNB"];
    let transactions = names.map(|name| TransactionDef {
        name: TransId::from_bytes(name),
        ..TransactionDef::default()
    });
    KernelConfig {
        definitions: RegionDefinitions {
            transactions: transactions.to_vec(),
            ..RegionDefinitions::default()
        },
        ..KernelConfig::default()
    }
}

/// A region at two in the morning.
fn world() -> KernelFixture {
    KernelFixture::at(TWO, transactions(), Some(MemoryStore::new()))
}

fn later(w: &mut KernelFixture, seconds: u64) {
    w.later(seconds * 1_000);
}

/// START of task 1. Returns the answer.
fn start_response(w: &mut KernelFixture, operands: &CommandOperands) -> Response {
    w.command(1, start::NUMBER, operands).expect("an answer")
}

fn cancelled(w: &mut KernelFixture, task: u32, name: &str) -> Condition {
    let operands = CommandOperands::new(1 << cancel::REQID).bytes(cancel::REQID, name.as_bytes());
    let answer = w.command(task, cancel::NUMBER, &operands);
    answer.expect("an answer").condition
}

/// Tasks begun since the last look: their number and transaction.
fn tasks_begun(w: &mut KernelFixture) -> Vec<(u64, String)> {
    let started = w.started.drain(..);
    started.map(|s| (s.id, s.transid.to_string())).collect()
}

fn names_begun(w: &mut KernelFixture) -> Vec<String> {
    tasks_begun(w).into_iter().map(|(_, name)| name).collect()
}

/// RETRIEVE of a task.
fn retrieved(w: &mut KernelFixture, task: u32, operands: &CommandOperands) -> Response {
    let answer = w.command(task, retrieve::NUMBER, operands);
    answer.expect("an answer")
}

/// A START of a transaction, without other options.
fn of(transid: &str) -> CommandOperands {
    CommandOperands::new(1 << start::TRANSID).bytes(start::TRANSID, transid.as_bytes())
}

trait OperandsExt: Sized {
    fn and(self, option: u8, text: &str) -> Self;
    fn and_int(self, option: u8, value: i64) -> Self;
    fn flag(self, option: u8) -> Self;
}

impl OperandsExt for CommandOperands {
    fn and(mut self, option: u8, text: &str) -> Self {
        self.options |= 1 << option;
        self.bytes(option, text.as_bytes())
    }
    fn and_int(mut self, option: u8, value: i64) -> Self {
        self.options |= 1 << option;
        self.int(option, value)
    }
    fn flag(mut self, option: u8) -> Self {
        self.options |= 1 << option;
        self
    }
}

fn after(seconds: i64) -> CommandOperands {
    of("TRNA")
        .flag(start::AFTER)
        .and_int(start::SECONDS, seconds)
}

#[test]
fn requests_begin_in_the_order_of_their_times() {
    let mut w = world();
    start_response(&mut w, &after(20));
    start_response(&mut w, &of("TRNB").and_int(start::INTERVAL, 10));
    start_response(&mut w, &of("TRNB"));
    assert_eq!(names_begun(&mut w), ["TRNB"]);
    later(&mut w, 9);
    assert!(tasks_begun(&mut w).is_empty());
    later(&mut w, 1);
    assert_eq!(names_begun(&mut w), ["TRNB"]);
    later(&mut w, 10);
    assert_eq!(names_begun(&mut w), ["TRNA"]);
}

#[test]
fn a_time_of_day_up_to_six_hours_ago_has_passed_also_over_midnight() {
    let mut w = world();
    // It is two: eight in the evening was six hours ago.
    for passed in [20_000, 0, 230_000, 200_000] {
        start_response(&mut w, &of("TRNA").and_int(start::TIME, passed));
        assert_eq!(names_begun(&mut w), ["TRNA"], "{passed}");
    }
    for (to_come, seconds) in [(30_000, 3600), (195_959, 64_799), (250_000, 82_800)] {
        start_response(&mut w, &of("TRNA").and_int(start::TIME, to_come));
        assert!(tasks_begun(&mut w).is_empty(), "{to_come}");
        let id = *w.kernel.resources.interval.requests.keys().max().unwrap();
        let at = w.kernel.resources.interval.requests[&id].at;
        assert_eq!(at, TWO + seconds * SECOND, "{to_come}");
    }
}

#[test]
fn what_is_out_of_range_starts_nothing() {
    let mut w = world();
    let wrong = [
        (of("TRNA").and_int(start::INTERVAL, 70), 6),
        (after(360_000), 6),
        (of("TRNA").flag(start::AFTER).and_int(start::HOURS, 100), 4),
        (after(1).and_int(start::MINUTES, 60), 5),
    ];
    for (operands, resp2) in wrong {
        let answer = start_response(&mut w, &operands);
        assert_eq!((answer.condition, answer.resp2), (Condition::InvReq, resp2));
    }
    assert_eq!(
        start_response(&mut w, &of("NONE")).condition,
        Condition::TransIdErr
    );
    let terminal = of("TRNA").and(start::TERMID, "T001");
    assert_eq!(
        start_response(&mut w, &terminal).condition,
        Condition::TermIdErr
    );
    let length = of("TRNA").and(start::FROM, "").and_int(start::LENGTH, 0);
    assert_eq!(
        start_response(&mut w, &length).condition,
        Condition::LengErr
    );
    assert!(w.kernel.resources.interval.requests.is_empty());
    assert!(tasks_begun(&mut w).is_empty());
}

#[test]
fn a_name_that_holds_data_cannot_be_used_for_data_again() {
    let mut w = world();
    let named = after(10)
        .and(start::REQID, "MINE    ")
        .and(start::FROM, "ONE");
    assert_eq!(start_response(&mut w, &named).condition, Condition::Normal);
    assert_eq!(start_response(&mut w, &named).condition, Condition::IoErr);
    // Without data the name may stand for several; the oldest is cancelled.
    let bare = after(20).and(start::REQID, "MINE    ");
    assert_eq!(start_response(&mut w, &bare).condition, Condition::Normal);
    assert_eq!(cancelled(&mut w, 2, "MINE    "), Condition::Normal);
    later(&mut w, 10);
    assert!(tasks_begun(&mut w).is_empty());
    later(&mut w, 10);
    assert_eq!(names_begun(&mut w), ["TRNA"]);
    assert_eq!(cancelled(&mut w, 2, "MINE    "), Condition::NotFnd);
}

#[test]
fn a_name_is_generated_unless_the_command_excludes_it() {
    let mut w = world();
    let name = |answer: Response| answer.operands.get_name::<8>(start::REQID);
    let first = name(start_response(&mut w, &after(10))).unwrap();
    let second = name(start_response(&mut w, &after(10))).unwrap();
    assert_ne!(first, second);
    assert_eq!(&first[..2], b"DF");
    assert_eq!(
        name(start_response(&mut w, &after(10).flag(start::NOCHECK))),
        None
    );
    let first = String::from_utf8(first.to_vec()).unwrap();
    assert_eq!(cancelled(&mut w, 1, &first), Condition::Normal);
}

#[test]
fn a_task_retrieves_its_own_data_once_and_only_what_was_sent() {
    let mut w = world();
    start_response(
        &mut w,
        &of("TRNA")
            .and(start::FROM, "DATA")
            .and(start::RTRANSID, "BACK"),
    );
    start_response(&mut w, &of("TRNB").and(start::QUEUE, "QUEUE   "));
    let begun = tasks_begun(&mut w);
    let into = CommandOperands::new(1 << retrieve::INTO | 1 << retrieve::RTRANSID);
    w.starts.insert(2, begun[0].0);
    w.starts.insert(3, begun[1].0);
    let queue = into.clone().flag(retrieve::QUEUE);
    assert_eq!(retrieved(&mut w, 2, &queue).condition, Condition::EnvDefErr);
    let given = retrieved(&mut w, 2, &into).operands;
    assert_eq!(given.get_bytes(retrieve::INTO), Some(&b"DATA"[..]));
    assert_eq!(given.get_bytes(retrieve::RTRANSID), Some(&b"BACK"[..]));
    assert_eq!(retrieved(&mut w, 2, &into).condition, Condition::EndData);
    // A record without FROM is still a record.
    let bare = CommandOperands::new(1 << retrieve::INTO);
    assert_eq!(retrieved(&mut w, 3, &bare).condition, Condition::EnvDefErr);
    let queue = CommandOperands::new(1 << retrieve::QUEUE);
    assert_eq!(retrieved(&mut w, 3, &queue).condition, Condition::Normal);
    // A task that no START started has no data.
    assert_eq!(retrieved(&mut w, 4, &into).condition, Condition::EndData);
    w.end(2, true);
    w.end(3, true);
    assert!(w.kernel.resources.interval.requests.is_empty());
    assert!(w.kernel.resources.interval.names.is_empty());
}

#[test]
fn a_protected_start_begins_with_the_syncpoint_and_not_without() {
    let mut w = world();
    let protected = of("TRNA")
        .flag(start::PROTECT)
        .and(start::REQID, "P       ");
    start_response(&mut w, &protected);
    later(&mut w, 5);
    assert!(tasks_begun(&mut w).is_empty());
    // CICS API reference, CANCEL: one with PROTECT is cancelled only when it has
    // been committed; so not by its own task either.
    assert_eq!(cancelled(&mut w, 2, "P       "), Condition::NotFnd);
    assert_eq!(cancelled(&mut w, 1, "P       "), Condition::NotFnd);
    w.syncpoint(1);
    assert_eq!(names_begun(&mut w), ["TRNA"]);
    start_response(&mut w, &protected);
    w.rollback(1);
    assert!(tasks_begun(&mut w).is_empty());
    start_response(&mut w, &protected);
    w.end(1, false);
    assert!(tasks_begun(&mut w).is_empty());
    assert_eq!(w.kernel.resources.interval.requests.len(), 1);
}

#[test]
fn a_protected_start_outlives_the_region_and_begins_once() {
    let mut w = world();
    let data = |seconds| after(seconds).flag(start::PROTECT).and(start::FROM, "DATA");
    start_response(&mut w, &data(30));
    start_response(&mut w, &after(30));
    w.syncpoint(1);
    start_response(&mut w, &data(40));
    let mut w = w.restart();
    // The one that was not committed is gone, and so is the unprotected one.
    later(&mut w, 60);
    let begun = tasks_begun(&mut w);
    assert_eq!(begun.len(), 1);
    // Lost again before its task has ended: it begins again.
    let mut w = w.restart();
    let begun = tasks_begun(&mut w);
    assert_eq!(begun.len(), 1);
    w.starts.insert(5, begun[0].0);
    let into = CommandOperands::new(1 << retrieve::INTO);
    let given = retrieved(&mut w, 5, &into).operands;
    assert_eq!(given.get_bytes(retrieve::INTO), Some(&b"DATA"[..]));
    w.end(5, true);
    let mut w = w.restart();
    assert!(tasks_begun(&mut w).is_empty());
}

#[test]
fn a_protected_start_whose_task_abends_does_not_begin_again() {
    let mut w = world();
    start_response(&mut w, &of("TRNA").flag(start::PROTECT));
    w.syncpoint(1);
    let begun = tasks_begun(&mut w);
    w.starts.insert(5, begun[0].0);
    w.end(5, false);
    let mut w = w.restart();
    assert!(tasks_begun(&mut w).is_empty());
    // Nor does one whose task cannot begin.
    start_response(&mut w, &of("TRNA").flag(start::PROTECT));
    w.syncpoint(1);
    let id = tasks_begun(&mut w)[0].0;
    let refused = StartEnd::Refused(StartRefusal::Disabled(TransId::new("TRNA").unwrap()));
    w.start_ended(id, &refused);
    let mut w = w.restart();
    assert!(tasks_begun(&mut w).is_empty());
}

#[test]
fn a_protected_start_that_is_cancelled_is_out_of_the_store() {
    let mut w = world();
    start_response(
        &mut w,
        &after(30).flag(start::PROTECT).and(start::REQID, "P       "),
    );
    w.syncpoint(1);
    let mut w = w.restart();
    assert_eq!(cancelled(&mut w, 2, "P       "), Condition::Normal);
    let mut w = w.restart();
    later(&mut w, 60);
    assert!(tasks_begun(&mut w).is_empty());
}

#[test]
fn unprotected_requests_outlive_a_normal_end_and_no_other() {
    let kept = || {
        let mut w = world();
        start_response(&mut w, &after(30));
        w.keep();
        w.restart()
    };
    let mut w = kept();
    later(&mut w, 30);
    assert_eq!(names_begun(&mut w), ["TRNA"]);
    // A second restart, without a normal end, loses it.
    let mut w = kept().restart();
    later(&mut w, 30);
    assert!(tasks_begun(&mut w).is_empty());
}

#[test]
fn a_delay_with_a_name_is_ended_by_another_task() {
    let mut w = world();
    let waits = CommandOperands::new(0)
        .flag(delay::FOR)
        .and_int(delay::SECONDS, 100)
        .and(delay::REQID, "WAIT    ");
    assert_eq!(w.command(1, delay::NUMBER, &waits), None);
    later(&mut w, 1);
    assert_eq!(cancelled(&mut w, 2, "OTHER   "), Condition::NotFnd);
    assert_eq!(w.answer(1), None);
    assert_eq!(cancelled(&mut w, 2, "WAIT    "), Condition::Normal);
    assert_eq!(w.answer(1).expect("an answer").condition, Condition::Normal);
    assert_eq!(cancelled(&mut w, 2, "WAIT    "), Condition::NotFnd);
}

#[test]
fn no_bytes_make_the_reader_of_kept_requests_panic() {
    use proptest::prelude::*;
    proptest!(|(bytes in prop::collection::vec(any::<u8>(), 0..200))| {
        let mut store = MemoryStore::new();
        let mut unit = store::UnitOfWork::default();
        unit.put(store::Table::new("starts"), b"P12345678", &bytes);
        prop_assert!(store.apply(&[unit])[0].is_ok());
        KernelFixture::at(TWO, transactions(), Some(store));
    });
}

#[test]
fn a_start_that_the_store_refuses_to_delete_is_not_cancelled() {
    let mut w = world();
    let protected = after(5).and(start::REQID, "MINE").flag(start::PROTECT);
    w.command(1, start::NUMBER, &protected);
    w.syncpoint(1);
    w.disk = false;
    let named = CommandOperands::new(1 << cancel::REQID).bytes(cancel::REQID, "MINE");
    let answer = w.command(1, cancel::NUMBER, &named).expect("an answer");
    assert_eq!(answer.abend, "AEXZ");
    w.disk = true;
    later(&mut w, 5);
    assert_eq!(w.started.len(), 1);
}

#[test]
fn a_time_of_day_is_that_of_the_clock_on_the_wall_over_a_change_of_zone() {
    const HOUR: u64 = 3_600 * SECOND;
    let at_six = || {
        of("TRNA")
            .flag(start::AT)
            .and_int(start::HOURS, 6)
            .flag(start::PROTECT)
    };
    let mut w = world();
    let mut out = Vec::new();
    w.kernel.with(w.now, &mut out, |_, cx| {
        // Summer time begins at three o'clock UTC.
        cx.kernel.settings.zone = |unix_s| if unix_s < 3 * 3_600 { 3_600 } else { 7_200 };
    });
    // Half past three; the clock shows six after an hour and a half.
    w.now = 2 * HOUR + HOUR / 2;
    w.command(1, start::NUMBER, &at_six());
    w.syncpoint(1);
    assert_eq!(w.kernel.next_alarm(), Some(4 * HOUR));
    later(&mut w, 2 * 3_600);
    assert_eq!(w.started.len(), 1);
    // Half past six has passed; half past five has not come.
    w.now = 3 * HOUR + HOUR / 2;
    w.command(1, start::NUMBER, &at_six());
    w.syncpoint(1);
    assert_eq!(w.kernel.next_alarm(), Some(4 * HOUR));
}

#[test]
fn a_start_that_the_store_would_not_forget_is_forgotten_when_it_takes_changes_again() {
    let mut w = world();
    start_response(&mut w, &of("TRNA").flag(start::PROTECT));
    w.syncpoint(1);
    let begun = tasks_begun(&mut w);
    w.starts.insert(5, begun[0].0);
    w.disk = false;
    w.end(5, false);
    w.disk = true;
    start_response(&mut w, &after(600).flag(start::PROTECT));
    w.syncpoint(1);
    let mut w = w.restart();
    assert!(tasks_begun(&mut w).is_empty());
}

/// CICS API reference, START, "START failures without exception conditions": the
/// command succeeds and the task never begins when its transaction is unavailable
/// at the time it is to be created. TRANSIDERR is for one that is not defined.
#[test]
fn a_start_of_a_disabled_transaction_is_accepted_and_does_not_begin() {
    let mut config = transactions();
    config.definitions.transactions[0].enabled = false;
    let mut w = KernelFixture::at(TWO, config, Some(MemoryStore::new()));
    assert_eq!(
        start_response(&mut w, &of("TRNA")).condition,
        Condition::Normal
    );
    assert_eq!(
        start_response(&mut w, &of("NONE")).condition,
        Condition::TransIdErr
    );
    let begun = tasks_begun(&mut w);
    let disabled = StartRefusal::Disabled(TransId::from_bytes(*b"TRNA"));
    w.start_ended(begun[0].0, &StartEnd::Refused(disabled));
    assert!(w.kernel.resources.interval.requests.is_empty());
}

/// Each way for a prepared unit to end: committed or not, in the life of the
/// region that prepared it or in the next one.
#[test]
fn what_a_prepared_unit_starts_begins_when_it_is_committed_over_a_restart_too() {
    for (restarts, commit) in [(false, true), (false, false), (true, true), (true, false)] {
        let mut w = world();
        start_response(
            &mut w,
            &of("TRNA").and(start::FROM, "DATA").flag(start::PROTECT),
        );
        let later_on = of("TRNB").flag(start::AFTER).and_int(start::SECONDS, 5);
        start_response(
            &mut w,
            &later_on.and(start::REQID, "MINE").flag(start::PROTECT),
        );
        w.prepare(1, "B");
        assert_eq!(w.answers(), [(1, "NORMAL".to_owned())]);
        w.end(1, true);
        let mut w = if restarts { w.restart() } else { w };
        later(&mut w, 10);
        assert!(tasks_begun(&mut w).is_empty());
        assert_eq!(cancelled(&mut w, 2, "MINE    "), Condition::NotFnd);
        // Another's request does not take the place of one of these.
        start_response(&mut w, &of("TRNB").flag(start::PROTECT));
        w.syncpoint(1);
        assert_eq!(names_begun(&mut w), ["TRNB"]);
        w.settle("B", commit);
        assert_eq!(w.settled, [("B".to_owned(), true)]);
        let begun = tasks_begun(&mut w);
        let names: Vec<&str> = begun.iter().map(|(_, name)| name.as_str()).collect();
        let all: &[&str] = if commit { &["TRNA", "TRNB"] } else { &[] };
        assert_eq!(names, all);
        if commit {
            w.starts.insert(5, begun[0].0);
            let into = CommandOperands::new(1 << retrieve::INTO);
            let given = retrieved(&mut w, 5, &into).operands;
            assert_eq!(given.get_bytes(retrieve::INTO), Some(&b"DATA"[..]));
        }
        assert!(w.kernel.resources.interval.protected.is_empty());
        // Those that are not over begin again.
        let mut w = w.restart();
        assert_eq!(names_begun(&mut w).len(), 1 + all.len());
    }
}

#[test]
fn a_task_that_fills_its_part_of_the_queue_gets_ioerr_and_others_do_not() {
    let mut w = world().with_start_limit(8);
    for _ in 0..2 {
        assert_eq!(
            start_response(&mut w, &of("TRNA")).condition,
            Condition::Normal
        );
    }
    assert_eq!(
        start_response(&mut w, &of("TRNA")).condition,
        Condition::IoErr
    );
    let other = w.command(2, start::NUMBER, &of("TRNA")).expect("an answer");
    assert_eq!(other.condition, Condition::Normal);
    // STARTs of the first two tasks have the same origin.
    let first = w.started[0].id;
    w.starts.insert(3, first);
    w.start_begun(first);
    let of_chain =
        |w: &mut KernelFixture| w.command(3, start::NUMBER, &of("TRNB")).expect("an answer");
    assert_eq!(
        of_chain(&mut w).condition,
        Condition::Normal,
        "one has begun"
    );
    assert_eq!(of_chain(&mut w).condition, Condition::IoErr);
    w.kernel.check_starts();
}

#[test]
fn what_comes_due_while_the_queue_is_full_begins_when_others_have() {
    let mut w = world().with_start_limit(2);
    for seconds in [5, 6, 7, 8] {
        start_response(&mut w, &after(seconds));
    }
    later(&mut w, 10);
    let begun = tasks_begun(&mut w);
    assert_eq!(begun.len(), 2, "as many as may wait");
    w.start_begun(begun[0].0);
    assert_eq!(tasks_begun(&mut w).len(), 1);
    // The transaction is disabled: the last one never begins.
    let disabled = StartRefusal::Disabled(TransId::from_bytes(*b"TRNA"));
    w.refuse_starts("TRNA", disabled);
    w.start_begun(begun[1].0);
    assert!(tasks_begun(&mut w).is_empty());
    assert_eq!(w.kernel.waiting_starts().all, 1);
}

#[test]
fn the_end_of_the_region_keeps_what_waits_for_the_queue() {
    let mut w = world().with_start_limit(1);
    for seconds in [5, 6, 7] {
        start_response(&mut w, &after(seconds));
    }
    later(&mut w, 10);
    assert_eq!(tasks_begun(&mut w).len(), 1);
    w.close_starts();
    w.keep();
    let mut w = w.restart();
    assert_eq!(tasks_begun(&mut w).len(), 2);
}

#[test]
fn one_origin_may_keep_a_quarter_of_the_requests_of_the_region() {
    let mut config = transactions();
    let mut accounts = AccountLimits::default();
    let mut limit = AccountLimit::default();
    limit.region.count = 100;
    accounts.set(AccountKind::Starts, limit);
    config.accounts = accounts;
    let mut w = KernelFixture::at(TWO, config, Some(MemoryStore::new()));
    for _ in 0..25 {
        assert_eq!(
            start_response(&mut w, &after(100)).condition,
            Condition::Normal
        );
    }
    assert_eq!(
        start_response(&mut w, &after(100)).condition,
        Condition::IoErr
    );
    let other = w.command(2, start::NUMBER, &after(100)).expect("an answer");
    assert_eq!(other.condition, Condition::Normal);
}
