//! How often programs were run, counted in a worker's memory.
//!
//! A table of fixed places, found by a hash of the name; the region reads it
//! when INQUIRE PROGRAM asks.
//!
//! Invariant: any words are a valid table; there is one writer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::ProgramName;
use crate::layout::{USE_ENTRIES, USES_OFFSET};
use crate::map::SharedMapping;

/// A program's name and its runs; a name of zeros is a free place.
pub(crate) type Table = [[AtomicU64; 2]; USE_ENTRIES];

/// Places that are looked at for one of a name.
const PROBES: usize = 16;

/// A worker's way to its table. Without a region it counts nothing.
pub struct ProgramUses(Option<Arc<SharedMapping>>);

impl ProgramUses {
    /// Without a table.
    pub fn nowhere() -> Self {
        ProgramUses(None)
    }

    pub(crate) fn new(map: Arc<SharedMapping>) -> Self {
        ProgramUses(Some(map))
    }

    /// A program is run. A program that finds no place in the table is not counted: no
    /// region has so many programs.
    #[inline]
    pub fn count(&self, program: ProgramName) {
        let Some(map) = &self.0 else {
            return;
        };
        let table = table(map);
        if let Some(place) = place(table, key(program)) {
            let count = &table[place][1];
            let more = count.load(Ordering::Relaxed).wrapping_add(1);
            count.store(more, Ordering::Relaxed);
        }
    }
}

/// Calls `take` with each program that a worker has run, and how often.
pub(crate) fn read_map(map: &SharedMapping, mut take: impl FnMut(ProgramName, u64)) {
    for [name, count] in table(map) {
        let (name, count) = (name.load(Ordering::Relaxed), count.load(Ordering::Relaxed));
        if name != 0 && count > 0 {
            take(ProgramName::from_bytes(name.to_le_bytes()), count);
        }
    }
}

fn table(map: &SharedMapping) -> &Table {
    // SAFETY: atomics only.
    unsafe { map.get(USES_OFFSET) }
}

fn key(program: ProgramName) -> u64 {
    u64::from_le_bytes(*program.as_bytes())
}

/// The place of a name, taken if it has none.
#[inline]
fn place(table: &Table, key: u64) -> Option<usize> {
    let hash = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize;
    let places = (0..PROBES).map(|probe| (hash + probe) % USE_ENTRIES);
    for place in places {
        let there = table[place][0].load(Ordering::Relaxed);
        if there == 0 {
            table[place][0].store(key, Ordering::Relaxed);
        }
        if there == 0 || there == key {
            return Some(place);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::layout::memory_bytes;
    use crate::map::{PAGE, sealed_memfd};

    fn map() -> Arc<SharedMapping> {
        let memory = sealed_memfd(c"test", memory_bytes(PAGE)).unwrap();
        Arc::new(SharedMapping::new(memory).unwrap())
    }

    fn all(map: &SharedMapping) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        read_map(map, |name, count| {
            all.insert(name.to_string(), count);
        });
        all
    }

    #[test]
    fn each_run_is_counted_for_its_program() {
        let map = map();
        let uses = ProgramUses::new(map.clone());
        let name = |n: usize| ProgramName::new(&format!("PROG{n}")).unwrap();
        for n in 0..300 {
            (0..=n % 3).for_each(|_| uses.count(name(n)));
        }
        let all = all(&map);
        assert_eq!(all.len(), 300);
        assert!((0..300).all(|n| all[&format!("PROG{n}")] == n as u64 % 3 + 1));
    }

    #[test]
    fn a_table_of_any_bytes_is_read_and_written() {
        let map = map();
        // SAFETY: the table is the test's own.
        unsafe { std::ptr::write_bytes(map.at(USES_OFFSET), 0xA5, USE_ENTRIES * 16) };
        ProgramUses::new(map.clone()).count(ProgramName::from_bytes(*b"PROG    "));
        let mut places = 0;
        read_map(&map, |_, _| places += 1);
        assert_eq!(places, USE_ENTRIES);
        ProgramUses::nowhere().count(ProgramName::BLANK);
    }
}
