//! The boundaries of messages in a stream.
//!
//! ```text
//!   length      | 1, 2 or 4 bytes: how many follow | message |
//!   delimiter   | message | delimiter |
//!   fixed       | message |
//! ```
//!
//! The length may count its own bytes, and may be little-endian. The length comes from
//! a peer that may be broken: above the limit it is an error, never an
//! allocation.
//!
//! Invariant: pure; any bytes can be read, in any pieces, with the same result.

use std::ops::Range;

use memchr::memmem;

/// How messages are separated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameFormat {
    /// The end of a message.
    pub frame: Frame,
    /// Most bytes of a message that comes in, its frame not counted.
    pub max_bytes: usize,
}

/// The end of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// Its length precedes it.
    Length {
        /// Bytes of the length: 1, 2 or 4.
        bytes: usize,
        /// The length counts itself.
        inclusive: bool,
        /// The lowest byte comes first.
        little: bool,
    },
    /// These bytes follow a message; at least one.
    Delimiter(Box<[u8]>),
    /// All have this many bytes, at least one.
    Fixed {
        /// How many.
        bytes: usize,
        /// The padding of a shorter answer.
        pad: u8,
    },
}

/// The frame at the start of a connection's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameStart {
    /// A message.
    Message {
        /// The message's bytes, without its frame.
        data: Range<usize>,
        /// The offset of the next message.
        next: usize,
    },
    /// A part of one.
    More {
        /// Bytes that need not be searched again: pass them the next time.
        searched: usize,
        /// How many bytes must be there before it is worth looking again.
        needed: usize,
    },
}

/// Why a stream has no further message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FramingError {
    /// A length, or a message without its delimiter, above the limit.
    #[error("a message has {bytes} bytes, but at most {most} are allowed")]
    TooLong {
        /// How long, as far as is known.
        bytes: u64,
        /// The limit.
        most: usize,
    },
    /// A length that counts itself and is less than its own bytes.
    #[error("a length of {length}, although it includes its own {bytes} bytes")]
    TooShort {
        /// The length.
        length: u64,
        /// Bytes of the length.
        bytes: usize,
    },
    /// An answer that is too long for the frame's length field.
    #[error("an answer has {bytes} bytes, but the frame's length field allows {most}")]
    Answer {
        /// How long it is.
        bytes: usize,
        /// The longest answer that the frame's length field allows.
        most: usize,
    },
}

impl FrameFormat {
    /// Looks at the bytes that have come. `searched` is what the look before
    /// said, 0 for the first.
    pub fn first(&self, bytes: &[u8], searched: usize) -> Result<FrameStart, FramingError> {
        match &self.frame {
            Frame::Length {
                bytes: own,
                inclusive,
                little,
            } => self.by_length(bytes, *own, *inclusive, *little),
            Frame::Delimiter(delimiter) => self.by_delimiter(bytes, delimiter, searched),
            Frame::Fixed { bytes: size, .. } => Ok(whole(bytes.len(), 0, *size)),
        }
    }

    /// Bytes of the delimiters that the bytes begin with: two in a row are no
    /// message between them. All at once, since a read may have thousands.
    pub fn empty(&self, bytes: &[u8]) -> usize {
        match &self.frame {
            Frame::Delimiter(delimiter) => {
                let pieces = bytes.chunks_exact(delimiter.len());
                let first = pieces.take_while(|piece| *piece == &delimiter[..]);
                first.count() * delimiter.len()
            }
            _ => 0,
        }
    }

    fn by_length(
        &self,
        bytes: &[u8],
        own: usize,
        inclusive: bool,
        little: bool,
    ) -> Result<FrameStart, FramingError> {
        let Some(field) = bytes.get(..own) else {
            return Ok(FrameStart::More {
                searched: 0,
                needed: own,
            });
        };
        let add = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        let length = if little {
            field.iter().rev().fold(0, add)
        } else {
            field.iter().fold(0, add)
        };
        let counted = if inclusive { own as u64 } else { 0 };
        let Some(data) = length.checked_sub(counted) else {
            return Err(FramingError::TooShort { length, bytes: own });
        };
        match usize::try_from(data).ok().filter(|n| *n <= self.max_bytes) {
            Some(data) => Ok(whole(bytes.len(), own, data)),
            None => Err(self.too_long(data)),
        }
    }

    fn by_delimiter(
        &self,
        bytes: &[u8],
        delimiter: &[u8],
        searched: usize,
    ) -> Result<FrameStart, FramingError> {
        let from = searched.min(bytes.len());
        let found = match delimiter {
            [byte] => memchr::memchr(*byte, &bytes[from..]),
            _ => memmem::find(&bytes[from..], delimiter),
        };
        let found = found.map(|at| from + at);
        // The delimiter may have begun already.
        let rest = delimiter.len() - 1;
        match found {
            Some(at) if at <= self.max_bytes => Ok(FrameStart::Message {
                data: 0..at,
                next: at + delimiter.len(),
            }),
            Some(at) => Err(self.too_long(at as u64)),
            None if bytes.len() > self.max_bytes + rest => {
                Err(self.too_long((bytes.len() - rest) as u64))
            }
            None => Ok(FrameStart::More {
                searched: bytes.len().saturating_sub(rest).max(from),
                needed: bytes.len() + 1,
            }),
        }
    }

    fn too_long(&self, bytes: u64) -> FramingError {
        FramingError::TooLong {
            bytes,
            most: self.max_bytes,
        }
    }

    /// Appends an answer with its frame. Where it does not go nothing is
    /// appended.
    pub fn emit(&self, answer: &[u8], out: &mut Vec<u8>) -> Result<(), FramingError> {
        let most = self.longest_answer();
        if answer.len() > most {
            return Err(FramingError::Answer {
                bytes: answer.len(),
                most,
            });
        }
        match &self.frame {
            Frame::Length {
                bytes,
                inclusive,
                little,
            } => {
                let length = answer.len() + if *inclusive { *bytes } else { 0 };
                if *little {
                    out.extend_from_slice(&(length as u64).to_le_bytes()[..*bytes])
                } else {
                    out.extend_from_slice(&(length as u64).to_be_bytes()[8 - bytes..])
                }
                out.extend_from_slice(answer);
            }
            Frame::Delimiter(delimiter) => {
                out.extend_from_slice(answer);
                out.extend_from_slice(delimiter);
            }
            Frame::Fixed { bytes, pad } => {
                out.extend_from_slice(answer);
                out.resize(out.len() + bytes - answer.len(), *pad);
            }
        }
        Ok(())
    }

    /// The place of an answer of this length in the output of
    /// [`FrameFormat::emit`].
    pub fn answer_in(&self, written: &[u8], answer: usize) -> Range<usize> {
        let before = match &self.frame {
            Frame::Length { bytes, .. } => *bytes,
            Frame::Delimiter(_) | Frame::Fixed { .. } => 0,
        };
        before..(before + answer).min(written.len())
    }

    /// Most bytes of a message that comes in, with its frame.
    pub fn longest(&self) -> usize {
        self.max_bytes
            + match &self.frame {
                Frame::Length { bytes, .. } => *bytes,
                Frame::Delimiter(delimiter) => delimiter.len(),
                Frame::Fixed { .. } => 0,
            }
    }

    /// Whether a delimiter ends a message.
    pub fn is_delimited(&self) -> bool {
        matches!(self.frame, Frame::Delimiter(_))
    }

    /// The longest answer that the frame's length field allows.
    pub fn longest_answer(&self) -> usize {
        match &self.frame {
            Frame::Length {
                bytes, inclusive, ..
            } => {
                let most = (1u64 << (8 * bytes)) - 1;
                let counted = if *inclusive { *bytes as u64 } else { 0 };
                (most - counted) as usize
            }
            Frame::Delimiter(_) => usize::MAX,
            Frame::Fixed { bytes, .. } => *bytes,
        }
    }
}

/// A message of `data` bytes after `before` others, if it is complete.
fn whole(there: usize, before: usize, data: usize) -> FrameStart {
    let next = before + data;
    if there >= next {
        FrameStart::Message {
            data: before..next,
            next,
        }
    } else {
        FrameStart::More {
            searched: 0,
            needed: next,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn framings() -> Vec<FrameFormat> {
        let mut all = Vec::new();
        for bytes in [1, 2, 4] {
            for (inclusive, little) in [(false, false), (true, false), (false, true), (true, true)]
            {
                all.push(Frame::Length {
                    bytes,
                    inclusive,
                    little,
                });
            }
        }
        all.push(Frame::Delimiter(b"\n"[..].into()));
        all.push(Frame::Delimiter(b"abab"[..].into()));
        all.push(Frame::Fixed {
            bytes: 5,
            pad: b' ',
        });
        let framing = |frame| FrameFormat {
            frame,
            max_bytes: 100,
        };
        all.into_iter().map(framing).collect()
    }

    /// The messages of a stream that comes in pieces, as a connection reads
    /// them.
    fn read(framing: &FrameFormat, pieces: &[&[u8]]) -> Result<Vec<Vec<u8>>, FramingError> {
        let (mut buffer, mut messages, mut searched) = (Vec::new(), Vec::new(), 0);
        for piece in pieces {
            buffer.extend_from_slice(piece);
            loop {
                match framing.first(&buffer, searched)? {
                    FrameStart::Message { data, next } => {
                        messages.push(buffer[data].to_vec());
                        buffer.drain(..next);
                        searched = 0;
                    }
                    FrameStart::More {
                        searched: seen,
                        needed,
                    } => {
                        assert!(needed > buffer.len() && seen <= buffer.len());
                        searched = seen;
                        break;
                    }
                }
            }
        }
        Ok(messages)
    }

    /// The messages that are not empty, with the delimiters in a row left out
    /// as a connection does it.
    fn read_without_empty(framing: &FrameFormat, pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let (mut buffer, mut messages, mut searched) = (Vec::new(), Vec::new(), 0);
        for piece in pieces {
            buffer.extend_from_slice(piece);
            loop {
                let skipped = framing.empty(&buffer);
                buffer.drain(..skipped);
                match framing.first(&buffer, searched) {
                    Ok(FrameStart::Message { data, next }) => {
                        assert!(!data.is_empty(), "no message is between delimiters");
                        messages.push(buffer[data].to_vec());
                        buffer.drain(..next);
                        searched = 0;
                    }
                    Ok(FrameStart::More { searched: seen, .. }) => {
                        searched = seen;
                        break;
                    }
                    Err(_) => return messages,
                }
            }
        }
        messages
    }

    proptest! {
        #[test]
        fn delimiters_in_a_row_are_left_out_and_nothing_else(
            bytes in proptest::collection::vec(proptest::sample::select(&b"ab\nx"[..]), 0..80),
            cut in 0..80usize,
        ) {
            for delimiter in [&b"\n"[..], b"abab", b"aa"] {
                let frame = Frame::Delimiter(delimiter.into());
                let framing = FrameFormat { frame, max_bytes: 100 };
                let (one, other) = bytes.split_at(cut.min(bytes.len()));
                let all = read(&framing, &[one, other]).expect("no message is too long");
                let said: Vec<_> = all.into_iter().filter(|m| !m.is_empty()).collect();
                prop_assert_eq!(read_without_empty(&framing, &[one, other]), said);
            }
        }
    }

    #[test]
    fn a_read_of_delimiters_alone_is_left_out_at_once() {
        let framing = |frame| FrameFormat {
            frame,
            max_bytes: 100,
        };
        let lines = framing(Frame::Delimiter(b"\r\n"[..].into()));
        assert_eq!(lines.empty(&b"\r\n".repeat(2048)), 4096);
        assert_eq!(lines.empty(b"\r\n\r"), 2);
        assert_eq!(lines.empty(b"x\r\n"), 0);
        let fixed = framing(Frame::Fixed {
            bytes: 2,
            pad: b' ',
        });
        assert_eq!(fixed.empty(b"\r\n\r\n"), 0);
    }

    #[test]
    fn split_and_glued_messages_are_the_same_messages() {
        for framing in framings() {
            let sent = [b"hello".to_vec(), b"x\0y\xFFz".to_vec(), b"ababa".to_vec()];
            let sent: Vec<Vec<u8>> = match framing.frame {
                Frame::Delimiter(ref d) if d.len() > 1 => sent[..2].to_vec(),
                _ => sent.to_vec(),
            };
            let mut wire = Vec::new();
            for message in &sent {
                framing.emit(message, &mut wire).unwrap();
            }
            for size in 1..=wire.len() {
                let pieces: Vec<&[u8]> = wire.chunks(size).collect();
                assert_eq!(
                    read(&framing, &pieces).unwrap(),
                    sent,
                    "{framing:?} by {size}"
                );
            }
        }
    }

    #[test]
    fn a_length_that_lies_is_an_error_and_nothing_is_allocated_for_it() {
        let framing = |inclusive, little| FrameFormat {
            frame: Frame::Length {
                bytes: 4,
                inclusive,
                little,
            },
            max_bytes: 1000,
        };
        let too_long = framing(false, false).first(&[0xFF; 4], 0);
        assert_eq!(
            too_long.unwrap_err().to_string(),
            "a message has 4294967295 bytes, but at most 1000 are allowed"
        );
        let too_short = framing(true, false).first(&[0, 0, 0, 3], 0);
        assert_eq!(
            too_short.unwrap_err().to_string(),
            "a length of 3, although it includes its own 4 bytes"
        );
        let waits = framing(true, true).first(&[0xEC, 0x03, 0, 0], 0);
        assert_eq!(
            waits,
            Ok(FrameStart::More {
                searched: 0,
                needed: 1004
            })
        );
        assert!(framing(true, true).first(&[0xED, 0x03, 0, 0], 0).is_err());
    }

    #[test]
    fn a_message_without_its_delimiter_ends_at_the_limit() {
        let framing = &framings()[12];
        assert_eq!(framing.frame, Frame::Delimiter(b"\n"[..].into()));
        let mut longest = vec![b'x'; 100];
        assert!(matches!(
            framing.first(&longest, 0),
            Ok(FrameStart::More { .. })
        ));
        longest.push(b'\n');
        assert!(matches!(
            framing.first(&longest, 0),
            Ok(FrameStart::Message { .. })
        ));
        assert!(framing.first(&[b'x'; 101], 0).is_err());
    }

    #[test]
    fn an_answer_that_the_frame_cannot_delimit_is_rejected() {
        let mut out = b"before".to_vec();
        for framing in framings() {
            let most = framing.longest_answer();
            if most < 1000 {
                assert!(framing.emit(&vec![0; most], &mut out).is_ok());
                out.truncate(6);
                assert!(framing.emit(&vec![0; most + 1], &mut out).is_err());
                assert_eq!(out, b"before");
            }
        }
        let fixed = framings().pop().unwrap();
        fixed.emit(b"ab", &mut out).unwrap();
        assert_eq!(out, b"beforeab   ");
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_pieces_give_the_same_messages(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'a'), Just(b'b'), Just(0)], 0..300),
            cuts in prop::collection::vec(0usize..300, 0..6),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts {
                pieces.push(&bytes[from..cut]);
                from = cut;
            }
            pieces.push(&bytes[from..]);
            for framing in framings() {
                let (whole, split) = (read(&framing, &[&bytes]), read(&framing, &pieces));
                prop_assert_eq!(whole.is_ok(), split.is_ok());
                if let (Ok(whole), Ok(split)) = (whole, split) {
                    prop_assert_eq!(&whole, &split);
                    prop_assert!(whole.iter().all(|m| m.len() <= framing.max_bytes));
                }
            }
        }
    }
}
