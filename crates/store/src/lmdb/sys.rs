//! LMDB's C interface made safe: environments, transactions, cursors.
//!
//! All calls of the library are here. The library is called directly because
//! a command must cost a fraction of a microsecond: a read transaction is begun
//! once a reader and then renewed and reset, and so are its cursors. The usual
//! Rust wrapper offers neither, nor the free list and the reader table.
//!
//! Guarantees of the types: a transaction does not outlive its environment
//! ([`Arc`]), bytes do not outlive their transaction (borrows), a cursor does
//! not outlive its transaction, and a read transaction is reset even when the
//! code that reads panics.
//!
//! Reference: `lmdb.h`, the documentation of each call and the section
//! *Caveats*.

use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::ops::Deref;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lmdb_master_sys as ffi;

use super::ahead::LastMetaPage;
use super::home;
use super::lent::{LentTables, Table};
use super::looked::PageTrust;

/// An error number of LMDB (negative) or of the operating system (positive).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LmdbError(pub i32);

impl LmdbError {
    /// Whether the last commit will be found again is not known.
    pub const UNCERTAIN: LmdbError = LmdbError(-31_000);
    /// No commit is accepted since a flush failed.
    pub const REFUSED: LmdbError = LmdbError(-31_001);
    /// No commit is accepted since the file was moved or deleted.
    pub const MISPLACED: LmdbError = LmdbError(-31_002);
    /// A page on the way is damaged.
    pub const DAMAGED: LmdbError = LmdbError(-31_003);
}

/// Handle of a data base within an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DbHandle(ffi::MDB_dbi);

/// How to open an environment.
pub(super) struct OpenOptions {
    pub read_only: bool,
    /// 0 takes the size the environment was last written with.
    pub map_bytes: u64,
    pub max_readers: u32,
    pub max_dbs: u32,
    pub flush: bool,
}

/// An open environment.
pub(super) struct LmdbEnvironment {
    ptr: NonNull<ffi::MDB_env>,
    /// Held while a handle is opened: LMDB allows one transaction at a time to
    /// do so.
    opening: Mutex<()>,
    /// Reader tables of other processes.
    lent: Mutex<LentTables>,
    /// The last commit on its way to the disk.
    ahead: Mutex<LastMetaPage>,
    /// Whether commits reach the disk at all.
    flush: bool,
    /// The data file.
    data: PathBuf,
}

/// An environment that is open, for its own parts.
#[derive(Clone, Copy)]
pub(super) struct EnvPtr(NonNull<ffi::MDB_env>);

/// The data base of free pages.
pub(super) const FREE_LIST: DbHandle = DbHandle(0);

/// The data base of data bases.
pub(super) const MAIN: DbHandle = DbHandle(1);

// SAFETY: LMDB environments may be used from any thread; opening handles, which
// must not run twice at a time, is protected by a mutex.
unsafe impl Send for LmdbEnvironment {}
unsafe impl Sync for LmdbEnvironment {}

impl LmdbEnvironment {
    /// Opens the environment in a directory that exists. The caller sees to it
    /// that a process opens one directory once (see `registry`).
    pub fn open(directory: &Path, options: &OpenOptions) -> Result<Self, LmdbError> {
        let path =
            CString::new(directory.as_os_str().as_bytes()).map_err(|_| LmdbError(libc::EINVAL))?;
        let mut env = ptr::null_mut();
        // SAFETY: `env` is a valid place for the pointer.
        check(unsafe { ffi::mdb_env_create(&mut env) })?;
        let ptr = NonNull::new(env).ok_or(LmdbError(libc::ENOMEM))?;
        // From here on dropping `env` closes it, as LMDB demands after a failed
        // open too.
        let env = Self {
            ptr,
            opening: Mutex::new(()),
            lent: Mutex::default(),
            ahead: Mutex::new(LastMetaPage::Settled),
            flush: options.flush && !options.read_only,
            data: directory.join("data.mdb"),
        };
        // Meta pages are flushed by the next commit, or by `settle`.
        let mut flags = ffi::MDB_NOTLS | ffi::MDB_NOMETASYNC;
        if options.read_only {
            flags |= ffi::MDB_RDONLY;
        }
        if !options.flush {
            flags |= ffi::MDB_NOSYNC;
        }
        // SAFETY: the environment is created and not yet open; the path is a C
        // string that lives until the call returns.
        unsafe {
            if options.map_bytes != 0 {
                let bytes = options.map_bytes.next_multiple_of(4096) as ffi::mdb_size_t;
                check(ffi::mdb_env_set_mapsize(ptr.as_ptr(), bytes))?;
            }
            check(ffi::mdb_env_set_maxreaders(
                ptr.as_ptr(),
                options.max_readers,
            ))?;
            check(ffi::mdb_env_set_maxdbs(ptr.as_ptr(), options.max_dbs))?;
            check(ffi::mdb_env_open(ptr.as_ptr(), path.as_ptr(), flags, 0o640))?;
        }
        Ok(env)
    }

    /// Makes durable what a process that has died left on its way to the disk.
    pub fn settle_found(&self) -> Result<(), LmdbError> {
        let last = self.info()?.me_last_txnid as u64;
        if !self.flush || last == 0 {
            return Ok(());
        }
        self.flush_file()?;
        // A flush of that process may have failed; see `ahead`.
        let mut ahead = self.ahead();
        *ahead = LastMetaPage::Pending(last);
        ahead.save(self.data_fd()?, self.page_bytes()?);
        match *ahead {
            LastMetaPage::Lost(_, code) => Err(code),
            LastMetaPage::Settled | LastMetaPage::Pending(_) => Ok(()),
        }
    }

    /// Makes the last commit durable, if it is not.
    pub fn settle(&self) -> Result<(), LmdbError> {
        let mut ahead = self.ahead();
        if let LastMetaPage::Pending(_) = *ahead {
            let (data, page_bytes) = (self.data_fd()?, self.page_bytes()?);
            ahead.settle(data, page_bytes, || self.flush_file());
        }
        match *ahead {
            LastMetaPage::Settled => Ok(()),
            LastMetaPage::Pending(_) | LastMetaPage::Lost(..) => Err(LmdbError::UNCERTAIN),
        }
    }

    /// Whether the last commit is on the disk.
    pub fn on_its_way(&self) -> LastMetaPage {
        *self.ahead()
    }

    /// Whether a write transaction may begin.
    fn may_write(&self) -> Result<(), LmdbError> {
        if let LastMetaPage::Lost(..) = *self.ahead() {
            return Err(LmdbError::REFUSED);
        }
        if home::is_in_place(self.data_fd()?, &self.data) {
            Ok(())
        } else {
            Err(LmdbError::MISPLACED)
        }
    }

    /// The descriptor of the data file.
    pub fn data_fd(&self) -> Result<libc::c_int, LmdbError> {
        let mut fd = -1;
        // SAFETY: the environment is open; `fd` is a valid place.
        check(unsafe { ffi::mdb_env_get_fd(self.ptr.as_ptr(), &mut fd) })?;
        Ok(fd)
    }

    /// Bytes of a page.
    pub fn page_bytes(&self) -> Result<u64, LmdbError> {
        // SAFETY: all zero is a value of this plain structure, and the
        // environment is open.
        let mut stat: ffi::MDB_stat = unsafe { std::mem::zeroed() };
        check(unsafe { ffi::mdb_env_stat(self.ptr.as_ptr(), &mut stat) })?;
        Ok(u64::from(stat.ms_psize))
    }

    fn flush_file(&self) -> Result<(), LmdbError> {
        // SAFETY: the environment is open.
        check(unsafe { ffi::mdb_env_sync(self.ptr.as_ptr(), 1) })
    }

    fn ahead(&self) -> MutexGuard<'_, LastMetaPage> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the data base of this name.
    pub fn open_db(self: &Arc<Self>, name: &CStr) -> Result<DbHandle, LmdbError> {
        let _one_at_a_time = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let txn = begin(self, ffi::MDB_RDONLY)?;
        match open_db(txn, name, 0) {
            // SAFETY: `txn` was begun above and is ended here; committing is
            // what makes the handle the environment's.
            Ok(dbi) => check(unsafe { ffi::mdb_txn_commit(txn.as_ptr()) }).map(|()| dbi),
            Err(code) => {
                // SAFETY: as above.
                unsafe { ffi::mdb_txn_abort(txn.as_ptr()) };
                Err(code)
            }
        }
    }

    /// Clears the slots of readers whose process has ended; returns their
    /// number.
    pub fn clear_dead_readers(&self) -> Result<u32, LmdbError> {
        let mut dead = 0;
        // SAFETY: the environment is open.
        check(unsafe { ffi::mdb_reader_check(self.ptr.as_ptr(), &mut dead) })?;
        Ok(dead.unsigned_abs())
    }

    /// Writes a copy of the newest state without its free pages to an open
    /// file, while others read and write.
    pub fn copy_to(&self, file: &std::fs::File) -> Result<(), LmdbError> {
        // SAFETY: the environment and the descriptor are open.
        check(unsafe {
            ffi::mdb_env_copyfd2(self.ptr.as_ptr(), file.as_raw_fd(), ffi::MDB_CP_COMPACT)
        })
    }

    /// Lends a reader table to another process.
    pub fn lend(&self, table: &Arc<Table>) -> Result<(), LmdbError> {
        self.lent().add(table, EnvPtr(self.ptr))
    }

    /// Publishes to borrowers, now and later, how much was checked.
    pub fn publish_trust(&self, trust: PageTrust) {
        self.lent().publish_trust(trust);
    }

    fn lent(&self) -> MutexGuard<'_, LentTables> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sizes and counters.
    pub fn info(&self) -> Result<ffi::MDB_envinfo, LmdbError> {
        // SAFETY: all zero is a value of this plain structure, and the
        // environment is open.
        let mut info: ffi::MDB_envinfo = unsafe { std::mem::zeroed() };
        check(unsafe { ffi::mdb_env_info(self.ptr.as_ptr(), &mut info) })?;
        Ok(info)
    }

    /// The reader table as LMDB prints it, one line a reader after a heading.
    pub fn reader_table(&self) -> Result<String, LmdbError> {
        unsafe extern "C" fn add(line: *const libc::c_char, text: *mut libc::c_void) -> i32 {
            // SAFETY: LMDB hands on the pointer below, and a C string.
            let (text, line) = unsafe { (&mut *text.cast::<String>(), CStr::from_ptr(line)) };
            text.push_str(&line.to_string_lossy());
            0
        }
        let mut text = String::new();
        let context = (&raw mut text).cast();
        // SAFETY: `add` gets `text`, which outlives the call, as its context.
        let rc = unsafe { ffi::mdb_reader_list(self.ptr.as_ptr(), Some(add), context) };
        if rc < 0 { Err(LmdbError(rc)) } else { Ok(text) }
    }
}

impl Drop for LmdbEnvironment {
    fn drop(&mut self) {
        // No caller is left for the error.
        let _: Result<(), LmdbError> = self.settle();
        self.lent().end();
        // SAFETY: transactions hold an `Arc` of this or borrow it, so no transaction
        // is left.
        unsafe { ffi::mdb_env_close(self.ptr.as_ptr()) }
    }
}

/// A read transaction that is used again and again; between two uses it holds
/// its slot in the reader table and nothing else.
pub(super) struct Reader {
    txn: NonNull<ffi::MDB_txn>,
    cursors: Vec<(DbHandle, NonNull<ffi::MDB_cursor>)>,
    /// Keeps the environment open.
    _env: Arc<LmdbEnvironment>,
}

// SAFETY: with MDB_NOTLS a read transaction belongs to no thread; `&mut` keeps
// it to one at a time.
unsafe impl Send for Reader {}

impl Reader {
    /// Takes a slot in the reader table.
    pub fn new(env: Arc<LmdbEnvironment>) -> Result<Self, LmdbError> {
        let txn = begin(&env, ffi::MDB_RDONLY)?;
        // SAFETY: a read transaction that was just begun.
        unsafe { ffi::mdb_txn_reset(txn.as_ptr()) };
        Ok(Self {
            _env: env,
            txn,
            cursors: Vec::new(),
        })
    }

    /// The newest committed state, until the snapshot is dropped.
    pub fn snapshot(&mut self) -> Result<ReadTransaction<'_>, LmdbError> {
        // SAFETY: the transaction is reset: `new` and `ReadTransaction::drop` see to
        // that.
        check(unsafe { ffi::mdb_txn_renew(self.txn.as_ptr()) })?;
        Ok(ReadTransaction {
            txn: LmdbTransaction {
                ptr: self.txn,
                life: PhantomData,
            },
            reader: self,
        })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // SAFETY: cursors of a read transaction are closed by hand, then the
        // transaction ends; nothing uses either afterwards.
        unsafe {
            for (_, cursor) in &self.cursors {
                ffi::mdb_cursor_close(cursor.as_ptr());
            }
            ffi::mdb_txn_abort(self.txn.as_ptr());
        }
    }
}

/// A read transaction without a reader: it keeps the pages of a state.
#[derive(Default)]
pub(super) struct HeldState {
    txn: Option<NonNull<ffi::MDB_txn>>,
    id: Option<u64>,
}

// SAFETY: with MDB_NOTLS a read transaction belongs to no thread.
unsafe impl Send for HeldState {}

impl HeldState {
    /// The number of the transaction that made the state that is kept.
    pub fn id(&self) -> Option<u64> {
        self.id
    }

    /// Keeps the newest state, and no other one.
    pub fn hold(&mut self, env: EnvPtr) -> Result<(), LmdbError> {
        self.release();
        let txn = match self.txn {
            // SAFETY: a read transaction of this environment that is reset.
            Some(txn) => check(unsafe { ffi::mdb_txn_renew(txn.as_ptr()) }).map(|()| txn)?,
            None => *self.txn.insert(begin_in(env, ffi::MDB_RDONLY)?),
        };
        // SAFETY: the transaction is active.
        self.id = Some(unsafe { ffi::mdb_txn_id(txn.as_ptr()) } as u64);
        Ok(())
    }

    /// Keeps nothing.
    pub fn release(&mut self) {
        if let (Some(txn), Some(_)) = (self.txn, self.id.take()) {
            // SAFETY: the transaction is active.
            unsafe { ffi::mdb_txn_reset(txn.as_ptr()) };
        }
    }

    /// Gives the transaction's slot back; to be called before the environment
    /// is closed.
    pub fn end(&mut self) {
        self.id = None;
        if let Some(txn) = self.txn.take() {
            // SAFETY: a transaction without cursors, which nothing uses again.
            unsafe { ffi::mdb_txn_abort(txn.as_ptr()) };
        }
    }
}

/// A committed state being read.
pub(super) struct ReadTransaction<'r> {
    txn: LmdbTransaction<'r>,
    reader: &'r mut Reader,
}

impl ReadTransaction<'_> {
    /// The number of the transaction that made this state.
    pub fn id(&self) -> u64 {
        // SAFETY: the transaction is active.
        unsafe { ffi::mdb_txn_id(self.txn.ptr.as_ptr()) as u64 }
    }

    /// A cursor, opened at its first use.
    pub fn cursor(&mut self, dbi: DbHandle) -> Result<Cursor<'_>, LmdbError> {
        let known = self.reader.cursors.iter().find(|(of, _)| *of == dbi);
        let ptr = match known {
            Some(&(_, cursor)) => {
                // SAFETY: the cursor belongs to this read transaction.
                check(unsafe { ffi::mdb_cursor_renew(self.txn.ptr.as_ptr(), cursor.as_ptr()) })?;
                cursor
            }
            None => {
                let cursor = open_cursor(&self.txn, dbi)?;
                self.reader.cursors.push((dbi, cursor));
                cursor
            }
        };
        Ok(Cursor {
            ptr,
            owned: false,
            life: PhantomData,
        })
    }
}

impl<'r> Deref for ReadTransaction<'r> {
    type Target = LmdbTransaction<'r>;
    fn deref(&self) -> &LmdbTransaction<'r> {
        &self.txn
    }
}

impl Drop for ReadTransaction<'_> {
    fn drop(&mut self) {
        // SAFETY: the transaction was renewed when this was made.
        unsafe { ffi::mdb_txn_reset(self.txn.ptr.as_ptr()) }
    }
}

/// The operations of both kinds of transaction.
pub(super) struct LmdbTransaction<'t> {
    ptr: NonNull<ffi::MDB_txn>,
    life: PhantomData<&'t LmdbEnvironment>,
}

impl LmdbTransaction<'_> {
    /// The bytes under a key; they stay where they are until the transaction
    /// ends or writes.
    pub fn get(&self, dbi: DbHandle, key: &[u8]) -> Result<Option<&[u8]>, LmdbError> {
        let (mut key, mut data) = (val(key), val(&[]));
        // SAFETY: the transaction is active; LMDB does not write through `key`
        // and sets `data` to memory of the map that this borrow keeps valid.
        let rc = unsafe { ffi::mdb_get(self.ptr.as_ptr(), dbi.0, &mut key, &mut data) };
        Ok(found(rc)?.then(|| unsafe { bytes(&data) }))
    }

    /// Counts of a data base.
    pub fn stat(&self, dbi: DbHandle) -> Result<ffi::MDB_stat, LmdbError> {
        // SAFETY: all zero is a value of this plain structure, and the
        // transaction is active.
        let mut stat: ffi::MDB_stat = unsafe { std::mem::zeroed() };
        check(unsafe { ffi::mdb_stat(self.ptr.as_ptr(), dbi.0, &mut stat) })?;
        Ok(stat)
    }

    /// A cursor that is closed when dropped.
    pub fn new_cursor(&self, dbi: DbHandle) -> Result<Cursor<'_>, LmdbError> {
        Ok(Cursor {
            ptr: open_cursor(self, dbi)?,
            owned: true,
            life: PhantomData,
        })
    }
}

/// The environment's one write transaction; dropped, it never was. It stays in
/// the thread that began it, as LMDB demands.
pub(super) struct WriteTxn {
    txn: LmdbTransaction<'static>,
    ended: bool,
    /// Keeps the environment open.
    env: Arc<LmdbEnvironment>,
}

impl WriteTxn {
    /// Begins, when the one before has ended.
    pub fn begin(env: &Arc<LmdbEnvironment>) -> Result<Self, LmdbError> {
        env.may_write()?;
        env.lent().keep(EnvPtr(env.ptr))?;
        let txn = LmdbTransaction {
            ptr: begin(env, 0)?,
            life: PhantomData,
        };
        Ok(Self {
            txn,
            ended: false,
            env: env.clone(),
        })
    }

    /// Puts `data` under `key`, replacing an existing value.
    pub fn put(&mut self, dbi: DbHandle, key: &[u8], data: &[u8]) -> Result<(), LmdbError> {
        self.put_with(dbi, key, data, 0)
    }

    /// Adds after the greatest key; false if `key` is not greater.
    pub fn append(&mut self, dbi: DbHandle, key: &[u8], data: &[u8]) -> Result<bool, LmdbError> {
        exists(self.put_with(dbi, key, data, ffi::MDB_APPEND))
    }

    /// Adds; false if `key` is there.
    pub fn add(&mut self, dbi: DbHandle, key: &[u8], data: &[u8]) -> Result<bool, LmdbError> {
        exists(self.put_with(dbi, key, data, ffi::MDB_NOOVERWRITE))
    }

    fn put_with(
        &mut self,
        dbi: DbHandle,
        key: &[u8],
        data: &[u8],
        flags: u32,
    ) -> Result<(), LmdbError> {
        let (mut key, mut data) = (val(key), val(data));
        // SAFETY: the transaction is active; LMDB copies both, and sets `data`
        // to the existing value if it refuses.
        check(unsafe { ffi::mdb_put(self.ptr.as_ptr(), dbi.0, &mut key, &mut data, flags) })
    }

    /// Deletes; false if there is nothing under `key`.
    pub fn delete(&mut self, dbi: DbHandle, key: &[u8]) -> Result<bool, LmdbError> {
        let mut key = val(key);
        // SAFETY: the transaction is active; no data is needed without
        // duplicates.
        found(unsafe { ffi::mdb_del(self.ptr.as_ptr(), dbi.0, &mut key, ptr::null_mut()) })
    }

    /// Opens a data base, making it if it is not there. Only for a process in
    /// which no other thread opens one until this transaction has ended, which
    /// `_opening` proves.
    pub fn create_db(
        &mut self,
        name: &CStr,
        _opening: &HandleOpener<'_>,
    ) -> Result<DbHandle, LmdbError> {
        open_db(self.ptr, name, ffi::MDB_CREATE)
    }

    /// Frees all pages of a data base, which stays.
    pub fn clear_db(&mut self, dbi: DbHandle) -> Result<(), LmdbError> {
        // SAFETY: the transaction is active; the handle stays valid.
        check(unsafe { ffi::mdb_drop(self.ptr.as_ptr(), dbi.0, 0) })
    }

    /// Removes a data base and closes its handle, which `_opening` proves no
    /// other thread is about to open; the caller knows that none uses it.
    pub fn drop_db(&mut self, dbi: DbHandle, _opening: &HandleOpener<'_>) -> Result<(), LmdbError> {
        // SAFETY: the transaction is active. A stale handle makes later calls
        // fail with an error, as LMDB checks handles.
        check(unsafe { ffi::mdb_drop(self.ptr.as_ptr(), dbi.0, 1) })
    }

    /// Makes the changes visible and, unless the environment was opened
    /// otherwise, durable.
    pub fn commit(self) -> Result<(), LmdbError> {
        let env = self.env.clone();
        self.commit_ahead()?;
        env.settle()
    }

    /// Makes the changes visible, and the commit before this one durable. This
    /// commit is durable when the next one succeeds, or by [`LmdbEnvironment::settle`].
    pub fn commit_ahead(mut self) -> Result<(), LmdbError> {
        self.ended = true;
        // SAFETY: the transaction is active.
        let id = unsafe { ffi::mdb_txn_id(self.ptr.as_ptr()) } as u64;
        // SAFETY: the transaction is active, and is freed by the call in any
        // case; `ended` keeps drop from it.
        let done = check(unsafe { ffi::mdb_txn_commit(self.ptr.as_ptr()) });
        let mut ahead = self.env.ahead();
        if let Err(code) = done {
            ahead.save(self.env.data_fd()?, self.env.page_bytes()?);
            return Err(code);
        }
        let last = self.env.info()?.me_last_txnid as u64;
        // A transaction without a change writes nothing and flushes nothing.
        if self.env.flush && last == id {
            *ahead = LastMetaPage::Pending(id);
        }
        drop(ahead);
        self.env.lent().publish(last);
        Ok(())
    }
}

impl Deref for WriteTxn {
    type Target = LmdbTransaction<'static>;
    fn deref(&self) -> &LmdbTransaction<'static> {
        &self.txn
    }
}

impl Drop for WriteTxn {
    fn drop(&mut self) {
        if !self.ended {
            // SAFETY: not committed, so still there.
            unsafe { ffi::mdb_txn_abort(self.txn.ptr.as_ptr()) }
        }
    }
}

/// The right to open handles in a write transaction.
pub(super) struct HandleOpener<'e>(
    #[expect(dead_code, reason = "held, not read")] std::sync::MutexGuard<'e, ()>,
);

impl LmdbEnvironment {
    /// Waits until no other thread opens handles.
    pub fn opening(&self) -> HandleOpener<'_> {
        HandleOpener(self.opening.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A place in a data base.
pub(super) struct Cursor<'t> {
    ptr: NonNull<ffi::MDB_cursor>,
    owned: bool,
    life: PhantomData<&'t ()>,
}

/// Key and data where they lie.
pub(super) type KeyValue<'t> = (&'t [u8], &'t [u8]);

/// The move of a cursor.
#[derive(Clone, Copy)]
pub(super) enum CursorMove<'k> {
    First,
    Last,
    Next,
    Previous,
    /// No move: reads the current entry.
    Here,
    /// To the first key that is this one or greater; it must not be empty.
    AtLeast(&'k [u8]),
}

impl Cursor<'_> {
    /// Goes there; `None` if nothing is there.
    pub fn go(&mut self, to: CursorMove<'_>) -> Result<Option<KeyValue<'_>>, LmdbError> {
        let (from, op) = match to {
            CursorMove::First => (&[][..], ffi::MDB_FIRST),
            CursorMove::Last => (&[][..], ffi::MDB_LAST),
            CursorMove::Next => (&[][..], ffi::MDB_NEXT),
            CursorMove::Previous => (&[][..], ffi::MDB_PREV),
            CursorMove::Here => (&[][..], ffi::MDB_GET_CURRENT),
            CursorMove::AtLeast(key) => (key, ffi::MDB_SET_RANGE),
        };
        let (mut key, mut data) = (val(from), val(&[]));
        // SAFETY: the cursor belongs to an active transaction; LMDB reads `from`
        // and sets both to memory of the map that the borrow keeps valid.
        let rc = unsafe { ffi::mdb_cursor_get(self.ptr.as_ptr(), &mut key, &mut data, op) };
        Ok(found(rc)?.then(|| unsafe { (bytes(&key), bytes(&data)) }))
    }
}

impl Drop for Cursor<'_> {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: opened by `new_cursor`, and its transaction is borrowed,
            // so has not ended.
            unsafe { ffi::mdb_cursor_close(self.ptr.as_ptr()) }
        }
    }
}

impl LmdbError {
    /// The library's words for it.
    pub fn text(self) -> String {
        // SAFETY: LMDB gives a static string for its own numbers and what
        // strerror gives for others.
        let text = unsafe { CStr::from_ptr(ffi::mdb_strerror(self.0)) };
        text.to_string_lossy().into_owned()
    }
}

fn begin(env: &Arc<LmdbEnvironment>, flags: u32) -> Result<NonNull<ffi::MDB_txn>, LmdbError> {
    begin_in(EnvPtr(env.ptr), flags)
}

fn begin_in(env: EnvPtr, flags: u32) -> Result<NonNull<ffi::MDB_txn>, LmdbError> {
    let mut txn = ptr::null_mut();
    // SAFETY: the environment is open, `txn` a valid place.
    check(unsafe { ffi::mdb_txn_begin(env.0.as_ptr(), ptr::null_mut(), flags, &mut txn) })?;
    NonNull::new(txn).ok_or(LmdbError(libc::ENOMEM))
}

fn open_db(txn: NonNull<ffi::MDB_txn>, name: &CStr, flags: u32) -> Result<DbHandle, LmdbError> {
    let mut dbi = 0;
    // SAFETY: an active transaction, a C string, a valid place.
    check(unsafe { ffi::mdb_dbi_open(txn.as_ptr(), name.as_ptr(), flags, &mut dbi) })?;
    Ok(DbHandle(dbi))
}

fn open_cursor(
    txn: &LmdbTransaction<'_>,
    dbi: DbHandle,
) -> Result<NonNull<ffi::MDB_cursor>, LmdbError> {
    let mut cursor = ptr::null_mut();
    // SAFETY: an active transaction and a valid place.
    check(unsafe { ffi::mdb_cursor_open(txn.ptr.as_ptr(), dbi.0, &mut cursor) })?;
    NonNull::new(cursor).ok_or(LmdbError(libc::ENOMEM))
}

fn check(rc: i32) -> Result<(), LmdbError> {
    if rc == 0 { Ok(()) } else { Err(LmdbError(rc)) }
}

/// False for "not found".
fn found(rc: i32) -> Result<bool, LmdbError> {
    match rc {
        ffi::MDB_NOTFOUND => Ok(false),
        rc => check(rc).map(|()| true),
    }
}

/// False for "exists".
fn exists(result: Result<(), LmdbError>) -> Result<bool, LmdbError> {
    match result {
        Err(LmdbError(ffi::MDB_KEYEXIST)) => Ok(false),
        other => other.map(|()| true),
    }
}

fn val(bytes: &[u8]) -> ffi::MDB_val {
    ffi::MDB_val {
        mv_size: bytes.len(),
        mv_data: bytes.as_ptr().cast_mut().cast(),
    }
}

/// # Safety
/// `val` was set by LMDB in a transaction that outlives `'t`.
unsafe fn bytes<'t>(val: &ffi::MDB_val) -> &'t [u8] {
    // SAFETY: as demanded above; LMDB's pointers are never null.
    unsafe { std::slice::from_raw_parts(val.mv_data.cast(), val.mv_size) }
}
