//! Addresses in addition to the gateway's: their requests go to other handlers,
//! for every path.
//!
//! CICS web support is served here. A service has its listener, its limits and
//! its way of authentication; connections, TLS, memory, bodies, the access log
//! and the user store are the gateway's.

use std::fmt::Debug;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use http_body::Frame;
use tokio::sync::mpsc;

use crate::server::TlsConfig;

/// An address and the service at it.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    /// Its name, for messages and metrics.
    pub name: String,
    /// Address; port 0 takes a free one.
    pub listen: SocketAddr,
    /// HTTPS instead of HTTP; its own address has no effect here.
    pub tls: Option<TlsConfig>,
    /// Connections that may wait to be accepted; 0 for the gateway's.
    pub backlog: u32,
    /// Largest body in bytes.
    pub max_body_bytes: usize,
    /// Milliseconds a connection may stay open without a request; 0 closes it
    /// after each answer, `None` is the gateway's limit.
    pub idle_timeout_ms: Option<u32>,
    /// Most connections that stay open; those beyond are closed after their
    /// first answer. `None` for no limit.
    pub max_persistent: Option<u32>,
    /// How callers authenticate.
    pub authentication: CallerAuthentication,
    /// Realm of a challenge.
    pub realm: String,
    /// Its handler.
    pub handler: Arc<dyn ServiceHandler>,
}

/// How callers of a service authenticate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CallerAuthentication {
    /// Callers need not authenticate.
    #[default]
    None,
    /// By name and password.
    Basic,
    /// By the certificate of their connection.
    Certificate,
    /// By certificate, or by name and password.
    Either,
}

/// Serves the requests to an address.
pub trait ServiceHandler: Debug + Send + Sync {
    /// Answers a request whose body is complete. The future runs on the thread
    /// of the connection, and is dropped when the client disconnects.
    fn serve(&self, request: ServiceRequest) -> ServiceAnswerFuture;
}

/// An answer under way.
pub type ServiceAnswerFuture = Pin<Box<dyn Future<Output = ServiceAnswer>>>;

/// A request.
#[derive(Debug)]
pub struct ServiceRequest {
    /// Method, address, version, headers.
    pub parts: Parts,
    /// The body.
    pub body: Bytes,
    /// The trailers after a chunked body; `None` without trailers.
    pub trailers: Option<Box<HeaderMap>>,
    /// The client.
    pub client: SocketAddr,
    /// The address that the client connected to.
    pub server: SocketAddr,
    /// The request came by HTTPS.
    pub secure: bool,
    /// The client's certificate, as it was shown.
    pub certificate: Option<Bytes>,
    /// CICS user id of an authenticated caller.
    pub user_id: Option<String>,
    /// W3C trace id, zeros for none.
    pub trace_id: [u8; 16],
}

/// An answer.
#[derive(Debug)]
pub struct ServiceAnswer {
    /// Status.
    pub status: StatusCode,
    /// Reason phrase; empty for the status's own.
    pub reason: Vec<u8>,
    /// Headers. The gateway sets those of the connection.
    pub headers: HeaderMap,
    /// The body.
    pub body: ServiceBody,
    /// The connection is closed after it.
    pub close: bool,
}

/// The body of an answer.
#[derive(Debug)]
pub enum ServiceBody {
    /// The body is complete.
    Whole(Vec<u8>),
    /// The body is a stream of pieces. If the stream closes before its end, the connection is cut, so
    /// that the client notices the missing part.
    Stream(AnswerPieces),
}

/// The pieces of an answer; `None` is their end.
#[derive(Debug)]
pub enum AnswerPieces {
    /// Chunks alone.
    Chunks(mpsc::Receiver<Option<Bytes>>),
    /// Chunks, then trailers where there are some.
    Frames(mpsc::Receiver<Option<Frame<Bytes>>>),
}

impl AnswerPieces {
    /// The next piece; `None` if the sender was dropped.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Option<Frame<Bytes>>>> {
        match self {
            AnswerPieces::Chunks(chunks) => {
                let piece = ready!(chunks.poll_recv(cx));
                Poll::Ready(piece.map(|chunk| chunk.map(Frame::data)))
            }
            AnswerPieces::Frames(frames) => frames.poll_recv(cx),
        }
    }
}
