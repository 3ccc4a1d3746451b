//! The committer: one thread that makes changes durable, many units at a time.
//!
//! While one transaction of the store is being flushed, units gather; the next
//! transaction carries them all. So the cost of a flush is shared by whoever
//! waited for it.

use std::sync::mpsc::{Receiver, Sender, channel};

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

/// The thread: `done` hears of every transaction's jobs and their results.
pub fn run(
    mut store: Box<dyn WriteStore>,
    orders: &Receiver<Order>,
    mut done: impl FnMut(Vec<(TaskKey, Then, Result<(), ApplyError>)>),
) {
    while let Ok(first) = orders.recv() {
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
            let ended = ends.into_iter().zip(results);
            done(
                ended
                    .map(|((task, then), result)| (task, then, result))
                    .collect(),
            );
        }
        for work in works {
            work(&mut *store);
        }
    }
}
