//! Random numbers from a seed.

/// A generator whose numbers depend only on its seed.
#[derive(Debug, Clone)]
pub struct SeededRandom(u64);

impl SeededRandom {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Self {
        SeededRandom(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) % n
    }

    /// True with probability 1/`n`.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Removes a random element from a list.
    pub fn take<T>(&mut self, list: &mut Vec<T>) -> Option<T> {
        match list.len() {
            0 => None,
            n => Some(list.swap_remove(self.below(n as u64) as usize)),
        }
    }
}
