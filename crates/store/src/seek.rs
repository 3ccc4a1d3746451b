//! Where a command starts to look, and what it finds.

/// What record a command wants. Keys compare byte by byte, and a key that is
/// the beginning of another sorts before it, so a generic key (a prefix) may
/// stand wherever a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seek<'k> {
    /// The record with this key: READ, STARTBR EQUAL.
    Equal(&'k [u8]),
    /// The first record whose key is this one or greater: GTEQ, also GENERIC.
    AtLeast(&'k [u8]),
    /// The first record with a greater key: the step of READNEXT.
    Greater(&'k [u8]),
    /// The last record whose key is this one or less.
    AtMost(&'k [u8]),
    /// The last record with a lesser key: the step of READPREV.
    Less(&'k [u8]),
    /// The first record whose key begins so: GENERIC EQUAL.
    Prefix(&'k [u8]),
    /// The record with the least key.
    First,
    /// The record with the greatest key.
    Last,
}

/// A record where it lies, for as long as the command that found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'r> {
    /// The complete key.
    pub key: &'r [u8],
    /// The whole record, its key included.
    pub record: &'r [u8],
}

impl Seek<'_> {
    /// True if the nearest record is the one with the greatest key.
    pub fn is_descending(self) -> bool {
        matches!(self, Self::AtMost(_) | Self::Less(_) | Self::Last)
    }
}
