//! Waiting, and which thread does the I/O in the meantime.
//!
//! The thread that has the pump waits for sockets on behalf of all. A program's
//! thread that has to wait takes the pump if it is free, so that the thread
//! that waits for a reply also reads it; when it leaves, it hands the pump to
//! another waiting program. A background thread takes the pump if no program
//! did for a while, and releases it as soon as a program asks.

use super::inner::HostState;
use super::spin_policy::SpinPolicy;
use super::{LISTENER, SharedHost, WAKER};
use crate::Error;
use mio::net::TcpListener;
use mio::{Events, Poll};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, MutexGuard, PoisonError, TryLockError};
use std::task::Poll as Progress;
use std::time::{Duration, Instant};

use sna::conversation::ConversationId;

/// The event that a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WakeEvent {
    /// A verb of this conversation can continue.
    Conversation(ConversationId),
    /// A link that was asked for is up, or is not.
    Call(u64),
}

/// The sockets' readiness; held by the thread that waits for it.
pub(crate) struct SocketPump {
    pub poll: Poll,
    pub events: Events,
    pub listener: Option<TcpListener>,
    pub patience: SpinPolicy,
}

/// The holder of the pump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PumpHolder {
    Free,
    Program(WakeEvent),
    Background,
}

/// The sender of output for which no program waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputPolicy {
    /// They leave at once.
    Sent,
    /// They may leave with the program's next verb.
    Kept,
    /// Output that already waits may wait again.
    Joined,
}

impl SocketPump {
    /// Reads and writes the sockets once.
    pub fn poll_sockets(&mut self) -> std::io::Result<()> {
        self.poll.poll(&mut self.events, Some(Duration::ZERO))
    }

    /// Waits for sockets, at most for `timeout`.
    fn wait(&mut self, timeout: Option<Duration>, may_look: bool) -> std::io::Result<()> {
        let begin = Instant::now();
        let look = self.patience.spin_time().filter(|_| may_look);
        if let Some(look) = look {
            while begin.elapsed() < look {
                self.poll.poll(&mut self.events, Some(Duration::ZERO))?;
                if !self.events.is_empty() {
                    self.patience.waited(begin.elapsed(), true);
                    return Ok(());
                }
                std::hint::spin_loop();
            }
        }
        self.poll.poll(&mut self.events, timeout)?;
        if may_look {
            self.patience.waited(begin.elapsed(), look.is_some());
        }
        Ok(())
    }
}

/// Threads that wait without the pump, and the state of the background thread.
pub(crate) struct WaitingThreads {
    pub holder: PumpHolder,
    queue: VecDeque<(WakeEvent, Arc<Condvar>)>,
    /// Counts turns of the pump.
    turns: u64,
    released: Instant,
    /// The background thread sleeps until it is notified.
    asleep: bool,
}

/// How long the pump may be unused before the background thread takes it.
const GRACE: Duration = Duration::from_millis(1);

thread_local! {
    static SIGNAL: Arc<Condvar> = Arc::new(Condvar::new());
}

impl WaitingThreads {
    pub fn new() -> WaitingThreads {
        WaitingThreads {
            holder: PumpHolder::Free,
            queue: VecDeque::new(),
            turns: 0,
            released: Instant::now(),
            asleep: false,
        }
    }

    /// Notifies the thread that waits for `wake`; returns true if that thread
    /// sleeps in the pump.
    pub fn notify(&self, wake: WakeEvent) -> bool {
        for (_, signal) in self.queue.iter().filter(|(waits, _)| *waits == wake) {
            signal.notify_one();
        }
        self.holder == PumpHolder::Program(wake)
    }

    /// Notifies every thread.
    pub fn notify_all(&self) {
        for (_, signal) in &self.queue {
            signal.notify_one();
        }
    }
}

impl SharedHost {
    /// Calls `verb` until it is done. In between, waits for `wake`.
    pub(crate) fn blocking<T>(
        &self,
        wake: WakeEvent,
        verb: impl FnMut(&mut HostState) -> Progress<T>,
    ) -> Result<T, Error> {
        self.block(wake, OutputPolicy::Sent, verb)
    }

    /// Runs a verb that only receives, and waits. Output that it causes (pacing
    /// responses) is sent with the program's next verb in one write, or by the
    /// background thread if that takes long.
    pub(crate) fn receiving<T>(
        &self,
        wake: WakeEvent,
        verb: impl FnMut(&mut HostState) -> Progress<T>,
    ) -> Result<T, Error> {
        self.block(wake, OutputPolicy::Kept, verb)
    }

    /// Runs a verb with little output, and waits. Earlier output is sent with
    /// the end of this turn, or with the next send.
    pub(crate) fn sending<T>(
        &self,
        wake: WakeEvent,
        verb: impl FnMut(&mut HostState) -> Progress<T>,
    ) -> Result<T, Error> {
        self.block(wake, OutputPolicy::Joined, verb)
    }

    fn block<T>(
        &self,
        wake: WakeEvent,
        owed: OutputPolicy,
        mut verb: impl FnMut(&mut HostState) -> Progress<T>,
    ) -> Result<T, Error> {
        let mut inner = self.lock();
        let mut keep = owed == OutputPolicy::Joined
            && inner.owes
            && !std::mem::replace(&mut inner.joined, true);
        loop {
            inner.ready.remove(&wake);
            let progress = verb(&mut inner);
            if let Progress::Ready(value) = progress {
                if keep {
                    self.settle(&mut inner, false)
                } else {
                    self.drain(&mut inner, false)
                }
                return Ok(value);
            }
            self.drain(&mut inner, false);
            if !inner.ready.contains(&wake) {
                inner = self.wait(inner, wake, owed);
                keep = owed == OutputPolicy::Kept;
            }
            if self.stopping.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
        }
    }

    /// Waits until `wake` is ready or the host stops.
    fn wait<'a>(
        &'a self,
        mut inner: MutexGuard<'a, HostState>,
        wake: WakeEvent,
        owed: OutputPolicy,
    ) -> MutexGuard<'a, HostState> {
        loop {
            let pump = match self.pump.try_lock() {
                Ok(pump) => Some(pump),
                Err(TryLockError::Poisoned(pump)) => Some(pump.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            };
            if let Some(pump) = pump {
                return self.pump_until(pump, inner, PumpHolder::Program(wake), owed, |inner| {
                    inner.ready.contains(&wake)
                });
            }
            if inner.waiting.holder == PumpHolder::Background {
                self.wake_pump();
            }
            let signal = SIGNAL.with(Arc::clone);
            inner.waiting.queue.push_back((wake, Arc::clone(&signal)));
            inner = signal.wait(inner).unwrap_or_else(PoisonError::into_inner);
            let queue = &mut inner.waiting.queue;
            if let Some(at) = queue
                .iter()
                .position(|(_, other)| Arc::ptr_eq(other, &signal))
            {
                queue.remove(at);
            }
            if inner.ready.contains(&wake) || self.stopping.load(Ordering::Relaxed) {
                self.hand_over(&mut inner);
                return inner;
            }
        }
    }

    /// Turns the pump until `done` or the host stops, then hands it over.
    fn pump_until<'a>(
        &'a self,
        mut pump: MutexGuard<'a, SocketPump>,
        mut inner: MutexGuard<'a, HostState>,
        holder: PumpHolder,
        owed: OutputPolicy,
        done: impl Fn(&HostState) -> bool,
    ) -> MutexGuard<'a, HostState> {
        inner.waiting.holder = holder;
        if inner.owes {
            self.drain(&mut inner, true);
        }
        while !done(&inner) && !self.stopping.load(Ordering::Relaxed) {
            let timeout = inner.next_timeout(self.now());
            drop(inner);
            let may_look = holder != PumpHolder::Background;
            if let Err(error) = pump.wait(timeout, may_look)
                && error.kind() != std::io::ErrorKind::Interrupted
            {
                tracing::error!("waiting for sockets failed: {error}");
            }
            inner = self.lock();
            inner.waiting.turns += 1;
            self.turn(&mut pump, &mut inner);
            self.settle(&mut inner, true);
            if owed != OutputPolicy::Kept || !done(&inner) {
                self.drain(&mut inner, true);
            }
        }
        inner.waiting.holder = PumpHolder::Free;
        inner.waiting.released = Instant::now();
        drop(pump);
        self.hand_over(&mut inner);
        inner
    }

    /// Handles ready sockets and expired timers.
    pub(crate) fn turn(&self, pump: &mut SocketPump, inner: &mut HostState) {
        let now = self.now();
        for event in &pump.events {
            match event.token() {
                WAKER => {}
                LISTENER => {
                    if let Some(listener) = &pump.listener {
                        inner.accept(listener, now);
                    }
                }
                token => {
                    let closing = event.is_read_closed() || event.is_error();
                    inner.handle_ready(token, now, event.is_readable() || closing, closing);
                }
            }
        }
        inner.handle_timeouts(now);
    }

    /// Passes a free pump to a waiting program, otherwise to the background
    /// thread.
    fn hand_over(&self, inner: &mut HostState) {
        if inner.waiting.holder != PumpHolder::Free {
            return;
        }
        if let Some((_, signal)) = inner.waiting.queue.front() {
            signal.notify_one();
        } else if std::mem::take(&mut inner.waiting.asleep) {
            self.background.notify_one();
        }
    }

    /// The background thread: keeps the node going while no program waits.
    pub(super) fn run_background(&self) {
        let mut inner = self.lock();
        let mut seen = 0;
        while !self.stopping.load(Ordering::Relaxed) {
            let idle = inner.waiting.released.elapsed() >= GRACE && inner.waiting.queue.is_empty();
            let free = inner.waiting.holder == PumpHolder::Free && idle;
            if free && let Ok(pump) = self.pump.try_lock() {
                inner = self.pump_until(
                    pump,
                    inner,
                    PumpHolder::Background,
                    OutputPolicy::Sent,
                    |inner| !inner.waiting.queue.is_empty(),
                );
                continue;
            }
            let turns = inner.waiting.turns;
            let still = std::mem::replace(&mut seen, turns) == turns;
            let held = matches!(inner.waiting.holder, PumpHolder::Program(_));
            inner = if held && still {
                // A program waits in a quiet pump: it notifies when it leaves.
                inner.waiting.asleep = true;
                self.background
                    .wait(inner)
                    .unwrap_or_else(PoisonError::into_inner)
            } else {
                let waited = self.background.wait_timeout(inner, GRACE);
                waited.unwrap_or_else(PoisonError::into_inner).0
            };
        }
        drop(inner);
        // The pump is released and no connection is accepted any more. A
        // connection accepted while the host stops is closed too.
        let mut pump = self.pump.lock().unwrap_or_else(PoisonError::into_inner);
        pump.listener = None;
        drop(pump);
        self.lock().close_all(self.now());
    }

    /// Interrupts the thread that sleeps in the pump.
    pub(crate) fn wake_pump(&self) {
        if let Err(error) = self.waker.wake() {
            tracing::error!("the pump cannot be woken: {error}");
        }
    }
}
