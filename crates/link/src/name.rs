//! Blank-padded names as they travel in the shared area.
//!
//! CICS names are fixed fields: a program has 8 characters, a container 16.
//! [`Name`] keeps that form, so a name is copied as bytes and never allocated.
//! Reference: CICS API reference, "Argument values" (name).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A name of at most `N` bytes, padded with blanks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Name<const N: usize>([u8; N]);

/// A program's name.
pub type ProgramName = Name<8>;
/// A transaction identifier.
pub type TransId = Name<4>;
/// A container's name.
pub type ContainerName = Name<16>;
/// A channel's name.
pub type ChannelName = Name<16>;
/// A user's identifier.
pub type UserId = Name<8>;
/// A file's name.
pub type FileName = Name<8>;

/// Why a text is not a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
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
    pub fn new(text: &str) -> Result<Self, NameError> {
        let text = text.trim_end_matches(' ').as_bytes();
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.len() > N {
            return Err(NameError::TooLong(N));
        }
        if let Some(&b) = text.iter().find(|b| !(0x20..0x7F).contains(*b)) {
            return Err(NameError::Character(b));
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
    type Err = NameError;
    fn from_str(text: &str) -> Result<Self, NameError> {
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
        let name = ProgramName::new("ACCT").unwrap();
        assert_eq!(name.as_bytes(), b"ACCT    ");
        assert_eq!(name.to_string(), "ACCT");
    }

    #[test]
    fn long_empty_and_foreign_names_are_refused() {
        assert_eq!(TransId::new("ABCDE"), Err(NameError::TooLong(4)));
        assert_eq!(TransId::new("  "), Err(NameError::Empty));
        assert_eq!(TransId::new("A\u{e9}"), Err(NameError::Character(0xC3)));
    }

    #[test]
    fn a_field_of_garbage_is_shown_up_to_the_first_foreign_byte() {
        assert_eq!(Name::<4>::from_bytes(*b"A\xFFB ").as_str(), "A");
    }
}
