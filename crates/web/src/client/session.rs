//! A session with a server: what the program has written for its next request,
//! the answer to the last one, and the connection between.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use copybook::codepage::CodePage;
use http::{HeaderMap, Method, StatusCode, Version};
use http_body_util::{BodyExt, Limited};
use tokio::sync::oneshot;

use super::connect::{ClientConnector, RequestSender, ServerTarget};
use super::{ChunkSender, ClientError, RequestBody};

/// A session.
#[derive(Debug)]
pub struct Session {
    /// The server.
    pub target: ServerTarget,
    /// URIMAP that it was opened by, with its path.
    pub map: Option<(String, String)>,
    /// CODEPAGE, or the region's.
    pub page: CodePage,
    /// How long its connection is kept afterwards.
    pub keep: Option<Duration>,
    /// Headers that were written for the next request.
    pub headers: HeaderMap,
    /// The answer that was received.
    pub response: Option<Arc<Response>>,
    /// Bytes of the body that RECEIVE with NOTRUNCATE has returned.
    pub received: usize,
    /// The position of the browse of its headers.
    pub browse: Option<usize>,
    /// The way to the request that is sent in chunks, until its end.
    pub chunks: Option<ChunkSender>,
    /// Some of the answer is left for the next RECEIVE.
    pub is_cut: bool,
    /// The answers that are under way, in the order of their requests.
    pub pending: VecDeque<oneshot::Receiver<ExchangeResult>>,
    /// The connection, while no request is under way.
    pub sender: Option<RequestSender>,
    /// Gives the connection when the last request under way has its answer;
    /// nothing when it is closed.
    pub next: Option<oneshot::Receiver<Option<RequestSender>>>,
    /// Neither side wants another request.
    pub closed: bool,
}

impl Session {
    /// The answer that was received is no longer at hand.
    pub fn forget_answer(&mut self) {
        self.response = None;
        self.browse = None;
        self.received = 0;
        self.is_cut = false;
    }
}

/// The outcome of a request: its answer.
pub type ExchangeResult = Result<Response, ClientError>;

/// An answer of a server.
#[derive(Debug)]
pub struct Response {
    /// Status.
    pub status: StatusCode,
    /// Reason phrase.
    pub reason: Vec<u8>,
    /// Version of HTTP.
    pub version: Version,
    /// Headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// A request of a program.
#[derive(Debug)]
pub struct OutgoingRequest {
    /// Method.
    pub method: Method,
    /// Path and query.
    pub target: String,
    /// Headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: RequestBody,
    /// The connection is closed after it.
    pub close: bool,
}

/// Sends a request and receives its answer whole, of at most so many bytes; and
/// gives the connection when it stays. Trailers are among the answer's headers.
/// A connection that the server has closed meanwhile is made again, as long as
/// nothing of the request has been sent on it.
pub async fn exchange(
    connector: &ClientConnector,
    target: &ServerTarget,
    sender: Option<RequestSender>,
    outgoing: OutgoingRequest,
    most: usize,
) -> Result<(Response, Option<RequestSender>), ClientError> {
    let mut sender = match sender.filter(|sender| !sender.is_closed()) {
        Some(sender) => sender,
        None => connector.connect(target).await?,
    };
    if sender.ready().await.is_err() {
        sender = connector.connect(target).await?;
        sender.ready().await.map_err(|_| ClientError::Socket)?;
    }
    let mut request = http::Request::builder()
        .method(outgoing.method)
        .uri(outgoing.target)
        .body(outgoing.body)
        .map_err(|_| ClientError::Path)?;
    *request.headers_mut() = outgoing.headers;
    let answer = match sender.try_send_request(request).await {
        Ok(answer) => answer,
        Err(mut error) => {
            let unsent = error.take_message().ok_or(ClientError::Socket)?;
            sender = connector.connect(target).await?;
            let answer = sender.send_request(unsent).await;
            answer.map_err(|_| ClientError::Socket)?
        }
    };
    let reason = answer.extensions().get::<hyper::ext::ReasonPhrase>();
    let reason = reason.map(|r| r.as_bytes().to_vec());
    let (mut parts, body) = answer.into_parts();
    let body = Limited::new(body, most).collect().await;
    let body = body.map_err(|_| ClientError::Body)?;
    if let Some(trailers) = body.trailers() {
        webtask::headers::add_trailers(&mut parts.headers, trailers);
    }
    let body = body.to_bytes();
    let closes = parts.headers.get(http::header::CONNECTION);
    let closes = closes.is_some_and(|v| v.as_bytes().eq_ignore_ascii_case(b"close"));
    let status = parts.status;
    let response = Response {
        status,
        reason: reason.unwrap_or_else(|| {
            let own = status.canonical_reason().unwrap_or_default();
            own.as_bytes().to_vec()
        }),
        version: parts.version,
        headers: parts.headers,
        body,
    };
    let stays = !outgoing.close && !closes && !sender.is_closed();
    Ok((response, stays.then_some(sender)))
}
