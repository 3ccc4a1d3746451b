//! WRITE and REWRITE.
//!
//! Reference: CICS API reference, WRITE, REWRITE. MASSINSERT asks for nothing
//! that a WRITE does not do here.

use cics::command::commands::{rewrite as rewrite_row, write as row};
use cics::file::FileAccess;
use cics::resp::Condition;

use link::FileKind;

use super::key::{RecordOptions, RidfldKind, file, file_options, named, record, set_ridfld};
use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

const NAMED: RecordOptions = named!(row, None);

pub fn write(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let file = file(w, call, file_options!(row), FileAccess::Write)?;
    let by = NAMED.addressing(&w.files, file, call)?;
    // The name of the record may be an output of the command: it is read only
    // when it must be an input.
    let number = match by {
        RidfldKind::Rba | RidfldKind::Xrba => None,
        RidfldKind::Rrn | RidfldKind::Key => Some(NAMED.key(&w.files, file, call)?),
    };
    let (record, answer) = record(&w.files, file, call.arg(row::FROM), call.int(row::LENGTH))?;
    let kind = w.files.definition(file).kind;
    let number = match (kind, &number) {
        (FileKind::Ksds, Some(key)) if w.files.key_of(file, record) != key.bytes() => {
            return condition(Condition::InvReq, 23);
        }
        (FileKind::Rrds, Some(key)) => key.bytes(),
        _ => &[],
    };
    let key = w
        .services
        .write(file, number, record, call.has(row::NOSUSPEND))?;
    if kind == FileKind::Esds
        && let Some(ridfld) = call.arg(row::RIDFLD)
    {
        set_ridfld(&w.files, file, ridfld, &key);
    }
    answer
}

pub fn rewrite(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let file = file(w, call, file_options!(rewrite_row), FileAccess::Rewrite)?;
    let named = call.int(rewrite_row::TOKEN);
    let Some(held) = w.files.held.find(file, named.map(|t| t as u32)) else {
        return condition(Condition::InvReq, if named.is_some() { 47 } else { 30 });
    };
    let token = held.token;
    let (record, answer) = record(
        &w.files,
        file,
        call.arg(rewrite_row::FROM),
        call.int(rewrite_row::LENGTH),
    )?;
    // The region compares the key of a path.
    let keyed = w.files.definition(file).kind == FileKind::Ksds;
    if keyed && w.files.key_of(file, record) != held.key() {
        return condition(Condition::InvReq, 46);
    }
    let nosuspend = call.has(rewrite_row::NOSUSPEND);
    w.services.rewrite(file, token, record, nosuspend)?;
    w.files.held.release(file, token);
    answer
}
