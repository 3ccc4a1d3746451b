//! The kernel by itself: locks over all kinds of name, waits, units with several
//! participants, and a random history that must leave no state.

use cics::command::commands::{delay, deq, enq, start};
use cics::csd::InDoubt;
use cics::resp::Condition;
use link::{CallOperation, CommandOperands, WorkerCall};

use super::*;
use crate::core::TaskKey;
use crate::resources::world::KernelFixture;
use crate::types::{KernelConfig, RegionDefinitions, TransactionDef};

const MS: u64 = 1_000_000;

fn name(option: u8, text: &str) -> CommandOperands {
    CommandOperands::new(1 << option).bytes(option, text.as_bytes())
}

fn world() -> KernelFixture {
    KernelFixture::new(KernelConfig::default())
}

fn lock(w: &mut KernelFixture, task: u32, text: &str) {
    w.ask(task, enq::NUMBER, &name(enq::RESOURCE, text));
}

fn unlock(w: &mut KernelFixture, task: u32, text: &str) {
    w.ask(task, deq::NUMBER, &name(deq::RESOURCE, text));
}

fn waits(w: &KernelFixture, task: u32) -> bool {
    w.kernel.waits(TaskKey::for_test(task))
}

fn orders(w: &mut KernelFixture) -> Vec<String> {
    std::mem::take(&mut w.orders)
}

fn got(list: &[(u32, &str)]) -> Vec<(u32, String)> {
    list.iter().map(|(n, s)| (*n, (*s).to_owned())).collect()
}

#[test]
fn an_enqueue_is_given_to_those_who_wait_in_their_order() {
    let mut w = world();
    lock(&mut w, 1, "A");
    lock(&mut w, 2, "A");
    lock(&mut w, 3, "A");
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
    unlock(&mut w, 1, "A");
    assert_eq!(w.answers(), got(&[(1, "NORMAL"), (2, "NORMAL")]));
    w.end(2, true);
    assert_eq!(w.answers(), got(&[(3, "NORMAL")]));
}

#[test]
fn two_enqueues_want_two_dequeues() {
    let mut w = world();
    lock(&mut w, 1, "A");
    lock(&mut w, 1, "A");
    lock(&mut w, 2, "A");
    unlock(&mut w, 1, "A");
    assert_eq!(w.answers().len(), 3);
    unlock(&mut w, 1, "A");
    assert_eq!(w.answers(), got(&[(1, "NORMAL"), (2, "NORMAL")]));
}

#[test]
fn a_syncpoint_ends_the_enqueues_of_the_unit_and_keeps_those_of_the_task() {
    let mut w = world();
    let mut whole = name(enq::RESOURCE, "T");
    whole.options |= 1 << enq::TASK;
    lock(&mut w, 1, "U");
    w.ask(1, enq::NUMBER, &whole);
    lock(&mut w, 2, "U");
    lock(&mut w, 3, "T");
    w.answers();
    assert!(w.syncpoint(1).is_some());
    assert_eq!(w.answers(), got(&[(2, "NORMAL")]));
    w.end(1, true);
    assert_eq!(w.answers(), got(&[(3, "NORMAL")]));
}

#[test]
fn a_deadlock_ends_the_one_who_closes_the_ring() {
    let mut w = world();
    lock(&mut w, 1, "A");
    lock(&mut w, 2, "B");
    lock(&mut w, 1, "B");
    w.answers();
    lock(&mut w, 2, "A");
    assert_eq!(w.answers(), got(&[(2, "AKCS")]));
}

#[test]
fn a_wait_ends_with_dtimout_and_its_place_in_the_queue_is_gone() {
    let mut w = world();
    lock(&mut w, 1, "A");
    lock(&mut w, 2, "A");
    w.later(500);
    lock(&mut w, 3, "A");
    w.answers();
    w.later(500);
    assert_eq!(w.answers(), got(&[(2, "AKCS")]));
    assert!(!waits(&w, 2));
    unlock(&mut w, 1, "A");
    assert_eq!(w.answers(), got(&[(1, "NORMAL"), (3, "NORMAL")]));
}

#[test]
fn without_a_limit_a_wait_for_a_lock_lasts() {
    let mut w = world();
    w.kernel.state.settings.lock_timeout_ns = 0;
    lock(&mut w, 1, "A");
    lock(&mut w, 2, "A");
    w.later(3_600_000);
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
    assert!(waits(&w, 2));
    unlock(&mut w, 1, "A");
    assert_eq!(w.answers(), got(&[(1, "NORMAL"), (2, "NORMAL")]));
}

#[test]
fn a_delay_ends_when_its_time_is_over_and_not_before() {
    let mut w = world();
    let wait =
        CommandOperands::new(1 << delay::FOR | 1 << delay::MILLISECS).int(delay::MILLISECS, 7);
    w.ask(1, delay::NUMBER, &wait);
    assert_eq!(w.kernel.next_alarm(), Some(w.now + 7 * MS));
    w.later(6);
    assert_eq!(w.answers(), got(&[]));
    w.later(1);
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
    assert_eq!(w.kernel.next_alarm(), None);
}

#[test]
fn a_purge_reaches_a_lock_and_a_delay() {
    let mut w = world();
    lock(&mut w, 1, "A");
    lock(&mut w, 2, "A");
    let wait = CommandOperands::new(1 << delay::INTERVAL).int(delay::INTERVAL, 10_000);
    w.ask(3, delay::NUMBER, &wait);
    w.answers();
    for task in [2, 3] {
        assert!(w.purge(task));
        assert!(!w.purge(task));
    }
    assert_eq!(w.answers(), got(&[(2, "AEXY"), (3, "AEXY")]));
    assert_eq!(w.kernel.next_alarm(), None);
}

#[test]
fn a_single_participant_commits_in_one_phase() {
    let mut w = world();
    let unit = w.join(1, "A");
    assert_eq!(w.syncpoint(1), None);
    assert_eq!(orders(&mut w), ["CommitOnePhase 0"]);
    w.vote(unit, "A", true);
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
}

#[test]
fn several_participants_prepare_before_the_store_decides_and_any_commits() {
    let mut w = world();
    let unit = w.join(1, "A");
    assert_eq!(w.join(1, "B"), unit);
    w.held = true;
    w.syncpoint(1);
    assert_eq!(orders(&mut w), ["Prepare 0", "Prepare 1"]);
    w.vote(unit, "A", true);
    // Only the answer that is missing counts.
    w.vote(unit, "A", true);
    w.flush(&[]);
    assert_eq!((orders(&mut w), w.answers()), (vec![], vec![]));
    w.held = true;
    w.vote(unit, "B", true);
    // No participant is asked while the store decides.
    w.vote(unit, "B", false);
    assert_eq!((orders(&mut w), w.answers()), (vec![], vec![]));
    w.flush(&[true]);
    assert_eq!(orders(&mut w), ["Commit 0", "Commit 1"]);
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
}

#[test]
fn one_that_cannot_commit_has_all_backed_out() {
    let mut w = world();
    let unit = w.join(1, "A");
    w.join(1, "B");
    w.syncpoint(1);
    w.orders.clear();
    w.vote(unit, "A", false);
    w.vote(unit, "B", true);
    assert_eq!(orders(&mut w), ["BackOut 0", "BackOut 1"]);
    assert_eq!(w.answers(), got(&[(1, "ROLLEDBACK")]));
    assert_eq!(w.kernel.open_decisions().count(), 0);
}

#[test]
fn a_decision_that_the_store_refuses_backs_all_out() {
    let mut w = world();
    let unit = w.join(1, "A");
    w.join(1, "B");
    w.disk = false;
    w.syncpoint(1);
    w.orders.clear();
    w.vote(unit, "A", true);
    w.vote(unit, "B", true);
    assert_eq!(orders(&mut w), ["BackOut 0", "BackOut 1"]);
    assert_eq!(w.answers(), got(&[(1, "ROLLEDBACK")]));
    let mut w = w.restart();
    w.in_doubt("A", &[unit]);
    assert_eq!(orders(&mut w), ["BackOut 0"]);
}

#[test]
fn a_decision_that_may_be_in_the_store_stays_open_until_the_next_start() {
    for (kept, order) in [(true, "Commit 0"), (false, "BackOut 0")] {
        let mut w = world();
        let unit = w.join(1, "A");
        w.join(1, "B");
        (w.disk, w.doubt) = (kept, true);
        w.syncpoint(1);
        w.orders.clear();
        w.vote(unit, "A", true);
        w.vote(unit, "B", true);
        assert_eq!(w.answers(), got(&[(1, "ASP7")]));
        w.in_doubt("A", &[unit]);
        assert_eq!(orders(&mut w), [""; 0]);
        let mut w = w.restart();
        w.in_doubt("A", &[unit]);
        assert_eq!(orders(&mut w), [order]);
    }
}

#[test]
fn a_task_whose_last_unit_is_in_doubt_ends_with_an_abend_for_it() {
    let mut w = world();
    let unit = w.join(1, "A");
    w.join(1, "B");
    w.doubt = true;
    w.end(1, true);
    w.vote(unit, "A", true);
    w.vote(unit, "B", true);
    let (_, abend) = w.ended.pop().unwrap();
    let message = abend.unwrap().message;
    assert!(
        message.starts_with("the unit of work is in doubt"),
        "{message}"
    );
}

#[test]
fn without_a_store_no_unit_with_several_participants_is_committed() {
    let mut w = KernelFixture::without_store();
    w.join(1, "A");
    w.join(1, "B");
    assert_eq!(w.syncpoint(1).unwrap().condition, Condition::RolledBack);
    assert_eq!(orders(&mut w), ["BackOut 0", "BackOut 1"]);
}

/// A unit of two participants that the store has decided to commit.
fn decided(w: &mut KernelFixture) -> UnitId {
    let unit = w.join(1, "A");
    w.join(1, "B");
    w.syncpoint(1);
    w.vote(unit, "A", true);
    w.vote(unit, "B", true);
    w.orders.clear();
    unit
}

#[test]
fn a_decision_is_kept_until_all_have_committed() {
    let mut w = world();
    let unit = decided(&mut w);
    assert_eq!(w.kernel.open_decisions().count(), 2);
    w.vote(unit, "A", true);
    assert_eq!(w.kernel.open_decisions().count(), 1);
    w.vote(unit, "B", true);
    assert_eq!(w.kernel.open_decisions().count(), 0);
    let w = w.restart();
    assert_eq!(w.kernel.open_decisions().count(), 0);
}

#[test]
fn a_participant_that_was_away_at_the_decision_receives_it_on_its_return() {
    let mut w = world();
    let unit = decided(&mut w);
    w.vote(unit, "A", true);
    w.vote(unit, "B", false);
    w.in_doubt("B", &[unit]);
    assert_eq!(orders(&mut w), ["Commit 1"]);
    w.vote(unit, "B", true);
    assert_eq!(w.kernel.open_decisions().count(), 0);
}

#[test]
fn after_a_restart_what_was_decided_is_committed_and_the_rest_backed_out() {
    let mut w = world();
    let unit = decided(&mut w);
    let undecided = w.join(2, "A");
    w.join(2, "B");
    w.syncpoint(2);
    w.vote(undecided, "A", true);
    let mut w = w.restart();
    assert_eq!(w.kernel.open_decisions().count(), 2);
    // A participant is identified by its name, also if the order of numbers differs.
    w.in_doubt("B", &[undecided, unit]);
    assert_eq!(orders(&mut w), ["BackOut 0", "Commit 0"]);
    w.vote(unit, "B", true);
    // It had committed before the region was lost.
    w.in_doubt("A", &[undecided]);
    assert_eq!(orders(&mut w), ["BackOut 1"]);
    assert_eq!(w.kernel.open_decisions().count(), 0);
    assert_eq!(w.restart().kernel.open_decisions().count(), 0);
}

#[test]
fn a_unit_that_is_under_way_is_not_in_doubt() {
    let mut w = world();
    let unit = w.join(1, "A");
    w.join(1, "B");
    w.syncpoint(1);
    w.vote(unit, "A", true);
    w.orders.clear();
    w.in_doubt("A", &[unit]);
    assert_eq!(orders(&mut w), [""; 0]);
    w.vote(unit, "B", true);
    // Sent and not answered yet: the participant has not missed the decision.
    w.in_doubt("A", &[]);
    assert_eq!(w.kernel.open_decisions().count(), 2);
}

#[test]
fn a_task_that_dies_while_its_unit_is_decided_ends_with_the_decision() {
    let mut w = world();
    let unit = w.join(1, "A");
    w.syncpoint(1);
    w.end(1, false);
    assert!(w.ended.is_empty());
    w.vote(unit, "A", true);
    assert_eq!(w.ended.len(), 1);
    assert!(w.ended[0].1.is_none());
}

#[test]
fn malformed_operands_are_a_violation() {
    let mut w = world();
    let mut data = CommandOperands::default().emit();
    data.pop();
    let broken = WorkerCall {
        op: CallOperation::Command,
        slot: 0,
        args: [enq::NUMBER.into(), 0, 0, 0, 0, 0, 0, 0],
        data,
    };
    let caller = w.caller(1);
    let called = w.kernel.call(w.now, caller, broken, &mut Vec::new());
    assert_eq!(called, Err(link::ProtocolViolation::Operands));
}

proptest::proptest! {
    /// Tasks enqueue, dequeue, wait, die and are purged in any order: no task waits for a free
    /// lock, and no state is left at the end.
    #[test]
    fn random_histories_leave_no_locks_waits_or_units(steps in proptest::collection::vec((0u8..6, 1u32..6, 0usize..3), 1..120)) {
        let mut w = world();
        let names = ["A", "B", "C"];
        for (what, task, which) in steps {
            let waits = waits(&w, task);
            match what {
                // A task that waits makes no other call.
                0 | 1 if !waits => lock(&mut w, task, names[which]),
                2 if !waits => unlock(&mut w, task, names[which]),
                3 if !waits => drop(w.syncpoint(task)),
                4 => w.end(task, true),
                5 => drop(w.purge(task)),
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
            w.end(task, true);
        }
        proptest::prop_assert_eq!(w.kernel.locks().each().count(), 0);
        proptest::prop_assert_eq!(w.kernel.next_alarm(), None);
        let conditions = w.answers().into_iter().map(|(_, name)| name);
        for name in conditions {
            let known = Condition::from_name(&name).is_some() || name == "AKCS" || name == "AEXY";
            proptest::prop_assert!(known, "{}", name);
        }
    }
}

#[test]
fn a_branch_that_is_backed_out_while_it_is_being_prepared_is_not_kept() {
    let mut w = world();
    let unit = w.join(1, "below");
    w.prepare(1, "B");
    assert_eq!(orders(&mut w), ["Prepare 0"]);
    assert_eq!(w.kernel.branches().count(), 1);
    w.settle("B", false);
    w.vote(unit, "below", true);
    assert_eq!(w.answers(), got(&[(1, "ROLLEDBACK")]));
    assert_eq!(orders(&mut w), ["BackOut 0"]);
    assert_eq!(w.kernel.branches().count(), 0);
    w.end(1, true);
    assert_eq!(w.restart().kernel.prepared().count(), 0);
}

#[test]
fn a_store_that_refuses_backs_out_what_is_not_prepared_and_keeps_what_is() {
    let mut w = world();
    w.disk = false;
    let unit = w.join(1, "below");
    w.prepare(1, "A");
    w.vote(unit, "below", true);
    assert_eq!(w.answers(), got(&[(1, "ROLLEDBACK")]));
    assert_eq!(orders(&mut w), ["Prepare 0", "BackOut 0"]);
    w.end(1, true);
    w.disk = true;
    let unit = w.join(2, "below");
    w.prepare(2, "B");
    w.vote(unit, "below", true);
    assert_eq!(w.answers(), got(&[(2, "NORMAL")]));
    w.end(2, true);
    orders(&mut w);
    w.disk = false;
    w.settle("B", true);
    assert_eq!(w.settled, [("B".to_owned(), false)]);
    assert!(orders(&mut w).is_empty());
    let mut w = w.restart();
    w.disk = true;
    w.settle("B", true);
    assert_eq!(w.settled, [("B".to_owned(), true)]);
    assert_eq!(orders(&mut w), ["Commit 0"]);
    assert_eq!(w.kernel.prepared().count(), 0);
}

#[test]
fn a_task_that_ends_while_its_unit_is_prepared_leaves_it_prepared() {
    let mut w = world();
    let unit = w.join(1, "below");
    lock(&mut w, 1, "A");
    w.prepare(1, "B");
    w.end(1, false);
    w.vote(unit, "below", true);
    assert_eq!(w.ended.len(), 1);
    lock(&mut w, 2, "A");
    assert!(waits(&w, 2));
    assert_eq!(w.kernel.prepared().count(), 1);
    w.settle("B", true);
    assert!(!waits(&w, 2));
}

#[test]
fn a_task_goes_on_when_who_is_waited_for_has_committed_or_cannot_be_reached() {
    let mut w = world();
    let below = w.kernel.participant("below");
    w.kernel.wait_for(below);
    let both = |w: &mut KernelFixture| {
        let unit = w.join(1, "below");
        w.join(1, "other");
        assert!(w.syncpoint(1).is_none());
        w.vote(unit, "below", true);
        w.vote(unit, "other", true);
        unit
    };
    let unit = both(&mut w);
    assert_eq!(
        orders(&mut w),
        ["Prepare 0", "Prepare 1", "Commit 0", "Commit 1"]
    );
    assert_eq!(w.answers(), got(&[]));
    assert_eq!(w.kernel.open_decisions().count(), 2);
    w.vote(unit, "below", true);
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
    w.vote(unit, "other", true);
    assert_eq!(w.kernel.open_decisions().count(), 0);
    let unit = both(&mut w);
    w.vote(unit, "other", true);
    w.vote(unit, "below", false);
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
    assert_eq!(w.kernel.open_decisions().count(), 1);
    orders(&mut w);
    w.in_doubt("below", &[unit]);
    assert_eq!(orders(&mut w), ["Commit 0"]);
}

#[test]
fn a_participant_lost_in_one_phase_is_queried_and_the_task_waits_for_its_answer() {
    for committed in [true, false] {
        let mut w = world();
        let unit = w.join(1, "below");
        assert!(w.syncpoint(1).is_none());
        assert_eq!(orders(&mut w), ["CommitOnePhase 0"]);
        w.kernel.unsure(w.now, unit);
        w.later(29_999);
        assert_eq!(w.answers(), got(&[]));
        w.vote(unit, "below", committed);
        let expected = if committed { "NORMAL" } else { "ROLLEDBACK" };
        assert_eq!(w.answers(), got(&[(1, expected)]));
        assert_eq!(w.kernel.next_alarm(), None);
    }
}

#[test]
fn a_task_that_waits_too_long_for_one_phase_learns_that_its_unit_is_in_doubt() {
    let mut w = world();
    let unit = w.join(1, "below");
    lock(&mut w, 1, "A");
    w.answers();
    assert!(w.syncpoint(1).is_none());
    w.kernel.unsure(w.now, unit);
    w.kernel.unsure(w.now + 1, unit);
    w.later(30_000);
    assert_eq!(w.answers(), got(&[(1, "ASP7")]));
    assert_eq!(w.kernel.next_alarm(), None);
    lock(&mut w, 2, "A");
    assert_eq!(w.answers(), got(&[(2, "NORMAL")]));
    // A later answer is too late for the task.
    w.vote(unit, "below", true);
    assert_eq!(w.answers(), got(&[]));
    w.end(1, false);
    w.end(2, true);
    assert!(w.kernel.is_idle());
}

#[test]
fn a_decision_is_resent_until_the_participant_has_carried_it_out() {
    let mut w = world();
    let below = w.kernel.participant("below");
    w.kernel.wait_for(below);
    let unit = w.join(1, "below");
    w.join(1, "other");
    assert!(w.syncpoint(1).is_none());
    for participant in ["below", "other"] {
        w.vote(unit, participant, true);
    }
    orders(&mut w);
    w.vote(unit, "below", false);
    // A participant that no task waits for reconnects by itself.
    w.vote(unit, "other", false);
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
    for _ in 0..2 {
        w.later(4_999);
        assert!(orders(&mut w).is_empty());
        w.later(1);
        assert_eq!(orders(&mut w), ["Commit 0"]);
        assert_eq!(w.kernel.next_alarm(), None);
        w.vote(unit, "below", false);
    }
    w.later(5_000);
    orders(&mut w);
    w.vote(unit, "below", true);
    assert_eq!(w.kernel.open_decisions().count(), 1);
    assert_eq!(w.kernel.next_alarm(), None);
}

/// A task's unit changes something that the store has.
fn change(w: &mut KernelFixture, task: u32) {
    let operands = CommandOperands::new(1 << start::TRANSID | 1 << start::PROTECT)
        .bytes(start::TRANSID, "TRNA");
    w.ask(task, start::NUMBER, &operands);
    assert_eq!(w.answers(), got(&[(task, "NORMAL")]));
}

fn with_transaction() -> KernelFixture {
    let transactions = vec![TransactionDef {
        name: link::TransId::from_bytes(*b"TRNA"),
        ..TransactionDef::default()
    }];
    let definitions = RegionDefinitions {
        transactions,
        ..RegionDefinitions::default()
    };
    KernelFixture::new(KernelConfig {
        definitions,
        ..KernelConfig::default()
    })
}

#[test]
fn a_one_phase_outcome_is_kept_until_its_coordinator_has_received_it() {
    let mut w = with_transaction();
    change(&mut w, 1);
    w.commit_one_phase(1, "NEAR1", &[]);
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
    assert_eq!(w.started.len(), 1);
    let mut w = w.restart();
    assert_eq!(w.outcome("NEAR1"), Some(true));
    assert_eq!(w.outcome("NEAR2"), Some(false));
    // The next commit removes it, in its own transaction.
    change(&mut w, 1);
    w.commit_one_phase(1, "NEAR2", &["NEAR1"]);
    assert_eq!(w.answers(), got(&[(1, "NORMAL")]));
    assert_eq!(w.outcome("NEAR1"), Some(false));
    assert_eq!(w.outcome("NEAR2"), Some(true));
    // A coordinator that restarts removes it too: it asks for no units of its
    // earlier run, whose last unit may have the number that it names.
    change(&mut w, 1);
    w.commit_one_phase(1, "FAR1", &[]);
    w.answers();
    let mut out = Vec::new();
    w.kernel
        .coordinator_returned(w.now, b"NEAR", b"NEAR1", &mut out);
    assert!(out.is_empty());
    let KernelFixture { kernel, now, .. } = &mut w;
    kernel.coordinator_returned(*now, b"NEAR", b"NEAR2", &mut out);
    assert!(matches!(&out[..], [KernelEffect::Commit(_)]));
    // A unit without changes leaves no record.
    w.commit_one_phase(2, "NEAR4", &["NEAR2"]);
    assert_eq!(w.answers(), got(&[(2, "NORMAL")]));
    assert_eq!(w.outcome("NEAR4"), Some(false));
    // It removes other records nevertheless.
    assert_eq!(w.outcome("NEAR2"), Some(false));
    assert_eq!(w.outcome("FAR1"), Some(true));
}

#[test]
fn a_question_waits_for_the_commit_that_it_is_about() {
    for disk in [true, false] {
        let mut w = with_transaction();
        change(&mut w, 1);
        w.held = true;
        w.commit_one_phase(1, "NEAR1", &[]);
        // The connection ends, and with it the task.
        w.end(1, false);
        assert_eq!(w.outcome("NEAR1"), None);
        w.flush(&[disk]);
        assert_eq!(w.outcomes, [("NEAR1".to_owned(), Some(disk))]);
        assert_eq!(w.started.len(), usize::from(disk));
    }
    let mut w = with_transaction();
    change(&mut w, 1);
    w.doubt = true;
    w.commit_one_phase(1, "NEAR1", &[]);
    assert_eq!(w.answers(), got(&[(1, "ASP7")]));
    // The outcome is unknown until the region starts again.
    assert_eq!(w.outcome("NEAR1"), None);
    assert_eq!(w.restart().outcome("NEAR1"), Some(true));
}

#[test]
fn a_participant_without_changes_receives_no_order() {
    let mut w = world();
    w.join(1, "below");
    let below = w.kernel.participant("below");
    let key = TaskKey::for_test(1);
    w.kernel
        .with(w.now, &mut Vec::new(), |_, cx| cx.leave(key, below));
    assert!(w.syncpoint(1).is_some());
    assert!(orders(&mut w).is_empty());
    assert_eq!(w.kernel.open_decisions().count(), 0);
}

#[test]
fn a_prepared_unit_has_its_names_enqueued_over_a_restart() {
    let mut w = world();
    let unit = w.join(1, "below");
    lock(&mut w, 1, "A");
    w.prepare(1, "B");
    w.vote(unit, "below", true);
    w.end(1, true);
    let mut w = w.restart();
    w.answers();
    lock(&mut w, 2, "A");
    assert!(waits(&w, 2));
    w.settle("B", false);
    assert_eq!(w.answers(), got(&[(2, "NORMAL")]));
    assert_eq!(orders(&mut w), ["BackOut 0"]);
}

/// A branch of a transaction with such attributes.
fn prepared(commits: bool, waits: bool, limit_s: u32) -> KernelFixture {
    let mut w = world();
    w.in_doubt = InDoubt {
        commits,
        waits,
        limit_s,
    };
    let unit = w.join(1, "below");
    w.prepare(1, "NEAR    B");
    w.vote(unit, "below", true);
    w.end(1, true);
    orders(&mut w);
    w
}

#[test]
fn a_branch_waits_for_its_transactions_time_limit_also_over_a_restart() {
    for commits in [true, false] {
        for restarts in [true, false] {
            let mut w = prepared(commits, true, 60);
            if restarts {
                // The time of the failure is not recorded: the limit counts from
                // the restart.
                w.later(30_000);
                w = w.restart();
                w.later(29_999);
            } else {
                // The limit counts from the failure.
                w.later(100_000);
                assert_eq!(w.kernel.next_alarm(), None);
                w.lose("NEAR");
                w.later(30_000);
                w.lose("NEAR");
                w.later(29_999);
            }
            assert!(orders(&mut w).is_empty());
            w.later(1);
            let order = if commits { "Commit 0" } else { "BackOut 0" };
            assert_eq!(orders(&mut w), [order]);
            assert_eq!(w.kernel.prepared().count(), 0);
        }
    }
    let mut w = prepared(true, true, 0);
    w.lose("NEAR");
    w.later(100_000_000);
    assert!(orders(&mut w).is_empty());
    assert_eq!(w.kernel.next_alarm(), None);
    w.settle("NEAR    B", true);
    // A branch that is over has no alarm any more, nor one whose coordinator is back.
    let mut w = prepared(true, true, 60);
    w.lose("NEAR");
    w.settle("NEAR    B", false);
    assert_eq!(w.kernel.next_alarm(), None);
    let mut w = prepared(true, true, 60);
    w.lose("NEAR");
    w.kernel
        .coordinator_returned(w.now, b"NEAR", b"NEAR", &mut Vec::new());
    w.later(100_000);
    assert!(orders(&mut w).is_empty());
    assert_eq!(w.kernel.prepared().count(), 1);
}

#[test]
fn a_branch_without_wait_ends_when_its_coordinator_or_its_region_does() {
    let mut w = prepared(true, false, 60);
    w.lose("FAR");
    assert!(orders(&mut w).is_empty());
    w.lose("NEAR");
    assert_eq!(orders(&mut w), ["Commit 0"]);
    // So does a branch that was being prepared when the connection ended.
    let mut w = world();
    w.in_doubt.waits = false;
    let unit = w.join(1, "below");
    w.prepare(1, "NEAR    B");
    w.lose("NEAR");
    w.end(1, false);
    w.vote(unit, "below", true);
    assert_eq!(orders(&mut w), ["Prepare 0", "BackOut 0"]);
    assert_eq!(w.kernel.prepared().count(), 0);
    let w = prepared(false, false, 0);
    let mut w = w.restart();
    assert_eq!(orders(&mut w), ["BackOut 0"]);
    assert_eq!(w.restart().kernel.prepared().count(), 0);
}
