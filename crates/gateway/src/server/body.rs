//! Response bodies: one buffer, handed to the connection as it is, or pieces as
//! a service sends them.

use super::conn::StreamingAnswer;
use super::memory::ReservedMemory;
use crate::service::AnswerPieces;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body that is complete before it is sent, or a stream of pieces.
#[derive(Debug, Default)]
pub(crate) struct ResponseBody(Content);

#[derive(Debug, Default)]
enum Content {
    #[default]
    Empty,
    Whole(Bytes),
    Stream(AnswerPieces, Option<StreamingAnswer>),
}

/// The sender of the pieces was dropped before the last one.
#[derive(Debug, thiserror::Error)]
#[error("the answer was not sent to its end")]
pub(crate) struct UnfinishedBody;

impl ResponseBody {
    pub fn new(bytes: Bytes) -> ResponseBody {
        ResponseBody(if bytes.is_empty() {
            Content::Empty
        } else {
            Content::Whole(bytes)
        })
    }

    /// A body that is accounted for until it is written.
    pub fn held(bytes: Vec<u8>, held: ReservedMemory) -> ResponseBody {
        if bytes.is_empty() {
            ResponseBody::default()
        } else {
            ResponseBody(Content::Whole(held.answer(bytes)))
        }
    }

    /// A body whose pieces arrive over time; `None` ends it.
    pub fn stream(pieces: AnswerPieces) -> ResponseBody {
        ResponseBody(Content::Stream(pieces, None))
    }

    /// Whether its pieces arrive over time.
    pub fn is_stream(&self) -> bool {
        matches!(self.0, Content::Stream(..))
    }

    /// Registers its pieces with a connection until the last is sent.
    pub fn known(&mut self, streaming: impl FnOnce() -> StreamingAnswer) {
        if let Content::Stream(_, known) = &mut self.0 {
            *known = Some(streaming());
        }
    }

    pub fn len(&self) -> usize {
        match &self.0 {
            Content::Whole(bytes) => bytes.len(),
            Content::Empty | Content::Stream(..) => 0,
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = UnfinishedBody;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, UnfinishedBody>>> {
        if let Content::Stream(pieces, _) = &mut self.0 {
            let piece = std::task::ready!(pieces.poll(cx));
            return Poll::Ready(match piece {
                Some(Some(frame)) => Some(Ok(frame)),
                Some(None) => {
                    self.0 = Content::Empty;
                    None
                }
                None => Some(Err(UnfinishedBody)),
            });
        }
        Poll::Ready(match std::mem::take(&mut self.0) {
            Content::Whole(bytes) => Some(Ok(Frame::data(bytes))),
            Content::Empty | Content::Stream(..) => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Content::Empty)
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Stream(..) => SizeHint::default(),
            Content::Empty | Content::Whole(_) => SizeHint::with_exact(self.len() as u64),
        }
    }
}
