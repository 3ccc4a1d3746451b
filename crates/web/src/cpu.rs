//! The CPU time of a future on a thread that it shares with others.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;

use link::clock::thread_cpu_ns;

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
