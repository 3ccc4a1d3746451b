//! The calls that set and extract a conversation's characteristics.
//!
//! # Safety
//!
//! For every function here: pointers are null or point to the types in `cmc.h`, and
//! no other code uses them during the call.
//!
//! They return zero although C ignores it: a COBOL CALL stores a function's
//! result in RETURN-CODE.

use crate::library::library;
use crate::raw::{answer, bytes, cid, get, give, name, ok, set};
use sna::PasswordBytes;

/// Declares the calls that set a number.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident => $setter:ident;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the module says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(id: *const u8, value: *const i32, return_code: *mut i32) -> i32 {
                // SAFETY: the caller's promise.
                unsafe {
                    answer(return_code, || {
                        let (library, id) = (library()?, cid(id)?);
                        ok(library.cpic().$setter(&id, get(value)?))
                    })
                }
            }
        )*
    };
}

numbers! {
    /// Set_Conversation_Type.
    CMSCT => cmsct;
    /// Set_Deallocate_Type.
    CMSDT => cmsdt;
    /// Set_Error_Direction.
    CMSED => cmsed;
    /// Set_Fill.
    CMSF => cmsf;
    /// Set_Prepare_To_Receive_Type.
    CMSPTR => cmsptr;
    /// Set_Return_Control.
    CMSRC => cmsrc;
    /// Set_Receive_Type.
    CMSRT => cmsrt;
    /// Set_Sync_Level.
    CMSSL => cmssl;
    /// Set_Send_Type.
    CMSST => cmsst;
    /// Set_Conversation_Security_Type.
    CMSCST => cmscst;
}

/// Declares the calls that set text of at most so many bytes.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident, $most:literal: $cpic:ident, $id:ident, $text:ident => $call:expr;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the module says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(
                id: *const u8,
                text: *const u8,
                length: *const i32,
                return_code: *mut i32,
            ) -> i32 {
                // SAFETY: the caller's promise.
                unsafe {
                    answer(return_code, || {
                        let (library, $id) = (library()?, cid(id)?);
                        let $text = name(text, get(length)?, $most)?;
                        let $cpic = &mut *library.cpic();
                        ok($call)
                    })
                }
            }
        )*
    };
}

texts! {
    /// Set_Mode_Name.
    CMSMN, 8: cpic, id, text => cpic.cmsmn(&id, &text);
    /// Set_Partner_LU_Name.
    CMSPLN, 17: cpic, id, text => cpic.cmspln(&id, &text);
    /// Set_TP_Name.
    CMSTPN, 64: cpic, id, text => cpic.cmstpn(&id, &text);
    /// Set_Conversation_Security_User_ID.
    CMSCSU, 10: cpic, id, text => cpic.cmscsu(&id, &text);
    /// Set_Conversation_Security_Password.
    CMSCSP, 10: cpic, id, text => cpic.cmscsp(&id, PasswordBytes::new(&text));
}

/// Set_Log_Data.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMSLD(
    id: *const u8,
    log_data: *const u8,
    length: *const i32,
    return_code: *mut i32,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            let (library, id) = (library()?, cid(id)?);
            let data = bytes(log_data, get(length)?, 512)?;
            ok(library.cpic().cmsld(&id, data))
        })
    }
}

/// Extract_Conversation_State.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMECS(id: *const u8, state: *mut i32, return_code: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            let (library, id) = (library()?, cid(id)?);
            let found = library.once(|cpic, node| cpic.cmecs(node, &id))?;
            set(state, found.value());
            Ok(())
        })
    }
}

/// Extract_Conversation_Type.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMECT(id: *const u8, kind: *mut i32, return_code: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            let (library, id) = (library()?, cid(id)?);
            set(kind, library.cpic().cmect(&id)?.value());
            Ok(())
        })
    }
}

/// Extract_Sync_Level.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CMESL(id: *const u8, level: *mut i32, return_code: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        answer(return_code, || {
            let (library, id) = (library()?, cid(id)?);
            set(level, library.cpic().cmesl(&id)? as u32);
            Ok(())
        })
    }
}

/// Declares the calls that give a name back.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $most:literal => $getter:ident;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the module says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(
                id: *const u8,
                text: *mut u8,
                length: *mut i32,
                return_code: *mut i32,
            ) -> i32 {
                // SAFETY: the caller's promise.
                unsafe {
                    answer(return_code, || {
                        let (library, id) = (library()?, cid(id)?);
                        let found = library.cpic().$getter(&id)?;
                        give(found.as_str(), text, length, $most);
                        Ok(())
                    })
                }
            }
        )*
    };
}

names! {
    /// Extract_Mode_Name.
    CMEMN, 8 => cmemn;
    /// Extract_Partner_LU_Name.
    CMEPLN, 17 => cmepln;
    /// Extract_TP_Name.
    CMETPN, 64 => cmetpn;
    /// Extract_Security_User_ID.
    CMESUI, 10 => cmesui;
}
