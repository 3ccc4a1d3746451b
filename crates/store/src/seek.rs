//! The key of a command, and the record it finds.

use crate::index::PathEntry;

/// The record that a command requests. Keys compare byte by byte, and a key
/// that is the beginning of another sorts before it, so a generic key (a
/// prefix) may be used as a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeekKey<'k> {
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

/// A record in place, valid for as long as the command that found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordView<'r> {
    /// The complete key.
    pub key: &'r [u8],
    /// The whole record, its key included.
    pub record: &'r [u8],
}

/// A record that a command found, by its own key or by an alternate one:
/// `FoundRecord<&[u8]>` in place, `FoundRecord<Vec<u8>>` a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundRecord<B = Vec<u8>> {
    /// The position of a browse at it: the record's key, or of a path the
    /// alternate key and the record's key.
    pub position: B,
    /// The offset of the record's own key in the position.
    pub key_at: usize,
    /// The whole record, its key included.
    pub record: B,
    /// Another record with this alternate key follows.
    pub more: bool,
}

impl<B: AsRef<[u8]>> FoundRecord<B> {
    /// The record's own key.
    pub fn key(&self) -> &[u8] {
        let position = self.position.as_ref();
        position.get(self.key_at..).unwrap_or_default()
    }
}

impl FoundRecord<&[u8]> {
    /// A copy.
    pub fn copied(self) -> FoundRecord {
        FoundRecord {
            position: self.position.to_vec(),
            key_at: self.key_at,
            record: self.record.to_vec(),
            more: self.more,
        }
    }
}

impl<'r> From<RecordView<'r>> for FoundRecord<&'r [u8]> {
    fn from(entry: RecordView<'r>) -> Self {
        FoundRecord {
            position: entry.key,
            key_at: 0,
            record: entry.record,
            more: false,
        }
    }
}

impl<'r> From<PathEntry<'r>> for FoundRecord<&'r [u8]> {
    fn from(entry: PathEntry<'r>) -> Self {
        FoundRecord {
            position: entry.position,
            key_at: entry.alternate_key.len(),
            record: entry.record,
            more: entry.more,
        }
    }
}

impl SeekKey<'_> {
    /// True if the nearest record is the one with the greatest key.
    pub fn is_descending(self) -> bool {
        matches!(self, Self::AtMost(_) | Self::Less(_) | Self::Last)
    }
}
