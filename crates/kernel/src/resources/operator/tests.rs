//! Messages, their replies, and messages without a reply.

use cics::command::commands::write_operator as row;
use link::{CallAnswer, CallOperation, CommandOperands, Name, WorkerCall};

use crate::core::TaskKey;
use crate::kernel::{CallingTask, KernelEffect, KernelSettings};
use crate::resources::{Kernel, Resources};

struct OperatorFixture {
    kernel: Kernel,
    now: u64,
    out: Vec<KernelEffect>,
}

const SECOND: u64 = 1_000_000_000;

fn caller() -> CallingTask {
    CallingTask {
        key: TaskKey::for_test(1),
        number: 17,
        transid: Name::from_bytes(*b"TEST"),
        userid: Name::BLANK,
        priority: 1,
        start: None,
        lock_timeout_ns: None,
        in_doubt: cics::csd::InDoubt::default(),
    }
}

impl OperatorFixture {
    fn new() -> OperatorFixture {
        OperatorFixture {
            kernel: Kernel::new(None, KernelSettings::default(), Resources::default()),
            now: SECOND,
            out: Vec::new(),
        }
    }

    fn write(&mut self, operands: &CommandOperands) {
        let mut args = [0; 8];
        args[0] = row::NUMBER.into();
        let call = WorkerCall {
            op: CallOperation::Command,
            slot: 0,
            args,
            data: operands.emit(),
        };
        let OperatorFixture { kernel, now, out } = self;
        kernel.call(*now, caller(), call, out).unwrap();
    }

    fn reply(&mut self, message: u64, text: &[u8]) -> bool {
        let OperatorFixture { kernel, now, out } = self;
        kernel.with(*now, out, |resources, cx| {
            resources.operator.reply(cx, message, text)
        })
    }

    fn answer(&mut self) -> Option<CallAnswer> {
        let answers = self.out.drain(..).filter_map(|effect| match effect {
            KernelEffect::Answer(_, answer, _) => Some(answer),
            _ => None,
        });
        answers.reduce(|_, last| last)
    }

    fn waiting(&self) -> Vec<(u64, u64, String)> {
        let messages = self.kernel.resources.operator.messages();
        messages
            .map(|(n, m)| (n, m.number, m.text.clone()))
            .collect()
    }
}

fn reply_operands(room: i64) -> CommandOperands {
    let options = 1 << row::TEXT | 1 << row::REPLY | 1 << row::MAXLENGTH;
    let operands = CommandOperands::new(options).bytes(row::TEXT, "MOUNT TAPE");
    operands.int(row::MAXLENGTH, room)
}

#[test]
fn a_message_that_wants_no_reply_is_done_at_once() {
    let mut w = OperatorFixture::new();
    w.write(&CommandOperands::new(1 << row::TEXT).bytes(row::TEXT, "HELLO"));
    assert_eq!(w.answer().unwrap().condition.name(), "NORMAL");
    assert_eq!(w.waiting(), []);
}

#[test]
fn a_reply_reaches_its_task_and_one_that_is_too_long_is_cut() {
    for (room, text, condition) in [(10, "YES", "NORMAL"), (2, "YE", "LENGERR")] {
        let mut w = OperatorFixture::new();
        w.write(&reply_operands(room));
        assert_eq!(w.answer(), None);
        assert_eq!(w.waiting(), [(1, 17, "MOUNT TAPE".to_owned())]);
        assert!(!w.reply(2, b"YES"));
        assert!(w.reply(1, b"YES"));
        assert!(!w.reply(1, b"NO"));
        let answer = w.answer().unwrap();
        assert_eq!(answer.condition.name(), condition);
        let given = CommandOperands::parse(&answer.data).unwrap();
        assert_eq!(given.get_bytes(row::REPLY), Some(text.as_bytes()));
        assert_eq!(given.get_int(row::REPLYLENGTH), Some(text.len() as i64));
    }
}

#[test]
fn a_message_expires_or_goes_with_its_task() {
    let mut w = OperatorFixture::new();
    let mut limited = reply_operands(10);
    limited.options |= 1 << row::TIMEOUT;
    w.write(&limited.int(row::TIMEOUT, 5));
    w.now += 5 * SECOND;
    w.kernel.expire(w.now, &mut w.out);
    let answer = w.answer().unwrap();
    assert_eq!((answer.condition.name(), answer.resp2), ("EXPIRED", 7));
    assert_eq!(w.waiting(), []);
    w.write(&reply_operands(10));
    w.kernel.end(w.now, caller(), false, &mut w.out);
    assert_eq!(w.waiting(), []);
    assert!(!w.reply(2, b"YES"));
}
