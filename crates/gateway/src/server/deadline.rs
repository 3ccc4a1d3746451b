//! Time limits without timers.
//!
//! A request waits twice, for its body and for its program, and nearly always
//! for microseconds; arming and disarming a timer each time would cost more
//! than the wait. A future with a limit takes a place in its door's list
//! instead, and the door checks the list from time to time. The first check of
//! a place begins its time, so a limit is never cut short.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Poll, Waker};

/// The futures of a door that have a limit.
#[derive(Debug, Default)]
pub(crate) struct DoorDeadlines {
    now: Cell<u64>,
    places: RefCell<Vec<DeadlineSlot>>,
    free: RefCell<Vec<usize>>,
}

#[derive(Debug, Default)]
struct DeadlineSlot {
    /// Ticks that its future may take; 0 for a free place.
    limit: u64,
    /// Tick of the deadline, once a look has found it.
    deadline: Option<u64>,
    expired: bool,
    waker: Option<Waker>,
}

/// Frees a place when its future ends or is dropped.
struct SlotGuard<'d> {
    list: &'d DoorDeadlines,
    place: usize,
}

impl Drop for SlotGuard<'_> {
    fn drop(&mut self) {
        self.list.places.borrow_mut()[self.place] = DeadlineSlot::default();
        self.list.free.borrow_mut().push(self.place);
    }
}

impl DoorDeadlines {
    /// Runs a future for at most that many whole ticks; `None` if it takes
    /// longer.
    pub async fn limit<F: Future>(&self, ticks: u64, future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        let mut taken: Option<SlotGuard<'_>> = None;
        std::future::poll_fn(|cx| {
            if let Poll::Ready(value) = Pin::as_mut(&mut future).poll(cx) {
                return Poll::Ready(Some(value));
            }
            let taken = taken.get_or_insert_with(|| self.take(ticks));
            let place = &mut self.places.borrow_mut()[taken.place];
            if place.expired {
                return Poll::Ready(None);
            }
            match &mut place.waker {
                Some(waker) => waker.clone_from(cx.waker()),
                none => *none = Some(cx.waker().clone()),
            }
            Poll::Pending
        })
        .await
    }

    /// Ticks so far.
    pub fn now(&self) -> u64 {
        self.now.get()
    }

    fn take(&self, ticks: u64) -> SlotGuard<'_> {
        let mut places = self.places.borrow_mut();
        let place = self.free.borrow_mut().pop().unwrap_or_else(|| {
            places.push(DeadlineSlot::default());
            places.len() - 1
        });
        places[place].limit = ticks.max(1);
        SlotGuard { list: self, place }
    }

    /// Sets the time to this tick and wakes futures whose deadline has passed.
    pub fn look(&self, now: u64) {
        self.now.set(now);
        let mut wake = Vec::new();
        let mut places = self.places.borrow_mut();
        for place in places.iter_mut().filter(|place| place.limit > 0) {
            let deadline = *place.deadline.get_or_insert(now + place.limit);
            if deadline <= now && !place.expired {
                place.expired = true;
                wake.extend(place.waker.take());
            }
        }
        drop(places);
        wake.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use std::task::Context;

    #[test]
    fn a_future_ends_with_its_limit_and_its_place_is_used_again() {
        let list = DoorDeadlines::default();
        let mut cx = Context::from_waker(Waker::noop());
        for round in [10, 20, 30] {
            let mut limited = pin!(list.limit(2, pending::<()>()));
            for _ in 0..2 {
                assert!(limited.as_mut().poll(&mut cx).is_pending());
                list.look(round);
                list.look(round + 1);
            }
            assert!(limited.as_mut().poll(&mut cx).is_pending());
            list.look(round + 2);
            assert_eq!(limited.as_mut().poll(&mut cx), Poll::Ready(None));
            drop(list.limit(2, pending::<()>()));
        }
        assert_eq!(list.places.borrow().len(), 1);
        assert_eq!(
            pin!(list.limit(1, ready(7))).poll(&mut cx),
            Poll::Ready(Some(7))
        );
    }
}
