//! IDCAMS commands on a store that a running region has opened. Records are read in this
//! process, and the region makes all changes, through the task that represents this job.
//!
//! DEFINE, BLDINDEX and DELETE are sent as text, and rejected for data sets that a FILE
//! names. REPRO sends its records one by one, with their locks. A file of this machine is
//! first loaded into a temporary store, which checks and sorts its records as usual.

use std::cell::RefCell;

use batch::region_files::{JobRequest, Region};
use batch::status::Status;
use miette::{IntoDiagnostic, Result, miette};
use store::transfer::FileSource;
use store::{
    CatalogueEntry, FileDef, FileId, IndexDef, DiskOptions, DiskReader, DiskStore, FileOrganisation,
    PathDef, ReadStore, RecordFormat, WriteStore,
};

use super::CommandFailure;
use crate::app::Application;

/// A store, and the process that changes it.
pub enum StoreOwner {
    /// This process has opened the store.
    Own(DiskStore),
    /// A region has opened the store.
    Region {
        path: std::path::PathBuf,
        options: DiskOptions,
        region: RefCell<Region>,
    },
}

/// Records to send to the region.
pub struct RecordBatch<'r> {
    pub reader: &'r mut dyn ReadStore,
    pub from: FileSource,
    /// In a file of relative records, the number of the first record; `None` keeps each
    /// record's number.
    pub next: Option<u64>,
}

/// The result of sending records.
#[derive(Default)]
pub struct SendResult {
    pub added: u64,
    pub refused: u64,
}

impl StoreOwner {
    /// Opens the application's store, or connects to the region that has opened it.
    pub fn open(app: &Application) -> Result<StoreOwner> {
        let path = app.store_path();
        std::fs::create_dir_all(&path).into_diagnostic()?;
        let options = app.store_options();
        match DiskStore::open(&path, &options) {
            Ok(store) => Ok(StoreOwner::Own(store)),
            Err(store::OpenError::Held { pid, .. }) => {
                let holder = pid.map_or("a process".to_owned(), |pid| format!("process {pid}"));
                let mut region = Region::new(app.state.clone(), "IDCAMS", holder);
                region.connect().map_err(|fault| miette!("{}", fault.text))?;
                Ok(StoreOwner::Region {
                    path,
                    options,
                    region: RefCell::new(region),
                })
            }
            Err(error) => Err(error).into_diagnostic(),
        }
    }

    /// A reader of the committed state.
    pub fn reader(&self) -> Result<DiskReader> {
        match self {
            StoreOwner::Own(store) => store.disk_reader().into_diagnostic(),
            StoreOwner::Region { path, options, .. } => {
                DiskReader::open(path, options).into_diagnostic()
            }
        }
    }

    /// Sends a command on the catalogue to the region, and returns the region's report.
    pub fn command(region: &RefCell<Region>, text: &str) -> Result<String, CommandFailure> {
        let ask = JobRequest::Command {
            text: text.as_bytes(),
        };
        let answer = region.borrow_mut().ask(&ask);
        answer.map(|answer| answer.text).map_err(|fault| {
            let code = if fault.status == Status::NOT_FOUND { 8 } else { 12 };
            CommandFailure(code, miette!("{}", fault.text))
        })
    }

    /// Sends records to the region without conversion.
    pub fn send(
        region: &RefCell<Region>,
        records: RecordBatch<'_>,
        to: &CatalogueEntry,
        replace: bool,
        (skip, count): (u64, Option<u64>),
        mut refused: impl FnMut(&[u8], &str),
    ) -> Result<SendResult> {
        let RecordBatch {
            reader,
            from,
            mut next,
        } = records;
        let mut region = region.borrow_mut();
        let mut sent = SendResult::default();
        let mut last: Option<Vec<u8>> = None;
        let mut number = 0;
        while sent.refused <= super::ERROR_LIMIT && count.is_none_or(|most| number < skip + most) {
            let mut found = None;
            let mut take = |place: &[u8], entry: store::RecordView<'_>| {
                found = Some((place.to_vec(), entry.key.to_vec(), entry.record.to_vec()));
            };
            from.next(&mut *reader, last.as_deref(), &mut take).into_diagnostic()?;
            let Some((place, own, record)) = found else {
                break;
            };
            number += 1;
            if number > skip {
                let key = match to.def.organisation {
                    FileOrganisation::Ksds(_) => to.def.key_in(&record).unwrap_or_default().to_vec(),
                    FileOrganisation::Rrds => match next {
                        Some(free) => {
                            next = Some(free + 1);
                            to.def.address_key(free).unwrap_or_default()
                        }
                        None => own,
                    },
                    FileOrganisation::Esds => own,
                };
                match add(&mut region, to, &key, &record, replace) {
                    Ok(()) => sent.added += 1,
                    Err(text) => {
                        sent.refused += 1;
                        refused(&key, &text);
                    }
                }
            }
            last = Some(place);
        }
        let flushed = region.ask(&JobRequest::Flush);
        flushed.map_err(|fault| miette!("{}", fault.text))?;
        Ok(sent)
    }
}

fn add(
    region: &mut Region,
    to: &CatalogueEntry,
    key: &[u8],
    record: &[u8],
    replace: bool,
) -> Result<(), String> {
    let file = to.id.0;
    let insert = match to.def.organisation {
        FileOrganisation::Esds => JobRequest::Append { file, record },
        _ => JobRequest::Insert { file, key, record },
    };
    let fault = match region.ask(&insert) {
        Ok(_) => return Ok(()),
        Err(fault) => fault,
    };
    if fault.status != Status::DUPLICATE {
        return Err(fault.text);
    }
    if !replace {
        return Err("a record with this key exists".to_owned());
    }
    let replaced = region.ask(&JobRequest::Replace { file, key, record });
    replaced.map(drop).map_err(|fault| fault.text)
}

/// A temporary store for the records of a file of the machine, removed with its folder.
pub fn staging_store(app: &Application, def: &FileDef) -> Result<(tempfile::TempDir, DiskStore, FileId)> {
    let folder = tempfile::tempdir_in(&app.state).into_diagnostic()?;
    let options = DiskOptions {
        durability: store::CommitDurability::NoFlush,
        ..app.store_options()
    };
    let mut store = DiskStore::open(folder.path(), &options).into_diagnostic()?;
    let id = store.define(def.clone()).into_diagnostic()?;
    Ok((folder, store, id))
}

/// The DEFINE CLUSTER of a definition.
pub fn cluster_text(def: &FileDef) -> String {
    let kind = match def.organisation {
        FileOrganisation::Ksds(key) => {
            format!("INDEXED KEYS({} {})", key.length_bytes, key.offset_bytes)
        }
        FileOrganisation::Esds => "NONINDEXED".to_owned(),
        FileOrganisation::Rrds => "NUMBERED".to_owned(),
    };
    let maximum = def.max_record_bytes;
    // An average below the maximum defines records of variable length.
    let average = match def.format {
        RecordFormat::Fixed => maximum,
        RecordFormat::Variable => maximum.saturating_sub(1),
    };
    let log = if def.recoverable { "UNDO" } else { "NONE" };
    format!(
        " DEFINE CLUSTER(NAME({}) -\n {kind} -\n RECORDSIZE({average} {maximum}) LOG({log}))\n",
        def.name
    )
}

/// The DEFINE ALTERNATEINDEX of a definition.
pub fn index_text(def: &IndexDef) -> String {
    format!(
        " DEFINE ALTERNATEINDEX(NAME({}) -\n RELATE({}) -\n KEYS({} {}) {} {})\n",
        def.name,
        def.base,
        def.key.length_bytes,
        def.key.offset_bytes,
        if def.unique { "UNIQUEKEY" } else { "NONUNIQUEKEY" },
        if def.upgrade { "UPGRADE" } else { "NOUPGRADE" },
    )
}

/// The DEFINE PATH of a definition.
pub fn path_text(def: &PathDef) -> String {
    format!(
        " DEFINE PATH(NAME({}) -\n PATHENTRY({}) {})\n",
        def.name,
        def.entry,
        if def.update { "UPDATE" } else { "NOUPDATE" },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::KeyField;
    use store::idcams::{Command, parse};

    fn read(text: &str) -> Command {
        let mut deck = parse(text);
        assert_eq!(deck.diagnostics, [], "{text}");
        deck.steps.remove(0).statements.remove(0).command
    }

    #[test]
    fn definitions_are_read_back_unchanged() {
        let key = KeyField {
            offset_bytes: 3,
            length_bytes: 8,
        };
        let name = |n: &str| n.parse().expect("a name");
        for organisation in [FileOrganisation::Ksds(key), FileOrganisation::Esds, FileOrganisation::Rrds] {
            for (format, recoverable) in
                [(RecordFormat::Fixed, true), (RecordFormat::Variable, false)]
            {
                let def = FileDef {
                    name: name("PROD.A#$@.KSDS"),
                    organisation,
                    format,
                    max_record_bytes: 120,
                    recoverable,
                };
                assert_eq!(read(&cluster_text(&def)), Command::DefineCluster(def));
            }
        }
        for both in [true, false] {
            let index = IndexDef {
                name: name("X"),
                base: name("B"),
                key,
                unique: both,
                upgrade: !both,
                suppress: None,
            };
            assert_eq!(read(&index_text(&index)), Command::DefineIndex(index));
            let path = PathDef {
                name: name("P"),
                entry: name("X"),
                update: both,
            };
            assert_eq!(read(&path_text(&path)), Command::DefinePath(path));
        }
    }
}
