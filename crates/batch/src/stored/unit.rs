//! Units of work that COMMIT and ROLLBACK of EXEC SQL end.
//!
//! Changes wait in the unit until the program commits. If the SQL has changes too, the store
//! first keeps those of the files durably; the SQL server commits together with a row of the
//! unit's token; then the store applies them. After a kill the row decides: [`crate::doubt`]
//! and a region that starts ask for it.
//!
//! ```text
//!   prepare ──token──▶ the SQL server commits ──▶ decided: applied, or backed out
//!                                             └──▶ not known: the files are used no more
//! ```
//!
//! If a region has the store, the region does all that: [`crate::region_files`].

use std::time::{SystemTime, UNIX_EPOCH};

use kernel::{UnitToken, end_unit, kept_unit};
use runtime::sql::lending::DECIDER;
use store::{FileEnds, UnitOfWork, WriteStore};

use super::{Fault, StoreRecords, StoredFile, Writer};
use crate::region_files::JobRequest;
use crate::status::Status;

/// Bytes of changes that a unit may have in memory. A unit that has changed nothing in SQL
/// commits its files then.
pub const MOST_HELD_BYTES: usize = 64 << 20;
/// What lists of units show as the transaction of a batch program.
const TRANSACTION: &str = "CBAT";

impl StoreRecords {
    /// COMMIT and ROLLBACK end units of work from now on. `sql_has_changes` reports whether
    /// the SQL of the unit has changed rows.
    ///
    /// # Errors
    /// The region has ended.
    pub fn hold_changes(&mut self, sql_has_changes: fn() -> bool) -> Result<(), Fault> {
        if self.held.is_some() {
            return Ok(());
        }
        if let Writer::InRegion(region, commits) = &mut self.writer {
            region.hold_changes()?;
            if *commits != region.commits() {
                *commits = region.commits();
                self.unit = UnitOfWork::new();
            }
        }
        self.held = Some(sql_has_changes);
        Ok(())
    }

    /// Whether a region changes the files.
    pub fn is_in_region(&self) -> bool {
        matches!(self.writer, Writer::InRegion(..))
    }

    /// Whether the unit of work has something to end: changes, or locks in a region.
    pub fn has_changes(&self) -> bool {
        !self.unit.is_empty() || self.changes > 0 && self.is_in_region()
    }

    /// A file was closed, which commits unless COMMIT does.
    ///
    /// # Errors
    /// The changes could not be stored.
    pub fn file_closed(&mut self) -> Result<(), Fault> {
        if self.held.is_some() {
            return Ok(());
        }
        self.commit()
    }

    /// The program is over. What is pending then is committed, or backed out if COMMIT ends
    /// units.
    ///
    /// # Errors
    /// The changes could not be stored.
    pub fn program_ended(&mut self) -> Result<(), Fault> {
        if self.held.is_none() {
            return self.commit();
        }
        self.back_out();
        Ok(())
    }

    /// Keeps the unit's changes as prepared: the SQL server is to commit with this token, and
    /// [`StoreRecords::decided`] follows. Returns `None` if the unit changes no file. `server`
    /// names the SQL server.
    ///
    /// # Errors
    /// The changes cannot be kept; the unit of the files is backed out.
    pub fn prepare(&mut self, server: &str) -> Result<Option<UnitToken>, Fault> {
        let prepared = match &self.writer {
            Writer::Own(_) => self.keep().map(Some),
            Writer::InRegion(..) => {
                let server = server.as_bytes();
                let response = self.ask(&JobRequest::Prepare { server });
                response.map(|response| {
                    let key = response?.key;
                    Some(UnitToken(key.as_slice().try_into().ok()?))
                })
            }
        };
        if !matches!(prepared, Ok(Some(_))) {
            self.forget_unit();
        }
        prepared
    }

    fn keep(&mut self) -> Result<UnitToken, Fault> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now_ns = now.map_or(1, |d| d.as_nanos() as u64);
        let token = random_token();
        let (reader, unit) = (&mut *self.reader, &self.unit);
        let kept = kept_unit(reader, DECIDER, token, now_ns, TRANSACTION, unit)?;
        self.apply(kept)?;
        Ok(token)
    }

    /// The SQL server has decided a unit that was prepared; `None` if the outcome is not
    /// known. The files are used no more then, nor after an error: the next start of a batch
    /// program or of a region applies the outcome.
    ///
    /// # Errors
    /// The outcome is not known, or could not be stored.
    pub fn decided(&mut self, token: UnitToken, committed: Option<bool>) -> Result<(), Fault> {
        let unit = self.forget_unit();
        if let Writer::InRegion(..) = self.writer {
            let answer = self.ask(&JobRequest::Outcome { committed });
            return match (answer, committed) {
                (Err(fault), Some(true)) => Err(self.break_off(fault.text)),
                (Err(fault), _) => Err(fault),
                (Ok(_), Some(_)) => Ok(()),
                (Ok(_), None) => Err(self.break_off(IN_DOUBT.to_owned())),
            };
        }
        let end = match committed {
            Some(true) => end_unit(token, unit),
            Some(false) => end_unit(token, UnitOfWork::new()),
            None => return Err(self.break_off(IN_DOUBT.to_owned())),
        };
        self.apply(end).map_err(|fault| self.break_off(fault.text))
    }

    /// Backs the unit of work out. Changes to files that are not recoverable (LOG(NONE)) are
    /// committed.
    pub fn back_out(&mut self) {
        let had_changes = self.has_changes();
        let unit = self.forget_unit();
        if !had_changes {
            return;
        }
        let done = if self.is_in_region() {
            self.ask(&JobRequest::BackOut).map(drop)
        } else {
            let reader = &mut self.reader;
            let kept = unit.of_files(|file| {
                let def = reader.definition(file);
                def.is_ok_and(|def| !def.recoverable)
            });
            self.apply(kept)
        };
        if let Err(fault) = done {
            self.break_off(fault.text);
        }
    }

    fn forget_unit(&mut self) -> UnitOfWork {
        self.changes = 0;
        self.ends = FileEnds::default();
        std::mem::take(&mut self.unit)
    }

    /// Whether the files can be used.
    ///
    /// # Errors
    /// A unit of work is in doubt, or could not be applied.
    pub fn check_usable(&self) -> Result<(), Fault> {
        match &self.broken {
            None => Ok(()),
            Some(text) => Err(Fault {
                status: Status::PERMANENT,
                text: text.clone(),
            }),
        }
    }

    /// Makes room for a change of a unit that lasts until COMMIT.
    pub(super) fn check_room(&mut self) -> Result<(), Fault> {
        let Some(sql_has_changes) = self.held else {
            return Ok(());
        };
        if self.unit.bytes() < MOST_HELD_BYTES {
            return Ok(());
        }
        if !sql_has_changes() {
            return self.commit();
        }
        Err(Fault {
            status: Status::NO_ROOM,
            text: format!(
                "the unit of work has {} MiB of changes to files: COMMIT more often",
                MOST_HELD_BYTES >> 20
            ),
        })
    }

    /// A file is about to be emptied, which is outside of units.
    pub(super) fn flush_before_clear(&mut self, file: &StoredFile) -> Result<(), Fault> {
        if self.held.is_none() {
            return self.commit();
        }
        if !self.unit.touches(file.file) {
            return Ok(());
        }
        Err(Fault {
            status: Status::MODE,
            text: format!(
                "{} has changes that are not committed: COMMIT before OPEN OUTPUT empties it",
                file.def.name
            ),
        })
    }

    /// Uses the files no more.
    pub(super) fn break_off(&mut self, text: String) -> Fault {
        self.unit = UnitOfWork::new();
        let text = self.broken.get_or_insert(text).clone();
        Fault {
            status: Status::PERMANENT,
            text,
        }
    }

    fn apply(&mut self, unit: UnitOfWork) -> Result<(), Fault> {
        match &mut self.writer {
            Writer::Own(writer) if !unit.is_empty() => apply(writer.as_mut(), unit),
            _ => Ok(()),
        }
    }
}

const IN_DOUBT: &str = "the unit of work is in doubt, since the SQL server did not answer: the \
                        next start of a batch program or a region asks it";

fn apply(writer: &mut dyn WriteStore, unit: UnitOfWork) -> Result<(), Fault> {
    for result in writer.apply(&[unit]) {
        result?;
    }
    Ok(())
}

/// A token that no other unit has.
fn random_token() -> UnitToken {
    let mut bytes = [0; 16];
    // SAFETY: room for that many bytes.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    assert_eq!(got, bytes.len() as isize, "the system has no random bits");
    UnitToken(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handler::Key;
    use kernel::resources::Resources;
    use kernel::stored_units;
    use store::{FileDef, FileOrganisation, KeyField, MemoryStore, RecordFormat, SeekKey};

    const KEY: KeyField = KeyField {
        offset_bytes: 0,
        length_bytes: 4,
    };
    const RECORD_BYTES: usize = 32_000;

    fn records(sql_has_changes: fn() -> bool) -> (StoreRecords, StoredFile) {
        records_of(sql_has_changes, true)
    }

    fn records_of(sql_has_changes: fn() -> bool, recoverable: bool) -> (StoreRecords, StoredFile) {
        let mut store = MemoryStore::new();
        let name = "A.FILE".parse().unwrap();
        let def = FileDef::ksds(name, KEY, RecordFormat::Variable, RECORD_BYTES as u32).unwrap();
        store.define(FileDef { recoverable, ..def }).unwrap();
        let reader = store.reader().unwrap();
        let mut records = StoreRecords::new(reader, Box::new(store));
        records.hold_changes(sql_has_changes).unwrap();
        let key = Key {
            offset: 0,
            length: 4,
        };
        let kind = FileOrganisation::Ksds(KEY);
        let file = records.open("A.FILE", kind, &[key], RECORD_BYTES).unwrap();
        (records, file)
    }

    fn has(records: &mut StoreRecords, file: &StoredFile) -> bool {
        let found = records.seek(file, 0, SeekKey::Equal(b"0001"), true);
        found.unwrap().is_some()
    }

    fn in_doubt(records: &mut StoreRecords) -> usize {
        let units = stored_units::<Resources>(&mut *records.reader);
        units.unwrap().len()
    }

    #[test]
    fn changes_wait_for_the_outcome_of_the_unit() {
        for committed in [true, false] {
            let (mut records, file) = records(|| true);
            records.insert(&file, b"0001", b"0001 one").unwrap();
            records.file_closed().unwrap();
            assert!(records.has_changes());
            let token = records.prepare("").unwrap().unwrap();
            assert_eq!(in_doubt(&mut records), 1);
            records.decided(token, Some(committed)).unwrap();
            assert_eq!(
                (has(&mut records, &file), in_doubt(&mut records)),
                (committed, 0)
            );
        }
        for recoverable in [true, false] {
            let (mut records, file) = records_of(|| true, recoverable);
            records.insert(&file, b"0001", b"0001 one").unwrap();
            records.back_out();
            assert_eq!(has(&mut records, &file), !recoverable);
        }
    }

    #[test]
    fn files_are_not_used_after_a_unit_in_doubt() {
        let (mut records, file) = records(|| true);
        records.insert(&file, b"0001", b"0001 one").unwrap();
        let token = records.prepare("").unwrap().unwrap();
        let fault = records.decided(token, None).unwrap_err();
        assert!(fault.text.contains("in doubt"), "{}", fault.text);
        assert_eq!(records.check_usable(), Err(fault));
        assert_eq!(in_doubt(&mut records), 1);
    }

    #[test]
    fn a_unit_that_grows_commits_its_files_or_is_refused() {
        for (sql_has_changes, kept) in [((|| false) as fn() -> bool, true), (|| true, false)] {
            let (mut records, file) = records(sql_has_changes);
            let most = MOST_HELD_BYTES / RECORD_BYTES;
            let written = (1..=most + 10).map(|n| {
                let record = format!("{n:04}{}", " ".repeat(RECORD_BYTES - 4));
                let key = &record.as_bytes()[..4];
                records.insert(&file, key, record.as_bytes())
            });
            let written: Vec<_> = written.collect();
            assert!(written[..most - 10].iter().all(Result::is_ok));
            assert_eq!(written[most + 9].is_ok(), kept);
            records.back_out();
            assert_eq!(has(&mut records, &file), kept);
        }
    }

    #[test]
    fn a_file_with_pending_changes_is_not_emptied() {
        let (mut records, mut file) = records(|| false);
        records.insert(&file, b"0001", b"0001 one").unwrap();
        assert_eq!(records.clear(&mut file).unwrap_err().status, Status::MODE);
        records.commit().unwrap();
        records.clear(&mut file).unwrap();
        assert!(!has(&mut records, &file));
    }
}
