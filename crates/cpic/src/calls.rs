//! The calls that do something: set up, send, receive, synchronise, end.
//!
//! # Safety
//!
//! For every function here: pointers are null or point to the types in `cmc.h`, and
//! no other code uses them during the call.
//!
//! They return zero although C ignores it: a COBOL CALL stores a function's
//! result in RETURN-CODE.

use crate::library::library;
use crate::raw::{answer, bytes, bytes_mut, cid, destination, get, ok, set};
use crate::services::BUFFER;
use sna::ReturnCode;

/// Initialize_Conversation.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMINIT(
    id: *mut u8,
    sym_dest_name: *const u8,
    return_code: *mut i32,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            let name = destination(sym_dest_name)?;
            if id.is_null() {
                return Err(ReturnCode::ProgramParameterCheck);
            }
            let made = library()?.cpic().cminit(&name)?;
            give_cid(id, made)
        })
    }
}

/// Accept_Conversation.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMACCP(id: *mut u8, return_code: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            if id.is_null() {
                return Err(ReturnCode::ProgramParameterCheck);
            }
            let accepted = library()?.accept()?;
            give_cid(id, accepted)
        })
    }
}

/// Initialize_For_Incoming.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMINIC(id: *mut u8, return_code: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            if id.is_null() {
                return Err(ReturnCode::ProgramParameterCheck);
            }
            let made = library()?.cpic().cminic();
            give_cid(id, made)
        })
    }
}

/// # Safety
/// `place` is null or points to eight writable bytes.
unsafe fn give_cid(
    place: *mut u8,
    cid: sna::cpic::ConversationIdentifier,
) -> Result<(), ReturnCode> {
    if place.is_null() {
        return Err(ReturnCode::ProgramParameterCheck);
    }
    // SAFETY: the caller's promise.
    unsafe { place.copy_from_nonoverlapping(cid.as_ptr(), cid.len()) };
    Ok(())
}

/// Allocate.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMALLC(id: *const u8, return_code: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            let (library, id) = (library()?, cid(id)?);
            ok(library.allocate(&id)?)
        })
    }
}

/// Send_Data.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMSEND(
    id: *const u8,
    buffer: *const u8,
    send_length: *const i32,
    request_to_send_received: *mut i32,
    return_code: *mut i32,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            let (library, id) = (library()?, cid(id)?);
            let data = bytes(buffer, get(send_length)?, BUFFER)?;
            let (wants, code) = library.wait(&id, |cpic, node, _| cpic.cmsend(node, &id, data))?;
            set(request_to_send_received, wants.into());
            ok(code)
        })
    }
}

/// Receive.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMRCV(
    id: *const u8,
    buffer: *mut u8,
    requested_length: *const i32,
    data_received: *mut i32,
    received_length: *mut i32,
    status_received: *mut i32,
    request_to_send_received: *mut i32,
    return_code: *mut i32,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            let (library, id) = (library()?, cid(id)?);
            let buffer = bytes_mut(buffer, get(requested_length)?, BUFFER)?;
            let got = library.wait(&id, |cpic, node, _| cpic.cmrcv(node, &id, buffer))?;
            set(data_received, got.data.value());
            set(received_length, got.len as u32);
            set(status_received, got.status.value());
            set(request_to_send_received, got.request_to_send.into());
            ok(got.code)
        })
    }
}

/// Declares the calls that take an identifier and give back a return code.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident: $library:ident, $id:ident => $call:expr;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the module says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(id: *const u8, return_code: *mut i32) -> i32 {
                // SAFETY: the caller's promise.
                unsafe {
                    answer(return_code, || {
                        let ($library, $id) = (library()?, cid(id)?);
                        ok($call)
                    })
                }
            }
        )*
    };
}

plain! {
    /// Confirmed.
    CMCFMD: library, id => library.once(|cpic, node| cpic.cmcfmd(node, &id));
    /// Flush.
    CMFLUS: library, id => library.once(|cpic, node| cpic.cmflus(node, &id));
    /// Request_To_Send.
    CMRTS: library, id => library.once(|cpic, node| cpic.cmrts(node, &id));
    /// Cancel_Conversation.
    CMCANC: library, id => library.once(|cpic, node| cpic.cmcanc(node, &id));
    /// Accept_Incoming.
    CMACCI: library, id => library.accept_incoming(&id)?;
    /// Prepare_To_Receive.
    CMPTR: library, id => library.wait(&id, |cpic, node, _| cpic.cmptr(node, &id))?;
    /// Deallocate.
    CMDEAL: library, id => library.wait(&id, |cpic, node, _| cpic.cmdeal(node, &id))?;
}

/// Declares the calls that also return whether the partner requests to send.
macro_rules! asking {
    ($($(#[$doc:meta])* $name:ident: $library:ident, $id:ident => $call:expr;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the module says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(
                id: *const u8,
                request_to_send_received: *mut i32,
                return_code: *mut i32,
            ) -> i32 {
                // SAFETY: the caller's promise.
                unsafe {
                    answer(return_code, || {
                        let ($library, $id) = (library()?, cid(id)?);
                        let (wants, code) = $call;
                        set(request_to_send_received, u32::from(wants));
                        ok(code)
                    })
                }
            }
        )*
    };
}

asking! {
    /// Confirm.
    CMCFM: library, id => library.wait(&id, |cpic, node, _| cpic.cmcfm(node, &id))?;
    /// Send_Error.
    CMSERR: library, id => library.wait(&id, |cpic, node, _| cpic.cmserr(node, &id))?;
    /// Test_Request_To_Send_Received.
    CMTRTS: library, id => library.once(|cpic, node| cpic.cmtrts(node, &id));
}
