//! The calls that are about no conversation: this program's names, the largest
//! buffer, code pages.
//!
//! # Safety
//!
//! For every function here: pointers are null or point to the types in `cmc.h`, and
//! no other code uses them during the call.
//!
//! They return zero although C ignores it: a COBOL CALL stores a function's
//! result in RETURN-CODE.

use crate::library::library;
use crate::raw::{answer, bytes_mut, get, name, set};
use sna::{ReturnCode, TpName};

/// The most one Send_Data or Receive takes, in bytes.
pub const BUFFER: usize = 32_767;

/// Specify_Local_TP_Name.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMSLTP(
    tp_name: *const u8,
    length: *const i32,
    return_code: *mut i32,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            let library = library()?;
            library.specify(local_name(tp_name, length)?);
            Ok(())
        })
    }
}

/// Release_Local_TP_Name.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMRLTP(
    tp_name: *const u8,
    length: *const i32,
    return_code: *mut i32,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            let library = library()?;
            library.release(&local_name(tp_name, length)?)
        })
    }
}

/// # Safety
/// `text` is null or points to as many readable bytes as `length`, which is
/// null or points to 32 readable bits, says.
unsafe fn local_name(text: *const u8, length: *const i32) -> Result<TpName, ReturnCode> {
    // SAFETY: as this function's caller promises.
    let text = unsafe { name(text, get(length)?, 64) }?;
    text.parse().map_err(|_| ReturnCode::ProgramParameterCheck)
}

/// Extract_Maximum_Buffer_Size.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMEMBS(size: *mut i32, return_code: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            set(size, BUFFER as u32);
            Ok(())
        })
    }
}

/// Convert_Incoming: EBCDIC (code page 037) to the program's own characters, in
/// place. One without an ASCII character becomes `?`.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMCNVI(buffer: *mut u8, length: *const i32, return_code: *mut i32) -> i32 {
    let incoming = |byte| {
        let text = sna::ebcdic::to_char(byte);
        if text.is_ascii() { text as u8 } else { b'?' }
    };
    // SAFETY: the caller's promise.
    unsafe { convert(buffer, length, return_code, incoming) }
}

/// Convert_Outgoing: the program's own characters to EBCDIC (code page 037), in
/// place. A character outside ASCII becomes `?`.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMCNVO(buffer: *mut u8, length: *const i32, return_code: *mut i32) -> i32 {
    let outgoing = |byte: u8| {
        let known = if byte.is_ascii() { byte } else { b'?' };
        sna::ebcdic::from_char(char::from(known))
    };
    // SAFETY: the caller's promise.
    unsafe { convert(buffer, length, return_code, outgoing) }
}

/// Puts another byte in the place of each.
///
/// # Safety
/// As the module says.
unsafe fn convert(
    buffer: *mut u8,
    length: *const i32,
    return_code: *mut i32,
    other: impl Fn(u8) -> u8,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            for byte in bytes_mut(buffer, get(length)?, BUFFER)? {
                *byte = other(*byte);
            }
            Ok(())
        })
    }
}
