//! Into a file: records are read, converted, checked, sorted and stored.
//!
//! Replacing is one step for readers and crash-safe: the new records replace
//! the old ones only when all are loaded. Adding uses units of work of many
//! records. A rejected record is reported with its number and key and costs
//! only itself, up to a limit.

use std::io::{self, BufRead};

use thiserror::Error;

use super::convert::{ConvertError, RecordConverter};
use super::framing::{FramingError, RecordFraming};
use super::sort::{RecordSorter, SortRecord};
use crate::error::{ApplyError, BuildError, DefineError, Key, ReadError, StorageError};
use crate::file::{FileDef, FileId, FileOrganisation};
use crate::record::RecordError;
use crate::traits::{BuildProgress, BulkLoad, ReadStore, WriteStore};
use crate::unit::{UnitError, UnitOfWork};

/// How to load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadOptions {
    /// The framing of records.
    pub framing: RecordFraming,
    /// The treatment of existing records.
    pub mode: LoadMode,
    /// Records that may be refused; one more ends the load.
    pub max_rejects: u64,
    /// Memory for sorting.
    pub memory_bytes: usize,
    /// Records to pass over at the beginning.
    pub skip: u64,
    /// Most records to take after those.
    pub count: Option<u64>,
    /// Whether each record follows its key, which then determines its address.
    pub numbered: bool,
}

/// The treatment of existing records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadMode {
    /// The new records replace all old ones at once. A load that ends early
    /// changes nothing.
    Replace,
    /// Existing records stay, and new ones must have other keys. A load that ends early has
    /// added the records before its end.
    Add,
    /// Existing records stay, but a new one replaces one with its key.
    Merge,
}

/// The counts of a load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Records read.
    pub read: u64,
    /// Records stored.
    pub loaded: u64,
    /// Records refused.
    pub rejected: u64,
    /// Bytes of the records stored.
    pub bytes: u64,
}

/// Events of a running load.
#[derive(Debug)]
pub enum LoadEvent<'e> {
    /// Records are being read, and stored as far as they are in order.
    Progress(LoadReport),
    /// All are read, and those that were not in order are being stored.
    Storing(LoadReport),
    /// The records are in, and the file's alternate indexes are being built.
    Building(BuildProgress),
    /// A record was refused.
    Rejected {
        /// Its number in the input, from 1. Of two records with one key, the
        /// first is taken.
        number: u64,
        /// Its key, if it has one.
        key: Option<Key>,
        /// Why.
        reason: &'e RejectReason,
    },
}

/// Why a record was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RejectReason {
    /// The record cannot be converted.
    #[error(transparent)]
    Convert(#[from] ConvertError),
    /// The record breaks the file's definition.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Its key is taken.
    #[error("a record with this key already exists")]
    Duplicate,
    /// Its key in a unique alternate index is taken.
    #[error("a record with alternate key {0} already exists")]
    DuplicateAlternate(Key),
    /// The file has no address left for it.
    #[error("the file has no free address")]
    NoAddress,
}

/// Why a load ended early.
#[derive(Debug, Error)]
pub enum LoadError {
    /// One record too many was refused.
    #[error("record {number} was rejected: {reason}{}", passed_over(*allowed))]
    Rejected {
        /// The last one's number.
        number: u64,
        /// Why it was refused.
        reason: RejectReason,
        /// How many might have been.
        allowed: u64,
    },
    /// The input does not have its framing.
    #[error(transparent)]
    Framing(#[from] FramingError),
    /// The scratch file for sorting failed.
    #[error("the scratch file for sorting failed")]
    Scratch(#[from] io::Error),
    /// The file cannot be loaded.
    #[error(transparent)]
    Define(#[from] DefineError),
    /// The file's alternate indexes cannot be built over the new records.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The store could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

fn passed_over(allowed: u64) -> String {
    if allowed == 0 {
        String::new()
    } else {
        format!(" ({allowed} before it were skipped)")
    }
}

/// Records between two tellings of progress.
pub(super) const PROGRESS_RECORDS: u64 = 4096;

/// Bytes of the units of work in which records are added.
const UNIT_BYTES: usize = 1 << 20;

impl LoadOptions {
    /// Memory for sorting unless something else is asked for.
    pub const SORT_BYTES: usize = 64 << 20;

    /// Replaces, and refuses nothing.
    pub fn new(framing: RecordFraming) -> Self {
        Self {
            framing,
            mode: LoadMode::Replace,
            max_rejects: 0,
            memory_bytes: Self::SORT_BYTES,
            skip: 0,
            count: None,
            numbered: false,
        }
    }
}

/// Loads records into a file. Returns what was done, and the file's number from
/// now on.
pub fn load(
    store: &mut dyn WriteStore,
    file: FileId,
    input: &mut dyn BufRead,
    options: &LoadOptions,
    convert: &dyn RecordConverter,
    events: &mut dyn FnMut(LoadEvent<'_>),
) -> Result<(LoadReport, FileId), LoadError> {
    let mut reader = store.reader()?;
    let def = reader.definition(file)?;
    let mut tally = LoadProgress {
        report: LoadReport::default(),
        all_read: false,
        options,
        events,
    };
    let next = match options.mode {
        LoadMode::Replace => Some(def.first_address()),
        LoadMode::Add | LoadMode::Merge => UnitOfWork::new().next_address(&mut *reader, file)?,
    };
    let source = Source {
        def: &def,
        input,
        convert,
        numbered: options.numbered,
        next,
    };
    match options.mode {
        LoadMode::Replace => {
            let mut target = store.start_load(file)?;
            source.run(&mut tally, &mut Replacing(&mut *target))?;
            let file = target.finish(&mut |done| (tally.events)(LoadEvent::Building(done)))?;
            Ok((tally.report, file))
        }
        LoadMode::Add | LoadMode::Merge => {
            let unit = UnitOfWork::new();
            let mut target = Adding {
                store,
                reader,
                file,
                unit,
                merges: options.mode == LoadMode::Merge,
            };
            source.run(&mut tally, &mut target)?;
            target.flush()?;
            Ok((tally.report, file))
        }
    }
}

/// The target of records; with a reason if it accepts none.
trait Target {
    fn insert(&mut self, key: &[u8], record: &[u8]) -> Result<Option<RejectReason>, LoadError>;
}

struct Replacing<'t>(&'t mut dyn BulkLoad);

impl Target for Replacing<'_> {
    fn insert(&mut self, key: &[u8], record: &[u8]) -> Result<Option<RejectReason>, LoadError> {
        let added = self.0.insert(key, record)?;
        Ok((!added).then_some(RejectReason::Duplicate))
    }
}

struct Adding<'t> {
    store: &'t mut dyn WriteStore,
    reader: Box<dyn ReadStore + Send>,
    file: FileId,
    unit: UnitOfWork,
    merges: bool,
}

impl Target for Adding<'_> {
    fn insert(&mut self, key: &[u8], record: &[u8]) -> Result<Option<RejectReason>, LoadError> {
        let reader = &mut *self.reader;
        let mut added = self.unit.insert(reader, self.file, key, record);
        if self.merges && matches!(added, Err(UnitError::Duplicate(_))) {
            added = self.unit.replace(reader, self.file, key, record);
        }
        match added {
            Ok(()) => {}
            Err(UnitError::Read(error)) => return Err(error.into()),
            // The rules were checked before: only the key can be in the way.
            Err(UnitError::DuplicateAlternate { key, .. }) => {
                return Ok(Some(RejectReason::DuplicateAlternate(key)));
            }
            Err(_) => return Ok(Some(RejectReason::Duplicate)),
        }
        if self.unit.bytes() >= UNIT_BYTES {
            self.flush()?;
        }
        Ok(None)
    }
}

impl Adding<'_> {
    fn flush(&mut self) -> Result<(), LoadError> {
        let unit = std::mem::take(&mut self.unit);
        match self.store.apply(&[unit]).pop() {
            Some(Err(ApplyError::Storage(error))) => Err(error.into()),
            Some(Err(_)) => Err(ReadError::UnknownFile(self.file).into()),
            Some(Ok(())) | None => Ok(()),
        }
    }
}

/// The progress so far, and its receiver.
struct LoadProgress<'t> {
    report: LoadReport,
    all_read: bool,
    options: &'t LoadOptions,
    events: &'t mut dyn FnMut(LoadEvent<'_>),
}

impl LoadProgress<'_> {
    fn reject(
        &mut self,
        number: u64,
        key: Option<&[u8]>,
        reason: RejectReason,
    ) -> Result<(), LoadError> {
        self.report.rejected += 1;
        let key = key.map(Key::from);
        (self.events)(LoadEvent::Rejected {
            number,
            key,
            reason: &reason,
        });
        let allowed = self.options.max_rejects;
        if self.report.rejected > allowed {
            return Err(LoadError::Rejected {
                number,
                reason,
                allowed,
            });
        }
        Ok(())
    }

    fn store(&mut self, target: &mut dyn Target, item: SortRecord<'_>) -> Result<(), LoadError> {
        if let Some(reason) = target.insert(item.key, item.record)? {
            return self.reject(item.number, Some(item.key), reason);
        }
        self.report.loaded += 1;
        self.report.bytes += item.record.len() as u64;
        if self.report.loaded.is_multiple_of(PROGRESS_RECORDS) && self.all_read {
            (self.events)(LoadEvent::Storing(self.report));
        }
        Ok(())
    }
}

/// The source of records.
struct Source<'s> {
    def: &'s FileDef,
    input: &'s mut dyn BufRead,
    convert: &'s dyn RecordConverter,
    /// Each record follows its key.
    numbered: bool,
    /// The address of the next record of an ESDS or RRDS, while there is one.
    next: Option<u64>,
}

impl Source<'_> {
    fn run(
        mut self,
        tally: &mut LoadProgress<'_>,
        target: &mut dyn Target,
    ) -> Result<(), LoadError> {
        let mut sorter = RecordSorter::new(tally.options.memory_bytes);
        let (mut outside, mut record) = (Vec::new(), Vec::new());
        for number in 1.. {
            outside.clear();
            record.clear();
            if !tally
                .options
                .framing
                .read(self.input, number, &mut outside)?
            {
                break;
            }
            if tally.options.framing.is_gap(&outside) || number <= tally.options.skip {
                continue;
            }
            if tally
                .options
                .count
                .is_some_and(|count| tally.report.read >= count)
            {
                break;
            }
            tally.report.read += 1;
            if tally.report.read.is_multiple_of(PROGRESS_RECORDS) {
                (tally.events)(LoadEvent::Progress(tally.report));
            }
            match self.take(&outside, &mut record) {
                Ok(key) => {
                    let item = SortRecord {
                        number,
                        key: &key,
                        record: &record,
                    };
                    sorter.push(item, &mut |item: SortRecord<'_>| tally.store(target, item))?;
                }
                Err(reason) => tally.reject(number, self.def.key_in(&record), reason)?,
            }
        }
        tally.all_read = true;
        sorter.finish(&mut |item: SortRecord<'_>| tally.store(target, item))
    }

    /// Converts and checks a record. Returns its key.
    fn take(&mut self, outside: &[u8], record: &mut Vec<u8>) -> Result<Vec<u8>, RejectReason> {
        let (number, outside) = if self.numbered {
            outside.split_at(self.def.key_bytes().min(outside.len()))
        } else {
            (&[][..], outside)
        };
        self.convert.inward(outside, record)?;
        self.def.check_record(record)?;
        let key = match self.def.organisation {
            _ if self.numbered => number.to_vec(),
            FileOrganisation::Ksds(_) => self.def.key_in(record).unwrap_or_default().to_vec(),
            FileOrganisation::Esds | FileOrganisation::Rrds => {
                let key = self.next.and_then(|address| self.def.address_key(address));
                let key = key.ok_or(RejectReason::NoAddress)?;
                self.next = self.def.address_after(&key, record);
                key
            }
        };
        self.def.check_write(&key, record)?;
        Ok(key)
    }
}
