//! Storage of GETMAIN, and areas of the option SET.
//!
//! Storage belongs to the task and is freed at its end; SHARED storage stays until
//! FREEMAIN, within this worker: addresses are not valid in another process. Storage is
//! cleared before it is freed, so that no later task reads it.

use std::ffi::c_void;

/// Storage of a task, and shared storage of the worker.
#[derive(Debug, Default)]
pub struct TaskStorage {
    blocks: Vec<StorageBlock>,
    areas: Vec<(u32, Vec<u8>)>,
    /// Most bytes of the task's blocks, and of the shared ones; 0 for no bound.
    most: usize,
    /// Bytes of the task's blocks, and of the shared ones.
    used: [usize; 2],
}

#[derive(Debug)]
struct StorageBlock {
    at: *mut u8,
    bytes: usize,
    shared: bool,
}

/// Why there is no block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoStorage {
    /// The request is larger than a task's limit.
    TooLong,
    /// The task is at its limit, or the process has no memory left.
    UsedUp,
}

impl TaskStorage {
    /// Storage of which a task may have so many bytes; 0 for no bound.
    pub fn bounded(most: u64) -> Self {
        let mut storage = TaskStorage::default();
        storage.most = usize::try_from(most).unwrap_or(0);
        storage
    }

    /// Gets a block, filled with a byte or with zeros.
    pub fn get(
        &mut self,
        bytes: usize,
        fill: Option<u8>,
        shared: bool,
    ) -> Result<*mut u8, NoStorage> {
        let used = self.used[usize::from(shared)];
        if self.most > 0 && bytes > self.most {
            return Err(NoStorage::TooLong);
        }
        if self.most > 0 && bytes > self.most - used {
            return Err(NoStorage::UsedUp);
        }
        // Zeros are not written where another byte takes their place.
        let fill = fill.filter(|f| *f != 0);
        // SAFETY: plain calls; the result is checked and of that size.
        let at = unsafe {
            if fill.is_some() {
                libc::malloc(bytes)
            } else {
                libc::calloc(1, bytes)
            }
        };
        let at = at.cast::<u8>();
        if at.is_null() {
            return Err(NoStorage::UsedUp);
        }
        if let Some(fill) = fill {
            // SAFETY: a fresh block of that size, written as a whole.
            unsafe { std::ptr::write_bytes(at, fill, bytes) };
        }
        self.blocks.push(StorageBlock { at, bytes, shared });
        self.used[usize::from(shared)] += bytes;
        Ok(at)
    }

    /// Frees a block; false when the address is not a block of this task.
    pub fn free(&mut self, at: *mut u8) -> bool {
        let Some(i) = self.blocks.iter().position(|b| b.at == at) else {
            return false;
        };
        let block = self.blocks.swap_remove(i);
        self.used[usize::from(block.shared)] -= block.bytes;
        block.release();
        true
    }

    /// An area that stays until the next one with the same key: where SET
    /// points after a READ.
    pub fn area(&mut self, key: u32, contents: &[u8]) -> *mut u8 {
        let i = match self.areas.iter().position(|(k, _)| *k == key) {
            Some(i) => i,
            None => {
                self.areas.push((key, Vec::new()));
                self.areas.len() - 1
            }
        };
        let area = &mut self.areas[i].1;
        // The area moves then, and its former place is freed.
        if contents.len() > area.capacity() {
            wipe(area.as_mut_ptr(), area.capacity());
        }
        area.clear();
        area.extend_from_slice(contents);
        area.as_mut_ptr()
    }

    /// Gives back what belonged to the task.
    pub fn end_task(&mut self) {
        self.blocks.retain(|b| {
            if !b.shared {
                b.release();
            }
            b.shared
        });
        self.used[0] = 0;
        for (_, area) in &mut self.areas {
            // Its longest contents may have been longer than the last ones.
            wipe(area.as_mut_ptr(), area.capacity());
        }
        self.areas.clear();
    }
}

impl Drop for TaskStorage {
    fn drop(&mut self) {
        for block in &self.blocks {
            block.release();
        }
    }
}

impl StorageBlock {
    fn release(&self) {
        wipe(self.at, self.bytes);
        // SAFETY: a block of this allocator that was not freed before.
        unsafe { libc::free(self.at.cast::<c_void>()) };
    }
}

/// Clears private memory. Pages of a large block go back to the system instead: most
/// of them may never have been touched.
fn wipe(at: *mut u8, bytes: usize) {
    let page = crate::sandbox::page_bytes() as usize;
    let first = at.align_offset(page);
    let pages = bytes.saturating_sub(first) / page * page;
    // Plain writes to memory that is freed next may be left out by the compiler.
    let clear = |from: usize, to: usize| {
        // SAFETY: a part of the block, which the caller owns.
        unsafe { libc::explicit_bzero(at.add(from).cast(), to - from) };
    };
    if bytes < LARGE_BYTES {
        clear(0, bytes);
        return;
    }
    // SAFETY: whole pages of the block, private and anonymous.
    let rc = unsafe { libc::madvise(at.add(first).cast(), pages, libc::MADV_DONTNEED) };
    if rc == 0 {
        clear(0, first);
        clear(first + pages, bytes);
    } else {
        clear(0, bytes);
    }
}

/// Bytes above which the system clears pages faster than this process does.
const LARGE_BYTES: usize = 256 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_is_cleared_whatever_its_length_and_place() {
        for bytes in [0, 1, 4_096, LARGE_BYTES, LARGE_BYTES + 4_097] {
            let mut block = vec![b'x'; bytes + 5];
            wipe(block[5..].as_mut_ptr(), bytes);
            assert_eq!(&block[..5], b"xxxxx");
            assert!(block[5..].iter().all(|byte| *byte == 0), "{bytes}");
        }
    }

    #[test]
    fn a_tasks_storage_goes_with_it_and_shared_storage_stays() {
        let mut s = TaskStorage::default();
        let own = s.get(100, Some(b'x'), false).unwrap();
        let shared = s.get(100, None, true).unwrap();
        // SAFETY: a block of 100 bytes.
        assert_eq!(unsafe { own.add(99).read() }, b'x');
        s.end_task();
        assert!(!s.free(own));
        assert!(s.free(shared));
        assert!(!s.free(shared));
    }

    #[test]
    fn a_task_gets_so_much_and_no_more() {
        let mut s = TaskStorage::bounded(1000);
        assert_eq!(s.get(1001, None, false), Err(NoStorage::TooLong));
        let first = s.get(600, None, false).unwrap();
        assert_eq!(s.get(401, None, false), Err(NoStorage::UsedUp));
        // Shared storage has a bound of its own.
        s.get(1000, None, true).unwrap();
        assert_eq!(s.get(1, None, true), Err(NoStorage::UsedUp));
        s.free(first);
        s.get(1000, None, false).unwrap();
        s.end_task();
        s.get(1000, None, false).unwrap();
    }
}
