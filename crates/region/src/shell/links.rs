//! The links to all workers: what the core sees of the shared memory.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};

use link::{ConfigText, RegionPage, RegionSide, Request, SlotState};
use store::{LentTable, ReaderTables};

use super::acts::DescriptorActions;
use super::clock;
use super::guests::GuestStack;
use crate::api::LentWorker;
use kernel::core::{WorkerLinks, WorkerSlot};

/// One worker's shared memory, its process's socket end until it is started,
/// and its process number.
pub struct WorkerLink {
    /// The region's end.
    pub side: RegionSide,
    /// The other end, for the process.
    pub socket: Mutex<Option<OwnedFd>>,
    /// The process; 0 until its start is noted, which may be after it has begun
    /// a task, and [`ENDED`] once it has ended.
    pub pid: AtomicI32,
    /// Guests that its task waits for.
    pub guests: GuestStack,
    /// Its requests for a descriptor while it waits.
    pub acts: DescriptorActions,
    /// Its reader table, where there is a store.
    _reader_table: Option<LentTable>,
}

/// The process number of a worker that has ended.
pub const ENDED: i32 = -1;

impl WorkerLink {
    /// True once its process has ended.
    pub fn has_ended(&self) -> bool {
        self.pid.load(Ordering::Relaxed) == ENDED
    }
}

impl LentWorker for WorkerLink {
    fn has_ended(&self) -> bool {
        self.has_ended()
    }
}

/// All links by worker number.
pub struct LinkTable {
    links: Vec<Option<Arc<WorkerLink>>>,
    page: Arc<RegionPage>,
    config: (u64, Arc<ConfigText>),
    arena_bytes: usize,
    /// The source of workers' reader tables; `None` without a store.
    reader_tables: Option<ReaderTables>,
    /// Workers to wake once the region's lock is released.
    pub wakes: Vec<Arc<WorkerLink>>,
}

impl LinkTable {
    /// No workers yet.
    pub fn new(
        page: Arc<RegionPage>,
        generation: u64,
        config: ConfigText,
        arena: usize,
        reader_tables: Option<ReaderTables>,
    ) -> Self {
        LinkTable {
            links: Vec::new(),
            page,
            config: (generation, Arc::new(config)),
            arena_bytes: arena,
            reader_tables,
            wakes: Vec::new(),
        }
    }

    /// New workers get another configuration from now on.
    pub fn set_config(&mut self, generation: u64, config: ConfigText) {
        self.config = (generation, Arc::new(config));
    }

    /// A worker's link.
    #[inline]
    pub fn get(&self, worker: usize) -> Option<&Arc<WorkerLink>> {
        self.links.get(worker)?.as_ref()
    }

    /// All links.
    pub fn all(&self) -> impl Iterator<Item = &Arc<WorkerLink>> {
        self.links.iter().flatten()
    }

    fn open(&self, worker: usize) -> io::Result<WorkerLink> {
        let lend = |tables: &ReaderTables| tables.lend();
        let table = self.reader_tables.as_ref().map(lend).transpose()?;
        let lent = table.as_ref().map(LentTable::as_fd);
        let config = &self.config.1;
        let (side, socket) =
            RegionSide::create_with(worker, self.arena_bytes, &self.page, config, lent)?;
        Ok(WorkerLink {
            side,
            _reader_table: table,
            socket: Mutex::new(Some(socket)),
            pid: AtomicI32::new(0),
            guests: GuestStack::default(),
            acts: DescriptorActions::default(),
        })
    }
}

impl WorkerLinks for LinkTable {
    fn create(&mut self, worker: usize, generation: u64) -> bool {
        debug_assert_eq!(generation, self.config.0);
        match self.open(worker) {
            Ok(link) => {
                if self.links.len() <= worker {
                    self.links.resize_with(worker + 1, || None);
                }
                self.links[worker] = Some(Arc::new(link));
                true
            }
            Err(error) => {
                tracing::error!(worker, %error, "a worker's memory could not be made");
                false
            }
        }
    }

    fn forget(&mut self, worker: usize) {
        self.links[worker] = None;
    }

    fn submit(&mut self, place: WorkerSlot, sequence: u32, request: &Request) {
        let Some(link) = self.links.get(place.worker).and_then(Option::as_ref) else {
            return;
        };
        link.side.submit(place.slot, sequence, request);
        if link.side.is_sleeping() {
            self.wakes.push(link.clone());
        }
    }

    fn wake(&mut self, worker: usize) {
        if let Some(link) = self.get(worker).filter(|l| l.side.is_sleeping()) {
            let link = link.clone();
            self.wakes.push(link);
        }
    }

    fn take_back(&mut self, place: WorkerSlot, sequence: u32) -> bool {
        self.get(place.worker)
            .is_some_and(|l| l.side.take_back(place.slot, sequence))
    }

    fn state(&mut self, place: WorkerSlot, sequence: u32) -> SlotState {
        match self.get(place.worker) {
            Some(link) => link.side.state(place.slot, sequence),
            None => SlotState::Running,
        }
    }

    fn copy(&mut self, from: WorkerSlot, to: WorkerSlot, bytes: u64) {
        let (Some(old), Some(new)) = (self.get(from.worker), self.get(to.worker)) else {
            return;
        };
        let bytes = (bytes as usize).min(old.side.arena_bytes().min(new.side.arena_bytes()));
        // SAFETY: both arenas have that many bytes, are in mappings of their
        // own, and the two slots belong to the task that moves.
        unsafe {
            let source = old.side.arena(from.slot);
            std::ptr::copy_nonoverlapping(source, new.side.arena(to.slot), bytes);
        }
    }

    fn free(&mut self, place: WorkerSlot, high_water: u64) {
        if let Some(link) = self.get(place.worker) {
            link.side.free(place.slot, high_water);
        }
    }

    fn retire(&mut self, worker: usize) {
        if let Some(link) = self.get(worker) {
            link.side.retire();
        }
    }

    fn progress(&mut self, worker: usize) -> u64 {
        self.get(worker).map_or(0, |l| l.side.progress())
    }

    fn cpu_ns(&mut self, worker: usize) -> u64 {
        match self.get(worker).map(|l| l.pid.load(Ordering::Relaxed)) {
            Some(pid) if pid > 0 => clock::process_cpu_ns(pid),
            _ => 0,
        }
    }

    fn waits_for_qr(&mut self, worker: usize) -> bool {
        self.get(worker).is_some_and(|l| l.side.waits_for_qr())
    }

    fn is_runnable(&mut self, worker: usize) -> bool {
        match self.get(worker).map(|l| l.pid.load(Ordering::Relaxed)) {
            Some(pid) if pid > 0 => clock::is_runnable(pid),
            _ => false,
        }
    }
}
