//! DOCUMENT CREATE and INSERT: the region serves them, and asks for the text of
//! a template that is in a queue or a file, or that a program gives.
//!
//! The worker reads these as the task's own commands would: within its
//! unit of work, with the switches of its files. The items of a queue, or
//! the records of a file from its first one on, are the template's lines. Reading
//! a transient data queue removes its records, so they are kept for later reads.
//!
//! Reference: CICS resource definition, DOCTEMPLATE, FILE, TSQUEUE, TDQUEUE and
//! EXITPGM.

use ::link::{CommandOperands, OperandValue, TEMPLATE_TEXT, TEMPLATE_WANTED};
use cics::command::commands::{readq_td, readq_ts};
use cics::file::FileAccess;
use cics::resp::Condition;
use store::SeekKey;

use super::{forward, key, template_exit};
use crate::exec::{CommandCall, CommandResult, CommandStop};
use crate::worker::Worker;

/// Largest template, as of those that are files.
pub(super) const MAX_BYTES: usize = 4 << 20;

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let mut operands = forward::gather(call)?;
    let reply = loop {
        let reply = w.services.command(call.row.number, &operands)?;
        let Some(wanted) = reply.operands.get_bytes(TEMPLATE_WANTED) else {
            break reply;
        };
        let (source, name) = split(wanted);
        let read = match source.split_first() {
            Some((b'Q', queue)) => TemplateRead::of(queue_text(w, queue)?),
            Some((b'D', queue)) => TemplateRead::kept(transient_text(w, queue)?),
            Some((b'X', program)) => template_exit::text(w, program, name)?,
            Some((_, file)) => TemplateRead::of(file_text(w, file)?),
            None => TemplateRead::Missing,
        };
        let mut text = name.to_vec();
        text.push(0);
        read.put(&mut text);
        operands.push(TEMPLATE_TEXT, OperandValue::Bytes(text));
    };
    forward::give(w, call, &reply)
}

/// The result of reading a template.
pub(super) enum TemplateRead {
    /// Its lines, each after its length.
    Lines(Vec<u8>),
    /// The same, which others are to be given without another reading.
    Kept(Vec<u8>),
    /// Its program has given none.
    Refused,
    /// The queue, file or program is missing.
    Missing,
}

impl TemplateRead {
    fn of(lines: Option<Vec<u8>>) -> TemplateRead {
        lines.map_or(TemplateRead::Missing, TemplateRead::Lines)
    }

    fn kept(lines: Option<Vec<u8>>) -> TemplateRead {
        lines.map_or(TemplateRead::Missing, TemplateRead::Kept)
    }

    /// Writes the lines of a template in the form that the region reads.
    fn put(&self, text: &mut Vec<u8>) {
        let (mark, lines): (_, &[u8]) = match self {
            TemplateRead::Lines(lines) => (b'+', lines),
            TemplateRead::Kept(lines) => (b'*', lines),
            TemplateRead::Refused => (b'-', &[]),
            TemplateRead::Missing => return,
        };
        text.push(mark);
        text.extend_from_slice(lines);
    }
}

/// The bytes before the first zero byte, and those after it.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    (&bytes[..at], bytes.get(at + 1..).unwrap_or_default())
}

/// The items of a queue, each a line; none without the queue.
fn queue_text(w: &mut Worker, queue: &[u8]) -> Result<Option<Vec<u8>>, CommandStop> {
    let options = 1 << readq_ts::QNAME | 1 << readq_ts::INTO | 1 << readq_ts::ITEM;
    let mut text = Vec::new();
    for item in 1_i64.. {
        let asks = CommandOperands::new(options)
            .bytes(readq_ts::QNAME, queue)
            .int(readq_ts::ITEM, item);
        let reply = w.services.command(readq_ts::NUMBER, &asks)?;
        match reply.condition {
            Condition::Normal => {}
            Condition::ItemErr if item > 1 => break,
            _ => return Ok(None),
        }
        let line = reply.operands.get_bytes(readq_ts::INTO).unwrap_or_default();
        if !add(&mut text, line) {
            return Ok(None);
        }
    }
    Ok(Some(text))
}

/// The records of a transient data queue, each a line; none without any.
fn transient_text(w: &mut Worker, queue: &[u8]) -> Result<Option<Vec<u8>>, CommandStop> {
    let options = 1 << readq_td::QUEUE | 1 << readq_td::INTO;
    let asks = CommandOperands::new(options).bytes(readq_td::QUEUE, queue);
    let mut text = Vec::new();
    loop {
        let reply = w.services.command(readq_td::NUMBER, &asks)?;
        match reply.condition {
            Condition::Normal => {}
            Condition::QZero if !text.is_empty() => return Ok(Some(text)),
            _ => return Ok(None),
        }
        let line = reply.operands.get_bytes(readq_td::INTO).unwrap_or_default();
        if !add(&mut text, line) {
            return Ok(None);
        }
    }
}

/// The records of a file in the order of their keys; `None` if the file may
/// not be browsed, or has no record.
fn file_text(w: &mut Worker, name: &[u8]) -> Result<Option<Vec<u8>>, CommandStop> {
    let mut padded = [b' '; 8];
    let n = name.len().min(8);
    padded[..n].copy_from_slice(&name[..n]);
    let access = FileAccess::StartBrowse;
    let Ok(file) = key::usable(w, &padded, access) else {
        return Ok(None);
    };
    let (mut text, mut last) = (Vec::new(), None::<Vec<u8>>);
    let mut fits = true;
    loop {
        let mut now = Vec::new();
        let seek = last.as_deref().map_or(SeekKey::First, SeekKey::Greater);
        let found = w.services.fetch(file, seek, access, &mut |found| {
            now = found.position.to_vec();
            fits = add(&mut text, found.record);
        })?;
        if found && fits {
            last = Some(now)
        } else {
            break;
        }
    }
    Ok((fits && last.is_some()).then_some(text))
}

/// Adds a line after its length; false when the template is too large.
pub(super) fn add(text: &mut Vec<u8>, line: &[u8]) -> bool {
    text.extend_from_slice(&(line.len() as u32).to_be_bytes());
    text.extend_from_slice(line);
    text.len() <= MAX_BYTES
}
