//! Sleeping and waking on a word of shared memory.
//!
//! The words are in memory shared between processes, so the private form of
//! the system call does not apply. Reference: futex(2).

use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Sleeps while the word holds `expected`, at most for `timeout`.
///
/// Returns early when woken, on a signal, or at once when the word differs;
/// the caller reads the word again in every case.
pub fn wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) {
    let spec = timeout.map(|t| libc::timespec {
        tv_sec: t.as_secs().min(i64::MAX as u64) as libc::time_t,
        tv_nsec: t.subsec_nanos() as libc::c_long,
    });
    let spec_ptr = spec
        .as_ref()
        .map_or(std::ptr::null(), |s| s as *const libc::timespec);
    // SAFETY: the word outlives the call and the timespec is valid or null.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            expected,
            spec_ptr,
            std::ptr::null::<u32>(),
            0,
        );
    }
}

/// Wakes one sleeper on the word.
pub fn wake(word: &AtomicU32) {
    wake_up_to(word, 1);
}

/// Wakes every thread that sleeps on the word.
pub fn wake_all(word: &AtomicU32) {
    wake_up_to(word, i32::MAX);
}

fn wake_up_to(word: &AtomicU32, sleepers: i32) {
    // SAFETY: the word outlives the call.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE,
            sleepers,
            std::ptr::null::<libc::timespec>(),
            std::ptr::null::<u32>(),
            0,
        );
    }
}
