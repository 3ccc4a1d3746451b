//! Opening an environment, and what its errors mean.
//!
//! A process opens an environment once and shares it: LMDB's locks are the
//! process's, and a second close would drop those of the first. Hence the
//! registry, in which an environment stays until it is closed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use lmdb_master_sys as ffi;
use thiserror::Error;

use super::ahead::LastMetaPage;
use super::catalogue;
use super::check::WALKED_BYTES;
use super::fault;
use super::home::{self, HomeState, with_way_out};
use super::lock::LockError;
use super::looked::{PageTrust, StoreDamage};
use super::pages::{PageFile, PageFlaw};
use super::sys::{self, DbHandle, LmdbError};
use crate::error::StorageError;

/// How an environment is opened. Readers need `max_files` only; the map's size
/// and the number of reader slots are the environment's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LmdbOptions {
    /// Address space set aside, and with it the largest size of the store. The
    /// file grows as needed.
    pub map_bytes: u64,
    /// Reader slots; one is taken by every reader of every process. More than
    /// tasks can be active at once.
    pub max_readers: u32,
    /// Files there can be, those just replaced included.
    pub max_files: u32,
    /// The failures that a change survives.
    pub durability: CommitDurability,
    /// Bytes of `data.mdb` up to which a writer checks all pages before it
    /// opens the store. Pages of a larger one are checked when they are used,
    /// or by a check that runs at the same time.
    pub walked_bytes: u64,
}

/// The failures that an applied change survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitDurability {
    /// A crash of the machine: every apply ends with a flush to the device.
    Flush,
    /// The death of any process, but a crash of the machine may cost the whole
    /// environment. For tests and for data that can be loaded again.
    NoFlush,
}

impl Default for LmdbOptions {
    fn default() -> Self {
        Self {
            map_bytes: 1 << 40,
            max_readers: 4096,
            max_files: 1024,
            durability: CommitDurability::Flush,
            walked_bytes: WALKED_BYTES,
        }
    }
}

/// Why an environment was not opened.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OpenError {
    /// Another process (or another part of this one) writes it.
    #[error("the store in {} is open for writing by {}", path.display(), holder(*pid))]
    Held {
        /// The directory.
        path: PathBuf,
        /// The process that has it open, if it could be found.
        pid: Option<u32>,
    },
    /// The directory has no store.
    #[error("no store in {}", path.display())]
    Missing {
        /// The directory.
        path: PathBuf,
    },
    /// A store was here, and its records are lost.
    #[error(
        "the store in {} was lost: its data.mdb is {what}. Put a backup in its place with \
         `tupelo file restore`; to start with an empty store, delete {}",
        path.display(),
        marker.display()
    )]
    Lost {
        /// The directory.
        path: PathBuf,
        /// The state of the data file: "missing" or "empty".
        what: &'static str,
        /// The file that says that a store was here.
        marker: PathBuf,
    },
    /// A directory or lock file could not be made or opened.
    #[error("cannot open the store in {}: {reason}", path.display())]
    Io {
        /// The directory.
        path: PathBuf,
        /// The operating system's words.
        reason: String,
    },
    /// The environment itself.
    #[error("cannot open the store in {}: {source}", path.display())]
    Storage {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: StorageError,
    },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(
        || "another process".to_owned(),
        |pid| format!("process {pid}"),
    )
}

/// An environment with its catalogue, shared within the process.
pub(super) struct StoreEnvironment {
    /// `None` only while it is being closed.
    sys: Option<Arc<sys::LmdbEnvironment>>,
    /// Whether this process writes it.
    is_written: bool,
    pub catalogue: DbHandle,
    /// `None` in a store of version 1 that is open for reading.
    pub tables: Option<DbHandle>,
    /// Counts the changes that this process's writer makes to the catalogue, so
    /// that its readers know when to read it again.
    pub catalogue_changes: AtomicU64,
    pub path: PathBuf,
    pub limits: LmdbOptions,
    /// The number of a [`PageTrust`]. A process that opens the store for
    /// reading only verifies the pages that it reads.
    trust: AtomicU64,
    /// The damage found.
    pub damage: StoreDamage,
}

thread_local! {
    /// The flaw that [`LmdbError::DAMAGED`] reports, in the thread that found it.
    static FLAW: RefCell<PageFlaw> = const { RefCell::new(PageFlaw::new()) };
}

/// The result of opening an environment.
type Opened = (Arc<sys::LmdbEnvironment>, DbHandle, Option<DbHandle>);

/// The data base of all tables.
pub(super) const TABLES: &CStr = c"tables";

/// The environments this process has open, by directory, and those being
/// closed.
struct Registry {
    open: Mutex<HashMap<PathBuf, Weak<StoreEnvironment>>>,
    closed: Condvar,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry {
    open: Mutex::new(HashMap::new()),
    closed: Condvar::new(),
});

impl StoreEnvironment {
    /// Opens for reading, or shares what this process has open.
    pub fn open_for_reading(path: &Path, limits: &LmdbOptions) -> Result<Arc<Self>, OpenError> {
        let missing = |_| OpenError::Missing {
            path: path.to_owned(),
        };
        let path = path.canonicalize().map_err(missing)?;
        let mut open = registry();
        loop {
            match open.get(&path).map(Weak::upgrade) {
                Some(Some(env)) => return Ok(env),
                Some(None) => open = wait(open),
                None => return Self::open(path, limits, true, &mut open),
            }
        }
    }

    /// Opens for writing. The caller holds the writer's lock.
    pub fn open_for_writing(path: &Path, limits: &LmdbOptions) -> Result<Arc<Self>, OpenError> {
        let mut open = registry();
        loop {
            match open.get(path).map(Weak::upgrade) {
                Some(Some(_)) => {
                    return Err(OpenError::Io {
                        path: path.to_owned(),
                        reason: "this process has it open for reading".to_owned(),
                    });
                }
                Some(None) => open = wait(open),
                None => return Self::open(path.to_owned(), limits, false, &mut open),
            }
        }
    }

    fn open(
        path: PathBuf,
        limits: &LmdbOptions,
        read_only: bool,
        open: &mut HashMap<PathBuf, Weak<Self>>,
    ) -> Result<Arc<Self>, OpenError> {
        let HomeState {
            is_there,
            all_checked: all_looked_at,
        } = home::check_home(&path, !read_only, limits.walked_bytes)?;
        if read_only && !is_there {
            return Err(OpenError::Missing { path });
        }
        home::set_reader_table_aside(&path, limits, read_only)?;
        let opened = Self::open_sys(&path, limits, read_only);
        let (sys, catalogue, tables) = opened.map_err(|source| OpenError::Storage {
            path: path.clone(),
            source,
        })?;
        if !read_only
            && let Err(error) = home::mark(&path)
            && !is_there
        {
            // A new store without its marker could be lost unnoticed.
            let reason = format!("store.txt: {error}");
            return Err(OpenError::Io { path, reason });
        }
        if !read_only {
            fault::watch(&path);
        }
        let trust = if read_only || all_looked_at {
            PageTrust::Whole
        } else {
            PageTrust::Unchecked
        };
        sys.publish_trust(trust);
        let env = Self {
            sys: Some(sys),
            is_written: !read_only,
            catalogue,
            tables,
            catalogue_changes: AtomicU64::new(0),
            path: path.clone(),
            limits: limits.clone(),
            trust: AtomicU64::new(trust as u64),
            damage: StoreDamage::default(),
        };
        let env = Arc::new(env);
        open.insert(path, Arc::downgrade(&env));
        Ok(env)
    }

    fn open_sys(
        path: &Path,
        limits: &LmdbOptions,
        read_only: bool,
    ) -> Result<Opened, StorageError> {
        let doing = "opening it";
        let storage = |code| storage_error(code, doing, path, limits);
        let options = sys::OpenOptions {
            read_only,
            map_bytes: if read_only { 0 } else { limits.map_bytes },
            max_readers: limits.max_readers,
            // The catalogue and the tables are two more.
            max_dbs: limits.max_files.saturating_add(2),
            flush: limits.durability == CommitDurability::Flush,
        };
        let env = Arc::new(sys::LmdbEnvironment::open(path, &options).map_err(storage)?);
        let known = match env.open_db(catalogue::CATALOGUE) {
            Err(LmdbError(ffi::MDB_NOTFOUND)) => None,
            other => Some(other.map_err(storage)?),
        };
        if let Some(catalogue) = known {
            let mut reader = sys::Reader::new(env.clone()).map_err(storage)?;
            let snapshot = reader.snapshot().map_err(storage)?;
            let foreign = catalogue::foreign_format(&snapshot, catalogue).map_err(storage)?;
            if let Some(reason) = foreign {
                return Err(StorageError::Damaged { reason });
            }
        }
        if !read_only {
            env.settle_found().map_err(storage)?;
            prepare(&env).map_err(storage)?;
        }
        let catalogue = match env.open_db(catalogue::CATALOGUE) {
            Err(LmdbError(ffi::MDB_NOTFOUND)) => {
                return Err(StorageError::Damaged {
                    reason: "it has no catalogue".to_owned(),
                });
            }
            other => other.map_err(storage)?,
        };
        let tables = match env.open_db(TABLES) {
            Err(LmdbError(ffi::MDB_NOTFOUND)) => None,
            other => Some(other.map_err(storage)?),
        };
        Ok((env, catalogue, tables))
    }

    /// The environment of LMDB.
    pub fn sys(&self) -> &Arc<sys::LmdbEnvironment> {
        match &self.sys {
            Some(sys) => sys,
            None => unreachable!("an environment is used while it is being closed"),
        }
    }

    /// The error of an error number here.
    pub fn error(&self, code: LmdbError, doing: &'static str) -> StorageError {
        let flush_failed = || match self.sys().on_its_way() {
            LastMetaPage::Lost(_, code) => code.text(),
            LastMetaPage::Settled | LastMetaPage::Pending(_) => code.text(),
        };
        match code {
            LmdbError::UNCERTAIN => StorageError::Uncertain {
                reason: flush_failed(),
            },
            LmdbError::REFUSED => StorageError::Refused {
                reason: flush_failed(),
            },
            LmdbError::MISPLACED => StorageError::Misplaced {
                path: self.path.join("data.mdb"),
                process: std::process::id(),
                descriptor: self.sys().data_fd().unwrap_or(-1),
            },
            LmdbError::DAMAGED => StorageError::Damaged {
                reason: with_way_out(&FLAW.take()),
            },
            code => storage_error(code, doing, &self.path, &self.limits),
        }
    }

    /// The checks of commands before they follow pages.
    pub fn trust(&self) -> PageTrust {
        PageTrust::from_word(self.trust.load(Ordering::Acquire))
    }

    /// Changes that, here and in lent tables.
    pub fn set_trust(&self, trust: PageTrust) {
        self.trust.store(trust as u64, Ordering::Release);
        self.sys().publish_trust(trust);
    }

    /// From now on commands check the pages that they read: a check of all begins.
    pub fn distrust(&self) {
        self.set_trust(match self.trust() {
            PageTrust::Unchecked => PageTrust::Unchecked,
            PageTrust::Whole | PageTrust::Walked => PageTrust::Walked,
        });
    }

    /// Takes note of damage.
    pub fn flawed(&self, flaw: PageFlaw) -> LmdbError {
        self.damage.note(&flaw);
        if self.trust() == PageTrust::Walked {
            self.set_trust(PageTrust::Unchecked);
        }
        FLAW.set(flaw);
        LmdbError::DAMAGED
    }

    /// Runs `check_home` on the pages of the data file, under LMDB's own descriptor: a
    /// worker has no other.
    pub fn with_pages<R>(&self, look: impl FnOnce(&PageFile) -> R) -> Result<R, LmdbError> {
        let (descriptor, page_bytes) = (self.sys().data_fd()?, self.sys().page_bytes()?);
        // SAFETY: the environment has it open, outlives this and closes it itself.
        let file = unsafe { File::from_raw_fd(descriptor) };
        let pages = ManuallyDrop::new(PageFile::of(file, page_bytes as usize));
        Ok(look(&pages))
    }

    /// Opens a data base.
    pub fn open_db(&self, name: &CStr) -> Result<DbHandle, LmdbError> {
        self.sys().open_db(name)
    }
}

impl Drop for StoreEnvironment {
    fn drop(&mut self) {
        let mut open = registry();
        // Readers hold the outer `Arc`, so this one is the last of the inner.
        self.sys = None;
        if self.is_written {
            fault::unwatch();
        }
        open.remove(&self.path);
        REGISTRY.closed.notify_all();
    }
}

/// Makes the catalogue of a new environment, clears what dead processes left
/// and drops what was discarded.
fn prepare(env: &Arc<sys::LmdbEnvironment>) -> Result<(), LmdbError> {
    env.clear_dead_readers()?;
    let opening = env.opening();
    let mut txn = sys::WriteTxn::begin(env)?;
    let catalogue = txn.create_db(catalogue::CATALOGUE, &opening)?;
    catalogue::create(&mut txn, catalogue)?;
    txn.create_db(TABLES, &opening)?;
    txn.commit()?;
    loop {
        let mut txn = sys::WriteTxn::begin(env)?;
        let Some(file) = catalogue::first_discarded(&txn, catalogue)? else {
            return Ok(());
        };
        let db = txn.create_db(&catalogue::db_name(file), &opening)?;
        txn.drop_db(db, &opening)?;
        catalogue::keep(&mut txn, catalogue, file)?;
        txn.commit()?;
    }
}

fn registry() -> MutexGuard<'static, HashMap<PathBuf, Weak<StoreEnvironment>>> {
    REGISTRY.open.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait(
    open: MutexGuard<'static, HashMap<PathBuf, Weak<StoreEnvironment>>>,
) -> MutexGuard<'static, HashMap<PathBuf, Weak<StoreEnvironment>>> {
    REGISTRY
        .closed
        .wait(open)
        .unwrap_or_else(PoisonError::into_inner)
}

/// Converts the lock's error for the caller of open.
pub(super) fn lock_error(error: LockError, path: &Path) -> OpenError {
    match error {
        LockError::Held(pid) => OpenError::Held {
            path: path.to_owned(),
            pid,
        },
        LockError::Io(error) => OpenError::Io {
            path: path.to_owned(),
            reason: error.to_string(),
        },
    }
}

/// The one place where error numbers get their meaning.
fn storage_error(
    code: LmdbError,
    doing: &'static str,
    path: &Path,
    limits: &LmdbOptions,
) -> StorageError {
    let LmdbError(number) = code;
    match number {
        ffi::MDB_MAP_FULL => StorageError::MapFull {
            map_bytes: limits.map_bytes,
        },
        // A meta page could not be written.
        ffi::MDB_PANIC => StorageError::Refused {
            reason: code.text(),
        },
        ffi::MDB_READERS_FULL => StorageError::ReadersFull {
            max_readers: limits.max_readers,
        },
        ffi::MDB_DBS_FULL => StorageError::FilesFull {
            max_files: limits.max_files,
        },
        ffi::MDB_CORRUPTED
        | ffi::MDB_PAGE_NOTFOUND
        | ffi::MDB_INVALID
        | ffi::MDB_VERSION_MISMATCH
        | ffi::MDB_INCOMPATIBLE => StorageError::Damaged {
            reason: code.text(),
        },
        libc::ENOSPC | libc::EDQUOT | libc::EFBIG => StorageError::DiskFull {
            doing,
            code: number,
        },
        // LMDB says EIO when it could write the first part of something only.
        libc::EIO => match no_room(path) {
            Some(code) => StorageError::DiskFull { doing, code },
            None => StorageError::Failed {
                doing,
                reason: code.text(),
                code: number,
            },
        },
        _ => StorageError::Failed {
            doing,
            reason: code.text(),
            code: number,
        },
    }
}

/// The error number that a write of some size would meet, if there is no room.
fn no_room(path: &Path) -> Option<i32> {
    const SOME_BYTES: u64 = 1 << 20;
    let data = std::fs::metadata(path.join("data.mdb")).ok()?.len();
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: a valid place for the limit.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    if known && limit.rlim_cur != libc::RLIM_INFINITY && data + SOME_BYTES > limit.rlim_cur {
        return Some(libc::EFBIG);
    }
    let path = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()).ok()?;
    // SAFETY: all zero is a value of this plain structure; a C string and a
    // valid place.
    let mut fs: libc::statvfs = unsafe { std::mem::zeroed() };
    let known = unsafe { libc::statvfs(path.as_ptr(), &mut fs) } == 0;
    (known && fs.f_bavail.saturating_mul(fs.f_frsize) < SOME_BYTES).then_some(libc::ENOSPC)
}
