//! HTTP/2: frames to streams, a request and its response each.
//!
//! Heads are compressed and stay closed: a stream has its number for a name. Bodies
//! are stepped over, so messages of gRPC inside them are counted by nobody.
//! What belongs to no stream (settings, pings, window updates) is nobody's
//! request. Reference: RFC 9113, sections 3.4, 4.1 and 6.
//! Invariant: at most one frame header is held a direction.

use super::feed::{At, Parse, Step};
use crate::Side;

/// Both directions of a connection.
#[derive(Debug)]
pub(super) struct Http2 {
    directions: [Direction; 2],
}

#[derive(Debug, Default)]
struct Direction {
    /// Bytes of the preface that are still to come.
    preface: usize,
    head: [u8; HEAD_BYTES],
    have: usize,
    frame: Frame,
    /// Bytes of the frame that are still to come.
    left: u64,
}

/// The frame being read.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
}

impl Default for Http2 {
    fn default() -> Http2 {
        let client = Direction {
            preface: PREFACE_BYTES,
            ..Direction::default()
        };
        Http2 {
            directions: [client, Direction::default()],
        }
    }
}

impl Parse for Http2 {
    fn step(&mut self, at: &mut At<'_>, bytes: &[u8]) -> Step {
        let direction = &mut self.directions[at.side.index()];
        if direction.preface > 0 {
            let used = direction.preface.min(bytes.len());
            direction.preface -= used;
            return Step::Used(used);
        }
        if direction.left > 0 {
            let used = direction.left.min(bytes.len() as u64);
            direction.pass(used, at);
            return Step::Used(used as usize);
        }
        let take = (HEAD_BYTES - direction.have).min(bytes.len());
        direction.head[direction.have..][..take].copy_from_slice(&bytes[..take]);
        direction.have += take;
        if direction.have < HEAD_BYTES {
            return Step::Used(take);
        }
        direction.have = 0;
        let [a, b, c, kind, flags, stream @ ..] = direction.head;
        if kind > LAST_KIND {
            return Step::Leave(0);
        }
        direction.frame = Frame {
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & 0x7fff_ffff,
        };
        direction.left = u64::from(u32::from_be_bytes([0, a, b, c]));
        direction.frame.begin(at);
        direction.frame.count(HEAD_BYTES as u64, at);
        if direction.left == 0 {
            direction.frame.end(at);
        }
        Step::Used(take)
    }

    fn miss(&mut self, at: &mut At<'_>, missing: u64) -> bool {
        let direction = &mut self.directions[at.side.index()];
        let known = missing <= direction.left;
        if known {
            direction.pass(missing, at);
        }
        known
    }
}

impl Direction {
    /// Bytes of the frame's payload went by.
    fn pass(&mut self, bytes: u64, at: &mut At<'_>) {
        self.frame.count(bytes, at);
        self.left -= bytes;
        if self.left == 0 {
            self.frame.end(at);
        }
    }
}

impl Frame {
    /// The stream as the assembler names it; none for what is no stream that a
    /// client opens.
    fn session(self) -> Option<u16> {
        let odd = self.stream % 2 == 1;
        odd.then(|| (((self.stream / 2) % u32::from(u16::MAX)) + 1) as u16)
    }

    fn begin(self, at: &mut At<'_>) {
        let Some(session) = self.session().filter(|_| self.kind == HEADERS) else {
            return;
        };
        match at.side {
            Side::Client if at.out.session_mut(session).is_none() => {
                let asked_ns = at.stamp.time_ns;
                at.out
                    .begin_in_session(session, Side::Client, asked_ns, at.stamp);
                if let Some(exchange) = at.out.session_mut(session) {
                    exchange.label.push_str("stream ");
                    exchange.label.push_str(&self.stream.to_string());
                }
            }
            Side::Client => {}
            Side::Server => at.out.begin_answer(session, at.stamp),
        }
    }

    fn count(self, bytes: u64, at: &mut At<'_>) {
        let carries = matches!(self.kind, DATA | HEADERS | CONTINUATION);
        if let Some(session) = self.session().filter(|_| carries) {
            at.out.session_bytes(session, at.side, bytes, at.stamp);
        }
    }

    fn end(self, at: &mut At<'_>) {
        let Some(session) = self.session() else {
            return;
        };
        let last = matches!(self.kind, DATA | HEADERS) && self.flags & END_STREAM != 0;
        match (at.side, last, self.kind == RST_STREAM) {
            (_, _, true) => {
                at.out.end_in_session(session, false);
            }
            (Side::Client, true, _) => at.out.session_message(session, Side::Client),
            (Side::Server, true, _) => {
                at.out.session_message(session, Side::Server);
                at.out.end_in_session(session, true);
            }
            _ => {}
        }
    }
}

const HEAD_BYTES: usize = 9;

/// What a client says first: `PRI * HTTP/2.0`, an empty line, `SM`, another.
const PREFACE_BYTES: usize = 24;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const CONTINUATION: u8 = 9;

/// Nothing more is to come of this stream in this direction.
const END_STREAM: u8 = 1;

/// The highest frame type in use (RFC 9218 and later); above it, it is no frame.
const LAST_KIND: u8 = 0x10;
