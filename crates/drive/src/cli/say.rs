//! Printing that outlives its reader: `tupelo drive … | head` ends with a
//! report, not with a panic. What cannot be printed for another reason (a full
//! disk behind a redirection) is told once and makes the exit status 2.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints to standard output.
pub(super) fn out(text: Arguments<'_>) {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_fmt(text).and_then(|()| stdout.flush());
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
        && !LOST.swap(true, Ordering::Relaxed)
    {
        err(format_args!("error: standard output: {error}\n"));
    }
}

/// Prints to standard error; there is nobody to tell when that fails.
pub(super) fn err(text: Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(text);
}

/// Whether something could not be printed although somebody waits for it.
pub(super) fn lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

static LOST: AtomicBool = AtomicBool::new(false);

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
