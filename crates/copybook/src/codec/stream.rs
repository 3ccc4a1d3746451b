//! Files of records: where one ends and the next begins.
//!
//! [`RecordReader`] cuts a byte stream into records, [`decode_lines`] and
//! [`encode_lines`] translate whole files between records and JSON lines (one
//! object a line). Memory holds one record at a time.
//!
//! Reference: z/OS DFSMS Using Data Sets, record formats F and V; GnuCOBOL's
//! variable sequential files.

use std::io::{self, BufRead, Read, Write};

use super::descriptor::{DescriptorError, RecordDescriptor, WORD_BYTES, fill};
use super::error::{DecodeError, EncodeError};
use super::record::RecordCodec;

/// How records follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFraming {
    /// Every record has this many bytes; written records are filled up with
    /// low-values.
    Fixed(usize),
    /// Records follow each other without anything between; the counters of
    /// their OCCURS DEPENDING ON give the length of each.
    SelfDescribing,
    /// A record descriptor word before each: two bytes of length, which
    /// includes the word, big-endian, and two of zeros.
    Rdw,
    /// GnuCOBOL's form: two bytes of length without these four, big-endian,
    /// and two of zeros.
    GnuCobol,
}

/// Why a file of records cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// Reading or writing failed.
    #[error("the records cannot be copied")]
    Io(#[from] io::Error),
    /// The file ends within a record.
    #[error("record {record}: the file ends after {actual} of its {needed} bytes")]
    Cut {
        /// Number of the record, from 1.
        record: u64,
        /// Bytes there are.
        actual: usize,
        /// Bytes the record should have.
        needed: usize,
    },
    /// A length before a record that cannot be one.
    #[error("record {record}: {word:02x?} is not a record descriptor word")]
    Descriptor {
        /// Number of the record, from 1.
        record: u64,
        /// The four bytes.
        word: [u8; 4],
    },
    /// A record that is not what its layout says.
    #[error("record {record}: {error}")]
    Decode {
        /// Number of the record, from 1.
        record: u64,
        /// The error.
        error: DecodeError,
    },
    /// JSON text that does not make a record.
    #[error("line {line}: {error}")]
    Encode {
        /// Line of the file, from 1.
        line: u64,
        /// The error.
        error: EncodeError,
    },
    /// A record that its framing cannot hold.
    #[error("record {record}: {len} bytes are more than the {max} its framing holds")]
    TooLong {
        /// Number of the record, from 1.
        record: u64,
        /// Its length.
        len: usize,
        /// The framing's limit.
        max: usize,
    },
}

/// Cuts a byte stream into records.
#[derive(Debug)]
pub struct RecordReader<'c, R> {
    codec: &'c RecordCodec,
    framing: StreamFraming,
    input: R,
    buffer: Vec<u8>,
    record: u64,
    /// What is left of the block that was read, where records are blocked.
    block: Option<Vec<u8>>,
}

impl<'c, R: BufRead> RecordReader<'c, R> {
    /// A reader of `input` from its current place.
    pub fn new(codec: &'c RecordCodec, framing: StreamFraming, input: R) -> RecordReader<'c, R> {
        RecordReader {
            codec,
            framing,
            input,
            buffer: Vec::new(),
            record: 0,
            block: None,
        }
    }

    /// Number of the record that was read last, from 1.
    pub fn number(&self) -> u64 {
        self.record
    }

    /// The next record. Returns `None` at the end of the stream.
    pub fn read(&mut self) -> Result<Option<&[u8]>, StreamError> {
        let rest_of_block = self.block.as_ref().is_some_and(|block| !block.is_empty());
        if !rest_of_block && self.input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        self.record += 1;
        self.buffer.clear();
        match self.framing {
            StreamFraming::Fixed(len) => self.fill(len)?,
            StreamFraming::SelfDescribing => self.fill_by_counters()?,
            StreamFraming::Rdw => self.next_of_block()?,
            StreamFraming::GnuCobol => self.read_after_word(RecordDescriptor::GnuCobol)?,
        }
        if self.buffer.is_empty()
            && matches!(
                self.framing,
                StreamFraming::Fixed(_) | StreamFraming::SelfDescribing
            )
        {
            // Records of no bytes would continue forever.
            return Err(StreamError::Cut {
                record: self.record,
                actual: 0,
                needed: 1,
            });
        }
        Ok(Some(&self.buffer))
    }

    /// Reads on until the buffer has `len` bytes.
    fn fill(&mut self, len: usize) -> Result<(), StreamError> {
        let missing = len.saturating_sub(self.buffer.len());
        fill(&mut self.input, missing, &mut self.buffer)?;
        let actual = self.buffer.len();
        if actual < len {
            return Err(StreamError::Cut {
                record: self.record,
                actual,
                needed: len,
            });
        }
        Ok(())
    }

    /// Reads a record whose counters are within what has been read so far, table by
    /// table.
    fn fill_by_counters(&mut self) -> Result<(), StreamError> {
        for stage in 0..self.codec.stages() {
            let len =
                self.codec
                    .stage_len(&self.buffer, stage)
                    .map_err(|error| StreamError::Decode {
                        record: self.record,
                        error,
                    })?;
            self.fill(len.max(self.buffer.len()))?;
        }
        let len = self
            .codec
            .record_len(&self.buffer)
            .map_err(|error| StreamError::Decode {
                record: self.record,
                error,
            })?;
        self.fill(len)
    }

    /// Reads a record after its word. Files that were transferred with their
    /// blocks have a block descriptor word before the words of its records: the
    /// first one shows it, being longer than any record and a chain of words.
    fn next_of_block(&mut self) -> Result<(), StreamError> {
        if self.block.as_ref().is_none_or(Vec::is_empty) {
            self.read_after_word(RecordDescriptor::Rdw)?;
            if self.block.is_none() {
                let blocked = self.record == 1
                    && self.buffer.len() > self.codec.max_len()
                    && is_chain(&self.buffer);
                if !blocked {
                    return Ok(());
                }
            }
            self.block = Some(std::mem::take(&mut self.buffer));
        }
        let record = self.record;
        let block = self.block.get_or_insert_default();
        let Some((word, rest)) = block.split_first_chunk::<WORD_BYTES>() else {
            let (actual, needed) = (block.len(), WORD_BYTES);
            return Err(StreamError::Cut {
                record,
                actual,
                needed,
            });
        };
        let word = *word;
        let length = usize::from(u16::from_be_bytes([word[0], word[1]]));
        let bytes = length.checked_sub(WORD_BYTES).and_then(|n| rest.get(..n));
        match bytes.filter(|_| word[2..] == [0, 0]) {
            Some(bytes) => {
                self.buffer.extend_from_slice(bytes);
                block.drain(..length);
                Ok(())
            }
            None => Err(StreamError::Descriptor { record, word }),
        }
    }

    fn read_after_word(&mut self, form: RecordDescriptor) -> Result<(), StreamError> {
        let record = self.record;
        match form.read(&mut self.input, &mut self.buffer) {
            Ok(_) => Ok(()),
            Err(DescriptorError::Io(error)) => Err(StreamError::Io(error)),
            Err(DescriptorError::Cut { actual, needed }) => Err(StreamError::Cut {
                record,
                actual,
                needed,
            }),
            Err(DescriptorError::Word(word)) => Err(StreamError::Descriptor { record, word }),
        }
    }
}

/// Whether bytes are nothing but records, each after its descriptor word.
fn is_chain(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some((word, _)) = rest.split_first_chunk::<WORD_BYTES>() {
        let length = usize::from(u16::from_be_bytes([word[0], word[1]]));
        if length < WORD_BYTES || word[2..] != [0, 0] || length > rest.len() {
            return false;
        }
        rest = &rest[length..];
    }
    rest.is_empty()
}

/// Writes every record of `input` as a line of JSON. Returns their number.
pub fn decode_lines(
    codec: &RecordCodec,
    framing: StreamFraming,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<u64, StreamError> {
    let mut reader = RecordReader::new(codec, framing, input);
    let mut text = Vec::new();
    loop {
        let record = reader.number() + 1;
        let Some(bytes) = reader.read()? else {
            output.flush()?;
            return Ok(record - 1);
        };
        text.clear();
        codec
            .decode(bytes, &mut text)
            .map_err(|error| StreamError::Decode { record, error })?;
        text.push(b'\n');
        output.write_all(&text)?;
    }
}

/// The byte order mark of a UTF-8 file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Writes a record for every line of JSON in `input`, empty lines left out;
/// gives their number.
pub fn encode_lines(
    codec: &RecordCodec,
    framing: StreamFraming,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<u64, StreamError> {
    let mut text = Vec::new();
    let mut area = vec![0; codec.max_len()];
    let (mut line, mut record) = (0, 0);
    loop {
        text.clear();
        if input.read_until(b'\n', &mut text)? == 0 {
            output.flush()?;
            return Ok(record);
        }
        line += 1;
        let json = text.trim_ascii_end();
        let json = json
            .strip_prefix(BYTE_ORDER_MARK)
            .filter(|_| line == 1)
            .unwrap_or(json);
        if json.is_empty() {
            continue;
        }
        record += 1;
        let len = codec
            .encode(json, &mut area)
            .map_err(|error| StreamError::Encode { line, error })?;
        write_record(framing, record, &area[..len], &mut output)?;
    }
}

fn write_record(
    framing: StreamFraming,
    record: u64,
    bytes: &[u8],
    output: &mut impl Write,
) -> Result<(), StreamError> {
    let len = bytes.len();
    let too_long = |max| StreamError::TooLong { record, len, max };
    match framing {
        StreamFraming::Rdw => write_after_word(RecordDescriptor::Rdw, output, bytes, too_long),
        StreamFraming::GnuCobol => {
            write_after_word(RecordDescriptor::GnuCobol, output, bytes, too_long)
        }
        StreamFraming::SelfDescribing => Ok(output.write_all(bytes)?),
        StreamFraming::Fixed(size) if len > size => Err(too_long(size)),
        StreamFraming::Fixed(size) => {
            output.write_all(bytes)?;
            io::copy(&mut io::repeat(0).take((size - len) as u64), output)?;
            Ok(())
        }
    }
}

fn write_after_word(
    form: RecordDescriptor,
    output: &mut impl Write,
    bytes: &[u8],
    too_long: impl Fn(usize) -> StreamError,
) -> Result<(), StreamError> {
    if form.write(output, bytes)? {
        Ok(())
    } else {
        Err(too_long(form.max_bytes()))
    }
}
