//! Time as the core sees it: a count of nanoseconds that the caller hands in.
//!
//! The core has no clock. A shell over sockets passes the time since its start, the
//! token ring passes virtual time, a test any time. Invariant: nothing in this
//! crate reads a real clock.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// A point in time, in nanoseconds since an origin of the caller's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MonotonicTime(u64);

impl MonotonicTime {
    /// The origin.
    pub const ZERO: MonotonicTime = MonotonicTime(0);

    /// The point `nanos` nanoseconds after the origin.
    pub const fn from_nanos(nanos: u64) -> MonotonicTime {
        MonotonicTime(nanos)
    }

    /// The point `micros` microseconds after the origin.
    pub const fn from_micros(micros: u64) -> MonotonicTime {
        MonotonicTime(micros * 1_000)
    }

    /// Nanoseconds since the origin.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the origin.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The time from `earlier` to this point; zero if `earlier` is later.
    pub const fn since(self, earlier: MonotonicTime) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for MonotonicTime {
    type Output = MonotonicTime;
    fn add(self, by: Duration) -> MonotonicTime {
        let nanos = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        MonotonicTime(self.0.saturating_add(nanos))
    }
}

impl Sub for MonotonicTime {
    type Output = Duration;
    fn sub(self, earlier: MonotonicTime) -> Duration {
        self.since(earlier)
    }
}

impl fmt::Display for MonotonicTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.as_secs_f64())
    }
}
