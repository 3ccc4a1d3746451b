//! HTTP/2: frames to streams, a request and its response each.
//!
//! A stream is an exchange; its head is its name as long as heads can be
//! decompressed, its number otherwise. Bodies are stepped over; those of gRPC are
//! looked at for where messages end, so that they are counted. What belongs to no
//! stream (settings, pings, window updates) is not a request. Reference: RFC 9113,
//! sections 3.4, 4.1, 6 and 8.1. Invariant: at most one frame header and one header
//! block are held a direction.

use super::feed::{FeedContext, ParseStep, ProtocolParser};
use super::grpc::GrpcCalls;
use super::http::label;
use super::http2_heads::{DecodedHead, HeaderBlocks};
use crate::ConnectionSide;

/// Both directions of a connection.
#[derive(Debug)]
pub(super) struct Http2Parser {
    directions: [Http2Direction; 2],
    calls: GrpcCalls,
}

#[derive(Debug, Default)]
struct Http2Direction {
    /// Remaining bytes of the preface.
    preface: usize,
    head: [u8; HEAD_BYTES],
    have: usize,
    frame: Frame,
    /// Remaining bytes of the frame.
    left: u64,
    /// Bytes of padding after a DATA frame's content. `None` before its length.
    padding: Option<u64>,
    heads: HeaderBlocks,
    /// The frame that began the header block.
    opened_by: Frame,
}

/// The frame being read.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
}

impl Default for Http2Parser {
    fn default() -> Http2Parser {
        let client = Http2Direction {
            preface: PREFACE_BYTES,
            ..Http2Direction::default()
        };
        Http2Parser {
            directions: [client, Http2Direction::default()],
            calls: GrpcCalls::default(),
        }
    }
}

impl ProtocolParser for Http2Parser {
    fn step(&mut self, at: &mut FeedContext<'_>, bytes: &[u8]) -> ParseStep {
        let direction = &mut self.directions[at.side.index()];
        if direction.preface > 0 {
            let used = direction.preface.min(bytes.len());
            direction.preface -= used;
            return ParseStep::Used(used);
        }
        if direction.left > 0 {
            let used = direction.left.min(bytes.len() as u64);
            self.pass(used, Some(&bytes[..used as usize]), at);
            return ParseStep::Used(used as usize);
        }
        let take = (HEAD_BYTES - direction.have).min(bytes.len());
        direction.head[direction.have..][..take].copy_from_slice(&bytes[..take]);
        direction.have += take;
        if direction.have < HEAD_BYTES {
            return ParseStep::Used(take);
        }
        direction.have = 0;
        let [a, b, c, kind, flags, stream @ ..] = direction.head;
        if kind > LAST_KIND {
            return ParseStep::Leave(0);
        }
        direction.frame = Frame {
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & 0x7fff_ffff,
        };
        direction.left = u64::from(u32::from_be_bytes([0, a, b, c]));
        self.begin(at);
        if self.directions[at.side.index()].left == 0 {
            self.end(at);
        }
        ParseStep::Used(take)
    }

    fn miss(&mut self, at: &mut FeedContext<'_>, missing: u64) -> bool {
        let known = missing <= self.directions[at.side.index()].left;
        if known {
            self.pass(missing, None, at);
        }
        known
    }
}

impl Http2Parser {
    /// A frame's header is whole.
    fn begin(&mut self, at: &mut FeedContext<'_>) {
        let direction = &mut self.directions[at.side.index()];
        let frame = direction.frame;
        direction.padding = (frame.flags & PADDED == 0).then_some(0);
        if matches!(frame.kind, HEADERS | PUSH_PROMISE) {
            direction.heads.begin(at.stamp);
            direction.opened_by = frame;
        }
        if frame.carries_block() {
            direction.heads.begin_frame();
            direction.heads.bytes += HEAD_BYTES as u64;
        }
        match (frame.kind, at.side, frame.session()) {
            (HEADERS, ConnectionSide::Client, Some(session))
                if at.out.session_mut(session).is_none() =>
            {
                let asked_ns = at.stamp.time_ns;
                at.out
                    .begin_in_session(session, ConnectionSide::Client, asked_ns, at.stamp);
                if let Some(exchange) = at.out.session_mut(session) {
                    exchange.label = format!("{UNNAMED}{}", frame.stream);
                }
            }
            _ => {}
        }
        self.count(frame, HEAD_BYTES as u64, at);
    }

    /// Handles bytes of the frame's payload; `bytes` is `None` if they were not
    /// captured.
    fn pass(&mut self, count: u64, bytes: Option<&[u8]>, at: &mut FeedContext<'_>) {
        let direction = &mut self.directions[at.side.index()];
        let frame = direction.frame;
        if frame.carries_block() {
            direction.heads.bytes += count;
            match bytes {
                Some(bytes) => direction.heads.take(bytes),
                None => direction.heads.lose(),
            }
        } else if frame.kind == DATA && self.calls.contains(frame.stream) {
            self.message_bytes(count, bytes, at);
        }
        self.count(frame, count, at);
        let direction = &mut self.directions[at.side.index()];
        direction.left -= count;
        if direction.left == 0 {
            self.end(at);
        }
    }

    /// Bytes of a DATA frame of a gRPC call, padding and all.
    fn message_bytes(
        &mut self,
        mut count: u64,
        mut bytes: Option<&[u8]>,
        at: &mut FeedContext<'_>,
    ) {
        let direction = &mut self.directions[at.side.index()];
        let mut left = direction.left;
        if direction.padding.is_none() {
            // The first byte says how much padding follows.
            direction.padding = Some(bytes.map_or(0, |bytes| u64::from(bytes[0])));
            (left, count) = (left - 1, count - 1);
            bytes = bytes.map(|bytes| &bytes[1..]);
        }
        let content = left
            .saturating_sub(direction.padding.unwrap_or(0))
            .min(count);
        let stream = direction.frame.stream;
        let messages = match bytes {
            Some(bytes) => self.calls.take(stream, at.side, &bytes[..content as usize]),
            None => self.calls.miss(stream, at.side, content),
        };
        if let Some(session) = direction.frame.session() {
            for _ in 0..messages {
                at.out.session_message(session, at.side);
            }
        }
    }

    /// Counts bytes of a message. A response's head is counted when it is whole,
    /// since it may be an interim one, which is not a response.
    fn count(&mut self, frame: Frame, bytes: u64, at: &mut FeedContext<'_>) {
        let carries = match at.side {
            ConnectionSide::Client => matches!(frame.kind, DATA | HEADERS | CONTINUATION),
            ConnectionSide::Server => frame.kind == DATA,
        };
        if let Some(session) = frame.session().filter(|_| carries) {
            at.out.session_bytes(session, at.side, bytes, at.stamp);
        }
    }

    /// The frame is whole.
    fn end(&mut self, at: &mut FeedContext<'_>) {
        let direction = &mut self.directions[at.side.index()];
        let frame = direction.frame;
        if frame.carries_block() {
            let padded = frame.flags & PADDED != 0 && frame.kind != CONTINUATION;
            let before = match frame.kind {
                HEADERS if frame.flags & PRIORITY != 0 => PRIORITY_BYTES,
                PUSH_PROMISE => STREAM_BYTES,
                _ => 0,
            };
            direction.heads.end_frame(padded, before);
            if frame.flags & END_HEADERS != 0 {
                self.head(at);
            }
            return;
        }
        let Some(session) = frame.session() else {
            return;
        };
        match frame.kind {
            RST_STREAM => {
                self.calls.end(frame.stream);
                at.out.end_in_session(session, false);
            }
            DATA if frame.flags & END_STREAM != 0 => self.end_side(frame.stream, session, at),
            _ => {}
        }
    }

    /// A header block is whole.
    fn head(&mut self, at: &mut FeedContext<'_>) {
        let direction = &mut self.directions[at.side.index()];
        let frame = direction.opened_by;
        let (start, bytes) = (direction.heads.start, direction.heads.bytes);
        let head = direction.heads.end();
        let Some(session) = frame.session().filter(|_| frame.kind == HEADERS) else {
            return;
        };
        match at.side {
            ConnectionSide::Client => self.request_head(frame.stream, session, head, at),
            ConnectionSide::Server => {
                let interim = head.as_ref().and_then(|head| head.status);
                if interim.is_some_and(|status| status < 200) {
                    return;
                }
                at.out.begin_answer(session, start);
                at.out
                    .session_bytes(session, ConnectionSide::Server, bytes, at.stamp);
                response_head(session, head, at);
            }
        }
        if frame.flags & END_STREAM != 0 {
            self.end_side(frame.stream, session, at);
        }
    }

    fn request_head(
        &mut self,
        stream: u32,
        session: u16,
        head: Option<DecodedHead>,
        at: &mut FeedContext<'_>,
    ) {
        let Some(head) = head.filter(|head| !head.method.is_empty()) else {
            return;
        };
        if let Some(exchange) = at.out.session_mut(session)
            && exchange.label.starts_with(UNNAMED)
        {
            exchange.label.clear();
            let words = [&head.method[..], b" ", &head.path[..]].concat();
            label(&mut exchange.label, words.trim_ascii_end());
            if head.grpc {
                self.calls.begin(stream);
            }
        }
    }

    /// `side` has said everything on a stream.
    fn end_side(&mut self, stream: u32, session: u16, at: &mut FeedContext<'_>) {
        if !self.calls.contains(stream) {
            at.out.session_message(session, at.side);
        }
        if at.side == ConnectionSide::Server {
            self.calls.end(stream);
            at.out.end_in_session(session, true);
        }
    }
}

/// Handles the status of a response, or the trailers of a call.
fn response_head(session: u16, head: Option<DecodedHead>, at: &mut FeedContext<'_>) {
    let (Some(head), Some(exchange)) = (head, at.out.session_mut(session)) else {
        return;
    };
    if let Some(status) = head.status {
        label(&mut exchange.label, status.to_string().as_bytes());
    }
    if let Some(status) = head.grpc_status {
        exchange.label.push_str(&format!(", gRPC status {status}"));
    }
}

impl Frame {
    /// The stream's number for the assembler. Returns `None` for streams that a
    /// client does not open.
    fn session(self) -> Option<u16> {
        let odd = self.stream % 2 == 1;
        odd.then(|| (((self.stream / 2) % u32::from(u16::MAX)) + 1) as u16)
    }

    /// Its payload is a header block or a part of one.
    fn carries_block(self) -> bool {
        matches!(self.kind, HEADERS | PUSH_PROMISE | CONTINUATION)
    }
}

/// The label of an exchange whose head cannot be read.
const UNNAMED: &str = "stream ";

const HEAD_BYTES: usize = 9;

/// Length of the client's preface: `PRI * HTTP/2.0`, an empty line, `SM`, an empty
/// line.
const PREFACE_BYTES: usize = 24;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const PUSH_PROMISE: u8 = 5;
const CONTINUATION: u8 = 9;

/// The last frame of this stream in this direction.
const END_STREAM: u8 = 1;
/// The header block ends with this frame.
const END_HEADERS: u8 = 4;
/// The payload begins with the length of the padding after it.
const PADDED: u8 = 8;
/// A priority is before the header block.
const PRIORITY: u8 = 0x20;

const PRIORITY_BYTES: usize = 5;
/// The promised stream is before the header block.
const STREAM_BYTES: usize = 4;

/// The highest frame type in use (RFC 9218 and later); above it, it is not a frame.
const LAST_KIND: u8 = 0x10;
