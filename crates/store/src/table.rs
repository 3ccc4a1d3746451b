//! Tables: a region's data other than files, in the same transactions.
//!
//! Queues, requests to start tasks, counters: a resource manager has a table of
//! its own, puts and deletes values under byte keys in the unit of work that
//! also changes files, and walks it in the order of keys. A put replaces an
//! existing value, and a delete of a missing one has no effect: the caller's
//! locks decide which task may change values, and when.
//!
//! Invariant: a table needs no definition; it exists while it has a value.

use std::fmt;

/// The name of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Table(&'static str);

/// Longest key of a table.
pub const MAX_TABLE_KEY_BYTES: usize = 440;

/// Longest name of a table.
const MAX_NAME_BYTES: usize = 32;

impl Table {
    /// A table's name: 1 to 32 of a–z, 0–9 and `-`. Panics on any other, at
    /// compile time where it makes a constant.
    pub const fn new(name: &'static str) -> Self {
        let bytes = name.as_bytes();
        assert!(!bytes.is_empty() && bytes.len() <= MAX_NAME_BYTES);
        let mut at = 0;
        while at < bytes.len() {
            assert!(in_name(bytes[at]));
            at += 1;
        }
        Self(name)
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Whether a key of that map can be one of a table's.
    pub(crate) fn is_one(key: &[u8]) -> bool {
        let mut name = key.iter().take(MAX_NAME_BYTES + 1);
        let length = name.position(|byte| *byte == 0).unwrap_or(0);
        length > 0 && key[..length].iter().all(|byte| in_name(*byte))
    }

    /// The prefix of a key in a store with one map for all tables: no name is
    /// the beginning of another one's.
    pub(crate) fn prefix(self) -> Vec<u8> {
        [self.0.as_bytes(), &[0]].concat()
    }
}

const fn in_name(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
