//! Printing that survives a closed pipe: `tupelo drive … | head` still presents its
//! whole load and writes its files. The first write error is kept and returned to
//! the caller at the end.

use std::fmt::Arguments;
use std::io::{self, Write};
use std::sync::Mutex;

/// Prints to standard output.
pub(super) fn out(text: Arguments<'_>) {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_fmt(text).and_then(|()| stdout.flush());
    if let Err(error) = written {
        let mut lost = LOST.lock().unwrap_or_else(|e| e.into_inner());
        lost.get_or_insert(error);
    }
}

/// Prints to standard error; an error of that is ignored.
pub(super) fn err(text: Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(text);
}

/// The first error of printing to standard output.
pub(super) fn lost() -> Option<io::Error> {
    LOST.lock().unwrap_or_else(|e| e.into_inner()).take()
}

static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// A line on standard output.
macro_rules! outln {
    ($($text:tt)*) => {
        $crate::cli::print::out(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// A line on standard error.
macro_rules! errln {
    ($($text:tt)*) => {
        $crate::cli::print::err(format_args!("{}\n", format_args!($($text)*)))
    };
}

pub(super) use {errln, outln};
