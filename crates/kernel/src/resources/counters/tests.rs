//! Counters over a store and without one, and over a restart.

use cics::command::commands::{
    define_counter, delete_counter, get_counter, get_dcounter, update_counter,
};
use link::CommandOperands;
use store::{MemoryStore, WriteStore};

use crate::resources::world::{KernelFixture, Response};
use crate::types::KernelConfig;

fn world() -> KernelFixture {
    KernelFixture::new(KernelConfig::default())
}

fn define(w: &mut KernelFixture, name: &str, first: i64) -> (u16, u32) {
    use define_counter::{COUNTER, NUMBER, VALUE};
    let operands = CommandOperands::new(1 << COUNTER | 1 << VALUE).bytes(COUNTER, name);
    let answer = w.command(1, NUMBER, &operands.int(VALUE, first));
    let answer = answer.expect("an answer");
    (answer.condition.number(), answer.resp2)
}

fn get(w: &mut KernelFixture, number: u16, name: &str) -> (u16, u32, Option<i64>) {
    use get_counter::{COUNTER, VALUE};
    let operands = CommandOperands::new(1 << COUNTER | 1 << VALUE).bytes(COUNTER, name);
    let answer = w.command(1, number, &operands).expect("an answer");
    let value = answer.operands.get_int(VALUE);
    (answer.condition.number(), answer.resp2, value)
}

const NORMAL: u16 = 0;
const INVREQ: u16 = 16;
const LENGERR: u16 = 22;

#[test]
fn counters_survive_the_region_and_deleted_ones_do_not() {
    let mut w = world();
    assert_eq!(define(&mut w, "ORDERS", 10), (NORMAL, 0));
    assert_eq!(define(&mut w, "OLD", 1), (NORMAL, 0));
    assert_eq!(
        get(&mut w, get_counter::NUMBER, "ORDERS"),
        (NORMAL, 0, Some(10))
    );
    let old = CommandOperands::new(1).bytes(delete_counter::COUNTER, "OLD");
    w.command(1, delete_counter::NUMBER, &old);
    let mut w = w.restart();
    assert_eq!(define(&mut w, "ORDERS", 1), (INVREQ, 202));
    assert_eq!(
        get(&mut w, get_counter::NUMBER, "ORDERS"),
        (NORMAL, 0, Some(11))
    );
    assert_eq!(get(&mut w, get_counter::NUMBER, "OLD"), (INVREQ, 201, None));
}

#[test]
fn a_region_without_a_store_keeps_counters_while_it_runs() {
    let mut w = KernelFixture::without_store();
    assert_eq!(define(&mut w, "ORDERS", 0), (NORMAL, 0));
    assert_eq!(
        get(&mut w, get_counter::NUMBER, "ORDERS"),
        (NORMAL, 0, Some(0))
    );
    let mut w = w.restart();
    assert_eq!(
        get(&mut w, get_counter::NUMBER, "ORDERS"),
        (INVREQ, 201, None)
    );
}

#[test]
fn a_number_that_a_fullword_cannot_hold_is_given_with_lengerr() {
    use cics::command::commands::define_dcounter::{DCOUNTER, NUMBER, VALUE};
    for (first, resp2) in [(1 << 31, 1), (1 << 32, 2), (1 << 33, 3)] {
        let mut w = KernelFixture::without_store();
        let wide = CommandOperands::new(1 << DCOUNTER | 1 << VALUE).bytes(DCOUNTER, "WIDE");
        w.command(1, NUMBER, &wide.int(VALUE, first));
        let number = get(&mut w, get_counter::NUMBER, "WIDE");
        assert_eq!(number, (LENGERR, resp2, Some(first)));
        let number = get(&mut w, get_dcounter::NUMBER, "WIDE");
        assert_eq!(number, (NORMAL, 0, Some(first + 1)));
    }
}

#[test]
fn names_that_no_counter_can_have_are_refused() {
    let mut w = KernelFixture::without_store();
    for name in ["", "1ST", "_A", "lower", "A B", "A-B", "\u{e4}"] {
        assert_eq!(define(&mut w, name, 0), (INVREQ, 404), "{name:?}");
    }
    assert_eq!(define(&mut w, "A1_$@#", 0), (NORMAL, 0));
}

#[test]
fn a_damaged_counter_in_the_store_is_left_out() {
    let mut store = MemoryStore::new();
    let mut unit = store::UnitOfWork::default();
    let key = [&[b' '; 8][..], b"BROKEN          "].concat();
    unit.put(super::kept::TABLE, &key, b"?");
    unit.put(super::kept::TABLE, b"?", b"?");
    store.apply(&[unit]).remove(0).unwrap();
    let mut w = KernelFixture::over(KernelConfig::default(), Some(store));
    assert_eq!(
        get(&mut w, get_counter::NUMBER, "BROKEN"),
        (INVREQ, 201, None)
    );
    assert_eq!(define(&mut w, "BROKEN", 7), (NORMAL, 0));
}

/// A command on the counter ORDERS with a value; its answer, unless it waits.
fn on_orders(w: &mut KernelFixture, task: u32, number: u16, value: i64) -> Option<Response> {
    use get_counter::{COUNTER, VALUE};
    let operands = CommandOperands::new(1 << COUNTER | 1 << VALUE).bytes(COUNTER, "ORDERS");
    w.command(task, number, &operands.int(VALUE, value))
}

/// RESP2 and the number of an answer to GET of ORDERS.
fn given(answer: Option<Response>) -> (u32, Option<i64>) {
    let answer = answer.expect("an answer");
    (answer.resp2, answer.operands.get_int(get_counter::VALUE))
}

#[test]
fn a_change_that_the_store_refuses_never_was_and_is_a_failure_of_the_server() {
    use define_counter::VALUE;
    assert_eq!(VALUE, update_counter::VALUE);
    let mut w = world();
    let refused = |w: &mut KernelFixture, number| {
        w.disk = false;
        let answer = on_orders(w, 1, number, 9).expect("an answer");
        assert_eq!((answer.condition.number(), answer.resp2), (INVREQ, 303));
        w.disk = true;
    };
    refused(&mut w, define_counter::NUMBER);
    assert_eq!(
        given(on_orders(&mut w, 1, get_counter::NUMBER, 0)),
        (201, None)
    );
    on_orders(&mut w, 1, define_counter::NUMBER, 5);
    for number in [
        get_counter::NUMBER,
        update_counter::NUMBER,
        delete_counter::NUMBER,
    ] {
        refused(&mut w, number);
    }
    assert_eq!(
        given(on_orders(&mut w, 1, get_counter::NUMBER, 0)),
        (0, Some(5))
    );
}

#[test]
fn numbers_are_given_together_and_one_that_is_refused_is_left_out() {
    let mut w = world();
    on_orders(&mut w, 1, define_counter::NUMBER, 5);
    w.held = true;
    for task in 1..=3 {
        assert_eq!(on_orders(&mut w, task, get_counter::NUMBER, 0), None);
    }
    w.flush(&[true, false, false]);
    let all = [1, 2, 3].map(|task| given(w.answer(task)));
    assert_eq!(all, [(0, Some(5)), (303, None), (303, None)]);
    assert_eq!(
        given(on_orders(&mut w, 1, get_counter::NUMBER, 0)),
        (0, Some(6))
    );
    let mut w = w.restart();
    assert_eq!(
        given(on_orders(&mut w, 1, get_counter::NUMBER, 0)),
        (0, Some(7))
    );
}

#[test]
fn a_change_that_is_no_get_is_alone_with_the_store() {
    let mut w = world();
    on_orders(&mut w, 1, define_counter::NUMBER, 5);
    w.held = true;
    assert_eq!(on_orders(&mut w, 1, update_counter::NUMBER, 50), None);
    assert_eq!(on_orders(&mut w, 2, get_counter::NUMBER, 0), None);
    w.flush(&[false]);
    assert_eq!(given(w.answer(1)).0, 303);
    assert_eq!(given(w.answer(2)), (0, Some(5)));
    w.held = true;
    assert_eq!(on_orders(&mut w, 2, get_counter::NUMBER, 0), None);
    assert_eq!(on_orders(&mut w, 1, delete_counter::NUMBER, 0), None);
    w.flush(&[true]);
    assert_eq!(given(w.answer(2)), (0, Some(6)));
    assert_eq!(given(w.answer(1)).0, 0);
    assert_eq!(
        given(on_orders(&mut w, 1, get_counter::NUMBER, 0)),
        (201, None)
    );
}
