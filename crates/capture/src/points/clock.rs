//! The clock of one capture point against its neighbour's.
//!
//! A packet that goes out arrives later than it left, and so does one that
//! comes back; both together bound the difference of the clocks. It is taken
//! for the middle of the bounds, as if the shortest way out were as long as
//! the shortest way back; half of their distance is the most it can be wrong by.
//! Clocks that run at different rates close the bounds; the rate that leaves
//! the paths most room is taken where that matters.
//! Reference: Paxson, "On Calibrating Measurements of Packet Transit Times" (1998).

use super::PointClock;

/// One pair: the way of the packet, its time at the first point, and how much
/// later the second point's clock showed it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockPair {
    /// From the first point to the second.
    pub(super) out: bool,
    pub(super) time_ns: i64,
    pub(super) later_ns: i64,
}

impl PointClock {
    /// The clock difference for these pairs. Returns `None` without a pair.
    pub(super) fn of(pairs: &[ClockPair]) -> Option<PointClock> {
        let origin_ns = pairs.iter().map(|pair| pair.time_ns).min()?;
        let latest_ns = pairs.iter().map(|pair| pair.time_ns).max()?;
        let still = ClockBounds::of(pairs, origin_ns, 0.0);
        let rate = match still {
            ClockBounds {
                least: Some(_),
                most: Some(_),
            } => rate(pairs, origin_ns, latest_ns - origin_ns, &still),
            _ => 0.0,
        };
        let bounds = ClockBounds::of(pairs, origin_ns, rate);
        let (ahead_ns, error_ns) = match (bounds.least, bounds.most) {
            (Some(least), Some(most)) => (least / 2 + most / 2, Some((most - least).abs() / 2)),
            (Some(one), None) | (None, Some(one)) => (one, None),
            (None, None) => return None,
        };
        let ms = |ns: i64| (ns as f64 / 1e3).round() / 1e3;
        Some(PointClock {
            ahead_ms: ms(ahead_ns),
            error_ms: error_ns.map(ms),
            drift_ppm: (rate * 1e7).round() / 10.0,
            origin_ns,
            ahead_ns,
        })
    }

    /// The difference of the second clock at a time of the first.
    pub(super) fn ahead_ns(&self, time_ns: i64) -> i64 {
        self.ahead_ns + drifted(self.drift_ppm / 1e6, time_ns - self.origin_ns)
    }
}

/// The possible range of the difference of two clocks.
#[derive(Clone, Copy, Debug)]
struct ClockBounds {
    least: Option<i64>,
    most: Option<i64>,
}

impl ClockBounds {
    /// The bounds at `origin_ns`, for a clock that runs faster by `rate`.
    fn of(pairs: &[ClockPair], origin_ns: i64, rate: f64) -> ClockBounds {
        let of = |out: bool| {
            let one_way = pairs.iter().filter(move |pair| pair.out == out);
            one_way.map(move |pair| pair.later_ns - drifted(rate, pair.time_ns - origin_ns))
        };
        ClockBounds {
            least: of(false).max(),
            most: of(true).min(),
        }
    }

    /// The remaining time for the paths in both directions; below 0 the clocks
    /// contradict each other.
    fn room_ns(&self) -> i64 {
        match (self.least, self.most) {
            (Some(least), Some(most)) => most.saturating_sub(least),
            _ => 0,
        }
    }
}

fn drifted(rate: f64, ns: i64) -> i64 {
    (rate * ns as f64) as i64
}

/// The rate that leaves the paths most room; 0 where a steady difference fits.
fn rate(pairs: &[ClockPair], origin_ns: i64, span_ns: i64, still: &ClockBounds) -> f64 {
    let needed = still.room_ns() < 0;
    if !needed && span_ns < LONG_NS {
        return 0.0;
    }
    // The remaining time is concave in the rate: each step drops the worse
    // third.
    let room = |rate: f64| ClockBounds::of(pairs, origin_ns, rate).room_ns();
    let (mut low, mut high) = (-MOST_RATE, MOST_RATE);
    for _ in 0..ROUNDS {
        let third = (high - low) / 3.0;
        if room(low + third) < room(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    let best = (low + high) / 2.0;
    let gain_ns = room(best) - still.room_ns();
    let matters = needed || gain_ns > (room(best) / 10).max(LEAST_GAIN_NS);
    if matters { best } else { 0.0 }
}

/// Clocks of machines differ by less, unless one is being set.
const MOST_RATE: f64 = 1e-3;

/// Rounds of the search: a thousandth of a millionth.
const ROUNDS: usize = 40;

/// Pairs over a shorter time show a rate only by contradiction.
const LONG_NS: i64 = 60_000_000_000;

/// A smaller gain is chance.
const LEAST_GAIN_NS: i64 = 200_000;

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs over paths of 3 ms and more, for clocks `ahead` apart.
    fn pairs(ahead_ns: i64, ppm: f64, span_s: i64) -> Vec<ClockPair> {
        (0..200_i64)
            .map(|n| {
                let out = n % 2 == 0;
                let time_ns = n * span_s * 5_000_000;
                let path_ns = 3_000_000 + (n * 7_919 % 13) * 400_000;
                let path_ns = if out { path_ns } else { -path_ns };
                ClockPair {
                    out,
                    time_ns,
                    later_ns: ahead_ns + drifted(ppm / 1e6, time_ns) + path_ns,
                }
            })
            .collect()
    }

    #[test]
    fn a_steady_difference_is_found_within_its_error() {
        let clock = PointClock::of(&pairs(3_700_000_000, 0.0, 10)).expect("pairs");
        assert_eq!((clock.ahead_ms, clock.drift_ppm), (3_700.0, 0.0));
        assert_eq!(clock.error_ms, Some(3.0));
    }

    #[test]
    fn a_clock_that_runs_faster_is_followed() {
        let clock = PointClock::of(&pairs(-50_000_000, 80.0, 120)).expect("pairs");
        assert!((clock.drift_ppm - 80.0).abs() < 8.0, "{clock:?}");
        let late_ns = 119_000_000_000;
        let right_ns = -50_000_000 + drifted(80e-6, late_ns);
        assert!((clock.ahead_ns(late_ns) - right_ns).abs() < 1_000_000);
    }

    #[test]
    fn one_direction_alone_gives_a_difference_without_an_error() {
        let one_way: Vec<ClockPair> = (pairs(1_000_000, 0.0, 1).into_iter())
            .filter(|pair| pair.out)
            .collect();
        let clock = PointClock::of(&one_way).expect("pairs");
        assert_eq!((clock.ahead_ms, clock.error_ms), (4.0, None));
    }
}
