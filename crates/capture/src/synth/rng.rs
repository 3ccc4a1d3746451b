//! The generator's only source of chance: SplitMix64, seeded.
//!
//! Reference: Steele, Lea and Flood, "Fast splittable pseudorandom number
//! generators" (OOPSLA 2014).

/// A small seeded generator; the same seed gives the same numbers everywhere.
#[derive(Debug, Clone)]
pub struct SeededRng(u64);

impl SeededRng {
    /// A generator that begins at `seed`.
    pub fn new(seed: u64) -> Self {
        SeededRng(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; zero when `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        match bound {
            0 => 0,
            n => self.next_u64() % n,
        }
    }

    /// True once in `n` times on average.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n.max(1)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers() {
        let (mut a, mut b) = (SeededRng::new(7), SeededRng::new(7));
        let mut numbers = || (a.next_u64(), b.next_u64());
        for _ in 0..9 {
            let (x, y) = numbers();
            assert_eq!(x, y);
        }
        assert_eq!(SeededRng::new(1).below(0), 0);
    }
}
