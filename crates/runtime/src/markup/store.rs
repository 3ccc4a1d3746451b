//! Values of a JSON text as JSON PARSE moves them to items.
//!
//! Reference: Enterprise COBOL Language Reference, "JSON PARSE statement",
//! "Valid and invalid elementary moves", "Parsing JSON values that result in a
//! loss of significance or information".

use copybook::FieldKind;
use copybook::number::{Decimal, EditedPicture, RoundingMode};

use super::descriptor::{FigurativeSet, Node};
use super::number::{self, SignedDigits};

/// What a move did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveOutcome {
    /// The item has the value.
    Stored,
    /// Digits before the item's first were lost.
    SizeError,
    /// Characters after the item's last were lost.
    Cut,
    /// The value is none for the item, which is unchanged.
    Incompatible,
}

/// Moves the characters of a JSON string.
pub(super) fn store_string(
    node: &Node,
    bytes: &mut [u8],
    text: &[u8],
    has_ebcdic_sign: bool,
) -> MoveOutcome {
    match node.kind {
        FieldKind::Numeric(_)
        | FieldKind::NumericEdited(_)
        | FieldKind::Float
        | FieldKind::Double => store_decimal(node, bytes, text, has_ebcdic_sign),
        _ => store_text(node, bytes, text),
    }
}

/// Moves a JSON number. Only whole numbers go to items of characters, without
/// their sign, as in a MOVE.
pub(super) fn store_number(
    node: &Node,
    bytes: &mut [u8],
    text: &[u8],
    has_ebcdic_sign: bool,
) -> MoveOutcome {
    match node.kind {
        FieldKind::Numeric(_)
        | FieldKind::NumericEdited(_)
        | FieldKind::Float
        | FieldKind::Double => store_decimal(node, bytes, text, has_ebcdic_sign),
        _ => {
            let digits = text.strip_prefix(b"-").unwrap_or(text);
            if digits.iter().all(u8::is_ascii_digit) {
                store_text(node, bytes, digits)
            } else {
                MoveOutcome::Incompatible
            }
        }
    }
}

fn store_text(node: &Node, bytes: &mut [u8], text: &[u8]) -> MoveOutcome {
    let kept = text.len().min(bytes.len());
    let lost = if node.is_justified {
        let (lost, shown) = text.split_at(text.len() - kept);
        let from = bytes.len() - kept;
        bytes[..from].fill(b' ');
        bytes[from..].copy_from_slice(shown);
        lost
    } else {
        let (shown, lost) = text.split_at(kept);
        bytes[..kept].copy_from_slice(shown);
        bytes[kept..].fill(b' ');
        lost
    };
    if lost.iter().all(|&b| b == b' ') {
        MoveOutcome::Stored
    } else {
        MoveOutcome::Cut
    }
}

fn store_decimal(node: &Node, bytes: &mut [u8], text: &[u8], has_ebcdic_sign: bool) -> MoveOutcome {
    let float = || std::str::from_utf8(text).ok()?.trim().parse::<f64>().ok();
    let stored = match &node.kind {
        FieldKind::Float => {
            float().map(|value| bytes.copy_from_slice(&(value as f32).to_ne_bytes()))
        }
        FieldKind::Double => float().map(|value| bytes.copy_from_slice(&value.to_ne_bytes())),
        FieldKind::Numeric(numeric) => {
            let Some((value, lost)) = fit(text, numeric.digits, i32::from(numeric.scale)) else {
                return MoveOutcome::Incompatible;
            };
            number::write(numeric, bytes, value, has_ebcdic_sign);
            return if lost {
                MoveOutcome::SizeError
            } else {
                MoveOutcome::Stored
            };
        }
        FieldKind::NumericEdited(edited) => {
            return store_edited(node, bytes, text, edited.digits, i32::from(edited.scale));
        }
        _ => None,
    };
    stored.map_or(MoveOutcome::Incompatible, |()| MoveOutcome::Stored)
}

/// The number of a text with `scale` digits after the point, cut to `digits`;
/// whether digits before the first were lost.
fn fit(text: &[u8], digits: u16, scale: i32) -> Option<(SignedDigits, bool)> {
    let number = Decimal::parse(text).ok()?;
    let limit = 10u128.checked_pow(u32::from(digits));
    let (magnitude, mut lost) = match number.rescale(scale, RoundingMode::Truncate) {
        Ok(magnitude) => (magnitude, false),
        Err(_) => (0, true),
    };
    let kept = limit.map_or(magnitude, |limit| magnitude % limit);
    lost |= kept != magnitude;
    let value = SignedDigits {
        negative: number.negative,
        magnitude: kept,
    };
    Some((value, lost))
}

fn store_edited(
    node: &Node,
    bytes: &mut [u8],
    text: &[u8],
    digits: u16,
    scale: i32,
) -> MoveOutcome {
    let picture =
        EditedPicture::compile_with(&node.picture, node.blank_when_zero, node.decimal_comma);
    let (Ok(picture), Some((value, lost))) = (picture, fit(text, digits, scale)) else {
        return MoveOutcome::Incompatible;
    };
    let mut number = Decimal {
        negative: value.negative,
        magnitude: value.magnitude,
        scale,
    };
    let mut shown = Vec::new();
    if picture
        .edit(number, RoundingMode::Truncate, &mut shown)
        .is_err()
    {
        // A picture without a sign shows the digits alone.
        number.negative = false;
        shown.clear();
        if picture
            .edit(number, RoundingMode::Truncate, &mut shown)
            .is_err()
        {
            return MoveOutcome::Incompatible;
        }
    }
    if shown.len() != bytes.len() {
        return MoveOutcome::Incompatible;
    }
    bytes.copy_from_slice(&shown);
    if lost {
        MoveOutcome::SizeError
    } else {
        MoveOutcome::Stored
    }
}

/// Fills an item with a figurative constant.
pub(super) fn store_figurative(
    node: &Node,
    bytes: &mut [u8],
    which: FigurativeSet,
    has_ebcdic_sign: bool,
) {
    let byte = match which.0 {
        FigurativeSet::LOW => 0,
        FigurativeSet::HIGH => 0xFF,
        FigurativeSet::SPACE => b' ',
        _ => match node.kind {
            FieldKind::Numeric(_)
            | FieldKind::NumericEdited(_)
            | FieldKind::Float
            | FieldKind::Double => {
                store_decimal(node, bytes, b"0", has_ebcdic_sign);
                return;
            }
            _ => b'0',
        },
    };
    bytes.fill(byte);
}

#[cfg(test)]
mod tests {
    use copybook::{NumberStorage, NumericEditing, NumericItem, SignPlace};

    use super::*;

    fn zoned(digits: u16, scale: i16) -> Node {
        let numeric = NumericItem {
            digits,
            scale,
            signed: true,
            storage: NumberStorage::Zoned {
                sign: SignPlace::Trailing,
            },
        };
        Node::new(1, "N", 0, u32::from(digits), FieldKind::Numeric(numeric))
    }

    #[test]
    fn numbers_lose_digits_as_in_a_move() {
        let node = zoned(5, 2);
        for (text, expected, outcome) in [
            ("12.345", "01234", MoveOutcome::Stored),
            ("-1e2", "1000p", MoveOutcome::Stored),
            ("12345.6", "34560", MoveOutcome::SizeError),
            ("abc", ".....", MoveOutcome::Incompatible),
        ] {
            let mut bytes = *b".....";
            assert_eq!(
                store_number(&node, &mut bytes, text.as_bytes(), false),
                outcome
            );
            assert_eq!(bytes, expected.as_bytes(), "{text}");
        }
        let mut bytes = *b".....";
        let outcome = store_string(&node, &mut bytes, b" 7 ", false);
        assert_eq!((outcome, &bytes), (MoveOutcome::Stored, b"00700"));
    }

    #[test]
    fn characters_are_cut_or_filled() {
        let mut node = Node::new(1, "X", 0, 3, FieldKind::Alphanumeric);
        let mut bytes = *b"...";
        assert_eq!(
            store_string(&node, &mut bytes, b"abcd", false),
            MoveOutcome::Cut
        );
        assert_eq!(&bytes, b"abc");
        assert_eq!(
            store_number(&node, &mut bytes, b"-7", false),
            MoveOutcome::Stored
        );
        assert_eq!(&bytes, b"7  ");
        let none = store_number(&node, &mut bytes, b"1.5", false);
        assert_eq!(none, MoveOutcome::Incompatible);
        node.is_justified = true;
        assert_eq!(
            store_string(&node, &mut bytes, b"x", false),
            MoveOutcome::Stored
        );
        assert_eq!(&bytes, b"  x");
    }

    #[test]
    fn edited_items_are_edited() {
        let edited = NumericEditing {
            digits: 5,
            scale: 2,
            signed: true,
        };
        let mut node = Node::new(1, "E", 0, 8, FieldKind::NumericEdited(edited));
        node.picture = "ZZ9.99CR".to_owned();
        let mut bytes = *b"........";
        let outcome = store_number(&node, &mut bytes, b"-7.5", false);
        assert_eq!((outcome, &bytes), (MoveOutcome::Stored, b"  7.50CR"));
    }
}
