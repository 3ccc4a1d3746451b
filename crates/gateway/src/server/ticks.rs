//! The clock of a door, in ticks.
//!
//! Limits of a door are hundreds of milliseconds and more, and a request must not
//! read a clock. So the door reads the clock when it checks its connections, and its
//! requests use that time. The clock follows real time, and never the number
//! of checks: checks in quick succession do not shorten a limit. A door that
//! had no processor for a while does not charge its clients for it: of such a
//! while two ticks count.

use std::time::{Duration, Instant};

/// How often a door checks its connections, and the unit of its limits.
pub(super) const TICK: Duration = Duration::from_millis(500);
/// Most ticks from one look to the next.
const MOST: u64 = 2;

/// Ticks that a time takes, at least one.
pub(super) fn ticks(ms: u32) -> u64 {
    u64::from(ms) / TICK.as_millis() as u64 + 1
}

/// The clock of one door.
#[derive(Debug)]
pub(super) struct DoorClock {
    began: Instant,
    /// Real ticks at the last look.
    looked: u64,
    ticks: u64,
}

impl DoorClock {
    /// A clock at tick 0.
    pub fn new() -> DoorClock {
        DoorClock {
            began: Instant::now(),
            looked: 0,
            ticks: 0,
        }
    }

    /// The tick of a look that is made now.
    pub fn read(&mut self) -> u64 {
        self.at(self.began.elapsed())
    }

    fn at(&mut self, elapsed: Duration) -> u64 {
        let real = (elapsed.as_millis() / TICK.as_millis()) as u64;
        self.ticks += real.saturating_sub(self.looked).min(MOST);
        self.looked = self.looked.max(real);
        self.ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(clock: &mut DoorClock, ms: u64) -> u64 {
        clock.at(Duration::from_millis(ms))
    }

    #[test]
    fn looks_one_after_another_take_no_time() {
        let mut clock = DoorClock::new();
        for look in 0..499 {
            assert_eq!(at(&mut clock, look), 0);
        }
        assert_eq!(at(&mut clock, 500), 1);
        assert_eq!(at(&mut clock, 501), 1);
        assert_eq!(at(&mut clock, 1_700), 3);
    }

    #[test]
    fn a_door_without_a_processor_does_not_charge_its_clients() {
        let mut clock = DoorClock::new();
        assert_eq!(at(&mut clock, 500), 1);
        assert_eq!(at(&mut clock, 60_000), 3);
        assert_eq!(at(&mut clock, 60_500), 4);
    }
}
