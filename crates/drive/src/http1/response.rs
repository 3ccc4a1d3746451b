//! Recognises the end of a response: content length, chunks, a closed connection,
//! or no body. Informational responses are skipped.
//!
//! Reference: RFC 9112 sections 4 to 7. The peer may send anything, so every length
//! is bounded and nothing panics.

use memchr::{memchr, memmem};
use thiserror::Error;

/// A response while it arrives. Reused for every response of a connection.
#[derive(Debug, Default)]
pub struct Response {
    state: ParseState,
    status: u16,
    keep_alive: bool,
    no_body: bool,
    body_bytes: u64,
    /// The beginning of a head that arrived in pieces.
    carry: Vec<u8>,
    keep: bool,
    head: Vec<u8>,
    body: Vec<u8>,
}

/// The result of feeding bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedResult {
    /// The response is not complete.
    More,
    /// The response is complete after this many bytes of the input.
    Done(usize),
}

/// Why bytes are not an HTTP response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MalformedResponse {
    /// The first line is not `HTTP/1.x NNN`.
    #[error("the status line is not HTTP/1.x")]
    StatusLine,
    /// The head is longer than the limit.
    #[error("the head exceeds {LONGEST_HEAD} bytes")]
    HeadTooLong,
    /// Content-Length is not a number.
    #[error("Content-Length is not a number")]
    ContentLength,
    /// Content-Length is given twice with two values.
    #[error("Content-Length is given twice, with different values")]
    TwoLengths,
    /// A chunk's size line or its end is wrong.
    #[error("a chunk is malformed")]
    Chunk,
    /// A transfer coding other than chunked.
    #[error("the transfer coding is unknown")]
    TransferCoding,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ParseState {
    #[default]
    Head,
    Fixed(u64),
    ChunkSize {
        size: u64,
        digits: u8,
        extension: bool,
    },
    ChunkData(u64),
    /// After a chunk's data; how many bytes of CR LF were seen.
    ChunkEnd,
    /// In the trailer; whether the current line is empty, and its bytes so far.
    Trailer {
        empty: bool,
        bytes: u32,
    },
    UntilClose,
    Done,
}

impl Response {
    /// Prepares for the next response. `no_body` is for answers to HEAD;
    /// `keep` stores head and body for checks and captures.
    pub fn start(&mut self, no_body: bool, keep: bool) {
        self.state = ParseState::Head;
        self.status = 0;
        self.keep_alive = true;
        self.no_body = no_body;
        self.body_bytes = 0;
        self.carry.clear();
        self.keep = keep;
        self.head.clear();
        self.body.clear();
    }

    /// The status code, once the head is complete; 0 before.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether the connection may carry another request.
    pub fn keep_alive(&self) -> bool {
        self.keep_alive
    }

    /// Marks the connection as not reusable: bytes followed the answer without
    /// a request, or the request was not read completely.
    pub fn spoil(&mut self) {
        self.keep_alive = false;
    }

    /// Bytes of body seen so far, without chunk framing.
    pub fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    /// Whether a byte of the response has arrived.
    pub fn begun(&self) -> bool {
        self.state != ParseState::Head || !self.carry.is_empty()
    }

    /// The stored head, from the status line to the empty line.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The stored body.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The value of a header in the stored head.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        lines(&self.head)
            .skip(1)
            .filter_map(split_header)
            .find(|(n, _)| n.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value)
    }

    /// Handles received bytes.
    pub fn feed(&mut self, input: &[u8]) -> Result<FeedResult, MalformedResponse> {
        let mut at = 0;
        loop {
            if self.state == ParseState::Done {
                return Ok(FeedResult::Done(at));
            }
            if at == input.len() {
                return Ok(FeedResult::More);
            }
            at += self.step(&input[at..])?;
        }
    }

    /// Handles the end of the connection. Returns `true` if that completes the
    /// response.
    pub fn handle_close(&mut self) -> bool {
        if self.state == ParseState::UntilClose {
            self.state = ParseState::Done;
        }
        self.state == ParseState::Done
    }

    /// Consumes at least one byte of a non-empty input.
    fn step(&mut self, input: &[u8]) -> Result<usize, MalformedResponse> {
        match self.state {
            ParseState::Head => self.take_head(input),
            ParseState::Fixed(left) => {
                let taken = self.take_body(input, left);
                let left = left - taken as u64;
                self.state = match left {
                    0 => ParseState::Done,
                    _ => ParseState::Fixed(left),
                };
                Ok(taken)
            }
            ParseState::ChunkSize {
                size,
                digits,
                extension,
            } => self.take_chunk_size(input, size, digits, extension),
            ParseState::ChunkData(left) => {
                let taken = self.take_body(input, left);
                let left = left - taken as u64;
                self.state = match left {
                    0 => ParseState::ChunkEnd,
                    _ => ParseState::ChunkData(left),
                };
                Ok(taken)
            }
            ParseState::ChunkEnd => match input[0] {
                b'\r' => Ok(1),
                b'\n' => {
                    self.state = CHUNK_SIZE;
                    Ok(1)
                }
                _ => Err(MalformedResponse::Chunk),
            },
            ParseState::Trailer { empty, bytes } => {
                if bytes as usize > LONGEST_HEAD {
                    return Err(MalformedResponse::HeadTooLong);
                }
                self.state = match input[0] {
                    b'\n' if empty => ParseState::Done,
                    b'\n' => ParseState::Trailer {
                        empty: true,
                        bytes: bytes + 1,
                    },
                    byte => ParseState::Trailer {
                        empty: empty && byte == b'\r',
                        bytes: bytes + 1,
                    },
                };
                Ok(1)
            }
            ParseState::UntilClose => Ok(self.take_body(input, u64::MAX)),
            ParseState::Done => Ok(0),
        }
    }

    fn take_body(&mut self, input: &[u8], left: u64) -> usize {
        let taken = usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
        if self.keep {
            let room = LONGEST_KEPT_BODY.saturating_sub(self.body.len());
            self.body.extend_from_slice(&input[..taken.min(room)]);
        }
        self.body_bytes += taken as u64;
        taken
    }

    fn take_chunk_size(
        &mut self,
        input: &[u8],
        size: u64,
        digits: u8,
        extension: bool,
    ) -> Result<usize, MalformedResponse> {
        let byte = input[0];
        let digit = char::from(byte).to_digit(16);
        self.state = match (byte, digit) {
            (b'\n', _) if digits == 0 => return Err(MalformedResponse::Chunk),
            (b'\n', _) if size == 0 => ParseState::Trailer {
                empty: true,
                bytes: 0,
            },
            (b'\n', _) => ParseState::ChunkData(size),
            (_, Some(digit)) if !extension => {
                // Fifteen digits exceed any body and cannot
                // overflow.
                if digits == 15 {
                    return Err(MalformedResponse::Chunk);
                }
                ParseState::ChunkSize {
                    size: size * 16 + u64::from(digit),
                    digits: digits + 1,
                    extension,
                }
            }
            (b';' | b' ' | b'\t' | b'\r', _) => ParseState::ChunkSize {
                size,
                digits,
                extension: true,
            },
            _ if extension => ParseState::ChunkSize {
                size,
                digits,
                extension,
            },
            _ => return Err(MalformedResponse::Chunk),
        };
        Ok(1)
    }

    fn take_head(&mut self, input: &[u8]) -> Result<usize, MalformedResponse> {
        if self.carry.is_empty() {
            if let Some(end) = head_end(input, 0) {
                self.parse_head(&input[..end])?;
                return Ok(end);
            }
            if input.len() > LONGEST_HEAD {
                return Err(MalformedResponse::HeadTooLong);
            }
            if !b"HTTP/1.".starts_with(&input[..input.len().min(7)]) {
                return Err(MalformedResponse::StatusLine);
            }
            self.carry.extend_from_slice(input);
            return Ok(input.len());
        }
        let before = self.carry.len();
        self.carry.extend_from_slice(input);
        match head_end(&self.carry, before.saturating_sub(3)) {
            Some(end) => {
                let head = std::mem::take(&mut self.carry);
                self.parse_head(&head[..end])?;
                self.carry = head;
                self.carry.clear();
                Ok(end - before)
            }
            None if self.carry.len() > LONGEST_HEAD => Err(MalformedResponse::HeadTooLong),
            None => Ok(input.len()),
        }
    }

    fn parse_head(&mut self, head: &[u8]) -> Result<(), MalformedResponse> {
        let mut rest = lines(head);
        let (minor, status) = parse_status_line(rest.next().unwrap_or_default())?;
        if (100..200).contains(&status) && status != 101 {
            return Ok(()); // The final response follows.
        }
        self.status = status;
        self.keep_alive = minor >= 1;
        let mut length = None;
        let mut chunked = false;
        for (name, value) in rest.filter_map(split_header) {
            // The length of the name alone excludes nearly every
            // header.
            match name.len() {
                14 if name.eq_ignore_ascii_case(b"content-length") => {
                    let value = parse_number(value).ok_or(MalformedResponse::ContentLength)?;
                    if length.is_some_and(|earlier| earlier != value) {
                        return Err(MalformedResponse::TwoLengths);
                    }
                    length = Some(value);
                }
                17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                    if !value.eq_ignore_ascii_case(b"chunked") {
                        return Err(MalformedResponse::TransferCoding);
                    }
                    chunked = true;
                }
                10 if name.eq_ignore_ascii_case(b"connection") => {
                    if has_token(value, b"close") {
                        self.keep_alive = false;
                    } else if has_token(value, b"keep-alive") {
                        self.keep_alive = true;
                    }
                }
                _ => {}
            }
        }
        if self.keep {
            self.head.extend_from_slice(head);
        }
        self.state = match (self.no_body || matches!(status, 204 | 304), chunked, length) {
            (true, ..) | (_, false, Some(0)) => ParseState::Done,
            (_, true, _) => CHUNK_SIZE,
            (_, false, Some(length)) => ParseState::Fixed(length),
            (_, false, None) => {
                self.keep_alive = false;
                ParseState::UntilClose
            }
        };
        Ok(())
    }
}

fn head_end(input: &[u8], from: usize) -> Option<usize> {
    memmem::find(&input[from..], b"\r\n\r\n").map(|i| from + i + 4)
}

fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = head;
    std::iter::from_fn(move || {
        let end = memchr(b'\n', rest)?;
        let line = &rest[..end];
        rest = &rest[end + 1..];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

fn parse_status_line(line: &[u8]) -> Result<(u8, u16), MalformedResponse> {
    match line {
        [
            b'H',
            b'T',
            b'T',
            b'P',
            b'/',
            b'1',
            b'.',
            minor @ b'0'..=b'9',
            b' ',
            a,
            b,
            c,
            rest @ ..,
        ] if [a, b, c].iter().all(|d| d.is_ascii_digit())
            && *a != b'0'
            && matches!(rest, [] | [b' ', ..]) =>
        {
            let digit = |d: &u8| u16::from(d - b'0');
            Ok((minor - b'0', digit(a) * 100 + digit(b) * 10 + digit(c)))
        }
        _ => Err(MalformedResponse::StatusLine),
    }
}

fn split_header(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr(b':', line)?;
    Some((&line[..colon], line[colon + 1..].trim_ascii()))
}

fn parse_number(value: &[u8]) -> Option<u64> {
    if value.is_empty() || value.len() > 18 || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(value.iter().fold(0, |n, d| n * 10 + u64::from(d - b'0')))
}

fn has_token(value: &[u8], token: &[u8]) -> bool {
    value
        .split(|b| *b == b',')
        .any(|part| part.trim_ascii().eq_ignore_ascii_case(token))
}

const CHUNK_SIZE: ParseState = ParseState::ChunkSize {
    size: 0,
    digits: 0,
    extension: false,
};
/// The size limit of a head.
const LONGEST_HEAD: usize = 65_536;
/// The stored part of a body is at most this long.
const LONGEST_KEPT_BODY: usize = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds `bytes` in pieces of `size`; the consumed total when complete.
    fn run(
        bytes: &[u8],
        size: usize,
        no_body: bool,
    ) -> Result<(Option<usize>, Response), MalformedResponse> {
        let mut response = Response::default();
        response.start(no_body, true);
        let mut total = 0;
        for piece in bytes.chunks(size) {
            if let FeedResult::Done(n) = response.feed(piece)? {
                return Ok((Some(total + n), response));
            }
            total += piece.len();
        }
        Ok((None, response))
    }

    const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
        5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n";

    #[test]
    fn every_split_of_a_response_gives_the_same_result() {
        let fixed: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\nhello world";
        for bytes in [CHUNKED, fixed] {
            for size in 1..bytes.len() {
                let (end, response) = run(bytes, size, false).unwrap();
                assert_eq!(end, Some(bytes.len()), "pieces of {size}");
                assert_eq!(response.body(), b"hello world");
                assert_eq!(response.status(), 200);
                assert!(response.keep_alive());
            }
        }
    }

    #[test]
    fn a_response_without_a_length_ends_with_the_connection() {
        let (end, mut response) = run(b"HTTP/1.1 200 OK\r\n\r\nabc", 99, false).unwrap();
        assert_eq!(end, None);
        assert!(response.handle_close());
        assert!(!response.keep_alive());
        assert_eq!(response.body(), b"abc");
    }

    #[test]
    fn an_answer_to_head_has_no_body() {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\nConnection: close\r\n\r\n";
        let (end, response) = run(bytes, 99, true).unwrap();
        assert_eq!(end, Some(bytes.len()));
        assert!(!response.keep_alive());
        assert_eq!(response.header("content-LENGTH"), Some(&b"500"[..]));
    }

    #[test]
    fn what_is_not_http_is_refused() {
        for (bytes, why) in [
            (&b"SSH-2.0-x\r\n"[..], MalformedResponse::StatusLine),
            (b"HTTP/1.1 2x0 OK\r\n\r\n", MalformedResponse::StatusLine),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                MalformedResponse::ContentLength,
            ),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                MalformedResponse::TwoLengths,
            ),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                MalformedResponse::Chunk,
            ),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
                MalformedResponse::TransferCoding,
            ),
        ] {
            assert_eq!(run(bytes, 99, false).unwrap_err(), why);
        }
        let endless = [b"HTTP/1.1 200 OK\r\nX: ".to_vec(), vec![b'x'; 70_000]].concat();
        assert_eq!(
            run(&endless, 999, false).unwrap_err(),
            MalformedResponse::HeadTooLong
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
            cut in 0..CHUNKED.len(),
            size in 1usize..40,
        ) {
            let _ = run(&bytes, size, false);
            let _ = run(&[&CHUNKED[..cut], &bytes].concat(), size, false);
        }
    }
}
