//! Bytes as hexadecimal digits, and back.

/// Digits in lower case, two a byte.
pub fn lower(bytes: &[u8]) -> String {
    digits(bytes, b"0123456789abcdef")
}

/// Digits in upper case, two a byte.
pub fn upper(bytes: &[u8]) -> String {
    digits(bytes, b"0123456789ABCDEF")
}

/// The bytes of digits of either case; `None` for an odd number of characters or
/// one that is not a digit.
pub fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let nibble = |digit: u8| char::from(digit).to_digit(16);
    digits
        .chunks_exact(2)
        .map(|pair| u8::try_from(nibble(pair[0])? << 4 | nibble(pair[1])?).ok())
        .collect()
}

fn digits(bytes: &[u8], digits: &[u8; 16]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(digits[usize::from(byte >> 4)]));
        text.push(char::from(digits[usize::from(byte & 15)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_and_written() {
        assert_eq!(lower(&[0, 0xc1, 0xff]), "00c1ff");
        assert_eq!(upper(&[0, 0xc1, 0xff]), "00C1FF");
        assert_eq!(bytes("00c1FF"), Some(vec![0, 0xc1, 0xff]));
        assert_eq!(bytes(""), Some(vec![]));
        for wrong in ["0", "0g", "é", "+1"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
