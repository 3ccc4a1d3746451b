//! Bytes in order: what came late waits, what came twice is dropped.
//!
//! One [`Stream`] a direction. In-order data passes through without a copy.
//! Data behind a hole is copied and held, up to a limit; what is held without
//! its bytes, was cut by the capture, or was acknowledged and never seen is
//! handed on as so many missing bytes, so that a parser can step over them.
//! Where two segments disagree about the same bytes, the first one seen wins.
//! Invariant: at most the given limit of bytes and [`MAX_HELD`] segments held.

use crate::tcp::before;

/// One direction of a connection, put in order.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    started: bool,
    /// The sequence number that comes next, relative.
    next: u32,
    held: Vec<Held>,
    held_bytes: usize,
}

/// Data behind a hole.
#[derive(Debug)]
struct Held {
    seq: u32,
    len: u32,
    bytes: Box<[u8]>,
}

/// A piece of the stream: `bytes`, then `missing` bytes that nobody has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk<'a> {
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

    /// Takes a segment's payload (`len` bytes, of which `bytes` were
    /// captured) and gives everything that is in order now.
    #[inline]
    pub(crate) fn accept<F: FnMut(Chunk<'_>)>(
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

    /// Gives up holes below `ack`, which the other side has received.
    pub(crate) fn settle<F: FnMut(Chunk<'_>)>(&mut self, ack: u32, mut out: F) {
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

    /// True while something waits behind a hole.
    #[cfg(test)]
    pub(crate) fn is_waiting(&self) -> bool {
        !self.held.is_empty()
    }

    #[inline]
    fn deliver<F: FnMut(Chunk<'_>)>(&mut self, len: u32, bytes: &[u8], out: &mut F) {
        let bytes = &bytes[..bytes.len().min(len as usize)];
        self.next = self.next.wrapping_add(len);
        out(Chunk {
            bytes,
            missing: len - bytes.len() as u32,
        });
    }

    fn skip_to<F: FnMut(Chunk<'_>)>(&mut self, seq: u32, out: &mut F) {
        let missing = seq.wrapping_sub(self.next);
        if missing > 0 {
            self.deliver(missing, &[], out);
        }
    }

    fn hold(&mut self, seq: u32, len: u32, bytes: &[u8], limit: usize) {
        let far = seq.wrapping_sub(self.next) > MAX_JUMP;
        if len == 0 || far || self.held.len() >= MAX_HELD {
            return;
        }
        let keep = &bytes[..bytes.len().min(len as usize)];
        let keep = match self.held_bytes + keep.len() <= limit {
            true => keep,
            false => &[],
        };
        // Behind all with the same number: the first one seen wins.
        let at = (self.held).partition_point(|held| !before(seq, held.seq));
        self.held_bytes += keep.len();
        self.held.insert(
            at,
            Held {
                seq,
                len,
                bytes: keep.into(),
            },
        );
    }

    /// Gives what no hole is in front of any more.
    fn release<F: FnMut(Chunk<'_>)>(&mut self, out: &mut F) {
        let ready = (self.held.iter()).take_while(|held| !before(self.next, held.seq));
        // Segments that overlap grow `next` while they are given, so the
        // list is walked until the next hole.
        if ready.count() == 0 {
            return;
        }
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

/// Segments held behind holes, a direction.
pub(crate) const MAX_HELD: usize = 1024;

/// A jump of more than this is no hole but nonsense: no window is larger.
const MAX_JUMP: u32 = 1 << 30;
