//! What is spoken inside TLS, where records can be opened.
//!
//! The same parsers as outside. A record's content is known when its last byte
//! has come, but its bytes came in packets of their own: each piece is given
//! with the packet that brought it, the last byte with the packet that made
//! the record whole.

use super::feed::{At, feed};
use super::{Stamp, http, http2};
use crate::stream::Chunk;
use crate::{Connection, Protocol, Side};

/// The parser of the content.
#[derive(Debug, Default)]
pub(super) enum Inner {
    /// Nothing was said yet.
    #[default]
    Silent,
    Turns,
    Http(Box<http::Http>),
    Http2(Box<http2::Http2>),
}

/// Where in a record's body the bytes of a packet begin.
pub(super) type Piece = (usize, Stamp);

impl Inner {
    /// Takes the content of a record, which stands at `from` of its body, of
    /// which `pieces` name the packets.
    pub(super) fn take(&mut self, at: &mut At<'_>, from: usize, content: &[u8], pieces: &[Piece]) {
        self.recognise(at.connection, at.side, content);
        let last = content.len().saturating_sub(1);
        let whole = at.stamp;
        for (index, (begin, stamp)) in pieces.iter().enumerate() {
            let end = pieces.get(index + 1).map_or(usize::MAX, |(next, _)| *next);
            let range = begin.saturating_sub(from).min(last)..end.saturating_sub(from).min(last);
            at.stamp = *stamp;
            self.piece(at, &content[range], 0);
        }
        at.stamp = whole;
        self.piece(at, &content[last..], 0);
    }

    /// Content that was not captured.
    pub(super) fn miss(&mut self, at: &mut At<'_>, bytes: u32) {
        self.piece(at, &[], bytes);
    }

    /// True when a response that has begun is whole at the connection's end.
    pub(super) fn ends_at_close(&self) -> bool {
        match self {
            Inner::Http(http) => http.ends_at_close(),
            _ => true,
        }
    }

    fn piece(&mut self, at: &mut At<'_>, bytes: &[u8], missing: u32) {
        let chunk = Chunk { bytes, missing };
        let left = match self {
            Inner::Silent => return,
            Inner::Turns => Some(bytes.len() as u64 + u64::from(missing)),
            Inner::Http(http) => feed(&mut **http, at, chunk),
            Inner::Http2(http2) => feed(&mut **http2, at, chunk),
        };
        let Some(left) = left else { return };
        if !matches!(self, Inner::Turns) {
            if matches!(self, Inner::Http2(_)) {
                at.out.close(false);
            }
            *self = Inner::Turns;
            at.connection.protocol = Protocol::Tls;
        }
        if left > 0 {
            at.out.turn(at.side, left, at.stamp);
        }
    }

    fn recognise(&mut self, connection: &mut Connection, side: Side, bytes: &[u8]) {
        if !matches!(self, Inner::Silent) || bytes.is_empty() {
            return;
        }
        let begins = match side {
            Side::Client => http::is_request(bytes),
            Side::Server => http::is_response(bytes),
        };
        // A server's settings may come before the client's preface.
        let settings =
            side == Side::Server && bytes.starts_with(&[0, 0]) && bytes.get(3) == Some(&4);
        (*self, connection.protocol) = if begins {
            (Inner::Http(Box::default()), Protocol::Http1)
        } else if http::is_http2(bytes) || settings {
            (Inner::Http2(Box::default()), Protocol::Http2)
        } else {
            (Inner::Turns, Protocol::Tls)
        };
    }
}
