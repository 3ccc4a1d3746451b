//! RU sizes as one byte: `X'me'` is m times two to the e, m from 8 to 15.

/// The smallest size the byte can say, in bytes.
pub const MIN: usize = 8;
/// The largest size the byte can say, in bytes.
pub const MAX: usize = 15 << 15;

/// The size of a size byte, in bytes. Returns `None` if m is below 8.
pub const fn parse(byte: u8) -> Option<usize> {
    if byte < 0x80 {
        return None;
    }
    Some((byte as usize >> 4) << (byte & 15))
}

/// The byte of the largest size not above `bytes`, which is taken as at least
/// [`MIN`] and at most [`MAX`].
pub const fn emit(bytes: usize) -> u8 {
    let bytes = if bytes < MIN {
        MIN
    } else if bytes > MAX {
        MAX
    } else {
        bytes
    };
    let mut exponent = 0;
    while bytes >> exponent > 15 {
        exponent += 1;
    }
    ((bytes >> exponent) as u8) << 4 | exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_published_binds() {
        let cases = [
            (0x85, 256),
            (0x86, 512),
            (0x87, 1024),
            (0x88, 2048),
            (0x89, 4096),
            (0x8A, 8192),
            (0x8B, 16384),
            (0xF7, 1920),
            (0xF8, 3840),
            (0xC7, 1536),
        ];
        for (byte, size) in cases {
            assert_eq!(parse(byte), Some(size));
            assert_eq!(emit(size), byte);
        }
        assert_eq!(emit(1100), 0x87);
        assert_eq!(parse(0x75), None);
    }

    #[test]
    fn every_byte_with_a_meaning_survives() {
        for byte in 0x80..=0xFF {
            assert_eq!(emit(parse(byte).unwrap()), byte);
        }
        assert_eq!(emit(0), 0x80);
        assert_eq!(emit(usize::MAX), 0xFF);
    }
}
