//! Limits that end a script that does not end by itself.
//!
//! The engine checks them every few thousand steps of a script. The same check lets
//! other scripts of the thread run when one computes for long. The runaway
//! time is CPU time between two commands, as for programs (ICVR).
//!
//! Reference: CICS system definition, ICVR and AICA.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use link::clock::thread_cpu_ns;

use crate::fiber;
use crate::overdue;

/// Limits of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of an engine: the script and its data.
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
pub enum StopReason {
    /// The script computed for too long.
    Runaway,
    /// Its task is to end.
    Purged,
}

/// Nanoseconds that a script may run at a stretch while others of its thread
/// wait.
const SLICE_NS: u64 = 300_000;

/// Watches over one request.
#[derive(Debug)]
pub struct RequestWatch {
    purged: RefCell<Arc<AtomicBool>>,
    limit_ns: Cell<u64>,
    /// CPU time of the thread at the first look since the last command; none
    /// before that.
    since_ns: Cell<Option<u64>>,
    stopped: Cell<Option<StopReason>>,
    /// When the script got its thread.
    entered: Cell<Instant>,
    /// When it left it, while it waits.
    left: Cell<Option<Instant>>,
    used_ns: Cell<u64>,
    longest_ns: Cell<u64>,
}

impl Default for RequestWatch {
    fn default() -> RequestWatch {
        RequestWatch {
            purged: RefCell::default(),
            limit_ns: Cell::new(0),
            since_ns: Cell::new(None),
            stopped: Cell::new(None),
            entered: Cell::new(Instant::now()),
            left: Cell::new(None),
            used_ns: Cell::new(0),
            longest_ns: Cell::new(0),
        }
    }
}

impl RequestWatch {
    /// A request begins.
    pub fn begin(&self, purged: Arc<AtomicBool>, limits: &Limits) {
        *self.purged.borrow_mut() = purged;
        self.limit_ns.set(u64::from(limits.runaway_ms) * 1_000_000);
        self.stopped.set(None);
        self.used_ns.set(0);
        self.longest_ns.set(0);
        self.entered.set(Instant::now());
        self.progress();
    }

    /// A command was served: the script has not run away.
    pub fn progress(&self) {
        self.since_ns.set(None);
    }

    /// The script gets its thread.
    pub fn entered(&self) {
        self.left.set(None);
        self.entered.set(Instant::now());
    }

    /// The script leaves its thread, for a while or at its end.
    pub fn left(&self) {
        let now = Instant::now();
        self.left.set(Some(now));
        let ns = now.duration_since(self.entered.get()).as_nanos() as u64;
        self.used_ns.set(self.used_ns.get() + ns);
        self.longest_ns.set(self.longest_ns.get().max(ns));
    }

    /// How long the script has been without its thread; nothing while it has it.
    pub fn has_waited(&self, now: Instant) -> Duration {
        let left = self.left.get();
        left.map_or(Duration::ZERO, |at| now.saturating_duration_since(at))
    }

    /// CPU time between two commands that is too much; 0 for no limit.
    pub fn limit_ns(&self) -> u64 {
        self.limit_ns.get()
    }

    /// How long the script has had its thread, which it has now.
    pub fn used_ns(&self) -> u64 {
        self.used_ns.get() + self.entered.get().elapsed().as_nanos() as u64
    }

    /// The longest that it had its thread at a stretch.
    pub fn longest_ns(&self) -> u64 {
        self.longest_ns.get()
    }

    /// Whether the script is to be stopped now. Others of its thread may run
    /// before this returns.
    pub fn check(&self) -> bool {
        overdue::step();
        let now = thread_cpu_ns();
        let since = self.since_ns.get().unwrap_or(now);
        self.since_ns.set(Some(since));
        if self.is_purged() {
            self.stopped.set(Some(StopReason::Purged));
        } else if self.limit_ns.get() > 0 && now.saturating_sub(since) > self.limit_ns.get() {
            self.stopped.set(Some(StopReason::Runaway));
        }
        let stopped = self.stopped.get().is_some();
        if !stopped && self.entered.get().elapsed().as_nanos() as u64 > SLICE_NS {
            fiber::pause();
            // CPU time of other scripts does not count.
            self.since_ns.set(Some(since + (thread_cpu_ns() - now)));
        }
        stopped
    }

    /// Whether the task is to end.
    pub fn is_purged(&self) -> bool {
        self.purged.borrow().load(Ordering::Relaxed)
    }

    /// Why the script was stopped.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped.get()
    }
}
