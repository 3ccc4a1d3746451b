//! Requests that wait for a session, in their order of arrival.
//!
//! A free session wakes the first request that can use it. A request that was
//! woken and is dropped without using it wakes the next.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// The queue of a thread.
#[derive(Debug, Default)]
pub struct SessionQueue(RefCell<VecDeque<Rc<SessionWaiter>>>);

#[derive(Debug)]
struct SessionWaiter {
    /// The clients of which any is acceptable.
    any: Rc<[usize]>,
    /// It takes precedence over all that are not.
    first: bool,
    /// The client that has a session for it.
    woken: Cell<Option<usize>>,
    waker: RefCell<Option<Waker>>,
}

impl SessionQueue {
    /// Number of waiting requests.
    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// Handles a free session of a client, or another change of its state.
    pub fn freed(&self, client: usize) {
        let mut all = self.0.borrow_mut();
        let fits = |first: bool| {
            let mut all = all.iter();
            all.position(|w| w.first == first && w.any.contains(&client))
        };
        if let Some(at) = fits(true).or_else(|| fits(false))
            && let Some(first) = all.remove(at)
        {
            drop(all);
            first.woken.set(Some(client));
            if let Some(waker) = first.waker.take() {
                waker.wake();
            }
        }
    }

    /// Waits for a session of any of these, before all others if `first`.
    pub async fn turn(self: &Rc<Self>, any: Rc<[usize]>, first: bool) {
        let waiter = Rc::new(SessionWaiter {
            any,
            first,
            woken: Cell::new(None),
            waker: RefCell::default(),
        });
        self.0.borrow_mut().push_back(waiter.clone());
        let mut held = QueuePlace {
            queue: self,
            waiter: &waiter,
            over: false,
        };
        poll_fn(|cx| {
            if waiter.woken.get().is_some() {
                return Poll::Ready(());
            }
            *waiter.waker.borrow_mut() = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
        held.over = true;
    }
}

/// A place in the queue.
struct QueuePlace<'q> {
    queue: &'q Rc<SessionQueue>,
    waiter: &'q Rc<SessionWaiter>,
    over: bool,
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        match (self.over, self.waiter.woken.get()) {
            (true, _) => {}
            (false, Some(client)) => self.queue.freed(client),
            (false, None) => {
                let mut all = self.queue.0.borrow_mut();
                all.retain(|w| !Rc::ptr_eq(w, self.waiter));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::Context;

    #[test]
    fn who_can_use_a_session_is_woken_first_come_first_served() {
        let queue = Rc::new(SessionQueue::default());
        let mut cx = Context::from_waker(Waker::noop());
        let mut both = pin!(queue.turn(Rc::from([0, 1]), false));
        let mut one = pin!(queue.turn(Rc::from([1]), false));
        assert!(both.as_mut().poll(&mut cx).is_pending());
        assert!(one.as_mut().poll(&mut cx).is_pending());
        queue.freed(2);
        assert_eq!(queue.len(), 2);
        queue.freed(1);
        assert!(one.as_mut().poll(&mut cx).is_pending());
        assert!(both.as_mut().poll(&mut cx).is_ready());
        queue.freed(1);
        assert!(one.as_mut().poll(&mut cx).is_ready());
    }

    #[test]
    fn an_order_goes_before_those_who_came_earlier() {
        let queue = Rc::new(SessionQueue::default());
        let mut cx = Context::from_waker(Waker::noop());
        let mut earlier = pin!(queue.turn(Rc::from([0]), false));
        let mut order = pin!(queue.turn(Rc::from([0]), true));
        assert!(earlier.as_mut().poll(&mut cx).is_pending());
        assert!(order.as_mut().poll(&mut cx).is_pending());
        queue.freed(0);
        assert!(order.as_mut().poll(&mut cx).is_ready());
        assert!(earlier.as_mut().poll(&mut cx).is_pending());
        queue.freed(0);
        assert!(earlier.as_mut().poll(&mut cx).is_ready());
    }

    #[test]
    fn who_goes_away_passes_the_session_on() {
        let queue = Rc::new(SessionQueue::default());
        let mut cx = Context::from_waker(Waker::noop());
        let mut first = Box::pin(queue.turn(Rc::from([0]), false));
        let mut second = pin!(queue.turn(Rc::from([0]), false));
        assert!(first.as_mut().poll(&mut cx).is_pending());
        assert!(second.as_mut().poll(&mut cx).is_pending());
        queue.freed(0);
        drop(first);
        assert!(second.as_mut().poll(&mut cx).is_ready());
        assert_eq!(queue.len(), 0);
    }
}
