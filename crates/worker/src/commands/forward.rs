//! Commands that the region serves as they are: their operands go there by the
//! index of their options, and what comes back is put where it belongs.
//!
//! An area that a command fills (INTO) gets as much as fits into LENGTH or into
//! its own size. LENGTH then has the full length, and LENGERR is raised when not
//! all fitted. SET gets the address of a copy.

use cics::command::{DataDirection, OptionArgument, OptionRow};
use cics::resp::Condition;
use link::{CHANNEL_DATA, CommandOperands, OperandValue};

use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::services::CommandReply;
use crate::worker::Worker;

/// Sends the command to the region and passes the answer to the program.
pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let operands = gather(call)?;
    ask(w, call, &operands)
}

/// As [`serve`], with operands that were gathered before.
pub fn ask(w: &mut Worker, call: &CommandCall<'_>, operands: &CommandOperands) -> CommandResult {
    let reply = w.services.command(call.row.number, operands)?;
    give(w, call, &reply)
}

/// The operands that the command reads.
pub fn gather(call: &CommandCall<'_>) -> Result<CommandOperands, CommandStop> {
    let mut operands = CommandOperands::new(call.options());
    for (index, option) in options(call) {
        if option.direction == DataDirection::Out {
            continue;
        }
        let Some(arg) = call.arg(index) else {
            continue;
        };
        let operand = match option.argument {
            OptionArgument::Name(n) => padded(arg.bytes(), n.into()),
            OptionArgument::Chars(n) => padded(arg.bytes(), n.into()),
            OptionArgument::Area => OperandValue::Bytes(area(call, option, index)?),
            OptionArgument::PtrValue => OperandValue::Int(arg.pointer() as i64),
            OptionArgument::PtrRef | OptionArgument::Label | OptionArgument::None => continue,
            OptionArgument::Halfword
            | OptionArgument::Fullword
            | OptionArgument::Doubleword
            | OptionArgument::Packed(_)
            | OptionArgument::Cvda
            | OptionArgument::HhMmSs => OperandValue::Int(arg.int()),
            OptionArgument::Optional | OptionArgument::Any => {
                OperandValue::Bytes(arg.bytes().to_vec())
            }
        };
        operands.push(index, operand);
    }
    Ok(operands)
}

/// Puts what came back where the program wants it, and raises the condition
/// that came with it.
pub fn give(w: &mut Worker, call: &CommandCall<'_>, reply: &CommandReply) -> CommandResult {
    let mut short = false;
    for (index, operand) in reply.operands.each().filter(|(i, _)| *i != CHANNEL_DATA) {
        let Some(option) = call.row.option(index) else {
            continue;
        };
        match (operand, option.argument) {
            (OperandValue::Int(value), _) => call.set_int(index, *value),
            (OperandValue::Bytes(data), OptionArgument::Area) => {
                short |= fill(w, call, index, option, data)
            }
            (OperandValue::Bytes(data), OptionArgument::PtrRef) => {
                let key = u32::from(call.row.number) << 8 | u32::from(index);
                // Nothing is nowhere: low-values, as programs test for.
                let at = if data.is_empty() {
                    std::ptr::null_mut()
                } else {
                    w.task.storage.area(key, data)
                };
                call.set_pointer(index, at);
            }
            (OperandValue::Bytes(data), _) => call.set_chars(index, data),
        }
    }
    match reply.condition {
        Condition::Normal if short => condition(Condition::LengErr, 0),
        // NORMAL may come with a RESP2, as of a purge that is deferred.
        Condition::Normal if reply.resp2 == 0 => Ok(()),
        other => condition(other, reply.resp2),
    }
}

/// Fills INTO, or SET in its place. True when not all fitted.
fn fill(
    w: &mut Worker,
    call: &CommandCall<'_>,
    index: u8,
    option: &OptionRow,
    data: &[u8],
) -> bool {
    let length = option.length.and_then(|name| call.row.index_of(name));
    let most = length.and_then(|length| call.int(length));
    let mut short = false;
    if let Some(arg) = call.arg(index) {
        let room = most.map_or(arg.size(), |n| n.max(0) as usize);
        let fits = data.len().min(room);
        short = fits < data.len();
        // SAFETY: the program's storage; a LENGTH beyond the item is the
        // program's error and can harm only its own process.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), arg.data(), fits) };
    } else if let Some(set) = pointer_option(call, option) {
        let key = u32::from(call.row.number) << 8 | u32::from(set);
        let at = w.task.storage.area(key, data);
        call.set_pointer(set, at);
    }
    if let Some(length) = length {
        call.set_int(length, data.len() as i64);
    }
    short
}

/// The pointer that the command gives in place of an area: both have their
/// length in the same option.
fn pointer_option(call: &CommandCall<'_>, area: &OptionRow) -> Option<u8> {
    let set =
        |(_, o): &(u8, &OptionRow)| o.argument == OptionArgument::PtrRef && o.length == area.length;
    options(call).find(set).map(|(index, _)| index)
}

/// The bytes of an area that the command reads, as many as its length.
fn area(call: &CommandCall<'_>, option: &OptionRow, index: u8) -> Result<Vec<u8>, CommandStop> {
    let Some(arg) = call.arg(index) else {
        return Ok(Vec::new());
    };
    let length = option.length.and_then(|name| call.row.index_of(name));
    let length = length.and_then(|length| call.int(length));
    let most = option.most_bytes.unwrap_or(MAX_AREA_BYTES);
    let bytes = readable_bytes(length, arg.size(), most);
    // SAFETY: the program's storage; a length beyond the item is the program's
    // error and can harm only its own process.
    Ok(unsafe { std::slice::from_raw_parts(arg.data(), bytes) }.to_vec())
}

/// Bytes to read of an item of `size` bytes. The region answers a length that
/// is out of the command's range, and gets the item for it: storage of that
/// length need not exist.
fn readable_bytes(length: Option<i64>, size: usize, most: u32) -> usize {
    match length {
        Some(..=0) => 0,
        Some(bytes) if bytes <= i64::from(most) => bytes as usize,
        _ => size,
    }
}

/// The options of the command that the program wrote.
fn options<'c>(call: &'c CommandCall<'_>) -> impl Iterator<Item = (u8, &'static OptionRow)> + 'c {
    let rows = (0..).zip(call.row.options);
    rows.filter(|(index, option)| option.alias_of.is_none() && call.has(*index))
}

fn padded(bytes: &[u8], size: usize) -> OperandValue {
    let mut name = vec![b' '; size];
    let n = bytes.len().min(size);
    name[..n].copy_from_slice(&bytes[..n]);
    OperandValue::Bytes(name)
}

/// Longest area of a command without a limit of its own.
const MAX_AREA_BYTES: u32 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use cics::command::commands::writeq_ts;

    #[test]
    fn an_item_is_read_as_its_length_says_and_not_beyond_it_for_a_length_out_of_range() {
        let most = writeq_ts::ROW.most_bytes(writeq_ts::FROM);
        let read = |length| readable_bytes(length, 10, most);
        assert_eq!(read(None), 10);
        assert_eq!(read(Some(-1)), 0);
        assert_eq!(read(Some(0)), 0);
        assert_eq!(read(Some(4)), 4);
        assert_eq!(read(Some(32_763)), 32_763);
        assert_eq!(read(Some(32_764)), 10);
        assert_eq!(readable_bytes(Some(i64::MAX), 10, MAX_AREA_BYTES), 10);
    }
}
