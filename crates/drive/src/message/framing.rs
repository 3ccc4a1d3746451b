//! The framing of messages on a raw socket.
//!
//! Lengths and bytes come from a peer that may send anything. A length above the
//! bound is an error, never an allocation.

use memchr::memmem;

/// How the end of a message on a raw socket is recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageFraming {
    /// A big-endian length before each message.
    Length {
        /// Bytes of the length field: 1, 2, 4 or 8.
        bytes: usize,
        /// Whether the length counts the field itself.
        inclusive: bool,
    },
    /// A delimiter after each message.
    Delimiter(Box<[u8]>),
    /// Messages of this many bytes.
    Fixed(usize),
    /// The message ends when the peer closes.
    Close,
}

/// One message while it arrives.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    bytes: Vec<u8>,
    seen: usize,
    spoiled: bool,
}

impl MessageFraming {
    /// The longest message that the frame can encode. Returns `None` if there
    /// is no limit.
    pub fn longest(&self) -> Option<usize> {
        let MessageFraming::Length { bytes, inclusive } = self else {
            return None;
        };
        let most = u64::MAX >> (64 - 8 * *bytes.min(&8) as u32);
        let own = if *inclusive { *bytes as u64 } else { 0 };
        Some(usize::try_from(most.saturating_sub(own)).unwrap_or(usize::MAX))
    }

    /// Appends a message with its frame.
    pub fn emit(&self, message: &[u8], out: &mut Vec<u8>) {
        if let MessageFraming::Length { bytes, inclusive } = self {
            let length = (message.len() + if *inclusive { *bytes } else { 0 }) as u64;
            out.extend_from_slice(&length.to_be_bytes()[8 - bytes..]);
        }
        out.extend_from_slice(message);
        if let MessageFraming::Delimiter(delimiter) = self {
            out.extend_from_slice(delimiter);
        }
    }
}

impl Frame {
    /// Prepares for the next message.
    pub fn start(&mut self) {
        self.bytes.clear();
        self.seen = 0;
        self.spoiled = false;
    }

    /// Marks the connection as not reusable.
    pub fn spoil(&mut self) {
        self.spoiled = true;
    }

    /// Whether the connection is not reusable.
    pub fn spoiled(&self) -> bool {
        self.spoiled
    }

    /// Whether a byte has arrived.
    pub fn begun(&self) -> bool {
        self.seen > 0
    }

    /// The message with its frame.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Handles received bytes. Returns the number consumed if the message is
    /// complete, `None` if it is not, and an error if its length is out of
    /// bounds.
    pub fn feed(
        &mut self,
        framing: &MessageFraming,
        input: &[u8],
    ) -> Result<Option<usize>, &'static str> {
        let before = self.bytes.len();
        let total = match framing {
            MessageFraming::Fixed(size) => Some(*size),
            MessageFraming::Close => None,
            MessageFraming::Length { bytes, inclusive } => {
                let missing = bytes.saturating_sub(before);
                if input.len() < missing {
                    self.take(input);
                    return Ok(None);
                }
                let mut field = [0u8; 8];
                let kept = before.min(*bytes);
                field[8 - bytes..8 - bytes + kept].copy_from_slice(&self.bytes[..kept]);
                field[8 - missing..].copy_from_slice(&input[..missing]);
                let length = u64::from_be_bytes(field);
                let extra = if *inclusive { 0 } else { *bytes as u64 };
                let total = length.saturating_add(extra);
                if total < *bytes as u64 || total > LONGEST_MESSAGE as u64 {
                    return Err("the length of a message is out of bounds");
                }
                Some(total as usize)
            }
            MessageFraming::Delimiter(delimiter) => {
                self.take(input);
                let from = before.saturating_sub(delimiter.len() - 1);
                let found = memmem::find(&self.bytes[from..], delimiter);
                return match found {
                    Some(at) => {
                        let end = from + at + delimiter.len();
                        self.bytes.truncate(end);
                        Ok(Some(end - before))
                    }
                    None if self.bytes.len() > LONGEST_MESSAGE => {
                        Err("a message without its delimiter is too long")
                    }
                    None => Ok(None),
                };
            }
        };
        match total {
            Some(total) => {
                let taken = (total - before.min(total)).min(input.len());
                self.take(&input[..taken]);
                Ok((self.bytes.len() >= total).then_some(taken))
            }
            None if before > LONGEST_MESSAGE => Err("a message is too long"),
            None => {
                self.take(input);
                Ok(None)
            }
        }
    }

    fn take(&mut self, input: &[u8]) {
        self.seen += input.len();
        self.bytes.extend_from_slice(input);
    }
}

/// A longer message is an error of the peer.
const LONGEST_MESSAGE: usize = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn framings() -> Vec<MessageFraming> {
        vec![
            MessageFraming::Length {
                bytes: 2,
                inclusive: false,
            },
            MessageFraming::Length {
                bytes: 4,
                inclusive: true,
            },
            MessageFraming::Delimiter(b"\r\n"[..].into()),
            MessageFraming::Fixed(5),
        ]
    }

    #[test]
    fn every_split_of_a_message_gives_the_same_result() {
        for framing in framings() {
            let mut wire = Vec::new();
            framing.emit(b"hello", &mut wire);
            for size in 1..=wire.len() {
                let mut frame = Frame::default();
                frame.start();
                let mut done = None;
                let mut total = 0;
                for piece in wire.chunks(size) {
                    done = frame.feed(&framing, piece).unwrap();
                    total += done.unwrap_or(piece.len());
                }
                assert!(
                    done.is_some() && total == wire.len(),
                    "{framing:?} by {size}"
                );
                assert_eq!(frame.bytes(), wire);
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(pieces in proptest::collection::vec(
            proptest::collection::vec(any::<u8>(), 0..12), 0..12)) {
            for framing in framings() {
                let mut frame = Frame::default();
                frame.start();
                for piece in &pieces {
                    match frame.feed(&framing, piece) {
                        Ok(Some(n)) => { prop_assert!(n <= piece.len()); frame.start(); }
                        Ok(None) => {}
                        Err(_) => break,
                    }
                }
            }
        }
    }
}
