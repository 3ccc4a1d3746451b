//! Transient data over a store in memory: order, ends of queues, units of
//! work, triggers, and the content after the region dies.

use cics::command::commands::{deleteq_td, readq_td, set_tdqueue, writeq_td};
use cics::resp::Condition;
use link::{CommandOperands, Name};

use crate::resources::world::{KernelFixture, Response};
use crate::types::{
    KernelConfig, QueueDefinitions, RegionDefinitions, RegionStatistics, TdKind, TdQueueDef,
    TdRecovery, Trigger,
};

fn queue(name: &[u8; 4], kind: TdKind) -> TdQueueDef {
    TdQueueDef {
        name: Name::from_bytes(*name),
        kind,
        enabled: true,
    }
}

fn intra(name: &[u8; 4], recovery: TdRecovery, level: u32) -> TdQueueDef {
    let trigger = Trigger {
        level,
        transid: Name::from_bytes(*b"TRIG"),
        userid: Name::BLANK,
        terminal: link::Name::BLANK,
    };
    let trigger = (level > 0).then_some(trigger);
    queue(name, TdKind::Intrapartition { recovery, trigger })
}

fn region(transient: Vec<TdQueueDef>) -> KernelConfig {
    KernelConfig {
        transient_data_bytes: 10_000,
        definitions: RegionDefinitions {
            queues: QueueDefinitions {
                transient,
                ..QueueDefinitions::default()
            },
            ..RegionDefinitions::default()
        },
        ..KernelConfig::default()
    }
}

fn world(transient: Vec<TdQueueDef>) -> KernelFixture {
    KernelFixture::new(region(transient))
}

fn write(w: &mut KernelFixture, task: u32, queue: &str, record: &[u8]) -> Option<Response> {
    let operands = CommandOperands::default()
        .bytes(writeq_td::QUEUE, queue)
        .bytes(writeq_td::FROM, record);
    w.command(task, writeq_td::NUMBER, &operands)
}

fn read(w: &mut KernelFixture, task: u32, queue: &str) -> Option<Response> {
    let operands = CommandOperands::default().bytes(readq_td::QUEUE, queue);
    w.command(task, readq_td::NUMBER, &operands)
}

fn read_now(w: &mut KernelFixture, task: u32, queue: &str) -> Option<Response> {
    let operands = CommandOperands::new(1 << readq_td::NOSUSPEND).bytes(readq_td::QUEUE, queue);
    w.command(task, readq_td::NUMBER, &operands)
}

fn delete(w: &mut KernelFixture, task: u32, queue: &str) -> Option<Response> {
    let operands = CommandOperands::default().bytes(deleteq_td::QUEUE, queue);
    w.command(task, deleteq_td::NUMBER, &operands)
}

fn condition_of(answer: Option<Response>) -> Condition {
    answer.expect("an answer").condition
}

fn record(answer: Option<Response>) -> String {
    let answer = answer.expect("an answer");
    assert_eq!(answer.condition, Condition::Normal);
    let bytes = answer.operands.get_bytes(readq_td::INTO).expect("a record");
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn records_are_read_once_in_their_order_whatever_the_recovery() {
    for recovery in [TdRecovery::No, TdRecovery::Physical, TdRecovery::Logical] {
        let mut w = world(vec![intra(b"Q   ", recovery, 0)]);
        for text in ["1", "2", "3"] {
            assert_eq!(
                condition_of(write(&mut w, 1, "Q", text.as_bytes())),
                Condition::Normal
            );
        }
        w.syncpoint(1);
        assert_eq!(record(read(&mut w, 2, "Q")), "1");
        assert_eq!(record(read(&mut w, 2, "Q")), "2");
        w.syncpoint(2);
        assert_eq!(record(read(&mut w, 1, "Q")), "3");
        assert_eq!(condition_of(read(&mut w, 1, "Q")), Condition::QZero);
        w.syncpoint(1);
        assert_eq!(condition_of(read(&mut w, 2, "Q")), Condition::QZero);
        assert_eq!(counted(&w), (0, 0));
    }
}

#[test]
fn a_reader_waits_for_a_writer_only_when_nothing_else_is_committed() {
    let mut w = world(vec![intra(b"Q   ", TdRecovery::Logical, 0)]);
    write(&mut w, 1, "Q", b"1");
    w.syncpoint(1);
    write(&mut w, 1, "Q", b"2");
    assert_eq!(record(read(&mut w, 2, "Q")), "1");
    assert_eq!(condition_of(read_now(&mut w, 2, "Q")), Condition::QBusy);
    assert_eq!(read(&mut w, 2, "Q"), None);
    w.syncpoint(1);
    assert_eq!(record(w.answer(2)), "2");
    // The reader does not own the end that is written to.
    assert_eq!(condition_of(write(&mut w, 1, "Q", b"3")), Condition::Normal);
}

#[test]
fn a_reader_waits_for_another_reader() {
    let mut w = world(vec![intra(b"Q   ", TdRecovery::Logical, 0)]);
    write(&mut w, 1, "Q", b"1");
    write(&mut w, 1, "Q", b"2");
    w.syncpoint(1);
    assert_eq!(record(read(&mut w, 2, "Q")), "1");
    assert_eq!(read(&mut w, 3, "Q"), None);
    assert_eq!(condition_of(read_now(&mut w, 4, "Q")), Condition::QBusy);
    w.rollback(2);
    assert_eq!(record(w.answer(3)), "1");
}

#[test]
fn a_writer_that_backs_out_leaves_the_waiting_reader_with_qzero() {
    let mut w = world(vec![intra(b"Q   ", TdRecovery::Logical, 0)]);
    write(&mut w, 1, "Q", b"1");
    assert_eq!(read(&mut w, 2, "Q"), None);
    w.rollback(1);
    assert_eq!(condition_of(w.answer(2)), Condition::QZero);
    assert_eq!(condition_of(write(&mut w, 3, "Q", b"3")), Condition::Normal);
    w.syncpoint(3);
    assert_eq!(record(read(&mut w, 4, "Q")), "3");
}

#[test]
fn a_region_that_died_has_its_recoverable_queues_as_they_were() {
    let mut w = world(vec![
        intra(b"NONE", TdRecovery::No, 0),
        intra(b"PHYS", TdRecovery::Physical, 0),
        intra(b"LOGI", TdRecovery::Logical, 0),
    ]);
    for name in ["NONE", "PHYS", "LOGI"] {
        write(&mut w, 1, name, b"1");
        write(&mut w, 1, name, b"2");
        write(&mut w, 1, name, b"3");
    }
    w.syncpoint(1);
    for name in ["NONE", "PHYS", "LOGI"] {
        assert_eq!(record(read(&mut w, 1, name)), "1");
    }
    let mut w = w.restart();
    assert_eq!(condition_of(read(&mut w, 1, "NONE")), Condition::QZero);
    assert_eq!(record(read(&mut w, 1, "PHYS")), "2");
    assert_eq!(record(read(&mut w, 1, "LOGI")), "1");
    write(&mut w, 1, "LOGI", b"4");
    w.syncpoint(1);
    for text in ["2", "3", "4"] {
        assert_eq!(record(read(&mut w, 1, "LOGI")), text);
    }
}

#[test]
fn a_queue_that_reaches_its_level_starts_its_transaction_once() {
    let mut w = world(vec![intra(b"Q   ", TdRecovery::No, 2)]);
    write(&mut w, 1, "Q", b"1");
    assert!(w.started.is_empty());
    write(&mut w, 1, "Q", b"2");
    write(&mut w, 1, "Q", b"3");
    assert_eq!(w.started.len(), 1);
    assert_eq!(w.started[0].start_code.code(), *b"QD");
    assert_eq!(w.started[0].facility.as_bytes(), b"Q   ");
    // It ends and leaves records: the next write triggers.
    let start = w.started[0].id;
    w.start_over(start);
    assert_eq!(w.started.len(), 1);
    write(&mut w, 1, "Q", b"4");
    assert_eq!(w.started.len(), 2);
}

#[test]
fn units_trigger_when_they_are_committed() {
    let mut w = world(vec![intra(b"Q   ", TdRecovery::Logical, 2)]);
    write(&mut w, 1, "Q", b"1");
    write(&mut w, 1, "Q", b"2");
    w.rollback(1);
    write(&mut w, 1, "Q", b"1");
    write(&mut w, 1, "Q", b"2");
    assert!(w.started.is_empty());
    w.syncpoint(1);
    assert_eq!(w.started.len(), 1);
    let w = w.restart();
    assert_eq!(w.started.len(), 1, "what is left triggers at the start");
}

#[test]
fn a_new_cycle_begins_at_qzero_or_for_logical_queues_when_that_task_ends() {
    for (recovery, at_once) in [(TdRecovery::No, 2), (TdRecovery::Logical, 1)] {
        let mut w = world(vec![intra(b"Q   ", recovery, 1)]);
        write(&mut w, 1, "Q", b"1");
        w.syncpoint(1);
        read(&mut w, 2, "Q");
        assert_eq!(condition_of(read(&mut w, 2, "Q")), Condition::QZero);
        w.syncpoint(2);
        write(&mut w, 1, "Q", b"2");
        w.syncpoint(1);
        assert_eq!(w.started.len(), at_once);
        w.end(2, true);
        write(&mut w, 1, "Q", b"3");
        w.syncpoint(1);
        assert_eq!(w.started.len(), 2);
    }
}

#[test]
fn a_transaction_that_feeds_its_own_queue_has_a_bounded_number_of_tasks() {
    let mut w = world(vec![intra(b"Q   ", TdRecovery::No, 1)]);
    for _ in 0..100 {
        write(&mut w, 1, "Q", b"1");
        read(&mut w, 1, "Q");
        assert_eq!(condition_of(read(&mut w, 1, "Q")), Condition::QZero);
    }
    assert_eq!(w.started.len(), 4);
    let start = w.started[0].id;
    w.start_over(start);
    write(&mut w, 1, "Q", b"1");
    assert_eq!(w.started.len(), 5);
}

#[test]
fn a_full_queue_gets_nospace_and_has_room_when_it_is_read() {
    for recovery in [TdRecovery::No, TdRecovery::Physical, TdRecovery::Logical] {
        let mut w = world(vec![intra(b"Q   ", recovery, 0)]);
        let large = [0; 4_000];
        write(&mut w, 1, "Q", &large);
        write(&mut w, 1, "Q", &large);
        assert_eq!(
            condition_of(write(&mut w, 1, "Q", &large)),
            Condition::NoSpace
        );
        w.syncpoint(1);
        read(&mut w, 1, "Q");
        w.syncpoint(1);
        assert_eq!(
            condition_of(write(&mut w, 1, "Q", &large)),
            Condition::Normal
        );
    }
}

#[test]
fn a_deleted_queue_is_empty_and_a_backed_out_delete_is_none() {
    for recovery in [TdRecovery::No, TdRecovery::Physical, TdRecovery::Logical] {
        let mut w = world(vec![intra(b"Q   ", recovery, 0)]);
        write(&mut w, 1, "Q", b"1");
        write(&mut w, 1, "Q", b"2");
        w.syncpoint(1);
        assert_eq!(condition_of(delete(&mut w, 1, "Q")), Condition::Normal);
        w.rollback(1);
        let left = match recovery {
            TdRecovery::Logical => Condition::Normal,
            _ => Condition::QZero,
        };
        assert_eq!(condition_of(read(&mut w, 1, "Q")), left);
        delete(&mut w, 1, "Q");
        w.syncpoint(1);
        assert_eq!(condition_of(read(&mut w, 2, "Q")), Condition::QZero);
        assert_eq!(counted(&w), (0, 0));
    }
}

#[test]
fn names_lead_through_indirect_queues_and_unknown_ones_are_qiderr() {
    let mut w = world(vec![
        queue(b"CSMT", TdKind::Indirect(Name::from_bytes(*b"LOGA"))),
        intra(b"LOGA", TdRecovery::No, 0),
        queue(b"FAR ", TdKind::Remote(Name::from_bytes(*b"ELSE"))),
        TdQueueDef {
            enabled: false,
            ..intra(b"OFF ", TdRecovery::No, 0)
        },
    ]);
    write(&mut w, 1, "CSMT", b"1");
    assert_eq!(record(read(&mut w, 1, "LOGA")), "1");
    assert_eq!(
        condition_of(write(&mut w, 1, "NONE", b"1")),
        Condition::QIdErr
    );
    assert_eq!(
        condition_of(write(&mut w, 1, "FAR", b"1")),
        Condition::SysIdErr
    );
    assert_eq!(
        condition_of(write(&mut w, 1, "OFF", b"1")),
        Condition::Disabled
    );
    assert_eq!(
        condition_of(write(&mut w, 1, "LOGA", b"")),
        Condition::LengErr
    );
}

#[test]
fn a_queue_that_is_the_log_is_written_and_nothing_else() {
    let mut w = world(vec![
        queue(b"CSSL", TdKind::Log),
        queue(b"CSMT", TdKind::Indirect(Name::from_bytes(*b"CSSL"))),
    ]);
    assert_eq!(
        condition_of(write(&mut w, 1, "CSMT", b"ONE")),
        Condition::Normal
    );
    assert_eq!(
        condition_of(write(&mut w, 1, "CSSL", b"TWO")),
        Condition::Normal
    );
    assert_eq!(w.lines, ["CSMT ONE", "CSSL TWO"]);
    assert_eq!(
        condition_of(write(&mut w, 1, "CSMT", b"")),
        Condition::LengErr
    );
    assert_eq!(condition_of(read(&mut w, 1, "CSMT")), Condition::InvReq);
    assert_eq!(condition_of(delete(&mut w, 1, "CSSL")), Condition::InvReq);
    let set = |w: &mut KernelFixture, name: &[u8; 4], option: u8| {
        let operands = CommandOperands::new(1 << option).bytes(set_tdqueue::TDQUEUE, *name);
        condition_of(w.command(1, set_tdqueue::NUMBER, &operands))
    };
    assert_eq!(set(&mut w, b"CSMT", set_tdqueue::CLOSED), Condition::InvReq);
    assert_eq!(set(&mut w, b"CSSL", set_tdqueue::CLOSED), Condition::Normal);
    assert_eq!(
        condition_of(write(&mut w, 1, "CSMT", b"NO")),
        Condition::NotOpen
    );
    assert_eq!(set(&mut w, b"CSSL", set_tdqueue::OPEN), Condition::Normal);
    assert_eq!(
        set(&mut w, b"CSSL", set_tdqueue::DISABLED),
        Condition::Normal
    );
    assert_eq!(
        condition_of(write(&mut w, 1, "CSMT", b"NO")),
        Condition::Disabled
    );
    assert_eq!(w.lines.len(), 2);
}

#[test]
fn other_definitions_keep_the_records_of_a_queue() {
    let mut w = world(vec![intra(b"Q   ", TdRecovery::No, 0)]);
    write(&mut w, 1, "Q", b"1");
    let other = region(vec![intra(b"Q   ", TdRecovery::No, 2)]);
    w.redefine(other.definitions);
    write(&mut w, 1, "Q", b"2");
    assert_eq!(w.started.len(), 1);
    assert_eq!(record(read(&mut w, 1, "Q")), "1");
}

fn counted(w: &KernelFixture) -> (u64, u64) {
    let mut statistics = RegionStatistics::default();
    w.kernel.resources.count(&mut statistics);
    (statistics.td_items, statistics.td_bytes)
}

#[test]
fn a_physical_queue_that_the_store_refuses_to_change_raises_its_own_conditions() {
    let mut w = world(vec![intra(b"P   ", TdRecovery::Physical, 0)]);
    write(&mut w, 1, "P", b"1");
    w.disk = false;
    let outcome = |answer: Option<Response>| {
        let answer = answer.expect("an answer");
        (answer.condition, answer.resp2, answer.abend)
    };
    let none = String::new;
    let full = (Condition::NoSpace, 0, none());
    assert_eq!(outcome(write(&mut w, 1, "P", b"2")), full);
    assert_eq!(outcome(read(&mut w, 1, "P")), (Condition::IoErr, 0, none()));
    let failed = (Condition::Normal, 0, "AEXZ".to_owned());
    assert_eq!(outcome(delete(&mut w, 1, "P")), failed);
}

#[test]
fn what_the_store_refuses_of_a_physical_queue_never_was() {
    let mut w = world(vec![intra(b"P   ", TdRecovery::Physical, 2)]);
    write(&mut w, 1, "P", b"1");
    let one = counted(&w);
    w.disk = false;
    write(&mut w, 1, "P", b"2");
    read(&mut w, 1, "P");
    delete(&mut w, 2, "P");
    w.end(2, false);
    assert_eq!((counted(&w), w.started.len()), (one, 0));
    w.disk = true;
    assert_eq!(record(read(&mut w, 3, "P")), "1");
    assert_eq!(counted(&w), (0, 0));
}

#[test]
fn a_record_that_is_on_its_way_to_the_store_has_its_room() {
    let mut w = world(vec![
        intra(b"P   ", TdRecovery::Physical, 0),
        intra(b"Q   ", TdRecovery::Physical, 0),
    ]);
    w.held = true;
    assert_eq!(write(&mut w, 1, "P", &[0; 6_000]), None);
    assert_eq!(
        condition_of(write(&mut w, 2, "Q", &[0; 6_000])),
        Condition::NoSpace
    );
    w.flush(&[false]);
    assert_eq!(condition_of(w.answer(1)), Condition::NoSpace);
    assert_eq!(
        condition_of(write(&mut w, 2, "Q", &[0; 6_000])),
        Condition::Normal
    );
}

#[test]
fn a_reader_waits_until_a_physical_queue_is_deleted() {
    let mut w = world(vec![intra(b"P   ", TdRecovery::Physical, 0)]);
    write(&mut w, 1, "P", b"1");
    w.held = true;
    assert_eq!(delete(&mut w, 1, "P"), None);
    assert_eq!(read(&mut w, 2, "P"), None);
    w.flush(&[true]);
    assert_eq!(condition_of(w.answer(2)), Condition::QZero);
    assert_eq!(counted(&w), (0, 0));
}

/// Each way for a prepared unit to end: committed or not, in the life of the
/// region that prepared it or in the next one.
#[test]
fn both_ends_of_a_queue_wait_for_a_prepared_unit_over_a_restart_too() {
    for (restarts, commit) in [(false, true), (false, false), (true, true), (true, false)] {
        let mut w = world(vec![intra(b"Q   ", TdRecovery::Logical, 3)]);
        write(&mut w, 1, "Q", b"a1");
        w.syncpoint(1);
        assert_eq!(record(read(&mut w, 1, "Q")), "a1");
        for text in ["b1", "b2"] {
            write(&mut w, 1, "Q", text.as_bytes());
        }
        w.prepare(1, "B");
        assert_eq!(w.answers(), [(1, "NORMAL".to_owned())]);
        w.end(1, true);
        let mut w = if restarts { w.restart() } else { w };
        assert_eq!(counted(&w), (1, 66), "what is committed");
        assert_eq!(write(&mut w, 2, "Q", b"c1"), None);
        assert_eq!(read(&mut w, 3, "Q"), None);
        assert_eq!(condition_of(read_now(&mut w, 4, "Q")), Condition::QBusy);
        w.settle("B", commit);
        assert_eq!(w.settled, [("B".to_owned(), true)]);
        assert_eq!(condition_of(w.answer(2)), Condition::Normal);
        let first = if commit { "b1" } else { "a1" };
        assert_eq!(record(w.answer(3)), first);
        w.syncpoint(2);
        // The trigger counts what is committed: b1, b2 and c1, or a1 and c1.
        assert_eq!(w.started.len(), usize::from(commit));
        let rest: &[&str] = if commit { &["b2", "c1"] } else { &["c1"] };
        for text in rest {
            assert_eq!(record(read(&mut w, 3, "Q")), *text);
        }
        assert_eq!(condition_of(read(&mut w, 3, "Q")), Condition::QZero);
        w.end(3, true);
        w.end(2, true);
        w.end(4, true);
        for start in std::mem::take(&mut w.started) {
            w.start_over(start.id);
        }
        assert!(w.kernel.resources.transient_data.is_idle());
        assert_eq!(w.kernel.locks().each().count(), 0);
        assert_eq!(counted(&w), (0, 0));
        assert_eq!(counted(&w.restart()), (0, 0));
    }
}
