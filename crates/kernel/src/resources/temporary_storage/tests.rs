//! Temporary storage over a store in memory: limits, space, units of work,
//! and the content after the region dies.

use cics::command::commands::{deleteq_ts, readq_ts, writeq_ts};
use cics::resp::Condition;
use link::CommandOperands;

use crate::resources::world::{KernelFixture, Response};
use crate::types::{KernelConfig, QueueDefinitions, RegionDefinitions, TsModelDef};

fn region() -> KernelConfig {
    KernelConfig {
        temporary_storage_bytes: 1 << 20,
        definitions: RegionDefinitions {
            queues: QueueDefinitions {
                models: vec![TsModelDef {
                    prefix: b"R".to_vec(),
                    recoverable: true,
                    ..TsModelDef::default()
                }],
                ..QueueDefinitions::default()
            },
            ..RegionDefinitions::default()
        },
        ..KernelConfig::default()
    }
}

fn named(number: u16, queue: &str) -> CommandOperands {
    let option = match number {
        writeq_ts::NUMBER => writeq_ts::QUEUE,
        readq_ts::NUMBER => readq_ts::QUEUE,
        _ => deleteq_ts::QUEUE,
    };
    CommandOperands::new(1 << option).bytes(option, queue.as_bytes())
}

fn write(w: &mut KernelFixture, task: u32, queue: &str, item: &[u8]) -> Option<Response> {
    let operands = named(writeq_ts::NUMBER, queue).bytes(writeq_ts::FROM, item);
    w.command(task, writeq_ts::NUMBER, &operands)
}

fn read(w: &mut KernelFixture, task: u32, queue: &str, item: Option<i64>) -> Option<Response> {
    let mut operands = named(readq_ts::NUMBER, queue);
    if let Some(item) = item {
        operands = operands.int(readq_ts::ITEM, item);
    }
    w.command(task, readq_ts::NUMBER, &operands)
}

fn delete(w: &mut KernelFixture, task: u32, queue: &str) -> Option<Response> {
    w.command(task, deleteq_ts::NUMBER, &named(deleteq_ts::NUMBER, queue))
}

fn condition_of(response: Option<Response>) -> Condition {
    response.expect("an answer").condition
}

fn item(response: Option<Response>) -> String {
    let response = response.expect("an answer");
    assert_eq!(response.condition, Condition::Normal);
    let bytes = response
        .operands
        .get_bytes(readq_ts::INTO)
        .expect("an item");
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_queue_has_no_more_than_32767_items() {
    let mut w = KernelFixture::new(KernelConfig {
        temporary_storage_bytes: 1 << 30,
        ..region()
    });
    for _ in 0..32_767 {
        assert_eq!(condition_of(write(&mut w, 1, "Q", b"x")), Condition::Normal);
    }
    assert_eq!(
        condition_of(write(&mut w, 1, "Q", b"x")),
        Condition::ItemErr
    );
    assert_eq!(item(read(&mut w, 1, "Q", Some(32_767))), "x");
}

#[test]
fn all_tasks_share_the_position_of_next() {
    let mut w = KernelFixture::new(region());
    for text in ["1", "2", "3"] {
        write(&mut w, 1, "Q", text.as_bytes());
    }
    assert_eq!(item(read(&mut w, 1, "Q", None)), "1");
    assert_eq!(item(read(&mut w, 2, "Q", None)), "2");
    assert_eq!(item(read(&mut w, 2, "Q", Some(1))), "1");
    assert_eq!(item(read(&mut w, 1, "Q", None)), "2");
}

#[test]
fn a_write_without_room_waits_until_a_queue_is_deleted() {
    let mut w = KernelFixture::new(region());
    let large = vec![0; 30_000];
    for _ in 0..34 {
        write(&mut w, 1, "Q", &large);
    }
    assert_eq!(write(&mut w, 2, "P", &large), None);
    delete(&mut w, 1, "Q");
    assert_eq!(condition_of(w.answer(2)), Condition::Normal);
}

#[test]
fn a_wait_for_room_ends_with_dtimout() {
    let mut w = KernelFixture::new(region());
    let large = vec![0; 30_000];
    for _ in 0..34 {
        write(&mut w, 1, "Q", &large);
    }
    write(&mut w, 2, "P", &large);
    w.later(1_000);
    assert_eq!(w.answer(2).expect("an answer").abend, "AKCS");
}

#[test]
fn a_recoverable_queue_is_seen_by_others_when_the_unit_is_over() {
    let mut w = KernelFixture::new(region());
    write(&mut w, 1, "R", b"1");
    assert_eq!(item(read(&mut w, 1, "R", Some(1))), "1");
    assert_eq!(read(&mut w, 2, "R", Some(1)), None);
    w.syncpoint(1);
    assert_eq!(item(w.answer(2)), "1");
    // A task that only reads owns nothing.
    assert_eq!(condition_of(write(&mut w, 3, "R", b"2")), Condition::Normal);
}

#[test]
fn what_waits_for_a_queue_that_is_backed_out_finds_none_and_owns_nothing() {
    let mut w = KernelFixture::new(region());
    write(&mut w, 1, "R", b"1");
    assert_eq!(read(&mut w, 2, "R", Some(1)), None);
    assert_eq!(write(&mut w, 3, "R", b"3"), None);
    w.rollback(1);
    assert_eq!(condition_of(w.answer(2)), Condition::QIdErr);
    assert_eq!(condition_of(w.answer(3)), Condition::Normal);
    w.end(3, true);
    assert_eq!(item(read(&mut w, 2, "R", None)), "3");
}

#[test]
fn the_position_of_next_comes_back_with_a_deleted_queue() {
    let mut w = KernelFixture::new(region());
    write(&mut w, 1, "R", b"1");
    write(&mut w, 1, "R", b"2");
    w.syncpoint(1);
    read(&mut w, 1, "R", None);
    delete(&mut w, 1, "R");
    assert_eq!(condition_of(write(&mut w, 1, "R", b"3")), Condition::InvReq);
    w.rollback(1);
    assert_eq!(item(read(&mut w, 1, "R", None)), "2");
}

#[test]
fn a_region_that_died_has_its_recoverable_queues_as_they_were_committed() {
    let mut w = KernelFixture::new(region());
    write(&mut w, 1, "R1", b"kept");
    write(&mut w, 1, "Q", b"lost");
    w.syncpoint(1);
    write(&mut w, 1, "R1", b"not committed");
    write(&mut w, 1, "R2", b"not committed");
    let mut w = w.restart();
    assert_eq!(item(read(&mut w, 1, "R1", None)), "kept");
    assert_eq!(
        condition_of(read(&mut w, 1, "R1", None)),
        Condition::ItemErr
    );
    assert_eq!(condition_of(read(&mut w, 1, "R2", None)), Condition::QIdErr);
    assert_eq!(condition_of(read(&mut w, 1, "Q", None)), Condition::QIdErr);
    let statistics = statistics(&w);
    assert_eq!((statistics.ts_queues, statistics.ts_items), (1, 1));
}

#[test]
fn a_disk_that_is_full_backs_the_unit_out() {
    let mut w = KernelFixture::new(region());
    write(&mut w, 1, "R", b"1");
    w.disk = false;
    assert_eq!(condition_of(w.syncpoint(1)), Condition::RolledBack);
    w.disk = true;
    assert_eq!(condition_of(read(&mut w, 2, "R", None)), Condition::QIdErr);
    assert_eq!(statistics(&w).ts_bytes, 0);
}

#[test]
fn two_units_that_want_each_others_queues_are_a_deadlock() {
    let mut w = KernelFixture::new(region());
    write(&mut w, 1, "R1", b"1");
    write(&mut w, 2, "R2", b"2");
    assert_eq!(write(&mut w, 1, "R2", b"1"), None);
    let refused = write(&mut w, 2, "R1", b"2").expect("an answer");
    assert_eq!(refused.abend, "AKCS");
}

fn statistics(w: &KernelFixture) -> crate::types::RegionStatistics {
    let mut statistics = crate::types::RegionStatistics::default();
    w.kernel.resources.count(&mut statistics);
    statistics
}

/// Each way for a prepared unit to end: committed or not, in the life of the
/// region that prepared it or in the next one.
#[test]
fn the_queues_of_a_prepared_unit_wait_for_its_end_over_a_restart_too() {
    for (restarts, commit) in [(false, true), (false, false), (true, true), (true, false)] {
        let mut w = KernelFixture::new(region());
        write(&mut w, 1, "RKEPT", b"one");
        write(&mut w, 1, "RGONE", b"gone");
        w.syncpoint(1);
        write(&mut w, 1, "RKEPT", b"two");
        write(&mut w, 1, "RNEW", b"new");
        delete(&mut w, 1, "RGONE");
        w.prepare(1, "B");
        assert_eq!(w.answers(), [(1, "NORMAL".to_owned())]);
        w.end(1, true);
        let bytes = w.kernel.resources.temporary_storage.used_bytes();
        let mut w = if restarts { w.restart() } else { w };
        let used = |w: &KernelFixture| w.kernel.resources.temporary_storage.used_bytes();
        assert_eq!(used(&w), bytes);
        for (task, queue) in [(2, "RKEPT"), (3, "RNEW"), (4, "RGONE")] {
            assert_eq!(read(&mut w, task, queue, Some(1)), None, "{queue}");
        }
        w.settle("B", commit);
        assert_eq!(w.settled, [("B".to_owned(), true)]);
        let kept = w.answer(2);
        let items = kept
            .as_ref()
            .and_then(|t| t.operands.get_int(readq_ts::NUMITEMS));
        assert_eq!(
            (item(kept), items),
            ("one".into(), Some(1 + i64::from(commit)))
        );
        let (new, gone) = (w.answer(3), w.answer(4));
        if commit {
            assert_eq!(item(new), "new");
            assert_eq!(condition_of(gone), Condition::QIdErr);
        } else {
            assert_eq!(condition_of(new), Condition::QIdErr);
            assert_eq!(item(gone), "gone");
        }
        for task in 2..=4 {
            w.end(task, true);
        }
        assert!(w.kernel.resources.temporary_storage.is_idle());
        assert_eq!(w.kernel.locks().each().count(), 0);
        let bytes = used(&w);
        assert_eq!(used(&w.restart()), bytes);
    }
}
