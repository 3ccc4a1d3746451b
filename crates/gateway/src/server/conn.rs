//! Connections and their timer.
//!
//! A connection that waits for nothing but its client may not wait for ever:
//! not between requests, not while a request's headers trickle in, not while
//! a response is not read. One task a door looks at all its connections once
//! in a while, so that no request arms a timer.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::AbortHandle;

/// What a connection is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The next request.
    Idle,
    /// The rest of a request's headers.
    Headers,
    /// The program or the request's body; the request has its own limits.
    Serving,
    /// The client, to read the response.
    Writing,
}

/// The state of one connection, shared by its stream and its requests.
#[derive(Debug)]
pub(crate) struct ConnectionTimer {
    phase: Cell<Phase>,
    /// Tick of the last progress.
    since: Cell<u64>,
    in_flight: Cell<u32>,
    clock: Rc<Cell<u64>>,
}

/// Ticks a connection may spend in each phase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub idle: u64,
    pub headers: u64,
    pub writing: u64,
}

impl ConnectionTimer {
    fn set(&self, phase: Phase) {
        self.phase.set(phase);
        self.since.set(self.clock.get());
    }

    /// A request's headers are complete.
    pub fn begin(&self) {
        self.in_flight.set(self.in_flight.get() + 1);
        self.set(Phase::Serving);
    }

    /// Its response is made.
    pub fn end(&self) {
        self.in_flight.set(self.in_flight.get().saturating_sub(1));
        if self.in_flight.get() == 0 {
            self.set(Phase::Writing);
        }
    }

    fn expired(&self, limits: &Limits) -> bool {
        let waited = self.clock.get().saturating_sub(self.since.get());
        match self.phase.get() {
            Phase::Idle => waited > limits.idle,
            Phase::Headers => waited > limits.headers,
            Phase::Writing => waited > limits.writing,
            Phase::Serving => false,
        }
    }
}

/// The connections of one door.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    clock: Rc<Cell<u64>>,
    open: RefCell<Vec<(Rc<ConnectionTimer>, AbortHandle)>>,
    /// Told of each that is opened.
    opened: tokio::sync::Notify,
}

impl Connections {
    pub fn timer(&self) -> Rc<ConnectionTimer> {
        Rc::new(ConnectionTimer {
            phase: Cell::new(Phase::Headers),
            since: Cell::new(self.clock.get()),
            in_flight: Cell::new(0),
            clock: self.clock.clone(),
        })
    }

    pub fn add(&self, timer: Rc<ConnectionTimer>, task: AbortHandle) {
        self.open.borrow_mut().push((timer, task));
        self.opened.notify_one();
    }

    /// Waits until one is opened; at once when one was since the last wait.
    pub async fn opened(&self) {
        self.opened.notified().await;
    }

    pub fn count(&self) -> usize {
        let mut open = self.open.borrow_mut();
        open.retain(|(_, task)| !task.is_finished());
        open.len()
    }

    /// Moves the clock on and ends the connections whose time is over; gives
    /// their number.
    pub fn tick(&self, limits: &Limits) -> u64 {
        self.clock.set(self.clock.get() + 1);
        let mut ended = 0;
        self.open.borrow_mut().retain(|(timer, task)| {
            if task.is_finished() {
                return false;
            }
            let expired = timer.expired(limits);
            if expired {
                task.abort();
                ended += 1;
            }
            !expired
        });
        ended
    }
}

/// A stream that tells its [`ConnectionTimer`] of every progress.
pub(crate) struct Watched<S> {
    pub stream: S,
    pub timer: Rc<ConnectionTimer>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_read(cx, buf);
        if result.is_ready() && self.timer.phase.get() == Phase::Idle {
            self.timer.set(Phase::Headers);
        }
        result
    }
}

impl<S: AsyncWrite + Unpin> Watched<S> {
    fn wrote(&self, result: &Poll<io::Result<usize>>) {
        if result.is_ready() {
            self.timer.since.set(self.timer.clock.get());
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.wrote(&result);
        result
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.wrote(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(cx);
        if result.is_ready() && self.timer.phase.get() == Phase::Writing {
            self.timer.set(Phase::Idle);
        }
        result
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        idle: 5,
        headers: 2,
        writing: 3,
    };

    #[tokio::test(flavor = "current_thread")]
    async fn each_phase_has_its_own_patience() {
        let connections = Connections::default();
        let timer = connections.timer();
        let task = tokio::spawn(std::future::pending::<()>());
        connections.add(timer.clone(), task.abort_handle());
        assert_eq!((0..2).map(|_| connections.tick(&LIMITS)).sum::<u64>(), 0);
        timer.begin();
        assert_eq!((0..50).map(|_| connections.tick(&LIMITS)).sum::<u64>(), 0);
        timer.end();
        assert_eq!((0..3).map(|_| connections.tick(&LIMITS)).sum::<u64>(), 0);
        assert_eq!(connections.tick(&LIMITS), 1);
        assert!(task.await.unwrap_err().is_cancelled());
        assert_eq!(connections.count(), 0);
    }
}
