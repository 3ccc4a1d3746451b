//! Children of tasks in virtual time: what a FETCH gives, and when.

use cics::command::commands::{fetch_any, fetch_child, free_child, run_transid};
use cics::cvda;
use cics::resp::Condition;
use link::{Answer, Call, ContainerData, ContainerType, Name, Op};

use super::*;
use crate::api::{Abend, Refusal, TransactionDef};
use crate::kernel::{Effect, Kernel, Settings};

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

/// Options and their operands.
fn operands(parts: &[(u8, &[u8])]) -> Operands {
    let options = parts.iter().fold(0, |all, (option, _)| all | 1 << option);
    let list = Operands::new(options);
    parts
        .iter()
        .fold(list, |all, (o, bytes)| all.bytes(*o, *bytes))
}

impl World {
    fn new() -> Self {
        let settings = Settings::default();
        let mut kernel = Kernel::new(None, settings, Resources::default());
        let defined = [("CHLD", true), ("DISA", false)].map(|(name, enabled)| TransactionDef {
            name: TransId::new(name).unwrap(),
            enabled,
            ..TransactionDef::default()
        });
        kernel.resources.interval.define(&defined);
        World {
            kernel,
            now: 1_000 * MS,
            out: Vec::new(),
        }
    }

    fn command(&mut self, task: u32, number: u16, operands: &Operands) -> Option<Answer> {
        let mut args = [0; 8];
        args[0] = number.into();
        let call = Call {
            op: Op::Command,
            slot: 0,
            args,
            data: operands.emit(),
        };
        let World { kernel, now, out } = self;
        kernel.call(*now, caller(task), call, out).unwrap();
        self.answer()
    }

    fn answer(&mut self) -> Option<Answer> {
        let at = self
            .out
            .iter()
            .position(|e| matches!(e, Effect::Answer(..)))?;
        match self.out.remove(at) {
            Effect::Answer(_, answer) => Some(answer),
            _ => None,
        }
    }

    /// RUN TRANSID of task 1: the token and the number of the start.
    fn run(&mut self) -> (Vec<u8>, u64) {
        let answer = self.command(1, row::NUMBER, &operands(&[(row::TRANSID, b"CHLD")]));
        let given = Operands::parse(&answer.unwrap().data).unwrap();
        let token = given.get_bytes(row::CHILD).unwrap().to_vec();
        let id = self.out.drain(..).find_map(|e| match e {
            Effect::Start(start) => Some(start.id),
            _ => None,
        });
        (token, id.unwrap())
    }

    fn ends(&mut self, start: u64, abend: Option<[u8; 4]>, channel: &str) {
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
        let ended = StartEnd::Ran(abend, Some(channel));
        let World { kernel, now, out } = self;
        kernel.start_ended(*now, start, &ended, out);
    }

    fn fetch(&mut self, token: &[u8], more: &[(u8, &[u8])]) -> Option<Answer> {
        let mut parts = vec![(fetch_child::CHILD, token)];
        parts.extend_from_slice(more);
        self.command(1, fetch_child::NUMBER, &operands(&parts))
    }

    fn later(&mut self, ms: u64) {
        self.now += ms * MS;
        self.kernel.expire(self.now, &mut self.out);
    }
}

fn told(answer: &Answer) -> (Condition, u32) {
    (answer.condition, answer.resp2)
}

fn status(answer: &Answer, option: u8) -> Option<i64> {
    Operands::parse(&answer.data).unwrap().get_int(option)
}

#[test]
fn a_fetch_waits_for_the_child_and_gives_its_channel_once() {
    let mut w = World::new();
    let (token, start) = w.run();
    let channel = (fetch_child::CHANNEL, &b""[..]);
    assert_eq!(w.fetch(&token, &[channel]), None);
    w.ends(start, None, "CHAN");
    let answer = w.answer().unwrap();
    let given = Operands::parse(&answer.data).unwrap();
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
    assert_eq!(told(&w.fetch(&token, &[]).unwrap()), (Condition::Normal, 0));
    assert_eq!(
        told(&w.fetch(&token, &[channel]).unwrap()),
        (Condition::InvReq, 51)
    );
}

#[test]
fn a_child_that_abends_or_cannot_begin_tells_its_code() {
    let mut w = World::new();
    let (first, start) = w.run();
    w.ends(start, Some(*b"ASRA"), "");
    let answer = w.fetch(&first, &[]).unwrap();
    let given = Operands::parse(&answer.data).unwrap();
    assert_eq!(given.get_bytes(fetch_child::ABCODE), Some(&b"ASRA"[..]));
    let abend = cvda::value("ABEND").map(i64::from);
    assert_eq!(given.get_int(fetch_child::COMPSTATUS), abend);
    let (second, start) = w.run();
    let refused = StartEnd::Refused(Refusal::NoWorker);
    let World { kernel, now, out } = &mut w;
    kernel.start_ended(*now, start, &refused, out);
    let answer = w.fetch(&second, &[]).unwrap();
    assert_eq!(status(&answer, fetch_child::COMPSTATUS), abend);
}

#[test]
fn a_fetch_ends_without_the_child_when_it_may_not_wait_longer() {
    let mut w = World::new();
    let (token, _) = w.run();
    let now = w.fetch(&token, &[(fetch_child::NOSUSPEND, b"")]).unwrap();
    assert_eq!(told(&now), (Condition::NotFinished, 52));
    let timeout = |ms| {
        let options = 1 << fetch_child::CHILD | 1 << fetch_child::TIMEOUT;
        Operands::new(options)
            .bytes(fetch_child::CHILD, token.as_slice())
            .int(fetch_child::TIMEOUT, ms)
    };
    assert_eq!(w.command(1, fetch_child::NUMBER, &timeout(20)), None);
    w.later(19);
    assert_eq!(w.answer(), None);
    w.later(1);
    assert_eq!(told(&w.answer().unwrap()), (Condition::NotFinished, 53));
    for wrong in [-1, 40_800_001] {
        let answer = w.command(1, fetch_child::NUMBER, &timeout(wrong));
        assert_eq!(told(&answer.unwrap()), (Condition::InvReq, 241));
    }
}

#[test]
fn fetch_any_gives_children_in_the_order_of_their_ends() {
    let mut w = World::new();
    let any = operands(&[]);
    let answer = w.command(1, fetch_any::NUMBER, &any).unwrap();
    assert_eq!(told(&answer), (Condition::InvReq, 52));
    let children = [w.run(), w.run(), w.run()];
    assert_eq!(w.command(1, fetch_any::NUMBER, &any), None);
    let token = |answer: Option<Answer>| {
        let given = Operands::parse(&answer.unwrap().data).unwrap();
        given.get_bytes(fetch_any::ANY).unwrap().to_vec()
    };
    w.ends(children[2].1, None, "");
    let answer = w.answer();
    assert_eq!(token(answer), children[2].0);
    w.ends(children[1].1, None, "");
    w.ends(children[0].1, None, "");
    for n in [1, 0] {
        let answer = w.command(1, fetch_any::NUMBER, &any);
        assert_eq!(token(answer), children[n].0);
    }
    let answer = w.command(1, fetch_any::NUMBER, &any).unwrap();
    assert_eq!(told(&answer), (Condition::NotFnd, 1));
}

#[test]
fn tokens_are_the_parents_own_and_end_with_free() {
    let mut w = World::new();
    let (token, start) = w.run();
    let asked = operands(&[(fetch_child::CHILD, &token)]);
    let answer = w.command(2, fetch_child::NUMBER, &asked).unwrap();
    assert_eq!(told(&answer), (Condition::InvReq, 50));
    let freed = operands(&[(free_child::CHILD, &token)]);
    let answer = w.command(1, free_child::NUMBER, &freed).unwrap();
    assert_eq!(told(&answer), (Condition::Normal, 0));
    let answer = w.command(1, free_child::NUMBER, &freed).unwrap();
    assert_eq!(told(&answer), (Condition::InvReq, 50));
    assert_eq!(
        told(&w.fetch(&token, &[]).unwrap()),
        (Condition::InvReq, 50)
    );
    w.ends(start, None, "");
}

#[test]
fn nothing_is_kept_of_children_whose_parent_has_ended() {
    let mut w = World::new();
    let (_, first) = w.run();
    let (_, second) = w.run();
    w.ends(first, None, "CHAN");
    let World { kernel, now, out } = &mut w;
    kernel.end(*now, caller(1), true, out);
    w.ends(second, None, "CHAN");
    let children = &w.kernel.resources.children;
    assert!(children.families.is_empty() && children.parents.is_empty());
}

#[test]
fn a_parent_with_many_children_waits_for_one_to_end() {
    let mut w = World::new();
    let children: Vec<_> = (0..MAX_RUNNING).map(|_| w.run()).collect();
    let run = operands(&[(row::TRANSID, b"CHLD")]);
    assert_eq!(w.command(1, row::NUMBER, &run), None);
    w.ends(children[7].1, None, "");
    assert_eq!(told(&w.answer().unwrap()), (Condition::Normal, 0));
}

#[test]
fn unknown_and_disabled_transactions_are_told() {
    let mut w = World::new();
    for (name, condition) in [
        (b"NONE", Condition::TransIdErr),
        (b"DISA", Condition::Disabled),
    ] {
        let run = operands(&[(run_transid::TRANSID, name)]);
        assert_eq!(
            told(&w.command(1, row::NUMBER, &run).unwrap()),
            (condition, 1)
        );
    }
}
