//! The file commands.
//!
//! A command that must wait for a lock is tried again from its start when it has the lock. So it
//! sees the record as the last owner of the lock left it.

use cics::file::{FileAccess, FileFault};
use cics::resp::Condition;
use link::{CallAnswer, FileCall, FileCommand, UpdateHold};
use store::{
    FileDef, FileId, FileOrganisation, FoundRecord, IndexEntry, ReadStore, SeekKey, UnitError,
    UnitOfWork,
};

use super::super::settling;
use super::conditions::{of_apply, of_read, of_record, of_unit};
use super::{RegionFile, Resources};
use crate::core::TaskKey;
use crate::kernel::{
    CallProgress, CallResult, CommandCompletion, CommandFailure, KernelContext, LockLifetime,
    LockName, LockSpace, Request, condition,
};

/// A command's file in the store.
#[derive(Clone, Copy)]
struct StoreTarget {
    /// The file that has the records.
    base: FileId,
    /// The index of a path.
    index: Option<FileId>,
}

/// The abend of a wait for a record that can never end, or lasts too long.
pub(super) const DEADLOCK: [u8; 4] = *b"AFCF";

/// Serves a command on a file.
pub fn serve(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let data = std::mem::take(&mut request.call.data);
    let served = match FileCall::parse(request.call.op, &request.call.args, &data) {
        Ok(call) => {
            let mut command = Command {
                files: &mut resources.files,
                cx,
                task: request.caller.key,
                request,
                call,
            };
            command.serve()
        }
        Err(_) => condition(Condition::InvReq, 0),
    };
    request.call.data = data;
    served
}

/// One try of a command.
struct Command<'a, 'k> {
    files: &'a mut super::RegionFiles,
    cx: &'a mut KernelContext<'k>,
    task: TaskKey,
    request: &'a mut Request,
    call: FileCall<'a>,
}

impl Command<'_, '_> {
    fn serve(&mut self) -> CallResult {
        let file = self.file()?;
        match self.call.command {
            FileCommand::Read { seek, access } => self.read(file, seek, access),
            FileCommand::ReadUpdate { seek, .. } => self.read_update(file, seek),
            FileCommand::Write { key, record, .. } => self.write(file.base, key, record),
            FileCommand::Rewrite { token, record, .. } => self.rewrite(file.base, token, record),
            FileCommand::DeleteHeld { token } => self.delete_held(file.base, token),
            FileCommand::Delete { key, .. } => self.delete(file, key),
            FileCommand::DeleteGeneric { prefix, .. } => self.delete_generic(file, prefix),
            FileCommand::Unlock { token } => self.unlock(file.base, token),
        }
    }

    fn read(&mut self, file: StoreTarget, seek: SeekKey<'_>, access: FileAccess) -> CallResult {
        let mut answer = None;
        let found = self.seek(file, seek, &mut |found| {
            answer = Some(CallAnswer::of_found(&found, None));
        });
        found?;
        match answer {
            Some(answer) => Ok(CallProgress::Done(answer)),
            None if access == FileAccess::Read => condition(Condition::NotFnd, 80),
            None => condition(Condition::EndFile, 90),
        }
    }

    fn read_update(&mut self, file: StoreTarget, seek: SeekKey<'_>) -> CallResult {
        let Some(found) = self.seek_copy(file, seek)? else {
            return match seek {
                SeekKey::Equal(key) if file.index.is_none() => self.not_there(file.base, key),
                _ => condition(Condition::NotFnd, 80),
            };
        };
        let name = LockName::new(LockSpace::Record(file.base), found.key());
        if self.lock(&name)?.is_none() {
            return Ok(self.wait(name));
        }
        let holds = self.files.holds.entry(self.task).or_default();
        let token = holds.next_token();
        holds.add(UpdateHold {
            file: file.base,
            token,
            by_token: false,
            position: found.position.as_slice().into(),
            key_at: found.key_at,
        });
        let found = FoundRecord {
            position: found.position.as_slice(),
            key_at: found.key_at,
            record: found.record.as_slice(),
            more: found.more,
        };
        Ok(CallProgress::Done(CallAnswer::of_found(
            &found,
            Some(token),
        )))
    }

    /// READ UPDATE has found no record with its key. Another task may have added one that is not
    /// committed: VSAM waits for the lock on that key.
    fn not_there(&mut self, file: FileId, key: &[u8]) -> CallResult {
        let name = LockName::new(LockSpace::Record(file), key);
        if self.cx.kernel.locks.is_taken(self.task, &name) && self.lock(&name)?.is_none() {
            return Ok(self.wait(name));
        }
        // The awaited lock is not needed, since there is no record.
        self.free_if_unchanged(file, key);
        condition(Condition::NotFnd, 80)
    }

    fn write(&mut self, file: FileId, key: &[u8], record: &[u8]) -> CallResult {
        self.check_record(record)?;
        let at_end = self.organisation() == Some(FileOrganisation::Esds);
        let key = match key {
            [] if !at_end => self.key_of(record)?,
            key => key.to_vec(),
        };
        if let Some(wait) = self.lock_unique_keys(file, record)? {
            return Ok(wait);
        }
        let name = LockName::new(LockSpace::Record(file), &key);
        let mut new = false;
        if !at_end {
            match self.lock(&name)? {
                Some(fresh) => new = fresh,
                None => return Ok(self.wait(name)),
            }
        }
        let mut ends = std::mem::take(&mut self.files.ends);
        let changed = self.change(|unit, reader| {
            if at_end {
                unit.append(reader, &mut ends, file, record)
            } else {
                unit.insert(reader, file, &key, record)
                    .map(|()| key.clone())
            }
        });
        self.files.ends = ends;
        let (changed, key) = match changed {
            Ok((at_once, key)) => (Ok(at_once), key),
            Err(failure) => (Err(failure), Vec::new()),
        };
        self.settle(name, new, changed, CallAnswer::of_key(key))
    }

    fn rewrite(&mut self, file: FileId, token: Option<u32>, record: &[u8]) -> CallResult {
        let hold = self.held(file, token, 30)?;
        // The key by which the record was read may not change under it.
        if let (Some(before), Some(index)) = (hold.alternate_key(), self.index())
            && index.def.key_in(record) != Some(before)
        {
            return condition(Condition::InvReq, 46);
        }
        let (token, key) = (hold.token, hold.key().to_vec());
        if let Some(wait) = self.lock_unique_keys(file, record)? {
            return Ok(wait);
        }
        let changed = self.change(|unit, reader| unit.replace(reader, file, &key, record));
        let (at_once, ()) = changed?;
        self.release(file, token);
        let name = LockName::new(LockSpace::Record(file), &key);
        Ok(ended(at_once, CallAnswer::default(), Some(name)))
    }

    fn delete_held(&mut self, file: FileId, token: Option<u32>) -> CallResult {
        let hold = self.held(file, token, 31)?;
        let (token, key) = (hold.token, hold.key().to_vec());
        let (at_once, ()) = self.change(|unit, reader| unit.delete(reader, file, &key))?;
        self.release(file, token);
        let name = LockName::new(LockSpace::Record(file), &key);
        Ok(ended(at_once, CallAnswer::of_deleted(1, false), Some(name)))
    }

    fn delete(&mut self, file: StoreTarget, key: &[u8]) -> CallResult {
        let (mut key, mut more) = (key.to_vec(), false);
        if file.index.is_some() {
            // The first record with this alternate key is deleted.
            let mut first = None;
            self.seek(file, SeekKey::Equal(&key), &mut |found| {
                first = Some((found.key().to_vec(), found.more));
            })?;
            (key, more) = first.ok_or(CommandFailure::Condition(Condition::NotFnd, 80))?;
        }
        let answer = CallAnswer::of_deleted(1, more);
        let name = LockName::new(LockSpace::Record(file.base), &key);
        let Some(new) = self.lock(&name)? else {
            return Ok(self.wait(name));
        };
        let changed = self.change(|unit, reader| unit.delete(reader, file.base, &key));
        let changed = changed.map(|(at_once, ())| at_once);
        self.settle(name, new, changed, answer)
    }

    /// Deletes record after record, waiting for locks in between. Changes to a file that is not
    /// recoverable are collected again in every try.
    fn delete_generic(&mut self, file: StoreTarget, prefix: &[u8]) -> CallResult {
        let recoverable = self.is_recoverable();
        let mut at_once = UnitOfWork::new();
        if !recoverable {
            self.request.progress = 0;
        }
        loop {
            let mut next = None;
            let mut take = |found: FoundRecord<&[u8]>| next = Some(found.key().to_vec());
            if recoverable {
                self.seek(file, SeekKey::Prefix(prefix), &mut take)?;
            } else {
                self.seek_visible(&at_once, file, prefix, &mut take)?;
            }
            let Some(key) = next else {
                break;
            };
            let name = LockName::new(LockSpace::Record(file.base), &key);
            if self.lock(&name)?.is_none() {
                return Ok(self.wait(name));
            }
            let (unit, reader) = self.unit_and_store()?;
            let changes = if recoverable { unit } else { &mut at_once };
            changes
                .delete(reader, file.base, &key)
                .map_err(|e| of_unit(&e))?;
            self.request.progress += 1;
        }
        let deleted = self.request.progress;
        if deleted == 0 {
            return condition(Condition::NotFnd, 80);
        }
        let at_once = (!recoverable).then_some(at_once);
        Ok(ended(at_once, CallAnswer::of_deleted(deleted, false), None))
    }

    fn unlock(&mut self, file: FileId, token: Option<u32>) -> CallResult {
        let holds = self.files.holds.entry(self.task).or_default();
        let freed = holds.take(file, token);
        if freed.is_empty() && token.is_some() {
            return condition(Condition::InvReq, 47);
        }
        for hold in freed {
            self.free_if_unchanged(file, hold.key());
        }
        crate::kernel::done()
    }

    /// The file that the call names.
    fn named(&self) -> Option<&RegionFile> {
        self.files.files.get(self.call.file as usize)
    }

    /// The store's file of the file that the call names, if the command is allowed.
    fn file(&self) -> Result<StoreTarget, CommandFailure> {
        let file = self.named().ok_or(FileFault::NotFound)?;
        let stored = file.stored.as_ref();
        file.entry.check(self.call.access(), stored.is_some())?;
        let stored = stored.ok_or(FileFault::NotOpen)?;
        Ok(StoreTarget {
            base: stored.base.id,
            index: stored.index.as_ref().map(|index| index.id),
        })
    }

    fn is_recoverable(&self) -> bool {
        self.named().is_some_and(|f| f.entry.recoverable)
    }

    fn organisation(&self) -> Option<FileOrganisation> {
        let stored = self.named()?.stored.as_ref()?;
        Some(stored.base.def.organisation)
    }

    /// The index of the path that the call names.
    fn index(&self) -> Option<&IndexEntry> {
        self.named()?.stored.as_ref()?.index.as_ref()
    }

    fn definition(&self) -> Result<&FileDef, CommandFailure> {
        let stored = self.named().and_then(|f| f.stored.as_ref());
        let stored = stored.ok_or(CommandFailure::Condition(Condition::NotOpen, 60))?;
        Ok(&stored.base.def)
    }

    fn check_record(&self, record: &[u8]) -> Result<(), CommandFailure> {
        let checked = self.definition()?.check_record(record);
        checked.map_err(|e| of_record(&e))
    }

    /// The key within the record of a WRITE.
    fn key_of(&self, record: &[u8]) -> Result<Vec<u8>, CommandFailure> {
        let key = self.definition()?.key_in(record);
        let key = key.ok_or(CommandFailure::Condition(Condition::InvReq, 26))?;
        Ok(key.to_vec())
    }

    /// Locks the alternate keys that must be unique, so that of two tasks that need one the later
    /// waits. Returns the step to end with if this task waits.
    fn lock_unique_keys(
        &mut self,
        file: FileId,
        record: &[u8],
    ) -> Result<Option<CallProgress>, CommandFailure> {
        let (unit, reader) = self.unit_and_store()?;
        let keys = unit.unique_keys(reader, file, record);
        for (index, key) in keys.map_err(|e| of_read(&e))? {
            let name = LockName::new(LockSpace::Record(index), &key);
            if self.lock(&name)?.is_none() {
                return Ok(Some(self.wait(name)));
            }
        }
        Ok(None)
    }

    fn unit_and_store(
        &mut self,
    ) -> Result<(&mut UnitOfWork, &mut (dyn ReadStore + Send)), CommandFailure> {
        let both = self.cx.unit_and_store(self.task);
        both.ok_or(CommandFailure::Condition(Condition::NotOpen, 60))
    }

    /// Passes the found record, with the changes of the task's unit.
    fn seek(
        &mut self,
        file: StoreTarget,
        seek: SeekKey<'_>,
        show: &mut dyn FnMut(FoundRecord<&[u8]>),
    ) -> Result<(), CommandFailure> {
        let (unit, reader) = self.unit_and_store()?;
        seek_in(unit, reader, file, seek, show)
    }

    fn seek_copy(
        &mut self,
        file: StoreTarget,
        seek: SeekKey<'_>,
    ) -> Result<Option<FoundRecord>, CommandFailure> {
        let mut copy = None;
        self.seek(file, seek, &mut |found| copy = Some(found.copied()))?;
        Ok(copy)
    }

    /// The first record with a prefix that `changes` do not delete.
    fn seek_visible(
        &mut self,
        changes: &UnitOfWork,
        file: StoreTarget,
        prefix: &[u8],
        show: &mut dyn FnMut(FoundRecord<&[u8]>),
    ) -> Result<(), CommandFailure> {
        let (_, reader) = self.unit_and_store()?;
        seek_in(changes, reader, file, SeekKey::Prefix(prefix), show)
    }

    /// Locks. Returns `Some(true)` if the lock is new, `None` if the task waits.
    fn lock(&mut self, name: &LockName) -> Result<Option<bool>, CommandFailure> {
        if self.call.is_nosuspend() && self.cx.kernel.locks.is_taken(self.task, name) {
            return condition(Condition::RecordBusy, 107);
        }
        self.cx
            .lock(self.request, name, LockLifetime::Unit, DEADLOCK)
    }

    fn wait(&mut self, name: LockName) -> CallProgress {
        self.cx.wait_for_lock(self.request, name, DEADLOCK)
    }

    /// Makes a change in the task's unit. If the file is not recoverable, makes it in a
    /// separate unit and returns that.
    fn change<R>(
        &mut self,
        make: impl FnOnce(&mut UnitOfWork, &mut (dyn ReadStore + Send)) -> Result<R, UnitError>,
    ) -> Result<(Option<UnitOfWork>, R), CommandFailure> {
        let recoverable = self.is_recoverable();
        let (unit, reader) = self.unit_and_store()?;
        let mut at_once = UnitOfWork::new();
        let made = if recoverable {
            make(unit, reader)
        } else {
            make(&mut at_once, reader)
        };
        let made = made.map_err(|e| of_unit(&e))?;
        Ok(((!recoverable).then_some(at_once), made))
    }

    /// Ends a command that locked its record itself: releases a lock that was not needed.
    fn settle(
        &mut self,
        name: LockName,
        new: bool,
        changed: Result<Option<UnitOfWork>, CommandFailure>,
        answer: CallAnswer,
    ) -> CallResult {
        match changed {
            Ok(at_once) => Ok(ended(at_once, answer, new.then_some(name))),
            Err(failure) => {
                if new {
                    self.cx.unlock(self.task, &name);
                }
                Err(failure)
            }
        }
    }

    /// The record that the task read for update: the one of a token, or the last one. If
    /// it has read none, INVREQ with `none`.
    fn held(
        &self,
        file: FileId,
        token: Option<u32>,
        none: u32,
    ) -> Result<&UpdateHold<FileId>, CommandFailure> {
        let holds = self.files.holds.get(&self.task);
        let hold = holds.and_then(|holds| holds.find(file, token));
        let missing = token.map_or(none, |_| 47);
        hold.ok_or(CommandFailure::Condition(Condition::InvReq, missing))
    }

    fn release(&mut self, file: FileId, token: u32) {
        if let Some(holds) = self.files.holds.get_mut(&self.task) {
            holds.release(file, token);
        }
    }

    fn free_if_unchanged(&mut self, file: FileId, key: &[u8]) {
        let holds = self.files.holds.get(&self.task);
        let held = holds.is_some_and(|holds| holds.holds(file, key));
        let unit = self.cx.kernel.units.get(self.task);
        let changed = unit.is_some_and(|u| u.changes.change(file, key).is_some());
        if !held && !changed {
            let name = LockName::new(LockSpace::Record(file), key);
            self.cx.unlock(self.task, &name);
        }
    }
}

/// A command that is complete, or will be when its change is committed.
fn ended(
    at_once: Option<UnitOfWork>,
    answer: CallAnswer,
    unlock: Option<LockName>,
) -> CallProgress {
    match at_once {
        Some(changes) => CallProgress::Commit(
            changes,
            CommandCompletion {
                answer,
                refused: of_apply,
                unlock,
                settle: settling(|_, _, _| {}),
            },
        ),
        None => CallProgress::Done(answer),
    }
}

/// Passes the found record, with the changes of a unit.
fn seek_in(
    unit: &UnitOfWork,
    reader: &mut (dyn ReadStore + Send),
    file: StoreTarget,
    seek: SeekKey<'_>,
    show: &mut dyn FnMut(FoundRecord<&[u8]>),
) -> Result<(), CommandFailure> {
    let read = match file.index {
        None => unit.seek(reader, file.base, seek, &mut |e| show(e.into())),
        Some(index) => unit.seek_path(reader, index, seek, &mut |e| show(e.into())),
    };
    read.map(drop).map_err(|e| of_read(&e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::world::KernelFixture;
    use crate::types::{KernelConfig, RegionDefinitions};
    use cics::file::FilePermits;
    use link::{FileEntry, Name};
    use store::{KeyField, MemoryStore, RecordFormat, WriteStore};

    const KEY: &[u8] = b"0001";
    const RECORD: &[u8] = b"0001 one";

    /// A region with one file, whose keys have four bytes.
    fn world() -> KernelFixture {
        let mut store = MemoryStore::new();
        let name = "ACCTS".parse().expect("a name");
        let key = KeyField {
            offset_bytes: 0,
            length_bytes: 4,
        };
        let def = FileDef::ksds(name, key, RecordFormat::Variable, 20).expect("a definition");
        store.define(def).expect("a file");
        let file = FileEntry {
            name: Name::new("ACCTS").expect("a name"),
            recoverable: true,
            permits: FilePermits::ALL,
            enabled: true,
            ..FileEntry::default()
        };
        let config = KernelConfig {
            definitions: RegionDefinitions {
                files: vec![file],
                ..RegionDefinitions::default()
            },
            ..KernelConfig::default()
        };
        let files = config.definitions.files.clone();
        let mut world = KernelFixture::over(config, Some(store));
        let files = world.kernel.renumber_files(&files);
        world.kernel.define_files(&files);
        world
    }

    fn add(w: &mut KernelFixture, task: u32) {
        w.on_file(task, WRITE);
        got(w, &[(task, "NORMAL")]);
    }

    const WRITE: FileCommand<'_> = FileCommand::Write {
        key: KEY,
        record: RECORD,
        nosuspend: false,
    };

    fn read() -> FileCommand<'static> {
        FileCommand::Read {
            seek: SeekKey::Equal(KEY),
            access: FileAccess::Read,
        }
    }

    fn read_update(nosuspend: bool) -> FileCommand<'static> {
        FileCommand::ReadUpdate {
            seek: SeekKey::Equal(KEY),
            access: FileAccess::ReadUpdate,
            nosuspend,
        }
    }

    fn rewrite(record: &[u8]) -> FileCommand<'_> {
        FileCommand::Rewrite {
            token: None,
            record,
            nosuspend: false,
        }
    }

    fn delete() -> FileCommand<'static> {
        FileCommand::Delete {
            key: KEY,
            nosuspend: false,
        }
    }

    fn got(w: &mut KernelFixture, expected: &[(u32, &str)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(n, s)| (*n, (*s).to_owned()))
            .collect();
        assert_eq!(w.answers(), expected);
    }

    #[test]
    fn a_read_for_update_waits_for_the_task_that_is_adding_the_record() {
        let mut w = world();
        add(&mut w, 1);
        w.on_file(2, read_update(false));
        w.on_file(3, read_update(true));
        // Without UPDATE no task waits.
        w.on_file(4, read());
        got(&mut w, &[(3, "RECORDBUSY"), (4, "NOTFND")]);
        w.end(1, true);
        got(&mut w, &[(2, "NORMAL")]);
        w.on_file(2, rewrite(b"0001 two"));
        got(&mut w, &[(2, "NORMAL")]);
        w.end(2, true);
        assert_eq!(w.kernel.locks().each().count(), 0);
    }

    #[test]
    fn a_record_that_was_never_added_is_not_found_and_leaves_no_lock() {
        let mut w = world();
        add(&mut w, 1);
        w.on_file(2, read_update(false));
        got(&mut w, &[]);
        w.end(1, false);
        got(&mut w, &[(2, "NOTFND")]);
        assert_eq!(w.kernel.locks().each().count(), 0);
        // A task that has deleted the record still has its lock.
        add(&mut w, 3);
        w.on_file(3, delete());
        w.on_file(3, read_update(false));
        got(&mut w, &[(3, "NORMAL"), (3, "NOTFND")]);
        w.end(3, true);
        assert_eq!(w.kernel.locks().each().count(), 0);
    }

    #[test]
    fn a_task_goes_on_with_a_record_of_a_file_that_was_closed_and_disabled_meanwhile() {
        let mut w = world();
        add(&mut w, 1);
        w.end(1, true);
        w.on_file(2, read_update(false));
        let name = Name::new("ACCTS").expect("a name");
        let file = w.kernel.resources.files.entry_mut(name).expect("the file");
        (file.enabled, file.closed) = (false, true);
        w.on_file(2, rewrite(b"0001 two"));
        w.on_file(3, read_update(false));
        got(&mut w, &[(2, "NORMAL"), (2, "NORMAL"), (3, "DISABLED")]);
    }
}
