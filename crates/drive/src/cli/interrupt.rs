//! Ctrl-C and SIGTERM set a stop flag that every wait checks.
//!
//!
//! SIGTERM is how a container or a service manager ends a run; the report is
//! written then, too.
//!
//!
//! A system call that blocks (a name lookup, a handshake, an endpoint that does not
//! answer) cannot check the flag. It runs in a separate thread, which is abandoned
//! when its result is no longer needed.

use super::CliError;
use super::print::errln;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Installs the handlers and returns the stop flag. The second Ctrl-C ends the
/// process.
pub(super) fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    // If no handler can be installed, Ctrl-C ends the run without a report.
    let _ = ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::AcqRel) {
            std::process::exit(2);
        }
        errln!("\nstopping; press Ctrl-C again to leave without a report");
    });
    let asked = stop.clone();
    // SAFETY: a store to an atomic is safe in a signal handler.
    let _ = unsafe {
        signal_hook_registry::register(libc::SIGTERM, move || {
            asked.store(true, Ordering::Release);
        })
    };
    stop
}

/// Runs `work` unless the stop flag is set first.
pub(super) fn unless<T: Send + 'static>(
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CliError> {
    let (sender, receiver) = channel();
    let worker = thread::spawn(move || {
        // The receiver may have stopped waiting.
        let _ = sender.send(work());
    });
    while !stop.load(Ordering::Relaxed) {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("work that ends well sends its result"),
            },
        }
    }
    Err(CliError::Interrupted)
}

/// Interval of checking the stop flag.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_with_the_request_to_stop_and_not_with_what_it_waits_for() {
        let stop = Arc::new(AtomicBool::new(false));
        let (done, wait) = channel::<()>();
        let wish = stop.clone();
        let ended = unless(&stop, move || {
            wish.store(true, Ordering::Relaxed);
            // The channel stays empty until the end of the test.
            wait.recv()
        });
        assert!(matches!(ended, Err(CliError::Interrupted)));
        drop(done);
    }

    #[test]
    fn work_that_ends_is_handed_over() {
        let stop = AtomicBool::new(false);
        assert_eq!(unless(&stop, || 7).unwrap(), 7);
    }
}
