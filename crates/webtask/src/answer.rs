//! The answer that a task has made for its client, as its worker writes it and
//! the door reads it.

use http::{HeaderMap, HeaderValue, StatusCode};

use crate::headers::OWN;
use crate::wire::{HeadReader, HeadWriter};

/// Most headers of an answer: those that a program may write, and Content-Type.
const MOST_HEADERS: usize = crate::headers::MOST + 1;
/// Bytes of the figures of a head: status, whether the connection is closed.
const FIGURES: usize = 4;

/// An answer that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompleteAnswer {
    /// Status, 200 or more.
    pub status: StatusCode,
    /// Reason phrase; empty for the status's own.
    pub reason: Vec<u8>,
    /// Headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
    /// The connection is closed after it.
    pub close: bool,
}

impl CompleteAnswer {
    /// The problem document of a request that is not served.
    ///
    /// Reference: RFC 9457.
    pub fn problem(status: StatusCode, detail: &str) -> CompleteAnswer {
        let title = status.canonical_reason().unwrap_or_default();
        let mut text = String::from("{\"type\":\"about:blank\",\"title\":\"");
        escape(title, &mut text);
        text.push_str(&format!("\",\"status\":{},\"detail\":\"", status.as_u16()));
        escape(detail, &mut text);
        text.push_str("\"}");
        let json = HeaderValue::from_static("application/problem+json");
        CompleteAnswer {
            status,
            reason: Vec::new(),
            headers: HeaderMap::from_iter([(http::header::CONTENT_TYPE, json)]),
            body: text.into_bytes(),
            close: false,
        }
    }

    /// The answer's head, which precedes the body in the task's memory.
    pub fn emit_head(&self) -> Vec<u8> {
        let [low, high] = self.status.as_u16().to_ne_bytes();
        let mut head = HeadWriter::new(&[low, high, u8::from(self.close), 0]);
        head.piece(&self.reason);
        head.headers(&self.headers);
        head.done()
    }

    /// Reads the output of [`CompleteAnswer::emit_head`], followed by the body. Returns
    /// `None` for bytes that are not an answer, and for one with a connection's
    /// header, which no command writes.
    pub fn parse(bytes: &[u8]) -> Option<CompleteAnswer> {
        let (figures, mut pieces, body_at) = HeadReader::open::<FIGURES>(bytes)?;
        let status = u16::from_ne_bytes([figures[0], figures[1]]);
        let status = StatusCode::from_u16(status).ok();
        let reason = pieces.next()?.to_vec();
        let headers = pieces.headers(MOST_HEADERS)?;
        if OWN.iter().any(|name| headers.contains_key(*name)) {
            return None;
        }
        Some(CompleteAnswer {
            status: status.filter(|s| s.as_u16() >= 200)?,
            reason,
            headers,
            body: bytes[body_at..].to_vec(),
            close: figures[2] != 0,
        })
    }
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answer(body: &[u8]) -> CompleteAnswer {
        let mut headers = HeaderMap::new();
        headers.append("set-cookie", HeaderValue::from_static("a"));
        headers.append("set-cookie", HeaderValue::from_static("b"));
        CompleteAnswer {
            status: StatusCode::CREATED,
            reason: b"Made".to_vec(),
            headers,
            body: body.to_vec(),
            close: true,
        }
    }

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let made = answer(b"body");
        let bytes = [made.emit_head(), made.body.clone()].concat();
        assert_eq!(CompleteAnswer::parse(&bytes), Some(made));
    }

    #[test]
    fn a_status_that_is_no_final_one_is_no_answer() {
        let mut bytes = answer(b"").emit_head();
        bytes[4..6].copy_from_slice(&100u16.to_ne_bytes());
        assert_eq!(CompleteAnswer::parse(&bytes), None);
    }

    #[test]
    fn headers_of_the_connection_are_not_passed_on() {
        for name in OWN {
            let mut made = answer(b"body");
            made.headers.insert(name, HeaderValue::from_static("7"));
            assert_eq!(CompleteAnswer::parse(&made.emit_head()), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            at in 0usize..80,
            flip in any::<u8>(),
        ) {
            let _ = CompleteAnswer::parse(&bytes);
            let mut real = answer(&bytes).emit_head();
            let at = at % real.len();
            real[at] ^= flip;
            let _ = CompleteAnswer::parse(&real);
        }
    }
}
