//! A request of a web client and its answer, as this crate sees them: the door
//! around it has the connection.

use std::net::SocketAddr;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use hyper::body::Frame;
use tokio::sync::mpsc;

/// A request whose body is complete.
#[derive(Debug)]
pub struct WebRequest {
    /// The TCPIPSERVICE that it came by.
    pub service: String,
    /// Method, address, version, headers.
    pub parts: Parts,
    /// The body.
    pub body: Bytes,
    /// The client.
    pub client: SocketAddr,
    /// The address that the client connected to.
    pub server: SocketAddr,
    /// The request came by HTTPS.
    pub secure: bool,
    /// The client's certificate, in DER.
    pub certificate: Option<Bytes>,
    /// User id of an authenticated caller.
    pub user_id: Option<String>,
    /// W3C trace id, zeros for none.
    pub trace_id: [u8; 16],
}

impl WebRequest {
    /// A header's first value, as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.parts.headers.get(name)?.to_str().ok()
    }

    /// Content-Type, empty without one.
    pub fn media(&self) -> &str {
        self.header("content-type").unwrap_or_default()
    }

    /// Host header or the address's own host, with its port if it has one.
    pub fn host(&self) -> &str {
        let own = self.parts.uri.authority().map(http::uri::Authority::as_str);
        own.or_else(|| self.header("host")).unwrap_or_default()
    }
}

/// An answer.
#[derive(Debug)]
pub struct WebAnswer {
    /// Status.
    pub status: StatusCode,
    /// Reason phrase; empty for the status's own.
    pub reason: Vec<u8>,
    /// Headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: WebBody,
    /// The connection is closed after it.
    pub close: bool,
}

/// A chunk of a body, or the trailers after the last one; `None` for its end.
pub type BodyPiece = Option<Frame<Bytes>>;

/// The body of an answer.
#[derive(Debug)]
pub enum WebBody {
    /// The body is complete.
    Whole(Vec<u8>),
    /// A body in chunks, with trailers after the last; `None` ends it. If the
    /// channel closes before that, the body is incomplete.
    Stream(mpsc::Receiver<BodyPiece>),
}

impl WebAnswer {
    /// An answer without a body.
    pub fn of(status: StatusCode) -> WebAnswer {
        WebAnswer {
            status,
            reason: Vec::new(),
            headers: HeaderMap::new(),
            body: WebBody::Whole(Vec::new()),
            close: false,
        }
    }

    /// The problem document of a request that is not served.
    ///
    /// Reference: RFC 9457.
    pub fn problem(status: StatusCode, detail: &str) -> WebAnswer {
        webtask::CompleteAnswer::problem(status, detail).into()
    }
}

impl From<webtask::CompleteAnswer> for WebAnswer {
    fn from(answer: webtask::CompleteAnswer) -> WebAnswer {
        WebAnswer {
            status: answer.status,
            reason: answer.reason,
            headers: answer.headers,
            body: WebBody::Whole(answer.body),
            close: answer.close,
        }
    }
}

impl From<Box<WebAnswer>> for WebAnswer {
    fn from(answer: Box<WebAnswer>) -> WebAnswer {
        *answer
    }
}
