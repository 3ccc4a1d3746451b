//! CPU time by task, without a system call for each.
//!
//! Reading a thread's CPU clock costs as much as a brief program, so of tasks
//! known to be brief one in [`EVERY`] is read and the others are given the time
//! they took, with what a task costs beside its own time as it was last
//! measured. A task that took long is always read: the time may have been
//! somebody else's. What was given too much or too little goes to the next task
//! that is read, so sums are those of the clock.

use crate::clock::thread_cpu_ns;

/// CPU time of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTime {
    /// Nanoseconds.
    pub ns: u64,
    /// It was given by the time that the task took, not read from the clock.
    pub estimated: bool,
}

/// Accounts the calling thread's CPU time to its tasks, one after the other.
pub struct CpuMeter {
    clock: fn() -> u64,
    read_ns: u64,
    /// Given to tasks since, and the time that they took.
    given_ns: u64,
    took_ns: u64,
    tasks: u64,
    /// What a task costs beside the time that it took; unknown at first.
    beside_ns: Option<u64>,
}

impl CpuMeter {
    /// The time until now is nobody's.
    pub fn new() -> Self {
        CpuMeter::with_clock(thread_cpu_ns)
    }

    fn with_clock(clock: fn() -> u64) -> Self {
        CpuMeter {
            clock,
            read_ns: clock(),
            given_ns: 0,
            took_ns: 0,
            tasks: 0,
            beside_ns: None,
        }
    }

    /// CPU time of the task that ended now and took `took_ns` without its
    /// waits. `brief`: its program is known to be.
    pub fn task(&mut self, brief: bool, took_ns: u64) -> CpuTime {
        self.tasks += 1;
        self.took_ns += took_ns;
        if let Some(beside) = self.beside_ns
            && brief
            && took_ns < LONGEST_NS
            && self.tasks < EVERY
        {
            self.given_ns += took_ns + beside;
            return CpuTime {
                ns: took_ns + beside,
                estimated: true,
            };
        }
        let now = (self.clock)();
        let used = now - std::mem::replace(&mut self.read_ns, now);
        // Less CPU than time: somebody else ran meanwhile, which tells nothing.
        if let Some(beside) = used.checked_sub(self.took_ns) {
            let beside = beside / self.tasks;
            self.beside_ns = Some(self.beside_ns.map_or(beside, |old| (3 * old + beside) / 4));
        }
        let rest = used.saturating_sub(self.given_ns);
        self.given_ns = self.given_ns.saturating_sub(used);
        (self.tasks, self.took_ns) = (0, 0);
        CpuTime {
            ns: rest,
            estimated: false,
        }
    }
}

/// One in so many brief tasks is read.
const EVERY: u64 = 8;
/// A task that took longer is read.
const LONGEST_NS: u64 = 50_000;

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        static USED: Cell<u64> = const { Cell::new(0) };
    }

    fn meter() -> CpuMeter {
        CpuMeter::with_clock(|| USED.get())
    }

    #[test]
    fn sums_are_those_of_the_clock() {
        let mut meter = meter();
        let mut sum = 0;
        for i in 0..8000u64 {
            let took = 2000 + i % 700;
            USED.set(USED.get() + took + 400 + i % 90);
            sum += meter.task(true, took).ns;
        }
        let off = sum.abs_diff(USED.get());
        assert!(off < 8 * 4000, "{sum} of {}", USED.get());
    }

    #[test]
    fn what_was_not_read_from_the_clock_is_said_to_be_estimated() {
        let mut meter = meter();
        let mut estimated = |brief| {
            USED.set(USED.get() + 2400);
            meter.task(brief, 2000).estimated
        };
        assert!(!estimated(true), "nothing to estimate by yet");
        assert!(estimated(true));
        assert!(!estimated(false), "only brief tasks are estimated");
        let estimates = (0..16).filter(|_| estimated(true)).count();
        assert_eq!(estimates, 14);
    }

    #[test]
    fn a_task_that_was_displaced_is_not_given_the_time_of_others() {
        let mut meter = meter();
        for took in [2000, 3_000_000, 2000] {
            USED.set(USED.get() + 2400);
            assert_eq!(meter.task(true, took).ns, 2400);
        }
    }
}
