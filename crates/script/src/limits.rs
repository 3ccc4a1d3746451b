//! What ends a script that does not end by itself.
//!
//! The engine looks here every few thousand steps of a script. What is counted
//! as running away is CPU time between two commands, as for programs (ICVR).
//!
//! Reference: CICS system definition, ICVR and AICA.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Limits of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of an engine: the script and what it makes.
    pub memory_bytes: usize,
    /// Bytes of stack for calls within calls.
    pub stack_bytes: usize,
    /// Milliseconds of CPU time between two commands; 0 for no limit.
    pub runaway_ms: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            memory_bytes: 64 << 20,
            stack_bytes: 512 << 10,
            runaway_ms: 5_000,
        }
    }
}

/// Why a script was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It computed for too long.
    Runaway,
    /// Its task is to end.
    Purged,
}

/// Watches over one request.
#[derive(Debug, Default)]
pub struct Watch {
    purged: RefCell<Arc<AtomicBool>>,
    limit_ns: Cell<u64>,
    /// CPU time of the thread at the last command.
    since_ns: Cell<u64>,
    stopped: Cell<Option<Stop>>,
}

impl Watch {
    /// A request begins.
    pub fn begin(&self, purged: Arc<AtomicBool>, limits: &Limits) {
        *self.purged.borrow_mut() = purged;
        self.limit_ns.set(u64::from(limits.runaway_ms) * 1_000_000);
        self.stopped.set(None);
        self.progress();
    }

    /// A command was served: the script has not run away.
    pub fn progress(&self) {
        self.since_ns.set(thread_cpu_ns());
    }

    /// Whether the script is to be stopped now.
    pub fn check(&self) -> bool {
        if self.purged.borrow().load(Ordering::Relaxed) {
            self.stopped.set(Some(Stop::Purged));
        } else {
            let used = thread_cpu_ns().saturating_sub(self.since_ns.get());
            if self.limit_ns.get() > 0 && used > self.limit_ns.get() {
                self.stopped.set(Some(Stop::Runaway));
            }
        }
        self.stopped.get().is_some()
    }

    /// Whether the task is to end.
    pub fn is_purged(&self) -> bool {
        self.purged.borrow().load(Ordering::Relaxed)
    }

    /// Why the script was stopped.
    pub fn stopped(&self) -> Option<Stop> {
        self.stopped.get()
    }
}

/// CPU time of the calling thread in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a local structure.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
