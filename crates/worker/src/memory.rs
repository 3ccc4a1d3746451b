//! Services in memory: programs under test, and `tupelo run` without files.
//!
//! Files live in a [`MemoryStore`], changes in a unit of work that SYNCPOINT
//! applies. There is one task at a time, so a lock is a number and no task
//! waits.

use std::collections::HashMap;

use cics::file::FileAccess;
use cics::resp::Condition;
use link::conversation::Verb;
use link::{ArenaHeap, CommandOperands, FileEntry};
use store::{
    FileDef, FileId, KeyField, MemoryStore, RecordFormat, SeekKey, UnitError, UnitOfWork,
    WriteStore,
};

use crate::files::key_in;
use crate::services::{
    Arena, CommandFailure, CommandReply, CrossingCounts, FileServices, FoundRecord, LinkData,
    LinkStep, MemoryAreas, PartnerServices, ProgramServices, RecordVisitor, ServiceResult,
    SqlServices, TurnServices, UnitServices, VerbAnswer, WorkerServices,
};
use crate::sql::{SqlConnection, SqlLink, SqlRefusal};

/// A program that lives elsewhere: changes its COMMAREA.
pub type RemoteProgram = fn(&mut [u8]);

/// Services in memory.
pub struct MemoryServices {
    arena: Vec<u8>,
    heap: ArenaHeap,
    store: MemoryStore,
    unit: UnitOfWork,
    files: Vec<(FileEntry, FileId)>,
    held: HashMap<u32, (usize, Vec<u8>)>,
    last_token: u32,
    remotes: HashMap<[u8; 8], RemoteProgram>,
    qr: bool,
    sql: SqlConnection,
}

impl MemoryServices {
    /// Services over empty files with these definitions, and an arena.
    pub fn new(files: &[FileEntry], arena_bytes: usize) -> Result<Self, store::DefineError> {
        let mut store = MemoryStore::new();
        let mut list = Vec::new();
        for file in files {
            let key = KeyField {
                offset_bytes: file.key_offset,
                length_bytes: file.key_bytes,
            };
            let format = if file.variable {
                RecordFormat::Variable
            } else {
                RecordFormat::Fixed
            };
            let name = file.name.as_str().parse()?;
            let id = store.define(FileDef::ksds(name, key, format, file.record_bytes)?)?;
            list.push((file.clone(), id));
        }
        Ok(MemoryServices {
            arena: vec![0; arena_bytes],
            heap: ArenaHeap::new(arena_bytes),
            store,
            unit: UnitOfWork::new(),
            files: list,
            held: HashMap::new(),
            last_token: 0,
            remotes: HashMap::new(),
            qr: false,
            sql: SqlConnection::default(),
        })
    }

    /// Serves EXEC SQL over a connection whose session is idle.
    pub fn set_sql(&mut self, fd: std::os::fd::OwnedFd, options: runtime::sql::SessionOptions) {
        self.sql = SqlConnection::new(fd, options);
    }

    /// Adds a program that lives elsewhere.
    pub fn add_remote(&mut self, name: [u8; 8], program: RemoteProgram) {
        self.remotes.insert(name, program);
    }

    fn key<'r>(&self, file: usize, record: &'r [u8]) -> &'r [u8] {
        key_in(&self.files[file].0, record)
    }

    fn held_key(&mut self, file: usize, token: u32) -> ServiceResult<Vec<u8>> {
        match self.held.remove(&token) {
            Some((of, key)) if of == file => Ok(key),
            _ => Err(CommandFailure::Condition(Condition::InvReq, 47)),
        }
    }
}

fn refused(error: UnitError) -> CommandFailure {
    match error {
        UnitError::Duplicate(_) | UnitError::DuplicateAlternate { .. } => {
            CommandFailure::Condition(Condition::DupRec, 150)
        }
        UnitError::NoAddress => CommandFailure::Condition(Condition::NoSpace, 100),
        UnitError::NotFound(_) => CommandFailure::Condition(Condition::NotFnd, 80),
        UnitError::Record(_) => CommandFailure::Condition(Condition::LengErr, 14),
        UnitError::Read(_) => CommandFailure::Condition(Condition::IoErr, 120),
    }
}

impl WorkerServices for MemoryServices {
    fn begin_task(&mut self, _slot: usize) {}

    fn end_task(&mut self) {
        self.held.clear();
        self.sql.end_task();
    }

    /// There is no region to serve it.
    fn command(
        &mut self,
        _number: u16,
        _operands: &CommandOperands,
    ) -> ServiceResult<CommandReply> {
        Err(CommandFailure::Abend(*b"AEY9"))
    }

    fn crossings(&self) -> CrossingCounts {
        CrossingCounts::default()
    }
}

impl MemoryAreas for MemoryServices {
    fn arena(&mut self) -> Arena<'_> {
        Arena {
            base: self.arena.as_mut_ptr(),
            heap: &mut self.heap,
        }
    }
}

impl TurnServices for MemoryServices {
    fn progress(&mut self) {}

    fn qr_take(&mut self) {
        self.qr = true;
    }

    fn qr_give(&mut self) {
        self.qr = false;
    }
}

impl FileServices for MemoryServices {
    fn fetch(
        &mut self,
        file: usize,
        seek: SeekKey<'_>,
        _access: FileAccess,
        show: &mut RecordVisitor<'_>,
    ) -> ServiceResult<bool> {
        let id = self.files[file].1;
        let mut show = |e: store::RecordView<'_>| show(e.into());
        self.unit
            .seek(&mut self.store, id, seek, &mut show)
            .map_err(|_| CommandFailure::Condition(Condition::IoErr, 120))
    }

    fn fetch_for_update(
        &mut self,
        file: usize,
        seek: SeekKey<'_>,
        access: FileAccess,
        _nosuspend: bool,
        show: &mut RecordVisitor<'_>,
    ) -> ServiceResult<Option<u32>> {
        let mut key = Vec::new();
        let mut take = |found: FoundRecord<&[u8]>| {
            key.extend_from_slice(found.key());
            show(found);
        };
        if !self.fetch(file, seek, access, &mut take)? {
            return Ok(None);
        }
        self.last_token += 1;
        self.held.insert(self.last_token, (file, key));
        Ok(Some(self.last_token))
    }

    fn write(
        &mut self,
        file: usize,
        _number: &[u8],
        record: &[u8],
        _nosuspend: bool,
    ) -> ServiceResult<Vec<u8>> {
        let (id, key) = (self.files[file].1, self.key(file, record).to_vec());
        let added = self.unit.insert(&mut self.store, id, &key, record);
        added.map_err(refused)?;
        Ok(key)
    }

    fn rewrite(
        &mut self,
        file: usize,
        token: u32,
        record: &[u8],
        _nosuspend: bool,
    ) -> ServiceResult<()> {
        let key = self.held_key(file, token)?;
        let id = self.files[file].1;
        self.unit
            .replace(&mut self.store, id, &key, record)
            .map_err(refused)
    }

    fn delete_held(&mut self, file: usize, token: u32) -> ServiceResult<()> {
        let key = self.held_key(file, token)?;
        self.delete(file, &key, false).map(drop)
    }

    fn delete(&mut self, file: usize, key: &[u8], _nosuspend: bool) -> ServiceResult<bool> {
        let id = self.files[file].1;
        let deleted = self.unit.delete(&mut self.store, id, key);
        deleted.map(|()| false).map_err(refused)
    }

    fn delete_generic(&mut self, file: usize, key: &[u8], _nosuspend: bool) -> ServiceResult<u64> {
        let mut deleted = 0;
        loop {
            let mut full = Vec::new();
            let mut take = |found: FoundRecord<&[u8]>| full.extend_from_slice(found.key());
            if !self.fetch(file, SeekKey::Prefix(key), FileAccess::Delete, &mut take)? {
                return Ok(deleted);
            }
            self.delete(file, &full, false)?;
            deleted += 1;
        }
    }

    fn unlock(&mut self, file: usize, token: Option<u32>) -> ServiceResult<()> {
        self.held
            .retain(|t, (of, _)| *of != file || token.is_some_and(|wanted| wanted != *t));
        Ok(())
    }
}

impl UnitServices for MemoryServices {
    fn syncpoint(&mut self) -> ServiceResult<()> {
        self.held.clear();
        let unit = std::mem::take(&mut self.unit);
        if !self.sql.end_unit(true) {
            return Err(CommandFailure::Condition(Condition::RolledBack, 0));
        }
        match self.store.apply(&[unit]).pop() {
            Some(Ok(())) | None => Ok(()),
            Some(Err(_)) => Err(CommandFailure::Condition(Condition::RolledBack, 0)),
        }
    }

    fn rollback(&mut self) -> ServiceResult<()> {
        self.held.clear();
        self.unit = UnitOfWork::new();
        self.sql.end_unit(false);
        Ok(())
    }
}

impl SqlServices for MemoryServices {
    fn sql_open(&mut self) -> Result<Box<SqlLink>, SqlRefusal> {
        self.sql.open()
    }

    fn sql_keep(&mut self, link: Box<SqlLink>) {
        self.sql.keep(link);
    }
}

impl ProgramServices for MemoryServices {
    fn link(&mut self, program: &[u8; 8], payload: &LinkData) -> ServiceResult<LinkStep> {
        match (self.remotes.get(program), payload) {
            (Some(run), LinkData::Commarea(commarea)) => {
                let mut commarea = commarea.clone();
                run(&mut commarea);
                Ok(LinkStep::Done(LinkData::Commarea(commarea)))
            }
            _ => Err(CommandFailure::Condition(Condition::PgmIdErr, 3)),
        }
    }

    fn nested_done(
        &mut self,
        _abend: Option<[u8; 4]>,
        payload: &LinkData,
    ) -> ServiceResult<LinkStep> {
        Ok(LinkStep::Done(payload.clone()))
    }
}

impl PartnerServices for MemoryServices {
    /// There are no partners, and no task was attached by one.
    fn converse(
        &mut self,
        verb: Verb,
        _args: [u64; 3],
        _data: &[&[u8]],
    ) -> ServiceResult<VerbAnswer> {
        Ok(VerbAnswer::refused(match verb {
            Verb::Allocate => Condition::SysIdErr,
            _ => Condition::NotAlloc,
        }))
    }
}
