//! Descriptor masks of SELECT.
//!
//! Fullwords, big-endian, their bits numbered from the right: socket 0 is the
//! rightmost bit of the first, socket 31 its leftmost, socket 32 the rightmost
//! of the second.
//!
//! Reference: IP CICS Sockets Guide, SELECT, "Testing sockets".

/// A set of socket numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectMask(Vec<u32>);

impl SelectMask {
    /// Bytes of a mask for the sockets below `maxsoc`.
    pub fn bytes(maxsoc: usize) -> usize {
        maxsoc.div_ceil(32) * 4
    }

    /// An empty mask for the sockets below `maxsoc`.
    pub fn new(maxsoc: usize) -> SelectMask {
        SelectMask(vec![0; maxsoc.div_ceil(32)])
    }

    /// Parses the sockets below `maxsoc`; missing bytes count as not set.
    pub fn parse(bytes: &[u8], maxsoc: usize) -> SelectMask {
        let mut mask = SelectMask::new(maxsoc);
        for (word, four) in mask.0.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_be_bytes([four[0], four[1], four[2], four[3]]);
        }
        if let (Some(last), rest @ 1..) = (mask.0.last_mut(), maxsoc % 32) {
            *last &= (1 << rest) - 1;
        }
        mask
    }

    /// Writes it.
    pub fn emit(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    /// Adds a socket; one that has no place is left out.
    pub fn set(&mut self, socket: usize) {
        if let Some(word) = self.0.get_mut(socket / 32) {
            *word |= 1 << (socket % 32);
        }
    }

    /// The sockets in it, ascending.
    pub fn sockets(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate();
        words.flat_map(|(at, word)| {
            let bits = (0..32).filter(move |bit| word >> bit & 1 != 0);
            bits.map(move |bit| at * 32 + bit)
        })
    }

    /// Number of sockets in it.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sockets_0_5_and_32_are_the_bits_of_the_guide() {
        let mut mask = SelectMask::new(33);
        for socket in [0, 5, 32] {
            mask.set(socket);
        }
        assert_eq!(mask.emit(), [0, 0, 0, 0b10_0001, 0, 0, 0, 1]);
        assert_eq!(mask.sockets().collect::<Vec<_>>(), [0, 5, 32]);
    }

    #[test]
    fn sockets_from_maxsoc_on_are_not_checked() {
        let mask = SelectMask::parse(&[0xFF; 8], 33);
        assert_eq!(mask.len(), 33);
        assert_eq!(SelectMask::bytes(0), 0);
        assert_eq!(SelectMask::bytes(32), 4);
        assert_eq!(SelectMask::bytes(33), 8);
    }

    proptest! {
        #[test]
        fn a_mask_reads_back_and_nothing_panics(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            maxsoc in 0usize..2100,
        ) {
            let mask = SelectMask::parse(&bytes, maxsoc);
            prop_assert!(mask.sockets().all(|s| s < maxsoc));
            prop_assert_eq!(SelectMask::parse(&mask.emit(), maxsoc), mask);
        }
    }
}
