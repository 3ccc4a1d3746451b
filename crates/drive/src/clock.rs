//! The driver's clocks. Times within a run are nanoseconds of the monotonic clock,
//! so a jump of the wall clock does not change a latency.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of the monotonic clock.
#[inline]
pub fn now() -> u64 {
    read(ClockId::Monotonic)
}

/// Nanoseconds of the wall clock since 1970.
pub fn wall() -> u64 {
    read(ClockId::Realtime)
}

/// CPU time the calling thread has used, in nanoseconds.
pub fn thread_cpu() -> u64 {
    read(ClockId::ThreadCPUTime)
}

/// CPU time this process has used, in nanoseconds.
pub fn process_cpu() -> u64 {
    read(ClockId::ProcessCPUTime)
}

#[inline]
fn read(id: ClockId) -> u64 {
    let t = clock_gettime(id);
    (t.tv_sec as u64) * 1_000_000_000 + t.tv_nsec as u64
}
