//! Whether a waiting program looks at its sockets for a moment before it sleeps.
//!
//! Sleeping and being woken takes longer than many partners take to answer. A
//! program whose latest waits were all short polls for a while first; one
//! longer wait stops that until a run of short ones starts it again. A poll
//! without a result doubles the required run; answers found by polling shorten
//! it again. If the partner needs the processor that polls, polling nearly
//! stops. So the processor time wasted is at most [`SPIN_TIME`] for [`RUN`] answers,
//! and much less if polls keep failing.

use std::time::Duration;

/// How long a program spins, and the limit of a short wait.
const SPIN_TIME: Duration = Duration::from_micros(50);
/// A wait asleep that was shorter would have been over within a look, most
/// likely: to be woken takes its time on either side.
const SHORT_ASLEEP: Duration = Duration::from_micros(100);
/// Short waits in a row before a program looks.
const RUN: u32 = 8;
/// The longest run that failed polls can require.
const LONGEST_RUN: u32 = 4096;

/// The history of recent waits.
#[derive(Debug)]
pub(crate) struct SpinPolicy {
    /// Short waits in a row.
    short: u32,
    /// Number of short waits required before it spins.
    run: u32,
    /// Whether the partner may have a processor to itself meanwhile.
    room: bool,
}

impl SpinPolicy {
    /// No wait yet.
    pub fn new() -> SpinPolicy {
        let processors = std::thread::available_parallelism();
        SpinPolicy {
            short: 0,
            run: RUN,
            room: processors.is_ok_and(|count| count.get() > 1),
        }
    }

    /// How long to spin before the next sleep. `None` for not at all.
    pub fn spin_time(&self) -> Option<Duration> {
        (self.room && self.short >= self.run).then_some(SPIN_TIME)
    }

    /// A wait ended after this time. `looked` says whether it began with a
    /// poll.
    pub fn waited(&mut self, took: Duration, looked: bool) {
        let short = took < if looked { SPIN_TIME } else { SHORT_ASLEEP };
        if looked {
            self.run = if short {
                (self.run - self.run / 8).max(RUN)
            } else {
                (self.run * 2).min(LONGEST_RUN)
            };
        }
        self.short = if short {
            self.short.saturating_add(1)
        } else {
            0
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patience(room: bool) -> SpinPolicy {
        SpinPolicy {
            short: 0,
            run: RUN,
            room,
        }
    }

    /// Simulates `waits` waits; `took` gets whether the program spins and
    /// returns whether the wait was short. Returns the number of spins.
    fn count_spins(of: &mut SpinPolicy, waits: u32, took: impl Fn(bool) -> Duration) -> u32 {
        let mut looks = 0;
        for _ in 0..waits {
            let looked = of.spin_time().is_some();
            looks += u32::from(looked);
            of.waited(took(looked), looked);
        }
        looks
    }

    #[test]
    fn a_run_of_short_waits_makes_a_program_spin_and_one_long_wait_ends_it() {
        let mut patience = patience(true);
        for _ in 0..RUN {
            assert_eq!(patience.spin_time(), None);
            patience.waited(SPIN_TIME / 2, false);
        }
        assert_eq!(patience.spin_time(), Some(SPIN_TIME));
        patience.waited(SPIN_TIME, true);
        assert_eq!(patience.spin_time(), None);
    }

    #[test]
    fn waits_that_are_long_only_by_their_wake_ups_lead_to_a_spin() {
        let mut patience = patience(true);
        let took = |looked| {
            if looked {
                SPIN_TIME / 3
            } else {
                SPIN_TIME * 3 / 2
            }
        };
        assert_eq!(count_spins(&mut patience, 100, took), 100 - RUN);
    }

    #[test]
    fn no_program_spins_where_there_is_one_processor() {
        assert_eq!(
            count_spins(&mut patience(false), 100, |_| Duration::ZERO),
            0
        );
    }

    #[test]
    fn failed_spins_become_rare_and_answers_bring_them_back() {
        let mut patience = patience(true);
        // The partner answers soon, but not while this side holds the processor.
        let vain = |looked| if looked { SPIN_TIME * 2 } else { SPIN_TIME / 2 };
        let few = count_spins(&mut patience, 10_000, vain);
        assert!((5..=12).contains(&few), "{few}");
        let soon = |_| SPIN_TIME / 4;
        count_spins(&mut patience, 2 * LONGEST_RUN, soon);
        assert_eq!(count_spins(&mut patience, 1000, soon), 1000);
        // The policy adapts: a single long wait costs one short run.
        patience.waited(SPIN_TIME * 2, false);
        assert_eq!(count_spins(&mut patience, 100, soon), 100 - RUN);
    }
}
