//! SIGINT and SIGTERM as a request to end in an orderly way.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

/// Time that work in progress may take after a signal.
pub const GRACE: Duration = Duration::from_secs(2);

static SEEN: AtomicBool = AtomicBool::new(false);
/// An event counter that wakes a waiting thread on a signal; -1 when none waits.
static EVENT: AtomicI32 = AtomicI32::new(-1);

/// From now on the first SIGINT or SIGTERM is only recorded. A second one ends the
/// program.
pub fn heed() {
    extern "C" fn note(signal: libc::c_int) {
        SEEN.store(true, Ordering::Relaxed);
        let one = 1u64.to_ne_bytes();
        // SAFETY: write() and signal() may be called in a handler; `one` lives
        // longer than the call, and a descriptor of -1 has no effect.
        unsafe {
            libc::write(EVENT.load(Ordering::Relaxed), one.as_ptr().cast(), one.len());
            libc::signal(signal, libc::SIG_DFL);
        }
    }
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the handler stores to an atomic and calls only async-signal-safe functions.
        unsafe { libc::signal(signal, note as extern "C" fn(libc::c_int) as libc::sighandler_t) };
    }
}

/// As [`heed`], and `give_up` is called if the program still runs [`GRACE`] after the
/// signal.
pub fn heed_within_grace(give_up: impl FnOnce() + Send + 'static) {
    // SAFETY: eventfd() takes no pointers.
    let event = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
    EVENT.store(event, Ordering::Relaxed);
    heed();
    std::thread::spawn(move || {
        let mut count = [0u8; 8];
        while !seen() {
            // SAFETY: `count` has room for the eight bytes that are read.
            let read = unsafe { libc::read(event, count.as_mut_ptr().cast(), count.len()) };
            // Without the counter only the second signal ends the program.
            if read < 0 && std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
                return;
            }
        }
        std::thread::sleep(GRACE);
        give_up();
    });
}

/// Whether a signal has arrived.
pub fn seen() -> bool {
    SEEN.load(Ordering::Relaxed)
}
