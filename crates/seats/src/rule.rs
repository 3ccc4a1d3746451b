//! The rule: who gives way, and when a newcomer waits.

use std::collections::VecDeque;
use std::future::Future;
use std::time::{Duration, Instant};

/// How dispensable a connection is that is not at work; the least goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdleKind {
    /// It has not finished a handshake, a greeting or the head of a request.
    HalfOpen,
    /// It waits for its client's next request.
    Idle,
}

/// A connection as the rule sees it.
pub trait ClosableConnection: Clone {
    /// How dispensable it is, and since when, in the listener's units of time;
    /// `None` for one that is at work, is ending or has ended. With `grace` also
    /// `None` for one whose first request may still be on its way.
    fn idleness(&self, grace: bool) -> Option<(IdleKind, u64)>;

    /// Whether both are the same connection.
    fn is(&self, other: &Self) -> bool;

    /// Whether it has ended, or is ending and not counted any more.
    fn has_ended(&self) -> bool;

    /// Closes it. It is not counted from now on.
    fn close(&self);

    /// It may only ask for health and administration from now on, as long as
    /// the listener is full.
    fn restrict(&self);
}

/// The connections of a listener.
pub trait ConnectionHost {
    /// Its connections.
    type Connection: ClosableConnection;

    /// How many are open and not ending.
    fn count(&self) -> usize;

    /// Closes the connection that is needed least. While `spared` is given,
    /// neither it is closed nor another whose request may be on its way. Returns
    /// false when all others are at work.
    fn give_way(&self, spared: Option<&Self::Connection>) -> bool;

    /// Completes when a connection has ended, or after `at_most`.
    fn wait(&self, at_most: Duration) -> impl Future<Output = ()>;
}

/// How many connections a listener has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatLimits {
    /// Connections.
    pub most: usize,
    /// Connections beyond that which may ask for health and administration while
    /// all others are at work. With 0 newcomers wait for a place.
    pub reserved: usize,
}

/// Makes a place for a connection that was accepted and is served already.
/// Completes when the listener may accept the next one.
pub async fn make_place<H: ConnectionHost>(host: &H, newcomer: &H::Connection, limits: SeatLimits) {
    let came = Instant::now();
    let before = host.count().saturating_sub(1);
    while host.count() > limits.most {
        // It left as many as there were when it was accepted.
        if newcomer.has_ended() && host.count() <= before {
            return;
        }
        let spared = (came.elapsed() < GRACE).then_some(newcomer);
        if host.give_way(spared) {
            continue;
        }
        let beyond = host.count().saturating_sub(limits.most);
        let has_reserve = limits.reserved > 0 && came.elapsed() >= GRACE;
        if has_reserve && (1..=limits.reserved + 1).contains(&beyond) {
            // The first one beyond the limit is served like all others, as it
            // is where the next newcomer waits.
            if beyond > 1 {
                newcomer.restrict();
            }
            return;
        }
        host.wait(PAUSE).await;
    }
}

/// Connections that have been idle for longest, as they were when looked for:
/// a crowd of newcomers does not sort all connections for each.
#[derive(Debug)]
pub struct IdleQueue<O> {
    idle: VecDeque<((IdleKind, u64), O)>,
}

impl<O> Default for IdleQueue<O> {
    fn default() -> IdleQueue<O> {
        IdleQueue {
            idle: VecDeque::new(),
        }
    }
}

impl<O: ClosableConnection> IdleQueue<O> {
    /// Closes the connection that is needed least of those that `open` lists;
    /// see [`ConnectionHost::give_way`].
    pub fn give_way(&mut self, spared: Option<&O>, open: impl Fn() -> Vec<O>) -> bool {
        let grace = spared.is_some();
        for _ in 0..2 {
            while let Some((before, occupant)) = self.idle.pop_front() {
                if spared.is_some_and(|spared| spared.is(&occupant)) {
                    continue;
                }
                if occupant.idleness(grace) == Some(before) {
                    occupant.close();
                    return true;
                }
            }
            let with_idleness = |o: O| Some((o.idleness(grace)?, o));
            let mut found: Vec<_> = open().into_iter().filter_map(with_idleness).collect();
            if found.len() > LOOKED_FOR {
                found.select_nth_unstable_by_key(LOOKED_FOR, |(idleness, _)| *idleness);
                found.truncate(LOOKED_FOR);
            }
            found.sort_by_key(|(idleness, _)| *idleness);
            self.idle.extend(found);
        }
        false
    }
}

/// Longest pause before a newcomer for which none gives way looks again.
const PAUSE: Duration = Duration::from_millis(50);
/// Time that a newcomer has for its request before it counts as idle.
pub const GRACE: Duration = Duration::from_secs(1);
/// Idle connections that are looked for at a time.
const LOOKED_FOR: usize = 64;
