//! Counters over a store and without one, and over a restart.

use cics::command::commands::{
    define_counter, delete_counter, get_counter, get_dcounter, update_counter,
};
use link::{Answer, Call, Name, Op, Operands};
use store::{MemoryStore, WriteStore};

use crate::api::RegionConfig;
use crate::core::TaskKey;
use crate::kernel::{Caller, Effect, Kernel, Outcome, Settings, Then};
use crate::resources::Resources;
use crate::resources::world::World as Region;

/// A region's kernel and what it keeps its counters in.
struct World {
    store: Option<MemoryStore>,
    kernel: Kernel,
}

impl World {
    fn new(store: Option<MemoryStore>) -> World {
        let reader = store.as_ref().map(|s| s.reader().unwrap());
        World {
            kernel: Kernel::new(reader, Settings::default(), Resources::default()),
            store,
        }
    }

    fn restart(self) -> World {
        World::new(self.store)
    }

    fn command(&mut self, number: u16, operands: &Operands) -> Answer {
        let caller = Caller {
            key: TaskKey::for_test(1),
            number: 1,
            transid: Name::from_bytes(*b"TEST"),
            userid: Name::BLANK,
            priority: 1,
            start: None,
            lock_timeout_ns: None,
        };
        let mut args = [0; 8];
        args[0] = number.into();
        let call = Call {
            op: Op::Command,
            slot: 0,
            args,
            data: operands.emit(),
        };
        let mut out = Vec::new();
        self.kernel.call(0, caller, call, &mut out).unwrap();
        for effect in out {
            match effect {
                Effect::Answer(_, answer) => return answer,
                Effect::Commit(job) => {
                    let store = self.store.as_mut().expect("a store");
                    store.apply(&[job.changes]).remove(0).unwrap();
                    let Then::Command(Outcome { answer, .. }) = job.then else {
                        panic!("a counter belongs to no unit");
                    };
                    return answer;
                }
                _ => {}
            }
        }
        panic!("no answer");
    }

    fn define(&mut self, name: &str, first: i64) -> (u16, u32) {
        use define_counter::{COUNTER, NUMBER, VALUE};
        let operands = Operands::new(1 << COUNTER | 1 << VALUE).bytes(COUNTER, name);
        let answer = self.command(NUMBER, &operands.int(VALUE, first));
        (answer.condition.number(), answer.resp2)
    }

    fn get(&mut self, number: u16, name: &str) -> (u16, u32, Option<i64>) {
        use get_counter::{COUNTER, VALUE};
        let operands = Operands::new(1 << COUNTER | 1 << VALUE).bytes(COUNTER, name);
        let answer = self.command(number, &operands);
        let value = Operands::parse(&answer.data)
            .ok()
            .and_then(|o| o.get_int(VALUE));
        (answer.condition.number(), answer.resp2, value)
    }
}

const NORMAL: u16 = 0;
const INVREQ: u16 = 16;
const LENGERR: u16 = 22;

#[test]
fn counters_survive_the_region_and_deleted_ones_do_not() {
    let mut w = World::new(Some(MemoryStore::new()));
    assert_eq!(w.define("ORDERS", 10), (NORMAL, 0));
    assert_eq!(w.define("OLD", 1), (NORMAL, 0));
    assert_eq!(w.get(get_counter::NUMBER, "ORDERS"), (NORMAL, 0, Some(10)));
    let old = Operands::new(1).bytes(delete_counter::COUNTER, "OLD");
    assert_eq!(w.command(delete_counter::NUMBER, &old).resp2, 0);
    let mut w = w.restart();
    assert_eq!(w.define("ORDERS", 1), (INVREQ, 202));
    assert_eq!(w.get(get_counter::NUMBER, "ORDERS"), (NORMAL, 0, Some(11)));
    assert_eq!(w.get(get_counter::NUMBER, "OLD"), (INVREQ, 201, None));
}

#[test]
fn a_region_without_a_store_keeps_counters_while_it_runs() {
    let mut w = World::new(None);
    assert_eq!(w.define("ORDERS", 0), (NORMAL, 0));
    assert_eq!(w.get(get_counter::NUMBER, "ORDERS"), (NORMAL, 0, Some(0)));
    let mut w = w.restart();
    assert_eq!(w.get(get_counter::NUMBER, "ORDERS"), (INVREQ, 201, None));
}

#[test]
fn a_number_that_a_fullword_cannot_hold_is_given_with_lengerr() {
    use cics::command::commands::define_dcounter::{DCOUNTER, NUMBER, VALUE};
    for (first, resp2) in [(1 << 31, 1), (1 << 32, 2), (1 << 33, 3)] {
        let mut w = World::new(None);
        let wide = Operands::new(1 << DCOUNTER | 1 << VALUE).bytes(DCOUNTER, "WIDE");
        assert_eq!(w.command(NUMBER, &wide.int(VALUE, first)).resp2, 0);
        let told = w.get(get_counter::NUMBER, "WIDE");
        assert_eq!(told, (LENGERR, resp2, Some(first)));
        let told = w.get(get_dcounter::NUMBER, "WIDE");
        assert_eq!(told, (NORMAL, 0, Some(first + 1)));
    }
}

#[test]
fn names_that_no_counter_can_have_are_refused() {
    let mut w = World::new(None);
    for name in ["", "1ST", "_A", "lower", "A B", "A-B", "\u{e4}"] {
        assert_eq!(w.define(name, 0), (INVREQ, 404), "{name:?}");
    }
    assert_eq!(w.define("A1_$@#", 0), (NORMAL, 0));
}

#[test]
fn a_damaged_counter_in_the_store_is_left_out() {
    let mut store = MemoryStore::new();
    let mut unit = store::UnitOfWork::default();
    let key = [&[b' '; 8][..], b"BROKEN          "].concat();
    unit.put(super::TABLE, &key, b"?");
    unit.put(super::TABLE, b"?", b"?");
    store.apply(&[unit]).remove(0).unwrap();
    let mut w = World::new(Some(store));
    assert_eq!(w.get(get_counter::NUMBER, "BROKEN"), (INVREQ, 201, None));
    assert_eq!(w.define("BROKEN", 7), (NORMAL, 0));
}

#[test]
fn a_change_that_the_store_refuses_is_a_failure_of_the_server() {
    let mut w = Region::new(RegionConfig::default());
    let (orders, value) = (get_counter::COUNTER, get_counter::VALUE);
    let named = Operands::new(1 << orders | 1 << value).bytes(orders, "ORDERS");
    w.command(1, define_counter::NUMBER, &named);
    w.disk = false;
    for number in [
        get_counter::NUMBER,
        update_counter::NUMBER,
        delete_counter::NUMBER,
    ] {
        let told = w.command(1, number, &named).expect("an answer");
        assert_eq!((told.condition.number(), told.resp2), (INVREQ, 303));
    }
}
