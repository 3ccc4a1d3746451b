//! Records of variable length after descriptor words.
//!
//! Everything that reads or writes such files does it here: the streams of
//! this crate and the loads and dumps of keyed files.
//!
//! Reference: z/OS DFSMS Using Data Sets, "Variable-length record formats"
//! (the record descriptor word); GnuCOBOL's variable sequential files, whose
//! length does not count the word.

use std::io::{self, BufRead, Read, Write};

/// Bytes of a descriptor word.
pub const WORD_BYTES: usize = 4;

/// The two forms of a word: two bytes of length, big-endian, and two of zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordDescriptor {
    /// The length counts the word.
    Rdw,
    /// It does not.
    GnuCobol,
}

/// Why a record after a word cannot be read.
#[derive(Debug)]
pub enum DescriptorError {
    /// The input cannot be read.
    Io(io::Error),
    /// It ends within the word or the record.
    Cut {
        /// Bytes there are.
        actual: usize,
        /// Bytes there should be.
        needed: usize,
    },
    /// The four bytes are no such word.
    Word([u8; WORD_BYTES]),
}

impl From<io::Error> for DescriptorError {
    fn from(error: io::Error) -> Self {
        DescriptorError::Io(error)
    }
}

impl RecordDescriptor {
    /// Bytes of the longest record.
    pub const fn max_bytes(self) -> usize {
        u16::MAX as usize - self.own_bytes()
    }

    const fn own_bytes(self) -> usize {
        match self {
            RecordDescriptor::Rdw => WORD_BYTES,
            RecordDescriptor::GnuCobol => 0,
        }
    }

    /// Reads a record into the emptied `buffer`; false at the end of `input`.
    pub fn read(
        self,
        input: &mut (impl BufRead + ?Sized),
        buffer: &mut Vec<u8>,
    ) -> Result<bool, DescriptorError> {
        buffer.clear();
        match fill(input, WORD_BYTES, buffer)? {
            0 => return Ok(false),
            WORD_BYTES => {}
            actual => {
                return Err(DescriptorError::Cut {
                    actual,
                    needed: WORD_BYTES,
                });
            }
        }
        let word = [buffer[0], buffer[1], buffer[2], buffer[3]];
        let length = usize::from(u16::from_be_bytes([word[0], word[1]]));
        let needed = match length.checked_sub(self.own_bytes()) {
            Some(needed) if word[2..] == [0, 0] => needed,
            _ => return Err(DescriptorError::Word(word)),
        };
        buffer.clear();
        let actual = fill(input, needed, buffer)?;
        if actual < needed {
            return Err(DescriptorError::Cut { actual, needed });
        }
        Ok(true)
    }

    /// Writes a record after its word; false, and nothing written, when it is
    /// longer than [`RecordDescriptor::max_bytes`].
    pub fn write(self, output: &mut (impl Write + ?Sized), record: &[u8]) -> io::Result<bool> {
        let Ok(length) = u16::try_from(record.len() + self.own_bytes()) else {
            return Ok(false);
        };
        let [high, low] = length.to_be_bytes();
        output.write_all(&[high, low, 0, 0])?;
        output.write_all(record)?;
        Ok(true)
    }
}

/// Appends as many bytes as are there, up to `wanted`. Returns their number.
pub fn fill(
    input: &mut (impl BufRead + ?Sized),
    wanted: usize,
    buffer: &mut Vec<u8>,
) -> io::Result<usize> {
    input.take(wanted as u64).read_to_end(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_both_forms_are_read_back() {
        for form in [RecordDescriptor::Rdw, RecordDescriptor::GnuCobol] {
            let records = [&b"ab"[..], b"", &[7; 300]];
            let mut bytes = Vec::new();
            for record in records {
                assert!(form.write(&mut bytes, record).unwrap());
            }
            assert_eq!(bytes[1], if form == RecordDescriptor::Rdw { 6 } else { 2 });
            let mut input = &bytes[..];
            let mut buffer = Vec::new();
            for record in records {
                assert!(form.read(&mut input, &mut buffer).unwrap());
                assert_eq!(buffer, record);
            }
            assert!(!form.read(&mut input, &mut buffer).unwrap());
        }
    }

    #[test]
    fn the_longest_record_is_written_and_a_longer_one_is_not() {
        for form in [RecordDescriptor::Rdw, RecordDescriptor::GnuCobol] {
            let record = vec![0; form.max_bytes() + 1];
            let mut bytes = Vec::new();
            assert!(!form.write(&mut bytes, &record).unwrap());
            assert!(bytes.is_empty());
            assert!(form.write(&mut bytes, &record[1..]).unwrap());
        }
    }

    #[test]
    fn words_that_are_none_and_cut_records_are_reported() {
        let mut buffer = Vec::new();
        let mut read = |mut input: &[u8]| RecordDescriptor::Rdw.read(&mut input, &mut buffer);
        assert!(matches!(
            read(b"\0\x03\0\0"),
            Err(DescriptorError::Word([0, 3, 0, 0]))
        ));
        assert!(matches!(
            read(b"\0\x05\0\x01c"),
            Err(DescriptorError::Word(_))
        ));
        assert!(matches!(
            read(b"\0\x06\0\0a"),
            Err(DescriptorError::Cut {
                actual: 1,
                needed: 2
            })
        ));
        assert!(matches!(
            read(b"\0\x06"),
            Err(DescriptorError::Cut {
                actual: 2,
                needed: 4
            })
        ));
    }
}
