//! The definition of a file: its name, organisation, key and record format.
//!
//! A definition is created once and never changed; a file that is loaded or
//! defined again gets a new [`FileId`]. So a definition cannot change for a
//! process that uses its id.
//!
//! Reference: IBM, *DFSMS Access Method Services Commands*, DEFINE CLUSTER
//! (INDEXED, NONINDEXED, NUMBERED, KEYS, RECORDSIZE).

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The definition of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDef {
    /// Name of the file in its store.
    pub name: FileName,
    /// How records are addressed.
    pub organisation: FileOrganisation,
    /// Whether records may differ in length.
    pub format: RecordFormat,
    /// Longest record in bytes; with [`RecordFormat::Fixed`] the length of
    /// every record.
    pub max_record_bytes: u32,
    /// Whether changes belong to the unit of work (and are backed out with it)
    /// or are final as soon as they are made.
    pub recoverable: bool,
}

/// Number of a file in its store, never used again for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// Name of a file: 1 to 44 characters of A–Z, 0–9, `$`, `@`, `#`, `-` and `.`,
/// in upper case. A FILE resource's name is valid as well as a data set's.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName(String);

/// How the records of a file are addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOrganisation {
    /// Key-sequenced: by a field of the record.
    Ksds(KeyField),
    /// Entry-sequenced: by relative byte address, an 8-byte big-endian number
    /// given to a record when it is added.
    Esds,
    /// Relative records: by record number from 1, a 4-byte big-endian number.
    Rrds,
}

/// The place of the key in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyField {
    /// Bytes before the key.
    pub offset_bytes: u32,
    /// Bytes of the key, 1 to [`MAX_KEY_BYTES`].
    pub length_bytes: u32,
}

/// Whether records may differ in length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFormat {
    /// Every record has the same length.
    Fixed,
    /// Any length up to the definition's, as long as it holds the key.
    Variable,
}

/// Longest key: VSAM's limit.
pub const MAX_KEY_BYTES: u32 = 255;

/// Longest record: EXEC CICS carries a record's length in a signed halfword.
pub const MAX_RECORD_BYTES: u32 = 32_767;

/// Bytes of an ESDS key.
pub(crate) const RBA_BYTES: usize = 8;

/// Bytes of an RRDS key.
pub(crate) const RRN_BYTES: usize = 4;

/// Longest file name: a data set name's limit.
const MAX_NAME_CHARS: usize = 44;

/// Why a definition is not valid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DefinitionError {
    /// Not a file name.
    #[error("{name:?} is not a file name: 1 to 44 characters of A-Z, 0-9, $, @, #, - and .")]
    Name {
        /// The given name.
        name: String,
    },
    /// Record length is 0 or too large.
    #[error("record length {length} is not between 1 and {MAX_RECORD_BYTES}")]
    RecordLength {
        /// The given length.
        length: u32,
    },
    /// Key length is 0 or too large.
    #[error("key length {length} is not between 1 and {MAX_KEY_BYTES}")]
    KeyLength {
        /// The given length.
        length: u32,
    },
    /// VSAM has no alternate index over an RRDS.
    #[error("{base} is an RRDS, but an alternate index needs a KSDS or an ESDS")]
    IndexOverRrds {
        /// The base.
        base: FileName,
    },
    /// The key does not fit in the longest record.
    #[error("the key (offset {offset}, length {length}) ends beyond the record length {record}")]
    KeyOutsideRecord {
        /// Bytes before the key.
        offset: u32,
        /// Bytes of the key.
        length: u32,
        /// Longest record.
        record: u32,
    },
}

impl FileDef {
    /// A recoverable key-sequenced file.
    pub fn ksds(
        name: FileName,
        key: KeyField,
        format: RecordFormat,
        max_record_bytes: u32,
    ) -> Result<Self, DefinitionError> {
        Self {
            name,
            organisation: FileOrganisation::Ksds(key),
            format,
            max_record_bytes,
            recoverable: true,
        }
        .build()
    }

    /// A recoverable entry-sequenced file.
    pub fn esds(
        name: FileName,
        format: RecordFormat,
        max_record_bytes: u32,
    ) -> Result<Self, DefinitionError> {
        Self {
            name,
            organisation: FileOrganisation::Esds,
            format,
            max_record_bytes,
            recoverable: true,
        }
        .build()
    }

    /// A recoverable relative-record file.
    pub fn rrds(
        name: FileName,
        format: RecordFormat,
        max_record_bytes: u32,
    ) -> Result<Self, DefinitionError> {
        Self {
            name,
            organisation: FileOrganisation::Rrds,
            format,
            max_record_bytes,
            recoverable: true,
        }
        .build()
    }

    /// Returns the definition if it is valid.
    pub fn build(self) -> Result<Self, DefinitionError> {
        let record = self.max_record_bytes;
        if !(1..=MAX_RECORD_BYTES).contains(&record) {
            return Err(DefinitionError::RecordLength { length: record });
        }
        if let FileOrganisation::Ksds(KeyField {
            offset_bytes: offset,
            length_bytes: length,
        }) = self.organisation
        {
            if !(1..=MAX_KEY_BYTES).contains(&length) {
                return Err(DefinitionError::KeyLength { length });
            }
            if u64::from(offset) + u64::from(length) > u64::from(record) {
                return Err(DefinitionError::KeyOutsideRecord {
                    offset,
                    length,
                    record,
                });
            }
        }
        Ok(self)
    }

    /// Bytes of a complete key.
    pub fn key_bytes(&self) -> usize {
        match self.organisation {
            FileOrganisation::Ksds(key) => key.length_bytes as usize,
            FileOrganisation::Esds => RBA_BYTES,
            FileOrganisation::Rrds => RRN_BYTES,
        }
    }
}

impl FileName {
    /// The name's characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for FileName {
    type Err = DefinitionError;

    /// Takes lower case too, and folds it.
    fn from_str(name: &str) -> Result<Self, DefinitionError> {
        let fits = (1..=MAX_NAME_CHARS).contains(&name.len())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"$@#-.".contains(&b));
        if fits {
            Ok(Self(name.to_ascii_uppercase()))
        } else {
            Err(DefinitionError::Name {
                name: name.to_owned(),
            })
        }
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file {}", self.0)
    }
}

impl fmt::Display for FileOrganisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ksds(_) => "KSDS",
            Self::Esds => "ESDS",
            Self::Rrds => "RRDS",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> FileName {
        "accts".parse().unwrap()
    }

    #[test]
    fn names_are_folded_to_upper_case() {
        assert_eq!(name().as_str(), "ACCTS");
        assert_eq!(
            "bank.accounts-1".parse::<FileName>().unwrap().as_str(),
            "BANK.ACCOUNTS-1"
        );
    }

    #[test]
    fn names_that_are_empty_long_or_foreign_are_refused() {
        for bad in ["", "A B", "É", &"A".repeat(45), "A/B", "\0"] {
            assert!(bad.parse::<FileName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_key_beyond_the_record_is_refused() {
        let def = |offset_bytes, length_bytes, record| {
            FileDef::ksds(
                name(),
                KeyField {
                    offset_bytes,
                    length_bytes,
                },
                RecordFormat::Fixed,
                record,
            )
        };
        assert!(def(0, 10, 10).is_ok());
        assert!(matches!(
            def(1, 10, 10),
            Err(DefinitionError::KeyOutsideRecord { .. })
        ));
        assert!(matches!(
            def(u32::MAX, 255, 300),
            Err(DefinitionError::KeyOutsideRecord { .. })
        ));
        assert!(matches!(
            def(0, 0, 10),
            Err(DefinitionError::KeyLength { .. })
        ));
        assert!(matches!(
            def(0, 256, 300),
            Err(DefinitionError::KeyLength { .. })
        ));
        assert!(matches!(
            def(0, 1, 0),
            Err(DefinitionError::RecordLength { .. })
        ));
        assert!(matches!(
            def(0, 1, 32_768),
            Err(DefinitionError::RecordLength { .. })
        ));
    }
}
