//! Puts bytes in order: late bytes are held, duplicate bytes are dropped.
//!
//! One [`Stream`] a direction. In-order data passes through without a copy.
//! Data after a hole is copied and held, up to a limit; what is held without
//! its bytes, was cut by the capture, or was acknowledged and never seen is
//! handed on as so many missing bytes, so that a parser can step over them.
//! Where two segments disagree about the same bytes, the first one seen wins.
//! Invariant: at most the given limit of bytes and [`MAX_HELD`] segments held.

use crate::tcp::before;

/// One direction of a connection, put in order.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    started: bool,
    /// The next sequence number, relative.
    next: u32,
    /// The sequence number of a FIN, which is not a byte.
    end: Option<u32>,
    /// In order, without overlap.
    held: Vec<OutOfOrderChunk>,
    held_bytes: usize,
}

/// Data after a hole.
#[derive(Debug)]
struct OutOfOrderChunk {
    seq: u32,
    len: u32,
    bytes: Box<[u8]>,
}

impl OutOfOrderChunk {
    fn end(&self) -> u32 {
        self.seq.wrapping_add(self.len)
    }
}

/// A piece of the stream: `bytes`, then `missing` bytes that were not captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamChunk<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) missing: u32,
}

impl Stream {
    /// Sets where the stream begins; later calls are ignored.
    pub(crate) fn start(&mut self, seq: u32) {
        if !self.started {
            self.started = true;
            self.next = seq;
        }
    }

    /// Sets the end of the stream: its last byte is the one before `seq`.
    pub(crate) fn finish(&mut self, seq: u32) {
        self.end = Some(seq);
    }

    /// Handles a segment's payload (`len` bytes, of which `bytes` were
    /// captured) and passes on everything that is in order now.
    #[inline]
    pub(crate) fn accept<F: FnMut(StreamChunk<'_>)>(
        &mut self,
        seq: u32,
        len: u32,
        bytes: &[u8],
        limit: usize,
        mut out: F,
    ) {
        self.start(seq);
        if seq != self.next {
            if before(self.next, seq) {
                self.hold(seq, len, bytes, limit);
                if self.held.len() >= MAX_HELD {
                    // The hole will not be filled: continue after it.
                    let first = self.held[0].seq;
                    self.skip_to(first, &mut out);
                    self.release(&mut out);
                }
                return;
            }
            let seen = self.next.wrapping_sub(seq);
            if seen < len {
                let rest = bytes.get(seen as usize..).unwrap_or_default();
                self.deliver(len - seen, rest, &mut out);
            }
        } else {
            self.deliver(len, bytes, &mut out);
        }
        if !self.held.is_empty() {
            self.release(&mut out);
        }
    }

    /// Data waits after a hole.
    pub(crate) fn has_hole(&self) -> bool {
        !self.held.is_empty()
    }

    /// Gives up holes below `ack`, which the other side has received.
    pub(crate) fn settle<F: FnMut(StreamChunk<'_>)>(&mut self, ack: u32, mut out: F) {
        let ack = match self.end {
            Some(end) if before(end, ack) => end,
            _ => ack,
        };
        if !self.started || !before(self.next, ack) {
            return;
        }
        while let Some(first) = self.held.first() {
            if !before(first.seq, ack) {
                break;
            }
            let seq = first.seq;
            self.skip_to(seq, &mut out);
            self.release(&mut out);
        }
        if before(self.next, ack) && ack.wrapping_sub(self.next) < MAX_JUMP {
            self.skip_to(ack, &mut out);
        }
    }

    #[inline]
    fn deliver<F: FnMut(StreamChunk<'_>)>(&mut self, len: u32, bytes: &[u8], out: &mut F) {
        let bytes = &bytes[..bytes.len().min(len as usize)];
        self.next = self.next.wrapping_add(len);
        out(StreamChunk {
            bytes,
            missing: len - bytes.len() as u32,
        });
    }

    fn skip_to<F: FnMut(StreamChunk<'_>)>(&mut self, seq: u32, out: &mut F) {
        let missing = seq.wrapping_sub(self.next);
        if missing > 0 {
            self.deliver(missing, &[], out);
        }
    }

    /// Holds the parts of a segment that are not held yet.
    fn hold(&mut self, seq: u32, len: u32, bytes: &[u8], limit: usize) {
        if len == 0 || seq.wrapping_sub(self.next) > MAX_JUMP {
            return;
        }
        let end = seq.wrapping_add(len);
        let mut from = seq;
        let mut at = (self.held).partition_point(|held| !before(seq, held.end()));
        while before(from, end) && self.held.len() < MAX_HELD {
            let to = match self.held.get(at) {
                Some(held) if before(held.seq, end) => held.seq,
                _ => end,
            };
            if before(from, to) {
                let (start, stop) = (from.wrapping_sub(seq), to.wrapping_sub(seq));
                let stop = (stop as usize).min(bytes.len());
                let piece = bytes.get(start as usize..stop).unwrap_or_default();
                let piece = if self.held_bytes + piece.len() <= limit {
                    piece
                } else {
                    &[]
                };
                self.held_bytes += piece.len();
                let held = OutOfOrderChunk {
                    seq: from,
                    len: to.wrapping_sub(from),
                    bytes: piece.into(),
                };
                self.held.insert(at, held);
                at += 1;
            }
            from = self.held.get(at).map_or(end, OutOfOrderChunk::end);
            at += 1;
        }
    }

    /// Passes on everything without a gap before it.
    fn release<F: FnMut(StreamChunk<'_>)>(&mut self, out: &mut F) {
        let mut held = std::mem::take(&mut self.held);
        let mut given = 0;
        while let Some(one) = held.get(given)
            && !before(self.next, one.seq)
        {
            let seen = self.next.wrapping_sub(one.seq);
            if seen < one.len {
                let rest = one.bytes.get(seen as usize..).unwrap_or_default();
                self.deliver(one.len - seen, rest, out);
            }
            self.held_bytes -= one.bytes.len();
            given += 1;
        }
        held.drain(..given);
        self.held = held;
    }
}

/// Segments held after holes, a direction.
pub(crate) const MAX_HELD: usize = 1024;

/// A larger jump is invalid, not a gap: no window is larger.
const MAX_JUMP: u32 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds pieces of `text` (start, length). Returns the output, with `?` for
    /// missing bytes.
    fn feed(text: &[u8], pieces: &[(usize, usize)], limit: usize) -> Vec<u8> {
        let mut stream = Stream::default();
        stream.start(ISN);
        let mut out = Vec::new();
        for (start, len) in pieces {
            let bytes = &text[*start..*start + *len];
            let seq = ISN.wrapping_add(*start as u32);
            stream.accept(seq, *len as u32, bytes, limit, |chunk| {
                out.extend(chunk.bytes);
                out.extend(std::iter::repeat_n(b'?', chunk.missing as usize));
            });
        }
        out
    }

    /// Wraps in the middle of the text.
    const ISN: u32 = u32::MAX - 40;

    proptest! {
        #[test]
        fn pieces_in_any_order_give_the_text_up_to_the_first_hole(
            pieces in proptest::collection::vec((0usize..90, 1usize..30), 0..40),
        ) {
            let text: Vec<u8> = (0..120).collect();
            let mut have = [false; 120];
            for (start, len) in &pieces {
                have[*start..start + len].fill(true);
            }
            let until = have.iter().take_while(|have| **have).count();
            prop_assert_eq!(feed(&text, &pieces, 1 << 20), &text[..until]);
            // Without space to hold bytes, the length is the same and the
            // held bytes are missing.
            let poor = feed(&text, &pieces, 0);
            prop_assert_eq!(poor.len(), until);
            for (at, byte) in poor.iter().enumerate() {
                prop_assert!(*byte == text[at] || *byte == b'?');
            }
        }
    }

    #[test]
    fn holes_that_were_acknowledged_are_given_up() {
        let mut stream = Stream::default();
        stream.start(1);
        let mut out = Vec::new();
        let push = |chunk: StreamChunk<'_>, out: &mut Vec<(Vec<u8>, u32)>| {
            out.push((chunk.bytes.to_vec(), chunk.missing));
        };
        stream.accept(4, 2, b"de", 100, |chunk| push(chunk, &mut out));
        stream.settle(3, |chunk| push(chunk, &mut out));
        assert_eq!(out, [(vec![], 2)]);
        stream.settle(9, |chunk| push(chunk, &mut out));
        assert_eq!(out[1..], [(vec![], 1), (b"de".to_vec(), 0), (vec![], 3)]);
    }

    #[test]
    fn the_number_of_a_fin_is_no_missing_byte() {
        let mut stream = Stream::default();
        stream.start(1);
        let mut out: Vec<u8> = Vec::new();
        stream.accept(1, 3, b"abc", 100, |chunk| out.extend(chunk.bytes));
        stream.finish(4);
        stream.settle(5, |chunk| panic!("{chunk:?}"));
        assert_eq!(out, b"abc");
    }

    #[test]
    fn a_hole_with_too_much_data_after_it_is_given_up() {
        let mut stream = Stream::default();
        stream.start(0);
        let mut missing = 0;
        let mut given = 0;
        for n in 0..2 * MAX_HELD as u32 {
            stream.accept(10 + 2 * n, 1, b"x", 1 << 20, |chunk| {
                missing += chunk.missing;
                given += chunk.bytes.len();
            });
        }
        assert!(missing >= 10 && given >= MAX_HELD);
        assert!(stream.held.len() <= MAX_HELD);
    }
}
