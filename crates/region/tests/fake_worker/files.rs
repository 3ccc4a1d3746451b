//! Runs a script of file commands and reports the answer to each.
//!
//! One command a line: `read FILE KEY`, `update FILE KEY`, `write FILE RECORD`,
//! `rewrite FILE RECORD`, `delete FILE KEY`, `next FILE KEY`, `unlock FILE`,
//! `syncpoint`, `rollback`, `gate PATH`, `abend CODE`. FILE is a number.

use std::fmt::Write;

use cics::file::FileAccess;
use link::{
    CallEvent, CallOperation, FileAnswer, FileCall, FileCommand, Name, RunCounters, WorkerSide,
};
use store::SeekKey;

/// Runs a script. Returns the answers, a line each, and the abend code.
/// The calls and their waits are counted.
pub fn run(worker: &mut WorkerSide, script: &str, counts: &mut RunCounters) -> (String, Name<4>) {
    let mut said = String::new();
    for line in script.lines() {
        let mut words = line.splitn(3, ' ');
        let verb = words.next().unwrap_or("");
        let first = words.next().unwrap_or("");
        let data = words.next().unwrap_or("").as_bytes();
        let file = first.parse().unwrap_or(0);
        let on_file = |command| {
            let wire = FileCall { file, command }.emit();
            (wire.op, wire.args)
        };
        let nosuspend = false;
        let (op, args) = match verb {
            "read" => on_file(FileCommand::Read {
                seek: SeekKey::Equal(data),
                access: FileAccess::Read,
            }),
            "update" => on_file(FileCommand::ReadUpdate {
                seek: SeekKey::Equal(data),
                access: FileAccess::ReadUpdate,
                nosuspend,
            }),
            "write" => on_file(FileCommand::Write {
                key: &[],
                record: data,
                nosuspend,
            }),
            "rewrite" => on_file(FileCommand::Rewrite {
                token: None,
                record: data,
                nosuspend,
            }),
            "delete" => on_file(FileCommand::Delete {
                key: data,
                nosuspend,
            }),
            "next" => on_file(FileCommand::Read {
                seek: SeekKey::Greater(data),
                access: FileAccess::StartBrowse,
            }),
            "unlock" => on_file(FileCommand::Unlock { token: None }),
            "syncpoint" => (CallOperation::Syncpoint, [0; 8]),
            "rollback" => (CallOperation::Rollback, [0; 8]),
            "gate" => {
                let _ = std::fs::read(first);
                continue;
            }
            "abend" => {
                let mut code = *b"    ";
                code[..first.len().min(4)].copy_from_slice(first.as_bytes());
                return (said, Name::from_bytes(code));
            }
            _ => continue,
        };
        let asked_ns = super::now_ns();
        let event = worker.call(op, args, &[data]);
        counts.call_wait_ns += super::now_ns() - asked_ns;
        counts.region_calls += 1;
        let CallEvent::Answer(header) = event else {
            continue;
        };
        if !header.abend.is_blank() {
            return (said, header.abend);
        }
        let answer = FileAnswer::new(&header, worker.call_data(&header));
        let data = String::from_utf8_lossy(answer.found().record).into_owned();
        let _ = writeln!(said, "{} {}", header.resp, data);
    }
    (said, Name::BLANK)
}
