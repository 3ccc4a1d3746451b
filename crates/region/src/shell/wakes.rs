//! Which threads are woken, and when: a wake-up costs more than a brief program.
//!
//! A door thread wakes the workers that it gave work to before it sleeps. A
//! future that another thread has woken is left in the inbox of its door's
//! port, and the door is woken once for all that lie there. The dispatch
//! thread answers all calls that it has taken before it wakes their tasks.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;

use link::{CallAnswer, PORTS};

use super::SharedRegion;
use super::links::WorkerLink;

thread_local! {
    /// Workers that this door thread wakes before it sleeps.
    static ASLEEP: RefCell<Option<Vec<Arc<WorkerLink>>>> = const { RefCell::new(None) };
    /// Workers that the dispatch thread has answered and not woken yet.
    static ANSWERED: RefCell<Option<Vec<Arc<WorkerLink>>>> = const { RefCell::new(None) };
    /// The port of a door's thread; 0 for other threads.
    static PORT: Cell<usize> = const { Cell::new(0) };
}

/// Submissions to sleeping workers after which a door thread wakes them even
/// though it continues: the workers then run at the same time.
const WAKE_BATCH: usize = 4;

/// Makes the calling thread the door's of a port.
fn become_door(port: usize) {
    PORT.set(port);
    ASLEEP.with_borrow_mut(|asleep| {
        asleep.get_or_insert_with(Vec::new);
    });
}

/// Makes the calling thread defer the wake-ups of the tasks that it answers until
/// it has answered all: see [`wake_answered`].
pub fn become_answering() {
    ANSWERED.set(Some(Vec::new()));
}

/// Wakes the workers that were answered since the last call.
pub fn wake_answered() {
    ANSWERED.with_borrow_mut(|answered| {
        for link in answered.iter_mut().flat_map(|a| a.drain(..)) {
            link.side.wake_asker();
        }
    });
}

/// Answers the call of a worker, and wakes it now or with the others.
pub fn answer(link: &Arc<WorkerLink>, answer: &CallAnswer) {
    if link.acts.defer(answer) {
        return;
    }
    ANSWERED.with_borrow_mut(|answered| match answered {
        Some(answered) => {
            if link.side.put_answer(answer) {
                answered.push(link.clone());
            }
        }
        None => link.side.answer(answer),
    });
}

/// Wakes the workers that were given work since the last call.
fn wake_deferred() {
    ASLEEP.with_borrow_mut(|asleep| {
        for link in asleep.iter_mut().flat_map(|a| a.drain(..)) {
            link.side.wake();
        }
    });
}

/// Wakes workers that were given work, or leaves that to the end of the
/// calling door's batch.
pub fn wake_or_defer(wakes: &mut Vec<Arc<WorkerLink>>) {
    ASLEEP.with_borrow_mut(|asleep| match asleep {
        Some(asleep) if asleep.len() + wakes.len() < WAKE_BATCH => asleep.append(wakes),
        _ => {
            let deferred = asleep.iter_mut().flat_map(|a| a.drain(..));
            for link in deferred.chain(wakes.drain(..)) {
                link.side.wake();
            }
        }
    });
}

/// Futures by the port of their task, which other threads than the port's
/// own have woken.
#[derive(Default)]
pub struct WakeInboxes {
    /// Ports with something in their inbox, by bit.
    full: AtomicU32,
    wakers: [Mutex<Vec<Waker>>; PORTS],
}

impl WakeInboxes {
    fn put(&self, port: usize, waker: Waker) {
        let mut inbox = self.wakers[port]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        inbox.push(waker);
        self.full.fetch_or(1 << port, Ordering::SeqCst);
    }

    /// True when the inbox of a port has wakers.
    pub fn has(&self, port: usize) -> bool {
        self.full.load(Ordering::SeqCst) & 1 << port != 0
    }

    /// Wakes the futures in the inbox of a port. Returns their number.
    pub fn open(&self, port: usize) -> usize {
        if !self.has(port) {
            return 0;
        }
        let mut inbox = self.wakers[port]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.full.fetch_and(!(1 << port), Ordering::SeqCst);
        let wakers = std::mem::take(&mut *inbox);
        drop(inbox);
        let woken = wakers.len();
        wakers.into_iter().for_each(Waker::wake);
        woken
    }

    /// Wakes the futures in every inbox, for doors that do not look at theirs.
    pub fn open_all(&self) {
        for port in 0..PORTS {
            self.open(port);
        }
    }
}

/// The port that the calling thread drives; 0 for none.
pub fn port_here() -> usize {
    PORT.get()
}

impl SharedRegion {
    /// Wakes a future of the thread that drives a port: at once when that is
    /// the calling one, else without a system call while it is awake.
    pub fn wake_at(&self, port: usize, waker: Waker) {
        self.wake_futures(&mut vec![(port, waker)]);
    }

    /// Wakes futures: those of the calling door and those without a port here,
    /// others by their door.
    pub(super) fn wake_futures(&self, wakers: &mut Vec<(usize, Waker)>) {
        let own = PORT.get();
        let mut doors = 0u32;
        for (port, waker) in wakers.drain(..) {
            if port == 0 || port == own || port >= PORTS {
                waker.wake();
            } else {
                self.inboxes.put(port, waker);
                doors |= 1 << port;
            }
        }
        while doors != 0 {
            self.page.nudge(doors.trailing_zeros() as usize);
            doors &= doors - 1;
        }
    }

    /// Before a door's thread sleeps: wakes the workers that it gave work, and takes
    /// completions at its port until there are none. When futures were woken its
    /// runtime does not sleep; it calls this again when they have run.
    pub fn before_sleep(self: &Arc<Self>, port: usize) {
        become_door(port);
        wake_deferred();
        loop {
            self.drain(port);
            if self.page.prepare_sleep(port) {
                // After the announcement: a thread that leaves something later wakes this one.
                if !self.inboxes.has(port) {
                    return;
                }
                self.page.awake(port);
            }
        }
    }

    /// The calling thread is the door's of a port from now on.
    pub fn enter(&self, port: usize) {
        become_door(port);
    }

    /// As [`SharedRegion::before_sleep`], for a door that looks by itself whether
    /// futures were woken: true when it may sleep.
    pub fn flush_wakeups(self: &Arc<Self>, port: usize) -> bool {
        wake_deferred();
        if self.drain(port) > 0 {
            return false;
        }
        if self.page.prepare_sleep(port) {
            // After the announcement: a thread that leaves something later wakes this one.
            if !self.inboxes.has(port) {
                return true;
            }
            self.page.awake(port);
        }
        self.drain(port);
        false
    }

    /// When a door's thread continues without a sleep: does the work that precedes
    /// a sleep. Has no effect on other threads.
    pub fn without_sleep(self: &Arc<Self>, port: usize) {
        if port != 0 && PORT.get() == port {
            wake_deferred();
            self.drain(port);
        }
    }

    /// When a door's thread has slept: takes what woke it, so that the futures
    /// run before the runtime looks for events again.
    pub fn after_sleep(self: &Arc<Self>, port: usize) {
        self.page.awake(port);
        self.drain(port);
    }
}
