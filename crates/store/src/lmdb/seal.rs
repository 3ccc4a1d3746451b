//! Check sums: a value that was changed after it was stored is noticed when it is read.
//!
//! Each record, table value and entry of the catalogue is followed by the
//! CRC-32 of key and value, four bytes, lowest byte first. Dump, load of
//! indexes, check and backup verify it; a single command only skips it.

/// Bytes of a check sum.
pub(super) const SUM_BYTES: usize = 4;

/// The check sum of a value under a key.
pub(super) fn sum(key: &[u8], value: &[u8]) -> [u8; SUM_BYTES] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(value);
    hasher.finalize().to_le_bytes()
}

/// A value with its check sum, in `buffer`.
pub(super) fn sealed<'b>(key: &[u8], value: &[u8], buffer: &'b mut Vec<u8>) -> &'b [u8] {
    buffer.clear();
    buffer.extend_from_slice(value);
    buffer.extend_from_slice(&sum(key, value));
    buffer
}

/// The value without its check sum, which is not looked at.
pub(super) fn unsealed(stored: &[u8]) -> &[u8] {
    &stored[..stored.len().saturating_sub(SUM_BYTES)]
}

/// The value if its check sum is right.
pub(super) fn checked<'s>(key: &[u8], stored: &'s [u8]) -> Option<&'s [u8]> {
    let (value, stored_sum) = stored.split_last_chunk::<SUM_BYTES>()?;
    (sum(key, value) == *stored_sum).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_that_changes_in_key_value_or_sum_is_noticed() {
        let mut buffer = Vec::new();
        let stored = sealed(b"key", b"value", &mut buffer).to_vec();
        assert_eq!(checked(b"key", &stored), Some(&b"value"[..]));
        assert_eq!(unsealed(&stored), b"value");
        assert_eq!(checked(b"kez", &stored), None);
        for bit in 0..stored.len() * 8 {
            let mut flipped = stored.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(checked(b"key", &flipped), None);
        }
        assert_eq!(checked(b"", b"abc"), None);
    }
}
