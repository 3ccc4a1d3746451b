//! The threads that work with files: a bounded number a kind.
//!
//! A file with work waits in the line of its kind until a thread is free. The
//! thread takes the open file and one piece of work, does it without a lock, and
//! puts the file back. A thread is started when work finds none free, up to the
//! bound.
//!
//! Invariant: the pool's lock is never held while a file is used or a task is
//! answered.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar};

use kernel::core::TaskKey;
use kernel::{FileAsk, FileKey, FileKind, FileWork};
use link::CallAnswer;

use super::super::ordered_lock::{LockRank, OrderedLock};
use super::{OpenFile, THREADS_A_KIND, perform};

/// Answers a task whose work with a file is done.
pub type FileAnswer = Arc<dyn Fn(TaskKey, (FileKind, FileKey), CallAnswer) + Send + Sync>;

/// Work, and the task that waits for it.
type FileOrder = (Option<TaskKey>, FileAsk);

/// All files of a region outside the store, and the threads for them.
#[derive(Debug)]
pub struct FilePool {
    kinds: OrderedLock<[KindPool; FileKind::ALL.len()]>,
    work_came: [Condvar; FileKind::ALL.len()],
    /// Records of journals that were written.
    records: AtomicU64,
}

/// Files of one kind and the state of their threads.
#[derive(Default)]
struct KindPool {
    files: HashMap<FileKey, FileSlot>,
    /// Files that have work and that no thread uses.
    line: VecDeque<FileKey>,
    threads: usize,
    idle_threads: usize,
    closed: bool,
}

/// A file and the requests for it.
#[derive(Default)]
struct FileSlot {
    open: Option<OpenFile>,
    orders: VecDeque<FileOrder>,
    /// A thread uses it, or it is in the line.
    is_scheduled: bool,
}

impl FilePool {
    /// A pool without threads.
    pub fn new() -> Arc<FilePool> {
        Arc::new(FilePool {
            kinds: OrderedLock::new(LockRank::Files, Default::default()),
            work_came: Default::default(),
            records: AtomicU64::new(0),
        })
    }

    /// Has work done. `answered` is for the thread, if one is started.
    ///
    /// # Errors
    /// No thread of this kind exists and none could be started.
    pub fn hand_over(
        self: &Arc<Self>,
        task: Option<TaskKey>,
        work: FileWork,
        answered: impl FnOnce() -> FileAnswer,
    ) -> io::Result<()> {
        let kind = work.ask.kind();
        {
            let mut kinds = self.kinds.lock();
            let pool = &mut kinds[kind as usize];
            if pool.closed {
                return Ok(());
            }
            let slot = pool.files.get(&work.file);
            // Of a file that a thread uses already no second one could do more.
            let needs_thread =
                !slot.is_some_and(|slot| slot.is_scheduled) && pool.idle_threads <= pool.line.len();
            if needs_thread && pool.threads < THREADS_A_KIND {
                match self.start_thread(kind, answered()) {
                    Ok(()) => pool.threads += 1,
                    Err(error) if pool.threads == 0 => return Err(error),
                    Err(error) => tracing::warn!(%error, "no further thread for files"),
                }
            }
            let slot = pool.files.entry(work.file).or_default();
            slot.orders.push_back((task, work.ask));
            if !slot.is_scheduled {
                slot.is_scheduled = true;
                pool.line.push_back(work.file);
            }
        }
        self.work_came[kind as usize].notify_one();
        Ok(())
    }

    /// Lets the threads end after the requests that they have.
    pub fn close(&self) {
        for pool in self.kinds.lock().iter_mut() {
            pool.closed = true;
        }
        for came in &self.work_came {
            came.notify_all();
        }
    }

    /// Records of journals that were written.
    pub fn journal_records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    /// Threads of a kind.
    #[cfg(test)]
    pub fn threads(&self, kind: FileKind) -> usize {
        self.kinds.lock()[kind as usize].threads
    }

    fn start_thread(self: &Arc<Self>, kind: FileKind, answered: FileAnswer) -> io::Result<()> {
        let pool = self.clone();
        let thread = std::thread::Builder::new().name("tupelo-io".into());
        thread.spawn(move || {
            while let Some((file, mut open, (task, ask))) = pool.take(kind) {
                let answer = perform(&mut open, ask, &pool.records);
                pool.put_back(kind, file, open);
                if let Some(task) = task {
                    answered(task, (kind, file), answer);
                }
            }
        })?;
        Ok(())
    }

    /// The next piece of work; `None` when the pool is closed and nothing waits.
    fn take(&self, kind: FileKind) -> Option<(FileKey, Option<OpenFile>, FileOrder)> {
        let mut kinds = self.kinds.lock();
        loop {
            let pool = &mut kinds[kind as usize];
            if let Some(file) = pool.line.pop_front() {
                let slot = pool.files.entry(file).or_default();
                if let Some(order) = slot.orders.pop_front() {
                    return Some((file, slot.open.take(), order));
                }
                slot.is_scheduled = false;
                continue;
            }
            if pool.closed {
                pool.threads -= 1;
                return None;
            }
            pool.idle_threads += 1;
            kinds = kinds.wait(&self.work_came[kind as usize]);
            kinds[kind as usize].idle_threads -= 1;
        }
    }

    /// A thread has carried out one request; the file is queued again if it
    /// has more.
    fn put_back(&self, kind: FileKind, file: FileKey, open: Option<OpenFile>) {
        let mut kinds = self.kinds.lock();
        let pool = &mut kinds[kind as usize];
        let Some(slot) = pool.files.get_mut(&file) else {
            return;
        };
        if slot.orders.is_empty() && open.is_none() {
            pool.files.remove(&file);
            return;
        }
        slot.open = open;
        slot.is_scheduled = !slot.orders.is_empty();
        if slot.is_scheduled {
            // This thread serves the file, or another one that is free before.
            pool.line.push_back(file);
        }
    }
}
