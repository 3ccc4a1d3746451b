//! The files of a region, joined to its tasks, workers and committer.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use link::{Answer, Call, FileEntry, StoreEntry};
use store::{Durability, LmdbOptions, LmdbStore, WriteStore};

use super::Shared;
use super::clock::now_ns;
use super::lease::ended_well;
use super::links::WorkerLink;
use crate::api::{Abend, StartError};
use crate::core::TaskKey;
use crate::files::{Committer, Effect, Files};

/// NOTOPEN.
const NOTOPEN: u32 = 19;

/// A region's files and the way to their committer.
pub struct FileRoom {
    files: Mutex<Files>,
    committer: Mutex<Option<Committer>>,
}

impl FileRoom {
    /// Opens the store. Gives what the committer's thread needs.
    pub fn open(
        entry: &StoreEntry,
        lock_timeout_ms: u32,
        definitions: &[FileEntry],
    ) -> Result<(Self, Box<dyn WriteStore>, crate::files::Orders), StartError> {
        let failed = |text: String| StartError::Store(text);
        let store = open_lmdb(&entry.path, entry).map_err(failed)?;
        let reader = store.reader().map_err(|e| failed(e.to_string()))?;
        let mut files = Files::new(reader, u64::from(lock_timeout_ms) * 1_000_000);
        files.define(definitions);
        let (committer, orders) = Committer::new();
        let room = FileRoom {
            files: Mutex::new(files),
            committer: Mutex::new(Some(committer)),
        };
        Ok((room, store, orders))
    }

    /// The files.
    pub fn lock(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the committer's thread do something else between two commits, and
    /// waits for it. None when the region ends meanwhile.
    pub fn work<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn WriteStore) -> R + Send + 'static,
    ) -> Option<R> {
        let (done, result) = std::sync::mpsc::channel();
        self.committer().as_ref()?.work(Box::new(move |store| {
            // Whoever asked waits below, unless it panicked.
            let _ = done.send(work(store));
        }));
        result.recv().ok()
    }

    /// Lets the committer's thread end when it has done what it has.
    pub fn close(&self) {
        self.committer().take();
    }

    fn committer(&self) -> MutexGuard<'_, Option<Committer>> {
        self.committer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// A file command or a syncpoint of a running task.
    pub(super) fn serve_file(self: &Arc<Self>, link: &WorkerLink, key: TaskKey, call: Call) {
        let Some(room) = &self.files else {
            // Without files there is nothing to commit either.
            let resp = match call.op {
                link::Op::Syncpoint | link::Op::Rollback => 0,
                _ => NOTOPEN,
            };
            link.side.answer(&Answer {
                resp,
                ..Answer::default()
            });
            return;
        };
        let mut timeout_ns = None;
        if let Some(task) = self.lock().core.task_mut(key) {
            // Before the answer: the task's end must find it set.
            task.unit_open = true;
            timeout_ns = task.lock_timeout_ns;
        }
        let mut effects = Vec::new();
        let mut files = room.lock();
        files.command(now_ns(), key, call, timeout_ns, &mut effects);
        drop(files);
        self.perform_files(effects);
    }

    /// A task with a unit of work is over: commit, or back out.
    pub(super) fn end_unit(self: &Arc<Self>, key: TaskKey, has_results: bool) {
        let Some(room) = &self.files else {
            self.unit_over(key, None);
            return;
        };
        let commit = has_results && ended_well(&self.lock(), key);
        let mut effects = Vec::new();
        room.lock().end(now_ns(), key, commit, &mut effects);
        self.perform_files(effects);
    }

    /// Ends waits for locks that lasted too long.
    pub(super) fn tick_files(self: &Arc<Self>, now: u64) {
        if let Some(room) = &self.files {
            let mut effects = Vec::new();
            room.lock().tick(now, &mut effects);
            self.perform_files(effects);
        }
    }

    /// A worker's process is gone, and with it its reader of the store.
    pub(super) fn worker_gone(&self) {
        if let Some(room) = &self.files
            && let Some(committer) = &*room.committer()
        {
            committer.reader_gone();
        }
    }

    /// The committer's thread.
    pub(super) fn run_committer(
        self: &Arc<Self>,
        store: Box<dyn WriteStore>,
        orders: &crate::files::Orders,
    ) {
        crate::files::run_committer(store, orders, |ended| {
            let Some(room) = &self.files else {
                return;
            };
            let mut effects = Vec::new();
            let mut files = room.lock();
            files.count_batch();
            for (task, then, result) in ended {
                files.committed(now_ns(), task, then, result, &mut effects);
            }
            drop(files);
            self.perform_files(effects);
        });
    }

    fn perform_files(self: &Arc<Self>, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Answer(task, answer) => {
                    let state = self.lock();
                    // A task whose worker has died meanwhile asks nothing any
                    // more; the worker of that number may be another.
                    let worker = state.core.runs_in(task);
                    let link = worker.and_then(|w| state.links.get(w).cloned());
                    drop(state);
                    if let Some(link) = link {
                        link.side.answer(&answer);
                    }
                }
                Effect::Waits(task) => self.with(|core, links, out| {
                    let Some(worker) = core.runs_in(task) else {
                        return;
                    };
                    let waits = self.files.as_ref().is_some_and(|f| f.lock().waits(task));
                    core.waits(now_ns(), worker, waits, links, out);
                }),
                Effect::Commit(job) => {
                    if let Some(room) = &self.files
                        && let Some(committer) = &*room.committer()
                    {
                        committer.commit(job);
                    }
                }
                Effect::Ended(task, abend) => self.unit_over(task, abend),
            }
        }
    }

    /// The unit of work of a task that ends is over, and so is the task.
    fn unit_over(self: &Arc<Self>, key: TaskKey, abend: Option<Abend>) {
        self.end_conversations(key, abend.is_some());
        self.with(|core, links, out| core.unit_ended(now_ns(), links, key, abend, out));
    }
}

fn open_lmdb(path: &Path, entry: &StoreEntry) -> Result<Box<LmdbStore>, String> {
    let mut options = LmdbOptions::default();
    if entry.map_bytes > 0 {
        options.map_bytes = entry.map_bytes;
    }
    if entry.max_readers > 0 {
        options.max_readers = entry.max_readers;
    }
    if !entry.sync {
        options.durability = Durability::NoFlush;
    }
    match LmdbStore::open(path, &options) {
        Ok(store) => Ok(Box::new(store)),
        Err(error) => Err(error.to_string()),
    }
}
