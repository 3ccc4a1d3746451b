//! Files of the region: locks, units of work and the commands on them.
//!
//! A worker reads committed records by itself; what needs a lock, changes a
//! record or must see the task's own changes comes here. Changes wait in the
//! task's unit of work, whose records stay locked until it is committed, in a
//! group with others, or backed out. Changes to files that are not recoverable
//! are committed at once.
//!
//! Like the core this decides only: what must be done is a list of
//! [`Effect`]s, and the time is an argument.
//!
//! Reference: CICS application programming, "Syncpointing" and "File control";
//! DTIMOUT for waits.

mod answers;
mod commands;
mod commit;
mod locks;

pub use commit::{Committer, Job, Then, run as run_committer};

/// The committer's end of the way to it.
pub type Orders = std::sync::mpsc::Receiver<commit::Order>;

use std::collections::HashMap;
use std::sync::Arc;

use link::{Answer, Call, FileEntry, Op};
use store::{ApplyError, FileDef, FileId, ReadStore, UnitOfWork};

use crate::api::{Abend, Statistics};
use crate::core::TaskKey;
use answers::{ROLLEDBACK, abend, condition};
use locks::LockTable;

/// What must be done after a call.
#[derive(Debug)]
pub enum Effect {
    /// Answer the call of a task.
    Answer(TaskKey, Answer),
    /// A running task waits for a lock now, or goes on: [`Files::waits`] says
    /// which, for another thread may have changed it meanwhile.
    Waits(TaskKey),
    /// Commit.
    Commit(Job),
    /// The unit of work of a task that ended is over.
    Ended(TaskKey, Option<Abend>),
}

/// All files, units and locks of a region.
pub struct Files {
    reader: Box<dyn ReadStore + Send>,
    files: Vec<File>,
    locks: LockTable,
    units: HashMap<TaskKey, Unit>,
    stalled: HashMap<TaskKey, Stalled>,
    lock_timeout_ns: u64,
    commits: u64,
    backouts: u64,
    batches: u64,
    lock_waits: u64,
    deadlocks: u64,
}

/// A file by its number.
struct File {
    entry: FileEntry,
    /// Number and definition in the store; none when it is not there.
    stored: Option<(FileId, Arc<FileDef>)>,
}

/// A task's unit of work.
#[derive(Default)]
struct Unit {
    changes: UnitOfWork,
    holds: Vec<Hold>,
    next_token: u64,
    /// A part of it is with the committer.
    committing: bool,
    /// The task ended meanwhile.
    ended: bool,
}

/// A record read for update.
struct Hold {
    file: FileId,
    token: u64,
    key: Box<[u8]>,
}

/// A call that waits for a lock.
struct Stalled {
    call: Call,
    deadline: u64,
    timeout_ns: Option<u64>,
    /// Records that a generic DELETE has dealt with.
    deleted: u64,
}

impl Files {
    /// Files over a store's reader.
    pub fn new(reader: Box<dyn ReadStore + Send>, lock_timeout_ns: u64) -> Self {
        Files {
            reader,
            files: Vec::new(),
            locks: LockTable::default(),
            units: HashMap::new(),
            stalled: HashMap::new(),
            lock_timeout_ns,
            commits: 0,
            backouts: 0,
            batches: 0,
            lock_waits: 0,
            deadlocks: 0,
        }
    }

    /// Puts definitions in the order of those in force, so that a file keeps
    /// its number for the tasks that are under way. A place without a name
    /// stands for one that is no longer defined; new ones follow.
    pub fn renumber(&self, entries: &[FileEntry]) -> Vec<FileEntry> {
        let named = |name| entries.iter().find(|e| e.name == name).cloned();
        let kept = self.files.iter();
        let kept = kept.map(|f| named(f.entry.name).unwrap_or_default());
        let known = |e: &&FileEntry| self.files.iter().any(|f| f.entry.name == e.name);
        let new = entries.iter().filter(|e| !known(e)).cloned();
        kept.chain(new).collect()
    }

    /// Takes the files' definitions over. A file that the store does not have
    /// is not open.
    pub fn define(&mut self, entries: &[FileEntry]) {
        let mut before = std::mem::take(&mut self.files).into_iter();
        for entry in entries {
            let old = before.next();
            if entry.name.is_blank()
                && let Some(old) = old
            {
                // Tasks that began with it end with it.
                self.files.push(old);
                continue;
            }
            let name = entry.name.as_str().parse::<store::FileName>().ok();
            let found = name.and_then(|n| self.reader.find(&n).ok().flatten());
            if found.is_none() && entry.enabled {
                tracing::warn!(file = %entry.name, "the store has no such file, so it is not open");
            }
            self.files.push(File {
                entry: entry.clone(),
                stored: found.map(|f| (f.id, f.def)),
            });
        }
    }

    /// A command of a task. `timeout_ns` is how long the task waits for locks.
    pub fn command(
        &mut self,
        now: u64,
        task: TaskKey,
        call: Call,
        timeout_ns: Option<u64>,
        out: &mut Vec<Effect>,
    ) {
        self.units.entry(task).or_default();
        match call.op {
            Op::Syncpoint => self.syncpoint(now, task, out),
            Op::Rollback => {
                self.back_out(now, task, out);
                self.units.insert(task, Unit::default());
                out.push(Effect::Answer(task, Answer::default()));
            }
            _ => {
                let stalled = Stalled {
                    call,
                    deadline: 0,
                    timeout_ns,
                    deleted: 0,
                };
                self.attempt(now, task, stalled, false, out);
            }
        }
    }

    /// A task ended: commit its unit, or back it out. [`Effect::Ended`] follows.
    pub fn end(&mut self, now: u64, task: TaskKey, commit: bool, out: &mut Vec<Effect>) {
        self.stalled.remove(&task);
        let Some(unit) = self.units.get_mut(&task) else {
            out.push(Effect::Ended(task, None));
            return;
        };
        if unit.committing {
            // The syncpoint in progress decides; what came before it stands.
            unit.ended = true;
            self.locks.give_up(task);
            return;
        }
        let changes = std::mem::take(&mut unit.changes);
        if commit && !changes.is_empty() {
            unit.committing = true;
            unit.ended = true;
            out.push(Effect::Commit(Job {
                task,
                changes,
                then: Then::EndTask,
            }));
            return;
        }
        unit.changes = changes;
        self.back_out(now, task, out);
        out.push(Effect::Ended(task, None));
    }

    /// The committer is done with a job.
    pub fn committed(
        &mut self,
        now: u64,
        task: TaskKey,
        then: Then,
        result: Result<(), ApplyError>,
        out: &mut Vec<Effect>,
    ) {
        match &result {
            Ok(()) => self.commits += 1,
            Err(error) => {
                self.backouts += 1;
                tracing::error!(%error, "a unit of work could not be committed");
            }
        }
        let ended = match self.units.get_mut(&task) {
            Some(unit) => {
                unit.committing = false;
                unit.ended
            }
            None => true,
        };
        match then {
            Then::Syncpoint => {
                self.let_go(now, task, out);
                if !ended {
                    self.units.insert(task, Unit::default());
                    let answer = match result {
                        Ok(()) => Answer::default(),
                        Err(_) => condition(ROLLEDBACK, 0),
                    };
                    out.push(Effect::Answer(task, answer));
                }
            }
            Then::Answer(mut answer, name) => {
                if let Err(error) = &result {
                    answer = answers::of_apply(error);
                }
                if let Some((file, key)) = name
                    && let Some(next) = self.locks.unlock(task, file, &key)
                {
                    self.resume(now, next, out);
                }
                if !ended {
                    out.push(Effect::Answer(task, answer));
                }
            }
            Then::EndTask => {
                self.let_go(now, task, out);
                let abend = result.err().map(|error| Abend {
                    code: *b"ASP7",
                    program: link::Name::BLANK,
                    line: 0,
                    message: format!("the unit of work could not be committed: {error}"),
                });
                out.push(Effect::Ended(task, abend));
                return;
            }
        }
        if ended {
            self.back_out(now, task, out);
            out.push(Effect::Ended(task, None));
        }
    }

    /// One transaction of the store carried some jobs.
    pub fn count_batch(&mut self) {
        self.batches += 1;
    }

    /// Ends waits that lasted too long.
    pub fn tick(&mut self, now: u64, out: &mut Vec<Effect>) {
        let late = |(task, s): (&TaskKey, &Stalled)| (now >= s.deadline).then_some(*task);
        let late: Vec<TaskKey> = self.stalled.iter().filter_map(late).collect();
        for task in late {
            self.locks.give_up(task);
            self.stalled.remove(&task);
            out.push(Effect::Waits(task));
            out.push(Effect::Answer(task, abend(b"AFCF")));
        }
    }

    /// Whether a task waits for a lock.
    pub fn waits(&self, task: TaskKey) -> bool {
        self.stalled.contains_key(&task)
    }

    /// Adds the files' counters.
    pub fn count(&self, statistics: &mut Statistics) {
        statistics.commits = self.commits;
        statistics.backouts = self.backouts;
        statistics.commit_batches = self.batches;
        statistics.lock_waits = self.lock_waits;
        statistics.deadlocks = self.deadlocks;
    }

    fn syncpoint(&mut self, now: u64, task: TaskKey, out: &mut Vec<Effect>) {
        let unit = self.units.entry(task).or_default();
        unit.holds.clear();
        if unit.changes.is_empty() {
            self.let_go(now, task, out);
            self.units.insert(task, Unit::default());
            out.push(Effect::Answer(task, Answer::default()));
            return;
        }
        unit.committing = true;
        out.push(Effect::Commit(Job {
            task,
            changes: std::mem::take(&mut unit.changes),
            then: Then::Syncpoint,
        }));
    }

    /// Drops a unit's changes and gives its locks back.
    fn back_out(&mut self, now: u64, task: TaskKey, out: &mut Vec<Effect>) {
        if let Some(unit) = self.units.get(&task)
            && !unit.changes.is_empty()
        {
            self.backouts += 1;
        }
        self.let_go(now, task, out);
    }

    /// Forgets a unit, gives its locks back and lets their waiters go on.
    fn let_go(&mut self, now: u64, task: TaskKey, out: &mut Vec<Effect>) {
        self.units.remove(&task);
        for next in self.locks.release(task) {
            self.resume(now, next, out);
        }
    }

    /// A task got the lock it waited for.
    fn resume(&mut self, now: u64, task: TaskKey, out: &mut Vec<Effect>) {
        if let Some(stalled) = self.stalled.remove(&task) {
            self.attempt(now, task, stalled, true, out);
        }
    }
}
