//! Reading the rings of the region and of its workers as one trace.
//!
//! Workers' entries are read from memory that workers can write: commands that the
//! table does not have are shown by their number, and any time is shown. A
//! ring is read in the order in which it was written, so that an exit finds
//! the entry of its command; then all are merged by time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cics::command;
use cics::resp::Condition;
use link::TransId;
use link::trace::{KernelPoint, TraceEntry, TraceInstant, TraceKind};

use super::links::WorkerLink;
use super::{SharedRegion, unix_offset};
use crate::api::{CommandCount, TraceFilter, TraceRecord};
use kernel::core::TaskKey;

/// Workers that died whose rings are kept.
const DEAD_RINGS: usize = 8;

/// Most sums of ended workers, so that they cannot fill the memory.
const DEAD_SUMS: usize = 65_536;

/// The rings of the workers that died last, the oldest first.
#[derive(Default)]
pub struct DeadRings {
    rings: Mutex<VecDeque<(u32, Vec<TraceEntry>)>>,
}

/// The counts of ended workers, and where counting began.
#[derive(Default)]
pub struct PastCounts {
    sums: Mutex<(CommandSums, CommandSums)>,
}

/// Count, ticks and nanoseconds by transaction and command.
type CommandSums = BTreeMap<(TransId, u16), [u64; 3]>;

/// Adds a worker's counts to sums.
fn add(sums: &mut CommandSums, link: &WorkerLink) {
    link.side.read_counts(|sum| {
        let key = (sum.transid, sum.command);
        if sums.len() >= DEAD_SUMS && !sums.contains_key(&key) {
            return;
        }
        let entry = sums.entry(key).or_default();
        for (all, one) in entry
            .iter_mut()
            .zip([sum.count, sum.own_ticks, sum.waited_ns])
        {
            *all = all.wrapping_add(one);
        }
    });
}

impl PastCounts {
    /// Takes over what a worker has counted. Its process must have ended.
    pub(super) fn keep(&self, link: &WorkerLink) {
        add(&mut self.lock().0, link);
    }

    fn lock(&self) -> MutexGuard<'_, (CommandSums, CommandSums)> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DeadRings {
    /// Keeps what a worker wrote. Its process must have ended.
    pub(super) fn keep(&self, link: &WorkerLink) {
        let mut entries = Vec::new();
        link.side.read_trace(0, |entry| entries.push(entry));
        let mut rings = self.rings.lock().unwrap_or_else(PoisonError::into_inner);
        if rings.len() == DEAD_RINGS {
            rings.pop_front();
        }
        rings.push_back((link.side.worker() as u32, entries));
    }
}

impl SharedRegion {
    /// Traces something of a task that the core knows.
    pub(super) fn trace_task(&self, point: KernelPoint, key: TaskKey, abend: Option<[u8; 4]>) {
        let state = self.lock();
        if let Some(task) = state.core.task(key) {
            self.trace.put(point, task.number, task.transid, abend);
        }
    }

    /// Commands by transaction and command, since the region's start or the
    /// last reset. `reset` sets them to zero afterwards.
    pub fn command_counts(&self, reset: bool) -> Vec<CommandCount> {
        let links: Vec<_> = self.lock().links.all().map(Arc::clone).collect();
        let mut kept = self.past_counts.lock();
        let mut sums = kept.0.clone();
        // The counts of an ended worker are among those kept.
        links
            .iter()
            .filter(|link| !link.has_ended())
            .for_each(|link| add(&mut sums, link));
        let now = TraceInstant::now(self.trace.clock());
        let clock = Clock {
            from: self.trace.started(),
            to: now,
        };
        let count = |(key, sum): (&(TransId, u16), &[u64; 3])| {
            let before = kept.1.get(key).copied().unwrap_or_default();
            let [count, ticks, waited_ns] =
                [0, 1, 2].map(|n: usize| sum[n].saturating_sub(before[n]));
            let row = command::by_number(key.1);
            (count > 0).then(|| CommandCount {
                transid: key.0,
                domain: row.map_or("unknown", |row| row.domain.name()),
                command: row
                    .map_or_else(|| format!("command {:04X}", key.1), |r| r.name.to_owned()),
                count,
                own_ns: clock.span(ticks).saturating_sub(waited_ns),
                waited_ns,
            })
        };
        let counts = sums.iter().filter_map(count).collect();
        if reset {
            kept.1 = sums;
        }
        counts
    }

    /// The newest records that pass the filter, by time.
    pub fn trace_records(&self, filter: &TraceFilter) -> Vec<TraceRecord> {
        let links: Vec<_> = self.lock().links.all().map(Arc::clone).collect();
        let mut entries = Vec::new();
        self.trace.read(0, |entry| entries.push(entry));
        let now = TraceInstant::now(self.trace.clock());
        let clock = Clock {
            from: self.trace.started(),
            to: now,
        };
        let mut records = clock.records(None, &entries, &mut OpenCommands::default());
        for link in links {
            entries.clear();
            link.side.read_trace(0, |entry| entries.push(entry));
            let worker = link.side.worker() as u32;
            records.append(&mut clock.records(
                Some(worker),
                &entries,
                &mut OpenCommands::default(),
            ));
        }
        let dead = &self.dead_rings.rings;
        for (worker, entries) in &*dead.lock().unwrap_or_else(PoisonError::into_inner) {
            records.append(&mut clock.records(
                Some(*worker),
                entries,
                &mut OpenCommands::default(),
            ));
        }
        records.retain(|record| filter.takes(record));
        // Stable: entries of one ring stay in their order.
        records.sort_by_key(|record| record.unix_ns);
        let wanted = filter.last.unwrap_or(usize::MAX);
        records.split_off(records.len().saturating_sub(wanted))
    }
}

/// Converts an entry's numbers to a record's.
pub(super) struct Clock {
    pub from: TraceInstant,
    pub to: TraceInstant,
}

/// Commands of a ring that have begun, and when.
pub(super) type OpenCommands = Vec<(TraceEntry, u64)>;

impl Clock {
    /// Nanoseconds of so many ticks.
    fn span(&self, ticks: u64) -> u64 {
        let end = self.from.ticks.saturating_add(ticks);
        let at = self.from.convert(&self.to, end);
        at.saturating_sub(self.from.ns)
    }

    /// The records of one ring, in its order.
    pub fn records(
        &self,
        worker: Option<u32>,
        entries: &[TraceEntry],
        open: &mut OpenCommands,
    ) -> Vec<TraceRecord> {
        let one = |entry: &TraceEntry| {
            let mut record = self.record(worker, entry);
            let at = record.unix_ns;
            match entry.kind {
                TraceKind::Enter => {
                    // A task that is over left nothing open for the next.
                    if open.last().is_some_and(|(e, _)| e.task != entry.task) {
                        open.clear();
                    }
                    open.push((*entry, at));
                }
                TraceKind::Exit | TraceKind::Abend => {
                    let same =
                        |(e, _): &(TraceEntry, u64)| (e.task, e.point) == (entry.task, entry.point);
                    if let Some(found) = open.iter().rposition(same) {
                        record.elapsed_ns = Some(at.saturating_sub(open[found].1));
                        open.truncate(found);
                    }
                }
                TraceKind::User | TraceKind::Kernel => {}
            }
            record
        };
        entries.iter().map(one).collect()
    }

    fn record(&self, worker: Option<u32>, entry: &TraceEntry) -> TraceRecord {
        let ns = self.from.convert(&self.to, entry.ticks);
        let mut record = TraceRecord {
            unix_ns: ns.saturating_add(unix_offset()),
            task: u64::from(entry.task),
            transid: entry.transid,
            worker,
            domain: "kernel",
            event: "unknown",
            command: String::new(),
            resp: None,
            resp2: None,
            abend: None,
            elapsed_ns: None,
        };
        let text = |code: [u8; 4]| String::from_utf8_lossy(&code).into_owned();
        match entry.kind {
            TraceKind::Kernel => {
                record.event =
                    KernelPoint::from_number(entry.point).map_or("unknown", |p| p.name());
                record.abend = entry.abend().map(text);
            }
            TraceKind::User => {
                record.domain = "user";
                record.event = "tracenum";
                let end = entry.data.iter().rposition(|b| *b != 0);
                let data = entry.data[..end.map_or(0, |at| at + 1)].escape_ascii();
                record.command = format!("{} {data}", entry.point).trim_end().to_owned();
            }
            TraceKind::Enter | TraceKind::Exit | TraceKind::Abend => {
                let row = command::by_number(entry.point);
                record.domain = row.map_or("unknown", |row| row.domain.name());
                let number = || format!("command {:04X}", entry.point);
                record.command = row.map_or_else(number, |row| row.name.to_owned());
                command_event(&mut record, entry, text);
            }
        }
        record
    }
}

fn command_event(record: &mut TraceRecord, entry: &TraceEntry, text: impl Fn([u8; 4]) -> String) {
    match entry.kind {
        TraceKind::Exit => {
            let (resp, resp2) = entry.response();
            record.event = "exit";
            let known = Condition::from_number(resp);
            record.resp = Some(known.map_or_else(|| resp.to_string(), |c| c.to_string()));
            record.resp2 = Some(resp2);
        }
        TraceKind::Abend => {
            record.event = "abend";
            record.abend = entry.abend().map(text);
        }
        _ => record.event = "enter",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(ticks: u64, kind: TraceKind, point: u16, data: [u8; 8]) -> TraceEntry {
        TraceEntry {
            ticks,
            task: 7,
            transid: TransId::from_bytes(*b"ACCT"),
            kind,
            point,
            data,
        }
    }

    fn clock() -> Clock {
        Clock {
            from: TraceInstant { ticks: 0, ns: 0 },
            to: TraceInstant {
                ticks: 1000,
                ns: 2000,
            },
        }
    }

    #[test]
    fn an_exit_knows_how_long_its_command_took_with_others_inside() {
        use cics::command::commands::{link, read};
        let [outer, inner] = [link::NUMBER, read::NUMBER];
        let mut not_found = [0; 8];
        not_found[0] = 80;
        not_found[4] = 13;
        let entries = [
            entry(10, TraceKind::Exit, inner, [0; 8]),
            entry(100, TraceKind::Enter, outer, [0; 8]),
            entry(200, TraceKind::Enter, inner, [0; 8]),
            entry(250, TraceKind::Exit, inner, not_found),
            entry(300, TraceKind::Abend, outer, *b"ASRA\0\0\0\0"),
        ];
        let records = clock().records(Some(0), &entries, &mut OpenCommands::default());
        let elapsed: Vec<_> = records.iter().map(|r| r.elapsed_ns).collect();
        assert_eq!(elapsed, [None, None, None, Some(100), Some(400)]);
        assert_eq!(records[3].command, "READ");
        assert_eq!(records[3].domain, "files");
        assert_eq!(records[3].resp.as_deref(), Some("NOTFND"));
        assert_eq!(records[3].resp2, Some(80));
        assert_eq!(records[4].abend.as_deref(), Some("ASRA"));
    }

    #[test]
    fn a_filter_lets_through_what_has_all_it_names() {
        let record = &clock().records(
            None,
            &[entry(1, TraceKind::Kernel, 1, [0; 8])],
            &mut OpenCommands::default(),
        )[0];
        let task = |task| TraceFilter {
            task: Some(task),
            ..TraceFilter::default()
        };
        assert!(TraceFilter::default().takes(record));
        assert!(task(7).takes(record));
        assert!(!task(8).takes(record));
        let files = TraceFilter {
            domain: Some("files".into()),
            ..task(7)
        };
        assert!(!files.takes(record));
        assert_eq!((record.domain, record.event), ("kernel", "begin"));
    }

    #[test]
    fn a_command_that_ends_in_a_later_part_of_the_ring_knows_how_long_it_took() {
        let mut open = OpenCommands::default();
        let (enter, exit) = (TraceKind::Enter, TraceKind::Exit);
        clock().records(Some(0), &[entry(100, enter, 2, [0; 8])], &mut open);
        let records = clock().records(Some(0), &[entry(300, exit, 2, [0; 8])], &mut open);
        assert_eq!(records[0].elapsed_ns, Some(400));
        assert!(open.is_empty());
    }

    proptest! {
        #[test]
        fn whatever_a_worker_writes_can_be_shown(
            some in proptest::collection::vec((any::<u64>(), 0..4u8, any::<u16>(), any::<[u8; 8]>()), 0..50),
        ) {
            let kinds = [TraceKind::Enter, TraceKind::Exit, TraceKind::Abend, TraceKind::User];
            let entries: Vec<_> =
                some.iter().map(|(t, k, p, d)| entry(*t, kinds[usize::from(*k)], *p, *d)).collect();
            prop_assert_eq!(clock().records(Some(1), &entries, &mut OpenCommands::default()).len(), entries.len());
        }
    }
}
