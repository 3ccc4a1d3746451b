//! The part of a population's load that one thread presents: the clients of a closed
//! loop and their iterations, or the arrivals of an open loop.

use super::arrivals::{ArrivalSchedule, stream};
use crate::plan::{LoadModel, RunPlan};
use crate::profile::LevelProfile;
use base::SeededRandom;

/// One population's clients in one thread.
pub(super) struct ClientGroup {
    pub load: GroupLoad,
    /// Clients that take part now or later.
    pub active: usize,
    /// Whether clients have conversations or sessions with the server: then the end
    /// of the run waits for the iterations that have begun.
    pub stateful: bool,
}

/// How a group presents its load.
pub(super) enum GroupLoad {
    Closed {
        /// Clients over time, warm-up included.
        clients: LevelProfile,
        /// Iterations left to begin in this thread.
        quota: Option<u64>,
    },
    Open {
        schedule: ArrivalSchedule,
        /// When the last first request of an iteration was sent, for the gaps.
        last_sent: Option<u64>,
    },
}

impl ClientGroup {
    /// The part of thread `index` in a population of the plan.
    pub fn new(plan: &RunPlan, population: usize, index: usize, stateful: bool) -> ClientGroup {
        let threads = plan.threads;
        let load = match &plan.populations[population].load {
            LoadModel::Closed {
                clients,
                iterations,
            } => GroupLoad::Closed {
                clients: clients.after(plan.warmup_ns),
                quota: iterations.map(|n| share(n, index, threads)),
            },
            LoadModel::Open { rate, arrivals, .. } => GroupLoad::Open {
                schedule: ArrivalSchedule::new(
                    rate.after(plan.warmup_ns),
                    *arrivals,
                    (index, threads),
                    SeededRandom::stream(plan.seed, stream(population, index)),
                ),
                last_sent: None,
            },
        };
        ClientGroup {
            load,
            active: numbers(plan, population, index).count(),
            stateful,
        }
    }

    /// The place of a population whose clients another kind of thread serves.
    pub fn elsewhere() -> ClientGroup {
        ClientGroup {
            load: GroupLoad::Closed {
                clients: LevelProfile::constant(0.0),
                quota: Some(0),
            },
            active: 0,
            stateful: false,
        }
    }

    /// Whether iterations begin by a schedule.
    pub fn is_open(&self) -> bool {
        matches!(self.load, GroupLoad::Open { .. })
    }
}

/// The numbers of the clients of a population in thread `index`. They are dealt out
/// in turn, so that a ramp grows in every thread.
pub(super) fn numbers(
    plan: &RunPlan,
    population: usize,
    index: usize,
) -> impl Iterator<Item = u64> + use<> {
    let clients = plan.populations[population].clients();
    (index..clients).step_by(plan.threads).map(|n| n as u64)
}

/// The part of `n` things that thread `index` gets.
pub(super) fn share(n: u64, index: usize, threads: usize) -> u64 {
    let threads = threads as u64;
    n / threads + u64::from((index as u64) < n % threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_the_whole() {
        for (n, threads) in [(0, 1), (7, 3), (1001, 2), (3, 8)] {
            let sum: u64 = (0..threads).map(|i| share(n, i, threads)).sum();
            assert_eq!(sum, n);
        }
    }
}
