//! The output of a connection: control frames first, then the messages in turn,
//! a piece of each.
//!
//! A small piece is copied next to others, so that many are sent in one write;
//! a large one is written from its own buffer.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;

use crate::wire::{FrameKind, Header, MAX_PAYLOAD};

/// Bytes that are gathered for one write, about.
const GATHER: usize = 64 << 10;
/// A piece of a message from this size on is written from where it is.
const DIRECT: usize = 16 << 10;
/// Bytes in front of a message: its length.
pub const LENGTH: usize = 4;

/// The waiting messages and the piece that is being written.
#[derive(Debug, Default)]
pub struct SendQueue {
    control: Vec<u8>,
    ready: VecDeque<OutgoingMessage>,
    /// Messages whose rest the peer has not granted.
    blocked: HashMap<u32, OutgoingMessage>,
    out: Vec<u8>,
    out_at: usize,
    /// A piece that is written after `out`, and its message.
    tail: Option<MessageTail>,
    /// Messages that have left whole.
    left: Vec<u32>,
}

#[derive(Debug)]
struct OutgoingMessage {
    id: u32,
    kind: FrameKind,
    message: Bytes,
    sent: usize,
    /// Bytes that may be sent as yet.
    allowed: usize,
}

#[derive(Debug)]
struct MessageTail {
    of: OutgoingMessage,
    at: usize,
    end: usize,
    /// The rest of its message is not sent.
    dropped: bool,
}

impl SendQueue {
    /// Queues a frame without a message, before everything else.
    pub fn control(&mut self, kind: FrameKind, id: u32, payload: &[u8]) {
        let header = Header {
            length: payload.len(),
            kind,
            id,
        };
        self.control.extend_from_slice(&header.emit());
        self.control.extend_from_slice(payload);
    }

    /// Bytes of control frames that wait.
    pub fn control_bytes(&self) -> usize {
        self.control.len()
    }

    /// Queues a message of which the peer accepts `unasked` bytes without a
    /// grant.
    pub fn message(&mut self, kind: FrameKind, id: u32, message: Bytes, unasked: usize) {
        let allowed = if message.len() <= unasked {
            message.len()
        } else {
            unasked
        };
        self.ready.push_back(OutgoingMessage {
            id,
            kind,
            message,
            sent: 0,
            allowed,
        });
    }

    /// The peer takes the rest of a message, if there is one.
    pub fn grant(&mut self, id: u32) {
        if let Some(mut blocked) = self.blocked.remove(&id) {
            blocked.allowed = blocked.message.len();
            self.ready.push_back(blocked);
            return;
        }
        let tail = self.tail.iter_mut().map(|t| &mut t.of);
        let mut all = self.ready.iter_mut().chain(tail);
        if let Some(found) = all.find(|o| o.id == id) {
            found.allowed = found.message.len();
        }
    }

    /// Discards a message, or the rest of it; returns true if nothing of it was
    /// sent.
    pub fn forget(&mut self, id: u32) -> bool {
        if let Some(tail) = self.tail.as_mut().filter(|t| t.of.id == id) {
            tail.dropped = true;
            return false;
        }
        if self.blocked.remove(&id).is_some() {
            return false;
        }
        let Some(at) = self.ready.iter().position(|o| o.id == id) else {
            return false;
        };
        self.ready.remove(at).is_some_and(|o| o.sent == 0)
    }

    /// Whether nothing of a message has been sent yet.
    pub fn is_whole(&self, id: u32) -> bool {
        self.ready.iter().any(|o| o.id == id && o.sent == 0)
    }

    /// Prepares the next bytes. Returns `false` if there are none.
    pub fn gather(&mut self) -> bool {
        if self.out_at < self.out.len() || self.tail.is_some() {
            return true;
        }
        self.out.clear();
        self.out_at = 0;
        self.out.append(&mut self.control);
        while self.tail.is_none() && self.out.len() < GATHER {
            let Some(next) = self.ready.pop_front() else {
                break;
            };
            self.piece(next);
        }
        !self.out.is_empty() || self.tail.is_some()
    }

    fn piece(&mut self, mut next: OutgoingMessage) {
        let first = next.sent == 0;
        let room = MAX_PAYLOAD - if first { LENGTH } else { 0 };
        let bytes = (next.allowed - next.sent).min(room);
        let header = Header {
            length: bytes + if first { LENGTH } else { 0 },
            kind: if first { next.kind } else { FrameKind::Data },
            id: next.id,
        };
        self.out.extend_from_slice(&header.emit());
        if first {
            let length = next.message.len() as u32;
            self.out.extend_from_slice(&length.to_be_bytes());
        }
        let end = next.sent + bytes;
        if bytes >= DIRECT {
            let at = next.sent;
            next.sent = end;
            let dropped = false;
            self.tail = Some(MessageTail {
                of: next,
                at,
                end,
                dropped,
            });
        } else {
            self.out.extend_from_slice(&next.message[next.sent..end]);
            next.sent = end;
            self.settle(next);
        }
    }

    /// Puts a message where it belongs after a piece of it.
    fn settle(&mut self, message: OutgoingMessage) {
        if message.sent == message.message.len() {
            self.left.push(message.id);
        } else if message.sent == message.allowed {
            self.blocked.insert(message.id, message);
        } else {
            self.ready.push_back(message);
        }
    }

    /// The bytes to be written next, in two pieces.
    pub fn pieces(&self) -> [&[u8]; 2] {
        let tail = self.tail.as_ref();
        let tail = tail.map_or(&[][..], |t| &t.of.message[t.at..t.end]);
        [&self.out[self.out_at..], tail]
    }

    /// So many of them were written.
    pub fn wrote(&mut self, bytes: usize) {
        let head = bytes.min(self.out.len() - self.out_at);
        self.out_at += head;
        if let Some(tail) = &mut self.tail {
            tail.at += bytes - head;
            if tail.at == tail.end
                && let Some(tail) = self.tail.take()
                && !tail.dropped
            {
                self.settle(tail.of);
            }
        }
    }

    /// The messages that have left whole since this was asked.
    pub fn take_left(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.left)
    }
}
