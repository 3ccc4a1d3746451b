//! Response bodies: one buffer, handed to the connection as it is.

use super::memory::Held;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body that is complete before it is sent.
#[derive(Debug, Default)]
pub(crate) struct Full(Option<Bytes>);

impl Full {
    pub fn new(bytes: Bytes) -> Full {
        Full(if bytes.is_empty() { None } else { Some(bytes) })
    }

    /// A body that is accounted for until it is written.
    pub fn held(bytes: Vec<u8>, held: Held) -> Full {
        Full((!bytes.is_empty()).then(|| held.answer(bytes)))
    }

    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, Bytes::len)
    }
}

impl Body for Full {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.len() as u64)
    }
}
