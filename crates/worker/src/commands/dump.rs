//! DUMP TRANSACTION: the task's storage as text, for the region to file.
//!
//! EIB, COMMAREA and TWA always; FROM and the segments if they are given.
//! Tables and trace, for which the command can also ask, are not in a worker.

use std::fmt::Write;

use cics::command::commands::dump_transaction as row;
use cics::resp::Condition;
use link::CommandOperands;

use super::forward;
use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

/// Most bytes of one area.
const MAX_AREA: i64 = 1 << 20;
/// Most segments.
const MAX_SEGMENTS: i64 = 1_000;

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let mut text = String::new();
    let level = w.task.level();
    let _ = writeln!(text, "program   {}", String::from_utf8_lossy(&level.name));
    show(&mut text, "EIB", level.eib.as_ptr(), level.eib.len());
    show(
        &mut text,
        "COMMAREA",
        level.passed.commarea,
        level.passed.bytes,
    );
    show(&mut text, "TWA", w.task.twa.as_ptr(), w.task.twa.len());
    if let Some(from) = call.arg(row::FROM) {
        let length = call.int(row::FLENGTH).or_else(|| call.int(row::LENGTH));
        let bytes = length.unwrap_or(from.size() as i64);
        if !(0..=MAX_AREA).contains(&bytes) {
            return condition(Condition::InvReq, 13);
        }
        show(&mut text, "FROM", from.data(), bytes as usize);
    }
    let count = call.int(row::NUMSEGMENTS).unwrap_or(0);
    if !(0..=MAX_SEGMENTS).contains(&count) {
        return condition(Condition::InvReq, 13);
    }
    if let (Some(places), Some(lengths)) = (call.arg(row::SEGMENTLIST), call.arg(row::LENGTHLIST)) {
        for n in 0..count as usize {
            // SAFETY: the program's lists; a count beyond them is its error and
            // can harm only its own process.
            let (at, bytes) = unsafe {
                let at = places.data().cast::<*const u8>().add(n).read_unaligned();
                (at, lengths.data().cast::<[u8; 4]>().add(n).read_unaligned())
            };
            let bytes = i64::from(i32::from_be_bytes(bytes));
            if !(0..=MAX_AREA).contains(&bytes) {
                return condition(Condition::InvReq, 13);
            }
            show(&mut text, &format!("segment {}", n + 1), at, bytes as usize);
        }
    }
    let code = call.name::<4>(row::DUMPCODE).unwrap_or([b' '; 4]);
    let operands = CommandOperands::new(call.options())
        .bytes(row::DUMPCODE, code)
        .bytes(row::FROM, text);
    forward::ask(w, call, &operands)
}

/// An area as lines of offset, hexadecimal and text.
fn show(text: &mut String, name: &str, at: *const u8, bytes: usize) {
    if at.is_null() || bytes == 0 {
        return;
    }
    // SAFETY: the program's storage; a length beyond it is the program's error
    // and can harm only its own process.
    let area = unsafe { std::slice::from_raw_parts(at, bytes) };
    let _ = writeln!(text, "\n{name}, {bytes} bytes at {at:p}");
    for (n, line) in area.chunks(16).enumerate() {
        let hex: Vec<String> = line.chunks(4).map(base::hex::upper).collect();
        let printable = |b: &u8| {
            if b.is_ascii_graphic() || *b == b' ' {
                char::from(*b)
            } else {
                '.'
            }
        };
        let chars: String = line.iter().map(printable).collect();
        let _ = writeln!(text, "{:08X}  {:<35}  {chars}", 16 * n, hex.join(" "));
    }
}
