//! What becomes of the program when its standard output cannot be written.
//!
//! Rust ignores SIGPIPE, so that a server outlives its clients, and its print
//! macros panic where they cannot print. `tupelo … | head -1` would end in a
//! trace of calls. Here, once for every command: a reader that has seen enough
//! ends the program without a word, as SIGPIPE would; a full disk is an error
//! that is told.

use std::io::ErrorKind;
use std::panic::PanicHookInfo;
use std::process::exit;

/// Takes panics of the print macros out of all others.
pub fn guard() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| match refused(panic) {
        Some(_) if reader_is_gone() => exit(i32::from(ENDED_BY_SIGPIPE)),
        Some(reason) => {
            eprintln!("error: standard output: {reason}");
            exit(2);
        }
        None => usual(panic),
    }));
}

/// The status of a program that SIGPIPE ended, as shells tell it.
pub const ENDED_BY_SIGPIPE: u8 = 128 + libc::SIGPIPE as u8;

/// Why a print macro failed; `None` for any other panic.
fn refused(panic: &PanicHookInfo<'_>) -> Option<String> {
    let text = panic.payload().downcast_ref::<String>()?;
    text.strip_prefix("failed printing to stdout: ")
        .map(str::to_owned)
}

/// Whether an error of writing says that the reader has gone.
pub fn is_closed(error: &std::io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}

/// Whether an error only says that the reader of standard output has gone.
pub fn ended_by_reader(report: &miette::Report) -> bool {
    let broken = |e: &(dyn std::error::Error + 'static)| {
        e.downcast_ref::<std::io::Error>().is_some_and(is_closed)
    };
    report.chain().any(broken) && reader_is_gone()
}

/// Whether standard output is a pipe or socket whose other end is closed.
fn reader_is_gone() -> bool {
    let mut out = libc::pollfd {
        fd: libc::STDOUT_FILENO,
        events: 0,
        revents: 0,
    };
    // SAFETY: the one descriptor lives across the call, which does not wait.
    let told = unsafe { libc::poll(&raw mut out, 1, 0) };
    told == 1 && out.revents & (libc::POLLERR | libc::POLLHUP) != 0
}
