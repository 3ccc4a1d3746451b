//! Whether all pages of a store were looked at, and the check that looks at
//! them while the store is used.
//!
//! Until the check has ended, and permanently if it finds damage, commands
//! check the pages on their path first (see [`Way`](super::way::Way)). After
//! all pages are known to be whole, that costs nothing.

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
    /// Starts to look at all pages of the newest state. It uses at most half of
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
        match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let report = Reader::new(env.sys().clone())
        .map_err(|code| env.error(code, "checking it"))
        .and_then(|mut reader| check_newest(env, &mut reader, &mut progress));
    if stop.load(Ordering::Relaxed) {
        return;
    }
    if let Ok(report) = &report {
        match report.is_clean() {
            // Not where a command has met damage since that state.
            true if env.damage.summary().is_none() => env.trust(),
            true => {}
            false => report.findings.iter().for_each(|found| {
                env.damage.note(found);
            }),
        }
    }
    ended(report, start.elapsed());
}

/// Longest pause between two parts of a check.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
