//! What becomes of the program when its standard output cannot be written.
//!
//! Rust ignores SIGPIPE, so that a server outlives its clients, and its print
//! macros panic where they cannot print. `tupelo … | head -1` would end in a
//! trace of calls. Here, once for every command: a reader that has seen enough
//! ends the program without a word, as SIGPIPE would; a full disk is an error
//! that is told. A command prints with the macros, or writes to standard output
//! and passes the error on with its cause; it never judges it.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::panic::PanicHookInfo;
use std::process::exit;

use miette::Report;

/// Arguments that do not go together, or a value that no command takes: what the
/// parser of the command line cannot see.
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

/// Standard output took no more.
#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written")]
pub struct StdoutError(#[source] pub io::Error);

/// Takes panics of the print macros out of all others.
pub fn guard() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| match refused(panic) {
        Some(unwritten) => exit(report_failure(&Report::from_err(unwritten)).into()),
        None => usual(panic),
    }));
}

/// Tells why a command could not run, unless it only lost its reader, and gives
/// the exit status.
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

/// Why a print macro failed; `None` for any other panic. The macros keep no
/// more than the text of the error.
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
    let told = unsafe { libc::poll(&raw mut out, 1, 0) };
    told == 1 && out.revents & (libc::POLLERR | libc::POLLHUP) != 0
}

/// The status of a program that SIGPIPE ended, as shells tell it.
const ENDED_BY_SIGPIPE: u8 = 128 + libc::SIGPIPE as u8;

/// The status of a command that could not do its work.
const COULD_NOT_RUN: u8 = 2;

/// The status of a command whose arguments do not go together (sysexits.h).
const WRONG_USAGE: u8 = 64;
