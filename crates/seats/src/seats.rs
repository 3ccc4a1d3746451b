//! The connections of a listener that keeps no list of its own.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::rule::{
    ClosableConnection, ConnectionHost, GRACE, IdleKind, IdleQueue, SeatLimits, make_place,
};

/// What a connection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum SeatPhase {
    /// A handshake, a greeting or a first message is not complete.
    HalfOpen,
    /// It waits for its client.
    Idle,
    /// It is at work, and never closed for another.
    Busy,
}

/// The places of a listener; clones are the same listener's.
#[derive(Debug, Clone)]
pub struct ListenerSeats(Arc<SeatTable>);

#[derive(Debug)]
struct SeatTable {
    limits: SeatLimits,
    began: Instant,
    numbers: AtomicU64,
    /// Connections that are open and not ending.
    taken: AtomicUsize,
    gave_way: AtomicU64,
    open: Mutex<HashMap<u64, SeatHandle>>,
    crowd: Mutex<IdleQueue<SeatHandle>>,
    left: Notify,
}

#[derive(Debug)]
struct SeatState {
    number: u64,
    table: Arc<SeatTable>,
    phase: AtomicU8,
    /// Milliseconds of the listener at which the phase began.
    since_ms: AtomicU64,
    /// Requests at work.
    at_work: AtomicUsize,
    /// It ends, and is not counted any more.
    leaving: AtomicBool,
    restricted: AtomicBool,
    closing: Notify,
}

/// A connection's place, given back when it is dropped.
#[derive(Debug)]
pub struct ConnectionSeat(Arc<SeatState>);

/// A reference to a seat, which does not keep it.
#[derive(Debug, Clone)]
pub struct SeatHandle(Arc<SeatState>);

impl ListenerSeats {
    /// The places of a listener.
    pub fn new(limits: SeatLimits) -> ListenerSeats {
        ListenerSeats(Arc::new(SeatTable {
            limits,
            began: Instant::now(),
            numbers: AtomicU64::new(0),
            taken: AtomicUsize::new(0),
            gave_way: AtomicU64::new(0),
            open: Mutex::default(),
            crowd: Mutex::default(),
            left: Notify::new(),
        }))
    }

    /// A seat for a connection that was accepted: half-open, and possibly one too
    /// many. Serve it, and [`make_place`](ListenerSeats::make_place) before the next
    /// accept.
    pub fn enter(&self) -> ConnectionSeat {
        let table = &self.0;
        table.taken.fetch_add(1, Relaxed);
        let place = Arc::new(SeatState {
            number: table.numbers.fetch_add(1, Relaxed),
            table: table.clone(),
            phase: AtomicU8::new(SeatPhase::HalfOpen as u8),
            since_ms: AtomicU64::new(table.now_ms()),
            at_work: AtomicUsize::new(0),
            leaving: AtomicBool::new(false),
            restricted: AtomicBool::new(false),
            closing: Notify::new(),
        });
        locked(&table.open).insert(place.number, SeatHandle(place.clone()));
        ConnectionSeat(place)
    }

    /// Completes when the listener may accept the next connection.
    pub async fn make_place(&self, newcomer: &SeatHandle) {
        make_place(self, newcomer, self.0.limits).await;
    }

    /// Connections that are open.
    pub fn taken(&self) -> usize {
        self.0.taken.load(Relaxed)
    }

    /// Connections that were closed for others.
    pub fn gave_way(&self) -> u64 {
        self.0.gave_way.load(Relaxed)
    }
}

impl ConnectionHost for ListenerSeats {
    type Connection = SeatHandle;

    fn count(&self) -> usize {
        self.taken()
    }

    fn give_way(&self, spared: Option<&SeatHandle>) -> bool {
        let open = || locked(&self.0.open).values().cloned().collect();
        locked(&self.0.crowd).give_way(spared, open)
    }

    async fn wait(&self, at_most: Duration) {
        let _ = tokio::time::timeout(at_most, self.0.left.notified()).await;
    }
}

impl SeatTable {
    fn now_ms(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }
}

impl SeatState {
    fn leave(&self) -> bool {
        let first = !self.leaving.swap(true, Relaxed);
        if first {
            self.table.taken.fetch_sub(1, Relaxed);
            self.table.left.notify_one();
        }
        first
    }

    fn enter(&self, phase: SeatPhase) {
        self.since_ms.store(self.table.now_ms(), Relaxed);
        self.phase.store(phase as u8, Relaxed);
    }
}

impl ConnectionSeat {
    /// A reference to it.
    pub fn handle(&self) -> SeatHandle {
        SeatHandle(self.0.clone())
    }

    /// A phase begins.
    pub fn enter(&self, phase: SeatPhase) {
        self.0.enter(phase);
    }

    /// Completes when the connection is to be closed for another.
    pub async fn given_away(&self) {
        self.0.closing.notified().await;
    }

    /// Runs what serves the connection until its end, or until the connection
    /// is to be closed for another, which is `None`.
    pub async fn hold<F: Future>(&self, serving: F) -> Option<F::Output> {
        let (mut serving, mut closing) = (pin!(serving), pin!(self.given_away()));
        std::future::poll_fn(|cx| {
            if closing.as_mut().poll(cx).is_ready() {
                return Poll::Ready(None);
            }
            serving.as_mut().poll(cx).map(Some)
        })
        .await
    }
}

impl Drop for ConnectionSeat {
    fn drop(&mut self) {
        self.0.leave();
        locked(&self.0.table.open).remove(&self.0.number);
    }
}

/// A request of a connection at work, until it is dropped.
#[derive(Debug)]
pub struct SeatWork(SeatHandle);

impl Drop for SeatWork {
    fn drop(&mut self) {
        let place = &self.0.0;
        if place.at_work.fetch_sub(1, Relaxed) == 1 {
            place.enter(SeatPhase::Idle);
        }
    }
}

impl SeatHandle {
    /// A request begins; the connection is at work until the last one ends.
    pub fn begin_work(&self) -> SeatWork {
        self.0.at_work.fetch_add(1, Relaxed);
        self.0.enter(SeatPhase::Busy);
        SeatWork(self.clone())
    }

    /// A phase begins.
    pub fn enter(&self, phase: SeatPhase) {
        self.0.enter(phase);
    }

    /// Sets the phase without its time, for connections that change it too often to
    /// read a clock. A later [`touch`](SeatHandle::touch) sets the time.
    pub fn mark(&self, phase: SeatPhase) {
        self.0.phase.store(phase as u8, Relaxed);
    }

    /// Its phase began just now.
    pub fn touch(&self) {
        let now_ms = self.0.table.now_ms();
        self.0.since_ms.store(now_ms, Relaxed);
    }

    /// Whether the connection is to be closed for another.
    pub fn is_given_away(&self) -> bool {
        self.0.leaving.load(Relaxed)
    }

    /// Whether the connection may only ask for health and administration now: it was
    /// accepted while no connection was idle, and the listener is still full.
    pub fn is_restricted(&self) -> bool {
        let table = &self.0.table;
        let full = table.taken.load(Relaxed) > table.limits.most;
        full && self.0.restricted.load(Relaxed)
    }
}

impl ClosableConnection for SeatHandle {
    fn idleness(&self, grace: bool) -> Option<(IdleKind, u64)> {
        let place = &self.0;
        if place.leaving.load(Relaxed) {
            return None;
        }
        let since = place.since_ms.load(Relaxed);
        match place.phase.load(Relaxed) {
            phase if phase == SeatPhase::HalfOpen as u8 => {
                let fresh = place.table.now_ms() < since + GRACE.as_millis() as u64;
                (!grace || !fresh).then_some((IdleKind::HalfOpen, since))
            }
            phase if phase == SeatPhase::Idle as u8 => Some((IdleKind::Idle, since)),
            _ => None,
        }
    }

    fn is(&self, other: &SeatHandle) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn has_ended(&self) -> bool {
        self.0.leaving.load(Relaxed)
    }

    fn close(&self) {
        if self.0.leave() {
            self.0.table.gave_way.fetch_add(1, Relaxed);
            self.0.closing.notify_one();
        }
    }

    fn restrict(&self) {
        self.0.restricted.store(true, Relaxed);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(most: usize, reserved: usize) -> ListenerSeats {
        ListenerSeats::new(SeatLimits { most, reserved })
    }

    /// A seat in this phase since that many milliseconds of the listener.
    fn seat(seats: &ListenerSeats, phase: SeatPhase, since_ms: u64) -> ConnectionSeat {
        let seat = seats.enter();
        seat.enter(phase);
        seat.0.since_ms.store(since_ms, Relaxed);
        seat
    }

    fn is_closed(seat: &ConnectionSeat) -> bool {
        seat.0.leaving.load(Relaxed)
    }

    #[test]
    fn half_open_connections_give_way_first_then_the_longest_idle_and_none_at_work() {
        let seats = seats(1, 0);
        let all = [
            seat(&seats, SeatPhase::Idle, 5),
            seat(&seats, SeatPhase::Busy, 0),
            seat(&seats, SeatPhase::Idle, 3),
            seat(&seats, SeatPhase::HalfOpen, 9),
        ];
        let order = [3, 2, 0].map(|expected| {
            assert!(seats.give_way(None));
            is_closed(&all[expected])
        });
        assert_eq!(order, [true; 3]);
        assert!(!seats.give_way(None) && !is_closed(&all[1]));
        assert_eq!((seats.taken(), seats.gave_way()), (1, 3));
        drop(all);
        assert_eq!(seats.taken(), 0);
        assert!(locked(&seats.0.open).is_empty());
    }

    #[test]
    fn one_that_works_again_is_not_closed_for_having_been_idle() {
        let seats = seats(1, 0);
        let (first, second) = (
            seat(&seats, SeatPhase::Idle, 1),
            seat(&seats, SeatPhase::Idle, 2),
        );
        let third = seat(&seats, SeatPhase::Idle, 3);
        assert!(seats.give_way(None) && is_closed(&first));
        second.enter(SeatPhase::Busy);
        assert!(seats.give_way(None) && is_closed(&third));
        assert!(!is_closed(&second));
    }

    #[test]
    fn a_connection_is_at_work_until_its_last_request_ends() {
        let seats = seats(1, 0);
        let first = seats.enter();
        let both = [0; 2].map(|_| first.handle().begin_work());
        let [one, other] = both;
        drop(one);
        assert!(!seats.give_way(None));
        drop(other);
        assert!(seats.give_way(None) && is_closed(&first));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_newcomer_is_spared_for_a_moment_and_then_counts_as_half_open() {
        let seats = seats(1, 0);
        let _at_work = seat(&seats, SeatPhase::Busy, 0);
        let newcomer = seats.enter();
        let began = tokio::time::Instant::now();
        seats.make_place(&newcomer.handle()).await;
        assert!(began.elapsed() >= GRACE, "{:?}", began.elapsed());
        assert!(is_closed(&newcomer));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_connection_that_is_to_be_closed_ends_its_service() {
        let seats = seats(0, 0);
        let silent = seat(&seats, SeatPhase::Idle, 0);
        assert!(seats.give_way(None));
        assert_eq!(silent.hold(std::future::pending::<()>()).await, None);
        let served = seats.enter();
        assert_eq!(served.hold(std::future::ready(7)).await, Some(7));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_newcomer_that_has_ended_keeps_no_other_waiting() {
        let seats = seats(1, 2);
        let _at_work = [0; 2].map(|_| seat(&seats, SeatPhase::Busy, 0));
        let newcomer = seat(&seats, SeatPhase::Busy, 0);
        let handle = newcomer.handle();
        let mut waits = pin!(seats.make_place(&handle));
        let mut is_over = async || {
            std::future::poll_fn(|cx| Poll::Ready(waits.as_mut().poll(cx).is_ready())).await
        };
        assert!(!is_over().await, "it may still be restricted");
        drop(newcomer);
        assert!(is_over().await, "there are as many as before it came");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn places_are_kept_for_health_while_all_are_at_work() {
        let seats = seats(2, 2);
        let at_work = [0; 2].map(|_| seat(&seats, SeatPhase::Busy, 0));
        let mut beyond = Vec::new();
        for restricted in [false, true, true] {
            let newcomer = seats.enter();
            newcomer.enter(SeatPhase::Busy);
            seats.make_place(&newcomer.handle()).await;
            assert_eq!(newcomer.handle().is_restricted(), restricted);
            beyond.push(newcomer);
        }
        // The reserve is full too: the next one waits until one has ended.
        let last = seats.enter();
        last.enter(SeatPhase::Busy);
        let handle = last.handle();
        let mut waits = pin!(seats.make_place(&handle));
        let soon = tokio::time::timeout(Duration::from_millis(100), waits.as_mut());
        assert!(soon.await.is_err());
        beyond.pop();
        waits.await;
        // With places free again nothing is restricted.
        drop((at_work, beyond));
        assert!(!handle.is_restricted());
    }
}
