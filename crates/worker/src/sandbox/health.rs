//! Whether a worker is still fit for another task.
//!
//! A program can leave memory resident and descriptors open. The worker looks
//! after tasks that took long, and now and then after short ones, and retires
//! when it holds more than it should: a new process costs milliseconds, once.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

use super::limits::page_bytes;

/// Short tasks between two looks.
const EVERY: u32 = 256;
/// Nanoseconds of a task that is looked after at once.
const LONG_NS: u64 = 500_000;
/// Descriptors that may be open in addition to the worker's own and its modules'.
const SPARE_DESCRIPTORS: i32 = 64;

/// The figures by which a worker judges itself. Made before the sandbox is entered, since it
/// keeps a file of the system open.
pub struct HealthCheck {
    statm: File,
    page_bytes: u64,
    /// Bytes of its own memory above which it retires; 0 for no bound.
    resident_bytes: u64,
    /// The lowest free descriptor when it had none but its own.
    free: i32,
    tasks: u32,
}

impl HealthCheck {
    /// The state of a worker that has not run anything yet.
    pub fn new(resident_bytes: u64) -> io::Result<HealthCheck> {
        let statm = File::open("/proc/self/statm")?;
        Ok(HealthCheck {
            page_bytes: page_bytes(),
            resident_bytes,
            free: lowest_free(&statm)?,
            statm,
            tasks: 0,
        })
    }

    /// Why the worker shall end, after a task of `took_ns`. Returns `None` when the worker
    /// is fit, or was not checked. `modules` are descriptors that loaded
    /// modules hold.
    pub fn after_task(&mut self, took_ns: u64, modules: usize) -> Option<String> {
        self.tasks += 1;
        if took_ns < LONG_NS && self.tasks < EVERY {
            return None;
        }
        self.tasks = 0;
        self.check(modules)
    }

    fn check(&self, modules: usize) -> Option<String> {
        let allowed = self.free + modules as i32 + SPARE_DESCRIPTORS;
        match lowest_free(&self.statm) {
            Ok(free) if free <= allowed => {}
            Ok(free) => {
                return Some(format!(
                    "its programs left {} descriptors open",
                    free - self.free
                ));
            }
            Err(error) => return Some(format!("its programs left no descriptor free: {error}")),
        }
        if self.resident_bytes == 0 || self.own_bytes()? <= self.resident_bytes {
            return None;
        }
        // SAFETY: gives free memory of this process back.
        unsafe { libc::malloc_trim(0) };
        let bytes = self.own_bytes()?;
        let mib = bytes >> 20;
        (bytes > self.resident_bytes).then(|| format!("its programs left {mib} MiB in memory"))
    }

    /// Bytes of memory that are this process's alone.
    fn own_bytes(&self) -> Option<u64> {
        let mut text = [0u8; 128];
        let n = self.statm.read_at(&mut text, 0).ok()?;
        let text = std::str::from_utf8(&text[..n]).ok()?;
        let mut fields = text
            .split_whitespace()
            .map(|f| f.parse::<u64>().unwrap_or(0));
        let (resident, shared) = (fields.nth(1)?, fields.next()?);
        Some(resident.saturating_sub(shared) * self.page_bytes)
    }
}

/// The number that the next descriptor gets.
fn lowest_free(any: &File) -> io::Result<i32> {
    // SAFETY: duplicates a descriptor of this process; the result is checked.
    let raw = unsafe { libc::fcntl(any.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor, closed at once.
    drop(unsafe { OwnedFd::from_raw_fd(raw) });
    Ok(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_task_is_checked_at_once_and_short_ones_now_and_then() {
        let mut health = HealthCheck::new(1).unwrap();
        // A test's process is larger than a byte.
        assert!(health.after_task(LONG_NS, 0).is_some());
        let looks = (0..EVERY).filter(|_| health.after_task(1, 0).is_some());
        assert_eq!(looks.count(), 1);
    }

    #[test]
    fn a_worker_within_its_bounds_is_fit() {
        let mut health = HealthCheck::new(1 << 40).unwrap();
        assert_eq!(health.after_task(LONG_NS, 0), None);
    }

    #[test]
    fn descriptors_left_open_are_found() {
        let mut health = HealthCheck::new(0).unwrap();
        let leak: Vec<File> = (0..SPARE_DESCRIPTORS + 40)
            .map(|_| health.statm.try_clone().unwrap())
            .collect();
        let why = health.after_task(LONG_NS, 0).unwrap();
        assert!(why.contains("descriptors"), "{why}");
        assert_eq!(health.after_task(LONG_NS, leak.len()), None);
    }
}
