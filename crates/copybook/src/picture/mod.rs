//! PICTURE strings: which category of data, how many bytes, which digits.
//!
//! Reference: Enterprise COBOL Language Reference, "PICTURE clause"; the
//! order of symbols is in [`order`].
//!
//! Invariant: a string this module accepts has one meaning and a known size;
//! counts are bounded before they are added up.

mod order;

use std::fmt::Write as _;

/// Bytes one item may have, as for `cobc`.
pub const MAX_ITEM_BYTES: u64 = 268_435_456;
/// Digits a number may have.
const MAX_DIGITS: u64 = 38;
/// Characters a PICTURE string may have, as for `cobc`.
const MAX_TEXT: usize = 255;

/// The category of data a picture describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureCategory {
    /// A only.
    Alphabetic,
    /// X, or a mixture of X, A and 9.
    Alphanumeric,
    /// X or A with B, 0 or /.
    AlphanumericEdited,
    /// N only.
    National,
    /// N with B, 0 or /.
    NationalEdited,
    /// G, possibly with B.
    Dbcs,
    /// 9, S, V and P only.
    Numeric,
    /// A number in readable form.
    NumericEdited,
}

/// An understood PICTURE string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// What it describes.
    pub category: PictureCategory,
    /// Bytes in USAGE DISPLAY without a separate sign; DBCS and national
    /// characters take two.
    pub bytes: u32,
    /// Character positions.
    pub characters: u32,
    /// Digit positions, P not counted.
    pub digits: u16,
    /// Digits after the point, P counted; negative when P is on the right.
    pub scale: i16,
    /// Whether it can show a sign.
    pub signed: bool,
    /// Whether it has `*`.
    pub has_star: bool,
}

/// What pictures depend on besides their own text.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The currency symbol.
    pub currency: char,
    /// Whether comma and point change places.
    pub decimal_comma: bool,
    /// The value of a constant used as a repetition.
    pub constant: &'a dyn Fn(&str) -> Option<u64>,
}

/// A symbol of the string, as the rules see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symbol {
    /// A
    Alphabetic,
    /// X
    Any,
    /// 9
    Nine,
    /// N
    National,
    /// G
    Dbcs,
    /// B 0 /
    Insertion,
    /// The separator of thousands.
    Comma,
    /// The decimal point.
    Point,
    /// + or -
    Sign(char),
    /// CR or DB
    CreditDebit,
    /// The currency symbol.
    Currency,
    /// Z
    Blank,
    /// *
    Star,
    /// S
    Signed,
    /// V
    Assumed,
    /// P
    Scaling,
}

/// A symbol and how many times it is repeated.
type SymbolRun = (Symbol, u64);

impl Picture {
    /// Understands `text`, which is in upper case and without blanks. The
    /// error is a sentence for the reader of the copybook.
    pub fn parse(text: &str, context: Context<'_>) -> Result<Picture, String> {
        if text.chars().count() > MAX_TEXT {
            return Err(format!("a PICTURE has at most {MAX_TEXT} characters"));
        }
        let runs = runs(text, context)?;
        order::check(&runs)?;
        PictureSummary::of(&runs).picture()
    }
}

/// Splits the text into runs of one symbol.
fn runs(text: &str, context: Context<'_>) -> Result<Vec<SymbolRun>, String> {
    let mut runs: Vec<SymbolRun> = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut index = 0usize;
    let mut total = 0u64;
    while index < chars.len() {
        let (symbol, used) = symbol(&chars[index..], context)?;
        index += used;
        let mut count = 1u64;
        if chars.get(index) == Some(&'(') {
            let close = chars[index..]
                .iter()
                .position(|c| *c == ')')
                .ok_or("the closing parenthesis is missing in the PICTURE")?;
            let inner: String = chars[index + 1..index + close].iter().collect();
            count = repetition(&inner, context)?;
            index += close + 1;
        }
        total = total.saturating_add(count);
        if total > MAX_ITEM_BYTES {
            return Err(format!(
                "the PICTURE describes more than {MAX_ITEM_BYTES} characters"
            ));
        }
        match runs.last_mut() {
            Some((last, times)) if *last == symbol => *times += count,
            _ => runs.push((symbol, count)),
        }
    }
    Ok(runs)
}

/// The symbol at the start of `rest` and how many characters it takes.
fn symbol(rest: &[char], context: Context<'_>) -> Result<(Symbol, usize), String> {
    let (point, comma) = if context.decimal_comma {
        (',', '.')
    } else {
        ('.', ',')
    };
    let symbol = match rest[0] {
        c if c == context.currency => Symbol::Currency,
        'A' => Symbol::Alphabetic,
        'X' => Symbol::Any,
        '9' => Symbol::Nine,
        'N' => Symbol::National,
        'G' => Symbol::Dbcs,
        'B' | '0' | '/' => Symbol::Insertion,
        c if c == comma => Symbol::Comma,
        c if c == point => Symbol::Point,
        c @ ('+' | '-') => Symbol::Sign(c),
        'C' if rest.get(1) == Some(&'R') => return Ok((Symbol::CreditDebit, 2)),
        'D' if rest.get(1) == Some(&'B') => return Ok((Symbol::CreditDebit, 2)),
        'Z' => Symbol::Blank,
        '*' => Symbol::Star,
        'S' => Symbol::Signed,
        'V' => Symbol::Assumed,
        'P' => Symbol::Scaling,
        '(' => return Err("a repetition in a PICTURE must follow a symbol".into()),
        'E' => return Err("external floating point (E in a PICTURE) is not supported".into()),
        '1' => return Err("boolean data (1 in a PICTURE) is not supported".into()),
        c => return Err(format!("'{c}' is not a PICTURE symbol")),
    };
    Ok((symbol, 1))
}

/// The number between the parentheses of a repetition.
fn repetition(inner: &str, context: Context<'_>) -> Result<u64, String> {
    let count = if inner.chars().all(|c| c.is_ascii_digit()) && !inner.is_empty() {
        inner.parse().unwrap_or(u64::MAX)
    } else {
        (context.constant)(inner)
            .ok_or_else(|| format!("({inner}) in a PICTURE is neither a number nor a constant"))?
    };
    if count == 0 {
        return Err("a repetition in a PICTURE must be greater than zero".into());
    }
    Ok(count)
}

/// What a string contains, counted.
#[derive(Default)]
struct PictureSummary {
    alphabetic: u64,
    any: u64,
    nine: u64,
    national: u64,
    dbcs: u64,
    insertion: u64,
    comma: u64,
    point: u64,
    signs: u64,
    credit_debit: u64,
    currency: u64,
    suppressed: u64,
    star: bool,
    signed: bool,
    scaling: u64,
    /// P before every digit.
    scaling_left: bool,
    /// Digits after the point.
    fraction: u64,
    floating: u64,
}

impl PictureSummary {
    fn of(runs: &[SymbolRun]) -> PictureSummary {
        let mut sum = PictureSummary::default();
        let mut after_point = false;
        for (index, &(symbol, count)) in runs.iter().enumerate() {
            let floats = order::is_floating(runs, index);
            let digits = match symbol {
                Symbol::Nine | Symbol::Blank | Symbol::Star => count,
                // The first of a floating string is the sign itself.
                Symbol::Sign(_) | Symbol::Currency if floats && sum.floating > 0 => count,
                Symbol::Sign(_) | Symbol::Currency if floats => count - 1,
                _ => 0,
            };
            match symbol {
                Symbol::Alphabetic => sum.alphabetic += count,
                Symbol::Any => sum.any += count,
                Symbol::Nine => sum.nine += count,
                Symbol::National => sum.national += count,
                Symbol::Dbcs => sum.dbcs += count,
                Symbol::Insertion => sum.insertion += count,
                Symbol::Comma => sum.comma += count,
                Symbol::Point => sum.point += count,
                Symbol::Sign(_) => sum.signs += count,
                Symbol::CreditDebit => sum.credit_debit += count,
                Symbol::Currency => sum.currency += count,
                Symbol::Blank | Symbol::Star => sum.suppressed += count,
                Symbol::Signed => sum.signed = true,
                Symbol::Assumed => {}
                Symbol::Scaling => {
                    sum.scaling += count;
                    sum.scaling_left = sum.nine + sum.suppressed + sum.floating == 0;
                }
            }
            if floats {
                sum.floating += count;
            }
            sum.star |= symbol == Symbol::Star;
            after_point |= matches!(symbol, Symbol::Point | Symbol::Assumed);
            if after_point {
                sum.fraction += digits;
            }
        }
        sum
    }

    fn picture(self) -> Result<Picture, String> {
        let characters = self.alphabetic
            + self.any
            + self.nine
            + self.national
            + self.dbcs
            + self.insertion
            + self.comma
            + self.point
            + self.signs
            + 2 * self.credit_debit
            + self.currency
            + self.suppressed;
        let bytes = match (self.national, self.dbcs) {
            (0, 0) => characters,
            _ => characters * 2,
        };
        if bytes > MAX_ITEM_BYTES {
            return Err(format!(
                "the PICTURE describes more than {MAX_ITEM_BYTES} bytes"
            ));
        }
        let floating = self.floating.saturating_sub(1);
        let digits = self.nine + self.suppressed + floating;
        let category = self.category(digits)?;
        let numeric = matches!(
            category,
            PictureCategory::Numeric | PictureCategory::NumericEdited
        );
        if category == PictureCategory::Numeric && digits + self.scaling > MAX_DIGITS {
            let mut message = format!("a number has at most {MAX_DIGITS} digits");
            let _ = write!(message, ", this PICTURE has {}", digits + self.scaling);
            return Err(message);
        }
        let scale = match (self.scaling, self.scaling_left) {
            (0, _) => i16::try_from(self.fraction).unwrap_or(i16::MAX),
            (p, true) => i16::try_from(p + digits).unwrap_or(i16::MAX),
            (p, false) => -i16::try_from(p).unwrap_or(i16::MAX),
        };
        Ok(Picture {
            category,
            bytes: bytes as u32,
            characters: characters as u32,
            digits: if numeric {
                u16::try_from(digits).unwrap_or(u16::MAX)
            } else {
                0
            },
            scale: if numeric { scale } else { 0 },
            signed: self.signed || self.signs > 0 || self.credit_debit > 0,
            has_star: self.star,
        })
    }

    fn category(&self, digits: u64) -> Result<PictureCategory, String> {
        let edits = self.comma
            + self.point
            + self.signs
            + self.credit_debit
            + self.currency
            + self.suppressed
            > 0;
        if self.national > 0 {
            return Ok(match self.insertion {
                0 => PictureCategory::National,
                _ => PictureCategory::NationalEdited,
            });
        }
        if self.dbcs > 0 {
            return Ok(PictureCategory::Dbcs);
        }
        if self.any + self.alphabetic > 0 {
            return Ok(match self.insertion {
                0 if self.any + self.nine == 0 => PictureCategory::Alphabetic,
                0 => PictureCategory::Alphanumeric,
                _ => PictureCategory::AlphanumericEdited,
            });
        }
        if digits == 0 {
            return Err(
                "a PICTURE needs at least one of A, N, G, X, Z, 9 and *, or two of +, - and the currency symbol"
                    .into(),
            );
        }
        Ok(if edits || self.insertion > 0 {
            PictureCategory::NumericEdited
        } else {
            PictureCategory::Numeric
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Picture, String> {
        Picture::parse(
            text,
            Context {
                currency: '$',
                decimal_comma: false,
                constant: &|_| None,
            },
        )
    }

    #[test]
    fn digits_and_scale_are_counted() {
        for (text, digits, scale, bytes) in [
            ("9(5)V99", 7, 2, 7),
            ("S9(4)", 4, 0, 4),
            ("99PPP", 2, -3, 2),
            ("SPPP99", 2, 5, 2),
            ("$$$,$$9.99", 7, 2, 10),
            ("-(5)9.99", 7, 2, 9),
            ("+9(3).9", 4, 1, 6),
            ("Z(3)9.99CR", 6, 2, 9),
            ("--.--", 3, 2, 5),
        ] {
            let picture = check(text).unwrap();
            let found = (picture.digits, picture.scale, picture.bytes);
            assert_eq!(found, (digits, scale, bytes), "{text}");
        }
    }

    #[test]
    fn absurd_repetitions_are_refused() {
        for text in ["X(99999999999999999999)", "9(39)", "N(200000000)", "X(0)"] {
            assert!(check(text).is_err(), "{text}");
        }
    }
}
