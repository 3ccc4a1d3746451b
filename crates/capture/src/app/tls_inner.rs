//! What is spoken inside TLS, where records can be opened.
//!
//! The same parsers as outside. A record's content is known when its last byte
//! has come, but its bytes came in packets of their own: each piece is given
//! with the packet that brought it, the last byte with the packet that made
//! the record whole.

use super::feed::{FeedContext, feed};
use super::{PacketStamp, http, http2};
use crate::stream::StreamChunk;
use crate::{AppProtocol, Connection, ConnectionSide};

/// The parser of the content.
#[derive(Debug, Default)]
pub(super) enum InnerParser {
    /// Nothing was said yet.
    #[default]
    Silent,
    Turns,
    Http(Box<http::HttpParser>),
    Http2(Box<http2::Http2Parser>),
}

/// Where in a record's body the bytes of a packet begin.
pub(super) type PacketOffset = (usize, PacketStamp);

impl InnerParser {
    /// Takes the content of a record, which is at `from` of its body, of which
    /// `pieces` name the packets.
    pub(super) fn take(
        &mut self,
        at: &mut FeedContext<'_>,
        from: usize,
        content: &[u8],
        pieces: &[PacketOffset],
    ) {
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
    pub(super) fn miss(&mut self, at: &mut FeedContext<'_>, bytes: u32) {
        self.piece(at, &[], bytes);
    }

    /// Returns `true` if a response that has begun is whole at the connection's
    /// end.
    pub(super) fn ends_at_close(&self) -> bool {
        match self {
            InnerParser::Http(http) => http.ends_at_close(),
            _ => true,
        }
    }

    fn piece(&mut self, at: &mut FeedContext<'_>, bytes: &[u8], missing: u32) {
        let chunk = StreamChunk { bytes, missing };
        let left = match self {
            InnerParser::Silent => return,
            InnerParser::Turns => Some(bytes.len() as u64 + u64::from(missing)),
            InnerParser::Http(http) => feed(&mut **http, at, chunk),
            InnerParser::Http2(http2) => feed(&mut **http2, at, chunk),
        };
        let Some(left) = left else { return };
        if !matches!(self, InnerParser::Turns) {
            if matches!(self, InnerParser::Http2(_)) {
                at.out.close(false);
            }
            *self = InnerParser::Turns;
            at.connection.protocol = AppProtocol::Tls;
        }
        if left > 0 {
            at.out.turn(at.side, left, at.stamp);
        }
    }

    fn recognise(&mut self, connection: &mut Connection, side: ConnectionSide, bytes: &[u8]) {
        if !matches!(self, InnerParser::Silent) || bytes.is_empty() {
            return;
        }
        let begins = match side {
            ConnectionSide::Client => http::is_request(bytes),
            ConnectionSide::Server => http::is_response(bytes),
        };
        // A server's settings may come before the client's preface.
        let settings = side == ConnectionSide::Server
            && bytes.starts_with(&[0, 0])
            && bytes.get(3) == Some(&4);
        (*self, connection.protocol) = if begins {
            (InnerParser::Http(Box::default()), AppProtocol::Http1)
        } else if http::is_http2(bytes) || settings {
            (InnerParser::Http2(Box::default()), AppProtocol::Http2)
        } else {
            (InnerParser::Turns, AppProtocol::Tls)
        };
    }
}
