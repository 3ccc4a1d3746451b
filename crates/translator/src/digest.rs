//! A digest for file names: 128 bits of FNV-1a.
//!
//! Different builds have different digests. The digest does not resist an attacker,
//! who could change the modules themselves.

/// Collects bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceDigest(u128);

impl Default for SourceDigest {
    fn default() -> Self {
        SourceDigest(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl SourceDigest {
    /// Characters of [`SourceDigest::finish`].
    pub(crate) const LENGTH: usize = 16;

    /// Adds a part; the length of each part is added before its bytes.
    pub(crate) fn add(&mut self, part: &[u8]) {
        for byte in (part.len() as u64).to_be_bytes().iter().chain(part) {
            self.0 ^= u128::from(*byte);
            self.0 = self
                .0
                .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    /// The digest in hexadecimal.
    pub(crate) fn finish(self) -> String {
        let folded = (self.0 >> 64) as u64 ^ self.0 as u64;
        format!("{folded:016x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_order_matter() {
        let of = |parts: &[&str]| {
            let mut d = SourceDigest::default();
            parts.iter().for_each(|p| d.add(p.as_bytes()));
            d.finish()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["a", "b"]), of(&["b", "a"]));
        assert_eq!(of(&["a"]).len(), SourceDigest::LENGTH);
    }
}
