//! Anonymous shared memory: sealed memfds and their mappings.
//!
//! A memfd is sealed against shrinking and growing before another process has
//! it: a truncated mapping would end its reader with SIGBUS. Pages are not
//! reserved, so a large sparse area costs only the pages that are touched.
//! Reference: memfd_create(2), fcntl(2) "File Sealing", fallocate(2).

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;

/// Bytes of a page; every area of the layout starts on one.
pub const PAGE: usize = 4096;

/// Creates a memfd of `bytes` bytes, sealed against a change of size.
pub fn sealed_memfd(name: &CStr, bytes: usize) -> io::Result<OwnedFd> {
    let fd = memfd(name, bytes)?;
    seal(&fd, SIZE_SEALS | libc::F_SEAL_SEAL)?;
    Ok(fd)
}

/// Creates a memfd with these contents, which no process can change.
pub fn constant_memfd(name: &CStr, contents: &[u8]) -> io::Result<OwnedFd> {
    let fd = memfd(name, contents.len())?;
    let mut done = 0;
    while done < contents.len() {
        let rest = &contents[done..];
        let at = done as libc::off_t;
        // SAFETY: the rest of the contents is readable.
        let put = unsafe { libc::pwrite(fd.as_raw_fd(), rest.as_ptr().cast(), rest.len(), at) };
        if put <= 0 {
            return Err(io::Error::last_os_error());
        }
        done += put as usize;
    }
    seal(&fd, SIZE_SEALS | libc::F_SEAL_WRITE | libc::F_SEAL_SEAL)?;
    Ok(fd)
}

const SIZE_SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW;

fn seal(fd: &OwnedFd, seals: i32) -> io::Result<()> {
    // SAFETY: a plain call on our descriptor.
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_ADD_SEALS, seals) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn memfd(name: &CStr, bytes: usize) -> io::Result<OwnedFd> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a C string; the result is checked.
    let raw = unsafe { libc::memfd_create(name.as_ptr(), flags) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a new descriptor that has no other owner.
    let fd = unsafe { OwnedFd::from_raw_fd(raw) };
    let length = libc::off_t::try_from(bytes).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: a plain call on our descriptor.
    if unsafe { libc::ftruncate(fd.as_raw_fd(), length) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(fd)
}

/// Size in bytes of the file that a descriptor refers to.
pub fn file_bytes(fd: BorrowedFd<'_>) -> io::Result<usize> {
    // SAFETY: stat is plain data and filled by the call.
    let size = unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        if libc::fstat(fd.as_raw_fd(), &mut stat) < 0 {
            return Err(io::Error::last_os_error());
        }
        stat.st_size
    };
    usize::try_from(size).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// A shared, writable mapping of a whole memfd, with a guard page on each side
/// that no access can pass.
pub struct SharedMapping {
    fd: OwnedFd,
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping is plain memory at a fixed place; what may be done with
// it from several threads is decided by the types built on top.
unsafe impl Send for SharedMapping {}
// SAFETY: as above.
unsafe impl Sync for SharedMapping {}

impl SharedMapping {
    /// Maps all of the file, which must be a whole number of pages.
    pub fn new(fd: OwnedFd) -> io::Result<Self> {
        let bytes = file_bytes(fd.as_fd())?;
        if bytes == 0 || bytes % PAGE != 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let none = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let shared = libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: first an inaccessible range of our own is made, then its
        // inside is replaced; no foreign mapping is touched.
        let base = unsafe {
            let outer = libc::mmap(
                std::ptr::null_mut(),
                bytes + 2 * PAGE,
                libc::PROT_NONE,
                none,
                -1,
                0,
            );
            if outer == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let inner = libc::mmap(
                outer.cast::<u8>().add(PAGE).cast(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                shared,
                fd.as_raw_fd(),
                0,
            );
            if inner == libc::MAP_FAILED {
                let error = io::Error::last_os_error();
                libc::munmap(outer, bytes + 2 * PAGE);
                return Err(error);
            }
            NonNull::new_unchecked(inner.cast::<u8>())
        };
        Ok(SharedMapping { fd, base, bytes })
    }

    /// Address of a byte of the mapping; panics when the offset is outside.
    #[inline]
    pub fn at(&self, offset: usize) -> *mut u8 {
        assert!(offset < self.bytes, "offset outside the mapping");
        // SAFETY: inside the mapping by the check above.
        unsafe { self.base.as_ptr().add(offset) }
    }

    /// A reference to a value in the mapping.
    ///
    /// # Safety
    /// `T` must be valid for any bytes and be changed through atomics only.
    #[inline]
    pub unsafe fn get<T>(&self, offset: usize) -> &T {
        assert!(offset + std::mem::size_of::<T>() <= self.bytes);
        assert!(offset.is_multiple_of(std::mem::align_of::<T>()));
        // SAFETY: inside and aligned by the checks; the rest is the caller's.
        unsafe { &*self.base.as_ptr().add(offset).cast::<T>() }
    }

    /// Bytes mapped.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The mapped file.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Gives the pages of a range back; they read as zeros afterwards.
    pub fn punch(&self, offset: usize, bytes: usize) -> io::Result<()> {
        assert!(offset + bytes <= self.bytes);
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: a plain call on our descriptor.
        let rc = unsafe {
            libc::fallocate(
                self.fd.as_raw_fd(),
                mode,
                offset as libc::off_t,
                bytes as libc::off_t,
            )
        };
        if rc < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}

impl Drop for SharedMapping {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `new` with its two guard pages.
        unsafe {
            libc::munmap(self.base.as_ptr().sub(PAGE).cast(), self.bytes + 2 * PAGE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_memfd_cannot_be_truncated() {
        let fd = sealed_memfd(c"test", PAGE).unwrap();
        // SAFETY: a plain call on our descriptor.
        assert!(unsafe { libc::ftruncate(fd.as_raw_fd(), 0) } < 0);
        assert!(unsafe { libc::ftruncate(fd.as_raw_fd(), 2 * PAGE as i64) } < 0);
    }

    #[test]
    fn punched_pages_read_as_zeros() {
        let map = SharedMapping::new(sealed_memfd(c"test", 4 * PAGE).unwrap()).unwrap();
        // SAFETY: inside the mapping.
        unsafe { map.at(2 * PAGE).write(7) };
        map.punch(2 * PAGE, PAGE).unwrap();
        assert_eq!(unsafe { map.at(2 * PAGE).read() }, 0);
    }
}
