//! CPU time by task, without a system call for each.
//!
//! Reading a thread's CPU clock costs as much as a brief program. Of tasks known
//! to be brief one in [`EVERY`] is read. The others are given their elapsed time
//! plus the overhead of a task as last measured. A task that took long is always
//! read: other threads may have run in that time. Time that was given too much or too
//! little is spread over the next tasks in proportion to their own time, so sums
//! are those of the clock and no task is given zero.
//!
//! A worker without a task wakes its door, checks for the next task and sleeps. No task
//! is charged for that: its CPU time would exceed its response time otherwise. So the
//! first task after a sleep is measured by itself, from where the thread continues.
//!
//! A figure is measured where the clock was read before the task and after it,
//! with nothing estimated between. Every other figure is an estimate, also that of a
//! task after which the clock was read for several tasks together.

use crate::clock::thread_cpu_ns;

/// CPU time of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTime {
    /// Nanoseconds.
    pub ns: u64,
    /// Derived from elapsed time, not read from the clock.
    pub estimated: bool,
}

/// Accounts the calling thread's CPU time to its tasks, one after the other.
pub struct CpuMeter {
    clock: fn() -> u64,
    read_ns: u64,
    /// Given to tasks since, as estimated, the time that they took, and how many they
    /// were.
    given_ns: u64,
    took_ns: u64,
    tasks: u64,
    /// Time that the clock counted and no task was given yet; below zero for time that was
    /// given too much.
    owed_ns: i64,
    /// CPU time of a task in addition to its elapsed time; unknown at first.
    overhead_ns: Option<u64>,
    /// The task is the first after a sleep.
    first: bool,
}

impl CpuMeter {
    /// The time until now is charged to no task.
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
            owed_ns: 0,
            overhead_ns: None,
            first: false,
        }
    }

    /// A task begins. One that is not known to be brief is measured by itself, and so is
    /// one for which the worker waited.
    pub fn begin(&mut self, brief: bool, waited: bool) {
        self.first = waited;
        if waited {
            // The estimate is final: the clock has counted more since.
            self.read_ns = (self.clock)();
            (self.given_ns, self.tasks, self.took_ns) = (0, 0, 0);
        } else if !brief && self.tasks > 0 {
            let used = self.read();
            self.owed_ns += used as i64 - self.given_ns as i64;
            self.given_ns = 0;
        }
    }

    /// CPU time of the task that ended now and took `took_ns` without its
    /// waits. `brief`: its program is known to be.
    pub fn task(&mut self, brief: bool, took_ns: u64) -> CpuTime {
        self.tasks += 1;
        self.took_ns += took_ns;
        if let Some(overhead) = self.overhead_ns
            && brief
            && !self.first
            && took_ns < LONGEST_NS
            && self.tasks < EVERY
        {
            self.given_ns += took_ns + overhead;
            let ns = self.corrected(took_ns + overhead);
            return CpuTime {
                ns,
                estimated: true,
            };
        }
        let alone = self.tasks == 1;
        let used = self.read();
        if alone {
            return CpuTime {
                ns: used,
                estimated: false,
            };
        }
        // The other tasks keep the time that they were given; the rest is this
        // task's, as far as it fits its elapsed time.
        self.owed_ns += used as i64 - self.given_ns as i64;
        self.given_ns = 0;
        let likely = (took_ns + self.overhead_ns.unwrap_or(0)).min(used);
        self.owed_ns -= likely as i64;
        let ns = self.corrected(likely);
        CpuTime {
            ns,
            estimated: true,
        }
    }

    /// The time since the clock was read last.
    fn read(&mut self) -> u64 {
        let now = (self.clock)();
        let used = now - std::mem::replace(&mut self.read_ns, now);
        // Less CPU than elapsed time: another thread ran, so the overhead is unknown.
        if let Some(overhead) = used.checked_sub(self.took_ns) {
            let overhead = overhead / self.tasks.max(1);
            self.overhead_ns = Some(
                self.overhead_ns
                    .map_or(overhead, |old| (3 * old + overhead) / 4),
            );
        }
        (self.tasks, self.took_ns) = (0, 0);
        used
    }

    /// The estimate with the owed time, as far as that is in proportion to it.
    fn corrected(&mut self, ns: u64) -> u64 {
        let own = ns as i64;
        let more = self.owed_ns.clamp(-own * 3 / 4, own);
        self.owed_ns -= more;
        (own + more) as u64
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
    fn cpu_time_that_was_not_read_from_the_clock_is_marked_as_estimated() {
        let mut meter = meter();
        let mut estimated = |brief| {
            meter.begin(brief, false);
            USED.set(USED.get() + 2400);
            meter.task(brief, 2000).estimated
        };
        assert!(!estimated(true), "nothing to estimate by yet");
        assert!(estimated(true));
        assert!(!estimated(false), "only brief tasks are estimated");
        // The clock is read after one in eight of them, for all eight together.
        let estimates = (0..16).filter(|_| estimated(true)).count();
        assert_eq!(estimates, 16);
    }

    #[test]
    fn a_task_that_is_not_brief_is_measured_by_itself() {
        let mut meter = meter();
        for took in [2000, 2000, 2000] {
            meter.begin(true, false);
            USED.set(USED.get() + 9000);
            meter.task(true, took);
        }
        meter.begin(false, false);
        USED.set(USED.get() + 70_000);
        let own = CpuTime {
            ns: 70_000,
            estimated: false,
        };
        assert_eq!(meter.task(false, 60_000), own);
    }

    #[test]
    fn what_a_worker_does_between_two_tasks_while_it_waits_is_no_tasks() {
        for brief in [false, true] {
            let mut meter = meter();
            for _ in 0..20 {
                // The door is woken, the thread sleeps and is woken.
                USED.set(USED.get() + 30_000);
                meter.begin(brief, true);
                USED.set(USED.get() + 2400);
                let own = CpuTime {
                    ns: 2400,
                    estimated: false,
                };
                assert_eq!(meter.task(brief, 2000), own);
                // Tasks from before: estimated, if they are brief.
                for _ in 0..3 {
                    meter.begin(brief, false);
                    USED.set(USED.get() + 2400);
                    assert_eq!(meter.task(brief, 2000).ns, 2400);
                }
            }
        }
    }

    #[test]
    fn no_task_costs_nothing_and_none_far_more_than_it_took() {
        // Other threads take half of the time, in bursts, as on a busy machine.
        let mut meter = meter();
        let (mut given, mut used) = (0, 0);
        for i in 0..4000u64 {
            let own = 2000 + i % 300;
            let took = own + if i % 5 < 2 { 9000 } else { 0 };
            used += own + 400;
            USED.set(USED.get() + own + 400);
            meter.begin(true, false);
            let given_ns = meter.task(true, took).ns;
            assert!(given_ns > 300, "task {i}: {given_ns} ns");
            assert!(
                given_ns <= 2 * (took + 2000),
                "task {i}: {given_ns} of {took} ns"
            );
            given += given_ns;
        }
        assert!(given.abs_diff(used) < used / 50, "{given} of {used}");
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
