//! The end of the program when its standard output cannot be written.
//!
//! Rust ignores SIGPIPE, so that a server outlives its clients, and its print macros panic
//! when they cannot print. `tupelo … | head -1` would end in a backtrace. This module
//! handles that for every command: a closed pipe ends the program silently, as SIGPIPE
//! would; a full disk is reported as an error. A command prints with the macros, or writes to
//! standard output and returns the error with its cause, without examining it.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::panic::PanicHookInfo;
use std::process::exit;

use miette::Report;

/// Arguments that contradict each other, or a value that no command accepts, which the
/// command line's parser cannot detect.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{message}")]
pub struct WrongUsage {
    message: String,
    #[help]
    help: Option<String>,
}

/// An error of usage; the program ends with 64.
pub fn wrong_usage(message: impl Into<String>, help: Option<&str>) -> Report {
    let (message, help) = (message.into(), help.map(str::to_owned));
    Report::new(WrongUsage { message, help })
}

/// Standard output could not be written.
#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written")]
pub struct StdoutError(#[source] pub io::Error);

/// Handles panics of the print macros separately from all others.
pub fn guard() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| match refused(panic) {
        Some(unwritten) => exit(report_failure(&Report::from_err(unwritten)).into()),
        None => usual(panic),
    }));
}

/// Prints why a command could not run, unless its reader closed the pipe, and returns the
/// exit status.
pub fn report_failure(report: &Report) -> u8 {
    let broken = |e: &(dyn Error + 'static)| {
        e.downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == ErrorKind::BrokenPipe)
    };
    if report.chain().any(broken) && reader_is_gone() {
        return ENDED_BY_SIGPIPE;
    }
    eprintln!("{report:?}");
    if report.downcast_ref::<WrongUsage>().is_some() {
        return WRONG_USAGE;
    }
    COULD_NOT_RUN
}

/// Why a print macro failed; `None` for any other panic. The macros report only the text of
/// the error.
fn refused(panic: &PanicHookInfo<'_>) -> Option<StdoutError> {
    let text = panic.payload().downcast_ref::<String>()?;
    let reason = text.strip_prefix("failed printing to stdout: ")?;
    let kind = if reader_is_gone() {
        ErrorKind::BrokenPipe
    } else {
        ErrorKind::Other
    };
    Some(StdoutError(io::Error::new(kind, reason)))
}

/// Whether standard output is a pipe or socket whose other end is closed.
fn reader_is_gone() -> bool {
    let mut out = libc::pollfd {
        fd: libc::STDOUT_FILENO,
        events: 0,
        revents: 0,
    };
    // SAFETY: the one descriptor lives across the call, which does not wait.
    let ready = unsafe { libc::poll(&raw mut out, 1, 0) };
    ready == 1 && out.revents & (libc::POLLERR | libc::POLLHUP) != 0
}

/// The status of a program that SIGPIPE ended, as shells report it.
const ENDED_BY_SIGPIPE: u8 = 128 + libc::SIGPIPE as u8;

/// The status of a command that could not run.
const COULD_NOT_RUN: u8 = 2;

/// The status of a command whose arguments contradict each other (sysexits.h).
const WRONG_USAGE: u8 = 64;
