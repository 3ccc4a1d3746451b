//! The file commands themselves.
//!
//! A command is tried; if it must wait for a lock it is tried again from its
//! start when it has the lock. So it sees the record as its last owner left it.

use link::call::{
    DELETE_GENERIC, DELETE_HELD, READ_GENERIC, READ_GTEQ, READ_NOSUSPEND, READ_UPDATE,
};
use link::{Answer, Call, Op, Step};
use store::{FileId, ReadError, ReadStore, Seek, UnitError, UnitOfWork};

use super::answers::{
    DISABLED, ENDFILE, FILENOTFOUND, INVREQ, NOTFND, NOTOPEN, RECORDBUSY, abend, condition,
    of_read, of_unit, record,
};
use super::locks::{Grant, LockName};
use super::{Effect, Files, Hold, Job, Stalled, Then};
use crate::core::TaskKey;

/// What one try of a command came to.
enum Tried {
    /// It is done.
    Answer(Answer),
    /// It waits for a lock.
    Wait,
    /// It is done once the change is committed: a file that is not
    /// recoverable. The lock is given back then.
    Commit(UnitOfWork, Answer, Option<(FileId, Box<[u8]>)>),
}

/// A record with its key.
type Found = (Vec<u8>, Vec<u8>);

type Attempt = Result<Tried, Answer>;

impl Files {
    /// Tries a command; `again` when it waited before.
    pub(super) fn attempt(
        &mut self,
        now: u64,
        task: TaskKey,
        mut stalled: Stalled,
        again: bool,
        out: &mut Vec<Effect>,
    ) {
        let tried = self.run(now, task, &mut stalled, out);
        let waits = matches!(tried, Ok(Tried::Wait));
        if waits != again {
            out.push(Effect::Waits(task));
        }
        match tried {
            Ok(Tried::Answer(answer)) | Err(answer) => out.push(Effect::Answer(task, answer)),
            Ok(Tried::Wait) => {
                if !again {
                    self.lock_waits += 1;
                    let timeout = stalled.timeout_ns.unwrap_or(self.lock_timeout_ns);
                    stalled.deadline = now.saturating_add(timeout);
                }
                self.stalled.insert(task, stalled);
            }
            Ok(Tried::Commit(changes, answer, name)) => {
                if let Some(unit) = self.units.get_mut(&task) {
                    unit.committing = true;
                }
                out.push(Effect::Commit(Job {
                    task,
                    changes,
                    then: Then::Answer(answer, name),
                }));
            }
        }
    }

    fn run(
        &mut self,
        now: u64,
        task: TaskKey,
        stalled: &mut Stalled,
        out: &mut Vec<Effect>,
    ) -> Attempt {
        let Stalled { call, deleted, .. } = stalled;
        match call.op {
            Op::Read => self.read(task, call),
            Op::Browse => self.browse(task, call),
            Op::Write => self.write(now, task, call, out),
            Op::Rewrite => self.rewrite(task, call),
            Op::Delete if call.args[1] & DELETE_HELD != 0 => self.delete_held(task, call),
            Op::Delete if call.args[1] & DELETE_GENERIC != 0 => {
                self.delete_generic(task, call, deleted)
            }
            Op::Delete => self.delete(now, task, call, out),
            Op::Unlock => Ok(Tried::Answer(self.unlock(now, task, call, out))),
            _ => Err(condition(INVREQ, 0)),
        }
    }

    fn read(&mut self, task: TaskKey, call: &Call) -> Attempt {
        let flags = call.args[1];
        let file = self.file(call, |e| e.read)?;
        let seek = match (flags & READ_GENERIC != 0, flags & READ_GTEQ != 0) {
            (_, true) => Seek::AtLeast(&call.data),
            (true, false) => Seek::Prefix(&call.data),
            (false, false) => Seek::Equal(&call.data),
        };
        let found = self.seek(task, file, seek)?;
        let (key, data) = found.ok_or(condition(NOTFND, 80))?;
        if flags & READ_UPDATE == 0 {
            return Ok(Tried::Answer(record(data)));
        }
        self.file(call, |e| e.update || e.delete)?;
        if flags & READ_NOSUSPEND != 0 && self.locks.is_taken(task, file, &key) {
            return Err(condition(RECORDBUSY, 107));
        }
        if self.try_lock(task, file, &key)?.is_none() {
            return Ok(Tried::Wait);
        }
        let unit = self.units.entry(task).or_default();
        unit.next_token += 1;
        let token = unit.next_token;
        let key = key.into_boxed_slice();
        unit.holds.push(Hold { file, token, key });
        let mut answer = record(data);
        answer.args[0] = token;
        Ok(Tried::Answer(answer))
    }

    fn browse(&mut self, task: TaskKey, call: &Call) -> Attempt {
        let file = self.file(call, |e| e.browse)?;
        let key = &call.data[..];
        let step = Step::from_number(call.args[1]).ok_or(condition(INVREQ, 0))?;
        let seek = match step {
            Step::AtOrAfter => Seek::AtLeast(key),
            Step::After => Seek::Greater(key),
            Step::AtOrBefore => Seek::AtMost(key),
            Step::Before => Seek::Less(key),
            Step::Last => Seek::Last,
        };
        match self.seek(task, file, seek)? {
            Some((_, data)) => Ok(Tried::Answer(record(data))),
            None => Err(condition(ENDFILE, 90)),
        }
    }

    fn write(&mut self, now: u64, task: TaskKey, call: &Call, out: &mut Vec<Effect>) -> Attempt {
        let file = self.file(call, |e| e.add)?;
        let key = self.key_of(call)?;
        let Some(new) = self.try_lock(task, file, &key)? else {
            return Ok(Tried::Wait);
        };
        let changed = self.change(task, call, |unit, reader| {
            unit.insert(reader, file, &key, &call.data)
        });
        self.settle(now, task, (file, key.into()), new, changed, out)
    }

    fn rewrite(&mut self, task: TaskKey, call: &Call) -> Attempt {
        let file = self.file(call, |e| e.update)?;
        let token = call.args[1];
        let key = self.held_key(task, file, token)?;
        let at_once = self.change(task, call, |unit, reader| {
            unit.replace(reader, file, &key, &call.data)
        })?;
        self.drop_hold(task, file, token);
        Ok(done(at_once, Answer::default(), Some((file, key))))
    }

    fn delete_held(&mut self, task: TaskKey, call: &Call) -> Attempt {
        let file = self.file(call, |e| e.delete)?;
        let token = call.args[2];
        let key = self.held_key(task, file, token)?;
        let at_once = self.change(task, call, |unit, reader| unit.delete(reader, file, &key))?;
        self.drop_hold(task, file, token);
        Ok(done(at_once, counted(1), Some((file, key))))
    }

    fn delete(&mut self, now: u64, task: TaskKey, call: &Call, out: &mut Vec<Effect>) -> Attempt {
        let file = self.file(call, |e| e.delete)?;
        let key = &call.data[..];
        let Some(new) = self.try_lock(task, file, key)? else {
            return Ok(Tried::Wait);
        };
        let changed = self.change(task, call, |unit, reader| unit.delete(reader, file, key));
        let mut tried = self.settle(now, task, (file, key.into()), new, changed, out)?;
        if let Tried::Answer(answer) | Tried::Commit(_, answer, _) = &mut tried {
            answer.args[0] = 1;
        }
        Ok(tried)
    }

    /// Deletes record after record, waiting for locks in between. Changes to a
    /// file that is not recoverable are gathered anew in every try.
    fn delete_generic(&mut self, task: TaskKey, call: &Call, deleted: &mut u64) -> Attempt {
        let file = self.file(call, |e| e.delete)?;
        let recoverable = self.is_recoverable(call);
        let mut at_once = UnitOfWork::new();
        if !recoverable {
            *deleted = 0;
        }
        loop {
            let next = match recoverable {
                true => self
                    .seek(task, file, Seek::Prefix(&call.data))?
                    .map(|f| f.0),
                false => self.seek_beside(&at_once, file, &call.data)?,
            };
            let Some(key) = next else {
                break;
            };
            if self.try_lock(task, file, &key)?.is_none() {
                return Ok(Tried::Wait);
            }
            let unit = self.units.entry(task).or_default();
            let changes = match recoverable {
                true => &mut unit.changes,
                false => &mut at_once,
            };
            let deletion = changes.delete(self.reader.as_mut(), file, &key);
            deletion.map_err(|e| of_unit(&e))?;
            *deleted += 1;
        }
        if *deleted == 0 {
            return Err(condition(NOTFND, 80));
        }
        let at_once = (!recoverable).then_some(at_once);
        Ok(done(at_once, counted(*deleted), None))
    }

    fn unlock(&mut self, now: u64, task: TaskKey, call: &Call, out: &mut Vec<Effect>) -> Answer {
        let file = match self.file(call, |_| true) {
            Ok(file) => file,
            Err(answer) => return answer,
        };
        let token = call.args[1];
        let unit = self.units.entry(task).or_default();
        let mut freed = Vec::new();
        unit.holds.retain(|hold| {
            let drop = hold.file == file && (token == 0 || hold.token == token);
            if drop {
                freed.push(hold.key.clone());
            }
            !drop
        });
        if freed.is_empty() && token != 0 {
            return condition(INVREQ, 47);
        }
        for key in freed {
            self.free_if_unchanged(now, task, file, &key, out);
        }
        Answer::default()
    }

    /// The number in the store of the file that a call names, if it is open
    /// and allows what is asked.
    fn file(
        &self,
        call: &Call,
        allows: impl Fn(&link::FileEntry) -> bool,
    ) -> Result<FileId, Answer> {
        let number = usize::try_from(call.args[0]).unwrap_or(usize::MAX);
        let file = self.files.get(number).ok_or(condition(FILENOTFOUND, 1))?;
        if !file.entry.enabled {
            return Err(condition(DISABLED, 50));
        }
        if !allows(&file.entry) {
            return Err(condition(INVREQ, 20));
        }
        let stored = file.stored.as_ref().ok_or(condition(NOTOPEN, 60))?;
        Ok(stored.0)
    }

    fn is_recoverable(&self, call: &Call) -> bool {
        let file = self.files.get(call.args[0] as usize);
        file.is_some_and(|f| f.entry.recoverable)
    }

    /// The key within the record of a WRITE.
    fn key_of(&self, call: &Call) -> Result<Vec<u8>, Answer> {
        let file = self.files.get(call.args[0] as usize);
        let def = file.and_then(|f| f.stored.as_ref()).map(|(_, def)| def);
        let def = def.ok_or(condition(NOTOPEN, 60))?;
        def.check_record(&call.data)
            .map_err(|e| of_unit(&UnitError::Record(e)))?;
        let key = def.key_in(&call.data);
        Ok(key.ok_or(condition(INVREQ, 26))?.to_vec())
    }

    fn seek(
        &mut self,
        task: TaskKey,
        file: FileId,
        seek: Seek<'_>,
    ) -> Result<Option<Found>, Answer> {
        let mut found = None;
        let mut take = |e: store::Entry<'_>| found = Some((e.key.to_vec(), e.record.to_vec()));
        let reader = self.reader.as_mut();
        let read: Result<bool, ReadError> = match self.units.get(&task) {
            Some(unit) => unit.changes.seek(reader, file, seek, &mut take),
            None => reader.seek(file, seek, &mut take),
        };
        read.map_err(|e| of_read(&e))?;
        Ok(found)
    }

    fn seek_beside(
        &mut self,
        changes: &UnitOfWork,
        file: FileId,
        prefix: &[u8],
    ) -> Result<Option<Vec<u8>>, Answer> {
        let mut found = None;
        let mut take = |e: store::Entry<'_>| found = Some(e.key.to_vec());
        changes
            .seek(self.reader.as_mut(), file, Seek::Prefix(prefix), &mut take)
            .map_err(|e| of_read(&e))?;
        Ok(found)
    }

    /// Locks; `Some(true)` when the lock is new, `None` when the task waits.
    fn try_lock(
        &mut self,
        task: TaskKey,
        file: FileId,
        key: &[u8],
    ) -> Result<Option<bool>, Answer> {
        match self.locks.lock(task, file, key) {
            Grant::New => Ok(Some(true)),
            Grant::Owned => Ok(Some(false)),
            Grant::Waits => Ok(None),
            Grant::Deadlock => {
                self.deadlocks += 1;
                Err(abend(b"AFCF"))
            }
        }
    }

    /// Makes a change: in the task's unit, or in one of its own, which is given
    /// back, when the file is not recoverable.
    fn change(
        &mut self,
        task: TaskKey,
        call: &Call,
        make: impl FnOnce(&mut UnitOfWork, &mut dyn ReadStore) -> Result<(), UnitError>,
    ) -> Result<Option<UnitOfWork>, Answer> {
        let recoverable = self.is_recoverable(call);
        let unit = self.units.entry(task).or_default();
        let reader = self.reader.as_mut();
        let mut at_once = UnitOfWork::new();
        let made = match recoverable {
            true => make(&mut unit.changes, reader),
            false => make(&mut at_once, reader),
        };
        made.map_err(|e| of_unit(&e))?;
        Ok((!recoverable).then_some(at_once))
    }

    /// Ends a command that locked its record itself: a lock that was taken for
    /// nothing is given back.
    fn settle(
        &mut self,
        now: u64,
        task: TaskKey,
        (file, key): LockName,
        new: bool,
        changed: Result<Option<UnitOfWork>, Answer>,
        out: &mut Vec<Effect>,
    ) -> Attempt {
        match changed {
            Ok(at_once) => {
                let name = new.then_some((file, key));
                Ok(done(at_once, Answer::default(), name))
            }
            Err(answer) => {
                if new && let Some(next) = self.locks.unlock(task, file, &key) {
                    self.resume(now, next, out);
                }
                Err(answer)
            }
        }
    }

    /// The key of the record that the task read for update: the one of a
    /// token, or the last one.
    fn held_key(&self, task: TaskKey, file: FileId, token: u64) -> Result<Box<[u8]>, Answer> {
        let holds = self.units.get(&task).map_or(&[][..], |u| &u.holds);
        let mut of_file = holds.iter().rev().filter(|h| h.file == file);
        let hold = of_file.find(|h| token == 0 || h.token == token);
        let missing = if token == 0 { 30 } else { 47 };
        Ok(hold.ok_or(condition(INVREQ, missing))?.key.clone())
    }

    fn drop_hold(&mut self, task: TaskKey, file: FileId, token: u64) {
        let Some(unit) = self.units.get_mut(&task) else {
            return;
        };
        let held = |h: &Hold| h.file == file && (token == 0 || h.token == token);
        if let Some(at) = unit.holds.iter().rposition(held) {
            unit.holds.remove(at);
        }
    }

    fn free_if_unchanged(
        &mut self,
        now: u64,
        task: TaskKey,
        file: FileId,
        key: &[u8],
        out: &mut Vec<Effect>,
    ) {
        let Some(unit) = self.units.get(&task) else {
            return;
        };
        let held = unit.holds.iter().any(|h| h.file == file && *h.key == *key);
        if held || unit.changes.change(file, key).is_some() {
            return;
        }
        if let Some(next) = self.locks.unlock(task, file, key) {
            self.resume(now, next, out);
        }
    }
}

/// A command that is over, or is when its change is committed.
fn done(at_once: Option<UnitOfWork>, answer: Answer, name: Option<LockName>) -> Tried {
    match at_once {
        Some(changes) => Tried::Commit(changes, answer, name),
        None => Tried::Answer(answer),
    }
}

fn counted(records: u64) -> Answer {
    let mut answer = Answer::default();
    answer.args[0] = records;
    answer
}
