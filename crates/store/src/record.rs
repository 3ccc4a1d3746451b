//! The rules of record and key, in one place for every store and every caller.
//!
//! Lengths, the place of the key, the unchangeable bytes of a rewrite, and the
//! limits of an organisation. Whether a key *exists* is not a rule but a state:
//! see [`UnitOfWork`](crate::UnitOfWork).
//!
//! Reference: IBM, *CICS TS API Reference*, WRITE, REWRITE and DELETE
//! (LENGERR, INVREQ and their RESP2 values).

use thiserror::Error;

use crate::error::Key;
use crate::file::{FileDef, FileOrganisation, RBA_BYTES, RRN_BYTES, RecordFormat};

/// How a record or key breaks its file's definition.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// Longer than the definition allows.
    #[error("the record has {length} bytes, more than the file's {max}")]
    TooLong {
        /// Bytes given.
        length: usize,
        /// Bytes allowed.
        max: usize,
    },
    /// A fixed-length record of another length.
    #[error("the record has {length} bytes, but this file's records have {expected}")]
    NotFixedLength {
        /// Bytes given.
        length: usize,
        /// Bytes of every record.
        expected: usize,
    },
    /// Ends before its key does, or is empty.
    #[error("the record has {length} bytes, fewer than its fields need ({needed})")]
    TooShort {
        /// Bytes given.
        length: usize,
        /// Fewest bytes.
        needed: usize,
    },
    /// Not a complete key.
    #[error("the key has {length} bytes, but this file's keys have {expected}")]
    KeyLength {
        /// Bytes given.
        length: usize,
        /// Bytes of a complete key.
        expected: usize,
    },
    /// The key given and the one in the record differ.
    #[error("the record contains the key {in_record}, not {given}")]
    KeyDiffers {
        /// Key the caller named.
        given: Key,
        /// Key in the record.
        in_record: Key,
    },
    /// Record numbers start at 1.
    #[error("relative record number 0 does not exist")]
    RecordNumberZero,
    /// An entry of an ESDS keeps its length.
    #[error("the entry has {expected} bytes and cannot become {length}")]
    EntryLength {
        /// Bytes given.
        length: usize,
        /// Bytes it has.
        expected: usize,
    },
    /// An entry of an ESDS stays.
    #[error("records of an entry-sequenced file cannot be deleted")]
    NotDeletable,
}

impl FileDef {
    /// Checks a record's length.
    pub fn check_record(&self, record: &[u8]) -> Result<(), RecordError> {
        let (length, max) = (record.len(), self.max_record_bytes as usize);
        if length > max {
            return Err(RecordError::TooLong { length, max });
        }
        if self.format == RecordFormat::Fixed && length != max {
            return Err(RecordError::NotFixedLength {
                length,
                expected: max,
            });
        }
        let needed = match self.organisation {
            FileOrganisation::Ksds(key) => key.offset_bytes as usize + key.length_bytes as usize,
            FileOrganisation::Esds | FileOrganisation::Rrds => 1,
        };
        if length < needed {
            return Err(RecordError::TooShort { length, needed });
        }
        Ok(())
    }

    /// The key inside a record; `None` unless the file is a KSDS and the record
    /// reaches to the key's end.
    pub fn key_in<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        let FileOrganisation::Ksds(key) = self.organisation else {
            return None;
        };
        let start = key.offset_bytes as usize;
        record.get(start..start + key.length_bytes as usize)
    }

    /// Checks a complete key.
    pub fn check_key(&self, key: &[u8]) -> Result<(), RecordError> {
        let (length, expected) = (key.len(), self.key_bytes());
        if length != expected {
            return Err(RecordError::KeyLength { length, expected });
        }
        if self.organisation == FileOrganisation::Rrds && key == [0; RRN_BYTES] {
            return Err(RecordError::RecordNumberZero);
        }
        Ok(())
    }

    /// Checks a record to be added under `key`.
    pub fn check_write(&self, key: &[u8], record: &[u8]) -> Result<(), RecordError> {
        self.check_record(record)?;
        self.check_key(key)?;
        match self.key_in(record) {
            Some(own) if own != key => Err(RecordError::KeyDiffers {
                given: Key::from(key),
                in_record: Key::from(own),
            }),
            _ => Ok(()),
        }
    }

    /// Checks a record that takes the place of one of `old_bytes` bytes under
    /// `key`: the key may not change, nor the length of an entry.
    pub fn check_rewrite(
        &self,
        key: &[u8],
        old_bytes: usize,
        record: &[u8],
    ) -> Result<(), RecordError> {
        self.check_write(key, record)?;
        if self.organisation == FileOrganisation::Esds && record.len() != old_bytes {
            return Err(RecordError::EntryLength {
                length: record.len(),
                expected: old_bytes,
            });
        }
        Ok(())
    }

    /// Checks that records of the file can be deleted.
    pub fn check_delete(&self) -> Result<(), RecordError> {
        match self.organisation {
            FileOrganisation::Esds => Err(RecordError::NotDeletable),
            FileOrganisation::Ksds(_) | FileOrganisation::Rrds => Ok(()),
        }
    }

    /// The address of the first record of an ESDS or RRDS.
    pub fn first_address(&self) -> u64 {
        u64::from(self.organisation == FileOrganisation::Rrds)
    }

    /// The key of the record at an address of an ESDS or RRDS; `None` beyond
    /// the last one, and for a KSDS.
    pub fn address_key(&self, address: u64) -> Option<Vec<u8>> {
        match self.organisation {
            FileOrganisation::Ksds(_) => None,
            FileOrganisation::Esds => Some(rba_key(address).to_vec()),
            FileOrganisation::Rrds => Some(rrn_key(u32::try_from(address).ok()?).to_vec()),
        }
    }

    /// The address after a record of an ESDS or RRDS. Returns `None` if there
    /// is no further address.
    pub fn address_after(&self, key: &[u8], record: &[u8]) -> Option<u64> {
        match self.organisation {
            FileOrganisation::Ksds(_) => None,
            FileOrganisation::Esds => {
                u64::from_be_bytes(key.try_into().ok()?).checked_add(record.len() as u64)
            }
            FileOrganisation::Rrds => Some(u64::from(u32::from_be_bytes(key.try_into().ok()?)) + 1),
        }
    }
}

/// The key of an ESDS entry at a relative byte address.
pub fn rba_key(rba: u64) -> [u8; RBA_BYTES] {
    rba.to_be_bytes()
}

/// The key of an RRDS record with a relative record number.
pub fn rrn_key(rrn: u32) -> [u8; RRN_BYTES] {
    rrn.to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::KeyField;

    fn ksds(format: RecordFormat) -> FileDef {
        let key = KeyField {
            offset_bytes: 2,
            length_bytes: 3,
        };
        FileDef::ksds("K".parse().unwrap(), key, format, 8).unwrap()
    }

    #[test]
    fn a_fixed_record_has_exactly_its_length() {
        let def = ksds(RecordFormat::Fixed);
        assert_eq!(def.check_record(b"12345678"), Ok(()));
        assert!(matches!(
            def.check_record(b"1234567"),
            Err(RecordError::NotFixedLength { .. })
        ));
        assert!(matches!(
            def.check_record(b"123456789"),
            Err(RecordError::TooLong { .. })
        ));
    }

    #[test]
    fn a_variable_record_holds_its_key() {
        let def = ksds(RecordFormat::Variable);
        assert_eq!(def.check_record(b"12345"), Ok(()));
        assert_eq!(
            def.check_record(b"1234"),
            Err(RecordError::TooShort {
                length: 4,
                needed: 5
            })
        );
        assert_eq!(def.key_in(b"1234"), None);
        assert_eq!(def.key_in(b"ab123z"), Some(&b"123"[..]));
    }

    #[test]
    fn a_rewrite_keeps_the_key() {
        let def = ksds(RecordFormat::Variable);
        assert_eq!(def.check_rewrite(b"123", 5, b"xx123yyy"), Ok(()));
        assert!(matches!(
            def.check_rewrite(b"123", 5, b"xx124yyy"),
            Err(RecordError::KeyDiffers { .. })
        ));
        assert!(matches!(
            def.check_write(b"12", b"xx123"),
            Err(RecordError::KeyLength { .. })
        ));
    }

    #[test]
    fn an_entry_keeps_its_length_and_its_place() {
        let def = FileDef::esds("E".parse().unwrap(), RecordFormat::Variable, 8).unwrap();
        assert_eq!(def.check_rewrite(&rba_key(0), 4, b"abcd"), Ok(()));
        assert!(matches!(
            def.check_rewrite(&rba_key(0), 4, b"abc"),
            Err(RecordError::EntryLength { .. })
        ));
        assert_eq!(def.check_delete(), Err(RecordError::NotDeletable));
        assert!(matches!(
            def.check_record(b""),
            Err(RecordError::TooShort { .. })
        ));
    }

    #[test]
    fn addresses_follow_each_other() {
        let log = FileDef::esds("E".parse().unwrap(), RecordFormat::Variable, 8).unwrap();
        assert_eq!(
            log.address_key(log.first_address()),
            Some(rba_key(0).to_vec())
        );
        assert_eq!(log.address_after(&rba_key(5), b"abc"), Some(8));
        assert_eq!(log.address_after(&rba_key(u64::MAX), b"abc"), None);
        let slots = FileDef::rrds("R".parse().unwrap(), RecordFormat::Fixed, 1).unwrap();
        assert_eq!(
            slots.address_key(slots.first_address()),
            Some(rrn_key(1).to_vec())
        );
        assert_eq!(slots.address_after(&rrn_key(u32::MAX), b"a"), Some(1 << 32));
        assert_eq!(slots.address_key(1 << 32), None);
        assert_eq!(ksds(RecordFormat::Fixed).address_key(0), None);
    }

    #[test]
    fn relative_record_numbers_start_at_one() {
        let def = FileDef::rrds("R".parse().unwrap(), RecordFormat::Fixed, 1).unwrap();
        assert_eq!(def.check_key(&rrn_key(1)), Ok(()));
        assert_eq!(
            def.check_key(&rrn_key(0)),
            Err(RecordError::RecordNumberZero)
        );
    }
}
