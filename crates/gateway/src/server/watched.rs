//! The stream of a connection: it notifies its timer of all traffic, and can
//! send a last message after the protocol has ended.

use super::conn::ConnectionTimer;
use bytes::Bytes;
use std::cell::{Cell, RefCell};
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::task::spawn_local;

/// The answer to a client whose request did not arrive in time.
pub(super) const TIMEOUT: &[u8] = b"HTTP/1.1 408 Request Timeout\r\n\
    content-type: application/problem+json\r\nconnection: close\r\ncontent-length: 127\r\n\r\n\
    {\"type\":\"about:blank\",\"title\":\"The request took too long\",\"status\":408,\
    \"detail\":\"The rest of the request did not come in time\"}";
/// The same in HTTP/2: GOAWAY with ENHANCE_YOUR_CALM.
///
/// Reference: RFC 9113, section 6.8.
pub(super) const GO_AWAY: &[u8] = &[
    0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0xb,
];
/// How long a client may take to read the last words.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes that a client may continue sending that was too late.
const LATE: usize = 64 << 10;
/// Bytes that are read at once when a connection wakes; they are on the stack.
const FIRST: usize = 4 << 10;

/// Up to so many bytes a head and its body are joined before they are written:
/// the system takes one piece faster than two, by more than the copy costs.
const JOINED: usize = 2 << 10;

/// A stream with two owners: the protocol, and the sender of the last message.
#[derive(Debug)]
pub(crate) struct SharedStream<S> {
    stream: RefCell<S>,
    end: Cell<CloseStep>,
}

/// The steps before a connection is closed.
#[derive(Debug, Clone, Copy)]
enum CloseStep {
    /// Its client is still sending, perhaps, and is read for a moment. Closed
    /// at once, the connection would be reset, and with it the last answer.
    Linger,
    /// The client has closed its side.
    Closed,
    /// The client is cut off with these words.
    Cut(&'static [u8]),
}

impl<S: AsyncRead + AsyncWrite + Unpin> SharedStream<S> {
    pub fn new(stream: S) -> Rc<SharedStream<S>> {
        Rc::new(SharedStream {
            stream: RefCell::new(stream),
            end: Cell::new(CloseStep::Linger),
        })
    }

    fn poll<T>(&self, poll: impl FnOnce(Pin<&mut S>) -> T) -> T {
        poll(Pin::new(&mut *self.stream.borrow_mut()))
    }

    /// Does what there is to be done before the connection is closed; reads at
    /// most that many bytes more.
    pub async fn close(self: Rc<Self>, most: usize) {
        let end = self.end.get();
        let mut rest = Handle(self);
        let parting = async {
            match end {
                CloseStep::Closed => {}
                CloseStep::Cut(words) => drop(rest.write_all(words).await),
                CloseStep::Linger => {
                    let _ = rest.shutdown().await;
                    let mut scratch = [0; 4096];
                    let mut left = most;
                    while let Ok(more) = rest.read(&mut scratch).await
                        && more > 0
                        && left >= more
                    {
                        left -= more;
                    }
                }
            }
        };
        let _ = tokio::time::timeout(PATIENCE, parting).await;
    }
}

/// Sends a client a message after its protocol has ended.
pub(crate) trait FinalWriter {
    /// Writes these bytes, and closes in time.
    fn write_last(self: Rc<Self>, words: &'static [u8]);
}

impl<S: AsyncRead + AsyncWrite + Unpin + 'static> FinalWriter for SharedStream<S> {
    fn write_last(self: Rc<Self>, words: &'static [u8]) {
        spawn_local(async move {
            self.end.set(CloseStep::Cut(words));
            self.clone().close(0).await;
            if words == TIMEOUT {
                self.end.set(CloseStep::Linger);
                self.close(LATE).await;
            }
        });
    }
}

/// An owner's hold of a stream.
struct Handle<S>(Rc<SharedStream<S>>);

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Handle<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.0.poll(|stream| stream.poll_read(cx, buf))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Handle<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.poll(|stream| stream.poll_write(cx, buf))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll(|stream| stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll(|stream| stream.poll_shutdown(cx))
    }
}

/// A stream that notifies its [`ConnectionTimer`] of all traffic.
pub(crate) struct TimedStream<S> {
    pub stream: Rc<SharedStream<S>>,
    pub timer: Rc<ConnectionTimer>,
    /// Bytes that were read before, already counted by its timer.
    pub ahead: Bytes,
}

impl<S> TimedStream<S> {
    fn wrote(&self, result: &Poll<io::Result<usize>>) {
        self.timer.stuck.set(result.is_pending());
        if let Poll::Ready(Ok(bytes)) = result {
            self.timer.wrote(*bytes);
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TimedStream<S> {
    /// Waits for bytes without a buffer of its own and returns those that came:
    /// none at the end.
    ///
    /// # Errors
    /// The connection's.
    pub async fn first_bytes(&mut self) -> io::Result<Bytes> {
        std::future::poll_fn(|cx| {
            let mut space = [0; FIRST];
            let mut buf = ReadBuf::new(&mut space);
            ready!(Pin::new(&mut *self).poll_read(cx, &mut buf))?;
            Poll::Ready(Ok(Bytes::copy_from_slice(buf.filled())))
        })
        .await
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.ahead.is_empty() {
            let take = self.ahead.len().min(buf.remaining());
            buf.put_slice(&self.ahead.split_to(take));
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        ready!(self.stream.poll(|stream| stream.poll_read(cx, buf)))?;
        let bytes = &buf.filled()[before..];
        if bytes.is_empty() {
            self.stream.end.set(CloseStep::Closed);
            return Poll::Ready(Ok(()));
        }
        Poll::Ready(self.timer.read(bytes).map_err(|why| {
            let words = if self.timer.is_http2() { GO_AWAY } else { b"" };
            self.stream.end.set(CloseStep::Cut(words));
            io::Error::other(why)
        }))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = self.stream.poll(|stream| stream.poll_write(cx, buf));
        self.wrote(&result);
        result
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let all: usize = bufs.iter().map(|buf| buf.len()).sum();
        let result = if bufs.len() > 1 && all <= JOINED {
            let mut space = [const { MaybeUninit::uninit() }; JOINED];
            let mut joined = ReadBuf::uninit(&mut space);
            bufs.iter().for_each(|buf| joined.put_slice(buf));
            let poll = |stream: Pin<&mut S>| stream.poll_write(cx, joined.filled());
            self.stream.poll(poll)
        } else {
            self.stream
                .poll(|stream| stream.poll_write_vectored(cx, bufs))
        };
        self.wrote(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.stream.borrow().is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.poll(|stream| stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.poll(|stream| stream.poll_shutdown(cx))
    }
}

#[cfg(test)]
mod tests {
    use super::super::conn::DoorConnections;
    use super::super::memory::GatewayMemory;
    use super::*;
    use std::io::IoSlice;
    use std::sync::Arc;

    /// Notes of each write how many pieces and bytes it has.
    #[derive(Default)]
    struct WriteLog(Vec<(usize, usize)>);

    impl AsyncRead for WriteLog {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    impl AsyncWrite for WriteLog {
        fn poll_write(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &[u8],
        ) -> Poll<io::Result<usize>> {
            self.0.push((1, buf.len()));
            Poll::Ready(Ok(buf.len()))
        }

        fn poll_write_vectored(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bufs: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            let all = bufs.iter().map(|buf| buf.len()).sum();
            self.0.push((bufs.len(), all));
            Poll::Ready(Ok(all))
        }

        fn is_write_vectored(&self) -> bool {
            true
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn a_head_and_a_small_body_are_written_in_one_piece() {
        let stream = SharedStream::new(WriteLog::default());
        let mut watched = TimedStream {
            stream: stream.clone(),
            timer: DoorConnections::new(Arc::new(GatewayMemory::new(1 << 20))).timer(),
            ahead: Bytes::new(),
        };
        let mut cx = Context::from_waker(std::task::Waker::noop());
        for body in [100, JOINED] {
            let body = vec![b'x'; body];
            let bufs = [IoSlice::new(b"head"), IoSlice::new(&body)];
            let wrote = Pin::new(&mut watched).poll_write_vectored(&mut cx, &bufs);
            let Poll::Ready(Ok(bytes)) = wrote else {
                panic!("{wrote:?}");
            };
            assert_eq!(bytes, 4 + body.len());
        }
        assert_eq!(stream.stream.borrow().0, [(1, 104), (2, 4 + JOINED)]);
    }

    #[test]
    fn the_last_words_are_a_response_of_their_length() {
        let text = std::str::from_utf8(TIMEOUT).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let length = format!("content-length: {}", body.len());
        assert!(head.contains(&length), "{length}");
        assert!(body.starts_with('{') && body.ends_with('}'));
        assert_eq!(GO_AWAY.len(), 9 + usize::from(GO_AWAY[2]));
    }
}
