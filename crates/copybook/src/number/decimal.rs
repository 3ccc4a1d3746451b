//! An exact decimal: sign, up to 38 digits, and where the point is.
//!
//! Sits between decimal text (JSON numbers, path parameters) and the storage
//! forms of the sibling modules.

use super::swar;

/// The number ±`magnitude` × 10^−`scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    /// Below zero; a zero keeps the sign it was written with.
    pub negative: bool,
    /// All digits as an integer, below 10^38.
    pub magnitude: u128,
    /// Digits after the point; negative when zeros are left out at the end.
    pub scale: i32,
}

/// Why text is not a decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// Not a decimal number.
    #[error("not a decimal number")]
    Syntax,
    /// More than 38 significant digits.
    #[error("more than 38 significant digits")]
    TooManyDigits,
}

/// Why a decimal does not fit a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecimalMisfit {
    /// Digits before the field's first.
    #[error("too large")]
    TooLarge,
    /// Digits after the field's last.
    #[error("more decimal places than the field has")]
    Inexact,
}

/// What to do with digits after the field's last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RoundingMode {
    /// Refuse them.
    #[default]
    Refuse,
    /// Drop them, as MOVE does.
    Truncate,
    /// Round half away from zero, as COMPUTE ROUNDED does.
    Nearest,
}

impl Decimal {
    /// Reads decimal text: an optional sign, digits with an optional point,
    /// an optional exponent. `.5` and `5.` are accepted, blanks around too.
    pub fn parse(text: &[u8]) -> Result<Decimal, DecimalError> {
        let text = text.trim_ascii();
        let (body, negative) = match text.first() {
            Some(b'-') => (&text[1..], true),
            Some(b'+') => (&text[1..], false),
            _ => (text, false),
        };
        let mut digits = DigitBuffer::default();
        let mut pos = digits.run(body, 0, false)?;
        let mut seen = pos;
        if body.get(pos) == Some(&b'.') {
            let end = digits.run(body, pos + 1, true)?;
            seen += end - pos - 1;
            pos = end;
        }
        if seen == 0 {
            return Err(DecimalError::Syntax);
        }
        pos = digits.exponent(body, pos).ok_or(DecimalError::Syntax)?;
        if pos != body.len() {
            return Err(DecimalError::Syntax);
        }
        Ok(digits.finish(negative))
    }

    /// The magnitude as an integer number of 10^−`scale`.
    pub fn rescale(self, scale: i32, rounding: RoundingMode) -> Result<u128, DecimalMisfit> {
        if scale == self.scale || self.magnitude == 0 {
            return Ok(self.magnitude);
        }
        let shift = i64::from(scale) - i64::from(self.scale);
        if shift > 0 {
            return usize::try_from(shift)
                .ok()
                .and_then(pow10)
                .and_then(|factor| self.magnitude.checked_mul(factor))
                .ok_or(DecimalMisfit::TooLarge);
        }
        let (quotient, up) = match usize::try_from(-shift).ok().and_then(pow10) {
            Some(divisor) => match (u64::try_from(self.magnitude), u64::try_from(divisor)) {
                (Ok(magnitude), Ok(divisor)) => {
                    let rest = magnitude % divisor;
                    if rest == 0 {
                        return Ok(u128::from(magnitude / divisor));
                    }
                    (u128::from(magnitude / divisor), rest >= divisor.div_ceil(2))
                }
                _ => {
                    let rest = self.magnitude % divisor;
                    if rest == 0 {
                        return Ok(self.magnitude / divisor);
                    }
                    (self.magnitude / divisor, rest >= divisor.div_ceil(2))
                }
            },
            None => (0, false),
        };
        match rounding {
            RoundingMode::Refuse => Err(DecimalMisfit::Inexact),
            RoundingMode::Truncate => Ok(quotient),
            RoundingMode::Nearest => Ok(quotient + u128::from(up)),
        }
    }
}

/// Reads a JSON number that starts at `pos`; returns the decimal and the place
/// after it. `Err` carries the place of the fault.
#[inline]
pub(crate) fn scan_json(
    input: &[u8],
    pos: usize,
) -> Result<(Decimal, usize), (DecimalError, usize)> {
    let negative = input.get(pos) == Some(&b'-');
    let start = pos + usize::from(negative);
    let mut digits = DigitBuffer::default();
    let mut at = digits.run(input, start, false).map_err(|e| (e, start))?;
    if at == start || (at > start + 1 && input[start] == b'0') {
        return Err((DecimalError::Syntax, start));
    }
    match input.get(at) {
        Some(b'.') => {
            let end = digits.run(input, at + 1, true).map_err(|e| (e, start))?;
            if end == at + 1 {
                return Err((DecimalError::Syntax, end));
            }
            at = end;
            if matches!(input.get(at), Some(b'e' | b'E')) {
                at = digits
                    .exponent(input, at)
                    .ok_or((DecimalError::Syntax, at))?;
            }
        }
        Some(b'e' | b'E') => {
            at = digits
                .exponent(input, at)
                .ok_or((DecimalError::Syntax, at))?;
        }
        _ => {}
    }
    Ok((digits.finish(negative), at))
}

/// A JSON number of at most 18 digits without an exponent, at `pos`, if that is
/// what is there; nothing else is looked at.
#[inline(always)]
pub(crate) fn scan_small(input: &[u8], pos: usize) -> Option<(SmallDecimal, usize)> {
    let negative = input.get(pos) == Some(&b'-');
    let start = pos + usize::from(negative);
    let (whole, mut at) = run_small(input, start, 0);
    if at == start || (at > start + 1 && input[start] == b'0') {
        return None;
    }
    let mut number = SmallDecimal {
        negative,
        magnitude: whole,
        scale: 0,
    };
    let mut digits = at - start;
    if input.get(at) == Some(&b'.') {
        let (magnitude, end) = run_small(input, at + 1, whole);
        number.magnitude = magnitude;
        number.scale = (end - at - 1) as u32;
        if number.scale == 0 {
            return None;
        }
        digits += end - at - 1;
        at = end;
    }
    // More than 18 digits may have overflowed.
    (digits <= 18 && !matches!(input.get(at), Some(b'e' | b'E'))).then_some((number, at))
}

/// A run of digits after those in `value`, modulo 2^64; where it ends.
#[inline(always)]
fn run_small(text: &[u8], mut pos: usize, mut value: u64) -> (u64, usize) {
    if let Some(chunk) = text.get(pos..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk);
        if swar::all_digits(word) {
            value = value
                .wrapping_mul(100_000_000)
                .wrapping_add(swar::parse8(word));
            pos += 8;
        }
    }
    while let Some(digit) = digit_at(text, pos) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        pos += 1;
    }
    (value, pos)
}

/// A decimal of at most 18 digits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SmallDecimal {
    pub negative: bool,
    pub magnitude: u64,
    pub scale: u32,
}

impl SmallDecimal {
    /// The magnitude at a field's scale, if the field has that many digits and
    /// no more than 18.
    #[inline(always)]
    pub(crate) fn fit(self, digits: u8, scale: i16) -> Option<u64> {
        let limit = *SMALL_POWERS.get(usize::from(digits))?;
        let shift = usize::try_from(i64::from(scale) - i64::from(self.scale)).ok()?;
        let magnitude = self.magnitude.checked_mul(*SMALL_POWERS.get(shift)?)?;
        (magnitude < limit).then_some(magnitude)
    }
}

/// Digits gathered so far.
#[derive(Default)]
struct DigitBuffer {
    magnitude: u128,
    scale: i32,
}

impl DigitBuffer {
    /// Takes the run of digits at `pos`; returns the place after it.
    #[inline]
    fn run(&mut self, text: &[u8], mut pos: usize, fraction: bool) -> Result<usize, DecimalError> {
        let start = pos;
        if let Ok(mut small) = u64::try_from(self.magnitude) {
            // Below this, eight more digits cannot overflow.
            if small < SMALL
                && let Some(chunk) = text.get(pos..pos + 8)
            {
                let word = u64::from_le_bytes([
                    chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
                ]);
                if swar::all_digits(word) {
                    small = small * 100_000_000 + swar::parse8(word);
                    pos += 8;
                }
            }
            while small < SMALL_STEP
                && let Some(digit) = digit_at(text, pos)
            {
                small = small * 10 + u64::from(digit);
                pos += 1;
            }
            self.magnitude = u128::from(small);
            if fraction {
                self.scale += (pos - start) as i32;
            }
        }
        while let Some(digit) = digit_at(text, pos) {
            if self.magnitude < LARGE_STEP {
                self.magnitude = self.magnitude * 10 + u128::from(digit);
                self.scale += i32::from(fraction);
            } else if digit != 0 {
                return Err(DecimalError::TooManyDigits);
            } else if !fraction {
                self.scale = self.scale.saturating_sub(1);
            }
            pos += 1;
        }
        Ok(pos)
    }

    /// Takes an exponent if there is one; `None` if it is broken.
    fn exponent(&mut self, text: &[u8], mut pos: usize) -> Option<usize> {
        if !matches!(text.get(pos), Some(b'e' | b'E')) {
            return Some(pos);
        }
        pos += 1;
        let negative = match text.get(pos) {
            Some(b'-') => {
                pos += 1;
                true
            }
            Some(b'+') => {
                pos += 1;
                false
            }
            _ => false,
        };
        let start = pos;
        let mut exponent = 0i32;
        while let Some(digit) = digit_at(text, pos) {
            exponent = exponent.saturating_mul(10).saturating_add(i32::from(digit));
            pos += 1;
        }
        let signed = if negative { -exponent } else { exponent };
        self.scale = self.scale.saturating_sub(signed);
        (pos > start).then_some(pos)
    }

    fn finish(self, negative: bool) -> Decimal {
        Decimal {
            negative,
            magnitude: self.magnitude,
            scale: self.scale,
        }
    }
}

#[inline]
fn digit_at(text: &[u8], pos: usize) -> Option<u8> {
    text.get(pos)
        .map(|b| b.wrapping_sub(b'0'))
        .filter(|d| *d < 10)
}

/// 10^`exponent`, if a `u128` holds it.
#[inline]
pub(crate) fn pow10(exponent: usize) -> Option<u128> {
    POWERS.get(exponent).copied()
}

const POWERS: [u128; 39] = {
    let mut powers = [1u128; 39];
    let mut n = 1;
    while n < 39 {
        powers[n] = powers[n - 1] * 10;
        n += 1;
    }
    powers
};

const SMALL_POWERS: [u64; 19] = {
    let mut powers = [1; 19];
    let mut n = 1;
    while n < 19 {
        powers[n] = powers[n - 1] * 10;
        n += 1;
    }
    powers
};

/// A `u64` below this takes eight more digits.
const SMALL: u64 = 100_000_000_000;
/// A `u64` below this takes one more digit.
const SMALL_STEP: u64 = 1_000_000_000_000_000_000;
/// A magnitude below this takes one more digit within 38.
const LARGE_STEP: u128 = POWERS[37];

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (bool, u128, i32) {
        let d = Decimal::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
        (d.negative, d.magnitude, d.scale)
    }

    #[test]
    fn decimal_text_is_read_exactly() {
        assert_eq!(parsed("-12.340"), (true, 12340, 3));
        assert_eq!(parsed("1e3"), (false, 1, -3));
        assert_eq!(parsed("1.5E-2"), (false, 15, 3));
        assert_eq!(parsed(" +.5 "), (false, 5, 1));
        assert_eq!(
            parsed("12345678901234567890.12"),
            (false, 1234567890123456789012, 2)
        );
        let digits = "9".repeat(38);
        assert_eq!(parsed(&digits), (false, 10u128.pow(38) - 1, 0));
        assert_eq!(
            parsed(&format!("{digits}.000")),
            (false, 10u128.pow(38) - 1, 0)
        );
        assert_eq!(
            parsed(&format!("{digits}000")),
            (false, 10u128.pow(38) - 1, -3)
        );
        for bad in ["", "-", ".", "1e", "1 2", "0x1", "--1", "1..2"] {
            assert_eq!(
                Decimal::parse(bad.as_bytes()),
                Err(DecimalError::Syntax),
                "{bad:?}"
            );
        }
        assert_eq!(
            Decimal::parse(format!("{digits}1").as_bytes()),
            Err(DecimalError::TooManyDigits)
        );
    }

    #[test]
    fn json_numbers_keep_their_stricter_grammar() {
        let scan = |t: &str| scan_json(t.as_bytes(), 0).map(|(d, at)| (d.magnitude, d.scale, at));
        assert_eq!(scan("10,"), Ok((10, 0, 2)));
        assert_eq!(scan("0.50}"), Ok((50, 2, 4)));
        assert_eq!(scan("1E+2 "), Ok((1, -2, 4)));
        for bad in ["01", "+1", ".5", "1.", "1.e2", "1e", "-", "x"] {
            assert!(scan(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn small_numbers_are_read_like_all_others() {
        for text in [
            "0",
            "-1",
            "7,",
            "12345678",
            "123456789012345678}",
            "-0.5",
            "1234567.89 ",
            "0.00000000000000001",
        ] {
            let (small, end) = scan_small(text.as_bytes(), 0).expect(text);
            let (number, after) = scan_json(text.as_bytes(), 0).expect(text);
            assert_eq!(
                (
                    small.negative,
                    u128::from(small.magnitude),
                    small.scale as i32,
                    end
                ),
                (number.negative, number.magnitude, number.scale, after),
                "{text}"
            );
        }
        for text in [
            "",
            "-",
            "01",
            "1.",
            ".5",
            "1e3",
            "1.5E2",
            "1234567890123456789",
            "0.1234567890123456789",
        ] {
            assert!(scan_small(text.as_bytes(), 0).is_none(), "{text}");
        }
        let small = SmallDecimal {
            negative: false,
            magnitude: 125,
            scale: 1,
        };
        assert_eq!(small.fit(4, 2), Some(1250));
        assert_eq!(
            (small.fit(3, 2), small.fit(4, 0), small.fit(19, 2)),
            (None, None, None)
        );
    }

    #[test]
    fn digits_beyond_the_field_are_refused_cut_or_rounded() {
        let d = Decimal {
            negative: false,
            magnitude: 12345,
            scale: 3,
        };
        assert_eq!(d.rescale(4, RoundingMode::Refuse), Ok(123450));
        assert_eq!(
            d.rescale(2, RoundingMode::Refuse),
            Err(DecimalMisfit::Inexact)
        );
        assert_eq!(d.rescale(2, RoundingMode::Truncate), Ok(1234));
        assert_eq!(d.rescale(2, RoundingMode::Nearest), Ok(1235));
        assert_eq!(d.rescale(-3, RoundingMode::Truncate), Ok(0));
        assert_eq!(
            d.rescale(60, RoundingMode::Refuse),
            Err(DecimalMisfit::TooLarge)
        );
        let tiny = Decimal {
            negative: false,
            magnitude: 1,
            scale: i32::MAX,
        };
        assert_eq!(tiny.rescale(0, RoundingMode::Nearest), Ok(0));
        assert_eq!(
            tiny.rescale(i32::MIN, RoundingMode::Refuse),
            Err(DecimalMisfit::Inexact)
        );
    }
}
