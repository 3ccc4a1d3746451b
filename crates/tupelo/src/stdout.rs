//! When the reader of standard output has seen enough: `tupelo … | head`.
//!
//! The standard library ignores SIGPIPE, and its printing macros panic when
//! the pipe is closed. A closed pipe is no fault of ours and not worth a
//! message: the process ends quietly, wherever it was printing.

use std::io::{Error, ErrorKind};
use std::panic;
use std::process;

/// Makes printing into a closed pipe the quiet end of the process.
pub fn end_quietly_when_closed() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>();
        let text = text.map_or("", String::as_str);
        if text.starts_with("failed printing to stdout") && text.contains("os error 32") {
            process::exit(0);
        }
        usual(info);
    }));
}

/// Whether an error says that the reader is gone.
pub fn is_closed(error: &Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}
