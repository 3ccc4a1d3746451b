//! SIGINT and SIGTERM as a request to end in good order.

use std::sync::atomic::{AtomicBool, Ordering};

static SEEN: AtomicBool = AtomicBool::new(false);

/// From now on the first SIGINT or SIGTERM is only noted. A second one ends the
/// program.
pub fn heed() {
    extern "C" fn note(signal: libc::c_int) {
        SEEN.store(true, Ordering::Relaxed);
        // SAFETY: signal() may be called in a handler.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the handler stores to an atomic and calls what a handler may.
        unsafe { libc::signal(signal, note as extern "C" fn(libc::c_int) as libc::sighandler_t) };
    }
}

/// Whether one has come.
pub fn seen() -> bool {
    SEEN.load(Ordering::Relaxed)
}
