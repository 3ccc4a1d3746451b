//! The clocks that a region, its workers and its doors measure with.
//!
//! Both sides of a link read the same monotonic clock, so that instants in the
//! memory between them compare.

/// Nanoseconds of the monotonic clock.
#[inline]
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// CPU time of the calling thread in nanoseconds.
#[inline]
pub fn thread_cpu_ns() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Nanoseconds of a clock of the system; 0 of one that is not there, as that of a
/// process that has ended.
#[inline]
pub fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes a local structure; on an error it stays zero.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_go_on_and_one_that_is_not_there_stands() {
        let (wall, cpu) = (monotonic_ns(), thread_cpu_ns());
        assert!(cpu > 0);
        while thread_cpu_ns() == cpu {}
        assert!(monotonic_ns() > wall);
        assert_eq!(read(libc::clockid_t::MAX), 0);
    }
}
