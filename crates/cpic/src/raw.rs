//! Between C's pointers and Rust's values.

use sna::ReturnCode;
use sna::cpic::ConversationIdentifier;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a call and stores its return code. A panic is a return code too.
/// Always gives zero back.
///
/// # Safety
/// `return_code` is null or points to 32 writable bits.
pub unsafe fn answer(return_code: *mut i32, call: impl FnOnce() -> Result<(), ReturnCode>) -> i32 {
    let code = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => ReturnCode::Ok,
        Ok(Err(code)) => code,
        Err(_) => ReturnCode::ProductSpecificError,
    };
    // SAFETY: as this function's caller promises.
    unsafe { set(return_code, code.value()) };
    0
}

/// A return code as a result.
pub fn ok(code: ReturnCode) -> Result<(), ReturnCode> {
    match code {
        ReturnCode::Ok => Ok(()),
        code => Err(code),
    }
}

/// Stores a value where there is a place for it.
///
/// # Safety
/// `place` is null or points to 32 writable bits.
pub unsafe fn set(place: *mut i32, value: u32) {
    if !place.is_null() {
        // SAFETY: as this function's caller promises; no alignment is assumed,
        // since COBOL items need not have any.
        unsafe { place.write_unaligned(value as i32) };
    }
}

/// Reads a value.
///
/// # Safety
/// `place` is null or points to 32 readable bits.
pub unsafe fn get(place: *const i32) -> Result<u32, ReturnCode> {
    if place.is_null() {
        return Err(ReturnCode::ProgramParameterCheck);
    }
    // SAFETY: as this function's caller promises.
    Ok(unsafe { place.read_unaligned() } as u32)
}

/// Reads a conversation identifier.
///
/// # Safety
/// `place` is null or points to eight readable bytes.
pub unsafe fn cid(place: *const u8) -> Result<ConversationIdentifier, ReturnCode> {
    if place.is_null() {
        return Err(ReturnCode::ProgramParameterCheck);
    }
    // SAFETY: as this function's caller promises; bytes have no alignment.
    Ok(unsafe { place.cast::<ConversationIdentifier>().read() })
}

/// `length` bytes, at most `most`.
///
/// # Safety
/// `place` is null or points to that many readable bytes, which nothing changes
/// while the result is used.
pub unsafe fn bytes<'a>(
    place: *const u8,
    length: u32,
    most: usize,
) -> Result<&'a [u8], ReturnCode> {
    let length = length as usize;
    if length > most || (place.is_null() && length > 0) {
        return Err(ReturnCode::ProgramParameterCheck);
    }
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: as this function's caller promises.
    Ok(unsafe { std::slice::from_raw_parts(place, length) })
}

/// `length` bytes, at most `most`, to write to.
///
/// # Safety
///
/// `place` is null or points to that many writable bytes, and no other code uses
/// them while the result is used.
pub unsafe fn bytes_mut<'a>(
    place: *mut u8,
    length: u32,
    most: usize,
) -> Result<&'a mut [u8], ReturnCode> {
    let length = length as usize;
    if length > most || (place.is_null() && length > 0) {
        return Err(ReturnCode::ProgramParameterCheck);
    }
    if length == 0 {
        return Ok(&mut []);
    }
    // SAFETY: as this function's caller promises.
    Ok(unsafe { std::slice::from_raw_parts_mut(place, length) })
}

/// A name: up to a zero byte, without blanks at its end.
///
/// # Safety
/// As for [`bytes`].
pub unsafe fn name(place: *const u8, length: u32, most: usize) -> Result<String, ReturnCode> {
    // SAFETY: as this function's caller promises.
    let bytes = unsafe { bytes(place, length, most) }?;
    let end = bytes
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(bytes.len());
    let text = std::str::from_utf8(&bytes[..end]).map_err(|_| ReturnCode::ProgramParameterCheck)?;
    Ok(text.trim_end().to_owned())
}

/// A symbolic destination: eight bytes, or fewer and a zero byte.
///
/// # Safety
/// `place` is null or points to eight readable bytes, or to fewer that end with
/// a zero byte.
pub unsafe fn destination(place: *const u8) -> Result<String, ReturnCode> {
    if place.is_null() {
        return Err(ReturnCode::ProgramParameterCheck);
    }
    let mut text = Vec::new();
    for at in 0..8 {
        // SAFETY: no byte after a zero byte or the eighth is read.
        match unsafe { place.add(at).read() } {
            0 => break,
            byte => text.push(byte),
        }
    }
    let text = String::from_utf8(text).map_err(|_| ReturnCode::ProgramParameterCheck)?;
    Ok(text.trim_end().to_owned())
}

/// Gives a name back, and its length.
///
/// # Safety
/// `place` is null or points to `most` writable bytes, `length` as for [`set`].
pub unsafe fn give(text: &str, place: *mut u8, length: *mut i32, most: usize) {
    let text = &text.as_bytes()[..text.len().min(most)];
    if !place.is_null() {
        // SAFETY: as this function's caller promises.
        unsafe { place.copy_from_nonoverlapping(text.as_ptr(), text.len()) };
    }
    // SAFETY: as this function's caller promises.
    unsafe { set(length, text.len() as u32) };
}
