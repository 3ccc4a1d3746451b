//! A small seeded generator: a scenario with a seed has the same arrivals and the
//! same data in every run.
//!
//! Reference: Steele, Lea, Flood, "Fast splittable pseudorandom number
//! generators" (SplitMix64), 2014.

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator whose numbers depend on `seed` and `stream` only.
    pub fn new(seed: u64, stream: u64) -> Rng {
        // Streams must not be the same sequence shifted: their starts are
        // hashed, not counted.
        Rng(mix(seed.wrapping_add(mix(stream.wrapping_add(GOLDEN)))))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// A number in (0, 1].
    pub fn unit(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let span = high.saturating_sub(low).saturating_add(1);
        match span {
            u64::MAX => self.next_u64(),
            _ => low + ((u128::from(self.next_u64()) * u128::from(span)) >> 64) as u64,
        }
    }

    /// An exponentially distributed number with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// 2⁶⁴ divided by the golden ratio: the published increment.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_gives_one_sequence() {
        let (mut a, mut b, mut c) = (Rng::new(7, 1), Rng::new(7, 1), Rng::new(7, 2));
        let first: Vec<u64> = (0..8).map(|_| a.next_u64()).collect();
        assert_eq!(first, (0..8).map(|_| b.next_u64()).collect::<Vec<_>>());
        assert_ne!(first, (0..8).map(|_| c.next_u64()).collect::<Vec<_>>());
    }

    #[test]
    fn exponential_numbers_have_mean_one() {
        let mut rng = Rng::new(1, 1);
        let mean = (0..100_000).map(|_| rng.exponential()).sum::<f64>() / 100_000.0;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert!((0..10_000).all(|_| (3..=5).contains(&rng.between(3, 5))));
    }
}
