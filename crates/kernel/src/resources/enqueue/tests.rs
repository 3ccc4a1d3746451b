//! Models of ENQ names: which count, and when they wait.

use cics::command::commands::{deq, enq, set_enqmodel};
use cics::cvda;
use link::{CommandOperands, Name};

use super::models::NestedModel;
use crate::resources::world::KernelFixture;
use crate::types::{EnqModelDef, KernelConfig, QueueDefinitions, RegionDefinitions};

fn model(name: &str, enq_name: &str, enabled: bool) -> EnqModelDef {
    let generic = enq_name.strip_suffix('*');
    EnqModelDef {
        name: Name::new(name).unwrap(),
        enq_name: generic.unwrap_or(enq_name).as_bytes().to_vec(),
        generic: generic.is_some(),
        scope: Name::BLANK,
        enabled,
    }
}

fn world(models: &[EnqModelDef]) -> KernelFixture {
    KernelFixture::new(KernelConfig {
        definitions: defined(models),
        ..KernelConfig::default()
    })
}

fn defined(models: &[EnqModelDef]) -> RegionDefinitions {
    RegionDefinitions {
        queues: QueueDefinitions {
            enq_models: models.to_vec(),
            ..QueueDefinitions::default()
        },
        ..RegionDefinitions::default()
    }
}

/// The condition or abend of an ENQ.
fn enqueue(w: &mut KernelFixture, task: u32, name: &str) -> String {
    let operands = CommandOperands::new(1 << enq::RESOURCE | 1 << enq::LENGTH)
        .bytes(enq::RESOURCE, name)
        .int(enq::LENGTH, name.len() as i64);
    let answer = w.command(task, enq::NUMBER, &operands).expect("an answer");
    if answer.abend.is_empty() {
        answer.condition.name().to_owned()
    } else {
        answer.abend
    }
}

fn dequeue(w: &mut KernelFixture, task: u32, name: &str) {
    let operands = CommandOperands::new(1 << deq::RESOURCE | 1 << deq::LENGTH)
        .bytes(deq::RESOURCE, name)
        .int(deq::LENGTH, name.len() as i64);
    w.command(task, deq::NUMBER, &operands).expect("an answer");
}

fn set(w: &mut KernelFixture, name: &str, status: &str) -> (String, u32) {
    let operands = CommandOperands::new(1 << set_enqmodel::ENQMODEL | 1 << set_enqmodel::STATUS)
        .bytes(set_enqmodel::ENQMODEL, format!("{name:8}"))
        .int(set_enqmodel::STATUS, cvda::value(status).unwrap().into());
    let answer = w.command(9, set_enqmodel::NUMBER, &operands).unwrap();
    (answer.condition.name().to_owned(), answer.resp2)
}

fn normal() -> (String, u32) {
    ("NORMAL".to_owned(), 0)
}

#[test]
fn the_longest_matching_model_decides_whether_a_name_may_be_used() {
    let mut w = world(&[
        model("ALLORD", "ORD*", true),
        model("ORDERS", "ORDERS*", false),
        model("ONE", "ORDERS1", false),
    ]);
    assert_eq!(enqueue(&mut w, 1, "ORDX"), "NORMAL");
    assert_eq!(enqueue(&mut w, 2, "ORDERS7"), "ANQE");
    assert_eq!(enqueue(&mut w, 3, "ORDERS1"), "ANQE");
    assert_eq!(enqueue(&mut w, 4, "LEDGER"), "NORMAL");
}

#[test]
fn a_change_of_a_model_waits_until_its_names_are_free() {
    let mut w = world(&[model("ORDERS", "ORD*", true)]);
    assert_eq!(enqueue(&mut w, 1, "ORD1"), "NORMAL");
    assert_eq!(set(&mut w, "ORDERS", "DISABLED"), normal());
    let waits = |w: &KernelFixture| w.kernel.resources.enqueue.models()[0].waits;
    assert!(waits(&w));
    assert_eq!(set(&mut w, "ORDERS", "ENABLED"), ("INVREQ".to_owned(), 4));
    assert_eq!(enqueue(&mut w, 2, "ORD2"), "ANQE");
    dequeue(&mut w, 1, "ORD1");
    assert!(!waits(&w));
    assert_eq!(enqueue(&mut w, 3, "ORD1"), "ANQE");
    assert_eq!(set(&mut w, "ORDERS", "ENABLED"), normal());
    assert_eq!(enqueue(&mut w, 4, "ORD1"), "NORMAL");
}

#[test]
fn a_discarded_model_goes_when_the_unit_that_has_its_name_ends() {
    let mut w = world(&[model("ORDERS", "ORD*", true)]);
    assert_eq!(enqueue(&mut w, 1, "ORD1"), "NORMAL");
    let name = Name::new("ORDERS").unwrap();
    assert!(w.kernel.resources.enqueue.discard(name));
    assert!(!w.kernel.resources.enqueue.discard(name));
    assert_eq!(set(&mut w, "ORDERS", "ENABLED"), ("NOTFND".to_owned(), 1));
    assert_eq!(enqueue(&mut w, 2, "ORD2"), "ANQE");
    w.syncpoint(1);
    assert!(w.kernel.resources.enqueue.models().is_empty());
    assert_eq!(enqueue(&mut w, 3, "ORD2"), "NORMAL");
}

#[test]
fn the_more_specific_of_two_models_is_enabled_first() {
    let mut w = world(&[model("WIDE", "AB*", true)]);
    let enqueues = &mut w.kernel.resources.enqueue;
    let narrow = model("NARROW", "ABCD*", true);
    assert_eq!(enqueues.install(narrow.clone()), Err(NestedModel));
    assert_eq!(enqueues.install(model("NARROW", "ABCD*", false)), Ok(()));
    assert_eq!(set(&mut w, "NARROW", "ENABLED"), ("INVREQ".to_owned(), 2));
    assert_eq!(set(&mut w, "WIDE", "DISABLED"), normal());
    assert_eq!(set(&mut w, "NARROW", "ENABLED"), normal());
    assert_eq!(set(&mut w, "WIDE", "ENABLED"), normal());
}

#[test]
fn a_reload_keeps_what_is_as_it_was_and_takes_the_rest_away() {
    let (one, two) = (model("ONE", "A*", true), model("TWO", "B*", true));
    let mut w = world(&[one.clone(), two.clone()]);
    assert_eq!(enqueue(&mut w, 1, "A1"), "NORMAL");
    w.redefine(defined(&[one]));
    let models = w.kernel.resources.enqueue.models();
    assert_eq!((models.len(), models[0].waits), (1, false));
}
