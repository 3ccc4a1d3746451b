//! EXEC CICS commands counted by transaction and command, in a worker's memory.
//!
//! The trace's ring overwrites its entries; these sums stay. The writer has a
//! table of fixed entries, found by a hash of transaction and command; the
//! region reads it on request. A command's own time excludes the commands that
//! ran inside it, such as those of a program that it LINKs to. The time in
//! which its task waited is counted separately.
//!
//! Invariant: any words are a valid table; there is one writer.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::TransId;
use crate::layout::{COUNT_ENTRIES, COUNTS_OFFSET};
use crate::map::SharedMapping;

/// Sums of one command of one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandSum {
    /// The transaction; blank for what found no place of its own.
    pub transid: TransId,
    /// Number of the command; 0 for what found no place of its own.
    pub command: u16,
    /// How often it was begun.
    pub count: u64,
    /// Its own time, in ticks of the trace's clock.
    pub own_ticks: u64,
    /// Nanoseconds of that in which its task waited.
    pub waited_ns: u64,
}

/// Key, count, ticks, nanoseconds.
pub(crate) type Table = [[AtomicU64; 4]; COUNT_ENTRIES];

/// A command that has begun.
#[derive(Debug, Clone, Copy)]
struct Open {
    place: usize,
    command: u16,
    ticks: u64,
    waited_ns: u64,
    /// Of the commands inside of this one.
    inside: (u64, u64),
}

/// The writer's state between the beginning and the end of commands.
#[derive(Debug, Default)]
pub(crate) struct CommandCounter {
    open: Vec<Open>,
}

/// Places that are looked at for one of a key.
const PROBES: usize = 16;

impl CommandCounter {
    /// Begins a task without a running command.
    pub fn begin_task(&mut self) {
        self.open.clear();
    }

    /// A command begins.
    #[inline]
    pub fn enter(
        &mut self,
        map: &SharedMapping,
        who: (TransId, u16),
        (ticks, waited_ns): (u64, u64),
    ) {
        let table = table(map);
        let place = place(table, key(who.0, who.1));
        let count = &table[place][1];
        count.store(
            count.load(Ordering::Relaxed).wrapping_add(1),
            Ordering::Relaxed,
        );
        // Programs that leave their levels in odd ways leave commands open.
        if self.open.len() < MOST_OPEN {
            self.open.push(Open {
                place,
                command: who.1,
                ticks,
                waited_ns,
                inside: (0, 0),
            });
        }
    }

    /// A command ended. Commands begun after it that have no end were left
    /// by RETURN or XCTL.
    #[inline]
    pub fn exit(&mut self, map: &SharedMapping, command: u16, (ticks, waited_ns): (u64, u64)) {
        let Some(at) = self.open.iter().rposition(|o| o.command == command) else {
            return;
        };
        let open = self.open[at];
        self.open.truncate(at);
        let took = ticks.saturating_sub(open.ticks);
        let waited = waited_ns.saturating_sub(open.waited_ns);
        let sums = &table(map)[open.place];
        for (sum, own) in [
            (&sums[2], took.saturating_sub(open.inside.0)),
            (&sums[3], waited.saturating_sub(open.inside.1)),
        ] {
            sum.store(
                sum.load(Ordering::Relaxed).wrapping_add(own),
                Ordering::Relaxed,
            );
        }
        if let Some(outer) = self.open.last_mut() {
            outer.inside.0 = outer.inside.0.wrapping_add(took);
            outer.inside.1 = outer.inside.1.wrapping_add(waited);
        }
    }
}

/// Most commands that are under way at one time: levels of LINK, and some.
const MOST_OPEN: usize = 512;

/// Calls `take` with all sums that a worker has.
pub(crate) fn read_map(map: &SharedMapping, mut take: impl FnMut(CommandSum)) {
    for entry in table(map) {
        let [key, count, own_ticks, waited_ns] =
            [0, 1, 2, 3].map(|n: usize| entry[n].load(Ordering::Relaxed));
        if count > 0 {
            take(CommandSum {
                transid: match key {
                    0 => TransId::BLANK,
                    key => TransId::from_bytes(((key >> 32) as u32).to_le_bytes()),
                },
                command: (key >> 16) as u16,
                count,
                own_ticks,
                waited_ns,
            });
        }
    }
}

fn table(map: &SharedMapping) -> &Table {
    // SAFETY: atomics only.
    unsafe { map.get(COUNTS_OFFSET) }
}

fn key(transid: TransId, command: u16) -> u64 {
    let transid = u32::from_le_bytes(*transid.as_bytes());
    u64::from(transid) << 32 | u64::from(command) << 16 | 1
}

/// The place of a key, taken if it has none. The first place has what finds
/// none.
#[inline]
fn place(table: &Table, key: u64) -> usize {
    let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    for probe in 0..PROBES {
        let place = (hash as usize + probe) % (COUNT_ENTRIES - 1) + 1;
        let there = table[place][0].load(Ordering::Relaxed);
        if there == key {
            return place;
        }
        if there == 0 {
            table[place][0].store(key, Ordering::Relaxed);
            return place;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::memory_bytes;
    use crate::map::{PAGE, sealed_memfd};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn map() -> SharedMapping {
        SharedMapping::new(sealed_memfd(c"test", memory_bytes(PAGE)).unwrap()).unwrap()
    }

    fn transid(n: u16) -> TransId {
        TransId::from_bytes(format!("{n:04}").into_bytes().try_into().unwrap())
    }

    fn sums(map: &SharedMapping) -> Vec<CommandSum> {
        let mut all = Vec::new();
        read_map(map, |sum| all.push(sum));
        all
    }

    #[test]
    fn a_command_s_own_time_is_without_those_inside_of_it() {
        let (map, mut counter) = (map(), CommandCounter::default());
        let me = transid(1);
        counter.enter(&map, (me, 10), (100, 0));
        counter.enter(&map, (me, 20), (110, 0));
        counter.exit(&map, 20, (140, 5));
        // This command has no end: RETURN.
        counter.enter(&map, (me, 30), (150, 5));
        counter.exit(&map, 10, (200, 8));
        let of = |command| {
            let all = sums(&map);
            let sum = all.iter().find(|s| s.command == command).unwrap();
            (sum.count, sum.own_ticks, sum.waited_ns)
        };
        assert_eq!(of(10), (1, 70, 3));
        assert_eq!(of(20), (1, 30, 5));
        assert_eq!(of(30), (1, 0, 0));
    }

    #[test]
    fn no_command_is_lost_when_the_table_is_full() {
        let (map, mut counter) = (map(), CommandCounter::default());
        for n in 0..6000 {
            counter.enter(&map, (transid(n % 3000), n % 7 + 1), (0, 0));
            counter.exit(&map, n % 7 + 1, (1, 0));
        }
        let all = sums(&map);
        assert_eq!(all.iter().map(|s| s.count).sum::<u64>(), 6000);
    }

    proptest! {
        #[test]
        fn counts_are_those_of_what_was_begun(
            steps in proptest::collection::vec((0..4u16, 1..5u16, any::<bool>()), 0..200),
        ) {
            let (map, mut counter) = (map(), CommandCounter::default());
            let mut wanted = BTreeMap::new();
            for (now, (who, command, ends)) in (0u64..).zip(steps) {
                if ends {
                    counter.exit(&map, command, (now, 0));
                } else {
                    counter.enter(&map, (transid(who), command), (now, 0));
                    *wanted.entry((transid(who), command)).or_insert(0) += 1;
                }
            }
            let got: BTreeMap<_, u64> =
                sums(&map).iter().map(|s| ((s.transid, s.command), s.count)).collect();
            prop_assert_eq!(got, wanted);
        }

        #[test]
        fn any_bytes_are_a_table(bytes in proptest::collection::vec(any::<u8>(), 4096)) {
            let map = map();
            // SAFETY: inside the mapping; no other reference to it exists.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), map.at(COUNTS_OFFSET), bytes.len());
            }
            let mut counter = CommandCounter::default();
            counter.enter(&map, (transid(1), 1), (5, 0));
            counter.exit(&map, 1, (9, 0));
            prop_assert!(!sums(&map).is_empty());
        }
    }
}
