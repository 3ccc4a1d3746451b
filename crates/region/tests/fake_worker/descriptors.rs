//! A program that calls a service, and handles descriptors as the region requests
//! while it waits.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};

use cics::resp::Condition;
use link::{AnswerHeader, CallEvent, CallOperation, CommandOperands, Name, WorkerSide};

/// The option of the service's command that has its text.
const TEXT: u8 = 0;

/// Makes the calls of a script, a line each: `NUMBER TEXT` asks the service of the
/// command of this number, `write RECORD` adds to file 0, `sync` commits. Returns
/// the answers, a line each, and the abend code.
pub fn run(worker: &mut WorkerSide, script: &str) -> (String, Name<4>) {
    let mut said = Vec::new();
    for line in script.lines() {
        let event = match line.split_once(' ') {
            Some(("write", record)) => {
                worker.call(CallOperation::Write, [0; 8], &[record.as_bytes()])
            }
            Some((number, text)) => {
                let number = number.parse().expect("a command's number");
                let operands = CommandOperands::new(1 << TEXT).bytes(TEXT, text).emit();
                worker.call(
                    CallOperation::Command,
                    [number, 0, 0, 0, 0, 0, 0, 0],
                    &[&operands],
                )
            }
            None => worker.call(CallOperation::Syncpoint, [0; 8], &[]),
        };
        let header = LENT.with_borrow_mut(|lent| until_answered(worker, event, lent));
        let data = worker.call_data(&header).to_vec();
        if !header.abend.is_blank() {
            return (said.join("\n"), header.abend);
        }
        let text = match header.condition() {
            Condition::Normal => String::from_utf8_lossy(&data).into_owned(),
            other => other.name().to_owned(),
        };
        said.push(text);
    }
    (said.join("\n"), Name::BLANK)
}

thread_local! {
    /// They stay from task to task.
    static LENT: RefCell<BTreeMap<u64, File>> = const { RefCell::new(BTreeMap::new()) };
}

fn until_answered(
    worker: &mut WorkerSide,
    mut event: CallEvent,
    lent: &mut BTreeMap<u64, File>,
) -> AnswerHeader {
    loop {
        let request = match event {
            CallEvent::Answer(header) => return header,
            CallEvent::Run(header) | CallEvent::Act(header) => header,
        };
        let [work, tag, most, ..] = request.args;
        let data = worker.call_data(&request).to_vec();
        let mut reply = Vec::new();
        if work == 1 {
            let (_, mut fds) = worker.receive_fds().expect("a descriptor");
            lent.insert(tag, File::from(fds.pop().expect("one descriptor")));
        } else if work == 3 {
            lent.remove(&tag);
        } else if let Some(file) = lent.get_mut(&tag) {
            reply = vec![0; most as usize];
            // A connection that has ended returns nothing.
            let sent = file.write_all(&data);
            let n = sent
                .and_then(|()| file.read(&mut reply))
                .unwrap_or_default();
            reply.truncate(n);
        }
        event = worker.nested_done(AnswerHeader::default(), &[&reply]);
    }
}
