//! The budget of one connection.
//!
//! Over HTTP/1 answers are sent one by one. Over HTTP/2 a client may
//! request a hundred large answers at once, and read none of them; all other
//! clients would wait for those. So a connection has a share of the running
//! memory. Requests beyond the share begin in their order when earlier answers of the
//! connection have been made or read.
//!
//! The length of an answer is not known in advance. Each is assumed to be as
//! long as the longest recent answer of the connection, or for a new connection
//! an eighth of the share: it runs eight, and more after small answers. An
//! answer counts until it is read: otherwise a few connections that read slowly
//! would use all memory, and the answers of others would be refused.

use super::conn::ConnectionTimer;
use super::serve::Server;
use super::ticks::ticks;
use crate::backend::ProgramBackend;
use crate::problem::ProblemDocument;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

/// The part of all memory that one connection may have at work.
const OF_ALL: usize = 32;
/// The least that it may have, in KiB.
const LEAST_KIB: usize = 1 << 10;
/// Requests that a new connection may have at work.
const FIRST: usize = 8;

/// The running requests of one connection.
#[derive(Debug)]
pub(crate) struct ConnectionBudget {
    /// KiB that are left of its share.
    left: Arc<Semaphore>,
    /// Its holder begins next: its expected answer counts from then on.
    turn: Mutex<()>,
    share_kib: usize,
    /// KiB that its next answer is expected to have.
    expected_kib: Cell<usize>,
}

impl ConnectionBudget {
    /// The budget of a new connection; all connections together may use so many bytes.
    fn new(memory: usize) -> Rc<ConnectionBudget> {
        let share_kib = ((memory / OF_ALL) >> 10).max(LEAST_KIB);
        Rc::new(ConnectionBudget {
            left: Arc::new(Semaphore::new(share_kib)),
            turn: Mutex::default(),
            share_kib,
            expected_kib: Cell::new(share_kib / FIRST),
        })
    }

    /// An answer has so many KiB: the next ones may have as many, and small
    /// ones make it forget the long ones.
    fn made(&self, kib: usize) {
        let expected = self.expected_kib.get();
        let expected = kib.max(expected - expected.div_ceil(4));
        self.expected_kib.set(expected.clamp(1, self.share_kib));
    }

    /// Reserves a request's share when it begins.
    async fn take(self: &Rc<ConnectionBudget>) -> BudgetShare {
        let _turn = self.turn.lock().await;
        let permits = self.left.clone();
        let permit = permits.acquire_many_owned(self.expected_kib.get() as u32);
        // The semaphore is never closed.
        let part = permit.await.ok();
        BudgetShare(part.map(|part| (part, self.clone())))
    }
}

/// A request's part of its connection's share until its answer is made; none
/// where requests follow each other anyway.
#[derive(Debug, Default)]
pub(crate) struct BudgetShare(Option<(OwnedSemaphorePermit, Rc<ConnectionBudget>)>);

/// The share until its answer is read.
#[derive(Debug, Default)]
pub(crate) struct AnswerShare {
    _unread: Option<OwnedSemaphorePermit>,
}

impl BudgetShare {
    /// The answer is made and has this length.
    pub fn made(self, bytes: usize) -> AnswerShare {
        let unread = self.0.map(|(mut part, works)| {
            let kib = bytes.div_ceil(1 << 10);
            works.made(kib);
            let (have, wanted) = (part.num_permits(), kib.clamp(1, works.share_kib));
            // A shorter answer leaves no debt: the next ones are expected to be
            // longer.
            let more = wanted
                .saturating_sub(have)
                .min(works.left.available_permits());
            drop(part.split(have.saturating_sub(wanted)));
            if let Ok(more) = works.left.clone().try_acquire_many_owned(more as u32) {
                part.merge(more);
            }
            part
        });
        AnswerShare { _unread: unread }
    }
}

impl<B: ProgramBackend> Server<B> {
    /// Waits until a connection may have one more request at work.
    ///
    /// # Errors
    /// The requests before it were not made and read in the time that an answer has.
    pub(super) async fn share(
        &self,
        timer: &ConnectionTimer,
    ) -> Result<BudgetShare, ProblemDocument> {
        if !timer.is_http2() {
            return Ok(BudgetShare::default());
        }
        let config = &self.shared.config;
        let works = timer
            .works
            .get_or_init(|| ConnectionBudget::new(config.memory_bytes));
        let limit = ticks(config.response_timeout_ms);
        let share = self.deadlines.limit(limit, works.take()).await;
        share.ok_or_else(|| self.no_room())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests that may begin now; each is at work until it is dropped.
    fn begin(works: &Rc<ConnectionBudget>) -> Vec<BudgetShare> {
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        let one = || match std::pin::pin!(works.take()).poll(&mut cx) {
            std::task::Poll::Ready(share) => Some(share),
            std::task::Poll::Pending => None,
        };
        std::iter::from_fn(one).take(10_000).collect()
    }

    #[test]
    fn small_answers_let_more_begin_and_long_ones_fewer() {
        let works = ConnectionBudget::new(256 << 20);
        let first = begin(&works);
        assert_eq!(first.len(), FIRST);
        drop(first.into_iter().map(|s| s.made(100)).collect::<Vec<_>>());
        let more = begin(&works).len();
        assert!((50..200).contains(&more), "{more}");
        (0..20).for_each(|_| works.made(1));
        assert!(begin(&works).len() > 200);
        works.made(1 << 10);
        assert_eq!(begin(&works).len(), 8);
        works.made(1 << 20);
        assert_eq!(begin(&works).len(), 1);
    }

    #[test]
    fn who_waits_begins_sooner_when_answers_are_small() {
        let works = ConnectionBudget::new(256 << 20);
        let mut at_work = begin(&works);
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        let mut waiting: Vec<_> = (0..50).map(|_| Box::pin(works.take())).collect();
        let mut begun = |at_work: &mut Vec<BudgetShare>| {
            waiting.retain_mut(|request| match request.as_mut().poll(&mut cx) {
                std::task::Poll::Ready(share) => {
                    at_work.push(share);
                    false
                }
                std::task::Poll::Pending => true,
            });
            50 - waiting.len()
        };
        assert_eq!(begun(&mut at_work), 0);
        at_work.drain(..).for_each(|share| drop(share.made(100)));
        assert!(begun(&mut at_work) > 30);
    }

    #[test]
    fn answers_that_are_not_read_hold_the_next_ones_up() {
        let works = ConnectionBudget::new(256 << 20);
        let mut unread = Vec::new();
        loop {
            let begun = begin(&works);
            if begun.is_empty() {
                break;
            }
            unread.extend(begun.into_iter().map(|share| share.made(1 << 20)));
        }
        assert_eq!(unread.len(), FIRST);
        unread.pop();
        assert_eq!(begin(&works).len(), 1);
        drop(unread);
        assert_eq!(works.left.available_permits(), works.share_kib);
    }
}
