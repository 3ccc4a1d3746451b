//! Connections and their timer.
//!
//! A connection that waits only for its client must not wait for ever: not
//! between requests, not while a request's headers trickle in, not while an
//! answer is not read. One task a door checks all its connections periodically,
//! so that no request arms a timer. The same list decides which connection
//! gives way: to a new connection the one that has been idle longest, to a
//! request that needs memory the slowest of those that use some.
//!
//! Times are ticks of the door's clock ([`ticks`](super::ticks)). How often its
//! connections are looked at is not counted: a look says how late it is.

use super::frames::{FrameCounter, WireProtocol};
use super::memory::{ConnectionAccount, GatewayMemory, ReservedMemory};
use super::share::ConnectionBudget;
use super::watched::{self, FinalWriter};
use seats::{ClosableConnection, IdleKind, IdleQueue};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{Context, Waker};
use tokio::task::AbortHandle;

/// Bytes of headers that a connection may send before they are accounted for.
const FREE_HEADERS: usize = 8 << 10;
/// Bytes a second below which a connection that holds memory gives way to one
/// that needs it.
const SLOW_BYTES_S: u64 = 64 << 10;
/// Ticks of a second.
const TICKS_A_SECOND: u64 = 2;
/// Ticks of idleness after which a connection gives its buffers back.
const REST: u64 = 2;
/// Ticks within which a client that was asked to retry later must not retry.
const REFUSAL: u64 = TICKS_A_SECOND;

/// The event that a connection is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The next request.
    Idle,
    /// The rest of a request's headers.
    Headers,
    /// The program or the request's body; the request has its own limits.
    Serving,
}

/// An event of a connection that comes neither from its client nor from a
/// request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseCause {
    /// The connection has been idle for so long that no request and no answer is
    /// under way.
    Rests,
    /// The gateway ends.
    Stops,
}

/// The state of one connection, shared by its stream and its requests.
pub(crate) struct ConnectionTimer {
    pub account: Arc<ConnectionAccount>,
    pub frames: RefCell<FrameCounter>,
    /// Its budget, once several requests may run.
    pub works: OnceCell<Rc<ConnectionBudget>>,
    phase: Cell<Phase>,
    /// Tick at which the phase began, or of the last progress of an answer.
    since: Cell<u64>,
    in_flight: Cell<u32>,
    /// Requests with an incomplete body.
    bodies: Cell<u32>,
    /// Bytes of a request's headers so far, and the memory reserved for them.
    header_bytes: Cell<usize>,
    headers: RefCell<Option<ReservedMemory>>,
    /// Bytes moved in this tick and in the two before.
    moved: Cell<[u64; 3]>,
    /// Ticks that it has waited for its client with memory held.
    waited: Cell<u64>,
    /// Bytes written since answers were first looked at, and how long ago.
    window: Cell<(u64, u64)>,
    /// The connection is ending, and is not counted any more.
    leaving: Cell<bool>,
    /// How long the connection may be idle, when its service sets a time.
    idle: Cell<Option<u64>>,
    /// Tick at which its client was last asked to retry later.
    refused: Cell<Option<u64>>,
    /// Answers whose pieces still come.
    streams: Arc<AtomicU32>,
    /// Its TLS handshake is under way.
    pub shakes_hands: Cell<bool>,
    /// The connection was accepted while all others were at work, and all places were taken.
    pub is_restricted: Cell<bool>,
    /// The last write waits for its client.
    pub stuck: Cell<bool>,
    /// The connection has been idle for a while; `waker` wakes it.
    rests: Cell<bool>,
    waker: RefCell<Option<Waker>>,
    /// Its door's: the gateway ends.
    stops: Rc<Cell<bool>>,
    clock: Rc<Cell<u64>>,
    live: Rc<Cell<usize>>,
    stream: RefCell<Option<Weak<dyn FinalWriter>>>,
}

/// How long a connection may wait for its client, in ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub idle: u64,
    pub headers: u64,
    /// Least bytes of answers that a client must take in `window` ticks.
    pub least: u64,
    pub window: u64,
}

impl ConnectionTimer {
    fn set(&self, phase: Phase) {
        self.phase.set(phase);
        self.since.set(self.clock.get());
    }

    /// Returns the connection's turn in addition to its requests, if there is
    /// one; otherwise the caller is woken when there is.
    pub fn turn(&self, cx: &Context<'_>) -> Option<CloseCause> {
        if self.rests.get() && self.is_at_rest() {
            return Some(CloseCause::Rests);
        }
        if self.stops.get() {
            return Some(CloseCause::Stops);
        }
        let mut waker = self.waker.borrow_mut();
        if !waker
            .as_ref()
            .is_some_and(|waker| waker.will_wake(cx.waker()))
        {
            *waker = Some(cx.waker().clone());
        }
        None
    }

    /// So many bytes of a next request have come: their rest must come in time.
    pub fn has_begun(&self, bytes: usize) {
        self.set(Phase::Headers);
        self.header_bytes.set(bytes);
    }

    fn is_at_rest(&self) -> bool {
        let idle = self.phase.get() == Phase::Idle && self.header_bytes.get() == 0;
        let waits = self.clock.get().saturating_sub(self.since.get()) >= REST;
        let streams = self.streams.load(Relaxed) > 0;
        idle && waits && !streams && !self.stuck.get() && self.account.answers() == 0
    }

    /// Sets the idle limit of this connection only.
    pub fn idles(&self, ticks: Option<u64>) {
        self.idle.set(ticks);
    }

    /// An answer comes in pieces until what this returns is dropped: meanwhile
    /// the connection may wait for its program as long as any may be idle.
    pub fn streams(&self) -> StreamingAnswer {
        self.streams.fetch_add(1, Relaxed);
        StreamingAnswer(self.streams.clone())
    }

    /// Whether several requests may be at work.
    pub fn is_http2(&self) -> bool {
        self.frames.borrow().protocol() == WireProtocol::Http2
    }

    /// A request's headers are complete.
    pub fn begin(&self) {
        self.in_flight.set(self.in_flight.get() + 1);
        self.set(Phase::Serving);
    }

    /// Records that its client is asked to retry later; returns whether that
    /// happened a moment ago and it did not wait.
    pub fn is_refused_again(&self) -> bool {
        let now = self.clock.get();
        let before = self.refused.replace(Some(now));
        before.is_some_and(|tick| now.saturating_sub(tick) < REFUSAL)
    }

    /// Whether a request's headers are complete and its response is not made.
    pub fn is_serving(&self) -> bool {
        self.in_flight.get() > 0
    }

    /// Its response is made.
    pub fn end(&self) {
        self.in_flight.set(self.in_flight.get().saturating_sub(1));
        if self.in_flight.get() == 0 {
            self.set(Phase::Idle);
            if self.header_bytes.replace(0) > FREE_HEADERS {
                self.headers.take();
            }
        }
    }

    /// A request's body is being read until what this returns is dropped.
    pub fn body(&self) -> impl Drop {
        struct Reading<'t>(&'t Cell<u32>);
        impl Drop for Reading<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() - 1);
            }
        }
        self.bodies.set(self.bodies.get() + 1);
        Reading(&self.bodies)
    }

    /// Sets the stream on which a last message can be sent.
    pub fn speaks_through(&self, stream: Weak<dyn FinalWriter>) {
        *self.stream.borrow_mut() = Some(stream);
    }

    /// The client sent bytes; an error if they are too many.
    pub fn read(&self, bytes: &[u8]) -> Result<(), &'static str> {
        self.count(bytes.len());
        let mut frames = self.frames.borrow_mut();
        if !frames.read(bytes, self.clock.get()) {
            return Err("too many frames other than requests");
        }
        // HTTP/2 bounds its own headers, and has many other frames.
        if self.phase.get() == Phase::Serving || frames.protocol() == WireProtocol::Http2 {
            return Ok(());
        }
        if self.phase.get() == Phase::Idle {
            self.set(Phase::Headers);
        }
        let all = self.header_bytes.get() + bytes.len();
        self.header_bytes.set(all);
        if all <= FREE_HEADERS {
            return Ok(());
        }
        let mut headers = self.headers.borrow_mut();
        let enough = match &mut *headers {
            Some(held) => held.resize(all),
            none => {
                *none = self.account.hold(all);
                none.is_some()
            }
        };
        enough.then_some(()).ok_or("no memory for more headers")
    }

    /// The client took bytes.
    pub fn wrote(&self, bytes: usize) {
        self.count(bytes);
        self.frames.borrow_mut().wrote(bytes);
        let (written, ticks) = self.window.get();
        self.window.set((written + bytes as u64, ticks));
        if self.phase.get() == Phase::Idle {
            self.since.set(self.clock.get());
        }
    }

    fn count(&self, bytes: usize) {
        let [now, last, before] = self.moved.get();
        self.moved.set([now + bytes as u64, last, before]);
    }

    /// The answer to a client that is cut off because it is slow.
    fn last_words(&self) -> &'static [u8] {
        let untold = self.account.answers() == 0;
        match self.frames.borrow().protocol() {
            WireProtocol::Http2 => watched::GO_AWAY,
            WireProtocol::Http1 if untold && (self.half_sent() || self.bodies.get() > 0) => {
                watched::TIMEOUT
            }
            _ => b"",
        }
    }

    fn half_sent(&self) -> bool {
        self.phase.get() == Phase::Headers && self.header_bytes.get() > 0
    }

    /// As [`ClosableConnection::idleness`]. With `grace` one is spared that was accepted,
    /// or began to send, less than a whole tick ago.
    fn idleness(&self, grace: bool) -> Option<(IdleKind, u64)> {
        let is_fresh = self.since.get() + 1 >= self.clock.get();
        if grace && is_fresh && self.phase.get() == Phase::Headers {
            return None;
        }
        let streams = self.streams.load(Relaxed) > 0;
        let at_work = self.phase.get() == Phase::Serving || streams;
        let idle = !at_work && self.account.answers() == 0;
        let since = self.since.get();
        // Headers under way may be an honest client's.
        let half_sent = self.half_sent() && since < self.clock.get();
        let half_sent = half_sent || self.shakes_hands.get();
        let standing = if half_sent {
            IdleKind::HalfOpen
        } else {
            IdleKind::Idle
        };
        (idle && !self.leaving.get()).then_some((standing, since))
    }

    /// Bytes of the last second, if it waits for its client and holds memory.
    fn slowness(&self) -> Option<u64> {
        let slow = self.waited.get() > TICKS_A_SECOND && !self.leaving.get();
        let moved = self.moved.get().iter().sum();
        (slow && moved < SLOW_BYTES_S && self.account.held() > 0).then_some(moved)
    }

    /// Checks its time at a look; `before` is the tick of the look before.
    /// Returns true if its limit has passed.
    fn look(&self, before: u64, limits: &Limits) -> bool {
        let now = self.clock.get();
        let waited = now.saturating_sub(self.since.get());
        let reading = self.account.answers() > 0;
        // A client is not slow because the door had no processor.
        let passed = (now - before).min(1);
        if passed > 0 {
            let [moved, last, _] = self.moved.get();
            self.moved.set([0, moved, last]);
        }
        if reading || self.bodies.get() > 0 {
            self.waited.set(self.waited.get() + passed);
        } else {
            self.waited.set(0);
        }
        if reading {
            let (written, ticks) = self.window.get();
            if ticks >= limits.window && written < limits.least {
                return true;
            }
            let over = ticks >= limits.window;
            self.window.set(if over {
                (0, 1)
            } else {
                (written, ticks + passed)
            });
            return false;
        }
        self.window.set((0, 0));
        match self.phase.get() {
            Phase::Idle if self.streams.load(Relaxed) > 0 => waited > limits.idle,
            Phase::Idle => waited > self.idle.get().unwrap_or(limits.idle),
            Phase::Headers => waited > limits.headers,
            Phase::Serving => false,
        }
    }
}

/// Counts an answer whose pieces still come until it is dropped.
#[derive(Debug)]
pub(crate) struct StreamingAnswer(Arc<AtomicU32>);

impl Drop for StreamingAnswer {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Drop for ConnectionTimer {
    fn drop(&mut self) {
        if !self.leaving.get() {
            self.live.set(self.live.get() - 1);
        }
    }
}

/// The connections of one door.
pub(crate) struct DoorConnections {
    memory: Arc<GatewayMemory>,
    clock: Rc<Cell<u64>>,
    stops: Rc<Cell<bool>>,
    /// Open connections that are not ending.
    live: Rc<Cell<usize>>,
    open: RefCell<Vec<Open>>,
    /// The connections that give way to new ones.
    crowd: RefCell<IdleQueue<Open>>,
    /// Notified of each new connection.
    opened: tokio::sync::Notify,
}

/// A connection, as long as its timer is there.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    timer: Weak<ConnectionTimer>,
    task: AbortHandle,
}

impl Open {
    /// Ends the connection, with these words if there are any.
    fn end(&self, timer: &ConnectionTimer, words: &'static [u8]) {
        let stream = timer.stream.take().and_then(|stream| stream.upgrade());
        if let Some(stream) = stream
            && !words.is_empty()
        {
            stream.write_last(words);
        }
        if !timer.leaving.replace(true) {
            timer.live.set(timer.live.get() - 1);
        }
        self.task.abort();
    }
}

impl DoorConnections {
    pub fn new(memory: Arc<GatewayMemory>) -> DoorConnections {
        DoorConnections {
            memory,
            clock: Rc::default(),
            stops: Rc::default(),
            live: Rc::default(),
            open: RefCell::default(),
            crowd: RefCell::default(),
            opened: tokio::sync::Notify::new(),
        }
    }

    /// The state of a new connection, which is counted until it is dropped.
    pub fn timer(&self) -> Rc<ConnectionTimer> {
        self.live.set(self.live.get() + 1);
        Rc::new(ConnectionTimer {
            account: ConnectionAccount::new(self.memory.clone()),
            frames: RefCell::new(FrameCounter::new(self.clock.get())),
            works: OnceCell::new(),
            phase: Cell::new(Phase::Headers),
            since: Cell::new(self.clock.get()),
            in_flight: Cell::new(0),
            bodies: Cell::new(0),
            header_bytes: Cell::new(0),
            headers: RefCell::default(),
            moved: Cell::new([0; 3]),
            waited: Cell::new(0),
            window: Cell::new((0, 0)),
            leaving: Cell::new(false),
            idle: Cell::new(None),
            refused: Cell::new(None),
            streams: Arc::default(),
            shakes_hands: Cell::new(false),
            is_restricted: Cell::new(false),
            stuck: Cell::new(false),
            rests: Cell::new(false),
            waker: RefCell::default(),
            stops: self.stops.clone(),
            clock: self.clock.clone(),
            live: self.live.clone(),
            stream: RefCell::default(),
        })
    }

    /// Lists a connection and the task that serves it.
    pub fn add(&self, timer: &Rc<ConnectionTimer>, task: AbortHandle) -> Open {
        let timer = Rc::downgrade(timer);
        let open = Open { timer, task };
        self.open.borrow_mut().push(open.clone());
        self.opened.notify_one();
        open
    }

    /// Waits until one is opened; at once when one was since the last wait.
    pub async fn opened(&self) {
        self.opened.notified().await;
    }

    /// Ends the gateway: each connection is stopped at its next turn.
    pub fn stop(&self) {
        self.stops.set(true);
        for timer in self.open.borrow().iter().filter_map(|o| o.timer.upgrade()) {
            timer.waker.take().into_iter().for_each(Waker::wake);
        }
    }

    /// Open connections that are not ending.
    pub fn count(&self) -> usize {
        self.live.get()
    }

    /// Sets the clock to this tick and ends the connections whose time limit has
    /// passed, and the slow ones if their memory is needed; returns the numbers
    /// of both.
    pub fn look(&self, now: u64, limits: &Limits) -> (u64, u64) {
        let before = self.clock.replace(now);
        let mut ended = 0;
        self.open.borrow_mut().retain(|open| {
            let Some(timer) = open.timer.upgrade() else {
                return false;
            };
            let over = timer.look(before, limits);
            timer.rests.set(timer.is_at_rest());
            if timer.rests.get()
                && let Some(waker) = timer.waker.take()
            {
                waker.wake();
            }
            if over {
                open.end(&timer, timer.last_words());
                ended += 1;
            }
            !over
        });
        (ended, self.make_room(self.memory.wanted()))
    }

    /// Ends slow connections, the slowest first, until they held that many
    /// bytes. Returns their number.
    pub fn make_room(&self, bytes: usize) -> u64 {
        if bytes == 0 {
            return 0;
        }
        let open = self.open.borrow();
        let live = open.iter().filter_map(|o| Some((o, o.timer.upgrade()?)));
        let mut slow: Vec<_> = live
            .filter_map(|(open, timer)| Some((timer.slowness()?, open, timer)))
            .collect();
        slow.sort_by_key(|(moved, _, timer)| (*moved, usize::MAX - timer.account.held()));
        let (mut freed, mut ended) = (0, 0);
        for (_, open, timer) in slow {
            if freed >= bytes {
                break;
            }
            freed += timer.account.held();
            open.end(&timer, timer.last_words());
            ended += 1;
        }
        ended
    }

    /// Ends the connection that is needed least, for a new one; see
    /// [`ConnectionHost::give_way`](seats::ConnectionHost::give_way).
    pub fn give_way(&self, spared: Option<&Open>) -> bool {
        let open = || self.open.borrow().clone();
        self.crowd.borrow_mut().give_way(spared, open)
    }
}

impl ClosableConnection for Open {
    fn idleness(&self, grace: bool) -> Option<(IdleKind, u64)> {
        self.timer.upgrade()?.idleness(grace)
    }

    fn is(&self, other: &Open) -> bool {
        self.timer.ptr_eq(&other.timer)
    }

    fn has_ended(&self) -> bool {
        let timer = self.timer.upgrade();
        timer.is_none_or(|timer| timer.leaving.get())
    }

    fn close(&self) {
        if let Some(timer) = self.timer.upgrade() {
            self.end(&timer, b"");
        }
    }

    fn restrict(&self) {
        if let Some(timer) = self.timer.upgrade() {
            timer.is_restricted.set(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        idle: 5,
        headers: 2,
        least: 100,
        window: 3,
    };

    fn connections() -> DoorConnections {
        DoorConnections::new(Arc::new(GatewayMemory::new(1 << 20)))
    }

    /// A connection without any activity.
    fn open(connections: &DoorConnections) -> (Rc<ConnectionTimer>, tokio::task::JoinHandle<()>) {
        let timer = connections.timer();
        let task = tokio::spawn(std::future::pending::<()>());
        connections.add(&timer, task.abort_handle());
        (timer, task)
    }

    /// The newest connection.
    fn last(connections: &DoorConnections) -> Open {
        connections.open.borrow().last().unwrap().clone()
    }

    /// A look one tick after the one before.
    fn tick(connections: &DoorConnections) -> (u64, u64) {
        connections.look(connections.clock.get() + 1, &LIMITS)
    }

    fn ended(connections: &DoorConnections, ticks: u32) -> u64 {
        (0..ticks).map(|_| tick(connections).0).sum()
    }

    #[tokio::test(flavor = "current_thread")]
    async fn looks_are_not_counted_as_time() {
        let connections = connections();
        let (idle, _task) = open(&connections);
        idle.begin();
        idle.end();
        for _ in 0..100 {
            assert_eq!(connections.look(1, &LIMITS).0, 0);
        }
        assert_eq!(connections.look(5, &LIMITS).0, 0);
        assert_eq!(connections.look(6, &LIMITS).0, 1);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn each_phase_has_its_own_patience() {
        let connections = connections();
        let (timer, task) = open(&connections);
        assert_eq!(ended(&connections, 2), 0);
        timer.begin();
        assert_eq!(ended(&connections, 50), 0);
        timer.end();
        assert_eq!(ended(&connections, 5), 0);
        assert_eq!(ended(&connections, 1), 1);
        assert!(task.await.unwrap_err().is_cancelled());
        assert_eq!(connections.count(), 0);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_client_with_a_second_request_within_the_second_is_distinguished() {
        let connections = connections();
        let (timer, _task) = open(&connections);
        timer.begin();
        assert!(!timer.is_refused_again(), "the first time");
        assert!(timer.is_refused_again(), "at once");
        ended(&connections, 1);
        assert!(timer.is_refused_again(), "too early");
        ended(&connections, 2);
        assert!(!timer.is_refused_again(), "who has waited");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn an_answer_in_pieces_does_not_end_by_its_services_own_limit() {
        let connections = connections();
        let (timer, _task) = open(&connections);
        timer.idles(Some(1));
        timer.begin();
        timer.end();
        let pieces = timer.streams();
        assert_eq!(ended(&connections, 4), 0);
        assert!(!connections.give_way(None));
        drop(pieces);
        assert_eq!(ended(&connections, 1), 1);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn an_answer_must_be_read_at_the_least_rate() {
        let connections = connections();
        let (timer, task) = open(&connections);
        timer.begin();
        let answer = timer.account.hold(9_000).unwrap().answer(vec![0; 9_000]);
        for _ in 0..40 {
            timer.wrote(34);
            assert_eq!(ended(&connections, 1), 0);
        }
        for _ in 0..2 {
            timer.wrote(30);
            assert_eq!(ended(&connections, 1), 0);
        }
        assert_eq!(ended(&connections, 1), 1);
        assert!(task.await.unwrap_err().is_cancelled());
        drop(answer);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn half_sent_headers_give_way_then_the_longest_idle() {
        let connections = connections();
        let all: Vec<_> = (0..4).map(|_| open(&connections)).collect();
        for (timer, _) in &all {
            timer.begin();
        }
        for idle in [2, 0, 3] {
            all[idle].0.end();
            tick(&connections);
        }
        all[3].0.read(b"GET / HT").unwrap();
        tick(&connections);
        let order = [3, 2, 0].map(|expected| {
            assert!(connections.give_way(None));
            all[expected].0.leaving.get()
        });
        assert_eq!(order, [true; 3]);
        assert!(!connections.give_way(None));
        assert_eq!(connections.count(), 1);
        // A new one has sent nothing yet.
        let (new, _task) = open(&connections);
        assert!(!connections.give_way(Some(&last(&connections))));
        assert!(connections.give_way(None) && new.leaving.get());
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_crowd_that_has_just_come_does_not_push_out_a_request_on_its_way() {
        let connections = connections();
        let (first, _task) = open(&connections);
        let others: Vec<_> = (0..3).map(|_| open(&connections)).collect();
        let (_new, _task) = open(&connections);
        let new = last(&connections);
        assert!(!connections.give_way(Some(&new)));
        tick(&connections);
        assert!(!connections.give_way(Some(&new)));
        first.begin();
        tick(&connections);
        // The others had a whole tick and sent nothing.
        let left = || others.iter().filter(|(o, _)| !o.leaving.get()).count();
        for rest in [2, 1, 0] {
            assert!(connections.give_way(Some(&new)));
            assert_eq!(left(), rest);
        }
        assert!(!first.leaving.get() && !connections.give_way(Some(&new)));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn the_slowest_gives_way_to_who_needs_memory() {
        let connections = connections();
        let [slow, fast, new] = [0; 3].map(|_| open(&connections).0);
        let _bodies = [&slow, &fast].map(|timer| {
            timer.begin();
            (timer.body(), timer.account.hold(300_000).unwrap())
        });
        for _ in 0..3 {
            slow.read(&[0; 10]).unwrap();
            fast.read(&[0; 60_000]).unwrap();
            tick(&connections);
        }
        let _new = (new.body(), new.account.hold(1));
        assert_eq!(connections.make_room(300_000), 1);
        assert!(slow.leaving.get());
        assert_eq!(connections.make_room(300_000), 0);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn headers_are_accounted_for_until_the_request_ends() {
        let connections = connections();
        let (timer, _task) = open(&connections);
        for _ in 0..10 {
            timer.read(&[b'x'; 4_000]).unwrap();
        }
        assert_eq!(timer.account.held(), 40_000);
        timer.begin();
        timer.read(&[b'x'; 4_000]).unwrap();
        assert_eq!(timer.account.held(), 40_000);
        timer.end();
        assert_eq!(timer.account.held(), 0);
        let all = timer.account.hold(500_000).unwrap();
        let many = std::iter::repeat_with(|| timer.read(&[b'x'; 60_000]));
        assert!(many.take(20).any(|read| read.is_err()));
        drop(all);
    }
}
