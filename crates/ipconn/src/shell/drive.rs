//! A connection joined to its socket: one task reads, writes and keeps time.
//!
//! Output of the thread's other tasks is gathered: they wake this task, which
//! runs after them and writes everything at once.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::sleep;

use crate::connection::{Connection, ConnectionEvent, Fault};

/// Bytes that are read at once.
const READ: usize = 128 << 10;
thread_local! {
    /// The read buffer of a thread. Bytes are handled at once, so an idle
    /// connection needs no buffer.
    static READ_BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ]);
}

/// Reads and writes after which others have their turn.
const ROUNDS: usize = 16;
/// How long sending the reason for a connection's end may take.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A stream of bytes, plain or secured.
pub trait Stream: AsyncRead + AsyncWrite + Unpin {}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream for S {}

/// A connection and the notification that it has bytes to move.
#[derive(Debug)]
pub struct ConnectionDriver {
    connection: RefCell<Connection>,
    waker: RefCell<Option<Waker>>,
    started: Instant,
}

/// The cause of a connection's end.
#[derive(Debug)]
pub enum ConnectionEnd {
    /// The peer, or this side, closed it between messages.
    Closed,
    /// One side violated the protocol, or was silent.
    Fault(Fault),
    /// The socket failed.
    Io(io::Error),
}

impl std::fmt::Display for ConnectionEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConnectionEnd::Closed => f.write_str("the partner closed the connection"),
            ConnectionEnd::Fault(fault) => fault.fmt(f),
            ConnectionEnd::Io(error) => error.fmt(f),
        }
    }
}

impl ConnectionDriver {
    pub fn new(connection: Connection) -> ConnectionDriver {
        ConnectionDriver {
            connection: RefCell::new(connection),
            waker: RefCell::default(),
            started: Instant::now(),
        }
    }

    /// Uses the connection; its output is written afterwards.
    pub fn with<R>(&self, work: impl FnOnce(&mut Connection) -> R) -> R {
        let done = work(&mut self.connection.borrow_mut());
        if let Some(waker) = &*self.waker.borrow() {
            waker.wake_by_ref();
        }
        done
    }

    /// Looks at the connection.
    pub fn with_connection<R>(&self, work: impl FnOnce(&Connection) -> R) -> R {
        work(&self.connection.borrow())
    }

    fn now_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }
}

/// Moves bytes until the connection ends, and passes each event to `on_event`.
pub async fn drive(
    stream: &mut dyn Stream,
    wire: &ConnectionDriver,
    on_event: &mut dyn FnMut(ConnectionEvent),
) -> ConnectionEnd {
    let end = moved(stream, wire, on_event).await;
    if !matches!(end, ConnectionEnd::Io(_)) {
        let _ = tokio::time::timeout(LAST_WORDS, last_words(stream, wire)).await;
    }
    end
}

async fn moved(
    stream: &mut dyn Stream,
    wire: &ConnectionDriver,
    on_event: &mut dyn FnMut(ConnectionEvent),
) -> ConnectionEnd {
    let until = |wire: &ConnectionDriver| {
        let due = wire.with_connection(Connection::poll_timeout);
        Duration::from_millis(due.saturating_sub(wire.now_ms()).min(3_600_000))
    };
    let mut timer = pin!(sleep(until(wire)));
    let mut unflushed = false;
    poll_fn(|cx| {
        let mut waker = wire.waker.borrow_mut();
        if !waker.as_ref().is_some_and(|w| w.will_wake(cx.waker())) {
            *waker = Some(cx.waker().clone());
        }
        drop(waker);
        for round in 0.. {
            let wrote = match write(stream, wire, &mut unflushed, cx) {
                Ok(wrote) => wrote,
                Err(error) => return Poll::Ready(ConnectionEnd::Io(error)),
            };
            let read = match READ_BUFFER.with_borrow_mut(|buffer| read(stream, wire, buffer, cx)) {
                Ok(read) => read,
                Err(end) => return Poll::Ready(end),
            };
            loop {
                let event = wire.connection.borrow_mut().poll_event();
                let Some(event) = event else { break };
                on_event(event);
            }
            if wire.with_connection(Connection::is_drained)
                && !wire.connection.borrow_mut().gather(wire.now_ms())
            {
                return Poll::Ready(ConnectionEnd::Closed);
            }
            if !wrote && !read {
                break;
            }
            if round == ROUNDS {
                cx.waker().wake_by_ref();
                break;
            }
        }
        while timer.as_mut().poll(cx).is_ready() {
            let now = wire.now_ms();
            let done = wire.connection.borrow_mut().handle_timeout(now);
            if let Err(fault) = done {
                return Poll::Ready(ConnectionEnd::Fault(fault));
            }
            let next = tokio::time::Instant::now() + until(wire).max(Duration::from_millis(1));
            timer.as_mut().reset(next);
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    })
    .await
}

/// Writes pending output. Returns whether something was written. The output of the
/// TLS layer is flushed, now or later.
fn write(
    stream: &mut dyn Stream,
    wire: &ConnectionDriver,
    unflushed: &mut bool,
    cx: &mut Context<'_>,
) -> io::Result<bool> {
    let mut wrote = false;
    let mut connection = wire.connection.borrow_mut();
    let now = wire.now_ms();
    while connection.gather(now) {
        let [head, tail] = connection.pieces();
        let both = [IoSlice::new(head), IoSlice::new(tail)];
        let pieces = match (head.is_empty(), tail.is_empty()) {
            (true, _) => &both[1..],
            (_, true) => &both[..1],
            _ => &both[..],
        };
        match Pin::new(&mut *stream).poll_write_vectored(cx, pieces) {
            Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
            Poll::Ready(Ok(bytes)) => {
                connection.wrote(bytes, now);
                wrote = true;
            }
            Poll::Ready(Err(error)) => return Err(error),
            Poll::Pending => break,
        }
    }
    if wrote || *unflushed {
        *unflushed = match Pin::new(&mut *stream).poll_flush(cx) {
            Poll::Ready(flushed) => flushed.map(|()| false)?,
            Poll::Pending => true,
        };
    }
    Ok(wrote)
}

/// Reads available input. Returns whether something was read.
fn read(
    stream: &mut dyn Stream,
    wire: &ConnectionDriver,
    buffer: &mut [u8],
    cx: &mut Context<'_>,
) -> Result<bool, ConnectionEnd> {
    let mut into = ReadBuf::new(buffer);
    match Pin::new(&mut *stream).poll_read(cx, &mut into) {
        Poll::Ready(Ok(())) if into.filled().is_empty() => Err(ConnectionEnd::Closed),
        Poll::Ready(Ok(())) => {
            let now = wire.now_ms();
            let taken = wire
                .connection
                .borrow_mut()
                .handle_input(now, into.filled());
            taken.map(|()| true).map_err(ConnectionEnd::Fault)
        }
        Poll::Ready(Err(error)) => Err(ConnectionEnd::Io(error)),
        Poll::Pending => Ok(false),
    }
}

/// Sends the peer the reason for the end, and closes.
async fn last_words(stream: &mut dyn Stream, wire: &ConnectionDriver) {
    let mut unflushed = false;
    poll_fn(|cx| match write(stream, wire, &mut unflushed, cx) {
        Err(_) => Poll::Ready(()),
        Ok(_) => {
            let left = wire.connection.borrow_mut().gather(wire.now_ms());
            if left {
                Poll::Pending
            } else {
                Pin::new(&mut *stream).poll_shutdown(cx).map(drop)
            }
        }
    })
    .await;
}
