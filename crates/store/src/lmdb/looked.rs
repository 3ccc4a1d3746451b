//! Whether all pages of a store were checked, and the check that reads
//! them while the store is used.
//!
//! Until the check has ended, and permanently if it finds damage, commands
//! check the pages on their path first (see [`PathCheck`](super::way::PathCheck)).
//! A record that is found by its key in a store whose pages were walked when it
//! was opened needs its checksum only. After all is known to be whole, that
//! costs nothing.

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::check::{CheckReport, check_newest};
use super::env::StoreEnvironment;
use super::sys::Reader;
use crate::error::StorageError;

/// How much of a store was checked, and so what a command checks first. Lent
/// reader tables contain the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum PageTrust {
    /// The pages on a command's path are checked.
    Unchecked = 0,
    /// Nothing is: all pages and all records were checked.
    Whole = 1,
    /// All pages were walked when the store was opened, but no checksums: of a
    /// record that is found by its key only those are checked.
    Walked = 2,
}

impl PageTrust {
    /// The trust of a number; an unknown one means that nothing was checked.
    pub fn from_word(word: u64) -> Self {
        match word {
            1 => PageTrust::Whole,
            2 => PageTrust::Walked,
            _ => PageTrust::Unchecked,
        }
    }
}

/// The known damage in an open store, whichever thread found it.
#[derive(Debug, Clone, Default)]
pub struct StoreDamage(Arc<Mutex<KnownDamage>>);

#[derive(Debug, Default)]
struct KnownDamage {
    first: Option<String>,
    others: BTreeSet<String>,
}

/// Most findings that are kept.
const MAX_KEPT: usize = 100;

impl StoreDamage {
    /// The first damage that was found, and how much more; `None` without
    /// damage.
    pub fn summary(&self) -> Option<String> {
        let damage = self.lock();
        let first = damage.first.as_ref()?;
        Some(match damage.others.len() {
            0 => first.clone(),
            more => format!("{first} (and {more} more)"),
        })
    }

    /// Takes note of something; true if it is new.
    pub(super) fn note(&self, what: &str) -> bool {
        let mut damage = self.lock();
        match &damage.first {
            None => {
                damage.first = Some(what.to_owned());
                true
            }
            Some(first) if first == what || damage.others.len() >= MAX_KEPT => false,
            Some(_) => damage.others.insert(what.to_owned()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, KnownDamage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives the result of a check, and how long it took.
pub type CheckEnded = Box<dyn FnOnce(Result<CheckReport, StorageError>, Duration) + Send>;

/// A check under way; dropped, it is given up.
pub(super) struct BackgroundCheck {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundCheck {
    /// Starts to check all pages of the newest state. The check uses at most half of
    /// a processor and of the disk.
    pub fn start(env: &Arc<StoreEnvironment>, ended: CheckEnded) -> io::Result<Self> {
        env.distrust();
        let stop = Arc::new(AtomicBool::new(false));
        let (env, stops) = (env.clone(), stop.clone());
        let thread = thread::Builder::new().name("store-check".to_owned());
        let thread = thread.spawn(move || run(&env, &stops, ended))?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for BackgroundCheck {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported, and the pages are not
            // trusted.
            let _ = thread.join();
        }
    }
}

fn run(env: &Arc<StoreEnvironment>, stop: &AtomicBool, ended: CheckEnded) {
    let start = Instant::now();
    let mut worked_since = start;
    let mut progress = |_, _| {
        thread::sleep(worked_since.elapsed().min(LONGEST_PAUSE));
        worked_since = Instant::now();
        if stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let report = Reader::new(env.sys().clone())
        .map_err(|code| env.error(code, "checking it"))
        .and_then(|mut reader| check_newest(env, &mut reader, &mut progress));
    if stop.load(Ordering::Relaxed) {
        return;
    }
    if let Ok(report) = &report {
        if !report.is_clean() {
            env.set_trust(PageTrust::Unchecked);
            report.findings.iter().for_each(|found| {
                env.damage.note(found);
            });
        } else if env.damage.summary().is_none() {
            // Not where a command has met damage since that state.
            env.set_trust(PageTrust::Whole);
        }
    }
    ended(report, start.elapsed());
}

/// Longest pause between two parts of a check.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

#[cfg(test)]
mod tests {
    use super::super::{LmdbOptions, LmdbStore};
    use super::*;
    use crate::{
        FileDef, FileId, KeyField, ReadExt, ReadStore, RecordFormat, SeekKey, UnitOfWork,
        WriteStore,
    };
    use std::path::Path;

    /// A store of 200 records whose keys are even numbers.
    fn make(home: &Path) {
        let mut store = LmdbStore::open(home, &LmdbOptions::default()).unwrap();
        let key = KeyField {
            offset_bytes: 0,
            length_bytes: 4,
        };
        let name = "ACCOUNTS".parse().unwrap();
        let def = FileDef::ksds(name, key, RecordFormat::Variable, 100).unwrap();
        let file = store.define(def).unwrap();
        let mut reader = store.reader().unwrap();
        let mut unit = UnitOfWork::new();
        for n in 0..200 {
            let record = format!("{:04}record", 2 * n);
            let (key, record) = (&record.as_bytes()[..4], record.as_bytes());
            unit.insert(&mut *reader, file, key, record).unwrap();
        }
        assert_eq!(store.apply(&[unit]), [Ok(())]);
    }

    #[test]
    fn where_pages_were_walked_a_record_is_known_by_its_checksum() {
        let home = tempfile::tempdir().unwrap();
        make(home.path());
        let data = home.path().join("data.mdb");
        let mut bytes = std::fs::read(&data).unwrap();
        let at = bytes.windows(10).position(|w| w == b"0100record");
        bytes[at.unwrap() + 5] ^= 1;
        std::fs::write(&data, bytes).unwrap();
        let store = LmdbStore::open(home.path(), &LmdbOptions::default()).unwrap();
        // As a check of all does at its start.
        store.env.distrust();
        assert_eq!(store.env.trust(), PageTrust::Walked);
        let mut reader = store.disk_reader().unwrap();
        let file: FileId = reader.files().unwrap()[0].id;
        let mut read = |key: &[u8]| {
            let text = |entry: crate::RecordView<'_>| entry.record.to_vec();
            let found = reader.read(file, SeekKey::Equal(key), text);
            found.map_err(|error| error.to_string())
        };
        assert_eq!(read(b"0098"), Ok(Some(b"0098record".to_vec())));
        assert_eq!(read(b"0397"), Ok(None));
        assert_eq!(store.env.trust(), PageTrust::Walked);
        assert!(read(b"0100").unwrap_err().contains("wrong checksum"));
        // From then on pages are checked, too.
        assert_eq!(store.env.trust(), PageTrust::Unchecked);
        assert_eq!(read(b"0098"), Ok(Some(b"0098record".to_vec())));
        assert!(read(b"0100").unwrap_err().contains("wrong checksum"));
        assert!(read(b"0099").unwrap_err().contains("wrong checksum"));
    }

    #[test]
    fn a_store_whose_pages_were_not_walked_is_not_trusted() {
        let home = tempfile::tempdir().unwrap();
        make(home.path());
        let options = LmdbOptions {
            walked_bytes: 0,
            ..LmdbOptions::default()
        };
        let store = LmdbStore::open(home.path(), &options).unwrap();
        store.env.distrust();
        assert_eq!(store.env.trust(), PageTrust::Unchecked);
    }
}
