//! Runs a script of file commands and says what each was answered.
//!
//! One command a line: `read FILE KEY`, `update FILE KEY`, `write FILE RECORD`,
//! `rewrite FILE RECORD`, `delete FILE KEY`, `next FILE KEY`, `unlock FILE`,
//! `syncpoint`, `rollback`, `gate PATH`, `abend CODE`. FILE is a number.

use std::fmt::Write;

use link::call::READ_UPDATE;
use link::{CallEvent, Counts, Name, Op, Step, WorkerSide};

/// Runs a script; gives what was answered, a line each, and the abend code.
/// The calls and their waits are counted.
pub fn run(worker: &mut WorkerSide, script: &str, counts: &mut Counts) -> (String, Name<4>) {
    let mut said = String::new();
    for line in script.lines() {
        let mut words = line.splitn(3, ' ');
        let verb = words.next().unwrap_or("");
        let first = words.next().unwrap_or("");
        let data = words.next().unwrap_or("").as_bytes();
        let file: u64 = first.parse().unwrap_or(0);
        let mut args = [file, 0, 0, 0, 0, 0, 0, 0];
        let op = match verb {
            "read" => Op::Read,
            "update" => {
                args[1] = READ_UPDATE;
                Op::Read
            }
            "write" => Op::Write,
            "rewrite" => Op::Rewrite,
            "delete" => Op::Delete,
            "next" => {
                args[1] = Step::After as u64;
                Op::Browse
            }
            "unlock" => Op::Unlock,
            "syncpoint" => Op::Syncpoint,
            "rollback" => Op::Rollback,
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
        let heard = worker.call(op, args, &[data]);
        counts.call_wait_ns += super::now_ns() - asked_ns;
        counts.region_calls += 1;
        let CallEvent::Answer(header) = heard else {
            continue;
        };
        if !header.abend.is_blank() {
            return (said, header.abend);
        }
        // The record, behind its key.
        let (key, data) = (header.args[2] as usize, worker.call_data(&header));
        let data = String::from_utf8_lossy(data.get(key..).unwrap_or(data)).into_owned();
        let _ = writeln!(said, "{} {}", header.resp, data);
    }
    (said, Name::BLANK)
}
