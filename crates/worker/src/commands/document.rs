//! DOCUMENT CREATE and INSERT: the region serves them, and asks for the text of
//! a template that is in a temporary storage queue or a file.
//!
//! Those are read here, as the task's own commands would read them: within its
//! unit of work, with the switches that its files have. The items of a queue, or
//! the records of a file from its first one on, are the template's lines.
//!
//! Reference: CICS resource definition, DOCTEMPLATE, FILE and TSQUEUE.

use ::link::{Operand, Operands, TEMPLATE_TEXT, TEMPLATE_WANTED};
use cics::command::commands::readq_ts;
use cics::resp::Condition;
use store::Seek;

use super::{forward, key};
use crate::exec::{Call, Outcome, Stop};
use crate::files::Access;
use crate::worker::Worker;

/// Largest template, as of those that are files.
const MAX_BYTES: usize = 4 << 20;

pub fn serve(w: &mut Worker, call: &Call<'_>) -> Outcome {
    let mut operands = forward::gather(call)?;
    let reply = loop {
        let reply = w.services.command(call.row.number, &operands)?;
        let Some(wanted) = reply.operands.get_bytes(TEMPLATE_WANTED) else {
            break reply;
        };
        let (source, name) = split(wanted);
        let read = match source.split_first() {
            Some((b'Q', queue)) => queue_text(w, queue)?,
            Some((_, file)) => file_text(w, file)?,
            None => None,
        };
        let mut text = name.to_vec();
        text.push(0);
        if let Some(read) = read {
            text.push(b'+');
            text.extend_from_slice(&read);
        }
        operands.push(TEMPLATE_TEXT, Operand::Bytes(text));
    };
    forward::give(w, call, &reply)
}

/// What stands before the first zero byte, and behind it.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    (&bytes[..at], bytes.get(at + 1..).unwrap_or_default())
}

/// The items of a queue, each a line; none without the queue.
fn queue_text(w: &mut Worker, queue: &[u8]) -> Result<Option<Vec<u8>>, Stop> {
    let options = 1 << readq_ts::QNAME | 1 << readq_ts::INTO | 1 << readq_ts::ITEM;
    let mut text = Vec::new();
    for item in 1_i64.. {
        let asks = Operands::new(options)
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

/// The records of a file in the order of their keys; none where the file may
/// not be browsed, or has no record.
fn file_text(w: &mut Worker, name: &[u8]) -> Result<Option<Vec<u8>>, Stop> {
    let mut padded = [b' '; 8];
    let n = name.len().min(8);
    padded[..n].copy_from_slice(&name[..n]);
    key::refresh(w, &padded);
    let Ok(file) = w.files.find(&padded, Access::Browse) else {
        return Ok(None);
    };
    let (mut text, mut last) = (Vec::new(), None::<Vec<u8>>);
    let mut fits = true;
    loop {
        let mut now = Vec::new();
        let seek = last.as_deref().map_or(Seek::First, Seek::Greater);
        let found = w.services.fetch(file, seek, &mut |found| {
            now = found.key.to_vec();
            fits = add(&mut text, found.record);
        })?;
        match found && fits {
            true => last = Some(now),
            false => break,
        }
    }
    Ok((fits && last.is_some()).then_some(text))
}

/// Adds a line behind its length; false when the template is too large.
fn add(text: &mut Vec<u8>, line: &[u8]) -> bool {
    text.extend_from_slice(&(line.len() as u32).to_be_bytes());
    text.extend_from_slice(line);
    text.len() <= MAX_BYTES
}
