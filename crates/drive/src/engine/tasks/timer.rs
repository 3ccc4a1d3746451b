//! A timerfd for tasks: the runtime's own timers have a resolution of milliseconds,
//! which would show as lateness.

use crate::clock;
use rustix::event::Timespec;
use rustix::fd::OwnedFd;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};
use std::cell::RefCell;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::future::poll_fn;
use std::io;
use std::task::{Poll, Waker};
use tokio::io::unix::AsyncFd;

/// One thread's timer.
pub(super) struct ThreadTimer {
    fd: AsyncFd<OwnedFd>,
    sleepers: RefCell<SleepQueue>,
}

#[derive(Default)]
struct SleepQueue {
    /// The time of the timerfd; 0 if it is not set.
    armed: u64,
    count: u64,
    waiting: BinaryHeap<Reverse<SleepEntry>>,
}

struct SleepEntry {
    at: u64,
    /// Ties are woken in the order of registration.
    number: u64,
    waker: Waker,
}

impl ThreadTimer {
    /// A timer of the current runtime.
    pub fn new() -> io::Result<ThreadTimer> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let fd = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(ThreadTimer {
            // SAFETY: an owned descriptor, which stays the same until it is
            // dropped with what it is registered in.
            fd: unsafe { AsyncFd::register_with_interest(fd, tokio::io::Interest::READABLE) }?,
            sleepers: RefCell::default(),
        })
    }

    /// Sleeps until a monotonic time in nanoseconds.
    pub async fn sleep_until(&self, at: u64) {
        poll_fn(|context| {
            if clock::now() >= at {
                return Poll::Ready(());
            }
            let mut sleepers = self.sleepers.borrow_mut();
            let number = sleepers.count;
            sleepers.count += 1;
            sleepers.waiting.push(Reverse(SleepEntry {
                at,
                number,
                waker: context.waker().clone(),
            }));
            self.arm(&mut sleepers);
            Poll::Pending
        })
        .await;
    }

    /// Wakes waiting tasks for as long as the thread's tasks run.
    pub async fn run(&self) {
        while let Ok(mut guard) = self.fd.readable().await {
            // The number of expiries; the read fails if the timer was
            // set again in between.
            let _ = rustix::io::read(self.fd.get_ref(), &mut [0u8; 8]);
            guard.clear_ready();
            let mut sleepers = self.sleepers.borrow_mut();
            sleepers.armed = 0;
            let now = clock::now();
            while let Some(Reverse(first)) = sleepers.waiting.peek()
                && first.at <= now
            {
                if let Some(Reverse(due)) = sleepers.waiting.pop() {
                    due.waker.wake();
                }
            }
            self.arm(&mut sleepers);
        }
    }

    fn arm(&self, sleepers: &mut SleepQueue) {
        let Some(Reverse(first)) = sleepers.waiting.peek() else {
            return;
        };
        if sleepers.armed != 0 && sleepers.armed <= first.at {
            return;
        }
        sleepers.armed = first.at.max(1);
        let spec = Itimerspec {
            it_interval: timespec(0),
            it_value: timespec(sleepers.armed),
        };
        let set = timerfd_settime(self.fd.get_ref(), TimerfdTimerFlags::ABSTIME, &spec);
        set.expect("an open timerfd takes any time");
    }
}

impl PartialEq for SleepEntry {
    fn eq(&self, other: &SleepEntry) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for SleepEntry {}

impl PartialOrd for SleepEntry {
    fn partial_cmp(&self, other: &SleepEntry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SleepEntry {
    fn cmp(&self, other: &SleepEntry) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

fn timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: (ns / 1_000_000_000) as i64,
        tv_nsec: (ns % 1_000_000_000) as _,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use tokio::task::LocalSet;

    #[test]
    fn sleepers_wake_in_the_order_of_their_times() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let order = RefCell::new(Vec::new());
        LocalSet::new().block_on(&runtime, async {
            let timer = ThreadTimer::new().unwrap();
            let now = clock::now();
            let one = |name: u64, after_ns: u64| {
                let (timer, order) = (&timer, &order);
                async move {
                    timer.sleep_until(now + after_ns).await;
                    assert!(clock::now() >= now + after_ns);
                    order.borrow_mut().push(name);
                }
            };
            tokio::select! {
                () = timer.run() => unreachable!("it runs for ever"),
                _ = async { tokio::join!(one(3, 3_000_000), one(1, 0), one(2, 2_000_000)) } => {}
            }
        });
        assert_eq!(*order.borrow(), [1, 2, 3]);
    }
}
