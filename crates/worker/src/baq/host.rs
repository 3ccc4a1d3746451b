//! The verbs of the host API. Completion codes: 0 success, 4 warning (a
//! response that the document does not describe), 8 error (the request could
//! not be made), 12 severe (the verb was called wrongly).

use super::blocks::{
    self, REQUEST_PARAMETERS, ZCONNECT_PARAMETERS, information, message, parameters, set,
    set_codes, storage, text,
};
use super::{ApiCall, operand, outcome};
use crate::cob::CommandOperand;
use crate::le::{LeArguments, LeResult, ServiceEnd};
use crate::worker::Worker;

const SUCCESS: u32 = 0;
const WARNING: u32 = 4;
const ERROR: u32 = 8;
const SEVERE: u32 = 12;
/// Reasons of our own: which argument or step it was.
const NOT_INITIALISED: u32 = 1;
const BAD_AREA: u32 = 2;
const NO_AREA: u32 = 3;
const NO_ELEMENT: u32 = 4;
const NO_ROOM: u32 = 5;
const NO_INFORMATION: u32 = 6;
const NOT_SENT: u32 = 10;
const NOT_ANSWERED: u32 = 11;
const NOT_DESCRIBED: u32 = 12;
/// Bytes of an information block before its texts.
const INFORMATION_HEAD: usize = 16;
/// Longest structure or element.
const MAX_BASE: usize = 16 << 20;
/// Bytes of BAQ-RESPONSE-AREA.
const RESPONSE_BYTES: usize = 40 + blocks::MESSAGE_BYTES;

/// The first argument of every verb, with the eye-catcher that it begins with.
fn area<'c>(args: &LeArguments<'c>) -> Option<CommandOperand<'c>> {
    args.get(0).filter(|a| a.bytes().starts_with(b"BAQZ"))
}

/// BAQINIT.
pub(crate) fn init(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    if let Some(area) = area(args) {
        w.task.requester.forget();
        w.task.requester.initialised = true;
        set_codes(&area, SUCCESS, 0, "");
    }
    Ok(())
}

/// BAQTERM.
pub(crate) fn terminate(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    w.task.requester = super::ApiAreas::default();
    if let Some(area) = area(args) {
        set_codes(&area, SUCCESS, 0, "");
    }
    Ok(())
}

/// BAQFREE: frees the areas of the last response.
pub(crate) fn free(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    w.task.requester.forget();
    if let Some(area) = area(args) {
        set_codes(&area, SUCCESS, 0, "");
    }
    Ok(())
}

/// BAQPUTN: one element more in an area of the request.
pub(crate) fn put_next(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    let Some(area) = area(args) else {
        return Ok(());
    };
    let name = text(args.get(1).map_or(&[][..], |a| a.bytes()));
    let length = usize::try_from(args.int(3)).unwrap_or(0);
    let element = args
        .get(2)
        .map_or(std::ptr::null(), |a| a.pointer().cast_const());
    let (reason, why) = match () {
        () if !w.task.requester.initialised => (NOT_INITIALISED, "BAQINIT comes first"),
        () if name.is_empty() => (NO_AREA, "the data area has no name"),
        () if element.is_null() || length == 0 || length > MAX_BASE => {
            (NO_ELEMENT, "the element has no address or no length")
        }
        () => {
            // SAFETY: it is copied at once.
            let element = unsafe { storage(element, length) };
            if w.task.requester.put(&name, element) {
                (0, "")
            } else {
                (NO_ROOM, "the data areas of the request are too large")
            }
        }
    };
    set_codes(
        &area,
        if reason == 0 { SUCCESS } else { SEVERE },
        reason,
        why,
    );
    Ok(())
}

/// BAQGETN: the next element of an area of the response.
pub(crate) fn get_next(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    let Some(area) = area(args) else {
        return Ok(());
    };
    let name = text(args.get(1).map_or(&[][..], |a| a.bytes()));
    let (Some(element), Some(length)) = (args.get(2), args.get(3)) else {
        set_codes(&area, SEVERE, NO_ELEMENT, "an argument is missing");
        return Ok(());
    };
    let Some(got) = w.task.requester.got.get_mut(&name) else {
        let why = format!("the response has no data area '{name}'");
        element.set_pointer(std::ptr::null_mut());
        set_codes(&area, SEVERE, NO_AREA, &why);
        return Ok(());
    };
    let from = got.next * got.element;
    if from + got.element > got.bytes.len() {
        element.set_pointer(std::ptr::null_mut());
        set_codes(
            &area,
            WARNING,
            NO_ELEMENT,
            "the data area has no further element",
        );
        return Ok(());
    }
    got.next += 1;
    element.set_pointer(got.bytes[from..].as_mut_ptr());
    length.set_int(got.element as i64);
    set_codes(&area, SUCCESS, 0, "");
    Ok(())
}

/// BAQEXEC: the request is made, and the response waited for.
pub(crate) fn exec(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    let Some(area) = area(args) else {
        return Ok(());
    };
    let (Some(request), Some(response)) = (args.get(2), args.get(3)) else {
        set_codes(&area, SEVERE, BAD_AREA, "an argument is missing");
        return Ok(());
    };
    let right = request.bytes().starts_with(b"BAQR")
        && response.bytes().starts_with(b"BAQP")
        && response.size() >= RESPONSE_BYTES;
    if !right {
        set_codes(
            &area,
            SEVERE,
            BAD_AREA,
            "the request or the response area is no such area",
        );
        return Ok(());
    }
    if !w.task.requester.initialised {
        set_codes(&area, SEVERE, NOT_INITIALISED, "BAQINIT comes first");
        return Ok(());
    }
    let Some([api, path, method]) = called(args) else {
        set_codes(&area, SEVERE, NO_INFORMATION, "the API information is none");
        return Ok(());
    };
    let (base, length) = blocks::request_base(request.bytes());
    if length > MAX_BASE {
        set_codes(&area, SEVERE, BAD_AREA, "BAQ-REQ-BASE-LENGTH is too large");
        return Ok(());
    }
    let mut all = parameters(area.bytes(), ZCONNECT_PARAMETERS);
    all.extend(parameters(request.bytes(), REQUEST_PARAMETERS));
    let asked = ApiCall {
        stub: false,
        api: &api,
        path: &path,
        method: &method,
        // SAFETY: the bytes are copied before the program runs again.
        base: unsafe { storage(base, length) },
        parameters: all,
    };
    let reply = asked.send(w).map_err(ServiceEnd::Stop)?;
    let answer = reply.operands;
    w.task.requester.keep(&answer);
    let reported = String::from_utf8_lossy(answer.get_bytes(operand::MESSAGE).unwrap_or_default());
    let status = answer.get_int(operand::STATUS).unwrap_or(0) as u32;
    let (completion, reason) = match answer.get_int(operand::OUTCOME) {
        Some(outcome::MAPPED) => (SUCCESS, 0),
        Some(outcome::UNMAPPED) => (WARNING, NOT_DESCRIBED),
        Some(outcome::NO_RESPONSE) => (ERROR, NOT_ANSWERED),
        _ => (ERROR, NOT_SENT),
    };
    let base = &w.task.requester.base;
    let address = if base.is_empty() {
        0
    } else {
        base.as_ptr() as usize
    };
    let (message, length) = message(&reported);
    set(&response, 16, &address.to_ne_bytes());
    set(&response, 24, &(base.len() as u32).to_ne_bytes());
    set(&response, 32, &status.to_ne_bytes());
    set(&response, 36, &length);
    set(&response, 40, &message);
    set_codes(
        &area,
        completion,
        reason,
        if completion >= ERROR { &reported } else { "" },
    );
    Ok(())
}

/// The information block: itself, or its address by value.
fn called(args: &LeArguments<'_>) -> Option<[String; 3]> {
    let given = args.get(1)?;
    let block = match given.bytes() {
        block if block.starts_with(b"BAQA") => block,
        bytes => {
            let from = blocks::pointer(bytes, 0);
            let length = INFORMATION_HEAD + 3 * 260;
            // SAFETY: the bytes are copied before the program runs again.
            unsafe { storage(from, length) }
        }
    };
    let block = block.starts_with(b"BAQA").then_some(block)?;
    information(block, INFORMATION_HEAD)
}
