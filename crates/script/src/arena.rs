//! The memory of one engine: an arena that can be set back to a snapshot.
//!
//! QuickJS allocates everything of a runtime here: contexts, objects, strings,
//! bytecode. When a script is loaded the used part is copied; after a request
//! the pages written since are restored. So every request begins with the same
//! realm, byte for byte, and nothing has to be freed. The
//! [`guard`](crate::guard) records which pages were written.
//!
//! ```text
//! +--------+-------------------------------+----------------------------+
//! | header | blocks, 8 bytes before each   | never used, or given back  |
//! +--------+-------------------------------+----------------------------+
//! 0                                      top                         limit
//! ```
//!
//! A block's size is one of a few classes; a freed block goes to the list of
//! its class. Blocks of about a page are pages, with no size before them. The
//! header has the lists and is part of the snapshot. The memory limit is the
//! arena's end: an allocation past it fails, and QuickJS throws its
//! out-of-memory error.
//!
//! Invariant: no pointer into the arena outlives a restore unless its target
//! was there when the snapshot was taken.

use std::io;
use std::ptr::{self, NonNull};

use rquickjs::allocator::Allocator;

use crate::guard::{self, PAGE, SnapshotGuard};

/// Blocks up to this many bytes, their header included, have a class for every
/// 16 bytes; larger ones four classes for each power of two.
const EXACT: usize = 1024;
const EXACT_CLASSES: usize = EXACT / 16;
const CLASSES: usize = EXACT_CLASSES + 4 * 26;
/// Bytes before each block: its size.
const HEAD: usize = 8;
/// Blocks from this many bytes to a page have a page to themselves. QuickJS
/// takes blocks of 3,624 to 4,096 bytes and divides them among its objects, so
/// a request that writes to one writes one page and not two.
const PAGE_BLOCK: usize = 3_600;
/// Pages reserved at a time, so that no other blocks are between them.
const PAGES_TOGETHER: usize = 8;
/// Memory above the snapshot that is kept for the next request; the rest is
/// returned to the system.
const KEPT: usize = 1 << 20;

/// The header at the arena's beginning.
#[repr(C, align(16))]
struct Header {
    /// Offset of what has never been used.
    top: usize,
    /// The highest offset that `top` has had.
    most: usize,
    /// The arena's bytes.
    limit: usize,
    /// An allocation has failed.
    exhausted: bool,
    /// The first free block of each class, as an offset; 0 for none.
    free: [usize; CLASSES],
    /// The first free page, as an offset; 0 for none.
    free_page: usize,
    /// Reserved pages that have never been used: offsets of the first and of
    /// their end.
    pages: (usize, usize),
}

/// An engine's memory.
pub struct Arena {
    base: NonNull<u8>,
    reserved: usize,
    snapshot: Vec<u8>,
    guard: Option<SnapshotGuard>,
}

/// The arena for QuickJS. The allocator must not outlive the arena.
pub struct ArenaAllocator {
    header: *mut Header,
}

impl Arena {
    /// Reserves address space for `limit` bytes; memory is taken when used.
    pub fn new(limit: usize) -> io::Result<Arena> {
        let reserved = limit.max(size_of::<Header>()).next_multiple_of(PAGE);
        // SAFETY: a fresh private mapping; the result is checked.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                reserved,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let arena = Arena {
            base,
            reserved,
            snapshot: Vec::new(),
            guard: None,
        };
        let top = first_block();
        // SAFETY: the mapping has room for a header, is aligned to a page, and
        // is zeroed, which is a valid header except for these fields.
        unsafe {
            let header = base.as_ptr().cast::<Header>();
            (*header).top = top;
            (*header).most = top;
            (*header).limit = reserved;
        }
        Ok(arena)
    }

    /// The allocator over this arena.
    pub fn allocator(&self) -> ArenaAllocator {
        ArenaAllocator {
            header: self.base.as_ptr().cast(),
        }
    }

    fn header(&self) -> &Header {
        // SAFETY: written by `new`; nothing else has it borrowed now, since
        // the engine's thread is here.
        unsafe { &*self.base.as_ptr().cast::<Header>() }
    }

    /// Bytes between the beginning and what has never been used.
    pub fn used(&self) -> usize {
        self.header().top
    }

    /// Whether an allocation has failed since the snapshot.
    pub fn is_exhausted(&self) -> bool {
        self.header().exhausted
    }

    /// The highest use since the snapshot, in bytes.
    pub fn most(&self) -> usize {
        self.header().most
    }

    /// Takes the copy that [`Arena::restore`] puts back. Later allocations are
    /// above it, on pages of their own: the free blocks below stay free, so
    /// that few of the copied pages are written.
    pub fn snapshot(&mut self) {
        let header = self.base.as_ptr().cast::<Header>();
        // SAFETY: only the engine's thread uses the arena, and the pages
        // between the old top and the new one are unused.
        unsafe {
            let top = (*header).top.next_multiple_of(PAGE) + HEAD;
            if top <= (*header).limit {
                (*header).top = top;
                (*header).free = [0; CLASSES];
                (*header).free_page = 0;
                (*header).pages = (0, 0);
            }
            (*header).most = (*header).top;
        }
        let used = self.used();
        // SAFETY: the used part of the mapping.
        let bytes = unsafe { std::slice::from_raw_parts(self.base.as_ptr(), used) };
        self.snapshot.clear();
        self.snapshot.extend_from_slice(bytes);
        self.snapshot.shrink_to_fit();
        // The last page takes the next allocations.
        self.guard = SnapshotGuard::new(self.base, used / PAGE * PAGE);
    }

    /// Bytes of the snapshot, and of those of its pages that requests write.
    pub fn written(&self) -> (usize, usize) {
        let all = self.snapshot.len();
        (all, self.guard.as_ref().map_or(all, SnapshotGuard::written))
    }

    /// Puts the snapshot back.
    ///
    /// # Safety
    /// No code of the engine runs, and nothing is used afterwards that was
    /// made since the snapshot.
    pub unsafe fn restore(&mut self) {
        let most = self.most();
        let keep = self.snapshot.len() + KEPT;
        let (base, copy) = (self.base.as_ptr(), &self.snapshot);
        let guarded = self.guard.as_ref().map_or(0, SnapshotGuard::bytes);
        let put = |from: usize, bytes: usize| {
            // SAFETY: a part of the snapshot, which is as long as the part of
            // the arena it was copied from.
            unsafe { ptr::copy_nonoverlapping(copy.as_ptr().add(from), base.add(from), bytes) };
        };
        if let Some(guard) = &self.guard {
            guard.each_written(put);
        }
        put(guarded, copy.len() - guarded);
        if most > keep {
            let from = keep.next_multiple_of(PAGE);
            let bytes = most.next_multiple_of(PAGE).saturating_sub(from);
            // SAFETY: no block above the snapshot is in use.
            unsafe { libc::madvise(base.add(from).cast(), bytes, libc::MADV_DONTNEED) };
        }
    }

    /// The start of the arena, and its bytes.
    pub fn whole(&self) -> (usize, usize) {
        (self.base.as_ptr() as usize, self.reserved)
    }

    /// Lets everything be written, as the end of an engine does.
    pub fn open(&mut self) {
        self.guard = None;
    }
}

/// Gives the memory of an arena back that is never dropped.
///
/// # Safety `at` and `bytes` are those of an arena that is no longer used.
pub unsafe fn release(at: usize, bytes: usize) {
    guard::forget(at);
    // SAFETY: the caller guarantees that the mapping is unused.
    unsafe { libc::munmap(at as *mut libc::c_void, bytes) };
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.guard = None;
        // SAFETY: the mapping of `new`, which is no longer used.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.reserved) };
    }
}

/// Offset of the first block's header, so that blocks are at multiples of 16.
const fn first_block() -> usize {
    size_of::<Header>().next_multiple_of(16) + HEAD
}

/// The class of a block of so many bytes with its header, and its real size.
fn class_of(bytes: usize) -> (usize, usize) {
    if bytes <= EXACT {
        let class = bytes.div_ceil(16).max(2);
        return (class - 1, class * 16);
    }
    let power = usize::BITS as usize - 1 - (bytes - 1).leading_zeros() as usize;
    let step = 1usize << (power - 2);
    let quarter = (bytes - (1 << power)).div_ceil(step);
    let size = (1 << power) + quarter * step;
    (EXACT_CLASSES + (power - 10) * 4 + quarter - 1, size)
}

impl ArenaAllocator {
    fn take(&mut self, bytes: usize) -> *mut u8 {
        // SAFETY: the header outlives the allocator, and the engine's thread
        // alone is here.
        let header = unsafe { &mut *self.header };
        let base = self.header.cast::<u8>();
        if (PAGE_BLOCK..=PAGE).contains(&bytes)
            && let Some(at) = header.take_page(base)
        {
            // SAFETY: the page is below the limit.
            return unsafe { base.add(at) };
        }
        let wanted = bytes
            .max(1)
            .checked_add(HEAD)
            .filter(|b| *b <= header.limit);
        let Some(wanted) = wanted else {
            header.exhausted = true;
            return ptr::null_mut();
        };
        let (class, size) = class_of(wanted);
        if class < CLASSES && header.free[class] != 0 {
            let at = header.free[class];
            // SAFETY: a free block holds the offset of the next one.
            unsafe {
                header.free[class] = base.add(at + HEAD).cast::<usize>().read();
                return base.add(at + HEAD);
            }
        }
        let at = if (header.top + HEAD).is_multiple_of(PAGE) {
            // Only a block that is a page begins where a page does.
            header.top + 16
        } else {
            header.top
        };
        if class >= CLASSES || at > header.limit || size > header.limit - at {
            header.exhausted = true;
            return ptr::null_mut();
        }
        header.top = at + size;
        header.most = header.most.max(header.top);
        // SAFETY: the block is below the limit.
        unsafe {
            base.add(at).cast::<usize>().write(size);
            base.add(at + HEAD)
        }
    }

    /// The size of a block with its header; a page counts as if it had one.
    ///
    /// # Safety
    /// The block was allocated here and not freed.
    unsafe fn size(block: *mut u8) -> usize {
        if is_page(block) {
            return PAGE + HEAD;
        }
        // SAFETY: every other block has its size before it.
        unsafe { block.sub(HEAD).cast::<usize>().read() }
    }
}

/// Whether a block is a page.
fn is_page(block: *mut u8) -> bool {
    (block as usize).is_multiple_of(PAGE)
}

impl Header {
    /// A page, as an offset. Returns `None` when the arena is full.
    fn take_page(&mut self, base: *mut u8) -> Option<usize> {
        if self.free_page != 0 {
            let at = self.free_page;
            // SAFETY: a free page holds the offset of the next one.
            self.free_page = unsafe { base.add(at).cast::<usize>().read() };
            return Some(at);
        }
        if self.pages.0 == self.pages.1 {
            let from = self.top.next_multiple_of(PAGE);
            let to = from + PAGES_TOGETHER * PAGE;
            if to + HEAD > self.limit {
                return None;
            }
            self.pages = (from, to);
            self.top = to + HEAD;
            self.most = self.most.max(self.top);
        }
        let at = self.pages.0;
        self.pages.0 += PAGE;
        Some(at)
    }
}

// SAFETY: blocks are apart, at least as long as asked for, and aligned to 16.
unsafe impl Allocator for ArenaAllocator {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.take(size)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let Some(bytes) = count.checked_mul(size) else {
            return ptr::null_mut();
        };
        let block = self.take(bytes);
        if !block.is_null() {
            // SAFETY: the block has that many bytes.
            unsafe { ptr::write_bytes(block, 0, bytes) };
        }
        block
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        if block.is_null() {
            return;
        }
        // SAFETY: the caller gives a block of this arena; its header is valid.
        unsafe {
            let header = &mut *self.header;
            if is_page(block) {
                block.cast::<usize>().write(header.free_page);
                header.free_page = block.offset_from(self.header.cast::<u8>()) as usize;
                return;
            }
            let size = Self::size(block);
            let at = block.offset_from(self.header.cast::<u8>()) as usize - HEAD;
            if at + size == header.top {
                header.top = at;
                return;
            }
            let (class, _) = class_of(size);
            block.cast::<usize>().write(header.free[class]);
            header.free[class] = at;
        }
    }

    unsafe fn realloc(&mut self, block: *mut u8, bytes: usize) -> *mut u8 {
        if block.is_null() {
            return self.take(bytes);
        }
        if bytes == 0 {
            // SAFETY: as `dealloc`.
            unsafe { self.dealloc(block) };
            return ptr::null_mut();
        }
        // SAFETY: the caller gives a block of this arena.
        unsafe {
            let size = Self::size(block);
            if bytes <= size - HEAD {
                return block;
            }
            let header = &mut *self.header;
            let at = block.offset_from(self.header.cast::<u8>()) as usize - HEAD;
            if !is_page(block)
                && at + size == header.top
                && let Some(wanted) = bytes.checked_add(HEAD)
            {
                // The last block grows where it is.
                let (_, grown) = class_of(wanted.min(header.limit));
                if wanted <= header.limit && grown <= header.limit - at {
                    header.top = at + grown;
                    header.most = header.most.max(header.top);
                    block.sub(HEAD).cast::<usize>().write(grown);
                    return block;
                }
            }
            let new = self.take(bytes);
            if !new.is_null() {
                ptr::copy_nonoverlapping(block, new, size - HEAD);
                self.dealloc(block);
            }
            new
        }
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: as `size`.
        unsafe { Self::size(block) - HEAD }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_class_is_at_least_as_large_as_requested_and_the_next_one_larger() {
        let mut before = (0, 0);
        for bytes in 1..200_000 {
            let (class, size) = class_of(bytes);
            assert!(
                size >= bytes && class < CLASSES && size.is_multiple_of(16),
                "{bytes}"
            );
            assert_eq!(class_of(size), (class, size), "{bytes}");
            if class != before.0 {
                assert!(class > before.0 && size > before.1, "{bytes}");
            }
            before = (class, size);
        }
    }

    #[test]
    fn what_is_put_back_is_what_was_there() {
        let mut arena = Arena::new(1 << 20).unwrap();
        let mut allocator = arena.allocator();
        let kept = allocator.alloc(100);
        // SAFETY: the block has 100 bytes.
        unsafe { ptr::write_bytes(kept, 7, 100) };
        arena.snapshot();
        let used = arena.used();
        // SAFETY: as above; nothing made later is used after the set-back.
        unsafe {
            ptr::write_bytes(kept, 9, 100);
            for _ in 0..100 {
                allocator.alloc(5_000);
            }
            allocator.dealloc(kept);
            arena.restore();
            assert_eq!(arena.used(), used);
            assert!((0..100).all(|i| *kept.add(i) == 7));
        }
    }

    #[test]
    fn beyond_the_limit_there_is_nothing_and_it_is_known() {
        let mut arena = Arena::new(64 << 10).unwrap();
        let mut allocator = arena.allocator();
        arena.snapshot();
        assert!(allocator.alloc(1 << 20).is_null());
        assert!(allocator.alloc(usize::MAX - 3).is_null());
        assert!(allocator.calloc(usize::MAX, 2).is_null());
        assert!(arena.is_exhausted());
        // SAFETY: nothing was made.
        unsafe { arena.restore() };
        assert!(!arena.is_exhausted());
    }

    #[test]
    fn a_block_of_about_a_page_is_a_page_and_no_other_block_begins_with_one() {
        let mut arena = Arena::new(32 << 20).unwrap();
        let mut allocator = arena.allocator();
        let arenas: Vec<*mut u8> = [3_624, 3_880, 4_088, 4_096]
            .into_iter()
            .cycle()
            .take(20)
            .map(|bytes| {
                allocator.alloc(24);
                allocator.alloc(bytes)
            })
            .collect();
        assert!(arenas.iter().all(|block| is_page(*block)));
        let neighbours = arenas.windows(2);
        let together = neighbours.filter(|pair| pair[1] as usize - pair[0] as usize == PAGE);
        assert_eq!(together.count(), 17, "eight pages lie together");
        // SAFETY: blocks that are not freed twice.
        unsafe {
            assert_eq!(ArenaAllocator::usable_size(arenas[3]), PAGE);
            allocator.dealloc(arenas[3]);
            assert_eq!(allocator.alloc(4_000), arenas[3]);
            allocator.dealloc(arenas[3]);
        }
        for bytes in (8..3_000).chain(4_097..5_000) {
            assert!(!is_page(allocator.alloc(bytes)), "{bytes}");
        }
        arena.snapshot();
        assert!(arenas.iter().all(|block| *block != allocator.alloc(4_000)));
    }

    proptest! {
        #[test]
        fn blocks_keep_what_is_written_whatever_is_taken_and_given(
            steps in prop::collection::vec((0usize..40, 1usize..6_000, any::<u8>()), 1..300)
        ) {
            let arena = Arena::new(8 << 20).unwrap();
            let mut allocator = arena.allocator();
            let mut blocks: Vec<(*mut u8, usize, u8)> = Vec::new();
            for (which, bytes, fill) in steps {
                if which < blocks.len() && fill % 3 != 0 {
                    let (block, old, value) = blocks.swap_remove(which);
                    // SAFETY: a block of `old` bytes that was not freed.
                    unsafe {
                        prop_assert!((0..old).all(|i| *block.add(i) == value));
                        if fill % 3 == 1 {
                            allocator.dealloc(block);
                            continue;
                        }
                        let new = allocator.realloc(block, bytes);
                        let same = old.min(bytes);
                        prop_assert!((0..same).all(|i| *new.add(i) == value));
                        ptr::write_bytes(new, fill, bytes);
                        blocks.push((new, bytes, fill));
                    }
                } else {
                    let block = allocator.alloc(bytes);
                    prop_assert!(!block.is_null() && (block as usize).is_multiple_of(16));
                    // SAFETY: a fresh block of that many bytes.
                    unsafe { ptr::write_bytes(block, fill, bytes) };
                    blocks.push((block, bytes, fill));
                }
            }
            for (block, bytes, value) in blocks {
                // SAFETY: as above.
                unsafe { prop_assert!((0..bytes).all(|i| *block.add(i) == value)) };
            }
        }
    }
}
