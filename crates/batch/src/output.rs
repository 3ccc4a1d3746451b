//! Output of a step's process: standard output through libcob, in order with
//! DISPLAY, and messages for users on standard error.
//!
//! The entry of the C side that writes is set once, before the program runs.

use std::cell::Cell;
use std::ffi::c_char;

/// Writes bytes where the program's DISPLAY writes.
pub(crate) type PrintBytes = unsafe extern "C" fn(*const c_char, usize);

thread_local! {
    static PRINT: Cell<Option<PrintBytes>> = const { Cell::new(None) };
}

/// Takes the entry of the C side.
pub(crate) fn bind(print: PrintBytes) {
    PRINT.set(Some(print));
}

/// Writes to standard output.
pub(crate) fn print_out(bytes: &[u8]) {
    if let Some(print) = PRINT.get() {
        // SAFETY: the bytes live through the call.
        unsafe { print(bytes.as_ptr().cast(), bytes.len()) };
    }
}

/// Writes a message to standard error.
pub(crate) fn print_message(message: &str) {
    eprintln!("{message}");
}
