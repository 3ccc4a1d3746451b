//! BIF DEEDIT: the digits and the sign of an edited number.
//!
//! Reference: CICS API reference, BIF DEEDIT: digits move to the right, zeros
//! fill the left. "If the field ends with a minus sign or a carriage-return
//! (CR)", the last digit's zone is negative; a blank after it is another end.
//! A last byte with zone A to F and a digit stays as it is, so that zoned
//! numbers can be edited: in this code page these are the characters that have
//! such a byte in EBCDIC, and the negative digits that GnuCOBOL writes in
//! ASCII. A field of one byte stays as it is, whatever it holds.

use cics::command::commands::bif_deedit as row;
use cics::resp::Condition;
use copybook::codepage::CodePage;

use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

pub fn serve(_w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let Some(field) = call.arg(row::FIELD) else {
        return condition(Condition::LengErr, 0);
    };
    let length = call.int(row::LENGTH).unwrap_or(field.size() as i64);
    let Ok(length @ 1..) = usize::try_from(length) else {
        return condition(Condition::LengErr, 0);
    };
    let text = &field.bytes()[..length.min(field.size())];
    field.set_bytes(&deedit(text), length);
    Ok(())
}

fn deedit(text: &[u8]) -> Vec<u8> {
    if text.len() == 1 {
        return text.to_vec();
    }
    let negative = text.ends_with(b"-") || text.ends_with(b"CR");
    let kept = text.last().copied().filter(|b| !negative && is_zoned(*b));
    let rest = &text[..text.len() - usize::from(kept.is_some())];
    let mut digits: Vec<u8> = rest.iter().copied().filter(u8::is_ascii_digit).collect();
    digits.extend(kept);
    let mut result = vec![b'0'; text.len() - digits.len()];
    result.extend_from_slice(&digits);
    if let (true, Some(digit)) = (negative, result.last_mut()) {
        *digit = *digit - b'0' + b'p';
    }
    result
}

/// Whether a byte is a digit with a zone, as it is in EBCDIC or as GnuCOBOL
/// has it.
fn is_zoned(byte: u8) -> bool {
    let there = CodePage::by_ccsid(37)
        .ok()
        .and_then(|page| page.byte_of(char::from(byte)));
    there.is_some_and(|b| b >= 0xA0 && b & 15 < 10) || matches!(byte, b'p'..=b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_left_and_signs_go_to_the_last_one() {
        // Both are the manual's.
        assert_eq!(deedit(b"14-6704/B"), b"00146704B");
        assert_eq!(deedit(b"$25.68   "), b"000002568");
        assert_eq!(deedit(b"1,234q"), b"01234q");
        assert_eq!(deedit(b"$25.68"), b"002568");
        assert_eq!(deedit(b"$25.68-"), b"000256x");
        assert_eq!(deedit(b"25.68CR"), b"000256x");
        // The sign must be the field's end.
        assert_eq!(deedit(b"25.68CR "), b"00002568");
        assert_eq!(deedit(b"25- "), b"0025");
        assert_eq!(deedit(b"   "), b"000");
        // "A 1 byte field is returned unaltered, no matter what the field contains."
        for one in [b"*", b"-", b"7", b" "] {
            assert_eq!(deedit(one), one);
        }
    }
}
