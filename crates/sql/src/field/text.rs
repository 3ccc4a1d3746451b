//! Characters: a byte of a program's text and the server's character for it.
//!
//! PostgreSQL has no character 0 in text. LOW-VALUES must still sort before
//! everything else, so byte 0 becomes U+0001, and byte 1 a character above
//! U+00FF. All other bytes are the characters of the same number.
//!
//! Invariant: converting there and back returns the same text.

/// The server's character for a byte of a program.
pub fn to_server(byte: u8) -> char {
    match byte {
        0 => '\u{1}',
        1 => '\u{100}',
        b => char::from(b),
    }
}

/// The byte of a program for a character of the server; `?` for a character without one.
pub fn from_server(c: char) -> u8 {
    match c {
        '\u{1}' => 0,
        '\u{100}' => 1,
        c => u8::try_from(u32::from(c)).unwrap_or(b'?'),
    }
}

/// Writes bytes of a program as UTF-8.
pub(super) fn write_utf8(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.iter().all(|b| matches!(b, 2..=127)) {
        out.extend_from_slice(bytes);
        return;
    }
    for byte in bytes {
        out.extend_from_slice(to_server(*byte).encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Reads UTF-8 into bytes of a program; the number of characters that there
/// are, and how many of those that are cut are not blanks.
pub(super) fn read_utf8(value: &[u8], out: &mut [u8]) -> (usize, bool) {
    let mut lost = false;
    if value.iter().all(|b| matches!(b, 2..=127)) {
        let fits = value.len().min(out.len());
        out[..fits].copy_from_slice(&value[..fits]);
        lost |= value[fits..].iter().any(|b| *b != b' ');
        return (value.len(), lost);
    }
    let mut count = 0;
    for c in String::from_utf8_lossy(value).chars() {
        let byte = from_server(c);
        match out.get_mut(count) {
            Some(place) => *place = byte,
            None => lost |= byte != b' ',
        }
        count += 1;
    }
    (count, lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back_and_low_values_sort_first() {
        for byte in 0..=255u8 {
            assert_eq!(from_server(to_server(byte)), byte);
            assert!(byte <= 1 || to_server(0) < to_server(byte));
        }
    }
}
