//! A level over time: the number of clients, or the request rate, in linear pieces.
//! One flat piece is a constant, several are steps, sloping ones are ramps.

use crate::units::short;

/// A level over time from 0 on. After the last piece its end level stays.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelProfile {
    pieces: Vec<ProfilePiece>,
}

/// One linear piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfilePiece {
    /// The level where the piece begins.
    pub from: f64,
    /// The level where it ends.
    pub to: f64,
    /// How long it lasts, in nanoseconds.
    pub length_ns: u64,
}

impl LevelProfile {
    /// One level without an end.
    pub fn constant(level: f64) -> LevelProfile {
        LevelProfile::new(vec![ProfilePiece {
            from: level,
            to: level,
            length_ns: 0,
        }])
    }

    /// A profile of the given pieces. After the last piece its end level stays.
    ///
    ///
    /// # Panics
    ///
    /// If `pieces` is empty; the scenario reader rejects that.
    pub fn new(pieces: Vec<ProfilePiece>) -> LevelProfile {
        assert!(!pieces.is_empty(), "a profile has at least one piece");
        LevelProfile { pieces }
    }

    /// The same profile after holding its first level for `ns`.
    pub fn after(&self, ns: u64) -> LevelProfile {
        let level = self.pieces[0].from;
        let hold = ProfilePiece {
            from: level,
            to: level,
            length_ns: ns,
        };
        LevelProfile::new([&[hold], &self.pieces[..]].concat())
    }

    /// The same profile with every level multiplied.
    pub fn scaled(&self, factor: f64) -> LevelProfile {
        let scale = |p: &ProfilePiece| ProfilePiece {
            from: p.from * factor,
            to: p.to * factor,
            length_ns: p.length_ns,
        };
        LevelProfile::new(self.pieces.iter().map(scale).collect())
    }

    /// The pieces, in their order.
    pub fn pieces(&self) -> &[ProfilePiece] {
        &self.pieces
    }

    /// The levels as text: `20`, `1 to 20 in 10 s`, or `10 for 5 s, then 50 for
    /// 5 s`. A long profile shows its first pieces, their number and the peak.
    pub fn words(&self) -> String {
        if let [one] = &self.pieces[..]
            && one.from == one.to
        {
            return short(one.to);
        }
        let piece = |(i, p): (usize, &ProfilePiece)| {
            let seconds = short(p.length_ns as f64 / 1e9);
            let follows = i > 0 && self.pieces[i - 1].to == p.from;
            match (p.from == p.to, follows) {
                (true, _) => format!("{} for {seconds} s", short(p.to)),
                (false, true) => format!("to {} in {seconds} s", short(p.to)),
                (false, false) => {
                    format!("{} to {} in {seconds} s", short(p.from), short(p.to))
                }
            }
        };
        let shown = match self.pieces.len() {
            n if n > MAX_PIECES_SHOWN => MAX_PIECES_SHOWN - 1,
            n => n,
        };
        let pieces_shown: Vec<String> = self
            .pieces
            .iter()
            .enumerate()
            .take(shown)
            .map(piece)
            .collect();
        let rest = match self.pieces.len() - shown {
            0 => String::new(),
            n => format!(", and {n} more pieces, at most {}", short(self.peak())),
        };
        pieces_shown.join(", then ") + &rest
    }

    /// Total length of the pieces, in nanoseconds.
    pub fn length_ns(&self) -> u64 {
        self.pieces.iter().map(|p| p.length_ns).sum()
    }

    /// The highest level.
    pub fn peak(&self) -> f64 {
        self.pieces
            .iter()
            .fold(0.0, |peak, p| peak.max(p.from).max(p.to))
    }

    /// The level at a time.
    pub fn level(&self, at_ns: u64) -> f64 {
        let mut start = 0;
        for piece in &self.pieces {
            if at_ns < start + piece.length_ns {
                let share = (at_ns - start) as f64 / piece.length_ns as f64;
                return piece.from + (piece.to - piece.from) * share;
            }
            start += piece.length_ns;
        }
        self.pieces[self.pieces.len() - 1].to
    }

    /// The first time at or after `from_ns` at which the level exceeds `level`.
    /// Returns `None` if it never does again.
    pub fn next_above(&self, level: f64, from_ns: u64) -> Option<u64> {
        if self.level(from_ns) > level {
            return Some(from_ns);
        }
        let mut start = 0;
        for piece in &self.pieces {
            let end = start + piece.length_ns;
            if end > from_ns && piece.from.max(piece.to) > level && piece.length_ns > 0 {
                let crossing = if piece.from > level {
                    start
                } else {
                    let share = (level - piece.from) / (piece.to - piece.from);
                    start + (share * piece.length_ns as f64) as u64 + 1
                };
                if crossing >= from_ns {
                    return Some(crossing);
                }
            }
            start = end;
        }
        let last = self.pieces[self.pieces.len() - 1].to;
        (last > level).then_some(start.max(from_ns))
    }

    /// The time of the `count`-th arrival at this rate: when the area under the
    /// profile reaches `count`. Returns `None` if the rate ends at zero before.
    pub fn time_of(&self, count: f64) -> Option<u64> {
        let mut left = count;
        let mut start = 0u64;
        for piece in &self.pieces {
            let seconds = piece.length_ns as f64 / 1e9;
            let area = (piece.from + piece.to) / 2.0 * seconds;
            if left < area {
                let slope = (piece.to - piece.from) / seconds;
                // from·t + slope/2·t² = left, in the form that is stable for
                // a slope near zero.
                let root = (piece.from * piece.from + 2.0 * slope * left)
                    .max(0.0)
                    .sqrt();
                let t = 2.0 * left / (piece.from + root);
                return Some(start + (t * 1e9) as u64);
            }
            left -= area;
            start += piece.length_ns;
        }
        let last = self.pieces[self.pieces.len() - 1].to;
        (last > 0.0).then(|| start + (left / last * 1e9) as u64)
    }
}

/// The maximum number of pieces in the text.
const MAX_PIECES_SHOWN: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn ramp() -> LevelProfile {
        LevelProfile::new(vec![
            ProfilePiece {
                from: 0.0,
                to: 100.0,
                length_ns: 10 * SECOND,
            },
            ProfilePiece {
                from: 50.0,
                to: 50.0,
                length_ns: 10 * SECOND,
            },
        ])
    }

    #[test]
    fn arrivals_of_a_ramp_fill_its_area() {
        let ramp = ramp();
        assert_eq!(ramp.time_of(500.0), Some(10 * SECOND));
        assert_eq!(ramp.time_of(125.0), Some(5 * SECOND));
        assert_eq!(ramp.time_of(1000.0), Some(20 * SECOND));
        assert_eq!(LevelProfile::constant(0.0).time_of(1.0), None);
        let exact: Vec<_> = (0..4)
            .map(|k| LevelProfile::constant(2000.0).time_of(k as f64))
            .collect();
        assert_eq!(exact, [0, 500_000, 1_000_000, 1_500_000].map(Some));
    }

    #[test]
    fn a_profile_is_described_by_all_its_levels() {
        let profile = |levels: &[(f64, f64, u64)]| {
            let piece = |(from, to, s): &(f64, f64, u64)| ProfilePiece {
                from: *from,
                to: *to,
                length_ns: s * SECOND,
            };
            LevelProfile::new(levels.iter().map(piece).collect()).words()
        };
        assert_eq!(LevelProfile::constant(20.0).words(), "20");
        assert_eq!(LevelProfile::constant(200.0 / 3.0).words(), "66.67");
        assert_eq!(profile(&[(1.0, 20.0, 10)]), "1 to 20 in 10 s");
        assert_eq!(
            profile(&[(10.0, 200.0, 5), (200.0, 100.0, 2), (50.0, 50.0, 3)]),
            "10 to 200 in 5 s, then to 100 in 2 s, then 50 for 3 s"
        );
        let long: Vec<_> = (0..9).map(|i| (f64::from(i), f64::from(i), 1)).collect();
        let words = profile(&long);
        assert!(
            words.ends_with("4 for 1 s, and 4 more pieces, at most 8"),
            "{words}"
        );
    }

    #[test]
    fn a_client_joins_when_the_level_passes_its_number() {
        let ramp = ramp();
        assert_eq!(ramp.level(5 * SECOND), 50.0);
        let at = ramp.next_above(49.0, 0).unwrap();
        assert!((at as f64 / 1e9 - 4.9).abs() < 1e-6, "{at}");
        assert_eq!(ramp.next_above(60.0, 15 * SECOND), None);
        assert_eq!(ramp.next_above(40.0, 30 * SECOND), Some(30 * SECOND));
        assert_eq!(ramp.after(SECOND).level(6 * SECOND), 50.0);
    }
}
