//! Storage that GETMAIN gives, and areas that SET hands out.
//!
//! It belongs to the task and goes at its end; SHARED storage stays until
//! FREEMAIN, within this worker: addresses mean nothing in another process.

use std::ffi::c_void;

/// Storage of a task, and shared storage of the worker.
#[derive(Debug, Default)]
pub struct Storage {
    blocks: Vec<Block>,
    areas: Vec<(u32, Vec<u8>)>,
}

#[derive(Debug)]
struct Block {
    at: *mut u8,
    shared: bool,
}

impl Storage {
    /// Gets a block, filled with a byte or with zeros.
    pub fn get(&mut self, bytes: usize, fill: Option<u8>, shared: bool) -> Option<*mut u8> {
        // SAFETY: the result is checked and of that size.
        let at = unsafe { libc::calloc(1, bytes) }.cast::<u8>();
        if at.is_null() {
            return None;
        }
        if let Some(fill) = fill.filter(|f| *f != 0) {
            // SAFETY: a fresh block of that size.
            unsafe { std::ptr::write_bytes(at, fill, bytes) };
        }
        self.blocks.push(Block { at, shared });
        Some(at)
    }

    /// Gives a block back; false when it is none of ours.
    pub fn free(&mut self, at: *mut u8) -> bool {
        let Some(i) = self.blocks.iter().position(|b| b.at == at) else {
            return false;
        };
        release(self.blocks.swap_remove(i).at);
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
        area.clear();
        area.extend_from_slice(contents);
        area.as_mut_ptr()
    }

    /// Gives back what belonged to the task.
    pub fn end_task(&mut self) {
        self.blocks.retain(|b| {
            if !b.shared {
                release(b.at);
            }
            b.shared
        });
        self.areas.clear();
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        for block in &self.blocks {
            release(block.at);
        }
    }
}

fn release(at: *mut u8) {
    // SAFETY: a block from `calloc` that was not freed before.
    unsafe { libc::free(at.cast::<c_void>()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tasks_storage_goes_with_it_and_shared_storage_stays() {
        let mut s = Storage::default();
        let own = s.get(100, Some(b'x'), false).unwrap();
        let shared = s.get(100, None, true).unwrap();
        // SAFETY: a block of 100 bytes.
        assert_eq!(unsafe { own.add(99).read() }, b'x');
        s.end_task();
        assert!(!s.free(own));
        assert!(s.free(shared));
        assert!(!s.free(shared));
    }
}
