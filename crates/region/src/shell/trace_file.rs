//! Writing the trace to a file, from an operator's start to the stop.
//!
//! The rings are written all the time; a thread reads what is new in them many
//! times a second and appends it, a JSON line a record, in the form in which
//! records are given to operators. A ring that went round in between has lost
//! entries, which are counted. The file is bounded.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use link::trace::TraceInstant;

use super::SharedRegion;
use super::links::WorkerLink;
use super::trace::{Clock, OpenCommands};
use crate::api::{TraceFilter, TraceRecord, TraceStatus};

/// A trace that is being written.
pub struct TraceFile {
    path: PathBuf,
    counts: Arc<TraceCounters>,
    thread: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct TraceCounters {
    records: AtomicU64,
    bytes: AtomicU64,
    lost: AtomicU64,
    /// The thread shall end.
    stop: AtomicBool,
    /// The file has its most bytes, or could not be written.
    full: AtomicBool,
}

/// How often the rings are read.
const PAUSE: Duration = Duration::from_millis(10);

impl TraceFile {
    fn status(&self) -> TraceStatus {
        let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
        TraceStatus {
            path: self.path.clone(),
            records: count(&self.counts.records),
            bytes: count(&self.counts.bytes),
            lost: count(&self.counts.lost),
            full: self.counts.full.load(Ordering::Relaxed),
        }
    }
}

impl SharedRegion {
    /// Begins to write the trace to a new file of the region's folder.
    pub fn trace_start(
        self: &Arc<Self>,
        name: &str,
        filter: TraceFilter,
        max_bytes: u64,
    ) -> io::Result<TraceStatus> {
        let mut running = self.trace_file();
        if running.is_some() {
            let why = "a trace is being written already";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        let folder = self.config.state.join("traces");
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{name}.jsonl"));
        let file = File::create_new(&path)?;
        let counts = Arc::new(TraceCounters::default());
        let writer = Writer {
            shared: self.clone(),
            file: BufWriter::new(file),
            filter,
            max_bytes,
            counts: counts.clone(),
            region: RingPosition::default(),
            workers: HashMap::new(),
        };
        let thread = std::thread::Builder::new()
            .name("tupelo-trace".into())
            .spawn(move || writer.run())?;
        let started = TraceFile {
            path,
            counts,
            thread,
        };
        let status = started.status();
        *running = Some(started);
        Ok(status)
    }

    /// Ends the writing. Returns `None` when the trace is not written.
    pub fn trace_stop(&self) -> Option<TraceStatus> {
        let mut running = self.trace_file().take()?;
        running.counts.stop.store(true, Ordering::Relaxed);
        let gone = std::thread::spawn(|| {});
        let _ = std::mem::replace(&mut running.thread, gone).join();
        Some(running.status())
    }

    /// Progress of the writing. Returns `None` when the trace is not written.
    pub fn trace_status(&self) -> Option<TraceStatus> {
        self.trace_file().as_ref().map(TraceFile::status)
    }

    fn trace_file(&self) -> std::sync::MutexGuard<'_, Option<TraceFile>> {
        let file = &self.trace_file;
        file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Writer {
    shared: Arc<SharedRegion>,
    file: BufWriter<File>,
    filter: TraceFilter,
    max_bytes: u64,
    counts: Arc<TraceCounters>,
    region: RingPosition,
    /// The workers' rings, by the address of their links.
    workers: HashMap<usize, (Arc<WorkerLink>, RingPosition)>,
}

/// How far a ring was read.
#[derive(Default)]
struct RingPosition {
    next: u64,
    open: OpenCommands,
}

impl Writer {
    /// The thread: from the entries of now on, until it shall stop.
    fn run(mut self) {
        self.region.next = self.shared.trace.read(u64::MAX, |_| {});
        self.meet_workers(true);
        loop {
            let last = self.counts.stop.load(Ordering::Relaxed) || self.shared.is_stopping();
            self.meet_workers(false);
            let records = self.read();
            if let Err(error) = self.write(&records) {
                tracing::error!(%error, "the trace cannot be written");
                self.counts.full.store(true, Ordering::Relaxed);
            }
            if last || self.counts.full.load(Ordering::Relaxed) {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Adds new workers and drops ended workers whose last entries were read.
    fn meet_workers(&mut self, old: bool) {
        let links: Vec<_> = self.shared.lock().links.all().map(Arc::clone).collect();
        let address = |link: &Arc<WorkerLink>| Arc::as_ptr(link) as usize;
        let live: Vec<usize> = links.iter().map(address).collect();
        self.workers.retain(|at, _| live.contains(at));
        for link in links {
            self.workers.entry(address(&link)).or_insert_with(|| {
                let mut ring = RingPosition::default();
                if old {
                    ring.next = link.side.read_trace(u64::MAX, |_| {});
                }
                (link, ring)
            });
        }
    }

    /// The new entries of all rings, by time.
    fn read(&mut self) -> Vec<TraceRecord> {
        let trace = &self.shared.trace;
        let clock = Clock {
            from: trace.started(),
            to: TraceInstant::now(trace.clock()),
        };
        let mut entries = Vec::new();
        let next = trace.read(self.region.next, |entry| entries.push(entry));
        let mut lost = self.region.advance(next, entries.len());
        let mut records = clock.records(None, &entries, &mut self.region.open);
        for (link, ring) in self.workers.values_mut() {
            entries.clear();
            let next = link.side.read_trace(ring.next, |entry| entries.push(entry));
            lost += ring.advance(next, entries.len());
            let worker = Some(link.side.worker() as u32);
            records.append(&mut clock.records(worker, &entries, &mut ring.open));
        }
        self.counts.lost.fetch_add(lost, Ordering::Relaxed);
        records.retain(|record| self.filter.takes(record));
        records.sort_by_key(|record| record.unix_ns);
        records
    }

    fn write(&mut self, records: &[TraceRecord]) -> io::Result<()> {
        let mut line = Vec::new();
        for record in records {
            line.clear();
            serde_json::to_writer(&mut line, record)?;
            line.push(b'\n');
            let bytes = self.counts.bytes.load(Ordering::Relaxed) + line.len() as u64;
            if bytes > self.max_bytes {
                self.counts.full.store(true, Ordering::Relaxed);
                break;
            }
            self.file.write_all(&line)?;
            self.counts.bytes.store(bytes, Ordering::Relaxed);
            self.counts.records.fetch_add(1, Ordering::Relaxed);
        }
        self.file.flush()
    }
}

impl RingPosition {
    /// Notes what was read. Returns how many entries were overwritten before.
    fn advance(&mut self, next: u64, read: usize) -> u64 {
        let passed = next.saturating_sub(self.next);
        self.next = next;
        passed.saturating_sub(read as u64)
    }
}
