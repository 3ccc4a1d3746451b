//! Printing that outlives its reader: `tupelo drive … | head` still presents
//! its whole load and writes its files. What could not be printed is kept, and
//! handed to the caller at the end.

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

/// Prints to standard error; there is nobody to tell when that fails.
pub(super) fn err(text: Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(text);
}

/// Why something could not be printed, the first time it happened.
pub(super) fn lost() -> Option<io::Error> {
    LOST.lock().unwrap_or_else(|e| e.into_inner()).take()
}

static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// A line on standard output.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::cli::say::out(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// A line on standard error.
macro_rules! tell {
    ($($text:tt)*) => {
        $crate::cli::say::err(format_args!("{}\n", format_args!($($text)*)))
    };
}

pub(super) use {say, tell};
