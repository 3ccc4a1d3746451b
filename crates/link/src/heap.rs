//! The allocator of one arena: offsets in, offsets out.
//!
//! One side at a time owns an arena, so the allocator's own state is outside
//! the shared memory, where no wild store reaches it. First fit from the low
//! end keeps a small task in the same few warm pages.
//!
//! Invariant: the heap never touches the memory it hands out.

/// Alignment of every block, in bytes; enough for any COBOL item.
pub const ALIGN: usize = 16;

/// Free and used ranges of an arena.
#[derive(Debug, Clone, Default)]
pub struct ArenaHeap {
    capacity: usize,
    /// First byte that was never handed out since the last reset.
    top: usize,
    /// Highest `top` since the last reset.
    high_water: usize,
    /// Freed ranges below `top`, ascending, never adjacent.
    free: Vec<(usize, usize)>,
}

impl ArenaHeap {
    /// An empty heap of `capacity` bytes.
    pub fn new(capacity: usize) -> Self {
        ArenaHeap {
            capacity,
            ..ArenaHeap::default()
        }
    }

    /// Starts again with the first `used` bytes taken.
    pub fn reset(&mut self, used: usize) {
        self.top = align_up(used.min(self.capacity));
        self.high_water = self.top;
        self.free.clear();
    }

    /// Takes `bytes` bytes; `None` when no range is large enough.
    pub fn alloc(&mut self, bytes: usize) -> Option<usize> {
        let need = align_up(bytes.max(1));
        if let Some(i) = self.free.iter().position(|&(_, len)| len >= need) {
            let (start, len) = self.free[i];
            if len == need {
                self.free.remove(i);
            } else {
                self.free[i] = (start + need, len - need);
            }
            return Some(start);
        }
        let end = self.top.checked_add(need)?;
        if end > self.capacity {
            return None;
        }
        let start = self.top;
        self.top = end;
        self.high_water = self.high_water.max(end);
        Some(start)
    }

    /// Gives back a block of `bytes` bytes that `alloc` returned.
    pub fn free(&mut self, start: usize, bytes: usize) {
        let need = align_up(bytes.max(1));
        debug_assert!(start + need <= self.top);
        let at = self.free.partition_point(|&(s, _)| s < start);
        let (mut start, mut end) = (start, start + need);
        let mut replace = at..at;
        if at > 0 && self.free[at - 1].0 + self.free[at - 1].1 == start {
            start = self.free[at - 1].0;
            replace.start = at - 1;
        }
        if at < self.free.len() && self.free[at].0 == end {
            end += self.free[at].1;
            replace.end = at + 1;
        }
        if end == self.top {
            self.free.drain(replace);
            self.top = start;
        } else {
            self.free.splice(replace, [(start, end - start)]);
        }
    }

    /// Changes the size of a block without moving it; false when it cannot.
    pub fn resize(&mut self, start: usize, old: usize, new: usize) -> bool {
        let (old, new) = (align_up(old.max(1)), align_up(new.max(1)));
        if new <= old {
            if new < old {
                self.free(start + new, old - new);
            }
            return true;
        }
        let more = new - old;
        let end = start + old;
        if end == self.top {
            match self.top.checked_add(more) {
                Some(top) if top <= self.capacity => {
                    self.top = top;
                    self.high_water = self.high_water.max(top);
                    return true;
                }
                _ => return false,
            }
        }
        let Ok(at) = self.free.binary_search_by_key(&end, |&(s, _)| s) else {
            return false;
        };
        let (s, len) = self.free[at];
        if len < more {
            return false;
        }
        if len == more {
            self.free.remove(at);
        } else {
            self.free[at] = (s + more, len - more);
        }
        true
    }

    /// End of the highest block in use.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Highest end of a block since the last reset.
    pub fn high_water(&self) -> usize {
        self.high_water
    }

    /// Bytes the arena has.
    pub fn capacity(&self) -> usize {
        self.capacity
    }
}

/// A block's size as the heap counts it.
pub const fn align_up(bytes: usize) -> usize {
    (bytes + ALIGN - 1) & !(ALIGN - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn freed_neighbours_become_one_range_again() {
        let mut heap = ArenaHeap::new(4096);
        let a = heap.alloc(100).unwrap();
        let b = heap.alloc(100).unwrap();
        let c = heap.alloc(100).unwrap();
        heap.free(a, 100);
        heap.free(b, 100);
        assert_eq!(heap.alloc(200), Some(a));
        heap.free(c, 100);
        assert_eq!(heap.top(), a + align_up(200));
    }

    #[test]
    fn a_block_at_the_top_grows_in_place() {
        let mut heap = ArenaHeap::new(4096);
        let a = heap.alloc(16).unwrap();
        assert!(heap.resize(a, 16, 4096));
        assert!(!heap.resize(a, 4096, 4097));
        assert_eq!(heap.alloc(1), None);
    }

    proptest! {
        #[test]
        fn blocks_never_overlap(steps in proptest::collection::vec((0u8..4, 1usize..300), 1..200)) {
            let mut heap = ArenaHeap::new(16 * 1024);
            let mut live: Vec<(usize, usize)> = Vec::new();
            for (what, size) in steps {
                match what {
                    0 | 1 => if let Some(at) = heap.alloc(size) { live.push((at, size)); },
                    2 if !live.is_empty() => {
                        let (at, len) = live.swap_remove(size % live.len());
                        heap.free(at, len);
                    }
                    3 if !live.is_empty() => {
                        let i = size % live.len();
                        let (at, len) = live[i];
                        if heap.resize(at, len, size) { live[i].1 = size; }
                    }
                    _ => {}
                }
                let mut sorted = live.clone();
                sorted.sort();
                for pair in sorted.windows(2) {
                    prop_assert!(pair[0].0 + align_up(pair[0].1) <= pair[1].0);
                }
                if let Some(last) = sorted.last() {
                    prop_assert!(last.0 + align_up(last.1) <= heap.top());
                }
            }
            for (at, len) in live { heap.free(at, len); }
            prop_assert_eq!(heap.top(), 0);
        }
    }
}
