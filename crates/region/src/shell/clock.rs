//! The region's clock: nanoseconds of the monotonic clock, which workers read
//! too, so that times of both sides compare.

use std::fs::File;
use std::io::Read;

use link::clock::read;

pub use link::clock::monotonic_ns as now_ns;

/// Nanoseconds between 1970 and the zero of the monotonic clock.
pub fn unix_offset_ns() -> u64 {
    read(libc::CLOCK_REALTIME).saturating_sub(now_ns())
}

/// Seconds that local time is ahead of UTC, at an instant in seconds since
/// 1970.
pub fn zone_s(unix_s: i64) -> i64 {
    // SAFETY: a zeroed structure is a valid value, and both are our own.
    unsafe {
        let mut local: libc::tm = std::mem::zeroed();
        libc::localtime_r(&unix_s, &mut local);
        local.tm_gmtoff
    }
}

/// CPU time that a process has used, in nanoseconds; 0 when it has ended.
pub fn process_cpu_ns(pid: libc::pid_t) -> u64 {
    let mut clock: libc::clockid_t = 0;
    // SAFETY: the clock id is written by the call.
    match unsafe { libc::clock_getcpuclockid(pid, &mut clock) } {
        0 => read(clock),
        _ => 0,
    }
}

/// True when a process runs or waits for nothing but a processor.
pub fn is_runnable(pid: libc::pid_t) -> bool {
    // The fields after the state are not read: each read is a system call.
    let mut stat = [0; 64];
    let read = File::open(format!("/proc/{pid}/stat")).and_then(|mut file| file.read(&mut stat));
    let stat = &stat[..read.unwrap_or(0)];
    // The state follows the name, which may hold anything but ends with the
    // last parenthesis.
    let name_end = stat.iter().rposition(|&b| b == b')');
    name_end.and_then(|at| stat.get(at + 2)).copied() == Some(b'R')
}
