//! Numeric-edited pictures: a number as the text a report shows, and back.
//!
//! A picture is compiled to one symbol a character position. Writing follows
//! the rules of MOVE to an edited item; reading takes the digits and the sign
//! out again wherever the picture allows them (de-editing).
//!
//! Reference: IBM Enterprise COBOL Language Reference, "PICTURE clause editing". A
//! character that is not a picture symbol is the currency sign, as CURRENCY SIGN
//! has it.

use super::decimal::{Decimal, DecimalMisfit, RoundingMode, pow10};
use super::{BadNumber, MAX_DIGITS};

/// A compiled numeric-edited picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedPicture {
    symbols: Vec<Symbol>,
    /// Digits before and after the point.
    digits: u16,
    scale: i32,
    /// Characters of the item.
    len: usize,
    /// `*` rather than blanks represent suppressed zeros.
    star: bool,
    /// The decimal point: `.`, or `,` where DECIMAL-POINT IS COMMA.
    point: u8,
    currency: u8,
    /// No position shows a digit whatever the value is.
    all_suppressed: bool,
    signed: bool,
    blank_when_zero: bool,
}

/// Why a picture is not a numeric-edited one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{picture:?} is not a numeric-edited picture: {reason}")]
pub struct PictureError {
    /// The picture as given.
    pub picture: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// Why a number cannot be shown by a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It does not fit the digits of the picture.
    #[error(transparent)]
    Misfit(#[from] DecimalMisfit),
    /// It is negative and the picture has no place for a sign.
    #[error("negative, and the picture shows no sign")]
    NoSign,
}

/// One character position, or the place of an assumed point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symbol {
    /// `9`.
    Digit,
    /// `Z` or `*`.
    Suppress,
    /// A position of a floating string; the first holds no digit.
    Float { shown: u8, first: bool },
    /// A single `+` or `-`.
    Sign(u8),
    /// A single currency sign.
    Currency,
    /// `CR` or `DB`: two positions.
    Letters([u8; 2]),
    /// `.`
    Point,
    /// `V`.
    AssumedPoint,
    /// `,` `0` `/`, or `B` as a blank.
    Insert(u8),
    /// `P`: a digit that is not stored.
    Scaling,
}

impl EditedPicture {
    /// Compiles a picture as written, such as `$$,$$9.99CR`.
    pub fn compile(picture: &str, blank_when_zero: bool) -> Result<EditedPicture, PictureError> {
        EditedPicture::compile_with(picture, blank_when_zero, false)
    }

    /// The same where DECIMAL-POINT IS COMMA may hold.
    pub fn compile_with(
        picture: &str,
        blank_when_zero: bool,
        decimal_comma: bool,
    ) -> Result<EditedPicture, PictureError> {
        let fail = |reason| PictureError {
            picture: picture.to_string(),
            reason,
        };
        let raw = expand(picture).map_err(fail)?;
        let (point, comma) = if decimal_comma {
            (b',', b'.')
        } else {
            (b'.', b',')
        };
        let own = raw
            .iter()
            .find(|c| c.is_ascii_graphic() && !SYMBOLS.contains(c));
        let currency = own.copied().unwrap_or(b'$');
        let count = |c: u8| raw.iter().filter(|s| **s == c).count();
        let mut seen_float = false;
        let mut symbols = Vec::with_capacity(raw.len());
        let mut at = 0;
        while at < raw.len() {
            let c = raw[at];
            symbols.push(match c {
                b'9' => Symbol::Digit,
                b'Z' | b'*' => Symbol::Suppress,
                _ if (c == currency || matches!(c, b'+' | b'-')) && count(c) > 1 => {
                    let first = !seen_float;
                    seen_float = true;
                    Symbol::Float { shown: c, first }
                }
                b'+' | b'-' => Symbol::Sign(c),
                _ if c == currency => Symbol::Currency,
                _ if c == point => Symbol::Point,
                _ if c == comma => Symbol::Insert(c),
                b'V' => Symbol::AssumedPoint,
                b'P' => Symbol::Scaling,
                b'B' => Symbol::Insert(b' '),
                b'0' | b'/' => Symbol::Insert(c),
                b'C' | b'D' => {
                    at += 1;
                    let pair = [c, raw.get(at).copied().unwrap_or(0)];
                    if &pair != b"CR" && &pair != b"DB" {
                        return Err(fail("C and D are allowed only in CR and DB"));
                    }
                    Symbol::Letters(pair)
                }
                b'S' => return Err(fail("S is not allowed in an edited picture")),
                _ => return Err(fail("a symbol that edited pictures do not have")),
            });
            at += 1;
        }
        let mut compiled =
            EditedPicture::measure(symbols, count(b'*') > 0, blank_when_zero).map_err(fail)?;
        (compiled.point, compiled.currency) = (point, currency);
        Ok(compiled)
    }

    fn measure(
        symbols: Vec<Symbol>,
        star: bool,
        blank_when_zero: bool,
    ) -> Result<EditedPicture, &'static str> {
        let (mut digits, mut fraction, mut points) = (0u16, 0i32, 0);
        let (mut leading_p, mut trailing_p) = (0i32, 0i32);
        let mut len = 0;
        let mut signed = false;
        for symbol in &symbols {
            len += symbol.width();
            match symbol {
                Symbol::Point | Symbol::AssumedPoint => points += 1,
                Symbol::Scaling if digits == 0 => leading_p += 1,
                Symbol::Scaling => trailing_p += 1,
                _ if symbol.takes_digit() => {
                    digits += 1;
                    fraction += i32::from(points > 0);
                }
                _ => {}
            }
            signed |= match symbol {
                Symbol::Sign(_) | Symbol::Letters(_) => true,
                Symbol::Float { shown, .. } => matches!(shown, b'+' | b'-'),
                _ => false,
            };
        }
        if points > 1 {
            return Err("more than one decimal point");
        }
        if digits == 0 || digits > MAX_DIGITS {
            return Err("it shows from 1 to 38 digits");
        }
        let scale = match (leading_p, trailing_p) {
            (0, 0) => fraction,
            (0, zeros) => -zeros,
            (zeros, _) => zeros + i32::from(digits),
        };
        let all_suppressed = !symbols.contains(&Symbol::Digit);
        Ok(EditedPicture {
            symbols,
            digits,
            scale,
            len,
            star,
            point: b'.',
            currency: b'$',
            all_suppressed,
            signed,
            blank_when_zero,
        })
    }

    /// Characters of the item.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True for a picture of no characters, which `compile` never gives.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Digits the picture shows.
    pub fn digits(&self) -> u16 {
        self.digits
    }

    /// Whether a comma is its decimal point.
    pub fn has_decimal_comma(&self) -> bool {
        self.point == b','
    }

    /// Digits after the decimal point.
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// Shows a number; `out` gets [`EditedPicture::len`] characters more.
    pub fn edit(
        &self,
        number: Decimal,
        rounding: RoundingMode,
        out: &mut Vec<u8>,
    ) -> Result<(), EditError> {
        let magnitude = number.rescale(self.scale, rounding)?;
        match pow10(usize::from(self.digits)) {
            Some(limit) if magnitude >= limit => return Err(DecimalMisfit::TooLarge.into()),
            _ => {}
        }
        let negative = number.negative && magnitude != 0;
        if negative && !self.signed {
            return Err(EditError::NoSign);
        }
        let pad = if self.star { b'*' } else { b' ' };
        if magnitude == 0 && self.blank_when_zero {
            out.resize(out.len() + self.len, b' ');
            return Ok(());
        }
        if magnitude == 0 && self.all_suppressed {
            self.show_zero(pad, out);
            return Ok(());
        }
        let mut digits = [0u8; MAX_DIGITS as usize];
        let digits = &mut digits[..usize::from(self.digits)];
        super::swar::fill_digits(digits, magnitude);
        self.show(digits, negative, pad, out);
        Ok(())
    }

    /// A zero where no position must show a digit.
    fn show_zero(&self, pad: u8, out: &mut Vec<u8>) {
        for symbol in &self.symbols {
            match symbol {
                Symbol::Point if self.star => out.push(self.point),
                _ => out.resize(out.len() + symbol.width(), pad),
            }
        }
    }

    fn show(&self, digits: &[u8], negative: bool, pad: u8, out: &mut Vec<u8>) {
        let start = out.len();
        let mut digits = digits.iter().copied();
        let mut suppressing = true;
        // The last suppressed position of the floating string and its symbol.
        let mut float = None;
        for symbol in &self.symbols {
            let here = out.len();
            match *symbol {
                Symbol::Digit => {
                    suppressing = false;
                    out.push(digits.next().unwrap_or(b'0'));
                }
                Symbol::Suppress => {
                    let digit = digits.next().unwrap_or(b'0');
                    suppressing &= digit == b'0';
                    out.push(if suppressing { pad } else { digit });
                }
                Symbol::Float { shown, first: true } => {
                    float = Some((here, shown));
                    out.push(pad);
                }
                Symbol::Float {
                    shown,
                    first: false,
                } => {
                    let digit = digits.next().unwrap_or(b'0');
                    suppressing &= digit == b'0';
                    if suppressing {
                        float = Some((here, shown));
                    }
                    out.push(if suppressing { pad } else { digit });
                }
                Symbol::Sign(shown) => out.push(sign_char(shown, negative)),
                Symbol::Currency => out.push(self.currency),
                Symbol::Letters(pair) => {
                    out.extend_from_slice(if negative { &pair } else { b"  " });
                }
                Symbol::Point => {
                    suppressing = false;
                    out.push(self.point);
                }
                Symbol::AssumedPoint => suppressing = false,
                Symbol::Insert(c @ (b'0' | b'/')) => out.push(c),
                Symbol::Insert(_) if suppressing => {
                    if let Some((place, _)) = &mut float {
                        *place = here;
                    }
                    out.push(pad);
                }
                Symbol::Insert(c) => out.push(c),
                Symbol::Scaling => {}
            }
        }
        if let Some((place, shown)) = float {
            out[place] = if matches!(shown, b'+' | b'-') {
                sign_char(shown, negative)
            } else {
                shown
            };
        }
        debug_assert_eq!(out.len() - start, self.len);
    }

    /// Takes the number out of its text, which is ASCII by now.
    pub fn deedit(&self, text: &[u8]) -> Result<Decimal, BadNumber> {
        if text.len() != self.len {
            return Err(BadNumber::Edited);
        }
        if text.iter().all(|c| *c == b' ') {
            return if self.blank_when_zero || self.all_suppressed {
                Ok(Decimal {
                    negative: false,
                    magnitude: 0,
                    scale: self.scale,
                })
            } else {
                Err(BadNumber::Edited)
            };
        }
        let (mut magnitude, mut negative, mut started) = (0u128, false, false);
        let mut rest = text;
        for symbol in &self.symbols {
            let (here, after) = rest.split_at(symbol.width());
            rest = after;
            let c = here.first().copied().unwrap_or(0);
            let sign = matches!(c, b'+' | b'-');
            let fits = match *symbol {
                Symbol::AssumedPoint | Symbol::Scaling => true,
                Symbol::Letters(pair) => {
                    negative |= here == pair;
                    here == pair || here == b"  " || here == b"**"
                }
                Symbol::Point => c == self.point || (magnitude == 0 && matches!(c, b' ' | b'*')),
                Symbol::Sign(_)
                | Symbol::Float {
                    shown: b'+' | b'-',
                    first: true,
                } => {
                    negative |= c == b'-';
                    sign || matches!(c, b' ' | b'*')
                }
                Symbol::Currency | Symbol::Float { first: true, .. } => {
                    c == self.currency || matches!(c, b' ' | b'*')
                }
                Symbol::Insert(own) => {
                    negative |= c == b'-' && !started;
                    c == own
                        || (!started && (sign || c == self.currency || matches!(c, b' ' | b'*')))
                        || (own == b' ' && c == b'*')
                }
                Symbol::Digit | Symbol::Suppress | Symbol::Float { .. } => {
                    magnitude *= 10;
                    if c.is_ascii_digit() {
                        started = true;
                        magnitude += u128::from(c - b'0');
                        true
                    } else {
                        negative |= c == b'-';
                        !started
                            && match *symbol {
                                Symbol::Suppress => matches!(c, b' ' | b'*'),
                                Symbol::Float {
                                    shown: b'+' | b'-', ..
                                } => sign || c == b' ',
                                Symbol::Float { shown, .. } => c == shown || c == b' ',
                                _ => false,
                            }
                    }
                }
            };
            if !fits {
                return Err(BadNumber::Edited);
            }
        }
        Ok(Decimal {
            negative,
            magnitude,
            scale: self.scale,
        })
    }
}

impl Symbol {
    fn width(self) -> usize {
        match self {
            Symbol::AssumedPoint | Symbol::Scaling => 0,
            Symbol::Letters(_) => 2,
            _ => 1,
        }
    }

    fn takes_digit(self) -> bool {
        matches!(
            self,
            Symbol::Digit | Symbol::Suppress | Symbol::Float { first: false, .. }
        )
    }
}

/// The picture with its repetition counts written out, in upper case.
fn expand(picture: &str) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::new();
    let mut rest = picture.as_bytes();
    while let [c, tail @ ..] = rest {
        rest = tail;
        let c = c.to_ascii_uppercase();
        let mut times = 1usize;
        if let [b'(', tail @ ..] = rest {
            let close = tail
                .iter()
                .position(|b| *b == b')')
                .ok_or("a count without )")?;
            let count = std::str::from_utf8(&tail[..close]).unwrap_or("");
            times = count
                .trim()
                .parse()
                .map_err(|_| "a count that is not a number")?;
            rest = &tail[close + 1..];
        }
        if times > MAX_PICTURE - out.len() {
            return Err("longer than 1024 characters");
        }
        out.resize(out.len() + times, c);
    }
    Ok(out)
}

fn sign_char(shown: u8, negative: bool) -> u8 {
    match (negative, shown) {
        (true, _) => b'-',
        (false, b'+') => b'+',
        (false, _) => b' ',
    }
}

/// What a picture may hold next to its currency sign.
const SYMBOLS: &[u8] = b"9Z*+-.,VPB0/CRDSXAN";
/// Far above what COBOL admits for a numeric-edited item.
const MAX_PICTURE: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(picture: &str, number: &str) -> String {
        let picture = EditedPicture::compile(picture, false).unwrap();
        let mut out = Vec::new();
        let number = Decimal::parse(number.as_bytes()).unwrap();
        picture
            .edit(number, RoundingMode::Refuse, &mut out)
            .unwrap();
        let back = picture.deedit(&out).unwrap();
        assert_eq!(
            back.rescale(30, RoundingMode::Refuse),
            number.rescale(30, RoundingMode::Refuse)
        );
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_manuals_examples_come_out_as_printed() {
        assert_eq!(shown("ZZZ,ZZ9.99", "1234.5"), "  1,234.50");
        assert_eq!(shown("$$$,$$9.99", "0.25"), "     $0.25");
        assert_eq!(shown("$$$,$$9.99", "1234.5"), " $1,234.50");
        assert_eq!(shown("$$,$$9", "123"), "  $123");
        assert_eq!(shown("**,***.99", "12.5"), "****12.50");
        assert_eq!(shown("**.**", "0"), "**.**");
        assert_eq!(shown("ZZ.ZZ", "0"), "     ");
        assert_eq!(shown("-(5)9", "-42"), "   -42");
        assert_eq!(shown("+++9", "7"), "  +7");
        assert_eq!(shown("9(3).9CR", "-1.5"), "001.5CR");
        assert_eq!(shown("9(3).9DB", "1.5"), "001.5  ");
        assert_eq!(shown("99/99/9999", "31122024"), "31/12/2024");
        assert_eq!(shown("9B9B9", "123"), "1 2 3");
        assert_eq!(shown("Z(4)9-", "-12"), "   12-");
        assert_eq!(shown("9(3)V99", "1.25"), "00125");
    }

    #[test]
    fn numbers_that_the_picture_cannot_show_are_refused() {
        let edit = |picture: &str, number: &str| {
            EditedPicture::compile(picture, false).unwrap().edit(
                Decimal::parse(number.as_bytes()).unwrap(),
                RoundingMode::Refuse,
                &mut Vec::new(),
            )
        };
        assert_eq!(edit("ZZ9", "1000"), Err(DecimalMisfit::TooLarge.into()));
        assert_eq!(edit("ZZ9.9", "1.25"), Err(DecimalMisfit::Inexact.into()));
        assert_eq!(edit("ZZ9", "-1"), Err(EditError::NoSign));
    }

    #[test]
    fn text_that_does_not_fit_the_picture_is_refused() {
        let picture = EditedPicture::compile("ZZ,ZZ9.99-", false).unwrap();
        for bad in [
            "",
            "          ",
            "abcdefghij",
            "12x345.67 ",
            " 1,2 4.56 ",
            "12,345,67 ",
        ] {
            assert_eq!(
                picture.deedit(bad.as_bytes()),
                Err(BadNumber::Edited),
                "{bad:?}"
            );
        }
        let blank = EditedPicture::compile("999", true).unwrap();
        assert_eq!(blank.deedit(b"   ").map(|d| d.magnitude), Ok(0));
    }

    #[test]
    fn comma_and_other_currencies_take_their_places() {
        let picture = EditedPicture::compile_with("EEE.EE9,99", false, true).unwrap();
        assert_eq!((picture.digits(), picture.scale()), (7, 2));
        let mut out = Vec::new();
        let number = Decimal::parse(b"1234.5").unwrap();
        picture
            .edit(number, RoundingMode::Refuse, &mut out)
            .unwrap();
        assert_eq!(out, b" E1.234,50");
        assert_eq!(
            picture.deedit(&out).map(|d| (d.magnitude, d.scale)),
            Ok((123450, 2))
        );
    }

    #[test]
    fn broken_pictures_are_refused() {
        for bad in [
            "", "9(", "9(x)", "XX", "ZZ.9.9", "9C", "9(2000)", "S99", "B,B", "9(0)",
        ] {
            assert!(EditedPicture::compile(bad, false).is_err(), "{bad:?}");
        }
    }
}
