//! The committer: one thread that makes changes durable, many units at a time.
//!
//! While one transaction of the store is being flushed, units gather; the next
//! transaction carries them all. So the cost of a flush is shared by whoever
//! waited for it. What follows of them is the dispatch thread's while others
//! wait already: the store does not stand still for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use store::{ApplyError, WriteStore};

use crate::core::TaskKey;
use crate::kernel::{Job, Then};

/// Most units in one transaction.
const BATCH: usize = 1024;

/// The way to the committer's thread.
pub struct Committer {
    jobs: Sender<Order>,
}

/// What comes down that way.
pub enum Order {
    /// Commit.
    Commit(Job),
    /// A process that may have read the store is gone.
    ReaderGone,
    /// Something else is to be done to the store.
    Work(Work),
}

/// A job that the store is done with, and what came of it.
pub type Ended = (TaskKey, Then, Result<(), ApplyError>);

/// Transactions whose jobs the kernel has not heard of yet.
#[derive(Default)]
pub struct Stored {
    any: AtomicBool,
    ended: Mutex<Vec<Vec<Ended>>>,
}

impl Stored {
    /// Leaves a transaction's jobs.
    pub fn put(&self, ended: Vec<Ended>) {
        self.lock().push(ended);
        self.any.store(true, Ordering::SeqCst);
    }

    /// True when something was left.
    pub fn any(&self) -> bool {
        self.any.load(Ordering::SeqCst)
    }

    /// Takes all that were left.
    pub fn take(&self) -> Vec<Vec<Ended>> {
        if !self.any() {
            return Vec::new();
        }
        let mut left = self.lock();
        self.any.store(false, Ordering::SeqCst);
        std::mem::take(&mut *left)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Vec<Ended>>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is done to the store between two commits, such as defining a file.
pub type Work = Box<dyn FnOnce(&mut dyn WriteStore) + Send>;

impl Committer {
    /// The way, and its end for the thread.
    pub fn new() -> (Self, Receiver<Order>) {
        let (jobs, receiver) = channel();
        (Committer { jobs }, receiver)
    }

    /// Hands a unit over.
    pub fn commit(&self, job: Job) {
        // The thread ends only with the region, after its last task.
        let _ = self.jobs.send(Order::Commit(job));
    }

    /// Has something done after the commits that are under way.
    pub fn work(&self, work: Work) {
        let _ = self.jobs.send(Order::Work(work));
    }

    /// Has the store forget a process that is gone.
    pub fn reader_gone(&self) {
        let _ = self.jobs.send(Order::ReaderGone);
    }
}

/// The thread: `done` hears of every transaction's jobs and their results, and
/// whether others wait already.
pub fn run(
    mut store: Box<dyn WriteStore>,
    orders: &Receiver<Order>,
    mut done: impl FnMut(Vec<Ended>, bool),
) {
    let mut early = None;
    while let Some(first) = early.take().or_else(|| orders.recv().ok()) {
        let mut ends = Vec::new();
        let mut units = Vec::new();
        let mut readers_gone = false;
        let mut works = Vec::new();
        let mut next = Some(first);
        while let Some(order) = next {
            match order {
                Order::Commit(job) => {
                    ends.push((job.task, job.then));
                    units.push(job.changes);
                }
                Order::ReaderGone => readers_gone = true,
                Order::Work(work) => works.push(work),
            }
            next = match units.len() < BATCH {
                true => orders.try_recv().ok(),
                false => None,
            };
        }
        if readers_gone && let Err(error) = store.clear_dead_readers() {
            tracing::warn!(%error, "dead readers could not be cleared");
        }
        if !units.is_empty() {
            let results = store.apply(&units);
            early = orders.try_recv().ok();
            let ended = ends.into_iter().zip(results);
            let ended = ended.map(|((task, then), result)| (task, then, result));
            done(ended.collect(), early.is_some());
        }
        for work in works {
            work(&mut *store);
        }
    }
}
