//! Reader tables lent to processes that are not trusted.
//!
//! LMDB's reader table is one file that every reader writes. Invalid entries
//! in it can stop the writer, have it begin from an older state and
//! so lose commits, or write into its memory through the links of its mutexes.
//! So a process that runs programs gets a table of its own, a memory file with
//! the same layout, and reads by LMDB's usual protocol. The writer keeps the
//! real one and does two things more:
//!
//! * After each commit it writes the transaction's number into every table.
//! * Before each write transaction it finds the oldest state that a reader
//!   uses, and keeps the pages of that state by at most two read transactions
//!   of its own: `older` is closed when no reader uses a state before `newer`.
//!
//! After the slots follows how much of the store was checked: a [`PageTrust`].
//!
//! A table that says nonsense keeps pages from being used again, or costs its
//! own reader. Reference: `mdb.c`, `MDB_txninfo` and `mdb_txn_renew0`.
//! Invariant: of a table the writer reads one number and one flag a slot, and
//! believes neither beyond that.

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::env::{LmdbOptions, OpenError, StoreEnvironment};
use super::home::{SLOT_BYTES, TABLE_HEAD_BYTES, WORKERS};
use super::looked::PageTrust;
use super::reader::LmdbReader;
use super::sys::{EnvPtr, HeldState, LmdbError};

/// Reader slots of a lent table: a process has one reader, and takes another
/// while it opens a file.
const SLOTS: usize = 8;
/// Place of the number of what the writer has checked: after the slots.
const CHECKED_OFFSET: usize = TABLE_HEAD_BYTES as usize + (SLOTS - 1) * SLOT_BYTES as usize;
/// Bytes of a lent table. LMDB makes slots of as many as fill one.
const TABLE_BYTES: usize = CHECKED_OFFSET + 8;
/// The offset of the number of the last transaction in LMDB's table.
const COMMITTED_OFFSET: usize = 8;
/// The offset of the first slot in LMDB's table: the state that is read, then the process.
const SLOTS_OFFSET: usize = (TABLE_HEAD_BYTES - SLOT_BYTES) as usize;
/// The value of an idle slot.
const IDLE: u64 = u64::MAX;
/// The descriptor under which the borrower opens its table, because the name
/// of `lock.mdb` leads there.
pub(super) const TABLE_FD: c_int = 200;

/// Held while the descriptor is in use.
static OPENING: Mutex<()> = Mutex::new(());

/// The right to lend the reader tables of an environment.
#[derive(Clone)]
pub struct ReaderTables(Weak<StoreEnvironment>);

/// A table that is lent; it is dropped when its reader has ended.
pub struct LentTable {
    fd: OwnedFd,
    _table: Arc<Table>,
}

impl ReaderTables {
    pub(super) fn new(env: &Arc<StoreEnvironment>) -> ReaderTables {
        ReaderTables(Arc::downgrade(env))
    }

    /// Makes a table for a process that will open this environment by
    /// [`LmdbReader::open_lent`].
    pub fn lend(&self) -> io::Result<LentTable> {
        let env = self.0.upgrade().ok_or(io::ErrorKind::NotConnected)?;
        let fd = table_file()?;
        let table = Arc::new(Table::map(fd.as_fd())?);
        env.sys()
            .lend(&table)
            .map_err(|code| io::Error::other(env.error(code, "lending a reader table")))?;
        Ok(LentTable { fd, _table: table })
    }
}

impl AsFd for LentTable {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl LmdbReader {
    /// Opens the environment in this directory for reading only, with a table
    /// that its writer has lent. Once a process: a descriptor number is used
    /// that nothing else may have.
    pub fn open_lent(
        path: &Path,
        table: &OwnedFd,
        limits: &LmdbOptions,
    ) -> Result<Self, OpenError> {
        let failed = |error: io::Error| OpenError::Io {
            path: path.to_owned(),
            reason: format!("its reader table: {error}"),
        };
        let _one_at_a_time = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: asks whether the number is in use.
        if unsafe { libc::fcntl(TABLE_FD, libc::F_GETFD) } != -1 {
            return Err(failed(io::ErrorKind::AddrInUse.into()));
        }
        // SAFETY: an own descriptor is copied to a free number.
        if unsafe { libc::dup2(table.as_raw_fd(), TABLE_FD) } < 0 {
            return Err(failed(io::Error::last_os_error()));
        }
        // SAFETY: the copy made above, which nothing else closes.
        let _named = unsafe { OwnedFd::from_raw_fd(TABLE_FD) };
        let limits = LmdbOptions {
            max_readers: SLOTS as u32,
            ..limits.clone()
        };
        let mut reader = LmdbReader::open(&path.join(WORKERS), &limits)?;
        // LMDB may have overwritten commits of the writer while it set the
        // table up.
        let table = Table::map(table.as_fd()).map_err(failed)?;
        let info = reader.env.sys().info();
        let info = info.map_err(|code| failed(io::Error::other(code.text())))?;
        table
            .committed()
            .fetch_max(info.me_last_txnid as u64, Ordering::SeqCst);
        reader.use_lent_table(table);
        Ok(reader)
    }
}

/// A lent table as the writer sees it.
pub(super) struct Table(NonNull<u8>);

// SAFETY: memory at a fixed place that is used by atomics only.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl Table {
    fn map(fd: BorrowedFd<'_>) -> io::Result<Table> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of a file whose size is sealed.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                TABLE_BYTES,
                access,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        match NonNull::new(at.cast::<u8>()) {
            Some(at) if at.as_ptr().cast() != libc::MAP_FAILED => Ok(Table(at)),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn committed(&self) -> &AtomicU64 {
        // SAFETY: inside the mapping, aligned, and any bytes are a number.
        unsafe { &*self.0.as_ptr().add(COMMITTED_OFFSET).cast() }
    }

    /// How much of the store was checked, as the number of a [`PageTrust`].
    pub fn trust(&self) -> &AtomicU64 {
        // SAFETY: inside the mapping, aligned, and any bytes are a number.
        unsafe { &*self.0.as_ptr().add(CHECKED_OFFSET).cast() }
    }

    /// The oldest state that is read; [`IDLE`] for none.
    fn oldest(&self) -> u64 {
        let slot = |n: usize| {
            // SAFETY: inside the mapping, aligned, and any bytes are numbers.
            let (state, process) = unsafe {
                let at = self.0.as_ptr().add(SLOTS_OFFSET + n * SLOT_BYTES as usize);
                (&*at.cast::<AtomicU64>(), &*at.add(8).cast::<AtomicI32>())
            };
            match process.load(Ordering::SeqCst) {
                0 => IDLE,
                _ => state.load(Ordering::SeqCst),
            }
        };
        (0..SLOTS).map(slot).min().unwrap_or(IDLE)
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: the mapping that was made for this.
        unsafe { libc::munmap(self.0.as_ptr().cast(), TABLE_BYTES) };
    }
}

/// The reader tables that an environment has lent, and the states it keeps for
/// the borrowers.
#[derive(Default)]
pub(super) struct LentTables {
    tables: Vec<Weak<Table>>,
    older: HeldState,
    newer: HeldState,
    trust: u64,
}

impl LentTables {
    /// Lends a table. From now on the newest state is kept.
    pub fn add(&mut self, table: &Arc<Table>, env: EnvPtr) -> Result<(), LmdbError> {
        if self.newer.id().is_none() {
            self.newer.hold(env)?;
        }
        table.trust().store(self.trust, Ordering::Release);
        self.tables.push(Arc::downgrade(table));
        Ok(())
    }

    /// Keeps what borrowers read; to be called before each write transaction.
    pub fn keep(&mut self, env: EnvPtr) -> Result<(), LmdbError> {
        let Some(newer) = self.newer.id() else {
            return Ok(());
        };
        let mut oldest = IDLE;
        self.tables.retain(|table| match table.upgrade() {
            Some(table) => {
                oldest = oldest.min(table.oldest());
                true
            }
            None => false,
        });
        if self.tables.is_empty() {
            self.older.release();
            self.newer.release();
            return Ok(());
        }
        // A reader still uses a state that only the older one keeps.
        if oldest < newer {
            return Ok(());
        }
        self.older.release();
        std::mem::swap(&mut self.older, &mut self.newer);
        self.newer.hold(env)?;
        if self.newer.id().is_some_and(|newest| oldest >= newest) {
            self.older.release();
        }
        Ok(())
    }

    /// Publishes a commit to the borrowers.
    pub fn publish(&self, committed: u64) {
        for table in self.tables.iter().filter_map(Weak::upgrade) {
            table.committed().store(committed, Ordering::SeqCst);
        }
    }

    /// Publishes to the borrowers, later ones too, how much was checked.
    pub fn publish_trust(&mut self, trust: PageTrust) {
        self.trust = trust as u64;
        for table in self.tables.iter().filter_map(Weak::upgrade) {
            table.trust().store(self.trust, Ordering::Release);
        }
    }

    /// Ends the read transactions, before the environment is closed.
    pub fn end(&mut self) {
        self.older.end();
        self.newer.end();
    }
}

/// The file of a new table, whose size is sealed.
fn table_file() -> io::Result<OwnedFd> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a C string; the result is checked.
    let raw = unsafe { libc::memfd_create(c"tupelo-readers".as_ptr(), flags) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a new descriptor that has no other owner.
    let fd = unsafe { OwnedFd::from_raw_fd(raw) };
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: plain calls on our descriptor.
    let done = unsafe {
        libc::ftruncate(raw, TABLE_BYTES as libc::off_t) == 0
            && libc::fcntl(raw, libc::F_ADD_SEALS, seals) == 0
    };
    if done {
        Ok(fd)
    } else {
        Err(io::Error::last_os_error())
    }
}
