//! Ctrl-C and SIGTERM: a wish to stop that every wait looks for.
//!
//! SIGTERM is how a container or a service manager ends a run; the report is
//! written then, too.
//!
//! What waits inside of the system (a name server, a handshake, an endpoint
//! that does not answer) cannot look for it. That waits in a thread of its own,
//! which is left behind when nobody wants its result any more.

use super::CliError;
use super::say::tell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// A wish to stop that Ctrl-C or SIGTERM expresses; the second Ctrl-C ends the
/// process.
pub(super) fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    // Where no handler can be installed, Ctrl-C ends the run without a report.
    let _ = ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::AcqRel) {
            std::process::exit(2);
        }
        tell!("\nstopping; once more to leave without a report");
    });
    let asked = stop.clone();
    // SAFETY: a store to an atomic is safe in a signal's handler.
    let _ = unsafe {
        signal_hook_registry::register(libc::SIGTERM, move || {
            asked.store(true, Ordering::Release);
        })
    };
    stop
}

/// Does `work` unless the wish to stop comes first.
pub(super) fn unless<T: Send + 'static>(
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CliError> {
    let (sender, receiver) = channel();
    let worker = thread::spawn(move || {
        // Whoever waited may have gone.
        let _ = sender.send(work());
    });
    while !stop.load(Ordering::Relaxed) {
        match receiver.recv_timeout(GLANCE) {
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

/// How often a wish to stop is looked for.
const GLANCE: Duration = Duration::from_millis(20);

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
            // Nobody sends before the test is over.
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
