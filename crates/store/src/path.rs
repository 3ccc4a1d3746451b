//! Looking through an alternate index: what each form of
//! [`SeekKey`](crate::SeekKey) means there.
//!
//! A key as long as an alternate key or shorter is compared with alternate
//! keys; a longer one is a *position*, one entry of the index. Ascending,
//! records with one alternate key come in the order of their entries, and
//! descending too: backwards, a path steps through the keys downwards, and
//! through the records of one key upwards, as VSAM does for READPREV.
//!
//! Reference: IBM, *DFSMS Using Data Sets*, "Using a path to access records".

use crate::index::{IndexDef, PathEntry};
use crate::seek::SeekKey;

/// An index with its base, in one state: the store's, or a unit's view of the store.
pub(crate) trait IndexedBase {
    /// The error.
    type Error;

    /// The entry of the index that `seek` finds, byte by byte.
    fn entry(&mut self, seek: SeekKey<'_>) -> Result<Option<Box<[u8]>>, Self::Error>;

    /// Shows the base's record with a key; returns false if no record has it.
    fn record(
        &mut self,
        base_key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, Self::Error>;
}

/// Shows the record that `seek` finds through the index. Entries whose record
/// is deleted or has another key by now are skipped: an index without upgrade
/// has such entries.
pub(crate) fn seek<I: IndexedBase>(
    def: &IndexDef,
    seek: SeekKey<'_>,
    indexed: &mut I,
    found: &mut dyn FnMut(PathEntry<'_>),
) -> Result<bool, I::Error> {
    let length = def.key_bytes();
    let wanted: &[u8] = match seek {
        SeekKey::Equal(key) if key.len() < length => return Ok(false),
        SeekKey::Equal(key) | SeekKey::Prefix(key) => key,
        _ => &[],
    };
    let mut next = match seek {
        SeekKey::Equal(key) => at_first(SeekKey::Prefix(key), length, indexed)?,
        other => at_first(other, length, indexed)?,
    };
    while let Some(position) = next {
        if !position.starts_with(wanted) {
            return Ok(false);
        }
        let (alternate_key, base_key) = position.split_at(length.min(position.len()));
        let after = indexed.entry(SeekKey::Greater(&position))?;
        let more = after.is_some_and(|after| after.starts_with(alternate_key));
        let mut shown = false;
        indexed.record(base_key, &mut |record| {
            if def.key_in(record) == Some(alternate_key) {
                shown = true;
                found(PathEntry {
                    position: &position,
                    alternate_key,
                    base_key,
                    record,
                    more,
                });
            }
        })?;
        if shown {
            return Ok(true);
        }
        let step = if seek.is_descending() {
            SeekKey::Less(&position)
        } else {
            SeekKey::Greater(&position)
        };
        next = at_first(step, length, indexed)?;
    }
    Ok(false)
}

/// The entry that a form of seek finds, where alternate keys have `length`
/// bytes.
fn at_first<I: IndexedBase>(
    seek: SeekKey<'_>,
    length: usize,
    indexed: &mut I,
) -> Result<Option<Box<[u8]>>, I::Error> {
    let below = match seek {
        // Every entry of this very key is passed over.
        SeekKey::Greater(key) if key.len() == length => {
            return match successor(key) {
                Some(next) => indexed.entry(SeekKey::AtLeast(&next)),
                None => Ok(None),
            };
        }
        SeekKey::Less(position) if position.len() > length => {
            let after = indexed.entry(SeekKey::Greater(position))?;
            if after
                .as_ref()
                .is_some_and(|after| after.starts_with(&position[..length]))
            {
                return Ok(after);
            }
            indexed.entry(SeekKey::Less(&position[..length]))?
        }
        // A position is one entry: nothing of its key is nearer.
        SeekKey::AtMost(position) if position.len() > length => {
            match indexed.entry(SeekKey::Equal(position))? {
                Some(entry) => return Ok(Some(entry)),
                None => return at_first(SeekKey::Less(position), length, indexed),
            }
        }
        SeekKey::AtMost(key) if key.len() == length => match successor(key) {
            Some(next) => indexed.entry(SeekKey::Less(&next))?,
            None => indexed.entry(SeekKey::Last)?,
        },
        descending if descending.is_descending() => indexed.entry(descending)?,
        ascending => return indexed.entry(ascending),
    };
    // The first of its key.
    match below {
        Some(entry) => indexed.entry(SeekKey::Prefix(&entry[..length.min(entry.len())])),
        None => Ok(None),
    }
}

/// The least key greater than all that begin with `key`.
fn successor(key: &[u8]) -> Option<Vec<u8>> {
    let mut next = key.to_vec();
    while let Some(last) = next.last_mut() {
        if *last < u8::MAX {
            *last += 1;
            return Some(next);
        }
        next.pop();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_successor_of_a_key_is_after_all_that_begin_with_it() {
        assert_eq!(successor(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(successor(b"a\xFF\xFF"), Some(b"b".to_vec()));
        assert_eq!(successor(b"\xFF"), None);
        assert_eq!(successor(b""), None);
    }
}
