//! BIF DEEDIT: what is left of an edited number.
//!
//! Reference: CICS API reference, BIF DEEDIT: digits move to the right, zeros
//! fill the left; a minus sign or CR at the end makes the last digit's zone
//! negative. The zone is the one that programs here have: GnuCOBOL's ASCII.

use cics::command::commands::bif_deedit as row;
use cics::resp::Condition;

use crate::exec::{Call, Outcome, condition};
use crate::worker::Worker;

pub fn serve(_w: &mut Worker, call: &Call<'_>) -> Outcome {
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
    let last = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
    let negative = text[..last].ends_with(b"-") || text[..last].ends_with(b"CR");
    let digits: Vec<u8> = text.iter().copied().filter(u8::is_ascii_digit).collect();
    let mut result = vec![b'0'; text.len() - digits.len()];
    result.extend_from_slice(&digits);
    if let (true, Some(digit)) = (negative, result.last_mut()) {
        *digit = *digit - b'0' + b'p';
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_left_and_signs_go_to_the_last_one() {
        assert_eq!(deedit(b"14-6704/B"), b"000146704");
        assert_eq!(deedit(b"$25.68"), b"002568");
        assert_eq!(deedit(b"$25.68-"), b"000256x");
        assert_eq!(deedit(b"25.68CR "), b"0000256x");
        assert_eq!(deedit(b"   "), b"000");
    }
}
