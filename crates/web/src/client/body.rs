//! The body of a request: complete, or in chunks that a program sends one at a
//! time.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::{mpsc, oneshot};

use crate::request::BodyPiece;

/// Chunks that wait for the server; one more and the program waits.
const QUEUE: usize = 16;

/// The body of a request.
#[derive(Debug)]
pub enum RequestBody {
    /// The body is complete.
    Whole(Full<Bytes>),
    /// A body in chunks, with trailers after the last; `None` ends it. If the
    /// channel closes before that, the request is cut off.
    Chunks(mpsc::Receiver<BodyPiece>),
}

/// A program's way to the body that it sends in chunks.
#[derive(Debug)]
pub struct ChunkSender {
    /// Takes chunks, trailers, and `None` for their end.
    pub way: mpsc::Sender<BodyPiece>,
    /// Notified after the last chunk: the server's time begins.
    pub ended: Option<oneshot::Sender<()>>,
}

impl RequestBody {
    /// A body of chunks, its sender, and a notification of its end.
    pub fn chunks() -> (RequestBody, ChunkSender, oneshot::Receiver<()>) {
        let (way, chunks) = mpsc::channel(QUEUE);
        let (ended, end) = oneshot::channel();
        let ended = Some(ended);
        (RequestBody::Chunks(chunks), ChunkSender { way, ended }, end)
    }
}

impl From<Bytes> for RequestBody {
    fn from(bytes: Bytes) -> RequestBody {
        RequestBody::Whole(Full::new(bytes))
    }
}

/// The program has ended before the end of its chunks.
#[derive(Debug, thiserror::Error)]
#[error("the request's chunks were not ended")]
pub struct CutOff;

impl Body for RequestBody {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        match &mut *self {
            RequestBody::Whole(whole) => {
                let frame = ready!(Pin::new(whole).poll_frame(cx));
                Poll::Ready(frame.map(|frame| frame.map_err(|never: Infallible| match never {})))
            }
            RequestBody::Chunks(chunks) => Poll::Ready(match ready!(chunks.poll_recv(cx)) {
                Some(Some(frame)) => Some(Ok(frame)),
                Some(None) => None,
                None => Some(Err(CutOff)),
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            RequestBody::Whole(whole) => whole.is_end_stream(),
            RequestBody::Chunks(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            RequestBody::Whole(whole) => whole.size_hint(),
            RequestBody::Chunks(_) => SizeHint::default(),
        }
    }
}
