//! The CPU time of a thread, and what a future takes of it that shares the thread
//! with others.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;

/// CPU time of the calling thread.
pub fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a clock of this system and a place for its time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Drives a future and adds the CPU time of the thread while it runs to `used`.
pub async fn metered<F: Future>(used: &Cell<u64>, future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|cx| {
        let before = thread_cpu_ns();
        let polled = future.as_mut().poll(cx);
        used.set(used.get() + thread_cpu_ns().saturating_sub(before));
        polled
    })
    .await
}
