//! Units of work that a participant decides: their steps, losses at each step, and restarts
//! of the region.

use cics::command::commands::{readq_ts, writeq_ts};
use cics::resp::Condition;
use link::CommandOperands;

use crate::kernel::UnitId;
use crate::resources::world::KernelFixture;
use crate::types::{KernelConfig, QueueDefinitions, TsModelDef};

fn world() -> KernelFixture {
    let mut config = KernelConfig::default();
    config.definitions.queues = QueueDefinitions {
        models: vec![TsModelDef {
            prefix: b"R".to_vec(),
            recoverable: true,
            ..TsModelDef::default()
        }],
        ..QueueDefinitions::default()
    };
    KernelFixture::new(config)
}

/// Task 1 writes an item, and the decider changes something for it.
fn changed(w: &mut KernelFixture) -> UnitId {
    let operands = CommandOperands::new(1 << writeq_ts::QUEUE)
        .bytes(writeq_ts::QUEUE, "RQUEUE")
        .bytes(writeq_ts::FROM, "item");
    let written = w.command(1, writeq_ts::NUMBER, &operands);
    assert_eq!(written.expect("no wait").condition, Condition::Normal);
    w.join_decider(1, "base", false).expect("the first decider")
}

/// Whether the item exists; `None` if its queue is locked.
fn item_is_there(w: &mut KernelFixture) -> Option<bool> {
    let operands = CommandOperands::new(1 << readq_ts::QUEUE)
        .bytes(readq_ts::QUEUE, "RQUEUE")
        .int(readq_ts::ITEM, 1);
    let Some(read) = w.command(9, readq_ts::NUMBER, &operands) else {
        assert!(w.purge(9));
        w.answers();
        return None;
    };
    w.end(9, true);
    Some(read.condition == Condition::Normal)
}

fn orders(w: &mut KernelFixture) -> Vec<String> {
    std::mem::take(&mut w.orders)
}

fn answers(w: &mut KernelFixture) -> Vec<String> {
    w.answers().into_iter().map(|(_, text)| text).collect()
}

#[test]
fn the_store_keeps_the_unit_before_its_decider_commits_and_applies_it_afterwards() {
    let mut w = world();
    let unit = changed(&mut w);
    w.held = true;
    assert_eq!(w.syncpoint(1), None);
    assert!(orders(&mut w).is_empty(), "nothing is durable yet");
    w.flush(&[true]);
    assert_eq!(orders(&mut w), ["Decide 0"]);
    assert!(answers(&mut w).is_empty());
    w.outcome_known(unit, "base", Some(true));
    assert_eq!(answers(&mut w), ["NORMAL"]);
    assert_eq!(orders(&mut w), ["Forget 0"]);
    assert_eq!(item_is_there(&mut w), Some(true));
}

#[test]
fn a_unit_of_the_decider_alone_commits_in_one_phase() {
    let mut w = world();
    let unit = w.join_decider(1, "base", false).expect("the first");
    assert_eq!(w.syncpoint(1), None);
    assert_eq!(orders(&mut w), ["CommitOnePhase 0"]);
    w.vote(unit, "base", true);
    assert_eq!(answers(&mut w), ["NORMAL"]);
}

#[test]
fn a_second_decider_is_refused_and_the_first_may_join_again_or_leave() {
    let mut w = world();
    let unit = changed(&mut w);
    assert_eq!(w.join_decider(1, "other", false), None);
    assert_eq!(w.join_decider(1, "base", false), Some(unit));
}

#[test]
fn a_unit_that_the_store_does_not_keep_is_backed_out_everywhere() {
    let mut w = world();
    changed(&mut w);
    w.disk = false;
    let answer = w.syncpoint(1).expect("an answer");
    assert_eq!(answer.condition, Condition::RolledBack);
    assert_eq!(orders(&mut w), ["BackOut 0"]);
    assert_eq!(item_is_there(&mut w), Some(false));
}

#[test]
fn a_decider_that_backs_out_has_the_unit_backed_out() {
    let mut w = world();
    let unit = changed(&mut w);
    w.syncpoint(1);
    w.outcome_known(unit, "base", Some(false));
    assert_eq!(answers(&mut w), ["ROLLEDBACK"]);
    assert_eq!(item_is_there(&mut w), Some(false));
    // No record is left.
    let mut w = w.restart();
    assert!(orders(&mut w).is_empty());
}

#[test]
fn when_the_answer_is_lost_the_decider_is_queried_until_it_answers_and_the_locks_stay() {
    let mut w = world();
    let unit = changed(&mut w);
    w.syncpoint(1);
    orders(&mut w);
    assert!(
        w.kernel.in_doubt_units().is_empty(),
        "no answer is lost yet"
    );
    w.outcome_known(unit, "base", None);
    assert_eq!(orders(&mut w), ["Ask 0"]);
    w.outcome_known(unit, "base", None);
    assert!(orders(&mut w).is_empty());
    w.later(1_000);
    assert_eq!(orders(&mut w), ["Ask 0"]);
    assert_eq!(item_is_there(&mut w), None, "its queue is locked");
    assert_eq!(w.kernel.in_doubt_units()[0].decider, "base");
    w.outcome_known(unit, "base", Some(true));
    assert_eq!(answers(&mut w), ["NORMAL"]);
    assert_eq!(item_is_there(&mut w), Some(true));
    w.end(1, true);
    assert!(w.kernel.is_idle() && w.kernel.next_alarm().is_none());
}

#[test]
fn a_task_that_has_waited_long_enough_goes_on_without_its_unit() {
    let mut w = world();
    let unit = changed(&mut w);
    w.syncpoint(1);
    w.outcome_known(unit, "base", None);
    w.later(30_000);
    assert_eq!(answers(&mut w), ["ASP7"]);
    w.end(1, false);
    assert_eq!(item_is_there(&mut w), None, "its queue is locked");
    w.outcome_known(unit, "base", Some(true));
    assert_eq!(item_is_there(&mut w), Some(true));
    assert!(w.kernel.is_idle() && w.kernel.next_alarm().is_none());
}

#[test]
fn a_region_that_starts_again_queries_the_decider_and_applies_or_drops() {
    for committed in [true, false] {
        let mut w = world();
        let unit = changed(&mut w);
        w.syncpoint(1);
        let mut w = w.restart();
        assert_eq!(orders(&mut w), ["Ask 0"]);
        assert_eq!(item_is_there(&mut w), None, "its queue is locked");
        w.outcome_known(unit, "base", Some(committed));
        assert_eq!(item_is_there(&mut w), Some(committed));
        assert!(w.kernel.is_idle(), "nothing is left");
        let mut w = w.restart();
        assert!(orders(&mut w).is_empty());
        assert_eq!(item_is_there(&mut w), Some(committed));
    }
}

#[test]
fn a_store_that_cannot_apply_applies_later() {
    let mut w = world();
    let unit = changed(&mut w);
    w.syncpoint(1);
    w.disk = false;
    w.outcome_known(unit, "base", Some(true));
    assert!(answers(&mut w).is_empty());
    w.disk = true;
    w.later(1_000);
    assert_eq!(answers(&mut w), ["NORMAL"]);
    assert_eq!(item_is_there(&mut w), Some(true));
}

#[test]
fn an_operator_ends_a_unit_in_doubt() {
    for commit in [true, false] {
        let mut w = world();
        let unit = changed(&mut w);
        w.syncpoint(1);
        assert!(!w.settle_in_doubt(unit, commit), "it is not in doubt yet");
        w.outcome_known(unit, "base", None);
        assert!(w.settle_in_doubt(unit, commit));
        let answer = if commit { "NORMAL" } else { "ROLLEDBACK" };
        assert_eq!(answers(&mut w), [answer]);
        assert_eq!(item_is_there(&mut w), Some(commit));
        // A later report of the decider changes nothing.
        w.outcome_known(unit, "base", Some(!commit));
        assert_eq!(item_is_there(&mut w), Some(commit));
    }
}

#[test]
fn other_participants_prepare_before_and_commit_after_the_decider() {
    let mut w = world();
    let unit = changed(&mut w);
    w.join(1, "partner");
    w.syncpoint(1);
    assert_eq!(orders(&mut w), ["Prepare 1"]);
    w.vote(unit, "partner", true);
    assert_eq!(orders(&mut w), ["Decide 0"]);
    // The decider returns meanwhile: nothing is decided yet.
    w.in_doubt("partner", &[unit]);
    assert!(orders(&mut w).is_empty());
    w.outcome_known(unit, "base", Some(true));
    assert_eq!(orders(&mut w), ["Commit 1", "Forget 0"]);
    assert_eq!(answers(&mut w), ["NORMAL"]);
}

#[test]
fn a_partner_receives_the_end_of_a_unit_that_was_in_doubt_over_a_restart() {
    for committed in [true, false] {
        let mut w = world();
        let unit = changed(&mut w);
        w.join(1, "partner");
        w.syncpoint(1);
        w.vote(unit, "partner", true);
        let mut w = w.restart();
        w.in_doubt("partner", &[unit]);
        assert_eq!(orders(&mut w), ["Ask 0"]);
        w.outcome_known(unit, "base", Some(committed));
        let sent = orders(&mut w);
        let expected = if committed { "Commit 1" } else { "BackOut 1" };
        assert_eq!(sent[0], expected);
    }
}

#[test]
fn a_branch_with_a_decider_prepares_only_where_that_can_prepare() {
    for prepares in [true, false] {
        let mut w = world();
        let unit = changed(&mut w);
        w.join_decider(1, "base", prepares);
        w.prepare(1, "FRONT   1");
        if prepares {
            assert_eq!(orders(&mut w), ["Prepare 0"]);
            w.vote(unit, "base", true);
            assert_eq!(answers(&mut w), ["NORMAL"]);
            w.settle("FRONT   1", true);
            assert_eq!(orders(&mut w), ["Commit 0"]);
        } else {
            assert_eq!(answers(&mut w), ["ROLLEDBACK"]);
            assert_eq!(orders(&mut w), ["BackOut 0"]);
        }
        assert_eq!(item_is_there(&mut w), Some(prepares));
    }
}

#[test]
fn a_branch_that_commits_alone_is_in_doubt_for_its_coordinator_until_the_decider_replies() {
    let mut w = world();
    let unit = changed(&mut w);
    w.commit_one_phase(1, "FRONT   1", &[]);
    assert_eq!(orders(&mut w), ["Decide 0"]);
    let mut w = w.restart();
    assert_eq!(w.outcome("FRONT   1"), None, "asked, and not known yet");
    w.outcome_known(unit, "base", Some(true));
    assert_eq!(w.outcomes.pop(), Some(("FRONT   1".to_owned(), Some(true))));
    assert_eq!(w.outcome("FRONT   1"), Some(true));
}

#[test]
fn a_worker_that_dies_while_its_unit_is_decided_changes_nothing() {
    let mut w = world();
    let unit = changed(&mut w);
    w.syncpoint(1);
    w.end(1, false);
    assert!(w.ended.is_empty());
    w.outcome_known(unit, "base", Some(true));
    assert_eq!(w.ended.len(), 1);
    assert_eq!(item_is_there(&mut w), Some(true));
}

#[test]
fn the_end_of_a_task_waits_for_the_outcome_or_ends_with_asp7() {
    let mut w = world();
    let unit = changed(&mut w);
    w.end(1, true);
    w.outcome_known(unit, "base", Some(true));
    assert_eq!(w.ended, [(1, None)]);
    let unit = {
        w.ended.clear();
        changed(&mut w)
    };
    w.end(1, true);
    w.outcome_known(unit, "base", None);
    w.later(30_000);
    let abend = w.ended[0].1.as_ref().expect("an abend");
    assert_eq!(&abend.code, b"ASP7");
}
