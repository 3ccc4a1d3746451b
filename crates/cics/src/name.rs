//! The blank-padded field that every name of CICS is.
//!
//! A program has 8 characters, a container 16. [`Name`] keeps that form, so a
//! name is copied as bytes and never allocated; it may hold whatever a program
//! or another process put into the field. The kinds in [`crate::names`] are
//! such fields whose characters were checked.
//! Reference: CICS API reference, "Argument values" (name).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A name of at most `N` bytes, padded with blanks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Name<const N: usize>([u8; N]);

/// Why a text is not a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// Nothing but blanks.
    #[error("a name must not be empty")]
    Empty,
    /// More bytes than the field has.
    #[error("a name here has at most {0} characters")]
    TooLong(usize),
    /// A control character or a byte outside ASCII.
    #[error("a name may not contain the byte X'{0:02X}'")]
    Character(u8),
}

impl<const N: usize> Name<N> {
    /// The field of blanks, which stands for "no name".
    pub const BLANK: Self = Name([b' '; N]);

    /// Checks a text and pads it; trailing blanks do not count.
    pub fn new(text: &str) -> Result<Self, FieldError> {
        let text = text.trim_end_matches(' ').as_bytes();
        if text.is_empty() {
            return Err(FieldError::Empty);
        }
        if text.len() > N {
            return Err(FieldError::TooLong(N));
        }
        if let Some(&b) = text.iter().find(|b| !(0x20..0x7F).contains(*b)) {
            return Err(FieldError::Character(b));
        }
        let mut field = [b' '; N];
        field[..text.len()].copy_from_slice(text);
        Ok(Name(field))
    }

    /// Takes a field as it stands, whatever it holds.
    pub const fn from_bytes(bytes: [u8; N]) -> Self {
        Name(bytes)
    }

    /// The padded field.
    pub const fn as_bytes(&self) -> &[u8; N] {
        &self.0
    }

    /// The name without its padding, up to the first byte that no name has.
    pub fn as_str(&self) -> &str {
        let end = self
            .0
            .iter()
            .position(|b| !(0x20..0x7F).contains(b))
            .unwrap_or(N);
        std::str::from_utf8(&self.0[..end])
            .unwrap_or("")
            .trim_end_matches(' ')
    }

    /// True for the field of blanks.
    pub fn is_blank(&self) -> bool {
        *self == Self::BLANK
    }
}

impl<const N: usize> Default for Name<N> {
    fn default() -> Self {
        Self::BLANK
    }
}

impl<const N: usize> fmt::Display for Name<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl<const N: usize> fmt::Debug for Name<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<const N: usize> FromStr for Name<N> {
    type Err = FieldError;
    fn from_str(text: &str) -> Result<Self, FieldError> {
        Self::new(text)
    }
}

impl<const N: usize> Serialize for Name<N> {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl<'de, const N: usize> Deserialize<'de> for Name<N> {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(d)?;
        if text.trim_end_matches(' ').is_empty() {
            return Ok(Self::BLANK);
        }
        Self::new(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_padded_and_shown_without_padding() {
        let name = Name::<8>::new("ACCT").unwrap();
        assert_eq!(name.as_bytes(), b"ACCT    ");
        assert_eq!(name.to_string(), "ACCT");
    }

    #[test]
    fn long_empty_and_foreign_names_are_refused() {
        assert_eq!(Name::<4>::new("ABCDE"), Err(FieldError::TooLong(4)));
        assert_eq!(Name::<4>::new("  "), Err(FieldError::Empty));
        assert_eq!(Name::<4>::new("A\u{e9}"), Err(FieldError::Character(0xC3)));
    }

    #[test]
    fn a_field_of_garbage_is_shown_up_to_the_first_foreign_byte() {
        assert_eq!(Name::<4>::from_bytes(*b"A\xFFB ").as_str(), "A");
    }
}
