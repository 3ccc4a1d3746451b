//! How long a connection may stay in one phase.
//!
//! A message does not read the clock: entering a phase only forgets when the one
//! before began. The next check of all connections notes the time, and later
//! checks compare with it. So a limit is never cut short, however often or seldom
//! the thread checks, and lasts at most the time between two checks longer.
//!
//! Invariant: nothing here counts looks, and there is no clock here: the caller
//! says how late it is.

use std::cell::Cell;
use std::time::Duration;

/// The phase of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionPhase {
    /// The connection waits for a message.
    Idle,
    /// The connection has a part of a message.
    Message,
    /// Its client does not take its answer.
    Writing,
    /// The connection waits for its other connection.
    Pairing,
    /// A task runs, which has limits of its own.
    Running,
}

/// The phase of a connection, and since when a look has found it there.
#[derive(Debug)]
pub struct PhaseTimer {
    phase: Cell<ConnectionPhase>,
    since: Cell<Option<Duration>>,
}

impl Default for PhaseTimer {
    fn default() -> PhaseTimer {
        PhaseTimer {
            phase: Cell::new(ConnectionPhase::Idle),
            since: Cell::new(None),
        }
    }
}

impl PhaseTimer {
    /// The phase.
    pub fn phase(&self) -> ConnectionPhase {
        self.phase.get()
    }

    /// A phase begins, possibly the same again.
    pub fn enter(&self, phase: ConnectionPhase) {
        self.phase.set(phase);
        self.since.set(None);
    }

    /// Whether no look has found it in its phase yet.
    pub fn is_new(&self) -> bool {
        self.since.get().is_none()
    }

    /// Looks at `now`, the time since the thread began. Returns the limit in
    /// seconds if the phase has lasted longer; `limits_s` are those of idle,
    /// message, writing and pairing, 0 for none.
    pub fn exceeded(&self, now: Duration, limits_s: &[u32; 4]) -> Option<u32> {
        let Some(since) = self.since.get() else {
            self.since.set(Some(now));
            return None;
        };
        let limit = match self.phase.get() {
            ConnectionPhase::Idle => limits_s[0],
            ConnectionPhase::Message => limits_s[1],
            ConnectionPhase::Writing => limits_s[2],
            ConnectionPhase::Pairing => limits_s[3],
            ConnectionPhase::Running => 0,
        };
        (limit > 0 && is_over(now, since, limit)).then_some(limit)
    }
}

/// Whether a limit in seconds has passed at `now` for what began at `since`.
pub fn is_over(now: Duration, since: Duration, limit_s: u32) -> bool {
    now.saturating_sub(since) > Duration::from_secs(limit_s.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS_S: [u32; 4] = [300, 10, 20, 30];

    fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_thousand_looks_within_a_second_do_not_end_a_limit_of_five_minutes() {
        let timer = PhaseTimer::default();
        for look in 0..1000 {
            assert_eq!(timer.exceeded(at(look), &LIMITS_S), None, "look {look}");
        }
        assert_eq!(timer.exceeded(at(300_000), &LIMITS_S), None);
        assert_eq!(timer.exceeded(at(300_001), &LIMITS_S), Some(300));
    }

    #[test]
    fn a_busy_connection_is_not_ended_however_the_looks_fall() {
        let timer = PhaseTimer::default();
        for second in 0..1_000 {
            // Looks come late, then several at once.
            let now = at(second / 7 * 7_000);
            timer.enter(ConnectionPhase::Running);
            assert_eq!(timer.exceeded(now, &LIMITS_S), None);
            timer.enter(ConnectionPhase::Idle);
            for _ in 0..3 {
                assert_eq!(timer.exceeded(now, &LIMITS_S), None);
            }
        }
    }

    #[test]
    fn a_late_look_does_not_charge_a_phase_for_the_time_before_it() {
        let timer = PhaseTimer::default();
        assert_eq!(timer.exceeded(at(0), &LIMITS_S), None);
        timer.enter(ConnectionPhase::Message);
        // The look before was an hour ago; the message has just begun.
        assert_eq!(timer.exceeded(at(3_600_000), &LIMITS_S), None);
        assert_eq!(timer.exceeded(at(3_610_000), &LIMITS_S), None);
        assert_eq!(timer.exceeded(at(3_610_001), &LIMITS_S), Some(10));
    }

    #[test]
    fn a_limit_of_zero_and_a_running_task_have_no_end() {
        let timer = PhaseTimer::default();
        for phase in [ConnectionPhase::Idle, ConnectionPhase::Running] {
            timer.enter(phase);
            timer.exceeded(at(0), &[0; 4]);
            assert_eq!(timer.exceeded(at(u64::MAX), &[0; 4]), None);
        }
    }
}
