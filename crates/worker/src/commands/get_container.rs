//! GET CONTAINER.
//!
//! Reference: CICS API reference, GET CONTAINER (CHANNEL). SET points at the
//! container's own bytes, which stay until it is changed or deleted; converted
//! text is in an area that stays until the next such GET. With BYTEOFFSET the
//! length is that of the part to read, and a longer rest is not a LENGERR, as
//! IBM's samples rely on.

use cics::command::commands::get_container as row;
use cics::cvda;
use cics::resp::Condition;
use link::ContainerType;

use super::containers::{channel_of, container};
use super::convert::{LOCAL_CCSID, convert, named_page};
use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

/// Key of the area for converted text, out of the way of those of files.
const TEXT_AREA: u32 = u32::MAX;

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let name = container(call, row::CONTAINER);
    let channel = channel_of(w, call, row::CHANNEL)?;
    let Some(entry) = w.task.channels.get(channel, &name) else {
        return condition(Condition::ContainerErr, 10);
    };
    let page = named_page(call, row::INTOCCSID, row::INTOCODEPAGE)?;
    let wanted = match entry.kind {
        ContainerType::Bit if page.is_some() => return condition(Condition::CcsidErr, 3),
        ContainerType::Bit => None,
        ContainerType::Char if as_it_is(call)? => None,
        ContainerType::Char => Some(page.unwrap_or(0)),
    };
    let ccsid = match (entry.kind, entry.ccsid) {
        (ContainerType::Bit, _) => 0,
        (ContainerType::Char, 0) => LOCAL_CCSID,
        (ContainerType::Char, other) => other,
    };
    call.set_int(row::CCSID, i64::from(ccsid));
    let arena = w.services.arena();
    // SAFETY: the container's bytes in the arena, which no command changes
    // before this one ends.
    let stored = unsafe { std::slice::from_raw_parts(arena.base.add(entry.offset), entry.bytes) };
    let whole = match wanted {
        Some(page) => convert(stored, entry.ccsid, page)?,
        None => stored.into(),
    };
    let offset = call
        .int(row::BYTEOFFSET)
        .map_or(0, |o| usize::try_from(o).unwrap_or(0));
    if offset > 0 && offset >= whole.len() {
        return condition(Condition::LengErr, 13);
    }
    let data = &whole[offset..];
    w.task.counts.get_bytes += data.len() as u64;
    let limit = call.int(row::FLENGTH);
    call.set_int(row::FLENGTH, data.len() as i64);
    if call.has(row::NODATA) {
        return Ok(());
    }
    if call.has(row::SET) {
        let at = match &whole {
            std::borrow::Cow::Borrowed(_) => data.as_ptr().cast_mut(),
            std::borrow::Cow::Owned(_) => w.task.storage.area(TEXT_AREA, data),
        };
        call.set_pointer(row::SET, at);
        return Ok(());
    }
    let Some(into) = call.arg(row::INTO) else {
        return condition(Condition::InvReq, 2);
    };
    let limit = into.room(limit);
    into.fill(data, limit);
    // From an offset a program takes a part, and comes back for the next.
    if data.len() > limit && !call.has(row::BYTEOFFSET) {
        condition(Condition::LengErr, 11)
    } else {
        Ok(())
    }
}

/// Whether the program wants the text as it is stored.
fn as_it_is(call: &CommandCall<'_>) -> Result<bool, crate::exec::CommandStop> {
    if call.has(row::NOCONVERT) {
        return Ok(true);
    }
    match call.int(row::CONVERTST) {
        None => Ok(false),
        Some(value) if u32::try_from(value).ok() == cvda::value("NOCONVERT") => Ok(true),
        Some(_) => condition(Condition::InvReq, 5),
    }
}
