//! A disk below LMDB: every write and flush of a data file is recorded, and the images that
//! a loss of power could have left are made from the recording.
//!
//! This binary has the system's calls of these names itself, so that LMDB and
//! the standard library call them here. They do what the system's do, except
//! the flush, which is only recorded, and calls that are to fail.
//!
//! The model: a sector of 512 bytes is written whole or not at all. A sector
//! that was written since the last flush holds after a loss of power any of
//! its versions since then, each sector for itself. A flush that fails leaves
//! its sectors in that state for good, and their pages marked as clean: no
//! later flush writes them. A descriptor opened with O_DSYNC flushes what is
//! written through it and nothing else.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::SeededRandom;

/// Bytes of a sector.
const SECTOR: usize = 512;

/// A sector's content.
type Bytes = [u8; SECTOR];

/// A call that fails.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Which one: of all writes and flushes, counted from 0.
    pub at: usize,
    /// All from that one on.
    pub for_good: bool,
    /// Error number.
    pub code: c_int,
    /// A flush that fails drops its pages: they read as on the disk.
    pub drops: bool,
}

/// The recording of one data file.
#[derive(Default)]
struct Notes {
    file: (u64, u64),
    disk: Disk,
    /// As it was before each flush.
    before: Vec<Disk>,
    calls: usize,
    fault: Option<Fault>,
}

/// The bytes that are on the disk for certain, and those that may be.
#[derive(Clone, Default)]
pub struct Disk {
    durable: Vec<u8>,
    pending: BTreeMap<usize, Vec<Version>>,
    /// Flushes that went well.
    pub flushes: usize,
}

#[derive(Clone)]
struct Version {
    bytes: Bytes,
    /// Its page is marked as clean, so no flush writes it.
    is_stuck: bool,
}

/// Which of the versions that may be on the disk are.
#[derive(Debug, Clone, Copy)]
pub enum Kept {
    /// Only the certain bytes.
    Nothing,
    /// The newest of each sector.
    All,
    /// The newest of the two meta pages, and nothing else.
    MetaPages,
    /// The newest of all other pages.
    OtherPages,
    /// Any of each sector.
    Some(u64),
}

static ALL: Mutex<Vec<Notes>> = Mutex::new(Vec::new());

fn all() -> MutexGuard<'static, Vec<Notes>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A data file that is recorded until this is dropped.
pub struct Watched((u64, u64));

impl Watched {
    /// Begins with what is in the file, all of it on the disk.
    pub fn new(data: &Path, fault: Option<Fault>) -> Self {
        let metadata = std::fs::metadata(data).unwrap();
        let file = (metadata.dev(), metadata.ino());
        let disk = Disk {
            durable: std::fs::read(data).unwrap(),
            ..Disk::default()
        };
        all().push(Notes {
            file,
            disk,
            before: Vec::new(),
            calls: 0,
            fault,
        });
        Watched(file)
    }

    /// The disk as it is now.
    pub fn disk(&self) -> Disk {
        let all = all();
        let notes = all.iter().find(|notes| notes.file == self.0);
        notes.unwrap().disk.clone()
    }

    /// The disk before each flush since the last time this was asked.
    pub fn before_flushes(&self) -> Vec<Disk> {
        let mut all = all();
        let notes = all.iter_mut().find(|notes| notes.file == self.0);
        std::mem::take(&mut notes.unwrap().before)
    }

    /// Writes and flushes until now.
    pub fn calls(&self) -> usize {
        let all = all();
        let notes = all.iter().find(|notes| notes.file == self.0);
        notes.unwrap().calls
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        all().retain(|notes| notes.file != self.0);
    }
}

impl Disk {
    /// The contents of a data file after a loss of power.
    pub fn image(&self, kept: Kept) -> Vec<u8> {
        let mut image = self.durable.clone();
        let mut chance = match kept {
            Kept::Some(seed) => SeededRandom::new(seed),
            _ => SeededRandom::new(1),
        };
        for (sector, versions) in &self.pending {
            let is_meta = sector * SECTOR < 2 * 4096;
            let newest = versions.last();
            let chosen = match kept {
                Kept::Nothing => None,
                Kept::All => newest,
                Kept::MetaPages => newest.filter(|_| is_meta),
                Kept::OtherPages => newest.filter(|_| !is_meta),
                Kept::Some(_) => versions.get(chance.index(versions.len() + 1)),
            };
            if let Some(version) = chosen {
                put(&mut image, *sector, &version.bytes);
            }
        }
        image
    }

    /// A sector as a reader of the file sees it.
    fn seen(&self, sector: usize) -> Bytes {
        if let Some(newest) = self.pending.get(&sector).and_then(|v| v.last()) {
            return newest.bytes;
        }
        let mut bytes = [0; SECTOR];
        let from = (sector * SECTOR).min(self.durable.len());
        let there = &self.durable[from..self.durable.len().min(from + SECTOR)];
        bytes[..there.len()].copy_from_slice(there);
        bytes
    }

    fn write(&mut self, offset: usize, data: &[u8]) {
        for sector in offset / SECTOR..(offset + data.len()).div_ceil(SECTOR) {
            let mut bytes = self.seen(sector);
            let from = offset.max(sector * SECTOR);
            let to = (offset + data.len()).min((sector + 1) * SECTOR);
            bytes[from - sector * SECTOR..to - sector * SECTOR]
                .copy_from_slice(&data[from - offset..to - offset]);
            self.pending.entry(sector).or_default().push(Version {
                bytes,
                is_stuck: false,
            });
        }
    }

    /// The newest versions of these sectors reach the disk.
    fn flush(&mut self, sectors: std::ops::Range<usize>) {
        self.flushes += 1;
        let durable = &mut self.durable;
        self.pending.retain(|sector, versions| {
            let fresh = versions.last().filter(|newest| !newest.is_stuck);
            let Some(newest) = fresh.filter(|_| sectors.contains(sector)) else {
                return true;
            };
            put(durable, *sector, &newest.bytes);
            false
        });
    }

    /// They do not, and no further attempt is made.
    fn fail_to_flush(&mut self, sectors: std::ops::Range<usize>) -> Vec<usize> {
        let mut stuck = Vec::new();
        for (sector, versions) in self.pending.range_mut(sectors) {
            versions.iter_mut().for_each(|v| v.is_stuck = true);
            stuck.push(*sector);
        }
        stuck
    }
}

fn put(image: &mut Vec<u8>, sector: usize, bytes: &Bytes) {
    let end = (sector + 1) * SECTOR;
    if image.len() < end {
        image.resize(end, 0);
    }
    image[sector * SECTOR..end].copy_from_slice(bytes);
}

impl Notes {
    /// The next call, if it is to fail.
    fn fails(&mut self) -> Option<Fault> {
        let this = self.calls;
        self.calls += 1;
        self.fault
            .filter(|fault| this == fault.at || fault.for_good && this > fault.at)
    }

    fn flush(&mut self, fd: c_int, sectors: std::ops::Range<usize>, fails: Option<Fault>) -> bool {
        self.before.push(self.disk.clone());
        let Some(fault) = fails else {
            self.disk.flush(sectors);
            return true;
        };
        for sector in self.disk.fail_to_flush(sectors) {
            if fault.drops {
                let pending = self.disk.pending.remove(&sector);
                let bytes = self.disk.seen(sector);
                // Any version may be on the disk, and this one is read.
                let mut versions = pending.unwrap_or_default();
                versions.push(Version {
                    bytes,
                    is_stuck: true,
                });
                self.disk.pending.insert(sector, versions);
                // SAFETY: the system's call with a buffer of that length.
                unsafe {
                    libc::syscall(
                        libc::SYS_pwrite64,
                        fd,
                        bytes.as_ptr(),
                        SECTOR,
                        sector * SECTOR,
                    )
                };
            }
        }
        false
    }
}

fn identity(fd: c_int) -> Option<(u64, u64)> {
    // SAFETY: the descriptor is the caller's, and stays open.
    let file = std::mem::ManuallyDrop::new(unsafe {
        use std::os::fd::FromRawFd;
        File::from_raw_fd(fd)
    });
    file.metadata().ok().map(|m| (m.dev(), m.ino()))
}

fn set_errno(code: c_int) {
    // SAFETY: the calling thread's own error number.
    unsafe { *libc::__errno_location() = code };
}

/// Records a write and its flush, instead of doing it.
fn noted_write(fd: c_int, data: &[u8], offset: i64) -> Option<isize> {
    let file = identity(fd)?;
    let mut all = all();
    let notes = all.iter_mut().find(|notes| notes.file == file)?;
    // SAFETY: asks for the flags of an open descriptor.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    let waits = flags & libc::O_DSYNC != 0;
    let fails = notes.fails();
    if let Some(fault) = fails.filter(|_| !waits) {
        set_errno(fault.code);
        return Some(-1);
    }
    // SAFETY: the system's call with a buffer of that length.
    let done = unsafe { libc::syscall(libc::SYS_pwrite64, fd, data.as_ptr(), data.len(), offset) };
    if done != data.len() as i64 {
        return Some(done as isize);
    }
    let offset = offset as usize;
    notes.disk.write(offset, data);
    if waits {
        let sectors = offset / SECTOR..(offset + data.len()).div_ceil(SECTOR);
        if !notes.flush(fd, sectors, fails) {
            set_errno(fails.map_or(libc::EIO, |fault| fault.code));
            return Some(-1);
        }
    }
    Some(done as isize)
}

/// # Safety
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwrite(fd: c_int, buf: *const c_void, count: usize, offset: i64) -> isize {
    // SAFETY: as the caller promises.
    let data = unsafe { std::slice::from_raw_parts(buf.cast::<u8>(), count) };
    noted_write(fd, data, offset).unwrap_or_else(|| {
        // SAFETY: as the caller promises.
        unsafe { libc::syscall(libc::SYS_pwrite64, fd, buf, count, offset) as isize }
    })
}

/// # Safety
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwrite64(
    fd: c_int,
    buf: *const c_void,
    count: usize,
    offset: i64,
) -> isize {
    // SAFETY: as the caller promises.
    unsafe { pwrite(fd, buf, count, offset) }
}

/// # Safety
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn writev(fd: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    // SAFETY: as the caller promises.
    let system = || unsafe { libc::syscall(libc::SYS_writev, fd, parts, count) as isize };
    let is_noted = identity(fd).is_some_and(|file| all().iter().any(|n| n.file == file));
    if !is_noted {
        return system();
    }
    // SAFETY: as the caller promises.
    let parts = unsafe { std::slice::from_raw_parts(parts, count as usize) };
    let mut data = Vec::new();
    for part in parts {
        // SAFETY: as the caller promises.
        data.extend_from_slice(unsafe {
            std::slice::from_raw_parts(part.iov_base.cast::<u8>(), part.iov_len)
        });
    }
    // SAFETY: asks where the descriptor is, which LMDB has set.
    let offset = unsafe { libc::lseek(fd, 0, libc::SEEK_CUR) };
    noted_write(fd, &data, offset).unwrap_or(-1)
}

/// # Safety
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdatasync(fd: c_int) -> c_int {
    let Some(file) = identity(fd) else {
        set_errno(libc::EBADF);
        return -1;
    };
    let mut all = all();
    let Some(notes) = all.iter_mut().find(|notes| notes.file == file) else {
        return 0;
    };
    let fails = notes.fails();
    if notes.flush(fd, 0..usize::MAX, fails) {
        0
    } else {
        set_errno(fails.map_or(libc::EIO, |fault| fault.code));
        -1
    }
}

/// # Safety
/// As the system's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fsync(fd: c_int) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { fdatasync(fd) }
}

/// Writes an image as the data file of a directory.
pub fn install(image: &[u8], directory: &Path) {
    let _ = std::fs::remove_file(directory.join("lock.mdb"));
    let file = File::create(directory.join("data.mdb")).unwrap();
    file.write_all_at(image, 0).unwrap();
}
