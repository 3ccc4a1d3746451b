//! Buffer addresses and the table of 64 graphic characters that carries six
//! bits a byte.
//!
//! ```text
//! 12 bits: x1xxxxxx xxxxxxxx    six bits of each byte count (01 or 11 in front)
//! 14 bits: 00xxxxxx xxxxxxxx    binary
//! 16 bits: xxxxxxxx xxxxxxxx    only where a partition says so
//! ```
//! Reference: GA23-0059, "Buffer addressing".

use super::error::ErrorKind;

/// The graphic character of six bits; higher bits are ignored.
pub const fn graphic(value: u8) -> u8 {
    CODES[(value & 0x3F) as usize]
}

/// The address that these two bytes are, in the 12-bit or the 14-bit form.
///
/// # Errors
/// The first two bits are B'10'.
pub const fn parse(bytes: [u8; 2]) -> Result<u16, ErrorKind> {
    match bytes[0] >> 6 {
        0b00 => Ok(u16::from_be_bytes(bytes)),
        0b10 => Err(ErrorKind::AddressBits(u16::from_be_bytes(bytes))),
        _ => Ok(((bytes[0] & 0x3F) as u16) << 6 | (bytes[1] & 0x3F) as u16),
    }
}

/// The bytes of an address on a screen of this many positions: 12 bits for up
/// to 4,096 positions, 14 bits beyond. Addresses above 16,383 do not exist.
pub const fn emit(address: u16, positions: u16) -> [u8; 2] {
    if positions <= MOST_TWELVE {
        [graphic((address >> 6) as u8), graphic(address as u8)]
    } else {
        (address & 0x3FFF).to_be_bytes()
    }
}

/// Positions that 12 bits reach.
pub const MOST_TWELVE: u16 = 4096;
/// Positions that a screen can have at most: 14 bits less one.
pub const MOST_POSITIONS: u16 = 16_383;

#[rustfmt::skip]
const CODES: [u8; 64] = [
    0x40, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F,
    0x50, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0x5A, 0x5B, 0x5C, 0x5D, 0x5E, 0x5F,
    0x60, 0x61, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F,
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x7A, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_the_reference() {
        assert_eq!(emit(168, 1920), [0xC2, 0xE8]);
        assert_eq!(emit(3279, 3440), [0xF3, 0x4F]);
        assert_eq!(parse([0x0D, 0x20]), Ok(3360));
        assert_eq!(parse([0x7F, 0x7F]), Ok(4095));
        assert_eq!(emit(4999, 5000), [0x13, 0x87]);
    }

    #[test]
    fn reserved_bits_are_refused() {
        assert_eq!(parse([0x80, 0]), Err(ErrorKind::AddressBits(0x8000)));
    }

    #[test]
    fn both_forms_come_back() {
        for address in 0..4096 {
            assert_eq!(parse(emit(address, 4096)), Ok(address));
        }
        for address in 0..MOST_POSITIONS {
            assert_eq!(parse(emit(address, MOST_POSITIONS)), Ok(address));
        }
    }
}
