//! Interval control in virtual time, over a store in memory: when requests
//! begin, what they bring, who may take them back, what a restart finds.

use cics::command::commands::{cancel, delay, retrieve, start};
use cics::resp::Condition;
use link::{Answer, Call, Name, Op, Operands};
use store::{MemoryStore, WriteStore};

use super::*;
use crate::api::{Definitions, Refusal, RegionConfig};
use crate::kernel::{Caller, Effect, Kernel, Settings, StartEnd, Then};
use crate::resources::Resources;
use crate::resources::world::World as Region;

/// A region's kernel, its store, and the time.
struct World {
    store: MemoryStore,
    kernel: Kernel,
    now: u64,
    out: Vec<Effect>,
}

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;
/// Two in the morning.
const TWO: u64 = 2 * 3600 * SECOND;

fn kernel(store: &MemoryStore) -> Kernel {
    let reader = store.reader().unwrap();
    let mut kernel = Kernel::new(Some(reader), Settings::default(), Resources::default());
    let names = ["TRNA", "TRNB"].map(|name| TransactionDef {
        name: TransId::new(name).unwrap(),
        ..TransactionDef::default()
    });
    kernel.resources.interval.define(&names);
    kernel
}

fn caller(task: u32, start: Option<u64>) -> Caller {
    Caller {
        key: TaskKey::for_test(task),
        number: task.into(),
        transid: Name::from_bytes(*b"TEST"),
        userid: Name::from_bytes(*b"USER    "),
        priority: 1,
        start,
        lock_timeout_ns: None,
    }
}

impl World {
    fn new() -> Self {
        let store = MemoryStore::new();
        World {
            kernel: kernel(&store),
            store,
            now: TWO,
            out: Vec::new(),
        }
    }

    /// The region is lost, and started again.
    fn restart(&mut self) {
        self.kernel = kernel(&self.store);
        self.out.clear();
        self.kernel.restore(self.now, &mut self.out);
        self.settle();
    }

    /// Lets the store do what it was asked for.
    fn settle(&mut self) {
        while let Some(at) = self.out.iter().position(|e| matches!(e, Effect::Commit(_))) {
            let Effect::Commit(job) = self.out.remove(at) else {
                unreachable!("it was found as one")
            };
            let result = self.store.apply(&[job.changes]).remove(0);
            let World {
                kernel, now, out, ..
            } = self;
            kernel.committed(*now, job.task, job.then, result, out);
        }
    }

    fn command(&mut self, caller: Caller, number: u16, operands: &Operands) {
        let mut args = [0; 8];
        args[0] = number.into();
        let call = Call {
            op: Op::Command,
            slot: 0,
            args,
            data: operands.emit(),
        };
        let World {
            kernel, now, out, ..
        } = self;
        kernel.call(*now, caller, call, out).unwrap();
        self.settle();
    }

    fn op(&mut self, task: u32, op: Op) {
        let call = Call {
            op,
            slot: 0,
            args: [0; 8],
            data: Vec::new(),
        };
        let World {
            kernel, now, out, ..
        } = self;
        kernel.call(*now, caller(task, None), call, out).unwrap();
        self.settle();
    }

    fn end(&mut self, caller: Caller, commit: bool) {
        let World {
            kernel, now, out, ..
        } = self;
        kernel.end(*now, caller, commit, out);
        self.settle();
    }

    fn later(&mut self, seconds: u64) {
        self.now += seconds * SECOND;
        self.kernel.expire(self.now, &mut self.out);
        self.settle();
    }

    /// START of task 1; gives the answer.
    fn start(&mut self, operands: &Operands) -> Answer {
        self.command(caller(1, None), start::NUMBER, operands);
        self.answer()
    }

    fn cancel(&mut self, task: u32, name: &str) -> Condition {
        let operands = Operands::new(1 << cancel::REQID).bytes(cancel::REQID, name.as_bytes());
        self.command(caller(task, None), cancel::NUMBER, &operands);
        self.answer().condition
    }

    fn answer(&mut self) -> Answer {
        let at = self
            .out
            .iter()
            .position(|e| matches!(e, Effect::Answer(..)));
        match self.out.remove(at.expect("an answer")) {
            Effect::Answer(_, answer) => answer,
            _ => unreachable!("it was found as one"),
        }
    }

    /// Tasks begun since the last look: their number and transaction.
    fn begun(&mut self) -> Vec<(u64, String)> {
        let started = self.out.drain(..).filter_map(|effect| match effect {
            Effect::Start(start) => Some((start.id, start.transid.to_string())),
            _ => None,
        });
        started.collect()
    }

    fn names_begun(&mut self) -> Vec<String> {
        self.begun().into_iter().map(|(_, name)| name).collect()
    }
}

/// A START of a transaction, with nothing but that.
fn of(transid: &str) -> Operands {
    Operands::new(1 << start::TRANSID).bytes(start::TRANSID, transid.as_bytes())
}

trait With: Sized {
    fn and(self, option: u8, text: &str) -> Self;
    fn and_int(self, option: u8, value: i64) -> Self;
    fn flag(self, option: u8) -> Self;
}

impl With for Operands {
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

fn after(seconds: i64) -> Operands {
    of("TRNA")
        .flag(start::AFTER)
        .and_int(start::SECONDS, seconds)
}

#[test]
fn requests_begin_in_the_order_of_their_times() {
    let mut w = World::new();
    w.start(&after(20));
    w.start(&of("TRNB").and_int(start::INTERVAL, 10));
    w.start(&of("TRNB"));
    assert_eq!(w.names_begun(), ["TRNB"]);
    w.later(9);
    assert!(w.begun().is_empty());
    w.later(1);
    assert_eq!(w.names_begun(), ["TRNB"]);
    w.later(10);
    assert_eq!(w.names_begun(), ["TRNA"]);
}

#[test]
fn a_time_of_day_up_to_six_hours_ago_has_passed_also_over_midnight() {
    let mut w = World::new();
    // It is two: eight in the evening was six hours ago.
    for passed in [20_000, 0, 230_000, 200_000] {
        w.start(&of("TRNA").and_int(start::TIME, passed));
        assert_eq!(w.names_begun(), ["TRNA"], "{passed}");
    }
    for (to_come, seconds) in [(30_000, 3600), (195_959, 64_799), (250_000, 82_800)] {
        w.start(&of("TRNA").and_int(start::TIME, to_come));
        assert!(w.begun().is_empty(), "{to_come}");
        let id = *w.kernel.resources.interval.requests.keys().max().unwrap();
        let at = w.kernel.resources.interval.requests[&id].at;
        assert_eq!(at, TWO + seconds * SECOND, "{to_come}");
    }
}

#[test]
fn what_is_out_of_range_starts_nothing() {
    let mut w = World::new();
    let wrong = [
        (of("TRNA").and_int(start::INTERVAL, 70), 6),
        (after(360_000), 6),
        (of("TRNA").flag(start::AFTER).and_int(start::HOURS, 100), 4),
        (after(1).and_int(start::MINUTES, 60), 5),
    ];
    for (operands, resp2) in wrong {
        let answer = w.start(&operands);
        assert_eq!((answer.condition, answer.resp2), (Condition::InvReq, resp2));
    }
    assert_eq!(w.start(&of("NONE")).condition, Condition::TransIdErr);
    let terminal = of("TRNA").and(start::TERMID, "T001");
    assert_eq!(w.start(&terminal).condition, Condition::TermIdErr);
    let length = of("TRNA").and(start::FROM, "").and_int(start::LENGTH, 0);
    assert_eq!(w.start(&length).condition, Condition::LengErr);
    assert!(w.kernel.resources.interval.requests.is_empty());
    assert!(w.begun().is_empty());
}

#[test]
fn a_name_that_holds_data_cannot_be_used_for_data_again() {
    let mut w = World::new();
    let named = after(10)
        .and(start::REQID, "MINE    ")
        .and(start::FROM, "ONE");
    assert_eq!(w.start(&named).condition, Condition::Normal);
    assert_eq!(w.start(&named).condition, Condition::IoErr);
    // Without data the name may stand for several; the oldest is cancelled.
    let bare = after(20).and(start::REQID, "MINE    ");
    assert_eq!(w.start(&bare).condition, Condition::Normal);
    assert_eq!(w.cancel(2, "MINE    "), Condition::Normal);
    w.later(10);
    assert!(w.begun().is_empty());
    w.later(10);
    assert_eq!(w.names_begun(), ["TRNA"]);
    assert_eq!(w.cancel(2, "MINE    "), Condition::NotFnd);
}

#[test]
fn a_name_is_generated_unless_nobody_wants_one() {
    let mut w = World::new();
    let name = |answer: Answer| {
        let operands = Operands::parse(&answer.data).unwrap_or_default();
        operands.get_name::<8>(start::REQID)
    };
    let first = name(w.start(&after(10))).unwrap();
    let second = name(w.start(&after(10))).unwrap();
    assert_ne!(first, second);
    assert_eq!(&first[..2], b"DF");
    assert_eq!(name(w.start(&after(10).flag(start::NOCHECK))), None);
    let first = String::from_utf8(first.to_vec()).unwrap();
    assert_eq!(w.cancel(1, &first), Condition::Normal);
}

#[test]
fn a_task_retrieves_its_own_data_once_and_only_what_was_sent() {
    let mut w = World::new();
    w.start(
        &of("TRNA")
            .and(start::FROM, "DATA")
            .and(start::RTRANSID, "BACK"),
    );
    w.start(&of("TRNB").and(start::QUEUE, "QUEUE   "));
    let begun = w.begun();
    let into = Operands::new(1 << retrieve::INTO | 1 << retrieve::RTRANSID);
    let first = caller(2, Some(begun[0].0));
    let queue = into.clone().flag(retrieve::QUEUE);
    w.command(first, retrieve::NUMBER, &queue);
    assert_eq!(w.answer().condition, Condition::EnvDefErr);
    w.command(first, retrieve::NUMBER, &into);
    let given = Operands::parse(&w.answer().data).unwrap();
    assert_eq!(given.get_bytes(retrieve::INTO), Some(&b"DATA"[..]));
    assert_eq!(given.get_bytes(retrieve::RTRANSID), Some(&b"BACK"[..]));
    w.command(first, retrieve::NUMBER, &into);
    assert_eq!(w.answer().condition, Condition::EndData);
    // A record without FROM is one all the same.
    let second = caller(3, Some(begun[1].0));
    w.command(
        second,
        retrieve::NUMBER,
        &Operands::new(1 << retrieve::INTO),
    );
    assert_eq!(w.answer().condition, Condition::EnvDefErr);
    w.command(
        second,
        retrieve::NUMBER,
        &Operands::new(1 << retrieve::QUEUE),
    );
    assert_eq!(w.answer().condition, Condition::Normal);
    // A task that nobody started has none.
    w.command(caller(4, None), retrieve::NUMBER, &into);
    assert_eq!(w.answer().condition, Condition::EndData);
    w.end(first, true);
    w.end(second, true);
    assert!(w.kernel.resources.interval.requests.is_empty());
    assert!(w.kernel.resources.interval.names.is_empty());
}

#[test]
fn a_protected_start_begins_with_the_syncpoint_and_not_without() {
    let mut w = World::new();
    let protected = of("TRNA")
        .flag(start::PROTECT)
        .and(start::REQID, "P       ");
    w.start(&protected);
    w.later(5);
    assert!(w.begun().is_empty());
    // It can be cancelled when it is committed, not before.
    assert_eq!(w.cancel(2, "P       "), Condition::NotFnd);
    w.op(1, Op::Syncpoint);
    assert_eq!(w.names_begun(), ["TRNA"]);
    w.start(&protected);
    w.op(1, Op::Rollback);
    assert!(w.begun().is_empty());
    w.start(&protected);
    w.end(caller(1, None), false);
    assert!(w.begun().is_empty());
    assert_eq!(w.kernel.resources.interval.requests.len(), 1);
}

#[test]
fn a_protected_start_outlives_the_region_and_begins_once() {
    let mut w = World::new();
    let data = |seconds| after(seconds).flag(start::PROTECT).and(start::FROM, "DATA");
    w.start(&data(30));
    w.start(&after(30));
    w.op(1, Op::Syncpoint);
    w.start(&data(40));
    w.restart();
    // The one that was not committed is gone, and so is the unprotected one.
    w.later(60);
    let begun = w.begun();
    assert_eq!(begun.len(), 1);
    // Lost again before its task has ended: it begins again.
    w.restart();
    let begun = w.begun();
    assert_eq!(begun.len(), 1);
    let task = caller(5, Some(begun[0].0));
    let into = Operands::new(1 << retrieve::INTO);
    w.command(task, retrieve::NUMBER, &into);
    let given = Operands::parse(&w.answer().data).unwrap();
    assert_eq!(given.get_bytes(retrieve::INTO), Some(&b"DATA"[..]));
    w.end(task, true);
    w.restart();
    assert!(w.begun().is_empty());
}

#[test]
fn a_protected_start_whose_task_abends_does_not_begin_again() {
    let mut w = World::new();
    w.start(&of("TRNA").flag(start::PROTECT));
    w.op(1, Op::Syncpoint);
    let begun = w.begun();
    w.end(caller(5, Some(begun[0].0)), false);
    w.restart();
    assert!(w.begun().is_empty());
    // Nor does one whose task cannot begin.
    w.start(&of("TRNA").flag(start::PROTECT));
    w.op(1, Op::Syncpoint);
    let id = w.begun()[0].0;
    let refused = StartEnd::Refused(Refusal::Disabled(TransId::new("TRNA").unwrap()));
    let World {
        kernel, now, out, ..
    } = &mut w;
    kernel.start_ended(*now, id, &refused, out);
    w.settle();
    w.restart();
    assert!(w.begun().is_empty());
}

#[test]
fn a_protected_start_that_is_cancelled_is_out_of_the_store() {
    let mut w = World::new();
    w.start(&after(30).flag(start::PROTECT).and(start::REQID, "P       "));
    w.op(1, Op::Syncpoint);
    w.restart();
    assert_eq!(w.cancel(2, "P       "), Condition::Normal);
    w.restart();
    w.later(60);
    assert!(w.begun().is_empty());
}

#[test]
fn unprotected_requests_outlive_a_normal_end_and_no_other() {
    let mut w = World::new();
    w.start(&after(30));
    let changes = w.kernel.keep(w.now);
    assert!(w.store.apply(&[changes])[0].is_ok());
    w.restart();
    // A second restart, without a normal end, loses it.
    let mut lost = World::new();
    std::mem::swap(&mut lost.store, &mut w.store);
    w.later(30);
    assert_eq!(w.names_begun(), ["TRNA"]);
    lost.now = w.now;
    lost.restart();
    assert!(lost.begun().is_empty());
}

#[test]
fn a_delay_with_a_name_is_ended_by_another_task() {
    let mut w = World::new();
    let waits = Operands::new(0)
        .flag(delay::FOR)
        .and_int(delay::SECONDS, 100)
        .and(delay::REQID, "WAIT    ");
    w.command(caller(1, None), delay::NUMBER, &waits);
    w.later(1);
    assert_eq!(w.cancel(2, "OTHER   "), Condition::NotFnd);
    assert!(w.kernel.waits(TaskKey::for_test(1)));
    let cancelled = Operands::new(1 << cancel::REQID).bytes(cancel::REQID, *b"WAIT    ");
    w.command(caller(2, None), cancel::NUMBER, &cancelled);
    let answers = |w: &mut World| {
        let answers = w.out.drain(..).filter_map(|e| match e {
            Effect::Answer(task, answer) => Some((task, answer.condition)),
            _ => None,
        });
        answers.collect::<Vec<_>>()
    };
    let mut both = answers(&mut w);
    both.sort_by_key(|(task, _)| *task);
    let normal = |task| (TaskKey::for_test(task), Condition::Normal);
    assert_eq!(both, [normal(1), normal(2)]);
    assert_eq!(w.cancel(2, "WAIT    "), Condition::NotFnd);
}

#[test]
fn no_bytes_make_the_reader_of_kept_requests_panic() {
    use proptest::prelude::*;
    proptest!(|(bytes in prop::collection::vec(any::<u8>(), 0..200))| {
        let mut store = MemoryStore::new();
        let mut unit = store::UnitOfWork::default();
        unit.put(store::Table::new("starts"), b"P12345678", &bytes);
        prop_assert!(store.apply(&[unit])[0].is_ok());
        let mut kernel = kernel(&store);
        kernel.restore(TWO, &mut Vec::new());
    });
}

#[test]
fn the_store_hears_of_what_belongs_to_no_unit() {
    let mut w = World::new();
    w.start(&of("TRNA").flag(start::PROTECT));
    w.op(1, Op::Syncpoint);
    let id = w.begun()[0].0;
    let World {
        kernel, now, out, ..
    } = &mut w;
    kernel.end(*now, caller(5, Some(id)), false, out);
    let nothing =
        |e: &Effect| matches!(e, Effect::Commit(job) if matches!(job.then, Then::Nothing));
    assert!(w.out.iter().any(nothing));
}

fn transactions() -> RegionConfig {
    let names = [*b"TRNA", *b"TRNB"];
    let transactions = names.map(|name| TransactionDef {
        name: TransId::from_bytes(name),
        ..TransactionDef::default()
    });
    RegionConfig {
        definitions: Definitions {
            transactions: transactions.to_vec(),
            ..Definitions::default()
        },
        ..RegionConfig::default()
    }
}

#[test]
fn a_start_that_the_store_does_not_let_go_is_not_cancelled() {
    let mut w = Region::new(transactions());
    let protected = after(5).and(start::REQID, "MINE").flag(start::PROTECT);
    w.command(1, start::NUMBER, &protected);
    w.syncpoint(1);
    w.disk = false;
    let named = Operands::new(1 << cancel::REQID).bytes(cancel::REQID, "MINE");
    let told = w.command(1, cancel::NUMBER, &named).expect("an answer");
    assert_eq!(told.abend, "AEXZ");
    w.disk = true;
    w.later(5_000);
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
    let mut w = Region::new(transactions());
    let mut out = Vec::new();
    w.kernel.with(w.now, &mut out, |_, cx| {
        // Summer time begins at three o'clock UTC.
        cx.kernel.settings.zone = |unix_s| match unix_s < 3 * 3_600 {
            true => 3_600,
            false => 7_200,
        };
    });
    // Half past three; the clock shows six after an hour and a half.
    w.now = 2 * HOUR + HOUR / 2;
    w.command(1, start::NUMBER, &at_six());
    w.syncpoint(1);
    assert_eq!(w.kernel.next_alarm(), Some(4 * HOUR));
    w.later(2 * 3_600_000);
    assert_eq!(w.started.len(), 1);
    // Half past six has passed; half past five has not come.
    w.now = 3 * HOUR + HOUR / 2;
    w.command(1, start::NUMBER, &at_six());
    w.syncpoint(1);
    assert_eq!(w.kernel.next_alarm(), Some(4 * HOUR));
}
