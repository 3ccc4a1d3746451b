//! Numbers: exact decimals and the ways COBOL stores them.
//!
//! No value passes through a binary float in transit between JSON text and a
//! decimal field: a [`Decimal`] holds up to 38 digits. Numbers of at most 16
//! digits, which is nearly all of them, travel as sixteen ASCII digits in one
//! `u128` ([`swar`]) and need no loop over digits.
//!
//! Reference: IBM Enterprise COBOL Language Reference, "Data division – data
//! description entry"; GnuCOBOL's storage is the oracle in the tests.

pub(crate) mod decfloat;
mod decimal;
pub(crate) mod edited;
pub(crate) mod float;
pub(crate) mod packed;
pub(crate) mod swar;
pub(crate) mod zoned;

pub use decimal::{Decimal, DecimalError, DecimalMisfit, RoundingMode};
pub(crate) use decimal::{SmallDecimal, pow10, scan_json, scan_small};
pub use edited::{EditError, EditedPicture, PictureError};

/// Why the bytes of a field are not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadNumber {
    /// A byte or nibble that should be a digit is not.
    #[error("not a digit where one should be")]
    Digit,
    /// The sign byte or nibble is not an allowed one.
    #[error("not a valid sign")]
    Sign,
    /// The unused half of the first byte is not zero.
    #[error("the unused nibble is not zero")]
    Pad,
    /// A character does not fit the edited picture.
    #[error("does not fit the edited picture")]
    Edited,
    /// A float that is not a finite number.
    #[error("not a finite number")]
    NotFinite,
}

/// The maximum number of digits a number may have.
pub const MAX_DIGITS: u16 = 38;
