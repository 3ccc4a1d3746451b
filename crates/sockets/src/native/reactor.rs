//! The loop of a thread of receivers: futures, the sockets and times that they
//! wait for, and the port of the region.
//!
//! A general runtime took a third of a message's instructions. This loop is made
//! for one use: one thread, sockets that are registered once for all events of
//! epoll, edge-triggered, futures that are woken on their own thread, and
//! hardly a timer. Before it sleeps it wakes the workers that it gave tasks and
//! collects the ends of tasks; while there are some it does not sleep.
//!
//! A future that finds its socket ready again and again gives way after
//! [`TURN`] reads and writes, so a client that sends without a pause, and asks
//! for nothing, does not keep the thread from the others.
//!
//! Reference: epoll(7), "Edge-triggered and level-triggered".
//! Invariant: no borrow lasts while a future is polled or dropped.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::ptr::null;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use region::{Handle, Port};

use super::slab::{Key, KeyedSlab};

/// The loop, on a thread of its own.
pub struct EpollReactor {
    epoll: OwnedFd,
    home: Arc<dyn RegionPort>,
    futures: RefCell<KeyedSlab<RunningFuture>>,
    sources: RefCell<KeyedSlab<Rc<SocketReadiness>>>,
    timers: RefCell<BTreeMap<(Instant, u64), Waker>>,
    numbers: Cell<u64>,
    ended: Cell<bool>,
    /// Reads and writes that the future being polled still has.
    turn: Cell<u32>,
    /// Futures that yielded, and continue after the sockets were polled.
    waiting: RefCell<Vec<Waker>>,
}

/// A future of the loop, to end it.
#[derive(Debug, Clone, Copy)]
pub struct SpawnedFuture(Key);

/// A socket's readiness as epoll reported it.
pub struct SocketReadiness {
    ready: Cell<u32>,
    reader: RefCell<Option<Waker>>,
    writer: RefCell<Option<Waker>>,
}

/// A socket in the loop; dropping it forgets it.
pub struct SocketRegistration {
    source: Rc<SocketReadiness>,
    key: Key,
    reactor: Rc<EpollReactor>,
}

/// The port of the region that the loop's thread drives.
pub trait RegionPort: Send + Sync {
    /// The descriptor that the loop waits for in addition to its own sources.
    fn event(&self) -> BorrowedFd<'_>;
    /// Before a sleep: true when the loop may sleep until the event.
    fn rest(&self) -> bool;
    /// After a sleep.
    fn rested(&self);
    /// Called when the loop continues without a sleep.
    fn poll_completions(&self);
    /// Has a future woken on the loop's own thread.
    fn wake(&self, waker: Waker);
}

impl RegionPort for (Handle, Port) {
    fn event(&self) -> BorrowedFd<'_> {
        self.1.event()
    }

    fn rest(&self) -> bool {
        self.1.flush_wakeups()
    }

    fn rested(&self) {
        self.1.after_poll();
    }

    fn poll_completions(&self) {
        self.1.poll_completions();
    }

    fn wake(&self, waker: Waker) {
        self.0.wake_at(Some(&self.1), waker);
    }
}

struct RunningFuture {
    future: Pin<Box<dyn Future<Output = ()>>>,
    waker: Waker,
    entry: Arc<Entry>,
}

/// Wakes a future.
struct Entry {
    key: Key,
    /// The future is among the ready ones. Only for its own thread.
    queued: AtomicBool,
    home: Arc<dyn RegionPort>,
}

thread_local! {
    /// The loop of this thread.
    static HERE: Cell<*const ()> = const { Cell::new(null()) };
    /// Its futures that are to be polled.
    static READY: RefCell<Vec<Key>> = const { RefCell::new(Vec::new()) };
}

impl EpollReactor {
    /// The calling thread's loop, which drives a port.
    pub fn new(home: Arc<dyn RegionPort>) -> io::Result<Rc<EpollReactor>> {
        // SAFETY: the result is checked.
        let raw = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        let reactor = EpollReactor {
            // SAFETY: a fresh descriptor.
            epoll: unsafe { OwnedFd::from_raw_fd(raw) },
            home,
            futures: RefCell::default(),
            sources: RefCell::default(),
            timers: RefCell::default(),
            numbers: Cell::new(0),
            ended: Cell::new(false),
            turn: Cell::new(0),
            waiting: RefCell::default(),
        };
        let event = reactor.home.event();
        reactor.watch(event, libc::EPOLLIN as u32, PORT_EVENT)?;
        HERE.set(Arc::as_ptr(&reactor.home).cast());
        Ok(Rc::new(reactor))
    }

    /// Runs the futures until [`EpollReactor::end`], and ends those that are left.
    pub fn run(&self) {
        self.run_on();
        // Outside of the borrow: they take their leave, and forget their
        // sockets.
        self.turn.set(u32::MAX);
        let left = self.futures.take();
        drop(left);
        // Workers that were given work are woken: their tasks end by themselves.
        self.home.poll_completions();
    }

    fn run_on(&self) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; EVENTS];
        let mut batch = Vec::new();
        while !self.ended.get() {
            let mut rounds = 0;
            let sleeps = loop {
                self.run_ready(&mut batch);
                if self.ended.get() {
                    return;
                }
                rounds += 1;
                if rounds == MOST_ROUNDS || !self.waiting.borrow().is_empty() {
                    // Sockets have their turn, however busy the region is.
                    self.home.poll_completions();
                    break false;
                }
                // Some have woken others, or begun them.
                let more = READY.with_borrow(|ready| !ready.is_empty());
                if !more && self.home.rest() {
                    break true;
                }
            };
            self.wait(&mut events, sleeps);
            self.waiting.borrow_mut().drain(..).for_each(Waker::wake);
        }
    }

    /// Ends [`EpollReactor::run`].
    pub fn end(&self) {
        self.ended.set(true);
    }

    /// Has a future run.
    pub fn spawn(&self, future: impl Future<Output = ()> + 'static) -> SpawnedFuture {
        let home = self.home.clone();
        let key = self.futures.borrow_mut().insert(|key| {
            let entry = Arc::new(Entry {
                key,
                queued: AtomicBool::new(true),
                home,
            });
            RunningFuture {
                future: Box::pin(future),
                waker: Waker::from(entry.clone()),
                entry,
            }
        });
        READY.with_borrow_mut(|ready| ready.push(key));
        SpawnedFuture(key)
    }

    /// The future being polled has had its turn: it gives way before it reads or
    /// writes again.
    pub fn end_turn(&self) {
        self.turn.set(0);
    }

    /// Ends a future that is not the one being polled.
    pub fn abort(&self, spawned: SpawnedFuture) {
        // The drop of the future may write to its socket.
        self.turn.set(TURN);
        let running = self.futures.borrow_mut().remove(spawned.0);
        drop(running);
    }

    /// Registers a socket that does not block.
    pub fn register(self: &Rc<Self>, socket: BorrowedFd<'_>) -> io::Result<SocketRegistration> {
        let source = Rc::new(SocketReadiness {
            ready: Cell::new(WRITABLE),
            reader: RefCell::new(None),
            writer: RefCell::new(None),
        });
        let key = self.sources.borrow_mut().insert(|_| source.clone());
        let registration = SocketRegistration {
            source,
            key,
            reactor: self.clone(),
        };
        let interest = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP;
        self.watch(socket, interest as u32, key.to_bits())?;
        Ok(registration)
    }

    /// Ready after so long.
    pub async fn sleep(&self, time: Duration) {
        let at = (Instant::now() + time, self.numbers.get());
        self.numbers.set(at.1 + 1);
        let timer = Timer { reactor: self, at };
        poll_fn(|cx| timer.poll(cx)).await;
    }

    /// The result of a future within this time; `None` if it takes longer.
    pub async fn within<T>(&self, time: Duration, future: impl Future<Output = T>) -> Option<T> {
        let (mut late, mut future) = (pin!(self.sleep(time)), pin!(future));
        poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => late.as_mut().poll(cx).map(|()| None),
        })
        .await
    }

    /// Polls what was woken.
    fn run_ready(&self, batch: &mut Vec<Key>) {
        READY.with_borrow_mut(|ready| std::mem::swap(ready, batch));
        for key in batch.drain(..) {
            let taken = self.futures.borrow_mut().take(key);
            let Some(mut running) = taken else {
                continue;
            };
            running.entry.queued.store(false, Ordering::Relaxed);
            self.turn.set(TURN);
            let mut cx = Context::from_waker(&running.waker);
            // A panic in one connection ends only that one.
            let poll = AssertUnwindSafe(|| running.future.as_mut().poll(&mut cx));
            match catch_unwind(poll) {
                Ok(Poll::Pending) => self.futures.borrow_mut().put_back(key, running),
                Ok(Poll::Ready(())) | Err(_) => {
                    self.futures.borrow_mut().forget(key);
                    drop(running);
                }
            }
        }
    }

    /// Waits for sockets, times and the port, or only checks them.
    fn wait(&self, events: &mut [libc::epoll_event; EVENTS], sleeps: bool) {
        let limit_ms = if sleeps { self.next_timer_ms() } else { 0 };
        // SAFETY: room for as many events as is said.
        let count = unsafe {
            let (epoll, to) = (self.epoll.as_raw_fd(), events.as_mut_ptr());
            libc::epoll_wait(epoll, to, EVENTS as libc::c_int, limit_ms)
        };
        if sleeps {
            self.home.rested();
        }
        // A signal, which is nothing to this thread, gives a number below 0.
        for event in &events[..count.max(0) as usize] {
            if event.u64 != PORT_EVENT {
                self.socket_ready(Key::from_bits(event.u64), event.events);
            }
        }
        if !self.timers.borrow().is_empty() {
            self.take_timers();
        }
    }

    /// A socket has become ready.
    fn socket_ready(&self, key: Key, events: u32) {
        let sources = self.sources.borrow();
        let Some(source) = sources.get(key) else {
            return;
        };
        let any = |mask: libc::c_int| events & mask as u32 != 0;
        let gone = any(libc::EPOLLHUP | libc::EPOLLERR);
        let ended = gone || any(libc::EPOLLRDHUP);
        let mut ready = source.ready.get();
        if ended || any(libc::EPOLLIN) {
            ready |= READABLE;
            wake(&source.reader);
        }
        if gone || any(libc::EPOLLOUT) {
            ready |= WRITABLE;
            wake(&source.writer);
        }
        if ended {
            ready |= ENDED;
        }
        if gone {
            ready |= GONE;
        }
        source.ready.set(ready);
    }

    fn next_timer_ms(&self) -> libc::c_int {
        let timers = self.timers.borrow();
        let Some(((at, _), _)) = timers.first_key_value() else {
            return -1;
        };
        let left = at.saturating_duration_since(Instant::now());
        // Not before its time.
        (left.as_millis() + 1).min(60_000) as libc::c_int
    }

    fn take_timers(&self) {
        let now = Instant::now();
        let mut timers = self.timers.borrow_mut();
        while let Some(first) = timers.first_entry()
            && first.key().0 <= now
        {
            first.remove().wake();
        }
    }

    fn watch(&self, fd: BorrowedFd<'_>, events: u32, id: u64) -> io::Result<()> {
        let events = events | libc::EPOLLET as u32;
        let mut event = libc::epoll_event { events, u64: id };
        let (epoll, fd) = (self.epoll.as_raw_fd(), fd.as_raw_fd());
        // SAFETY: valid descriptors and event.
        match unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &raw mut event) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for EpollReactor {
    fn drop(&mut self) {
        HERE.set(null());
        let _ = READY.take();
    }
}

/// Wakes a waiting future, and keeps its waker: mostly the same future waits again.
fn wake(waits: &RefCell<Option<Waker>>) {
    if let Some(waker) = &*waits.borrow() {
        waker.wake_by_ref();
    }
}

impl SocketRegistration {
    /// Ready when there may be something to read, or the end.
    pub fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll(READABLE, &self.source.reader, cx)
    }

    /// Ready when something may be written.
    pub fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll(WRITABLE, &self.source.writer, cx)
    }

    /// Ready when neither direction is open any more. Waiting for it does not
    /// wait for input.
    pub fn poll_gone(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll(GONE, &self.source.reader, cx)
    }

    fn poll(&self, what: u32, waits: &RefCell<Option<Waker>>, cx: &Context<'_>) -> Poll<()> {
        if self.source.ready.get() & what != 0 {
            if self.reactor.turn.get() > 0 {
                return Poll::Ready(());
            }
            let mut waiting = self.reactor.waiting.borrow_mut();
            waiting.push(cx.waker().clone());
            return Poll::Pending;
        }
        let mut waits = waits.borrow_mut();
        if !waits.as_ref().is_some_and(|w| w.will_wake(cx.waker())) {
            *waits = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Reads up to `room` bytes, if some may be there. If it reads fewer, no
    /// more are there until epoll reports them.
    pub fn read(&self, room: usize, read: impl FnOnce() -> io::Result<usize>) -> io::Result<usize> {
        let is_short = |count: usize| count > 0 && count < room;
        self.run(READABLE, is_short, read)
    }

    /// As above for writing `bytes`.
    pub fn write(
        &self,
        bytes: usize,
        write: impl FnOnce() -> io::Result<usize>,
    ) -> io::Result<usize> {
        self.run(WRITABLE, |count| count < bytes, write)
    }

    fn run(
        &self,
        what: u32,
        is_short: impl FnOnce(usize) -> bool,
        call: impl FnOnce() -> io::Result<usize>,
    ) -> io::Result<usize> {
        let (ready, turn) = (&self.source.ready, &self.reactor.turn);
        if ready.get() & what == 0 || turn.get() == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        turn.set(turn.get() - 1);
        let done = call();
        let exhausted = match &done {
            // epoll reports nothing more of an ended connection.
            Ok(count) => ready.get() & ENDED == 0 && is_short(*count),
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
        };
        if exhausted {
            ready.set(ready.get() & !what);
        }
        done
    }
}

impl Drop for SocketRegistration {
    fn drop(&mut self) {
        // Closing the socket takes it out of epoll.
        let source = self.reactor.sources.borrow_mut().remove(self.key);
        drop(source);
    }
}

impl Wake for Entry {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if HERE.get() != Arc::as_ptr(&self.home).cast() {
            return self.home.wake(Waker::from(self.clone()));
        }
        if !self.queued.load(Ordering::Relaxed) {
            self.queued.store(true, Ordering::Relaxed);
            READY.with_borrow_mut(|ready| ready.push(self.key));
        }
    }
}

/// A time that a future waits for, forgotten when it is dropped.
struct Timer<'r> {
    reactor: &'r EpollReactor,
    at: (Instant, u64),
}

impl Timer<'_> {
    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        if self.at.0 <= Instant::now() {
            return Poll::Ready(());
        }
        let mut timers = self.reactor.timers.borrow_mut();
        timers.insert(self.at, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        self.reactor.timers.borrow_mut().remove(&self.at);
    }
}

/// Events that are taken at a time.
const EVENTS: usize = 128;
/// Rounds of futures without a check of the sockets.
const MOST_ROUNDS: usize = 16;
/// Reads and writes of a future until others have their turn: more than a
/// message needs.
const TURN: u32 = 32;
/// Marks the port among the events; no socket has this key.
const PORT_EVENT: u64 = u64::MAX;
const READABLE: u32 = 1;
const WRITABLE: u32 = 2;
/// The client sends nothing more, or has disconnected.
const ENDED: u32 = 4;
/// Neither direction is open any more.
const GONE: u32 = 8;

#[cfg(test)]
mod tests;
