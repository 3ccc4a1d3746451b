//! HTTP/1.0 and 1.1: heads are read, bodies are counted.
//!
//! Pipelining, both ways to delimit a body, interim responses, HEAD, bodies
//! that end with the connection, and upgrades, which leave to turns. Bodies
//! pass by their length without being looked at.
//! Reference: RFC 9112 section 6.3 for the length of a body.

use super::feed::{FeedContext, ParseStep, ProtocolParser};
use super::{ExchangeAssembler, PacketStamp};
use crate::ConnectionSide;
use memchr::{memchr, memmem};

/// Both directions of a connection.
#[derive(Debug, Default)]
pub(super) struct HttpParser {
    directions: [HttpDirection; 2],
    /// The protocol was changed or a tunnel opened.
    left: bool,
}

#[derive(Debug, Default)]
struct HttpDirection {
    state: HttpState,
    /// The received part of a head or of a chunk's line.
    partial: Vec<u8>,
    /// First byte of the message.
    start: PacketStamp,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HttpState {
    #[default]
    Head,
    /// Remaining bytes of the body.
    Body(u64),
    /// The line with a chunk's size.
    ChunkLine,
    /// Remaining bytes of the chunk, including its line end.
    Chunk(u64),
    /// Lines after the last chunk.
    Trailer,
    /// The body ends with the connection.
    UntilClose,
    /// Something is missing: wait for the beginning of a message.
    Lost,
}

/// The fields of a head that are used.
#[derive(Debug, Default)]
struct HttpHead {
    length: Option<u64>,
    chunked: bool,
    expects_continue: bool,
}

impl ProtocolParser for HttpParser {
    fn step(&mut self, at: &mut FeedContext<'_>, bytes: &[u8]) -> ParseStep {
        let used = self.piece(at.side, bytes, at.stamp, at.out);
        if self.left {
            ParseStep::Leave(used)
        } else {
            ParseStep::Used(used)
        }
    }

    fn miss(&mut self, at: &mut FeedContext<'_>, missing: u64) -> bool {
        self.skip(at.side, missing, at.stamp, at.out);
        true
    }
}

impl HttpParser {
    /// Returns `true` if a response that has begun is whole at the connection's
    /// end.
    pub(super) fn ends_at_close(&self) -> bool {
        self.directions[ConnectionSide::Server.index()].state == HttpState::UntilClose
    }

    /// Uses some of `bytes`, at least one.
    fn piece(
        &mut self,
        side: ConnectionSide,
        bytes: &[u8],
        stamp: PacketStamp,
        out: &mut ExchangeAssembler,
    ) -> usize {
        match self.directions[side.index()].state {
            HttpState::Head => self.head(side, bytes, stamp, out),
            HttpState::Body(left) => {
                let used = left.min(bytes.len() as u64);
                self.body(side, HttpState::Body(left - used), used, stamp, out);
                used as usize
            }
            HttpState::Chunk(left) => {
                let used = left.min(bytes.len() as u64);
                self.body(side, HttpState::Chunk(left - used), used, stamp, out);
                used as usize
            }
            HttpState::ChunkLine | HttpState::Trailer => self.line(side, bytes, stamp, out),
            HttpState::UntilClose => {
                count(side, bytes.len() as u64, stamp, out);
                bytes.len()
            }
            HttpState::Lost => {
                let begins = match side {
                    ConnectionSide::Client => is_request(bytes),
                    ConnectionSide::Server => is_response(bytes),
                };
                if !begins {
                    count(side, bytes.len() as u64, stamp, out);
                    return bytes.len();
                }
                if side == ConnectionSide::Server && out.front().is_some_and(|e| e.is_answered()) {
                    out.end_response(false);
                }
                self.directions[side.index()].state = HttpState::Head;
                self.head(side, bytes, stamp, out)
            }
        }
    }

    fn head(
        &mut self,
        side: ConnectionSide,
        bytes: &[u8],
        stamp: PacketStamp,
        out: &mut ExchangeAssembler,
    ) -> usize {
        let direction = &mut self.directions[side.index()];
        if direction.partial.is_empty() {
            // Empty lines before a message are allowed.
            let blank = bytes
                .iter()
                .take_while(|b| matches!(b, b'\r' | b'\n'))
                .count();
            if blank > 0 {
                return blank;
            }
            let foreign = match side {
                ConnectionSide::Client => !begins_method(bytes),
                ConnectionSide::Server => bytes.len() >= 7 && !is_response(bytes),
            };
            if foreign {
                direction.state = HttpState::Lost;
                count(side, bytes.len() as u64, stamp, out);
                return bytes.len();
            }
            direction.start = stamp;
            if side == ConnectionSide::Client {
                self.recover(out);
                out.begin_request(stamp);
            }
        }
        let direction = &mut self.directions[side.index()];
        let before = direction.partial.len();
        if before == 0
            && let Some(end) = memmem::find(bytes, b"\r\n\r\n")
        {
            self.message(side, &bytes[..end + 2], end + 4, stamp, out);
            return end + 4;
        }
        direction.partial.extend_from_slice(bytes);
        let from = before.saturating_sub(3);
        match memmem::find(&direction.partial[from..], b"\r\n\r\n") {
            Some(at) => {
                let head = std::mem::take(&mut direction.partial);
                let end = from + at;
                self.message(side, &head[..end + 2], end + 4 - before, stamp, out);
                end + 4 - before
            }
            None => {
                if direction.partial.len() > MAX_HEAD_BYTES {
                    direction.partial = Vec::new();
                    direction.state = HttpState::Lost;
                }
                if side == ConnectionSide::Client {
                    out.request_bytes(bytes.len() as u64, stamp);
                }
                bytes.len()
            }
        }
    }

    /// Handles a complete head; `used` of its bytes are in this piece.
    fn message(
        &mut self,
        side: ConnectionSide,
        text: &[u8],
        used: usize,
        stamp: PacketStamp,
        out: &mut ExchangeAssembler,
    ) {
        let head = HttpHead::read(text);
        let start = self.directions[side.index()].start;
        let state = match side {
            ConnectionSide::Client => {
                out.request_bytes(used as u64, stamp);
                if let Some(exchange) = out.back_mut() {
                    label(&mut exchange.label, request_words(text));
                    exchange.no_body = text.starts_with(b"HEAD ");
                    exchange.expects_continue = head.expects_continue;
                }
                match (head.chunked, head.length) {
                    (true, _) => HttpState::ChunkLine,
                    (false, Some(length)) => HttpState::Body(length),
                    (false, None) => HttpState::Body(0),
                }
            }
            ConnectionSide::Server => {
                let Some(status) = status(text) else {
                    self.directions[side.index()].state = HttpState::Lost;
                    count(side, used as u64, stamp, out);
                    return;
                };
                if status == 101 {
                    self.left = true;
                } else if status < 200 {
                    return;
                }
                let connect = out.front().is_some_and(|e| e.label.starts_with("CONNECT "));
                self.left |= connect && status < 300;
                out.begin_response(start);
                out.response_bytes(text.len() as u64 + 2, stamp);
                let mut no_body = matches!(status, 101 | 204 | 304);
                if let Some(exchange) = out.front_mut() {
                    no_body |= exchange.no_body;
                    label(&mut exchange.label, &text[9..12]);
                }
                match (no_body, head.chunked, head.length) {
                    (true, ..) => HttpState::Body(0),
                    (_, true, _) => HttpState::ChunkLine,
                    (_, _, Some(length)) => HttpState::Body(length),
                    (_, _, None) => HttpState::UntilClose,
                }
            }
        };
        self.directions[side.index()].state = state;
        if state == HttpState::Body(0) && !self.left {
            self.end(side, out);
        }
    }

    /// Handles a part of a body; `state` is the rest of it.
    fn body(
        &mut self,
        side: ConnectionSide,
        state: HttpState,
        used: u64,
        stamp: PacketStamp,
        out: &mut ExchangeAssembler,
    ) {
        count(side, used, stamp, out);
        match state {
            HttpState::Body(0) => self.end(side, out),
            HttpState::Chunk(0) => self.directions[side.index()].state = HttpState::ChunkLine,
            state => self.directions[side.index()].state = state,
        }
    }

    /// A line of the chunked coding.
    fn line(
        &mut self,
        side: ConnectionSide,
        bytes: &[u8],
        stamp: PacketStamp,
        out: &mut ExchangeAssembler,
    ) -> usize {
        let direction = &mut self.directions[side.index()];
        let Some(end) = memchr(b'\n', bytes) else {
            direction.partial.extend_from_slice(bytes);
            if direction.partial.len() > MAX_HEAD_BYTES {
                direction.partial = Vec::new();
                direction.state = HttpState::Lost;
            }
            count(side, bytes.len() as u64, stamp, out);
            return bytes.len();
        };
        let mut whole = std::mem::take(&mut direction.partial);
        let line = if whole.is_empty() {
            &bytes[..end]
        } else {
            whole.extend_from_slice(&bytes[..end]);
            &whole[..]
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let last = direction.state == HttpState::Trailer && line.is_empty();
        if direction.state == HttpState::ChunkLine {
            direction.state = match chunk_bytes(line) {
                Some(0) => HttpState::Trailer,
                Some(bytes) => HttpState::Chunk(bytes + 2),
                None => HttpState::Lost,
            };
        }
        count(side, end as u64 + 1, stamp, out);
        if last {
            self.end(side, out);
        }
        end + 1
    }

    /// The message is whole.
    fn end(&mut self, side: ConnectionSide, out: &mut ExchangeAssembler) {
        self.directions[side.index()].state = HttpState::Head;
        match side {
            ConnectionSide::Client => out.end_request(),
            ConnectionSide::Server => out.end_response(true),
        }
    }

    /// Bytes that were not captured.
    fn skip(
        &mut self,
        side: ConnectionSide,
        missing: u64,
        stamp: PacketStamp,
        out: &mut ExchangeAssembler,
    ) {
        count(side, missing, stamp, out);
        let state = self.directions[side.index()].state;
        match state {
            HttpState::Body(left) if missing < left => {
                self.directions[side.index()].state = HttpState::Body(left - missing);
            }
            HttpState::Chunk(left) if missing < left => {
                self.directions[side.index()].state = HttpState::Chunk(left - missing);
            }
            HttpState::Body(left) if missing == left => self.end(side, out),
            HttpState::UntilClose => {}
            _ => {
                let direction = &mut self.directions[side.index()];
                direction.partial = Vec::new();
                direction.state = HttpState::Lost;
            }
        }
    }

    /// A request begins: a response that was lost track of must be over.
    fn recover(&mut self, out: &mut ExchangeAssembler) {
        let server = &mut self.directions[ConnectionSide::Server.index()];
        if server.state == HttpState::Lost {
            server.state = HttpState::Head;
            out.close(false);
        }
    }
}

impl HttpHead {
    /// Reads the lines that determine the body's length.
    fn read(text: &[u8]) -> HttpHead {
        let mut head = HttpHead::default();
        let mut rest = text;
        while let Some(end) = memchr(b'\n', rest) {
            let line = &rest[..end];
            rest = &rest[end + 1..];
            let known = matches!(line.first(), Some(b'c' | b'C' | b't' | b'T' | b'e' | b'E'));
            if !known {
                continue;
            }
            let Some(colon) = memchr(b':', line) else {
                continue;
            };
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            if name.eq_ignore_ascii_case(b"content-length") {
                head.length = decimal(value);
            } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
                let last = value.rsplit(|b| *b == b',').next().unwrap_or_default();
                head.chunked = last.trim_ascii().eq_ignore_ascii_case(b"chunked");
            } else if name.eq_ignore_ascii_case(b"expect") {
                head.expects_continue = value.eq_ignore_ascii_case(b"100-continue");
            }
        }
        head
    }
}

/// Returns `true` if `bytes` begin with a request line.
pub(super) fn is_request(bytes: &[u8]) -> bool {
    (METHODS.iter()).any(|method| bytes.starts_with(method))
}

/// Returns `true` if `bytes` begin with a method, of whatever name, or with a part
/// of one.
fn begins_method(bytes: &[u8]) -> bool {
    let letter = |byte: &&u8| matches!(byte, b'A'..=b'Z' | b'-' | b'_');
    let word = bytes.iter().take_while(letter).count();
    (1..=MAX_METHOD_BYTES).contains(&word) && bytes.get(word).is_none_or(|byte| *byte == b' ')
}

/// True for the connection preface of HTTP/2 (RFC 9113 3.4).
pub(super) fn is_http2(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PRI * HTTP/2.0\r\n")
}

/// Returns `true` if `bytes` begin with a status line.
pub(super) fn is_response(bytes: &[u8]) -> bool {
    bytes.starts_with(b"HTTP/1.")
}

/// Counts bytes of a message that has begun.
fn count(side: ConnectionSide, bytes: u64, stamp: PacketStamp, out: &mut ExchangeAssembler) {
    match side {
        ConnectionSide::Client => out.request_bytes(bytes, stamp),
        ConnectionSide::Server if out.front().is_some_and(|e| e.is_answered()) => {
            out.response_bytes(bytes, stamp);
        }
        ConnectionSide::Server => {}
    }
}

fn status(text: &[u8]) -> Option<u16> {
    let line = text.get(..12)?;
    if !is_response(line) || line[8] != b' ' {
        return None;
    }
    decimal(&line[9..12]).map(|status| status as u16)
}

/// Method and target of a request line.
fn request_words(text: &[u8]) -> &[u8] {
    let end = memchr(b'\r', text).unwrap_or(text.len());
    let line = &text[..end];
    match memchr::memrchr(b' ', line) {
        Some(space) => &line[..space],
        None => line,
    }
}

/// Adds words to a label: printable, and not endless.
pub(super) fn label(label: &mut String, words: &[u8]) {
    if !label.is_empty() {
        label.push_str(" → ");
    }
    let cut = &words[..words.len().min(MAX_LABEL_BYTES)];
    if cut.iter().all(|byte| matches!(byte, 0x20..=0x7e)) {
        label.push_str(std::str::from_utf8(cut).unwrap_or_default())
    } else {
        label.extend(cut.iter().map(|byte| match byte {
            0x20..=0x7e => *byte as char,
            _ => '.',
        }))
    }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |sum, digit| match digit {
        b'0'..=b'9' => sum.checked_mul(10)?.checked_add((digit - b'0') as u64),
        _ => None,
    })
}

/// The size on a chunk's line, extensions ignored.
fn chunk_bytes(line: &[u8]) -> Option<u64> {
    let digits = line
        .iter()
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    let text = std::str::from_utf8(&line[..digits]).ok()?;
    // The line end after the data must fit too.
    u64::from_str_radix(text, 16)
        .ok()
        .filter(|bytes| *bytes < u64::MAX - 2)
}

const METHODS: [&[u8]; 9] = [
    b"GET ",
    b"POST ",
    b"PUT ",
    b"HEAD ",
    b"DELETE ",
    b"OPTIONS ",
    b"PATCH ",
    b"CONNECT ",
    b"TRACE ",
];

/// A head longer than this is not believed; servers refuse it earlier.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// A method longer than this is not believed; the longest that is registered has 17.
const MAX_METHOD_BYTES: usize = 24;

/// Bytes of a target that a label shows.
const MAX_LABEL_BYTES: usize = 80;
