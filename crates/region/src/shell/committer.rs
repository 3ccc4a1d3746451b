//! The committer: one thread that makes changes durable, many units at a time.
//!
//! While one transaction of the store is being flushed, units gather; the next
//! transaction carries them all. So the cost of a flush is shared by all units
//! that waited for it. When units wait already as a transaction is written, its
//! second flush is left to theirs, and its tasks are answered after that; when no
//! unit waits, it is flushed at once.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use store::{ApplyError, StorageError, UnitOfWork, WriteStore};

use kernel::core::TaskKey;
use kernel::{JobContinuation, StoreJob};

/// How long what no task waits for may stay without a flush.
const UNHURRIED: Duration = Duration::from_millis(50);
/// Most units in one transaction.
const BATCH: usize = 1024;

/// The way to the committer's thread.
pub struct CommitterHandle {
    jobs: Sender<Order>,
}

/// The orders to the committer.
pub enum Order {
    /// Commit.
    Commit(StoreJob),
    /// A process that may have read the store has ended.
    ReaderGone,
    /// Something else is to be done to the store.
    Work(StoreWork),
}

/// Work on the store between two commits, such as defining a file.
pub type StoreWork = Box<dyn FnOnce(&mut dyn WriteStore) + Send>;

impl CommitterHandle {
    /// The way, and its end for the thread.
    pub fn new() -> (Self, Receiver<Order>) {
        let (jobs, receiver) = channel();
        (CommitterHandle { jobs }, receiver)
    }

    /// Hands a unit over.
    pub fn commit(&self, job: StoreJob) {
        // The thread ends only with the region, after its last task.
        let _ = self.jobs.send(Order::Commit(job));
    }

    /// Has something done after the commits that are under way.
    pub fn work(&self, work: StoreWork) {
        let _ = self.jobs.send(Order::Work(work));
    }

    /// Has the store forget a process that has ended.
    pub fn reader_ended(&self) {
        let _ = self.jobs.send(Order::ReaderGone);
    }
}

/// A job that the store has dealt with.
pub type AppliedJob = (TaskKey, JobContinuation, Result<(), ApplyError>);

/// The thread: `done` receives every transaction's jobs and their results, when
/// those that succeeded are durable.
pub fn run(
    mut store: Box<dyn WriteStore>,
    orders: &Receiver<Order>,
    mut done: impl FnMut(Vec<AppliedJob>),
) {
    // Visible, but perhaps not durable: no task is answered yet.
    let mut ahead = Vec::new();
    loop {
        let first = if ahead.is_empty() {
            orders.recv().ok()
        } else if ahead
            .iter()
            .all(|(_, then, _)| matches!(then, JobContinuation::Forget(..)))
        {
            // No task waits for it: the flush of others may take it along.
            orders.recv_timeout(UNHURRIED).ok()
        } else {
            orders.try_recv().ok()
        };
        let Some(first) = first else {
            if ahead.is_empty() {
                return;
            }
            // No unit waits that could share its flush.
            let settled = store.settle();
            done(settled_jobs(&mut ahead, settled));
            continue;
        };
        let batch = gather(first, orders);
        if batch.readers_gone
            && let Err(error) = store.clear_dead_readers()
        {
            tracing::warn!(%error, "dead readers could not be cleared");
        }
        if !batch.units.is_empty() {
            let applied = store.apply_ahead(&batch.units);
            if !ahead.is_empty() {
                done(settled_jobs(&mut ahead, applied.earlier));
            }
            let ended = batch.ends.into_iter().zip(applied.results);
            let now = report_or_defer(ended, &mut ahead);
            if !now.is_empty() {
                done(now);
            }
            if applied.settled {
                done(std::mem::take(&mut ahead));
            }
        }
        if !batch.works.is_empty() && !ahead.is_empty() {
            let settled = store.settle();
            done(settled_jobs(&mut ahead, settled));
        }
        for work in batch.works {
            work(&mut *store);
        }
    }
}

/// The orders of one transaction.
#[derive(Default)]
struct CommitBatch {
    ends: Vec<(TaskKey, JobContinuation)>,
    units: Vec<UnitOfWork>,
    readers_gone: bool,
    works: Vec<StoreWork>,
}

/// An order, and the orders that wait in the queue after it.
fn gather(first: Order, orders: &Receiver<Order>) -> CommitBatch {
    let mut batch = CommitBatch::default();
    let mut next = Some(first);
    while let Some(order) = next {
        match order {
            Order::Commit(job) => {
                batch.ends.push((job.task, job.then));
                batch.units.push(job.changes);
            }
            Order::ReaderGone => batch.readers_gone = true,
            Order::Work(work) => batch.works.push(work),
        }
        next = if batch.units.len() < BATCH {
            orders.try_recv().ok()
        } else {
            None
        };
    }
    batch
}

/// Sorts what was applied into jobs that are answered now and jobs that are
/// answered when they are durable. A unit that another participant has decided is
/// answered now: its decision is durable already, and is kept until the unit is.
fn report_or_defer(
    ended: impl Iterator<Item = ((TaskKey, JobContinuation), Result<(), ApplyError>)>,
    ahead: &mut Vec<AppliedJob>,
) -> Vec<AppliedJob> {
    let mut now = Vec::new();
    for ((task, then), result) in ended {
        if let JobContinuation::Applied(_, participant, token) = then {
            if result.is_ok() {
                ahead.push((task, JobContinuation::Forget(participant, token), Ok(())));
            }
            now.push((task, then, result));
        } else {
            ahead.push((task, then, result));
        }
    }
    now
}

/// The jobs that were applied ahead, now that it is known whether they are
/// durable.
fn settled_jobs(ahead: &mut Vec<AppliedJob>, settled: Result<(), StorageError>) -> Vec<AppliedJob> {
    let mut ended = std::mem::take(ahead);
    if let Err(error) = settled {
        for (_, _, result) in ended.iter_mut().filter(|(_, _, result)| result.is_ok()) {
            *result = Err(error.clone().into());
        }
    }
    ended
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use store::{
        AppliedUnits, BuildError, BuildProgress, BulkLoad, DefineError, FileDef, FileId, FileName,
        IndexDef, PathDef, ReadError, ReadStore,
    };

    use super::*;

    /// A store that records its calls, and can fail to make changes durable.
    struct RecordingStore {
        history: Arc<Mutex<Vec<String>>>,
        /// Orders that arrive while its batches are applied, the next at the end.
        meanwhile: Vec<Vec<Order>>,
        /// Dropped with the last of them, so that the thread ends.
        orders: Option<Sender<Order>>,
        /// The batch that cannot be made durable.
        lost: Option<usize>,
        batches: usize,
        ahead: Option<usize>,
    }

    impl RecordingStore {
        fn flush(&mut self) -> Result<(), StorageError> {
            let ahead = self.ahead.take();
            if ahead.is_some() && ahead == self.lost {
                Err(StorageError::Uncertain {
                    reason: "it failed".to_owned(),
                })
            } else {
                Ok(())
            }
        }

        fn note(&self, what: String) {
            self.history.lock().unwrap().push(what);
        }
    }

    impl WriteStore for RecordingStore {
        fn apply_ahead(&mut self, units: &[UnitOfWork]) -> AppliedUnits {
            self.note(format!("{} applied", units.len()));
            if let Some(orders) = &self.orders {
                for order in self.meanwhile.pop().unwrap_or_default() {
                    orders.send(order).unwrap();
                }
            }
            if self.meanwhile.is_empty() {
                self.orders = None;
            }
            let earlier = self.flush();
            self.batches += 1;
            self.ahead = Some(self.batches);
            AppliedUnits {
                earlier,
                results: vec![Ok(()); units.len()],
                settled: false,
            }
        }

        fn settle(&mut self) -> Result<(), StorageError> {
            self.note("settled".to_owned());
            self.flush()
        }

        fn apply(&mut self, _: &[UnitOfWork]) -> Vec<Result<(), ApplyError>> {
            unreachable!("units are applied ahead")
        }

        fn reader(&self) -> Result<Box<dyn ReadStore + Send>, ReadError> {
            unreachable!("nothing is read")
        }

        fn define(&mut self, _: FileDef) -> Result<FileId, DefineError> {
            unreachable!("nothing is defined")
        }

        fn remove(&mut self, _: FileId) -> Result<(), DefineError> {
            unreachable!("nothing is removed")
        }

        fn define_index(&mut self, _: IndexDef) -> Result<FileId, DefineError> {
            unreachable!("nothing is defined")
        }

        fn build_index(
            &mut self,
            _: FileId,
            _: usize,
            _: &mut dyn FnMut(BuildProgress),
        ) -> Result<FileId, BuildError> {
            unreachable!("nothing is built")
        }

        fn define_path(&mut self, _: PathDef) -> Result<(), DefineError> {
            unreachable!("nothing is defined")
        }

        fn remove_path(&mut self, _: &FileName) -> Result<(), DefineError> {
            unreachable!("nothing is removed")
        }

        fn start_load(&mut self, _: FileId) -> Result<Box<dyn BulkLoad + '_>, DefineError> {
            unreachable!("nothing is loaded")
        }

        fn clear_dead_readers(&mut self) -> Result<u32, StorageError> {
            self.note("cleared".to_owned());
            Ok(0)
        }
    }

    fn commit(task: u32) -> Order {
        Order::Commit(StoreJob {
            task: TaskKey::for_test(task),
            changes: UnitOfWork::new(),
            then: JobContinuation::Unit,
        })
    }

    /// The calls to the store and the answered tasks, in order, when these orders
    /// arrive one by one: the first before anything is applied, each
    /// further list while a batch is.
    fn history(mut orders: Vec<Vec<Order>>, lost: Option<usize>) -> Vec<String> {
        let (way, receiver) = channel();
        orders.reverse();
        for order in orders.pop().unwrap_or_default() {
            way.send(order).unwrap();
        }
        let history = Arc::new(Mutex::new(Vec::new()));
        let store = RecordingStore {
            history: history.clone(),
            orders: Some(way).filter(|_| !orders.is_empty()),
            meanwhile: orders,
            lost,
            batches: 0,
            ahead: None,
        };
        let report = |(task, _, result): &AppliedJob| {
            let number = (0..9).find(|n| TaskKey::for_test(*n) == *task).unwrap();
            match result {
                Ok(()) => format!("task {number} answered"),
                Err(error) if error.is_uncertain() => format!("task {number} in doubt"),
                Err(_) => format!("task {number} failed"),
            }
        };
        run(Box::new(store), &receiver, |ended| {
            history.lock().unwrap().extend(ended.iter().map(report));
        });
        history.lock().unwrap().clone()
    }

    #[test]
    fn a_unit_alone_is_flushed_at_once() {
        let history = history(vec![vec![commit(1)]], None);
        assert_eq!(history, ["1 applied", "settled", "task 1 answered"]);
    }

    #[test]
    fn a_batch_that_others_depend_on_is_reported_when_theirs_is_flushed() {
        let orders = vec![vec![commit(1), commit(2)], vec![commit(3)], vec![commit(4)]];
        let expected = [
            "2 applied",
            "1 applied",
            "task 1 answered",
            "task 2 answered",
            "1 applied",
            "task 3 answered",
            "settled",
            "task 4 answered",
        ];
        assert_eq!(history(orders, None), expected);
    }

    #[test]
    fn work_on_the_store_begins_after_every_task_was_answered() {
        let work = Order::Work(Box::new(|store| {
            store.clear_dead_readers().unwrap();
        }));
        let orders = vec![vec![commit(1), work], vec![commit(2)]];
        let expected = [
            "1 applied",
            "settled",
            "task 1 answered",
            "cleared",
            "1 applied",
            "settled",
            "task 2 answered",
        ];
        assert_eq!(history(orders, None), expected);
    }

    #[test]
    fn a_batch_that_could_not_be_made_durable_is_in_doubt() {
        let orders = vec![vec![commit(1)], vec![commit(2)]];
        let expected = [
            "1 applied",
            "1 applied",
            "task 1 in doubt",
            "settled",
            "task 2 answered",
        ];
        assert_eq!(history(orders, Some(1)), expected);
        let expected = ["1 applied", "settled", "task 1 in doubt"];
        assert_eq!(history(vec![vec![commit(1)]], Some(1)), expected);
    }
}
