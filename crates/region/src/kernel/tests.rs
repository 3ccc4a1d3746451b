//! The kernel alone: locks over all kinds of name, waits, units with several
//! participants, and a random history that must leave nothing behind.

use cics::command::commands::{delay, deq, enq};
use cics::resp::Condition;
use link::{Answer, Call, Name, Op, Operands};

use super::*;
use crate::core::TaskKey;

/// A kernel without a store, what it asked for, and the time.
struct World {
    kernel: Kernel,
    now: u64,
    out: Vec<Effect>,
}

const MS: u64 = 1_000_000;

fn caller(task: u32) -> Caller {
    Caller {
        key: TaskKey::for_test(task),
        number: task.into(),
        transid: Name::from_bytes(*b"TEST"),
        userid: Name::BLANK,
        priority: 1,
        start: None,
        lock_timeout_ns: None,
    }
}

fn command(number: u16, operands: &Operands) -> Call {
    let mut args = [0; 8];
    args[0] = number.into();
    Call {
        op: Op::Command,
        slot: 0,
        args,
        data: operands.emit(),
    }
}

fn op(op: Op) -> Call {
    Call {
        op,
        slot: 0,
        args: [0; 8],
        data: Vec::new(),
    }
}

fn name(option: u8, text: &str) -> Operands {
    Operands::new(1 << option).bytes(option, text.as_bytes())
}

impl World {
    fn new() -> Self {
        let settings = Settings {
            lock_timeout_ns: 1_000 * MS,
            ..Settings::default()
        };
        World {
            kernel: Kernel::new(None, settings, Resources::default()),
            now: 1_000 * MS,
            out: Vec::new(),
        }
    }

    fn call(&mut self, task: u32, call: Call) {
        let World { kernel, now, out } = self;
        kernel.call(*now, caller(task), call, out).unwrap();
    }

    fn join(&mut self, task: u32, participant: usize) {
        let World { kernel, now, out } = self;
        let (key, participant) = (caller(task).key, ParticipantId(participant));
        kernel.with(*now, out, |_, cx| cx.join(key, participant));
    }

    fn enq(&mut self, task: u32, text: &str) {
        self.call(task, command(enq::NUMBER, &name(enq::RESOURCE, text)));
    }

    fn deq(&mut self, task: u32, text: &str) {
        self.call(task, command(deq::NUMBER, &name(deq::RESOURCE, text)));
    }

    fn later(&mut self, ms: u64) {
        self.now += ms * MS;
        self.kernel.expire(self.now, &mut self.out);
    }

    fn end(&mut self, task: u32) {
        let World { kernel, now, out } = self;
        kernel.end(*now, caller(task), true, out);
    }

    /// The answers since the last look: the task's number and what it got.
    fn answers(&mut self) -> Vec<(u32, String)> {
        let told = |a: &Answer| match a.abend.is_blank() {
            true => a.condition.name().to_owned(),
            false => a.abend.to_string(),
        };
        let number = |key: TaskKey| (1..100).find(|n| TaskKey::for_test(*n) == key).unwrap();
        let answers = self.out.drain(..).filter_map(|effect| match effect {
            Effect::Answer(key, answer) => Some((number(key), told(&answer))),
            _ => None,
        });
        answers.collect()
    }

    fn orders(&mut self) -> Vec<String> {
        let orders = self.out.drain(..).map(|effect| match effect {
            Effect::Participant(_, p, order) => format!("{order:?} {}", p.0),
            Effect::Answer(_, answer) => answer.condition.name().to_owned(),
            other => format!("{other:?}"),
        });
        orders.collect()
    }
}

fn got(list: &[(u32, &str)]) -> Vec<(u32, String)> {
    list.iter().map(|(n, s)| (*n, (*s).to_owned())).collect()
}

#[test]
fn an_enqueue_is_given_to_those_who_wait_in_their_order() {
    let mut w = World::new();
    w.enq(1, "A");
    w.enq(2, "A");
    w.enq(3, "A");
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
    w.deq(1, "A");
    assert_eq!(w.answers(), got(&[(1, "NORMAL"), (2, "NORMAL")]));
    w.end(2);
    assert_eq!(w.answers(), got(&[(3, "NORMAL")]));
}

#[test]
fn two_enqueues_want_two_dequeues() {
    let mut w = World::new();
    w.enq(1, "A");
    w.enq(1, "A");
    w.enq(2, "A");
    w.deq(1, "A");
    assert_eq!(w.answers().len(), 3);
    w.deq(1, "A");
    assert_eq!(w.answers(), got(&[(1, "NORMAL"), (2, "NORMAL")]));
}

#[test]
fn a_syncpoint_ends_the_enqueues_of_the_unit_and_keeps_those_of_the_task() {
    let mut w = World::new();
    let mut whole = name(enq::RESOURCE, "T");
    whole.options |= 1 << enq::TASK;
    w.enq(1, "U");
    w.call(1, command(enq::NUMBER, &whole));
    w.enq(2, "U");
    w.enq(3, "T");
    w.answers();
    w.call(1, op(Op::Syncpoint));
    assert_eq!(w.answers(), got(&[(1, "NORMAL"), (2, "NORMAL")]));
    w.end(1);
    assert_eq!(w.answers(), got(&[(3, "NORMAL")]));
}

#[test]
fn a_deadlock_ends_the_one_who_closes_the_ring() {
    let mut w = World::new();
    w.enq(1, "A");
    w.enq(2, "B");
    w.enq(1, "B");
    w.answers();
    w.enq(2, "A");
    assert_eq!(w.answers(), got(&[(2, "AKCS")]));
}

#[test]
fn a_wait_ends_with_dtimout_and_its_place_in_the_queue_is_gone() {
    let mut w = World::new();
    w.enq(1, "A");
    w.enq(2, "A");
    w.later(500);
    w.enq(3, "A");
    w.answers();
    w.later(500);
    assert_eq!(w.answers(), got(&[(2, "AKCS")]));
    assert!(!w.kernel.waits(caller(2).key));
    w.deq(1, "A");
    assert_eq!(w.answers(), got(&[(1, "NORMAL"), (3, "NORMAL")]));
}

#[test]
fn a_delay_ends_when_its_time_is_over_and_not_before() {
    let mut w = World::new();
    let wait = Operands::new(1 << delay::FOR | 1 << delay::MILLISECS).int(delay::MILLISECS, 7);
    w.call(1, command(delay::NUMBER, &wait));
    assert_eq!(w.kernel.next_alarm(), Some(w.now + 7 * MS));
    w.later(6);
    assert_eq!(w.answers(), got(&[]));
    w.later(1);
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
    assert_eq!(w.kernel.next_alarm(), None);
}

#[test]
fn a_purge_reaches_a_lock_and_a_delay() {
    let mut w = World::new();
    w.enq(1, "A");
    w.enq(2, "A");
    let wait = Operands::new(1 << delay::INTERVAL).int(delay::INTERVAL, 10_000);
    w.call(3, command(delay::NUMBER, &wait));
    w.answers();
    for task in [2, 3] {
        let World { kernel, out, .. } = &mut w;
        assert!(kernel.purge(caller(task).key, *b"AEXY", out));
        assert!(!kernel.purge(caller(task).key, *b"AEXY", out));
    }
    assert_eq!(w.answers(), got(&[(2, "AEXY"), (3, "AEXY")]));
    assert_eq!(w.kernel.next_alarm(), None);
}

#[test]
fn a_single_participant_commits_in_one_phase() {
    let mut w = World::new();
    let key = caller(1).key;
    w.join(1, 0);
    w.call(1, op(Op::Syncpoint));
    assert_eq!(w.orders(), ["CommitOnePhase 0"]);
    w.kernel.voted(w.now, key, true, &mut w.out);
    assert_eq!(w.orders(), ["NORMAL"]);
}

#[test]
fn several_participants_prepare_before_any_commits() {
    let mut w = World::new();
    let key = caller(1).key;
    for n in 0..2 {
        w.join(1, n);
    }
    w.call(1, op(Op::Syncpoint));
    assert_eq!(w.orders(), ["Prepare 0", "Prepare 1"]);
    w.kernel.voted(w.now, key, true, &mut w.out);
    assert_eq!(w.orders(), [""; 0]);
    w.kernel.voted(w.now, key, true, &mut w.out);
    // The store decides.
    let Some(Effect::Commit(job)) = w.out.pop() else {
        panic!("the store was to commit");
    };
    w.kernel.committed(w.now, key, job.then, Ok(()), &mut w.out);
    assert_eq!(w.orders(), ["Commit 0", "Commit 1", "NORMAL"]);
}

#[test]
fn one_that_cannot_commit_has_all_backed_out() {
    let mut w = World::new();
    let key = caller(1).key;
    for n in 0..2 {
        w.join(1, n);
    }
    w.call(1, op(Op::Syncpoint));
    w.out.clear();
    w.kernel.voted(w.now, key, false, &mut w.out);
    w.kernel.voted(w.now, key, true, &mut w.out);
    assert_eq!(w.orders(), ["BackOut 0", "BackOut 1", "ROLLEDBACK"]);
}

#[test]
fn a_task_that_dies_while_its_unit_is_decided_ends_with_the_decision() {
    let mut w = World::new();
    let key = caller(1).key;
    w.join(1, 0);
    w.call(1, op(Op::Syncpoint));
    w.kernel.end(w.now, caller(1), false, &mut w.out);
    w.out.clear();
    w.kernel.voted(w.now, key, true, &mut w.out);
    let ended = |e: &Effect| matches!(e, Effect::Ended(task, None) if *task == key);
    assert!(w.out.iter().any(ended), "{:?}", w.out);
}

#[test]
fn operands_that_make_no_sense_are_a_violation() {
    let mut w = World::new();
    let mut broken = command(enq::NUMBER, &Operands::default());
    broken.data.pop();
    let called = w.kernel.call(w.now, caller(1), broken, &mut w.out);
    assert_eq!(called, Err(link::Violation::Operands));
}

proptest::proptest! {
    /// Tasks enqueue, dequeue, wait, die and are purged in any order: nobody
    /// waits for a lock that is free, and nothing is left at the end.
    #[test]
    fn nothing_is_left_behind(steps in proptest::collection::vec((0u8..6, 1u32..6, 0usize..3), 1..120)) {
        let mut w = World::new();
        let names = ["A", "B", "C"];
        for (what, task, which) in steps {
            let key = caller(task).key;
            let waits = w.kernel.waits(key);
            match what {
                // A task that waits asks nothing.
                0 | 1 if !waits => w.enq(task, names[which]),
                2 if !waits => w.deq(task, names[which]),
                3 if !waits => w.call(task, op(Op::Syncpoint)),
                4 => w.end(task),
                5 => {
                    let World { kernel, out, .. } = &mut w;
                    kernel.purge(key, *b"AEXY", out);
                }
                _ => w.later(100),
            }
            for (lock, owner, waiters) in w.kernel.locks().each() {
                proptest::prop_assert!(!waiters.contains(&owner), "{lock}");
                for waiter in waiters {
                    proptest::prop_assert!(w.kernel.waits(waiter), "{lock}");
                }
            }
        }
        for task in 1..6 {
            w.end(task);
        }
        proptest::prop_assert_eq!(w.kernel.locks().each().count(), 0);
        proptest::prop_assert_eq!(w.kernel.next_alarm(), None);
        let conditions = w.answers().into_iter().map(|(_, told)| told);
        for told in conditions {
            let known = Condition::from_name(&told).is_some() || told == "AKCS" || told == "AEXY";
            proptest::prop_assert!(known, "{}", told);
        }
    }
}
