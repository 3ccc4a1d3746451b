//! Random numbers from a seed: the same seed gives the same numbers everywhere.
//!
//! Seeds stand in scenarios, reports and failed tests, and must give the same
//! numbers in a later version. A library may change its sequence with a version, so
//! these few lines are the workspace's own.
//!
//! Reference: Steele, Lea and Flood, "Fast splittable pseudorandom number
//! generators" (SplitMix64, OOPSLA 2014).
//! Invariant: not for secrets.

/// A generator whose numbers depend on its seed only.
#[derive(Debug, Clone)]
pub struct SeededRandom(u64);

impl SeededRandom {
    /// A generator with this seed.
    pub const fn new(seed: u64) -> SeededRandom {
        SeededRandom(seed)
    }

    /// One of the independent generators of a seed.
    pub const fn stream(seed: u64, stream: u64) -> SeededRandom {
        // Streams must not be the same sequence shifted: their starts are
        // hashed, not counted.
        SeededRandom(mix(
            seed.wrapping_add(mix(stream.wrapping_add(GOLDEN_RATIO)))
        ))
    }

    /// The next 64 bits; no two alike in 2⁶⁴ calls.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_RATIO);
        mix(self.0)
    }

    /// A number below `bound`; zero if the bound is zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next_u64().checked_rem(bound).unwrap_or(0)
    }

    /// An index into a list of `length` elements; zero if it is empty.
    #[inline]
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    #[inline]
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let span = high.saturating_sub(low).saturating_add(1);
        if span == u64::MAX {
            return self.next_u64();
        }
        low + ((u128::from(self.next_u64()) * u128::from(span)) >> 64) as u64
    }

    /// A number in (0, 1].
    #[inline]
    pub fn unit(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// An exponentially distributed number with mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }

    /// True with probability 1/`n`; always for zero.
    #[inline]
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// An element of a list. Panics if the list is empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.index(list.len())]
    }

    /// Removes a random element from a list; the last one takes its place.
    pub fn take<T>(&mut self, list: &mut Vec<T>) -> Option<T> {
        if list.is_empty() {
            return None;
        }
        Some(list.swap_remove(self.index(list.len())))
    }
}

const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// 2⁶⁴ divided by the golden ratio: the published increment.
const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_published_ones() {
        let mut random = SeededRandom::new(1_234_567);
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(published, published.map(|_| random.next_u64()));
    }

    #[test]
    fn a_seed_and_a_stream_give_one_sequence() {
        let draw = |seed, stream| {
            let mut random = SeededRandom::stream(seed, stream);
            (0..8).map(|_| random.next_u64()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7, 1), draw(7, 1));
        assert_ne!(draw(7, 1), draw(7, 2));
        assert_ne!(draw(1, 2), draw(2, 1));
    }

    #[test]
    fn numbers_stay_within_their_bounds() {
        let mut random = SeededRandom::new(1);
        for _ in 0..10_000 {
            assert!(random.below(3) < 3);
            assert!((3..=5).contains(&random.between(3, 5)));
            let unit = random.unit();
            assert!(unit > 0.0 && unit <= 1.0, "{unit}");
        }
        assert_eq!(random.below(0), 0);
        assert!(random.one_in(0) && random.one_in(1));
        let mean = (0..100_000).map(|_| random.exponential()).sum::<f64>() / 100_000.0;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
    }

    #[test]
    fn every_element_is_taken_once() {
        let mut random = SeededRandom::new(1);
        let mut list = vec![1, 2, 3];
        assert!(list.contains(random.pick(&[1, 2, 3])));
        let mut taken: Vec<_> = std::iter::from_fn(|| random.take(&mut list)).collect();
        taken.sort_unstable();
        assert_eq!(taken, [1, 2, 3]);
    }
}
