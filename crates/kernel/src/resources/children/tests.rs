//! Children of tasks in virtual time: the results and times of FETCH.

use cics::command::commands::{fetch_any, fetch_child, free_child, run_transid};
use cics::cvda;
use cics::resp::Condition;
use link::{ContainerData, ContainerType, Name};

use super::*;
use crate::resources::world::{KernelFixture, Response};
use crate::types::{Abend, KernelConfig, RegionDefinitions, StartRefusal, TransactionDef};

/// Options and their operands.
fn operands(parts: &[(u8, &[u8])]) -> CommandOperands {
    let options = parts.iter().fold(0, |all, (option, _)| all | 1 << option);
    let list = CommandOperands::new(options);
    parts
        .iter()
        .fold(list, |all, (o, bytes)| all.bytes(*o, *bytes))
}

fn world() -> KernelFixture {
    let transactions = [("CHLD", true), ("DISA", false)].map(|(name, enabled)| TransactionDef {
        name: TransId::new(name).unwrap(),
        enabled,
        ..TransactionDef::default()
    });
    let config = KernelConfig {
        definitions: RegionDefinitions {
            transactions: transactions.to_vec(),
            ..RegionDefinitions::default()
        },
        ..KernelConfig::default()
    };
    KernelFixture::over(config, None)
}

/// RUN TRANSID of task 1: the token and the number of the start.
fn run_child(w: &mut KernelFixture) -> (Vec<u8>, u64) {
    let answer = w.command(1, row::NUMBER, &operands(&[(row::TRANSID, b"CHLD")]));
    let given = answer.unwrap().operands;
    let token = given.get_bytes(row::CHILD).unwrap().to_vec();
    (token, w.started.pop().unwrap().id)
}

fn ends(w: &mut KernelFixture, start: u64, abend: Option<[u8; 4]>, channel: &str) {
    let abend = abend.map(|code| Abend {
        code,
        program: Name::BLANK,
        line: 0,
        message: String::new(),
    });
    let channel = ChannelData {
        name: Name::new(channel).unwrap_or(Name::BLANK),
        containers: vec![ContainerData {
            name: Name::new("DATA").unwrap(),
            kind: ContainerType::Bit,
            ccsid: 0,
            bytes: b"result".to_vec(),
        }],
    };
    w.start_ended(start, &StartEnd::Ran(abend, Some(channel)));
}

fn fetch(w: &mut KernelFixture, token: &[u8], more: &[(u8, &[u8])]) -> Option<Response> {
    let mut parts = vec![(fetch_child::CHILD, token)];
    parts.extend_from_slice(more);
    w.command(1, fetch_child::NUMBER, &operands(&parts))
}

fn condition_and_resp2(answer: &Response) -> (Condition, u32) {
    (answer.condition, answer.resp2)
}

fn status(answer: &Response, option: u8) -> Option<i64> {
    answer.operands.get_int(option)
}

#[test]
fn a_fetch_waits_for_the_child_and_gives_its_channel_once() {
    let mut w = world();
    let (token, start) = run_child(&mut w);
    let channel = (fetch_child::CHANNEL, &b""[..]);
    assert_eq!(fetch(&mut w, &token, &[channel]), None);
    ends(&mut w, start, None, "CHAN");
    let answer = w.answer(1).unwrap();
    let given = answer.operands;
    let normal = cvda::value("NORMAL").map(i64::from);
    assert_eq!(given.get_int(fetch_child::COMPSTATUS), normal);
    assert_eq!(given.get_bytes(fetch_child::ABCODE), Some(&b"    "[..]));
    let data = ChannelData::parse(given.get_bytes(CHANNEL_DATA).unwrap()).unwrap();
    assert_eq!(data.containers[0].bytes, b"result");
    assert_eq!(
        given.get_bytes(fetch_child::CHANNEL),
        Some(&data.name.as_bytes()[..])
    );
    // Its state can be asked for again, its channel not.
    assert_eq!(
        condition_and_resp2(&fetch(&mut w, &token, &[]).unwrap()),
        (Condition::Normal, 0)
    );
    assert_eq!(
        condition_and_resp2(&fetch(&mut w, &token, &[channel]).unwrap()),
        (Condition::InvReq, 51)
    );
}

#[test]
fn a_child_that_abends_or_cannot_begin_returns_its_code() {
    let mut w = world();
    let (first, start) = run_child(&mut w);
    ends(&mut w, start, Some(*b"ASRA"), "");
    let answer = fetch(&mut w, &first, &[]).unwrap();
    let given = answer.operands;
    assert_eq!(given.get_bytes(fetch_child::ABCODE), Some(&b"ASRA"[..]));
    let abend = cvda::value("ABEND").map(i64::from);
    assert_eq!(given.get_int(fetch_child::COMPSTATUS), abend);
    let (second, start) = run_child(&mut w);
    let refused = StartEnd::Refused(StartRefusal::NoWorker);
    w.start_ended(start, &refused);
    let answer = fetch(&mut w, &second, &[]).unwrap();
    assert_eq!(status(&answer, fetch_child::COMPSTATUS), abend);
}

#[test]
fn a_fetch_ends_without_the_child_when_it_may_not_wait_longer() {
    let mut w = world();
    let (token, _) = run_child(&mut w);
    let now = fetch(&mut w, &token, &[(fetch_child::NOSUSPEND, b"")]).unwrap();
    assert_eq!(condition_and_resp2(&now), (Condition::NotFinished, 52));
    let timeout = |ms| {
        let options = 1 << fetch_child::CHILD | 1 << fetch_child::TIMEOUT;
        CommandOperands::new(options)
            .bytes(fetch_child::CHILD, token.as_slice())
            .int(fetch_child::TIMEOUT, ms)
    };
    assert_eq!(w.command(1, fetch_child::NUMBER, &timeout(20)), None);
    w.later(19);
    assert_eq!(w.answer(1), None);
    w.later(1);
    assert_eq!(
        condition_and_resp2(&w.answer(1).unwrap()),
        (Condition::NotFinished, 53)
    );
    for wrong in [-1, 40_800_001] {
        let answer = w.command(1, fetch_child::NUMBER, &timeout(wrong));
        assert_eq!(
            condition_and_resp2(&answer.unwrap()),
            (Condition::InvReq, 241)
        );
    }
}

#[test]
fn fetch_any_gives_children_in_the_order_of_their_ends() {
    let mut w = world();
    let any = operands(&[]);
    let answer = w.command(1, fetch_any::NUMBER, &any).unwrap();
    assert_eq!(condition_and_resp2(&answer), (Condition::InvReq, 52));
    let children = [run_child(&mut w), run_child(&mut w), run_child(&mut w)];
    assert_eq!(w.command(1, fetch_any::NUMBER, &any), None);
    let token = |answer: Option<Response>| {
        let given = answer.unwrap().operands;
        given.get_bytes(fetch_any::ANY).unwrap().to_vec()
    };
    ends(&mut w, children[2].1, None, "");
    let answer = w.answer(1);
    assert_eq!(token(answer), children[2].0);
    ends(&mut w, children[1].1, None, "");
    ends(&mut w, children[0].1, None, "");
    for n in [1, 0] {
        let answer = w.command(1, fetch_any::NUMBER, &any);
        assert_eq!(token(answer), children[n].0);
    }
    let answer = w.command(1, fetch_any::NUMBER, &any).unwrap();
    assert_eq!(condition_and_resp2(&answer), (Condition::NotFnd, 1));
}

#[test]
fn tokens_are_the_parents_own_and_end_with_free() {
    let mut w = world();
    let (token, start) = run_child(&mut w);
    let asked = operands(&[(fetch_child::CHILD, &token)]);
    let answer = w.command(2, fetch_child::NUMBER, &asked).unwrap();
    assert_eq!(condition_and_resp2(&answer), (Condition::InvReq, 50));
    let freed = operands(&[(free_child::CHILD, &token)]);
    let answer = w.command(1, free_child::NUMBER, &freed).unwrap();
    assert_eq!(condition_and_resp2(&answer), (Condition::Normal, 0));
    let answer = w.command(1, free_child::NUMBER, &freed).unwrap();
    assert_eq!(condition_and_resp2(&answer), (Condition::InvReq, 50));
    assert_eq!(
        condition_and_resp2(&fetch(&mut w, &token, &[]).unwrap()),
        (Condition::InvReq, 50)
    );
    ends(&mut w, start, None, "");
}

#[test]
fn children_are_forgotten_when_their_parent_has_ended() {
    let mut w = world();
    let (_, first) = run_child(&mut w);
    let (_, second) = run_child(&mut w);
    ends(&mut w, first, None, "CHAN");
    w.end(1, true);
    ends(&mut w, second, None, "CHAN");
    let children = &w.kernel.resources.children;
    assert!(children.families.is_empty() && children.parents.is_empty());
}

#[test]
fn a_parent_with_many_children_waits_for_one_to_end() {
    let mut w = world();
    let children: Vec<_> = (0..MAX_RUNNING).map(|_| run_child(&mut w)).collect();
    let run = operands(&[(row::TRANSID, b"CHLD")]);
    assert_eq!(w.command(1, row::NUMBER, &run), None);
    ends(&mut w, children[7].1, None, "");
    assert_eq!(
        condition_and_resp2(&w.answer(1).unwrap()),
        (Condition::Normal, 0)
    );
}

#[test]
fn unknown_and_disabled_transactions_are_reported() {
    let mut w = world();
    for (name, condition) in [
        (b"NONE", Condition::TransIdErr),
        (b"DISA", Condition::Disabled),
    ] {
        let run = operands(&[(run_transid::TRANSID, name)]);
        assert_eq!(
            condition_and_resp2(&w.command(1, row::NUMBER, &run).unwrap()),
            (condition, 1)
        );
    }
}

#[test]
fn run_transid_waits_while_as_many_starts_wait_as_may() {
    let mut w = world().with_start_limit(4);
    // A quarter of the places for one origin.
    let (_, start) = run_child(&mut w);
    let second = w.command(1, row::NUMBER, &operands(&[(row::TRANSID, b"CHLD")]));
    assert_eq!(second, None, "the parent is suspended");
    assert!(w.started.is_empty());
    w.start_begun(start);
    let answer = w.answer(1).expect("the child before it has begun");
    assert_eq!(condition_and_resp2(&answer), (Condition::Normal, 0));
    assert_eq!(w.started.len(), 1);
}

#[test]
fn a_parent_that_waits_in_run_transid_can_be_purged() {
    let mut w = world().with_start_limit(4);
    run_child(&mut w);
    assert_eq!(
        w.command(1, row::NUMBER, &operands(&[(row::TRANSID, b"CHLD")])),
        None
    );
    assert!(w.purge(1));
    assert_eq!(w.answer(1).expect("an end").abend, "AEXY");
}
