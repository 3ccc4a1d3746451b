//! How many positions a COBOL picture has in storage.
//!
//! Reference: Enterprise COBOL Language Reference, "PICTURE clause". S, V and P
//! take no position; CR and DB take two.

/// Positions of a picture. Returns `None` if it is none, or longer than 65,535.
pub fn picture_length(picture: &str) -> Option<u16> {
    let chars: Vec<char> = picture.to_ascii_uppercase().chars().collect();
    let mut length = 0u32;
    let mut index = 0;
    while index < chars.len() {
        let symbol = chars[index];
        let size: u32 = match symbol {
            'S' | 'V' | 'P' => 0,
            'C' if chars.get(index + 1) == Some(&'R') => 2,
            'D' if chars.get(index + 1) == Some(&'B') => 2,
            'X' | 'A' | '9' | 'Z' | '*' | 'B' | '0' | '/' | ',' | '.' | '+' | '-' | '$' | 'G'
            | 'N' | 'E' => 1,
            _ => return None,
        };
        index += if size == 2 { 2 } else { 1 };
        let mut times = 1u32;
        if chars.get(index) == Some(&'(') {
            let close = chars[index..].iter().position(|c| *c == ')')? + index;
            let digits: String = chars[index + 1..close].iter().collect();
            times = digits.parse().ok()?;
            index = close + 1;
        }
        length = length.checked_add(size.checked_mul(times)?)?;
    }
    u16::try_from(length).ok().filter(|length| *length > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_as_cobol_counts_them() {
        for (picture, length) in [
            ("99.99", 5),
            ("ZZ,ZZ9", 6),
            ("ZZZ,ZZZ,ZZZ-", 12),
            ("$$$,$$0.00", 10),
            ("+ZZZ,ZZZ.99", 11),
            ("99B99B99", 8),
            ("9(6)", 6),
            ("S9(9)V9(2)", 11),
            ("9V9999", 5),
            ("X", 1),
            ("Z(3)9CR", 6),
        ] {
            assert_eq!(picture_length(picture), Some(length), "{picture}");
        }
        for wrong in ["", "V", "9(", "9(X)", "hello?", "9(99999)"] {
            assert_eq!(picture_length(wrong), None, "{wrong}");
        }
    }
}
