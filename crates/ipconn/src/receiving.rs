//! Splits received bytes into frames and messages.
//!
//! The bytes of a message are copied once, from the read buffer into the message.
//! Memory for a message is limited to the ungranted size until the rest is granted,
//! whatever length it announces.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::sending::LENGTH;
use crate::wire::{FrameKind, Header};

/// An incomplete message.
#[derive(Debug)]
struct IncomingMessage {
    total: usize,
    bytes: Vec<u8>,
    credit_requested: bool,
}

/// What the next byte of the stream belongs to.
#[derive(Debug)]
enum StreamPosition {
    Header(Vec<u8>),
    /// The length of a message whose first frame this is.
    Length(Header, Vec<u8>),
    Message(Header, usize),
    Control(Header, Vec<u8>),
}

/// A received part.
#[derive(Debug, PartialEq, Eq)]
pub enum ReceivedPart {
    /// A request of this number begins.
    Begins(u32),
    /// A message is whole.
    Message(FrameKind, u32, Vec<u8>),
    /// A frame without a message.
    Control(Header, Vec<u8>),
}

/// The messages that are coming, and their bound.
#[derive(Debug)]
pub struct ReceiveBuffer {
    at: StreamPosition,
    frames: u64,
    coming: HashMap<u32, IncomingMessage>,
    /// Bytes of a message that may arrive before the rest is granted.
    unasked: usize,
    longest: usize,
    /// Bytes of granted messages that may be here at once, and that are.
    budget: usize,
    granted: usize,
    /// Messages that wait for a grant.
    waiting: VecDeque<u32>,
    /// Cancelled messages.
    abandoned: HashSet<u32>,
}

impl ReceiveBuffer {
    /// Bounds in bytes: of a message unasked, of any message, and of all that
    /// are granted at once.
    pub fn new(unasked: usize, longest: usize, budget: usize) -> ReceiveBuffer {
        ReceiveBuffer {
            at: StreamPosition::Header(Vec::new()),
            frames: 0,
            coming: HashMap::new(),
            unasked,
            longest,
            budget,
            granted: 0,
            waiting: VecDeque::new(),
            abandoned: HashSet::new(),
        }
    }

    /// Number of received frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Discards the rest of a message.
    pub fn abandon(&mut self, id: u32) {
        self.abandoned.insert(id);
        self.release(id);
    }

    /// The number of an abandoned message is free again.
    pub fn forget(&mut self, id: u32) {
        self.abandoned.remove(&id);
        self.release(id);
    }

    fn release(&mut self, id: u32) {
        if let Some(gone) = self.coming.remove(&id) {
            if gone.credit_requested {
                self.granted -= gone.total;
            }
            self.waiting.retain(|w| *w != id);
        }
    }

    /// The next message that is granted its rest.
    pub fn next_grant(&mut self) -> Option<u32> {
        let id = *self.waiting.front()?;
        let coming = self.coming.get_mut(&id)?;
        // A message larger than the budget is received alone.
        let fits = self.granted == 0 || self.granted + coming.total <= self.budget;
        if !fits {
            return None;
        }
        self.waiting.pop_front();
        coming.credit_requested = true;
        self.granted += coming.total;
        let more = coming.total - coming.bytes.len();
        coming.bytes.reserve_exact(more);
        Some(id)
    }

    /// Takes bytes up to the end of a frame or of `input`; returns the event
    /// that they complete. `known` says whether a message with this request
    /// number is expected. The error is a message for the peer.
    pub fn take(
        &mut self,
        input: &mut &[u8],
        known: impl Fn(FrameKind, u32) -> bool,
    ) -> Result<Option<ReceivedPart>, String> {
        while !input.is_empty() {
            match &mut self.at {
                StreamPosition::Header(have) => {
                    let Some(bytes) = fill(have, Header::BYTES, input) else {
                        break;
                    };
                    let header = bytes.first_chunk().expect("a header's bytes");
                    let header = Header::parse(header).map_err(|e| e.to_string())?;
                    self.frames += 1;
                    if let Some(came) = self.begin(header, &known)? {
                        return Ok(Some(came));
                    }
                }
                StreamPosition::Length(header, have) => {
                    let header = *header;
                    let Some(bytes) = fill(have, LENGTH, input) else {
                        break;
                    };
                    let total = bytes.first_chunk().expect("a length's bytes");
                    let total = u32::from_be_bytes(*total) as usize;
                    if let Some(came) = self.message_begins(header, total)? {
                        return Ok(Some(came));
                    }
                }
                StreamPosition::Message(header, left) => {
                    let bytes = (*left).min(input.len());
                    let (now, rest) = input.split_at(bytes);
                    *input = rest;
                    *left -= bytes;
                    let (header, over) = (*header, *left == 0);
                    if over {
                        self.at = StreamPosition::Header(Vec::new());
                    }
                    if let Some(coming) = self.coming.get_mut(&header.id) {
                        coming.bytes.extend_from_slice(now);
                    }
                    if over && let Some(came) = self.frame_ends(header)? {
                        return Ok(Some(came));
                    }
                }
                StreamPosition::Control(header, have) => {
                    let header = *header;
                    let Some(bytes) = fill(have, header.length, input) else {
                        break;
                    };
                    self.at = StreamPosition::Header(Vec::new());
                    return Ok(Some(ReceivedPart::Control(header, bytes)));
                }
            }
        }
        Ok(None)
    }

    fn begin(
        &mut self,
        header: Header,
        known: &impl Fn(FrameKind, u32) -> bool,
    ) -> Result<Option<ReceivedPart>, String> {
        let id = header.id;
        let wanted = known(header.kind, id) || self.abandoned.contains(&id);
        match header.kind {
            FrameKind::Request | FrameKind::Reply => {
                if !wanted || self.coming.contains_key(&id) {
                    return Err(format!(
                        "a {:?} frame with the invalid number {id}",
                        header.kind
                    ));
                }
                if header.length < LENGTH {
                    return Err("a first frame without the length of its message".into());
                }
                self.at = StreamPosition::Length(header, Vec::new());
                if header.kind == FrameKind::Request {
                    return Ok(Some(ReceivedPart::Begins(id)));
                }
            }
            FrameKind::Data => {
                let left = match self.coming.get(&id) {
                    Some(coming) => {
                        let bound = if coming.credit_requested {
                            coming.total
                        } else {
                            self.unasked.min(coming.total)
                        };
                        bound - coming.bytes.len()
                    }
                    None if self.abandoned.contains(&id) => usize::MAX,
                    None => {
                        return Err(format!(
                            "data of request {id}, which has no message under way"
                        ));
                    }
                };
                if header.length > left {
                    return Err(format!(
                        "{} bytes of request {id}, but at most {left} are expected",
                        header.length
                    ));
                }
                if header.length == 0 {
                    return Err("a data frame without data".into());
                }
                self.at = StreamPosition::Message(header, header.length);
            }
            _ if header.length == 0 => {
                self.at = StreamPosition::Header(Vec::new());
                return Ok(Some(ReceivedPart::Control(header, Vec::new())));
            }
            _ => self.at = StreamPosition::Control(header, Vec::new()),
        }
        Ok(None)
    }

    fn message_begins(
        &mut self,
        header: Header,
        total: usize,
    ) -> Result<Option<ReceivedPart>, String> {
        let (id, here) = (header.id, header.length - LENGTH);
        if total > self.longest {
            return Err(format!(
                "a message of {total} bytes, but at most {} are allowed",
                self.longest
            ));
        }
        if here > total || here > self.unasked {
            return Err(format!("{here} bytes of a message, more than its window"));
        }
        if !self.abandoned.contains(&id) {
            let fits = total <= self.unasked;
            // A length alone makes no memory.
            let first = if fits {
                total.min(here.max(4096))
            } else {
                here
            };
            self.coming.insert(
                id,
                IncomingMessage {
                    total,
                    bytes: Vec::with_capacity(first),
                    credit_requested: false,
                },
            );
            if !fits {
                self.waiting.push_back(id);
            }
        }
        self.at = match here {
            0 => StreamPosition::Header(Vec::new()),
            _ => StreamPosition::Message(header, here),
        };
        match here {
            0 => self.frame_ends(header),
            _ => Ok(None),
        }
    }

    fn frame_ends(&mut self, header: Header) -> Result<Option<ReceivedPart>, String> {
        let id = header.id;
        let whole = self
            .coming
            .get(&id)
            .is_some_and(|c| c.bytes.len() == c.total);
        if !whole {
            return Ok(None);
        }
        let Some(done) = self.coming.remove(&id) else {
            return Ok(None);
        };
        if done.credit_requested {
            self.granted -= done.total;
        }
        Ok(Some(ReceivedPart::Message(header.kind, id, done.bytes)))
    }
}

/// Moves bytes until there are so many; them, when there are.
fn fill(have: &mut Vec<u8>, want: usize, input: &mut &[u8]) -> Option<Vec<u8>> {
    let bytes = (want - have.len()).min(input.len());
    let (now, rest) = input.split_at(bytes);
    have.extend_from_slice(now);
    *input = rest;
    (have.len() == want).then(|| std::mem::take(have))
}
