//! The boundaries of records in a stream of bytes.
//!
//! Reference: IBM, *DFSMS Using Data Sets*, Record Formats (fixed-length
//! records; the record descriptor word of variable-length records).

use std::io::{self, BufRead, Read, Write};

use copybook::codec::descriptor::{DescriptorError, RecordDescriptor, fill};
use thiserror::Error;

use crate::file::{FileDef, RecordFormat};

/// How records follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFraming {
    /// One after the other, all of one length.
    Fixed {
        /// Bytes of each.
        record_bytes: usize,
    },
    /// Text lines.
    Lines {
        /// The byte that ends a line; a carriage return before a line feed
        /// belongs to the end.
        end: u8,
        /// The blank that pads.
        blank: u8,
        /// Bytes that shorter lines are padded to; blanks at the end of a line
        /// are then left out when writing.
        pad_to: Option<usize>,
    },
    /// A record descriptor word before each: two bytes of length, itself
    /// included, and two of zeros. No block descriptor words.
    Rdw,
    /// A JSON value a line; empty lines are passed over.
    JsonLines,
}

/// The stream does not match its framing; the rest cannot be interpreted.
#[derive(Debug, Error)]
pub enum FramingError {
    /// The input ends inside a record.
    #[error("the input ends within record {record}, after {got} of its {expected} bytes")]
    Truncated {
        /// Number of the record, from 1.
        record: u64,
        /// Bytes there are.
        got: usize,
        /// Bytes there should be.
        expected: usize,
    },
    /// A record descriptor word makes no sense.
    #[error("record {record} begins with {word:02X?}, which is not a record descriptor word")]
    Descriptor {
        /// Number of the record, from 1.
        record: u64,
        /// The word.
        word: [u8; 4],
    },
    /// A line does not end.
    #[error("line {record} is longer than {MAX_LINE_BYTES} bytes")]
    Line {
        /// Number of the line, from 1.
        record: u64,
    },
    /// The bytes could not be read.
    #[error("the input cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Longest line: room for the longest record as JSON, and an end to reading
/// what has no lines.
const MAX_LINE_BYTES: u64 = 8 << 20;

impl RecordFraming {
    /// Lines in ASCII, padded to the length of the file's records if they all
    /// have one.
    pub fn ascii_lines(def: &FileDef) -> Self {
        Self::Lines {
            end: b'\n',
            blank: b' ',
            pad_to: pad(def),
        }
    }

    /// Lines in EBCDIC, each ended by a new-line character (X'15').
    pub fn ebcdic_lines(def: &FileDef) -> Self {
        Self::Lines {
            end: 0x15,
            blank: 0x40,
            pad_to: pad(def),
        }
    }

    /// Reads the next record, number `record` of the stream, into an empty
    /// buffer; false at the end.
    pub(super) fn read(
        &self,
        input: &mut dyn BufRead,
        record: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<bool, FramingError> {
        match *self {
            Self::Fixed { record_bytes } => {
                let got = fill(input, record_bytes, buffer)?;
                check_length(record, got, record_bytes)
            }
            Self::Lines { end, blank, pad_to } => {
                if !line(input, end, record, buffer)? {
                    return Ok(false);
                }
                if let Some(length) = pad_to
                    && buffer.len() < length
                {
                    buffer.resize(length, blank);
                }
                Ok(true)
            }
            Self::JsonLines => {
                let is_there = line(input, b'\n', record, buffer)?;
                // Some editors begin a file of UTF-8 with a byte order mark.
                if record == 1 && buffer.starts_with(b"\xef\xbb\xbf") {
                    buffer.drain(..3);
                }
                Ok(is_there)
            }
            Self::Rdw => RecordDescriptor::Rdw
                .read(input, buffer)
                .map_err(|error| match error {
                    DescriptorError::Io(error) => FramingError::Io(error),
                    DescriptorError::Cut { actual, needed } => FramingError::Truncated {
                        record,
                        got: actual,
                        expected: needed,
                    },
                    DescriptorError::Word(word) => FramingError::Descriptor { record, word },
                }),
        }
    }

    /// True if what was read is not a record: an empty line between JSON values.
    pub(super) fn is_gap(&self, buffer: &[u8]) -> bool {
        *self == Self::JsonLines && buffer.iter().all(u8::is_ascii_whitespace)
    }

    /// Writes a record; the error is the reason why this framing cannot represent it.
    pub fn write(&self, output: &mut dyn Write, record: &[u8]) -> io::Result<Result<(), String>> {
        match *self {
            Self::Fixed { record_bytes } if record.len() != record_bytes => {
                return Ok(Err(format!(
                    "it has {} bytes, not {record_bytes}",
                    record.len()
                )));
            }
            Self::Fixed { .. } => output.write_all(record)?,
            Self::Lines { end, blank, pad_to } => {
                if record.contains(&end) {
                    return Ok(Err(format!("it contains X'{end:02X}', which ends a line")));
                }
                let pad = record
                    .iter()
                    .rev()
                    .take_while(|byte| **byte == blank)
                    .count();
                let kept = if pad_to == Some(record.len()) {
                    record.len() - pad
                } else {
                    record.len()
                };
                if end == b'\n' && record[..kept].last() == Some(&b'\r') {
                    return Ok(Err(
                        "it ends with X'0D', which belongs to a line end".to_owned()
                    ));
                }
                output.write_all(&record[..kept])?;
                output.write_all(&[end])?;
            }
            Self::JsonLines => {
                output.write_all(record)?;
                output.write_all(b"\n")?;
            }
            Self::Rdw => {
                if !RecordDescriptor::Rdw.write(output, record)? {
                    return Ok(Err(format!("it has {} bytes, too many", record.len())));
                }
            }
        }
        Ok(Ok(()))
    }
}

fn pad(def: &FileDef) -> Option<usize> {
    (def.format == RecordFormat::Fixed).then_some(def.max_record_bytes as usize)
}

/// True for a whole record, false for a clean end.
fn check_length(record: u64, got: usize, expected: usize) -> Result<bool, FramingError> {
    if got == expected {
        Ok(expected > 0)
    } else if got == 0 {
        Ok(false)
    } else {
        Err(FramingError::Truncated {
            record,
            got,
            expected,
        })
    }
}

/// Reads a line without its end; returns false at the end.
fn line(
    input: &mut dyn BufRead,
    end: u8,
    record: u64,
    buffer: &mut Vec<u8>,
) -> Result<bool, FramingError> {
    let got = input.take(MAX_LINE_BYTES).read_until(end, buffer)?;
    if got == 0 {
        return Ok(false);
    }
    if buffer.last() == Some(&end) {
        buffer.pop();
        if end == b'\n' && buffer.last() == Some(&b'\r') {
            buffer.pop();
        }
    } else if got as u64 == MAX_LINE_BYTES {
        return Err(FramingError::Line { record });
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(framing: RecordFraming, mut input: &[u8]) -> Result<Vec<Vec<u8>>, FramingError> {
        let mut all = Vec::new();
        for number in 1.. {
            let mut record = Vec::new();
            if !framing.read(&mut input, number, &mut record)? {
                break;
            }
            all.push(record);
        }
        Ok(all)
    }

    fn lines(pad_to: Option<usize>) -> RecordFraming {
        RecordFraming::Lines {
            end: b'\n',
            blank: b' ',
            pad_to,
        }
    }

    #[test]
    fn a_byte_order_mark_before_the_first_json_line_is_passed_over() {
        let text = "\u{feff}{\"A\":1}\n{\"A\":2}\n".as_bytes();
        let expected = [b"{\"A\":1}".to_vec(), b"{\"A\":2}".to_vec()];
        assert_eq!(records(RecordFraming::JsonLines, text).unwrap(), expected);
    }

    #[test]
    fn lines_end_with_or_without_a_carriage_return_or_the_input() {
        assert_eq!(
            records(lines(None), b"ab\r\n\ncd").unwrap(),
            [&b"ab"[..], b"", b"cd"]
        );
        assert_eq!(
            records(lines(Some(4)), b"ab\nabcdef\n").unwrap(),
            [&b"ab  "[..], b"abcdef"]
        );
    }

    #[test]
    fn fixed_records_are_whole() {
        let three = RecordFraming::Fixed { record_bytes: 3 };
        assert_eq!(records(three, b"abcdef").unwrap(), [b"abc", b"def"]);
        let error = records(three, b"abcde").unwrap_err().to_string();
        assert_eq!(
            error,
            "the input ends within record 2, after 2 of its 3 bytes"
        );
        let none = RecordFraming::Fixed { record_bytes: 0 };
        assert_eq!(records(none, b"abc").unwrap(), [b""; 0]);
    }

    #[test]
    fn record_descriptor_words_are_checked() {
        let good = b"\0\x06\0\0ab\0\x04\0\0\0\x05\0\0c";
        assert_eq!(
            records(RecordFraming::Rdw, good).unwrap(),
            [&b"ab"[..], b"", b"c"]
        );
        for bad in [
            &b"\0\x03\0\0"[..],
            b"\0\x05\0\x01c",
            b"\0\x06\0\0a",
            b"\0\x06",
        ] {
            assert!(records(RecordFraming::Rdw, bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let endless = vec![b'x'; MAX_LINE_BYTES as usize + 1];
        assert!(matches!(
            records(lines(None), &endless),
            Err(FramingError::Line { record: 1 })
        ));
    }

    #[test]
    fn what_is_written_is_read_back_or_refused() {
        let framings = [
            lines(None),
            lines(Some(3)),
            RecordFraming::Rdw,
            RecordFraming::Fixed { record_bytes: 3 },
        ];
        for framing in framings {
            for record in [&b"ab "[..], b"   ", b"a\nb", b"ab\r"] {
                let mut bytes = Vec::new();
                if framing.write(&mut bytes, record).unwrap().is_ok() {
                    assert_eq!(records(framing, &bytes).unwrap(), [record], "{framing:?}");
                } else {
                    assert!(bytes.is_empty() && matches!(framing, RecordFraming::Lines { .. }));
                }
            }
        }
    }
}
