//! The arrival times of the open loop. A schedule is a pure function of the
//! profile, the kind of arrivals and the seed. Delays of the driver never move it.

use crate::plan::ArrivalSpacing;
use crate::profile::LevelProfile;
use base::SeededRandom;

/// One thread's share of a population's arrivals.
pub struct ArrivalSchedule {
    profile: LevelProfile,
    arrivals: ArrivalSpacing,
    rng: SeededRandom,
    count: f64,
    stride: f64,
    next: Option<u64>,
}

impl ArrivalSchedule {
    /// The part of thread `index` of `threads`: constant arrivals are assigned
    /// in turn, random ones are thinned.
    pub fn new(
        profile: LevelProfile,
        arrivals: ArrivalSpacing,
        (index, threads): (usize, usize),
        rng: SeededRandom,
    ) -> ArrivalSchedule {
        let mut schedule = ArrivalSchedule {
            profile,
            arrivals,
            rng,
            count: index as f64,
            stride: threads as f64,
            next: None,
        };
        if arrivals == ArrivalSpacing::Poisson {
            schedule.count = 0.0;
            schedule.advance();
        } else {
            schedule.next = schedule.profile.time_of(schedule.count);
        }
        schedule
    }

    /// When the next arrival is due, in nanoseconds after the start.
    pub fn next(&self) -> Option<u64> {
        self.next
    }

    /// Advances to the next arrival.
    pub fn advance(&mut self) {
        self.count += match self.arrivals {
            ArrivalSpacing::Constant => self.stride,
            ArrivalSpacing::Poisson => self.stride * self.rng.exponential(),
        };
        self.next = self.profile.time_of(self.count);
    }
}

/// The random stream of a population's arrivals in one thread. Each has its own
/// stream, otherwise two populations would have the same arrivals. Streams of
/// clients are numbered from the other end.
pub(super) fn stream(population: usize, thread: usize) -> u64 {
    u64::MAX - ((population as u64) << 32 | thread as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn populations_do_not_arrive_together() {
        let times = |population, thread| {
            let rng = SeededRandom::stream(1, stream(population, thread));
            let profile = LevelProfile::constant(1000.0);
            let mut s = ArrivalSchedule::new(profile, ArrivalSpacing::Poisson, (0, 1), rng);
            let mut times = Vec::new();
            while times.len() < 100 {
                times.extend(s.next());
                s.advance();
            }
            times
        };
        assert_eq!(times(0, 0), times(0, 0));
        for (population, thread) in [(1, 0), (0, 1), (2, 0)] {
            let others = times(population, thread);
            let shared = times(0, 0).iter().filter(|t| others.contains(t)).count();
            assert_eq!(shared, 0);
        }
    }

    fn all(arrivals: ArrivalSpacing, threads: usize) -> Vec<u64> {
        let mut times = Vec::new();
        for i in 0..threads {
            let profile = LevelProfile::constant(1000.0);
            let mut s = ArrivalSchedule::new(
                profile,
                arrivals,
                (i, threads),
                SeededRandom::stream(1, i as u64),
            );
            while let Some(t) = s.next().filter(|t| *t < 10_000_000_000) {
                times.push(t);
                s.advance();
            }
        }
        times.sort_unstable();
        times
    }

    #[test]
    fn threads_together_present_the_constant_rate() {
        let times = all(ArrivalSpacing::Constant, 3);
        assert_eq!(times.len(), 10_000);
        assert!(
            times
                .windows(2)
                .all(|w| (w[1] - w[0]).abs_diff(1_000_000) <= 1)
        );
    }

    #[test]
    fn threads_together_present_the_poisson_rate() {
        let times = all(ArrivalSpacing::Poisson, 3);
        // Four standard deviations of a Poisson count of 10,000.
        assert!(times.len().abs_diff(10_000) < 400, "{}", times.len());
        let gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let short = gaps.iter().filter(|g| **g < mean).count() as f64 / gaps.len() as f64;
        assert!((short - 0.632).abs() < 0.03, "{short}");
    }
}
