//! A script's own stack: a wait blocks the script and not its thread.
//!
//! Commands are functions that return when they are done, and a thread serves
//! many scripts. So each runs on a stack of its own, as a future: when a
//! command has to wait the stack is left as it is, and entered again when the
//! future is polled the next time. A script that computes for long is left in
//! the same way, between two of its steps.
//!
//! ```text
//!   poll ──▶ resume ──▶ JavaScript ──▶ native ──▶ wait(command) ─┐ pending
//!     ▲                                                         │
//!     └────────────────── Poll::Pending ◀── suspend ◀───────────┘
//! ```
//!
//! Invariant: a stack is entered on one thread alone. An abandoned stack is not
//! unwound, because C frames are on it. The code that abandons it releases what
//! was borrowed there.

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::ptr;
use std::task::{Context, Poll};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// The argument of each entry to a stack: the context of the poll.
type Entry = *mut Context<'static>;

thread_local! {
    /// The fiber that runs on this thread.
    static CURRENT: Cell<*const FiberState> = const { Cell::new(ptr::null()) };
}

/// State for the code on a fiber's stack.
struct FiberState {
    yielder: Cell<*const Yielder<Entry, LeaveReason>>,
    context: Cell<Entry>,
}

/// Why a stack was left.
enum LeaveReason {
    /// The fiber continues when its future is polled again.
    Waits,
    /// The fiber never continues.
    ForGood,
}

/// A fiber came to its end, or was left for good.
pub enum FiberExit<R> {
    /// Its result, and its stack for another fiber.
    Returned(R, FiberStack),
    /// The fiber was left before its end.
    Left,
}

/// A stack that no fiber has.
pub struct FiberStack(DefaultStack);

/// Something that runs on a stack of its own.
pub struct Fiber<R> {
    /// Closure and result are boxed, so they take little of the stack.
    coroutine: Option<Coroutine<Entry, LeaveReason, Box<R>, DefaultStack>>,
    inside: Box<FiberState>,
}

impl FiberStack {
    /// A stack of so many bytes; memory is taken when used.
    pub fn new(bytes: usize) -> io::Result<FiberStack> {
        DefaultStack::new(bytes).map(FiberStack)
    }
}

impl<R: 'static> Fiber<R> {
    /// A fiber that runs `run` on this stack. The fiber begins with the first poll.
    pub fn new(stack: FiberStack, run: impl FnOnce() -> R + 'static) -> Fiber<R> {
        let inside = Box::new(FiberState {
            yielder: Cell::new(ptr::null()),
            context: Cell::new(ptr::null_mut()),
        });
        let own: *const FiberState = &*inside;
        let run: Box<dyn FnOnce() -> R> = Box::new(run);
        let coroutine = Coroutine::with_stack(stack.0, move |yielder, context| {
            // SAFETY: the box outlives the coroutine, which is dropped, or
            // reset, before it.
            let inside = unsafe { &*own };
            inside.yielder.set(yielder);
            inside.context.set(context);
            Box::new(run())
        });
        Fiber {
            coroutine: Some(coroutine),
            inside,
        }
    }
}

impl<R> Unpin for Fiber<R> {}

impl<R: 'static> Future for Fiber<R> {
    type Output = FiberExit<R>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<FiberExit<R>> {
        let own: *const FiberState = &*self.inside;
        let Some(coroutine) = &mut self.coroutine else {
            return Poll::Ready(FiberExit::Left);
        };
        let before = CURRENT.replace(own);
        let entry: *mut Context<'_> = cx;
        // The code on the stack uses it until it leaves, which is before this
        // function returns.
        let result = coroutine.resume(entry.cast());
        CURRENT.set(before);
        match result {
            CoroutineResult::Yield(LeaveReason::Waits) => Poll::Pending,
            CoroutineResult::Yield(LeaveReason::ForGood) => {
                self.discard_stack();
                Poll::Ready(FiberExit::Left)
            }
            CoroutineResult::Return(result) => match self.coroutine.take() {
                Some(ended) => {
                    Poll::Ready(FiberExit::Returned(*result, FiberStack(ended.into_stack())))
                }
                None => Poll::Ready(FiberExit::Left),
            },
        }
    }
}

impl<R> Fiber<R> {
    /// Discards the frames on the stack; true when there were some.
    pub fn discard_stack(&mut self) -> bool {
        let Some(mut coroutine) = self.coroutine.take() else {
            return false;
        };
        let midst = coroutine.started() && !coroutine.done();
        if midst {
            // SAFETY: nothing refers to the stack any more: its contents are
            // never used again, and leak.
            unsafe { coroutine.force_reset() };
        }
        midst
    }
}

impl<R> Drop for Fiber<R> {
    fn drop(&mut self) {
        self.discard_stack();
    }
}

impl FiberState {
    fn leave(&self, why: LeaveReason) {
        // SAFETY: set by the fiber that runs now, on whose stack this is.
        let yielder = unsafe { &*self.yielder.get() };
        self.context.set(yielder.suspend(why));
    }
}

/// The fiber that runs on the calling thread.
fn current() -> Option<&'static FiberState> {
    // SAFETY: set while the fiber is entered; it is boxed and stays meanwhile.
    unsafe { CURRENT.get().as_ref() }
}

/// Waits for something on the fiber's stack; others continue meanwhile. Outside of
/// a fiber the thread waits.
pub fn wait<F: Future>(future: F) -> F::Output {
    let Some(inside) = current() else {
        return region::block_on(future);
    };
    let mut future = pin!(future);
    loop {
        // SAFETY: the context of the poll that entered the stack, which lasts
        // until the stack is left.
        let cx = unsafe { &mut *inside.context.get() };
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return output;
        }
        inside.leave(LeaveReason::Waits);
    }
}

/// Lets other scripts of the thread run, and continues afterwards.
pub fn pause() {
    if let Some(inside) = current() {
        // SAFETY: as in `wait`.
        unsafe { (*inside.context.get()).waker().wake_by_ref() };
        inside.leave(LeaveReason::Waits);
    }
}

/// Leaves the fiber's stack for good, from wherever the code on it is; returns
/// outside of a fiber.
///
/// # Safety
/// Nothing on the stack is needed any more, and no lock is held there.
pub unsafe fn leave_for_good() {
    if let Some(inside) = current() {
        inside.leave(LeaveReason::ForGood);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    fn ready<R: 'static>(fiber: Fiber<R>) -> Option<R> {
        match region::block_on(fiber) {
            FiberExit::Returned(result, _) => Some(result),
            FiberExit::Left => None,
        }
    }

    #[test]
    fn fibers_wait_for_each_other_on_one_thread() {
        let (sender, reported) = tokio::sync::oneshot::channel();
        let order = Rc::new(std::cell::RefCell::new(Vec::new()));
        let (one, two) = (order.clone(), order.clone());
        let stack = || FiberStack::new(64 << 10).unwrap();
        let first = Fiber::new(stack(), move || {
            one.borrow_mut().push(1);
            let received = wait(reported);
            one.borrow_mut().push(3);
            received.unwrap()
        });
        let second = Fiber::new(stack(), move || {
            two.borrow_mut().push(2);
            pause();
            sender.send(7).unwrap();
        });
        let both = async { tokio::join!(first, second) };
        let (first, _) = region::block_on(both);
        assert!(matches!(first, FiberExit::Returned(7, _)));
        assert_eq!(*order.borrow(), [1, 2, 3]);
    }

    #[test]
    fn one_fiber_waits_for_another_on_its_own_stack() {
        let outer = Fiber::new(FiberStack::new(64 << 10).unwrap(), || {
            let inner = Fiber::new(FiberStack::new(64 << 10).unwrap(), || {
                pause();
                20
            });
            let FiberExit::Returned(inner, _) = wait(inner) else {
                return 0;
            };
            pause();
            inner + 1
        });
        assert_eq!(ready(outer), Some(21));
    }

    #[test]
    fn a_fiber_that_is_left_for_good_never_goes_on() {
        let held = Rc::new(());
        let kept = held.clone();
        let fiber = Fiber::new(FiberStack::new(64 << 10).unwrap(), move || {
            let _held = held;
            // SAFETY: the counter leaks, which the test knows.
            unsafe { leave_for_good() };
            1
        });
        assert_eq!(ready(fiber), None);
        assert_eq!(Rc::strong_count(&kept), 2);
        assert_eq!(wait(async { 4 }), 4, "outside of a fiber");
    }
}
