//! Memory of received messages: a fixed limit a thread.
//!
//! A connection reserves memory before it reads. If none is free it waits, and
//! its client with it. Connections with a part of a message each could wait for
//! each other, so one of them may exceed the limit until its message is
//! complete.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use tokio::sync::Notify;

/// The memory of a thread.
#[derive(Debug)]
pub struct MessageMemory {
    most: usize,
    held: Cell<usize>,
    freed: Notify,
    /// How many wait for room.
    waiting: Cell<usize>,
    /// One has more than there is.
    exceeded: Cell<bool>,
    /// Free buffers of [`READ_BYTES`]: a message that is read at once takes one
    /// and returns it, without an allocation.
    spare: RefCell<Vec<Vec<u8>>>,
}

/// Room for a read: most messages, and little for thousands at once.
pub const READ_BYTES: usize = 4096;
/// Most buffers that are kept.
const SPARE_BUFFERS: usize = 16;

/// Bytes of a connection, counted.
#[derive(Debug)]
pub struct ReservedBytes {
    bytes: Vec<u8>,
    counted: usize,
    /// This connection may exceed the limit.
    exceeds: bool,
    memory: Rc<MessageMemory>,
}

impl MessageMemory {
    /// A memory of so many bytes.
    pub fn new(most: usize) -> Rc<MessageMemory> {
        Rc::new(MessageMemory {
            most,
            held: Cell::new(0),
            freed: Notify::new(),
            waiting: Cell::new(0),
            exceeded: Cell::new(false),
            spare: RefCell::default(),
        })
    }

    /// An empty buffer.
    pub fn empty(self: &Rc<Self>) -> ReservedBytes {
        ReservedBytes {
            bytes: Vec::new(),
            counted: 0,
            exceeds: false,
            memory: self.clone(),
        }
    }
}

impl ReservedBytes {
    /// Reserves `bytes` in all when they are free. A connection that has a part
    /// of a message gets them even if none are free, unless another one has
    /// already exceeded the limit.
    pub async fn reserve(&mut self, bytes: usize) {
        if bytes <= self.bytes.capacity() {
            return;
        }
        let more = bytes - self.counted;
        loop {
            let held = self.memory.held.get();
            if held + more <= self.memory.most || held == self.counted || self.exceeds {
                break;
            }
            if self.counted > 0 && !self.memory.exceeded.replace(true) {
                self.exceeds = true;
                break;
            }
            let _waits = WaitGuard::new(&self.memory.waiting);
            self.memory.freed.notified().await;
        }
        if self.bytes.capacity() == 0
            && bytes == READ_BYTES
            && let Some(spare) = self.memory.spare.borrow_mut().pop()
        {
            self.bytes = spare;
        }
        self.bytes.reserve_exact(bytes - self.bytes.len());
        self.recount();
    }

    /// A long message was complete, and is taken out: memory beyond one read is
    /// returned.
    pub fn settle(&mut self) {
        if self.bytes.capacity() > READ_BYTES && self.bytes.len() <= READ_BYTES {
            self.bytes.shrink_to(READ_BYTES);
            self.recount();
        }
    }

    /// Gives the room back.
    pub fn release(&mut self) {
        let mut bytes = std::mem::take(&mut self.bytes);
        self.recount();
        let mut spare = self.memory.spare.borrow_mut();
        if bytes.capacity() == READ_BYTES && spare.len() < SPARE_BUFFERS {
            bytes.clear();
            spare.push(bytes);
        }
    }

    fn recount(&mut self) {
        let now = self.bytes.capacity();
        let held = &self.memory.held;
        held.set(held.get() - self.counted + now);
        if now < self.counted && self.exceeds {
            self.exceeds = false;
            self.memory.exceeded.set(false);
        }
        if now < self.counted && self.memory.waiting.get() > 0 {
            // The next one wakes its next when it has not used everything.
            self.memory.freed.notify_waiters();
        }
        self.counted = now;
    }
}

/// One of the tasks that wait for memory.
struct WaitGuard<'m>(&'m Cell<usize>);

impl<'m> WaitGuard<'m> {
    fn new(waiting: &'m Cell<usize>) -> Self {
        waiting.set(waiting.get() + 1);
        WaitGuard(waiting)
    }
}

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Drop for ReservedBytes {
    fn drop(&mut self) {
        self.release();
    }
}

impl Deref for ReservedBytes {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for ReservedBytes {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    #[test]
    fn a_request_for_more_than_is_free_waits_until_memory_is_released() {
        let memory = MessageMemory::new(100);
        let mut cx = Context::from_waker(Waker::noop());
        let (mut one, mut two) = (memory.empty(), memory.empty());
        assert!(pin!(one.reserve(80)).poll(&mut cx).is_ready());
        assert_eq!(memory.held.get(), 80);
        let mut wants = pin!(two.reserve(30));
        assert!(wants.as_mut().poll(&mut cx).is_pending());
        one.release();
        assert_eq!(wants.as_mut().poll(&mut cx), Poll::Ready(()));
        assert_eq!(memory.held.get(), 30);
    }

    #[test]
    fn a_released_buffer_is_used_again_and_is_not_counted_meanwhile() {
        let memory = MessageMemory::new(100_000);
        let mut cx = Context::from_waker(Waker::noop());
        let mut held = memory.empty();
        assert!(pin!(held.reserve(READ_BYTES)).poll(&mut cx).is_ready());
        held.extend_from_slice(b"a message");
        let at = held.as_ptr();
        held.release();
        assert_eq!((held.capacity(), memory.held.get()), (0, 0));
        let mut next = memory.empty();
        assert!(pin!(next.reserve(READ_BYTES)).poll(&mut cx).is_ready());
        assert_eq!((next.as_ptr(), next.len()), (at, 0));
        assert_eq!(memory.held.get(), READ_BYTES);
        drop(next);
        let many: Vec<ReservedBytes> = (0..SPARE_BUFFERS + 3)
            .map(|_| {
                let mut held = memory.empty();
                assert!(pin!(held.reserve(READ_BYTES)).poll(&mut cx).is_ready());
                held
            })
            .collect();
        drop(many);
        assert_eq!(memory.spare.borrow().len(), SPARE_BUFFERS);
    }

    #[test]
    fn of_many_that_have_a_part_and_want_more_one_goes_on_at_a_time() {
        let most = 4 * READ_BYTES;
        let memory = MessageMemory::new(most);
        let mut cx = Context::from_waker(Waker::noop());
        let mut all: Vec<ReservedBytes> = (0..2).map(|_| memory.empty()).collect();
        for held in &mut all {
            assert!(pin!(held.reserve(most / 2)).poll(&mut cx).is_ready());
        }
        let [one, two] = &mut all[..] else {
            unreachable!()
        };
        assert!(pin!(one.reserve(most)).poll(&mut cx).is_ready());
        // A connection without bytes has to wait, and so has another with a
        // part.
        let mut three = memory.empty();
        assert!(pin!(three.reserve(1)).poll(&mut cx).is_pending());
        {
            let mut wants = pin!(two.reserve(most));
            assert!(wants.as_mut().poll(&mut cx).is_pending());
            assert!(pin!(one.reserve(most + 1)).poll(&mut cx).is_ready());
            // Its message was complete, and another has begun.
            one.extend_from_slice(b"begun");
            one.settle();
            assert_eq!((one.capacity(), &one[..]), (READ_BYTES, &b"begun"[..]));
            assert!(wants.as_mut().poll(&mut cx).is_ready());
        }
        assert!(pin!(one.reserve(most)).poll(&mut cx).is_pending());
        two.release();
        assert!(pin!(one.reserve(3 * READ_BYTES)).poll(&mut cx).is_ready());
        drop((three, all));
        assert_eq!((memory.held.get(), memory.exceeded.get()), (0, false));
    }

    #[test]
    fn one_that_is_alone_gets_what_it_wants() {
        let memory = MessageMemory::new(100);
        let mut cx = Context::from_waker(Waker::noop());
        let mut one = memory.empty();
        assert!(pin!(one.reserve(80)).poll(&mut cx).is_ready());
        assert!(pin!(one.reserve(200)).poll(&mut cx).is_ready());
        drop(one);
        assert_eq!(memory.held.get(), 0);
    }
}
