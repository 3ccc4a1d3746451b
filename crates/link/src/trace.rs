//! The trace: rings of fixed entries that are written all the time.
//!
//! A worker has a ring in its own memory, with an entry at the beginning and
//! the end of each EXEC CICS command; the region has one of its own for what
//! its kernel does. An entry is four words. The last one carries the entry's
//! serial number, so that a reader sees whether it was overwritten meanwhile.
//!
//! Times are ticks of the processor's counter where the kernel keeps time by
//! it too, which costs a third of a system clock; else they are nanoseconds of
//! the monotonic clock.
//!
//! Invariant: any words are a valid ring; a reader checks and bounds them.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Arc, OnceLock};

use crate::TransId;
use crate::clock::monotonic_ns;
use crate::counts::CommandCounter;
use crate::layout::{TRACE_ENTRIES, TRACE_OFFSET, TraceHeader};
use crate::map::{PAGE, SharedMapping};

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum TraceKind {
    /// A command begins; the point is its number.
    Enter = 1,
    /// A command ended with RESP and RESP2.
    Exit = 2,
    /// A command ended the task or a level with an abend, whose code it has.
    Abend = 3,
    /// An entry by ENTER TRACENUM; the point is its number.
    User = 4,
    /// The kernel of the region; the point is a [`KernelPoint`].
    Kernel = 5,
}

/// The trace points of the region's kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum KernelPoint {
    /// A task was given to a worker.
    Begin = 1,
    /// A task ended; its abend code, or zeros.
    End = 2,
    /// A task waits for a lock, an event or the time.
    Wait = 3,
    /// A task that waited continues.
    Wake = 4,
    /// A unit of work is passed to the store.
    Commit = 5,
    /// The unit of work of an ending task is finished; its abend code, or
    /// zeros.
    UnitEnd = 6,
    /// The region starts a task of its own.
    Start = 7,
}

/// One entry of a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceEntry {
    /// Ticks of the ring's clock.
    pub ticks: u64,
    /// The low half of the task's number.
    pub task: u32,
    /// Transaction.
    pub transid: TransId,
    /// The kind.
    pub kind: TraceKind,
    /// Number of the command, of the kernel's point, or TRACENUM.
    pub point: u16,
    /// RESP, RESP2 and two bytes more; for an abend its code in the first
    /// four; for ENTER TRACENUM the first eight bytes of its data.
    pub data: [u8; 8],
}

impl TraceEntry {
    /// RESP and RESP2 of an [`TraceKind::Exit`].
    pub fn response(&self) -> (u16, u32) {
        let [a, b, c, d, e, f, ..] = self.data;
        (u16::from_le_bytes([e, f]), u32::from_le_bytes([a, b, c, d]))
    }

    /// The abend code of an abend or an end. Returns `None` without a code.
    pub fn abend(&self) -> Option<[u8; 4]> {
        let code = *self
            .data
            .first_chunk()
            .expect("eight bytes are four at least");
        (code != [0; 4]).then_some(code)
    }

    /// The data of an [`TraceKind::Exit`].
    fn of_response(resp: u16, resp2: u32) -> [u8; 8] {
        let [a, b, c, d] = resp2.to_le_bytes();
        let [e, f] = resp.to_le_bytes();
        [a, b, c, d, e, f, 0, 0]
    }

    fn emit(&self, serial: u32) -> [u64; 4] {
        let [a, b, c, d] = *self.transid.as_bytes();
        [
            self.ticks,
            u64::from(self.task) | u64::from(u32::from_le_bytes([a, b, c, d])) << 32,
            u64::from_le_bytes(self.data),
            u64::from(serial) | u64::from(self.point) << 32 | (self.kind as u64) << 48,
        ]
    }

    /// Reads four words. Returns `None` if they are not a valid entry.
    fn parse(words: [u64; 4]) -> Option<Self> {
        let [ticks, who, data, what] = words;
        let kind = match (what >> 48) as u16 {
            1 => TraceKind::Enter,
            2 => TraceKind::Exit,
            3 => TraceKind::Abend,
            4 => TraceKind::User,
            5 => TraceKind::Kernel,
            _ => return None,
        };
        Some(TraceEntry {
            ticks,
            task: who as u32,
            transid: TransId::from_bytes(((who >> 32) as u32).to_le_bytes()),
            kind,
            point: (what >> 32) as u16,
            data: data.to_le_bytes(),
        })
    }
}

impl KernelPoint {
    /// The point of a number.
    pub fn from_number(number: u16) -> Option<Self> {
        use KernelPoint::*;
        let all = [Begin, End, Wait, Wake, Commit, UnitEnd, Start];
        all.into_iter().find(|p| *p as u16 == number)
    }

    /// Its name in a printed trace.
    pub fn name(self) -> &'static str {
        match self {
            KernelPoint::Begin => "begin",
            KernelPoint::End => "end",
            KernelPoint::Wait => "wait",
            KernelPoint::Wake => "wake",
            KernelPoint::Commit => "commit",
            KernelPoint::UnitEnd => "unit end",
            KernelPoint::Start => "start",
        }
    }
}

/// The words of a ring.
pub(crate) type RingWords = [[AtomicU64; 4]; TRACE_ENTRIES];

/// Which clock a ring's times are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum TraceClock {
    /// Nanoseconds of the monotonic clock.
    Monotonic = 0,
    /// The processor's time stamp counter.
    Counter = 1,
}

impl TraceClock {
    /// The counter where the kernel trusts it, for then all processors agree.
    pub fn best() -> Self {
        static BEST: OnceLock<TraceClock> = OnceLock::new();
        *BEST.get_or_init(|| {
            let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
            let trusted = std::fs::read_to_string(source).is_ok_and(|s| s.trim() == "tsc");
            if cfg!(target_arch = "x86_64") && trusted {
                TraceClock::Counter
            } else {
                TraceClock::Monotonic
            }
        })
    }

    /// Reads it.
    #[inline]
    pub fn ticks(self) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if self == TraceClock::Counter {
            // SAFETY: every processor of the architecture has the instruction.
            return unsafe { core::arch::x86_64::_rdtsc() };
        }
        monotonic_ns()
    }
}

/// The two clocks at one instant: two of them convert ticks to nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct TraceInstant {
    /// Ticks of the rings' clock.
    pub ticks: u64,
    /// Nanoseconds of the monotonic clock.
    pub ns: u64,
}

impl TraceInstant {
    /// Now.
    pub fn now(clock: TraceClock) -> Self {
        TraceInstant {
            ticks: clock.ticks(),
            ns: monotonic_ns(),
        }
    }

    /// Nanoseconds of the monotonic clock at `ticks`, by this instant and a
    /// later one. Any ticks give something.
    pub fn convert(&self, later: &TraceInstant, ticks: u64) -> u64 {
        let per = i128::from(later.ticks) - i128::from(self.ticks);
        if per <= 0 {
            return self.ns;
        }
        let ns = i128::from(later.ns) - i128::from(self.ns);
        let since = i128::from(ticks) - i128::from(self.ticks);
        let at = i128::from(self.ns) + since.saturating_mul(ns) / per;
        u64::try_from(at.max(0)).unwrap_or(u64::MAX)
    }
}

/// Writes an entry. Its old serial number is cleared first, so that no reader
/// mixes halves of two entries.
#[inline]
fn write(words: &[AtomicU64; 4], entry: [u64; 4]) {
    words[3].store(0, Ordering::Relaxed);
    fence(Ordering::Release);
    words[0].store(entry[0], Ordering::Relaxed);
    words[1].store(entry[1], Ordering::Relaxed);
    words[2].store(entry[2], Ordering::Relaxed);
    words[3].store(entry[3], Ordering::Release);
}

/// Entries from number `from` on, each with its number, and the number after
/// the last. Entries that were overwritten are left out.
fn read(words: &RingWords, written: u64, from: u64, mut take: impl FnMut(TraceEntry)) -> u64 {
    let first = from.max(written.saturating_sub(TRACE_ENTRIES as u64));
    for number in first..written {
        let at = &words[number as usize % TRACE_ENTRIES];
        let last = at[3].load(Ordering::Acquire);
        let entry = [
            at[0].load(Ordering::Relaxed),
            at[1].load(Ordering::Relaxed),
            at[2].load(Ordering::Relaxed),
            last,
        ];
        fence(Ordering::Acquire);
        let whole = at[3].load(Ordering::Relaxed) == last && last as u32 == serial(number);
        if let Some(entry) = TraceEntry::parse(entry).filter(|_| whole) {
            take(entry);
        }
    }
    written
}

fn serial(number: u64) -> u32 {
    number as u32 ^ 0x8000_0000
}

/// A worker's way to its ring. Without a region it writes nowhere.
pub struct TraceWriter {
    map: Option<Arc<SharedMapping>>,
    clock: TraceClock,
    next: u64,
    task: u32,
    transid: TransId,
    counter: CommandCounter,
}

impl TraceWriter {
    /// A writer without a ring.
    pub fn nowhere() -> Self {
        TraceWriter {
            map: None,
            clock: TraceClock::Monotonic,
            next: 0,
            task: 0,
            transid: TransId::BLANK,
            counter: CommandCounter::default(),
        }
    }

    pub(crate) fn new(map: Arc<SharedMapping>) -> Self {
        let header = header(&map);
        let clock = match header.clock.load(Ordering::Relaxed) {
            1 => TraceClock::Counter,
            _ => TraceClock::Monotonic,
        };
        let next = header.written.load(Ordering::Relaxed);
        TraceWriter {
            map: Some(map),
            clock,
            next,
            ..TraceWriter::nowhere()
        }
    }

    /// The following entries belong to this task.
    pub fn begin_task(&mut self, task: u64, transid: TransId) {
        self.task = task as u32;
        self.transid = transid;
        self.counter.begin_task();
    }

    /// A command begins. `waited_ns` is the time that its task has waited so
    /// far.
    #[inline]
    pub fn enter(&mut self, command: u16, waited_ns: u64) {
        let ticks = self.put(TraceKind::Enter, command, [0; 8]);
        if let Some(map) = &self.map {
            let who = (self.transid, command);
            self.counter.enter(map, who, (ticks, waited_ns));
        }
    }

    /// A command ended.
    #[inline]
    pub fn exit(&mut self, command: u16, resp: u16, resp2: u32, waited_ns: u64) {
        let data = TraceEntry::of_response(resp, resp2);
        let ticks = self.put(TraceKind::Exit, command, data);
        self.count_exit(command, (ticks, waited_ns));
    }

    /// A command ended with an abend.
    pub fn abend(&mut self, command: u16, code: [u8; 4], waited_ns: u64) {
        let [a, b, c, d] = code;
        let ticks = self.put(TraceKind::Abend, command, [a, b, c, d, 0, 0, 0, 0]);
        self.count_exit(command, (ticks, waited_ns));
    }

    #[inline]
    fn count_exit(&mut self, command: u16, at: (u64, u64)) {
        if let Some(map) = &self.map {
            self.counter.exit(map, command, at);
        }
    }

    #[inline]
    fn put(&mut self, kind: TraceKind, point: u16, data: [u8; 8]) -> u64 {
        let Some(map) = &self.map else {
            return 0;
        };
        let ticks = self.clock.ticks();
        let entry = TraceEntry {
            ticks,
            task: self.task,
            transid: self.transid,
            kind,
            point,
            data,
        };
        let at = &words(map)[self.next as usize % TRACE_ENTRIES];
        write(at, entry.emit(serial(self.next)));
        self.next += 1;
        header(map).written.store(self.next, Ordering::Release);
        ticks
    }
}

/// Says which clock a new worker's ring has.
pub(crate) fn prepare(map: &SharedMapping, clock: TraceClock) {
    header(map).clock.store(clock as u32, Ordering::Relaxed);
}

/// Reads a worker's ring from entry number `from` on; returns the number of the next
/// entry. The worker's entries are checked; entries that are not valid are
/// left out.
pub(crate) fn read_map(map: &SharedMapping, from: u64, take: impl FnMut(TraceEntry)) -> u64 {
    let written = header(map).written.load(Ordering::Acquire);
    read(words(map), written, from, take)
}

fn header(map: &SharedMapping) -> &TraceHeader {
    // SAFETY: atomics only.
    unsafe { map.get(TRACE_OFFSET) }
}

#[inline]
fn words(map: &SharedMapping) -> &RingWords {
    // SAFETY: atomics only.
    unsafe { map.get(TRACE_OFFSET + PAGE) }
}

/// The region's own ring, which all its threads write.
pub struct RegionTrace {
    words: Box<RingWords>,
    next: AtomicU64,
    clock: TraceClock,
    started: TraceInstant,
    /// Something is written at all.
    on: bool,
}

impl RegionTrace {
    /// An empty ring.
    pub fn new(clock: TraceClock) -> Self {
        let words: Vec<[AtomicU64; 4]> = (0..TRACE_ENTRIES).map(|_| Default::default()).collect();
        RegionTrace {
            words: words.try_into().expect("as many as a ring has"),
            next: AtomicU64::new(0),
            clock,
            started: TraceInstant::now(clock),
            on: true,
        }
    }

    /// A ring that stays empty unless `on`.
    pub fn switched(self, on: bool) -> Self {
        RegionTrace { on, ..self }
    }

    /// The clock of all rings of the region.
    pub fn clock(&self) -> TraceClock {
        self.clock
    }

    /// When the ring was made.
    pub fn started(&self) -> TraceInstant {
        self.started
    }

    /// Writes an entry of the kernel; `abend` belongs to ends.
    pub fn put(&self, point: KernelPoint, task: u64, transid: TransId, abend: Option<[u8; 4]>) {
        let [a, b, c, d] = abend.unwrap_or_default();
        let data = [a, b, c, d, 0, 0, 0, 0];
        self.append(TraceKind::Kernel, point as u16, task, transid, data);
    }

    /// ENTER TRACENUM: its number, and the first eight bytes of its data.
    pub fn user(&self, tracenum: u16, task: u64, transid: TransId, data: &[u8]) {
        let mut first = [0; 8];
        let bytes = data.len().min(8);
        first[..bytes].copy_from_slice(&data[..bytes]);
        self.append(TraceKind::User, tracenum, task, transid, first);
    }

    fn append(&self, kind: TraceKind, point: u16, task: u64, transid: TransId, data: [u8; 8]) {
        if !self.on {
            return;
        }
        let entry = TraceEntry {
            ticks: self.clock.ticks(),
            task: task as u32,
            transid,
            kind,
            point,
            data,
        };
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let at = &self.words[number as usize % TRACE_ENTRIES];
        write(at, entry.emit(serial(number)));
    }

    /// Reads entries from number `from` on. Returns the number to continue from.
    pub fn read(&self, from: u64, take: impl FnMut(TraceEntry)) -> u64 {
        read(&self.words, self.next.load(Ordering::Acquire), from, take)
    }
}

const _: () = {
    assert!(std::mem::size_of::<TraceHeader>() <= PAGE);
    assert!(std::mem::size_of::<AtomicU32>() == 4);
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::memory_bytes;
    use crate::map::sealed_memfd;
    use proptest::prelude::*;

    fn map() -> Arc<SharedMapping> {
        let memory = sealed_memfd(c"test", memory_bytes(PAGE)).unwrap();
        Arc::new(SharedMapping::new(memory).unwrap())
    }

    fn all(map: &SharedMapping) -> Vec<TraceEntry> {
        let mut entries = Vec::new();
        read_map(map, 0, |entry| entries.push(entry));
        entries
    }

    #[test]
    fn what_a_worker_writes_the_region_reads() {
        let map = map();
        prepare(&map, TraceClock::Monotonic);
        let mut writer = TraceWriter::new(map.clone());
        let transid = TransId::from_bytes(*b"ACCT");
        writer.begin_task(0x1_0000_0007, transid);
        writer.enter(0x0602, 0);
        writer.exit(0x0602, 13, 80, 0);
        writer.abend(0x0602, *b"AEIM", 0);
        let [enter, exit, abend] = all(&map)[..] else {
            panic!("three entries");
        };
        assert_eq!(
            (enter.kind, enter.point, enter.task),
            (TraceKind::Enter, 0x0602, 7)
        );
        assert_eq!((exit.response(), exit.transid), ((13, 80), transid));
        assert!(enter.ticks <= exit.ticks);
        assert_eq!(abend.abend(), Some(*b"AEIM"));
    }

    #[test]
    fn a_ring_keeps_the_newest_entries_and_goes_on_where_it_was_read() {
        let ring = RegionTrace::new(TraceClock::best());
        let transid = TransId::BLANK;
        for task in 0..TRACE_ENTRIES as u64 + 10 {
            ring.put(KernelPoint::Begin, task, transid, None);
        }
        let mut tasks = Vec::new();
        let next = ring.read(0, |e| tasks.push(e.task));
        assert_eq!(tasks.len(), TRACE_ENTRIES);
        assert_eq!((tasks[0], next), (10, TRACE_ENTRIES as u64 + 10));
        ring.put(KernelPoint::End, 1, transid, Some(*b"ASRA"));
        let mut ends = Vec::new();
        ring.read(next, |e| ends.push(e.abend()));
        assert_eq!(ends, [Some(*b"ASRA")]);
        ring.user(12, 1, transid, b"abc");
        ring.user(199, 1, transid, b"more than eight");
        let mut own = Vec::new();
        ring.read(next + 1, |e| own.push((e.kind, e.point, e.data)));
        let user = TraceKind::User;
        assert_eq!(
            own,
            [(user, 12, *b"abc\0\0\0\0\0"), (user, 199, *b"more tha")]
        );
    }

    #[test]
    fn ticks_between_two_instants_are_times_between_them() {
        let instant = |ticks, ns| TraceInstant { ticks, ns };
        let (early, late) = (instant(1000, 500), instant(3000, 1500));
        assert_eq!(early.convert(&late, 2000), 1000);
        assert_eq!(early.convert(&late, 5000), 2500);
        assert_eq!(early.convert(&early, 2000), 500);
        assert_eq!(early.convert(&late, 0), 0);
    }

    proptest! {
        #[test]
        fn no_words_of_a_worker_make_the_reader_panic(
            written in any::<u64>(), from in any::<u64>(),
            some in proptest::collection::vec(any::<[u64; 4]>(), 0..64),
            ticks in any::<[u64; 5]>(),
        ) {
            let map = map();
            header(&map).written.store(written, Ordering::Relaxed);
            for (at, entry) in words(&map).iter().zip(&some) {
                at.iter().zip(entry).for_each(|(a, e)| a.store(*e, Ordering::Relaxed));
            }
            let mut read = 0;
            read_map(&map, from, |_| read += 1);
            prop_assert!(read <= some.len());
            let [a, b, c, d, at] = ticks;
            let early = TraceInstant { ticks: a, ns: b };
            let _ = early.convert(&TraceInstant { ticks: c, ns: d }, at);
        }
    }
}
