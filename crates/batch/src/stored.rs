//! Files of the store: a KSDS with its alternate keys, an RRDS, an ESDS.
//!
//! All files of a program share one unit of work. It is committed when it has grown
//! to its limit, when a file is closed and when the program ends: as for a batch
//! program on z/OS, written records stay even after an abnormal end. The unit of a
//! program with EXEC SQL lasts until COMMIT or ROLLBACK: [`unit`]. If a region
//! runs, the region makes the changes, and the unit has those that the region has
//! not committed yet, so that this program can read them.

mod unit;

use store::{
    ApplyError, FileAccessPath, FileDef, FileEnds, FileId, FileOrganisation, FoundRecord,
    ReadError, ReadStore, SeekKey, StorageError, UnitError, UnitOfWork, WriteStore,
};

use crate::handler::Key;
use crate::region_files::{JobRequest, Region, Response};
use crate::status::Status;

/// Changes and bytes after which the unit is applied.
const MOST_CHANGES: usize = 5_000;
const MOST_BYTES: usize = 8 << 20;

/// A store that a program works on.
pub struct StoreRecords {
    reader: Box<dyn ReadStore>,
    writer: Writer,
    unit: UnitOfWork,
    ends: FileEnds,
    changes: usize,
    /// Set if COMMIT and ROLLBACK end units: whether the SQL of the unit has changes.
    held: Option<fn() -> bool>,
    /// Why the files cannot be used any more.
    broken: Option<String>,
}

/// The writer of the files.
enum Writer {
    /// This process.
    Own(Box<dyn WriteStore>),
    /// The region that has them, and how often it had committed this program's
    /// changes when the unit was begun.
    InRegion(Region, u64),
}

/// A failure, as a file status and a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// For the program.
    pub status: Status,
    /// The message; empty if the status is enough.
    pub text: String,
}

impl From<Status> for Fault {
    fn from(status: Status) -> Self {
        Fault {
            status,
            text: String::new(),
        }
    }
}

impl From<StorageError> for Fault {
    fn from(error: StorageError) -> Self {
        let full = matches!(
            error,
            StorageError::MapFull { .. } | StorageError::DiskFull { .. }
        );
        Fault {
            status: if full {
                Status::NO_ROOM
            } else {
                Status::PERMANENT
            },
            text: error.to_string(),
        }
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Storage(error) => error.into(),
            other => Fault {
                status: Status::PERMANENT,
                text: other.to_string(),
            },
        }
    }
}

impl From<ApplyError> for Fault {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Storage(error) => error.into(),
            other => Fault {
                status: Status::PERMANENT,
                text: other.to_string(),
            },
        }
    }
}

impl From<UnitError> for Fault {
    fn from(error: UnitError) -> Self {
        match error {
            UnitError::Duplicate(_) | UnitError::DuplicateAlternate { .. } => {
                Status::DUPLICATE.into()
            }
            UnitError::NoAddress => Status::NO_ROOM.into(),
            UnitError::NotFound(_) => Status::NOT_FOUND.into(),
            UnitError::Record(_) => Status::BAD_LENGTH.into(),
            UnitError::Read(error) => error.into(),
        }
    }
}

/// The access path of a file: its own key or an alternate index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeySource {
    Own,
    Index(FileId),
}

/// An open file of the store.
#[derive(Debug)]
pub struct StoredFile {
    file: FileId,
    def: std::sync::Arc<FileDef>,
    keys: Vec<KeySource>,
}

impl StoreRecords {
    /// A store that this process has to itself.
    pub fn new(reader: Box<dyn ReadStore>, writer: Box<dyn WriteStore>) -> Self {
        Self::with_writer(reader, Writer::Own(writer))
    }

    /// A store that a region has.
    pub fn with_region(reader: Box<dyn ReadStore>, region: Region) -> Self {
        Self::with_writer(reader, Writer::InRegion(region, 0))
    }

    fn with_writer(reader: Box<dyn ReadStore>, writer: Writer) -> Self {
        StoreRecords {
            reader,
            writer,
            unit: UnitOfWork::new(),
            ends: FileEnds::default(),
            changes: 0,
            held: None,
            broken: None,
        }
    }

    /// Makes sure that files can be changed.
    pub fn make_writable(&mut self) -> Result<(), Fault> {
        match &mut self.writer {
            Writer::Own(_) => Ok(()),
            Writer::InRegion(region, _) => region.connect(),
        }
    }

    /// Commits pending changes.
    pub fn commit(&mut self) -> Result<(), Fault> {
        let has_changes = self.has_changes();
        self.changes = 0;
        let unit = std::mem::take(&mut self.unit);
        if !has_changes {
            return Ok(());
        }
        match &mut self.writer {
            Writer::Own(writer) => {
                for result in writer.apply(&[unit]) {
                    result?;
                }
            }
            Writer::InRegion(..) => {
                self.ask(&JobRequest::Flush)?;
            }
        }
        Ok(())
    }

    fn changed(&mut self) -> Result<(), Fault> {
        self.changes += 1;
        if self.held.is_some() {
            return Ok(());
        }
        let many = self.changes >= MOST_CHANGES || self.unit.bytes() >= MOST_BYTES;
        if many && matches!(self.writer, Writer::Own(_)) {
            self.commit()?;
        }
        Ok(())
    }

    /// Sends a request to the region, if it owns the store. Changes that it has
    /// committed are removed from the unit, because other tasks may change
    /// those records.
    fn ask(&mut self, ask: &JobRequest<'_>) -> Result<Option<Response>, Fault> {
        let Writer::InRegion(region, commits) = &mut self.writer else {
            return Ok(None);
        };
        let reply = region.ask(ask);
        if *commits != region.commits() {
            *commits = region.commits();
            self.unit = UnitOfWork::new();
        }
        reply.map(Some)
    }

    /// Adds a change to the unit. If a region runs, it has made the change
    /// already. Changes that cannot be merged with committed records become
    /// visible with their commit.
    fn lay(
        &mut self,
        change: impl FnOnce(&mut UnitOfWork, &mut dyn ReadStore, &mut FileEnds) -> Result<(), UnitError>,
    ) -> Result<(), Fault> {
        let laid = change(&mut self.unit, &mut *self.reader, &mut self.ends);
        match (laid, &self.writer) {
            (Err(error), Writer::InRegion(..)) if self.held.is_some() => {
                return Err(self.break_off(format!(
                    "a change of the unit of work cannot be read back: {error}"
                )));
            }
            (Err(_), Writer::InRegion(..)) => {
                self.unit = UnitOfWork::new();
                self.ask(&JobRequest::Flush)?;
            }
            (laid, _) => laid?,
        }
        Ok(())
    }

    /// Opens a file, path or index by name and checks that it matches the
    /// program.
    pub fn open(
        &mut self,
        name: &str,
        wanted: FileOrganisation,
        keys: &[Key],
        max: usize,
    ) -> Result<StoredFile, Fault> {
        let missing = |text: String| Fault {
            status: Status::MISSING,
            text,
        };
        let file = name.parse().map_err(|error| missing(format!("{error}")))?;
        let access = self
            .reader
            .access(&file)?
            .ok_or_else(|| missing(format!("{file} is not in the store")))?;
        let def = access.base.def.clone();
        conflict(&def, wanted, max)?;
        let mut by = Vec::with_capacity(keys.len());
        for (at, key) in keys.iter().enumerate() {
            by.push(self.by(&access, at, key)?);
        }
        Ok(StoredFile {
            file: access.base.id,
            def,
            keys: by,
        })
    }

    /// Finds the index for a key of the program. As on z/OS, position and
    /// length must be those of the index. Whether keys are unique is a property
    /// of the index; `DUPLICATES` of the program is not compared with it.
    fn by(&mut self, access: &FileAccessPath, at: usize, key: &Key) -> Result<KeySource, Fault> {
        let place = |offset: u32, length: u32| (offset, length) == (key.offset, key.length);
        if at == 0 {
            if let Some(index) = &access.index {
                let field = index.def.key;
                if place(field.offset_bytes, field.length_bytes) {
                    return Ok(KeySource::Index(index.id));
                }
            } else if let FileOrganisation::Ksds(field) = access.base.def.organisation
                && place(field.offset_bytes, field.length_bytes)
            {
                return Ok(KeySource::Own);
            }
            let (name, field) = match (&access.index, access.base.def.organisation) {
                (Some(index), _) => (&index.def.name, index.def.key),
                (None, FileOrganisation::Ksds(field)) => (&access.base.def.name, field),
                (None, _) => return Err(Status::CONFLICT.into()),
            };
            return Err(different(format!(
                "the program's RECORD KEY is at offset {} with {} bytes, that of {name} at \
                 offset {} with {}",
                key.offset, key.length, field.offset_bytes, field.length_bytes
            )));
        }
        let indexes = self.reader.indexes(access.base.id)?;
        let found = indexes
            .iter()
            .find(|index| place(index.def.key.offset_bytes, index.def.key.length_bytes));
        let Some(index) = found else {
            return Err(different(format!(
                "{} has no alternate index over offset {} with {} bytes",
                access.base.def.name, key.offset, key.length
            )));
        };
        if !index.built {
            return Err(different(format!(
                "{} is not built: BLDINDEX builds it",
                index.def.name
            )));
        }
        Ok(KeySource::Index(index.id))
    }

    /// Whether a file has no record.
    pub fn is_empty(&mut self, file: &StoredFile) -> Result<bool, Fault> {
        Ok(self.seek(file, 0, SeekKey::First, true)?.is_none())
    }

    /// Deletes every record.
    pub fn clear(&mut self, file: &mut StoredFile) -> Result<(), Fault> {
        self.flush_before_clear(file)?;
        let Writer::Own(writer) = &mut self.writer else {
            return Err(Fault {
                status: Status::IN_USE,
                text: format!(
                    "{} holds records, and a file that the region has is not emptied",
                    file.def.name
                ),
            });
        };
        let machine = |error: &dyn std::fmt::Display| Fault {
            status: Status::PERMANENT,
            text: error.to_string(),
        };
        // The indexes get new numbers; their names stay.
        let old = self.reader.indexes(file.file)?;
        let load = writer.start_load(file.file).map_err(|e| machine(&e))?;
        let built = load.finish(&mut |_| ());
        file.file = built.map_err(|e| machine(&e))?;
        let new = self.reader.indexes(file.file)?;
        for by in &mut file.keys {
            let KeySource::Index(id) = by else { continue };
            let was = old.iter().find(|index| index.id == *id);
            let is = was.and_then(|was| new.iter().find(|index| index.def.name == was.def.name));
            let is = is.ok_or_else(|| machine(&"an index of the file went away"))?;
            *by = KeySource::Index(is.id);
        }
        Ok(())
    }

    /// A record by the key of reference; by the file's own key if it `is_own`.
    pub fn seek(
        &mut self,
        file: &StoredFile,
        key: usize,
        seek: SeekKey<'_>,
        is_own: bool,
    ) -> Result<Option<FoundRecord>, Fault> {
        if !self.unit.is_empty() && self.held.is_none() {
            self.ask(&JobRequest::Look)?;
        }
        self.seek_now(file, key, seek, is_own)
    }

    /// The same for a record that the program may change next. Where others
    /// change records too it is locked, and one that was held before is free.
    pub fn seek_for_update(
        &mut self,
        file: &StoredFile,
        key: usize,
        seek: SeekKey<'_>,
        held: &mut Option<Vec<u8>>,
    ) -> Result<Option<FoundRecord>, Fault> {
        if let Writer::Own(_) = self.writer {
            return self.seek_now(file, key, seek, false);
        }
        loop {
            self.free(file, held)?;
            let Some(found) = self.seek_now(file, key, seek, false)? else {
                return self.seek(file, key, seek, false);
            };
            self.ask(&JobRequest::Hold {
                file: file.file.0,
                key: found.key(),
            })?;
            *held = Some(found.key().to_vec());
            // Another task may have changed or deleted it before it was
            // locked.
            let locked = self.seek_now(file, key, seek, false)?;
            if locked.as_ref().is_some_and(|l| l.key() == found.key()) {
                return Ok(locked);
            }
        }
    }

    /// Gives the lock of a record back.
    pub fn free(&mut self, file: &StoredFile, held: &mut Option<Vec<u8>>) -> Result<(), Fault> {
        if let Some(key) = held.take() {
            self.ask(&JobRequest::Free {
                file: file.file.0,
                key: &key,
            })?;
        }
        Ok(())
    }

    fn seek_now(
        &mut self,
        file: &StoredFile,
        key: usize,
        seek: SeekKey<'_>,
        is_own: bool,
    ) -> Result<Option<FoundRecord>, Fault> {
        let by = file.keys.get(key).copied().unwrap_or(KeySource::Own);
        let (unit, reader) = (&self.unit, &mut *self.reader);
        let mut copy = None;
        let mut show = |found: FoundRecord<&[u8]>| copy = Some(found.copied());
        match by {
            KeySource::Index(index) if !is_own => {
                unit.seek_path(reader, index, seek, &mut |e| show(e.into()))?;
            }
            _ => {
                unit.seek(reader, file.file, seek, &mut |e| show(e.into()))?;
            }
        }
        Ok(copy)
    }

    /// Adds a record under its key. The status reports duplicate alternate
    /// keys.
    pub fn insert(
        &mut self,
        file: &StoredFile,
        key: &[u8],
        record: &[u8],
    ) -> Result<Status, Fault> {
        let id = file.file;
        self.check_room()?;
        self.ask(&JobRequest::Insert {
            file: id.0,
            key,
            record,
        })?;
        self.lay(|unit, reader, _| unit.insert(reader, id, key, record))?;
        let status = self.duplicates(file, record)?;
        self.changed()?;
        Ok(status)
    }

    /// Adds a record at the end of an ESDS or RRDS and returns its key.
    pub fn append(&mut self, file: &StoredFile, record: &[u8]) -> Result<Vec<u8>, Fault> {
        let id = file.file;
        self.check_room()?;
        let response = self.ask(&JobRequest::Append { file: id.0, record })?;
        let mut key = Vec::new();
        self.lay(|unit, reader, ends| match response {
            Some(response) => {
                key = response.key;
                unit.insert(reader, id, &key, record)
            }
            None => {
                key = unit.append(reader, ends, id, record)?;
                Ok(())
            }
        })?;
        self.changed()?;
        Ok(key)
    }

    /// Replaces a record. The status reports duplicate alternate keys.
    pub fn replace(
        &mut self,
        file: &StoredFile,
        key: &[u8],
        record: &[u8],
    ) -> Result<Status, Fault> {
        let id = file.file;
        self.check_room()?;
        self.ask(&JobRequest::Replace {
            file: id.0,
            key,
            record,
        })?;
        self.lay(|unit, reader, _| unit.replace(reader, id, key, record))?;
        let status = self.duplicates(file, record)?;
        self.changed()?;
        Ok(status)
    }

    /// Deletes a record.
    pub fn delete(&mut self, file: &StoredFile, key: &[u8]) -> Result<(), Fault> {
        let id = file.file;
        self.check_room()?;
        self.ask(&JobRequest::Delete { file: id.0, key })?;
        self.lay(|unit, reader, _| unit.delete(reader, id, key))?;
        self.changed()
    }

    /// Whether another record has an alternate key of this one.
    fn duplicates(&mut self, file: &StoredFile, record: &[u8]) -> Result<Status, Fault> {
        for by in &file.keys {
            let KeySource::Index(index) = *by else {
                continue;
            };
            let entry = self.reader.index(index)?;
            let Some(key) = entry.def.key_in(record).filter(|_| !entry.def.unique) else {
                continue;
            };
            let mut more = false;
            let seek = SeekKey::Prefix(key);
            self.unit
                .seek_path(&mut *self.reader, index, seek, &mut |e| more = e.more)?;
            if more {
                return Ok(Status::DUPLICATE_KEY);
            }
        }
        Ok(Status::OK)
    }
}

impl StoredFile {
    /// The file's definition.
    pub fn def(&self) -> &FileDef {
        &self.def
    }
}

fn different(text: String) -> Fault {
    Fault {
        status: Status::CONFLICT,
        text,
    }
}

/// The error if a file does not match the program.
fn conflict(def: &FileDef, wanted: FileOrganisation, max: usize) -> Result<(), Fault> {
    let same = std::mem::discriminant(&def.organisation) == std::mem::discriminant(&wanted);
    if !same {
        return Err(different(format!(
            "{} is a {}, but the program's organisation requires a {wanted}",
            def.name, def.organisation
        )));
    }
    if def.max_record_bytes as usize != max {
        return Err(different(format!(
            "records of {} have up to {} bytes, the program's have up to {max}",
            def.name, def.max_record_bytes
        )));
    }
    Ok(())
}
