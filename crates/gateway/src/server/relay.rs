//! Wake-ups that a connection would give itself for nothing.
//!
//! hyper reads a body into a channel both of whose ends the connection's task
//! polls. Taking a piece wakes the sending end, even if the last piece has been
//! taken and that end dropped: each request with a body would cost one more
//! turn of its whole connection. So hyper gets a waker in front of the task's
//! own. Only while a frame is taken on the same thread it withholds wake-ups,
//! until it is known whether another frame follows.
//!
//! Invariant: what wakes at any other time, or from another thread, passes.

use bytes::Bytes;
use http_body::{Body as _, Frame};
use hyper::body::Incoming;
use std::cell::Cell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

thread_local! {
    /// Whether the frame that is being taken caused a wake-up.
    static TAKING: Cell<Option<bool>> = const { Cell::new(None) };
}

/// The waker of a connection, made when it is polled first.
#[derive(Debug, Default)]
pub(super) struct WakeRelay(Option<(Waker, Waker)>);

struct PreviousWaker(Waker);

impl Wake for PreviousWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        match TAKING.get() {
            None => self.0.wake_by_ref(),
            Some(_) => TAKING.set(Some(true)),
        }
    }
}

impl WakeRelay {
    /// The waker before this one of a task.
    pub fn before(&mut self, task: &Waker) -> &Waker {
        let (_, before) = match self.0.take() {
            Some(both) if both.0.will_wake(task) => self.0.insert(both),
            _ => {
                let before = Waker::from(Arc::new(PreviousWaker(task.clone())));
                self.0.insert((task.clone(), before))
            }
        };
        before
    }
}

/// Takes the next frame of a body; wakes its sender unless it is the last.
pub(super) fn poll_frame(
    body: &mut Incoming,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
    struct TakingWaker;
    impl Drop for TakingWaker {
        fn drop(&mut self) {
            TAKING.set(None);
        }
    }
    TAKING.set(Some(false));
    let taking = TakingWaker;
    let frame = Pin::new(&mut *body).poll_frame(cx);
    let woken = TAKING.get() == Some(true);
    drop(taking);
    let last = matches!(frame, Poll::Ready(Some(Ok(_)))) && body.is_end_stream();
    if woken && !last {
        cx.waker().wake_by_ref();
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{Request, Response};
    use http_body_util::Empty;
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::io;
    use std::pin::pin;
    use std::rc::Rc;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

    /// A client whose pieces come one at each turn.
    struct Client(VecDeque<&'static [u8]>);

    impl AsyncRead for Client {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            match self.0.pop_front() {
                Some(b"") | None => Poll::Pending,
                Some(piece) => {
                    buf.put_slice(piece);
                    Poll::Ready(Ok(()))
                }
            }
        }
    }

    impl AsyncWrite for Client {
        fn poll_write(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &[u8],
        ) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(buf.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    /// Turns in which a body of these pieces is taken completely by a service
    /// that does not answer, and wake-ups of the task after the last of them.
    /// An empty piece means a turn without data.
    fn turns(pieces: &[&'static [u8]]) -> (usize, usize) {
        let taken = Rc::new(Cell::new(0));
        let seen = taken.clone();
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let taken = seen.clone();
            async move {
                let mut body = request.into_body();
                while !body.is_end_stream() {
                    let frame = std::future::poll_fn(|cx| poll_frame(&mut body, cx)).await;
                    let Some(frame) = frame else { break };
                    let data = frame.unwrap().into_data().map_or(0, |data| data.len());
                    taken.set(taken.get() + data);
                }
                taken.set(taken.get() + 1_000);
                std::future::pending::<Result<Response<Empty<Bytes>>, Infallible>>().await
            }
        });
        let io = hyper_util::rt::TokioIo::new(Client(pieces.iter().copied().collect()));
        let connection = hyper::server::conn::http1::Builder::new().serve_connection(io, service);
        let mut connection = pin!(connection);
        let count = Arc::new(Count::default());
        let task = Waker::from(count.clone());
        let mut relay = WakeRelay::default();
        for turn in 1..=8 {
            count.0.store(0, SeqCst);
            let mut cx = Context::from_waker(relay.before(&task));
            assert!(connection.as_mut().poll(&mut cx).is_pending());
            if taken.get() >= 1_000 {
                assert_eq!(taken.get(), 1_010);
                return (turn, count.0.load(SeqCst));
            }
        }
        panic!("{} bytes were taken", taken.get());
    }

    #[test]
    fn taking_the_last_piece_of_a_body_wakes_no_task() {
        let head = b"PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n";
        let whole = b"PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n0123456789";
        assert_eq!(turns(&[whole]), (1, 0));
        // A later piece wakes the service that waits for it.
        assert_eq!(turns(&[head, b"", b"0123456789"]), (2, 1));
        let (turns, _) = turns(&[head, b"", b"01234", b"", b"56789"]);
        assert!(turns <= 4, "{turns}");
    }

    #[test]
    fn a_body_without_a_length_is_taken_to_its_end() {
        let head = b"PUT / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";
        let (turns, _) = turns(&[head, b"a\r\n0123456789\r\n", b"0\r\n\r\n"]);
        assert!(turns <= 4, "{turns}");
    }

    #[test]
    fn what_wakes_at_another_time_or_from_another_thread_passes() {
        let count = Arc::new(Count::default());
        let task = Waker::from(count.clone());
        let mut relay = WakeRelay::default();
        let before = relay.before(&task).clone();
        assert!(relay.before(&task).will_wake(&before));
        before.wake_by_ref();
        TAKING.set(Some(false));
        before.wake_by_ref();
        assert_eq!(count.0.load(SeqCst), 1);
        let other = before.clone();
        std::thread::spawn(move || other.wake()).join().unwrap();
        assert_eq!(count.0.load(SeqCst), 2);
        assert_eq!(TAKING.replace(None), Some(true));
    }
}
