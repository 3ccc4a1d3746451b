//! Records for batch jobs.
//!
//! A job works on the store's files by their numbers, whether or not a FILE
//! names them; what FILE definitions allow is not a business of batch programs.
//! It has the same locks as tasks, and its changes are part of the unit of
//! work of the task that stands for it.
//!
//! Reference: Enterprise COBOL programming guide, "Processing VSAM files";
//! DFSMS, "Using VSAM record-level sharing".

use std::collections::BTreeSet;

use cics::resp::Condition;
use link::{CallAnswer, CallOperation};
use store::{FileId, ReadStore, UnitError, UnitOfWork};

use super::commands::DEADLOCK;
use super::conditions::{of_read, of_unit};
use super::{RegionFiles, Resources};
use crate::kernel::{
    CallProgress, CallResult, CommandFailure, KernelContext, LockLifetime, LockName, LockSpace,
    Request, condition, done,
};

/// Serves an operation on a record: `args` are the number of the file, the bytes of the key, and 1
/// if the operation must not wait for a lock. READ locks, UNLOCK releases the lock; WRITE without
/// a key adds at the end. ROLLBACK takes the changes to recoverable files out of the unit.
pub fn serve(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let [file, key_bytes, no_wait, ..] = request.call.args;
    let data = std::mem::take(&mut request.call.data);
    let (Ok(file), Some((key, record))) = (
        u32::try_from(file),
        data.split_at_checked(key_bytes as usize),
    ) else {
        return condition(Condition::InvReq, 0);
    };
    let mut job = FileOperation {
        files: &mut resources.files,
        cx,
        request,
        file: FileId(file),
        waits: no_wait == 0,
    };
    let served = match job.request.call.op {
        CallOperation::Read => job.hold(key),
        CallOperation::Unlock => job.free(key),
        CallOperation::Write if key.is_empty() => job.append(record),
        CallOperation::Write => job.insert(key, record),
        CallOperation::Rewrite => job.replace(key, record),
        CallOperation::Delete => job.delete(key),
        CallOperation::Rollback => job.back_out_recoverable(),
        _ => condition(Condition::InvReq, 0),
    };
    request.call.data = data;
    served
}

/// One try of an operation.
struct FileOperation<'a, 'k> {
    files: &'a mut RegionFiles,
    cx: &'a mut KernelContext<'k>,
    request: &'a mut Request,
    file: FileId,
    waits: bool,
}

impl FileOperation<'_, '_> {
    fn hold(&mut self, key: &[u8]) -> CallResult {
        match self.lock(self.file, key, LockLifetime::Task)? {
            Some(_) => done(),
            None => Ok(self.wait(self.file, key)),
        }
    }

    fn free(&mut self, key: &[u8]) -> CallResult {
        let task = self.request.caller.key;
        let name = LockName::new(LockSpace::Record(self.file), key);
        let unit = self.cx.kernel.units.get(task);
        if unit.is_some_and(|u| u.changes.change(self.file, key).is_some()) {
            self.until_committed(&name)
        } else {
            self.cx.unlock(task, &name)
        }
        done()
    }

    /// Takes the changes to recoverable files out of the unit: those to others are not backed
    /// out. Locks last until the syncpoint that follows.
    fn back_out_recoverable(&mut self) -> CallResult {
        let (unit, reader) = self.unit_and_store()?;
        let files: BTreeSet<FileId> = unit.changes().map(|(file, ..)| file).collect();
        let mut kept = BTreeSet::new();
        for file in files {
            if !reader
                .definition(file)
                .map_err(|e| of_read(&e))?
                .recoverable
            {
                kept.insert(file);
            }
        }
        *unit = unit.of_files(|file| kept.contains(&file));
        done()
    }

    fn insert(&mut self, key: &[u8], record: &[u8]) -> CallResult {
        if let Some(step) = self.lock_unique_keys(record)? {
            return Ok(step);
        }
        self.change(key, |unit, reader, file| {
            unit.insert(reader, file, key, record)
        })
    }

    fn replace(&mut self, key: &[u8], record: &[u8]) -> CallResult {
        if let Some(step) = self.lock_unique_keys(record)? {
            return Ok(step);
        }
        self.change(key, |unit, reader, file| {
            unit.replace(reader, file, key, record)
        })
    }

    fn delete(&mut self, key: &[u8]) -> CallResult {
        self.change(key, |unit, reader, file| unit.delete(reader, file, key))
    }

    fn append(&mut self, record: &[u8]) -> CallResult {
        if let Some(step) = self.lock_unique_keys(record)? {
            return Ok(step);
        }
        let file = self.file;
        let task = self.request.caller.key;
        let mut ends = std::mem::take(&mut self.files.ends);
        let both = self.unit_and_store();
        let added = both.map(|(unit, reader)| unit.append(reader, &mut ends, file, record));
        self.files.ends = ends;
        let key = added?.map_err(|e| of_unit(&e))?;
        // Another task may be writing to this number of an RRDS: the next is tried.
        let name = LockName::new(LockSpace::Record(file), &key);
        if self.cx.kernel.locks.is_taken(task, &name) {
            let (unit, reader) = self.unit_and_store()?;
            unit.delete(reader, file, &key).map_err(|e| of_unit(&e))?;
            return condition(Condition::RecordBusy, 107);
        }
        self.lock(file, &key, LockLifetime::Unit)?;
        Ok(CallProgress::Done(CallAnswer::of_data(key)))
    }

    /// Makes a change to a record that is locked for it until it is committed.
    fn change(
        &mut self,
        key: &[u8],
        make: impl FnOnce(&mut UnitOfWork, &mut dyn ReadStore, FileId) -> Result<(), UnitError>,
    ) -> CallResult {
        let Some(new) = self.lock(self.file, key, LockLifetime::Unit)? else {
            return Ok(self.wait(self.file, key));
        };
        let name = LockName::new(LockSpace::Record(self.file), key);
        let file = self.file;
        let both = self.unit_and_store();
        let made =
            both.and_then(|(unit, reader)| make(unit, reader, file).map_err(|e| of_unit(&e)));
        match made {
            Ok(()) => {
                self.until_committed(&name);
                done()
            }
            Err(failure) => {
                if new {
                    self.cx.unlock(self.request.caller.key, &name);
                }
                Err(failure)
            }
        }
    }

    fn until_committed(&mut self, name: &LockName) {
        let task = self.request.caller.key;
        let locks = &mut self.cx.kernel.locks;
        locks.set_lifetime(task, name, LockLifetime::Unit);
    }

    /// Locks: `Some(true)` when the lock is new, `None` when the job waits.
    fn lock(
        &mut self,
        file: FileId,
        key: &[u8],
        lifetime: LockLifetime,
    ) -> Result<Option<bool>, CommandFailure> {
        let name = LockName::new(LockSpace::Record(file), key);
        let task = self.request.caller.key;
        if !self.waits && self.cx.kernel.locks.is_taken(task, &name) {
            return condition(Condition::RecordBusy, 107);
        }
        self.cx.lock(self.request, &name, lifetime, DEADLOCK)
    }

    fn wait(&mut self, file: FileId, key: &[u8]) -> CallProgress {
        let name = LockName::new(LockSpace::Record(file), key);
        self.cx.wait_for_lock(self.request, name, DEADLOCK)
    }

    /// Locks the alternate keys that no other record may have.
    fn lock_unique_keys(&mut self, record: &[u8]) -> Result<Option<CallProgress>, CommandFailure> {
        let file = self.file;
        let (unit, reader) = self.unit_and_store()?;
        let keys = unit.unique_keys(reader, file, record);
        for (index, key) in keys.map_err(|e| of_read(&e))? {
            if self.lock(index, &key, LockLifetime::Unit)?.is_none() {
                return Ok(Some(self.wait(index, &key)));
            }
        }
        Ok(None)
    }

    fn unit_and_store(
        &mut self,
    ) -> Result<(&mut UnitOfWork, &mut (dyn ReadStore + Send)), CommandFailure> {
        let both = self.cx.unit_and_store(self.request.caller.key);
        both.ok_or(CommandFailure::Condition(Condition::NotOpen, 60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::world::KernelFixture;
    use crate::types::KernelConfig;
    use cics::command::commands::{deq, enq};
    use link::CommandOperands;
    use store::{FileDef, MemoryStore, ReadExt, SeekKey, WriteStore};

    /// A region with one file of numbered records, the first of its store.
    fn world() -> KernelFixture {
        let mut store = MemoryStore::new();
        let name = "SLOTS".parse().expect("a name");
        let def = FileDef::rrds(name, store::RecordFormat::Fixed, 4).expect("a definition");
        let file = store.define(def).expect("a file");
        assert_eq!(file, FileId(1));
        KernelFixture::over(KernelConfig::default(), Some(store))
    }

    fn got(w: &mut KernelFixture, expected: &[(u32, &str)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(n, s)| (*n, (*s).to_owned()))
            .collect();
        assert_eq!(w.answers(), expected);
    }

    fn records(w: &KernelFixture) -> Vec<Vec<u8>> {
        let mut reader = w.reader();
        let mut all: Vec<Vec<u8>> = Vec::new();
        let mut last = store::rrn_key(0).to_vec();
        let next = |r: &mut dyn ReadStore, last: &[u8]| {
            let both = |e: store::RecordView<'_>| (e.key.to_vec(), e.record.to_vec());
            r.read(FileId(1), SeekKey::Greater(last), both)
                .expect("readable")
        };
        while let Some((key, record)) = next(reader.as_mut(), &last) {
            last = key;
            all.push(record);
        }
        all
    }

    #[test]
    fn a_change_is_locked_until_it_is_committed_and_a_held_record_longer() {
        let mut w = world();
        let (one, two) = (store::rrn_key(1), store::rrn_key(2));
        w.job(1, CallOperation::Write, false, &one, b"ONE.");
        w.job(1, CallOperation::Write, false, &two, b"TWO.");
        w.job(1, CallOperation::Read, false, &two, b"");
        got(&mut w, &[(1, "NORMAL"); 3]);
        w.job(2, CallOperation::Rewrite, false, &one, b"MINE");
        got(&mut w, &[(2, "RECORDBUSY")]);
        w.job(2, CallOperation::Rewrite, true, &one, b"MINE");
        w.job(3, CallOperation::Delete, true, &two, b"");
        got(&mut w, &[]);
        assert!(w.syncpoint(1).is_some());
        got(&mut w, &[(2, "NORMAL")]);
        w.job(1, CallOperation::Unlock, false, &two, b"");
        got(&mut w, &[(1, "NORMAL"), (3, "NORMAL")]);
        w.end(2, true);
        w.end(3, true);
        assert_eq!(records(&w), [b"MINE"]);
        w.end(1, true);
        assert_eq!(w.kernel.locks().each().count(), 0);
    }

    #[test]
    fn a_change_that_cannot_be_made_leaves_no_lock() {
        let mut w = world();
        let one = store::rrn_key(1);
        w.job(1, CallOperation::Delete, false, &one, b"");
        w.job(1, CallOperation::Write, false, &one, b"TOO LONG");
        got(&mut w, &[(1, "NOTFND"), (1, "LENGERR")]);
        assert_eq!(w.kernel.locks().each().count(), 0);
    }

    #[test]
    fn what_is_added_at_the_end_passes_a_number_that_another_is_writing() {
        let mut w = world();
        w.job(1, CallOperation::Write, false, &store::rrn_key(1), b"ONE.");
        w.job(2, CallOperation::Write, false, b"", b"NEXT");
        got(&mut w, &[(1, "NORMAL"), (2, "RECORDBUSY")]);
        w.job(2, CallOperation::Write, true, b"", b"NEXT");
        got(&mut w, &[(2, "NORMAL")]);
        w.end(2, true);
        w.end(1, true);
        assert_eq!(records(&w), [b"ONE.", b"NEXT"]);
    }

    #[test]
    fn a_job_and_a_task_in_a_ring_are_a_deadlock() {
        let mut w = world();
        let name = |number: u8| CommandOperands::default().bytes(number, b"NAME");
        w.job(1, CallOperation::Read, true, &store::rrn_key(1), b"");
        w.ask(2, enq::NUMBER, &name(enq::RESOURCE));
        w.job(2, CallOperation::Read, true, &store::rrn_key(1), b"");
        w.ask(1, enq::NUMBER, &name(enq::RESOURCE));
        got(&mut w, &[(1, "NORMAL"), (2, "NORMAL"), (1, "AKCS")]);
        w.end(1, false);
        w.ask(2, deq::NUMBER, &name(deq::RESOURCE));
        got(&mut w, &[(2, "NORMAL"), (2, "NORMAL")]);
    }
}
