//! A processor: one job at a time; link work first, then the rest, each in order of
//! arrival.
//!
//! Nothing is interrupted: a job that has begun runs to its end, and has its
//! effect then. An adapter without its own transfer can stall the processor
//! until a frame has left.

use std::collections::VecDeque;

/// A processor and its queue.
#[derive(Debug)]
pub(super) struct SimulatedCpu<J> {
    urgent: VecDeque<(u64, J)>,
    queue: VecDeque<(u64, J)>,
    current: Option<J>,
    stalled: bool,
    busy_ns: u64,
}

impl<J> SimulatedCpu<J> {
    /// An idle processor.
    pub(super) fn new() -> SimulatedCpu<J> {
        SimulatedCpu {
            urgent: VecDeque::new(),
            queue: VecDeque::new(),
            current: None,
            stalled: false,
            busy_ns: 0,
        }
    }

    /// Adds a job that takes `cost_ns`.
    pub(super) fn submit(&mut self, cost_ns: u64, job: J) {
        self.queue.push_back((cost_ns, job));
    }

    /// Adds a job before those that are not urgent.
    pub(super) fn submit_urgent(&mut self, cost_ns: u64, job: J) {
        self.urgent.push_back((cost_ns, job));
    }

    /// Begins the next job if there is one and nothing is in the way. Returns
    /// how long it takes.
    pub(super) fn begin(&mut self) -> Option<u64> {
        if self.stalled || self.current.is_some() {
            return None;
        }
        let next = self.urgent.pop_front().or_else(|| self.queue.pop_front());
        let (cost_ns, job) = next?;
        self.current = Some(job);
        self.busy_ns += cost_ns;
        Some(cost_ns)
    }

    /// Ends the job that was begun.
    pub(super) fn finish(&mut self) -> Option<J> {
        self.current.take()
    }

    /// Stops before the next job, or continues.
    pub(super) fn stall(&mut self, stalled: bool) {
        self.stalled = stalled;
    }

    /// Time spent in jobs, in nanoseconds.
    pub(super) fn busy_ns(&self) -> u64 {
        self.busy_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_run_one_after_another_and_not_while_stalled() {
        let mut cpu = SimulatedCpu::new();
        cpu.submit(5, 'a');
        cpu.submit(7, 'b');
        assert_eq!(cpu.begin(), Some(5));
        assert_eq!(cpu.begin(), None);
        assert_eq!(cpu.finish(), Some('a'));
        cpu.stall(true);
        assert_eq!(cpu.begin(), None);
        cpu.stall(false);
        cpu.submit_urgent(1, 'c');
        assert_eq!(cpu.begin(), Some(1));
        assert_eq!(cpu.finish(), Some('c'));
        assert_eq!(cpu.begin(), Some(7));
        assert_eq!(cpu.busy_ns(), 13);
    }
}
