//! A text that must not be seen: passwords.
//!
//! Invariant: neither `Debug` nor `Display` shows it, and it is overwritten
//! when it is dropped.

use std::fmt;

/// A password, in EBCDIC as the wire has it.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordBytes(Vec<u8>);

impl PasswordBytes {
    /// The secret of this text.
    pub fn new(text: &str) -> PasswordBytes {
        PasswordBytes(crate::ebcdic::from_str(text))
    }

    /// The secret of these EBCDIC bytes.
    pub fn from_ebcdic(bytes: &[u8]) -> PasswordBytes {
        PasswordBytes(bytes.to_vec())
    }

    /// The bytes, for the wire.
    pub(crate) fn reveal(&self) -> &[u8] {
        &self.0
    }

    /// Whether two secrets are the same, blanks at their ends apart, in a time
    /// that depends on their lengths only.
    pub fn matches(&self, other: &PasswordBytes) -> bool {
        let (a, b) = (trim(&self.0), trim(&other.0));
        let differing = a.iter().zip(b).fold(0, |acc, (x, y)| acc | (x ^ y));
        a.len() == b.len() && differing == 0
    }
}

impl Drop for PasswordBytes {
    fn drop(&mut self) {
        for byte in &mut self.0 {
            *byte = std::hint::black_box(0);
        }
    }
}

impl fmt::Debug for PasswordBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// `Debug` output of the bytes that programs and Attaches put into a unit:
/// their number only.
pub(crate) struct RedactedBytes(pub usize);

impl fmt::Debug for RedactedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} bytes]", self.0)
    }
}

fn trim(bytes: &[u8]) -> &[u8] {
    let end = bytes
        .iter()
        .rposition(|b| *b != crate::ebcdic::SPACE)
        .map_or(0, |at| at + 1);
    &bytes[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_nothing() {
        let secret = PasswordBytes::new("HUSH");
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        assert!(secret.matches(&PasswordBytes::new("HUSH    ")));
        assert!(!secret.matches(&PasswordBytes::new("HUSI")));
        assert!(!secret.matches(&PasswordBytes::new("HUS")));
    }
}
