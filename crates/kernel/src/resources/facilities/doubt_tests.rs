//! The data of a terminal while a unit of work that changes it is in doubt, and
//! afterwards: with and without a restart of the region meanwhile.

use cics::command::commands::{ret, start, writeq_ts};
use cics::resp::Condition;
use link::{CommandOperands, Name, TransId};

use super::tests::{AtFacilities, command_condition, def, returning, starting, world};
use super::*;
use crate::kernel::{StartEnd, UnitId};
use crate::resources::world::KernelFixture;
use crate::types::{InputRefused, InputTaken};

/// A task at T001 received `old` and saved `new`, both with recovery, in a
/// unit that a data base decides. The unit is in doubt and the task is over.
fn in_doubt() -> (KernelFixture, FacilityId, UnitId) {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    w.leave(1, "KEEP", b"old");
    assert!(w.enter(t, "go on").is_ok());
    assert_eq!(w.begun(2).commarea, b"old");
    let unit = w.join_decider(2, "base", false).expect("the only decider");
    let left = returning("KEEP", b"new");
    assert_eq!(
        command_condition(&mut w, 2, ret::NUMBER, &left),
        Condition::Normal
    );
    w.end(2, true);
    w.outcome_known(unit, "base", None);
    w.later(30_000);
    let (task, abend) = w.ended.pop().expect("the task is over");
    let code = abend.as_ref().map(|abend| abend.code);
    assert_eq!((task, code), (2, Some(*b"ASP7")));
    let begun = w.starts.remove(&2).expect("a started task");
    w.start_ended(begun, &StartEnd::Ran(abend, None));
    w.kernel.resources.facilities.check_books();
    (w, t, unit)
}

/// The data that the next task at a terminal receives.
fn given(w: &mut KernelFixture, t: FacilityId) -> Vec<u8> {
    assert!(w.enter(t, "KEEP").is_ok());
    let given = w.begun(3).commarea;
    w.over(3);
    given
}

#[test]
fn no_task_begins_while_the_conversation_is_in_doubt() {
    let (mut w, t, unit) = in_doubt();
    let state = w.look(t);
    assert!(state.in_doubt);
    assert_eq!(state.next_transid, TransId::BLANK);
    assert_eq!(w.enter(t, "MENU"), Err(InputRefused::InDoubt));
    let starting = starting("STEP", "T001", "x");
    assert_eq!(
        command_condition(&mut w, 9, start::NUMBER, &starting),
        Condition::Normal
    );
    w.end(9, true);
    assert!(w.started.is_empty());
    w.outcome_known(unit, "base", Some(true));
    assert!(!w.look(t).in_doubt);
    // The waiting task begins.
    assert_eq!(w.begun(4).transid.as_str(), "STEP");
    w.over(4);
    assert_eq!(given(&mut w, t), b"new");
    assert!(w.kernel.is_idle() && w.kernel.resources.facilities.is_idle());
}

#[test]
fn the_outcome_decides_which_conversation_goes_on() {
    for (committed, left) in [(true, &b"new"[..]), (false, b"old")] {
        let (mut w, t, unit) = in_doubt();
        w.outcome_known(unit, "base", Some(committed));
        assert_eq!(w.look(t).next_transid.as_str(), "KEEP");
        assert_eq!(given(&mut w, t), left);
        // It is used up, and the store has nothing of it.
        let mut w = w.restart();
        let t = w.register(def("T001", "ANNE"));
        assert_eq!(w.look(t).next_transid, TransId::BLANK);
    }
}

#[test]
fn a_restart_holds_the_terminal_until_the_outcome_is_known() {
    for (committed, left) in [(true, &b"new"[..]), (false, b"old")] {
        for comes_first in [true, false] {
            let (w, _, unit) = in_doubt();
            let mut w = w.restart();
            if comes_first {
                let t = w.register(def("T001", "ANNE"));
                assert!(w.look(t).in_doubt);
                assert_eq!(w.look(t).next_transid, TransId::BLANK);
                assert_eq!(w.enter(t, "KEEP"), Err(InputRefused::InDoubt));
                w.outcome_known(unit, "base", Some(committed));
                assert_eq!(given(&mut w, t), left);
            } else {
                w.outcome_known(unit, "base", Some(committed));
                let t = w.register(def("T001", "ANNE"));
                assert_eq!(given(&mut w, t), left);
            }
        }
    }
}

#[test]
fn a_terminal_that_leaves_in_doubt_finds_the_outcome_when_it_is_back() {
    for (committed, left) in [(true, &b"new"[..]), (false, b"old")] {
        let (mut w, t, unit) = in_doubt();
        w.close(t);
        w.outcome_known(unit, "base", Some(committed));
        let t = w.register(def("T001", "ANNE"));
        assert_eq!(given(&mut w, t), left);
    }
}

#[test]
fn another_user_is_not_given_what_was_in_doubt() {
    let (mut w, t, unit) = in_doubt();
    w.close(t);
    let t = w.register(def("T001", "BILL"));
    assert_eq!(w.enter(t, "MENU"), Err(InputRefused::InDoubt));
    w.outcome_known(unit, "base", Some(true));
    assert_eq!(given(&mut w, t), b"");
}

#[test]
fn what_is_not_recovered_ends_with_the_task_and_holds_nothing() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    let item = CommandOperands::new(1 << writeq_ts::QUEUE | 1 << writeq_ts::FROM)
        .bytes(writeq_ts::QUEUE, *b"REC")
        .bytes(writeq_ts::FROM, *b"item");
    assert_eq!(
        command_condition(&mut w, 1, writeq_ts::NUMBER, &item),
        Condition::Normal
    );
    let unit = w.join_decider(1, "base", false).expect("the only decider");
    let left = returning("STEP", b"lost");
    assert_eq!(
        command_condition(&mut w, 1, ret::NUMBER, &left),
        Condition::Normal
    );
    w.end(1, true);
    w.outcome_known(unit, "base", None);
    w.later(30_000);
    let (_, abend) = w.ended.pop().expect("the task is over");
    let begun = w.starts.remove(&1).expect("a started task");
    w.start_ended(begun, &StartEnd::Ran(abend, None));
    let state = w.look(t);
    assert!(!state.in_doubt);
    assert_eq!(state.next_transid, TransId::BLANK);
    assert_eq!(
        w.enter(t, "MENU"),
        Ok(InputTaken::Begins(Name::from_bytes(*b"MENU")))
    );
    w.begun(2);
    w.over(2);
    w.outcome_known(unit, "base", Some(true));
    assert_eq!(w.look(t).next_transid, TransId::BLANK);
}

#[test]
fn a_return_after_a_unit_in_doubt_waits_for_its_outcome() {
    for committed in [true, false] {
        let mut w = world();
        let t = w.register(def("T001", "ANNE"));
        assert!(w.enter(t, "MENU").is_ok());
        w.begun(1);
        w.leave(1, "KEEP", b"old");
        assert!(w.enter(t, "go on").is_ok());
        w.begun(2);
        let unit = w.join_decider(2, "base", false).expect("the only decider");
        assert_eq!(w.syncpoint(2), None);
        w.outcome_known(unit, "base", None);
        w.later(30_000);
        let answer = w.answer(2).expect("the wait is over");
        assert_eq!(answer.abend, "ASP7");
        // Its program handles the abend.
        let left = returning("KEEP", b"newest");
        assert!(w.command(2, ret::NUMBER, &left).is_none());
        w.outcome_known(unit, "base", Some(committed));
        let answer = w.answer(2).expect("it goes on");
        assert_eq!(answer.condition, Condition::Normal);
        w.over(2);
        assert_eq!(given(&mut w, t), b"newest");
    }
}

#[test]
fn a_participant_that_comes_first_does_not_keep_the_task_from_using_up_what_it_was_given() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    assert!(w.enter(t, "MENU").is_ok());
    w.begun(1);
    w.leave(1, "KEEP", b"old");
    assert!(w.enter(t, "go on").is_ok());
    w.begun(2);
    let unit = w.join(2, "partner");
    w.end(2, true);
    w.vote(unit, "partner", true);
    w.vote(unit, "partner", true);
    let begun = w.starts.remove(&2).expect("a started task");
    w.start_over(begun);
    let mut w = w.restart();
    let t = w.register(def("T001", "ANNE"));
    assert_eq!(w.look(t).next_transid, TransId::BLANK);
}

#[test]
fn two_units_in_doubt_hold_a_terminal_until_both_are_over() {
    let mut w = world();
    let t = w.register(def("T001", "ANNE"));
    let mut changes = store::UnitOfWork::default();
    changes.remove(kept::TABLE, b"T001    ");
    let units = [TaskKey::detached(1), TaskKey::detached(2)];
    for unit in units {
        w.manage(|resources, cx| held::unit_restored(resources, cx, unit, &changes));
    }
    assert_eq!(w.enter(t, "MENU"), Err(InputRefused::InDoubt));
    w.manage(|resources, cx| held::unit_ended(resources, cx, units[0], false));
    assert_eq!(w.enter(t, "MENU"), Err(InputRefused::InDoubt));
    w.manage(|resources, cx| held::unit_ended(resources, cx, units[1], true));
    assert!(w.enter(t, "MENU").is_ok());
}
