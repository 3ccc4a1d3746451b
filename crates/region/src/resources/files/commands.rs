//! The file commands themselves.
//!
//! A command is tried; if it must wait for a lock it is tried again from its
//! start when it has the lock. So it sees the record as its last owner left it.

use cics::resp::Condition;
use link::call::{
    CHANGE_NOSUSPEND, DELETE_GENERIC, DELETE_HELD, READ_GENERIC, READ_GTEQ, READ_NOSUSPEND,
    READ_UPDATE,
};
use link::{Answer, Call, Op, Step as BrowseStep};
use store::{FileDef, FileId, IndexEntry, Organisation, ReadStore, Seek, UnitError, UnitOfWork};

use super::conditions::{of_apply, of_read, of_record, of_unit};
use super::{File, Hold, Resources};
use crate::core::TaskKey;
use crate::kernel::{
    Cx, Failure, Lifetime, LockName, LockSpace, Outcome, Request, Served, Step, condition,
};

/// A record that was found.
struct Found {
    /// Its own key.
    key: Vec<u8>,
    /// Of a path: where a browse stands, the alternate key first.
    position: Option<Vec<u8>>,
    /// Another record with the same alternate key follows.
    more: bool,
    record: Vec<u8>,
}

/// What a command's file is in the store.
#[derive(Clone, Copy)]
struct Target {
    /// The file that has the records.
    base: FileId,
    /// The index of a path.
    index: Option<FileId>,
}

/// The abend of a wait for a record that can never end, or lasts too long.
pub(super) const DEADLOCK: [u8; 4] = *b"AFCF";

/// Serves a file operation of the link.
pub fn serve(resources: &mut Resources, cx: &mut Cx<'_>, request: &mut Request) -> Served {
    let mut command = Command {
        files: &mut resources.files,
        cx,
        task: request.caller.key,
        request,
    };
    let flags = command.request.call.args[1];
    match command.request.call.op {
        Op::Read => command.read(),
        Op::Browse => command.browse(),
        Op::Write => command.write(),
        Op::Rewrite => command.rewrite(),
        Op::Delete if flags & DELETE_HELD != 0 => command.delete_held(),
        Op::Delete if flags & DELETE_GENERIC != 0 => command.delete_generic(),
        Op::Delete => command.delete(),
        Op::Unlock => command.unlock(),
        _ => condition(Condition::InvReq, 0),
    }
}

/// One try of a command.
struct Command<'a, 'k> {
    files: &'a mut super::Files,
    cx: &'a mut Cx<'k>,
    task: TaskKey,
    request: &'a mut Request,
}

impl Command<'_, '_> {
    fn call(&self) -> &Call {
        &self.request.call
    }

    fn read(&mut self) -> Served {
        let flags = self.call().args[1];
        let file = self.file(|e| e.read)?;
        let key = std::mem::take(&mut self.request.call.data);
        let seek = match (flags & READ_GENERIC != 0, flags & READ_GTEQ != 0) {
            (_, true) => Seek::AtLeast(&key),
            (true, false) => Seek::Prefix(&key),
            (false, false) => Seek::Equal(&key),
        };
        let found = self.seek(file, seek);
        self.request.call.data = key;
        let exact = flags & (READ_GENERIC | READ_GTEQ) == 0 && file.index.is_none();
        let Some(found) = found? else {
            return match flags & READ_UPDATE != 0 && exact {
                true => self.not_there(file.base),
                false => condition(Condition::NotFnd, 80),
            };
        };
        if flags & READ_UPDATE == 0 {
            return Ok(Step::Done(found.into()));
        }
        self.file(|e| e.update || e.delete)?;
        let name = LockName::new(LockSpace::Record(file.base), &found.key);
        if flags & READ_NOSUSPEND != 0 && self.cx.kernel.locks.is_taken(self.task, &name) {
            return condition(Condition::RecordBusy, 107);
        }
        if self.lock(&name)?.is_none() {
            return Ok(self.wait(name));
        }
        let holds = self.files.holds.entry(self.task).or_default();
        holds.last_token += 1;
        let token = holds.last_token;
        holds.list.push(Hold {
            file: file.base,
            token,
            key: found.key.clone().into_boxed_slice(),
            alternate_key: found.position.clone(),
        });
        let mut answer = Answer::from(found);
        answer.args[0] = token;
        Ok(Step::Done(answer))
    }

    /// READ UPDATE has found no record of its key. Another task may have added
    /// one that is not committed: VSAM waits for the lock on that key.
    fn not_there(&mut self, file: FileId) -> Served {
        let name = LockName::new(LockSpace::Record(file), &self.call().data);
        if self.cx.kernel.locks.is_taken(self.task, &name) {
            if self.call().args[1] & READ_NOSUSPEND != 0 {
                return condition(Condition::RecordBusy, 107);
            }
            if self
                .cx
                .lock(self.request, &name, Lifetime::Unit, DEADLOCK)?
                .is_none()
            {
                return Ok(self.wait(name));
            }
        }
        // The lock that was waited for is of nothing.
        let key = self.call().data.clone();
        self.free_if_unchanged(file, &key);
        condition(Condition::NotFnd, 80)
    }

    fn browse(&mut self) -> Served {
        let file = self.file(|e| e.browse)?;
        let step = BrowseStep::from_number(self.call().args[1]);
        let step = step.ok_or(Failure::Condition(Condition::InvReq, 0))?;
        let key = std::mem::take(&mut self.request.call.data);
        let seek = match step {
            BrowseStep::AtOrAfter => Seek::AtLeast(&key),
            BrowseStep::After => Seek::Greater(&key),
            BrowseStep::AtOrBefore => Seek::AtMost(&key),
            BrowseStep::Before => Seek::Less(&key),
            BrowseStep::Last => Seek::Last,
        };
        match self.seek(file, seek)? {
            Some(found) => Ok(Step::Done(found.into())),
            None => condition(Condition::EndFile, 90),
        }
    }

    fn write(&mut self) -> Served {
        let file = self.file(|e| e.add)?.base;
        let key_bytes = self.call().args[1] as usize;
        let Some((key, record)) = self.call().data.split_at_checked(key_bytes) else {
            return condition(Condition::InvReq, 26);
        };
        let (mut key, record) = (key.to_vec(), record.to_vec());
        self.check_record(&record)?;
        let at_end = self.organisation() == Some(Organisation::Esds);
        if !at_end && key.is_empty() {
            key = self.key_of(&record)?;
        }
        if let Some(wait) = self.lock_unique_keys(file, &record)? {
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
        let changed = self.change(|unit, reader| match at_end {
            true => unit.append(reader, &mut ends, file, &record),
            false => unit
                .insert(reader, file, &key, &record)
                .map(|()| key.clone()),
        });
        self.files.ends = ends;
        let (changed, key) = match changed {
            Ok((at_once, key)) => (Ok(at_once), key),
            Err(failure) => (Err(failure), Vec::new()),
        };
        let found = Found {
            key,
            position: None,
            more: false,
            record: Vec::new(),
        };
        self.settle(name, new, changed, found.into())
    }

    fn rewrite(&mut self) -> Served {
        let file = self.file(|e| e.update)?.base;
        let token = self.call().args[1];
        let hold = self.held(file, token, 30)?;
        let (key, alternate_key) = (hold.key.clone(), hold.alternate_key.clone());
        let record = self.call().data.clone();
        if let (Some(before), Some(index)) = (alternate_key, self.index()) {
            // The key by which the record was read may not change under it.
            let now = index.def.key_in(&record);
            if now != before.get(..index.def.key_bytes()) {
                return condition(Condition::InvReq, 46);
            }
        }
        if let Some(wait) = self.lock_unique_keys(file, &record)? {
            return Ok(wait);
        }
        let changed = self.change(|unit, reader| unit.replace(reader, file, &key, &record));
        let (at_once, ()) = changed?;
        self.drop_hold(file, token);
        let name = LockName::new(LockSpace::Record(file), &key);
        Ok(ended(at_once, Answer::default(), Some(name)))
    }

    fn delete_held(&mut self) -> Served {
        let file = self.file(|e| e.delete)?.base;
        let token = self.call().args[2];
        let key = self.held(file, token, 31)?.key.clone();
        let (at_once, ()) = self.change(|unit, reader| unit.delete(reader, file, &key))?;
        self.drop_hold(file, token);
        let name = LockName::new(LockSpace::Record(file), &key);
        Ok(ended(at_once, counted(1), Some(name)))
    }

    fn delete(&mut self) -> Served {
        let file = self.file(|e| e.delete)?;
        let mut key = self.call().data.clone();
        let mut answer = counted(1);
        if file.index.is_some() {
            // The first record with this alternate key is meant.
            let found = self.seek(file, Seek::Equal(&key))?;
            let found = found.ok_or(Failure::Condition(Condition::NotFnd, 80))?;
            answer.args[1] = found.more.into();
            key = found.key;
        }
        let name = LockName::new(LockSpace::Record(file.base), &key);
        let Some(new) = self.lock(&name)? else {
            return Ok(self.wait(name));
        };
        let changed = self.change(|unit, reader| unit.delete(reader, file.base, &key));
        let changed = changed.map(|(at_once, ())| at_once);
        self.settle(name, new, changed, answer)
    }

    /// Deletes record after record, waiting for locks in between. Changes to a
    /// file that is not recoverable are gathered anew in every try.
    fn delete_generic(&mut self) -> Served {
        let file = self.file(|e| e.delete)?;
        let recoverable = self.is_recoverable();
        let mut at_once = UnitOfWork::new();
        if !recoverable {
            self.request.progress = 0;
        }
        let prefix = self.call().data.clone();
        loop {
            let next = match recoverable {
                true => self.seek(file, Seek::Prefix(&prefix))?.map(|f| f.key),
                false => self.seek_beside(&at_once, file, &prefix)?,
            };
            let Some(key) = next else {
                break;
            };
            let name = LockName::new(LockSpace::Record(file.base), &key);
            if self.lock(&name)?.is_none() {
                return Ok(self.wait(name));
            }
            let (unit, reader) = self.unit_and_store()?;
            let changes = match recoverable {
                true => unit,
                false => &mut at_once,
            };
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
        Ok(ended(at_once, counted(deleted), None))
    }

    fn unlock(&mut self) -> Served {
        let file = self.file(|_| true)?.base;
        let token = self.call().args[1];
        let holds = self.files.holds.entry(self.task).or_default();
        let mut freed = Vec::new();
        holds.list.retain(|hold| {
            let drop = hold.file == file && (token == 0 || hold.token == token);
            if drop {
                freed.push(hold.key.clone());
            }
            !drop
        });
        if freed.is_empty() && token != 0 {
            return condition(Condition::InvReq, 47);
        }
        for key in freed {
            self.free_if_unchanged(file, &key);
        }
        crate::kernel::done()
    }

    /// The file that the call names.
    fn named(&self) -> Option<&File> {
        let number = usize::try_from(self.call().args[0]).ok()?;
        self.files.files.get(number)
    }

    /// What the file that the call names is in the store, if it is open and
    /// allows what is asked.
    fn file(&self, allows: impl Fn(&link::FileEntry) -> bool) -> Result<Target, Failure> {
        let file = self.named();
        let file = file.ok_or(Failure::Condition(Condition::FileNotFound, 1))?;
        if !file.entry.enabled {
            return condition(Condition::Disabled, 50);
        }
        if !allows(&file.entry) {
            return condition(Condition::InvReq, 20);
        }
        let stored = file.stored.as_ref().filter(|_| !file.entry.closed);
        let stored = stored.ok_or(Failure::Condition(Condition::NotOpen, 60))?;
        Ok(Target {
            base: stored.base.id,
            index: stored.index.as_ref().map(|index| index.id),
        })
    }

    fn is_recoverable(&self) -> bool {
        self.named().is_some_and(|f| f.entry.recoverable)
    }

    fn organisation(&self) -> Option<Organisation> {
        let stored = self.named()?.stored.as_ref()?;
        Some(stored.base.def.organisation)
    }

    /// The index of the path that the call names.
    fn index(&self) -> Option<&IndexEntry> {
        self.named()?.stored.as_ref()?.index.as_ref()
    }

    fn definition(&self) -> Result<&FileDef, Failure> {
        let stored = self.named().and_then(|f| f.stored.as_ref());
        let stored = stored.ok_or(Failure::Condition(Condition::NotOpen, 60))?;
        Ok(&stored.base.def)
    }

    fn check_record(&self, record: &[u8]) -> Result<(), Failure> {
        let checked = self.definition()?.check_record(record);
        checked.map_err(|e| of_record(&e))
    }

    /// The key within the record of a WRITE.
    fn key_of(&self, record: &[u8]) -> Result<Vec<u8>, Failure> {
        let key = self.definition()?.key_in(record);
        let key = key.ok_or(Failure::Condition(Condition::InvReq, 26))?;
        Ok(key.to_vec())
    }

    /// Locks the alternate keys that no other record may have, so that of two
    /// tasks that want one the later waits. The step to end with when this one
    /// waits.
    fn lock_unique_keys(&mut self, file: FileId, record: &[u8]) -> Result<Option<Step>, Failure> {
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
    ) -> Result<(&mut UnitOfWork, &mut (dyn ReadStore + Send)), Failure> {
        let both = self.cx.unit_and_store(self.task);
        both.ok_or(Failure::Condition(Condition::NotOpen, 60))
    }

    fn seek(&mut self, file: Target, seek: Seek<'_>) -> Result<Option<Found>, Failure> {
        let mut found = None;
        let (unit, reader) = self.unit_and_store()?;
        let read = match file.index {
            None => unit.seek(reader, file.base, seek, &mut |e| {
                found = Some(Found {
                    key: e.key.to_vec(),
                    position: None,
                    more: false,
                    record: e.record.to_vec(),
                });
            }),
            Some(index) => unit.seek_path(reader, index, seek, &mut |e| {
                found = Some(Found {
                    key: e.base_key.to_vec(),
                    position: Some(e.position.to_vec()),
                    more: e.more,
                    record: e.record.to_vec(),
                });
            }),
        };
        read.map_err(|e| of_read(&e))?;
        Ok(found)
    }

    /// The base's key of the first record with a prefix, past what `changes`
    /// delete.
    fn seek_beside(
        &mut self,
        changes: &UnitOfWork,
        file: Target,
        prefix: &[u8],
    ) -> Result<Option<Vec<u8>>, Failure> {
        let mut found = None;
        let (_, reader) = self.unit_and_store()?;
        let seek = Seek::Prefix(prefix);
        let read = match file.index {
            None => changes.seek(reader, file.base, seek, &mut |e| {
                found = Some(e.key.to_vec())
            }),
            Some(index) => changes.seek_path(reader, index, seek, &mut |e| {
                found = Some(e.base_key.to_vec());
            }),
        };
        read.map_err(|e| of_read(&e))?;
        Ok(found)
    }

    /// Locks; `Some(true)` when the lock is new, `None` when the task waits.
    fn lock(&mut self, name: &LockName) -> Result<Option<bool>, Failure> {
        let nosuspend = self.call().args[CHANGE_NOSUSPEND] != 0;
        if nosuspend && self.cx.kernel.locks.is_taken(self.task, name) {
            return condition(Condition::RecordBusy, 107);
        }
        self.cx.lock(self.request, name, Lifetime::Unit, DEADLOCK)
    }

    fn wait(&mut self, name: LockName) -> Step {
        self.cx.wait_for_lock(self.request, name, DEADLOCK)
    }

    /// Makes a change: in the task's unit, or in one of its own, which is given
    /// back, when the file is not recoverable.
    fn change<R>(
        &mut self,
        make: impl FnOnce(&mut UnitOfWork, &mut (dyn ReadStore + Send)) -> Result<R, UnitError>,
    ) -> Result<(Option<UnitOfWork>, R), Failure> {
        let recoverable = self.is_recoverable();
        let (unit, reader) = self.unit_and_store()?;
        let mut at_once = UnitOfWork::new();
        let made = match recoverable {
            true => make(unit, reader),
            false => make(&mut at_once, reader),
        };
        let made = made.map_err(|e| of_unit(&e))?;
        Ok(((!recoverable).then_some(at_once), made))
    }

    /// Ends a command that locked its record itself: a lock that was taken for
    /// nothing is given back.
    fn settle(
        &mut self,
        name: LockName,
        new: bool,
        changed: Result<Option<UnitOfWork>, Failure>,
        answer: Answer,
    ) -> Served {
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

    /// The record that the task read for update: the one of a token, or the
    /// last one. Where it has read none, INVREQ with `none`.
    fn held(&self, file: FileId, token: u64, none: u32) -> Result<&Hold, Failure> {
        let holds = self.files.holds.get(&self.task);
        let list = holds.map_or(&[][..], |h| &h.list);
        let mut of_file = list.iter().rev().filter(|h| h.file == file);
        let hold = of_file.find(|h| token == 0 || h.token == token);
        let missing = if token == 0 { none } else { 47 };
        hold.ok_or(Failure::Condition(Condition::InvReq, missing))
    }

    fn drop_hold(&mut self, file: FileId, token: u64) {
        let holds = self.files.holds.entry(self.task).or_default();
        let held = |h: &Hold| h.file == file && (token == 0 || h.token == token);
        if let Some(at) = holds.list.iter().rposition(held) {
            holds.list.remove(at);
        }
    }

    fn free_if_unchanged(&mut self, file: FileId, key: &[u8]) {
        let holds = self.files.holds.get(&self.task);
        let mut list = holds.iter().flat_map(|h| &h.list);
        let held = list.any(|h| h.file == file && *h.key == *key);
        let unit = self.cx.kernel.units.get(self.task);
        let changed = unit.is_some_and(|u| u.changes.change(file, key).is_some());
        if !held && !changed {
            let name = LockName::new(LockSpace::Record(file), key);
            self.cx.unlock(self.task, &name);
        }
    }
}

/// A command that is over, or is when its change is committed.
fn ended(at_once: Option<UnitOfWork>, answer: Answer, unlock: Option<LockName>) -> Step {
    match at_once {
        Some(changes) => Step::Commit(
            changes,
            Outcome {
                answer,
                refused: of_apply,
                unlock,
                settle: Box::new(|_, _, _| {}),
            },
        ),
        None => Step::Done(answer),
    }
}

impl From<Found> for Answer {
    /// The key or position, then the record.
    fn from(found: Found) -> Answer {
        let mut data = found.position.unwrap_or(found.key);
        let key_bytes = data.len() as u64;
        data.extend_from_slice(&found.record);
        let mut answer = Answer::of_data(data);
        answer.args[1] = found.more.into();
        answer.args[2] = key_bytes;
        answer
    }
}

fn counted(records: u64) -> Answer {
    let mut answer = Answer::default();
    answer.args[0] = records;
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Definitions, RegionConfig};
    use crate::resources::world::World;
    use link::{FileEntry, Name};
    use store::{KeyField, MemoryStore, RecordFormat, WriteStore};

    const KEY: &[u8] = b"0001";
    const RECORD: &[u8] = b"0001 one";

    /// A region with one file, whose keys have four bytes.
    fn world() -> World {
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
            read: true,
            update: true,
            add: true,
            delete: true,
            browse: true,
            enabled: true,
            ..FileEntry::default()
        };
        let config = RegionConfig {
            definitions: Definitions {
                files: vec![file],
                ..Definitions::default()
            },
            ..RegionConfig::default()
        };
        let files = config.definitions.files.clone();
        let mut world = World::over(config, Some(store));
        let files = world.kernel.renumber_files(&files);
        world.kernel.define_files(&files);
        world
    }

    fn add(w: &mut World, task: u32) {
        w.on_file(task, Op::Write, KEY.len() as u64, &[KEY, RECORD].concat());
        got(w, &[(task, "NORMAL")]);
    }

    fn got(w: &mut World, told: &[(u32, &str)]) {
        let told: Vec<_> = told.iter().map(|(n, s)| (*n, (*s).to_owned())).collect();
        assert_eq!(w.answers(), told);
    }

    #[test]
    fn a_read_for_update_waits_for_who_is_adding_the_record() {
        let mut w = world();
        add(&mut w, 1);
        w.on_file(2, Op::Read, READ_UPDATE, KEY);
        w.on_file(3, Op::Read, READ_UPDATE | READ_NOSUSPEND, KEY);
        // Without UPDATE nobody waits.
        w.on_file(4, Op::Read, 0, KEY);
        got(&mut w, &[(3, "RECORDBUSY"), (4, "NOTFND")]);
        w.end(1, true);
        got(&mut w, &[(2, "NORMAL")]);
        w.on_file(2, Op::Rewrite, 0, b"0001 two");
        got(&mut w, &[(2, "NORMAL")]);
        w.end(2, true);
        assert_eq!(w.kernel.locks().each().count(), 0);
    }

    #[test]
    fn a_record_that_was_never_added_is_not_found_and_leaves_no_lock() {
        let mut w = world();
        add(&mut w, 1);
        w.on_file(2, Op::Read, READ_UPDATE, KEY);
        got(&mut w, &[]);
        w.end(1, false);
        got(&mut w, &[(2, "NOTFND")]);
        assert_eq!(w.kernel.locks().each().count(), 0);
        // A task that has deleted the record keeps its own lock.
        add(&mut w, 3);
        w.on_file(3, Op::Delete, 0, KEY);
        w.on_file(3, Op::Read, READ_UPDATE, KEY);
        got(&mut w, &[(3, "NORMAL"), (3, "NOTFND")]);
        w.end(3, true);
        assert_eq!(w.kernel.locks().each().count(), 0);
    }
}
