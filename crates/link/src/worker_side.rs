//! The worker's end of the link.
//!
//! One thread owns the link: it takes queued slots in the order in which the region
//! filled them, runs each, and returns the results. The thread sleeps only when no
//! slot is queued. It reads only what the region wrote, which it trusts.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::call::{CallEvent, CallOperation, NESTED_ACT};
use crate::call_word::CallWord;
use crate::config::WorkerConfig;
use crate::directory::{self, ContainerEntry, ENTRY_BYTES};
use crate::futex;
use crate::heap::ArenaHeap;
use crate::layout::*;
use crate::map::{PAGE, SharedMapping};
use crate::page::{PORTS, RegionPage};
use crate::qr::QrToken;
use crate::socket::LinkSocket;
use crate::trace::TraceWriter;
use crate::uses::ProgramUses;

/// The worker's end.
pub struct WorkerSide {
    map: Arc<SharedMapping>,
    page: RegionPage,
    socket: LinkSocket,
    worker: usize,
    arena_bytes: usize,
    heap: ArenaHeap,
    entries: Vec<ContainerEntry>,
    running: Option<Running>,
    /// Slots that were queued at the last look, with their words; the first to
    /// run is the last. Slots that were queued later run later.
    ahead: Vec<(usize, u64)>,
    reader_table: Option<OwnedFd>,
    /// Ports with news that they have not been woken for, by bit.
    unheard: u32,
    /// Tasks finished since the first of that news.
    unheard_tasks: u32,
    /// Most bytes of a call and of an answer since the task began.
    call_used: [usize; 2],
}

#[derive(Clone, Copy)]
struct Running {
    slot: usize,
    sequence: u32,
    port: usize,
}

/// The next event for a worker.
#[derive(Debug, Clone, Copy)]
pub enum WorkerEvent {
    /// Run a task; end it with [`WorkerSide::finish`].
    Task(TaskIn),
    /// No event within the given time.
    Idle,
    /// The worker shall end.
    Retire,
}

/// A task to run.
#[derive(Debug, Clone, Copy)]
pub struct TaskIn {
    /// Its slot.
    pub slot: usize,
    /// The request.
    pub request: Request,
    /// The worker had nothing to do before it came.
    pub waited: bool,
}

/// Why a worker could not attach to its region.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// The socket or a mapping failed.
    #[error("the region's descriptors could not be taken over: {0}")]
    Io(#[from] io::Error),
    /// The memory is not a worker's memory of this version.
    #[error("the shared memory has another layout; region and worker must be of one version")]
    Layout,
    /// The configuration is not what this version reads.
    #[error("the configuration could not be read: {0}")]
    Config(#[from] serde_json::Error),
}

/// The arena has no room for what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the arena is full")]
pub struct ArenaFull;

impl WorkerSide {
    /// Counts the changes of files' switches since the region's start.
    pub fn file_changes(&self) -> u32 {
        self.page.file_changes()
    }

    /// Address and bytes of the area that all workers share, if there is one.
    pub fn shared(&self) -> Option<(usize, usize)> {
        self.page.shared()
    }

    /// Takes over what the region sends first on the socket, which a worker
    /// process has as descriptor [`crate::WORKER_FD`].
    pub fn attach(socket: OwnedFd) -> Result<(Self, WorkerConfig), AttachError> {
        let socket = LinkSocket::from(socket);
        let (_, mut fds) = socket.receive(true)?;
        let reader_table = match fds.len() {
            OWN_FDS => None,
            WITH_TABLE => fds.pop(),
            _ => return Err(AttachError::Layout),
        };
        let config = fds.remove(0);
        let memory = fds.remove(0);
        let page = fds.remove(0);
        let config = serde_json::from_slice(&read_all(config.as_fd())?)?;
        let page = RegionPage::open(page, fds)?;
        let map = Arc::new(SharedMapping::new(memory)?);
        if map.bytes() < ARENA_OFFSET {
            return Err(AttachError::Layout);
        }
        // SAFETY: the header's plain fields are written before the memory is
        // handed out and never again.
        let header = unsafe { map.get::<Header>(0) };
        let arena_bytes = header.arena_bytes as usize;
        let fits = header.magic == MAGIC
            && header.version == VERSION
            && memory_bytes(arena_bytes) == map.bytes();
        if !fits {
            return Err(AttachError::Layout);
        }
        let worker = header.worker as usize;
        let side = WorkerSide {
            page,
            socket,
            worker,
            arena_bytes,
            heap: ArenaHeap::new(arena_bytes),
            entries: Vec::new(),
            running: None,
            ahead: Vec::with_capacity(SLOTS),
            reader_table,
            unheard: 0,
            unheard_tasks: 0,
            call_used: [0; 2],
            map,
        };
        Ok((side, config))
    }

    /// The reader table that the region's store lent this worker; once.
    pub fn take_reader_table(&mut self) -> Option<OwnedFd> {
        self.reader_table.take()
    }

    /// This worker's number in its region.
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// The worker's way to its trace ring. There is one writer.
    pub fn trace(&self) -> TraceWriter {
        TraceWriter::new(self.map.clone())
    }

    /// The worker's way to its count of programs. There is one writer.
    pub fn uses(&self) -> ProgramUses {
        ProgramUses::new(self.map.clone())
    }

    /// Waits for the next queued slot, at most for `idle`.
    ///
    /// Panics when the task before it was not finished.
    pub fn next_task(&mut self, idle: Option<Duration>) -> WorkerEvent {
        assert!(self.running.is_none(), "a task is still running");
        let mut waited = false;
        loop {
            if let Some(mut task) = self.take_queued() {
                task.waited = waited;
                let brief = task.request.flags & REQUEST_BRIEF != 0;
                if !brief || self.unheard_tasks >= BATCH {
                    self.nudge();
                }
                return WorkerEvent::Task(task);
            }
            self.nudge();
            let header = self.header();
            if header.retire.0.load(Ordering::SeqCst) != 0 {
                return WorkerEvent::Retire;
            }
            header.sleeping.0.store(1, Ordering::SeqCst);
            let quiet = !self.any_queued() && header.retire.0.load(Ordering::SeqCst) == 0;
            if quiet {
                futex::wait(&header.sleeping.0, 1, idle);
                waited = true;
            }
            let woken = header.sleeping.0.swap(0, Ordering::SeqCst) == 0;
            if quiet && !woken && idle.is_some() && !self.any_queued() {
                return WorkerEvent::Idle;
            }
        }
    }

    /// Containers of the running task's request.
    pub fn containers(&self) -> &[ContainerEntry] {
        &self.entries
    }

    /// Start of a slot's arena. Offsets in entries count from here.
    pub fn arena(&self, slot: usize) -> *mut u8 {
        self.map.at(ARENA_OFFSET + slot * self.arena_bytes)
    }

    /// The running task's arena as offsets. The request's own bytes are taken;
    /// blocks may be freed once their containers are deleted or replaced.
    pub fn heap(&mut self) -> &mut ArenaHeap {
        &mut self.heap
    }

    /// Gives the results of the running task back. Its port's owner, or that of
    /// port 0 when the task has changes to commit, is woken
    /// by the next [`WorkerSide::next_task`], when there is nothing brief to
    /// do first: one wake-up serves a batch.
    ///
    /// `containers` are those of the returned channel. `results.directory`,
    /// `containers`, `high_water` and `message_bytes` are filled in here. On an
    /// error nothing was returned: there is no room for the directory,
    /// so finish again with fewer containers.
    pub fn finish(
        &mut self,
        mut results: SlotResults,
        message: &str,
        containers: &[ContainerEntry],
    ) -> Result<(), ArenaFull> {
        let run = self.running.expect("a task is running");
        if containers.is_empty() {
            results.directory = 0;
        } else {
            let at = self.heap.alloc(containers.len() * ENTRY_BYTES);
            let at = at.ok_or(ArenaFull)?;
            // SAFETY: the running slot's arena is this side's.
            unsafe { directory::write(self.arena(run.slot), self.arena_bytes, at, containers) };
            results.directory = at as u64;
        }
        results.containers = containers.len() as u64;
        results.high_water = self.heap.high_water() as u64;
        let page = SLOT_OFFSET + run.slot * PAGE;
        let mut n = message.len().min(MESSAGE_BYTES);
        while !message.is_char_boundary(n) {
            n -= 1;
        }
        results.message_bytes = n as u32;
        // SAFETY: the slot's page is this side's while the slot is running.
        unsafe {
            let at = self.map.at(page + MESSAGE_IN_SLOT);
            std::ptr::copy_nonoverlapping(message.as_ptr(), at, n);
            self.map
                .at(page + RESULTS_IN_SLOT)
                .cast::<SlotResults>()
                .write(results);
        }
        self.running = None;
        self.clear_call_data();
        let done = slot_word(run.sequence, slot_state::DONE);
        let port = match self.header().commits.0.swap(0, Ordering::Relaxed) {
            0 => run.port,
            _ => 0,
        };
        self.header().slots.0[run.slot].swap(done, Ordering::SeqCst);
        self.page.mark(port, self.worker);
        self.unheard |= 1 << port.min(PORTS - 1);
        self.unheard_tasks += 1;
        if results.flags & RESULT_RETIRE != 0 {
            self.nudge();
        }
        Ok(())
    }

    /// Asks the region something for the running task and waits. The parts of
    /// `data` are joined; together they have at most [`CALL_BYTES`] bytes, else
    /// this panics.
    pub fn call(&mut self, op: CallOperation, args: [u64; 8], data: &[&[u8]]) -> CallEvent {
        let slot = self.running.expect("a task is running").slot;
        let bytes = self.put_call_data(data);
        let header = CallHeader {
            op: op as u16,
            slot: slot as u16,
            bytes,
            args,
        };
        // SAFETY: the call page is this side's while no call is out.
        unsafe {
            self.map
                .at(CALL_OFFSET + CALL_HEADER_IN_PAGE)
                .cast::<CallHeader>()
                .write(header);
        }
        self.post_call(call_state::CALL)
    }

    /// Returns the results of a nested run and continues to wait.
    pub fn nested_done(&mut self, mut results: AnswerHeader, data: &[&[u8]]) -> CallEvent {
        results.bytes = self.put_call_data(data);
        // SAFETY: the answer header is this side's during a nested run.
        unsafe {
            self.map
                .at(CALL_OFFSET + ANSWER_HEADER_IN_PAGE)
                .cast::<AnswerHeader>()
                .write(results);
        }
        self.post_call(call_state::NESTED_DONE)
    }

    /// The data that came with the last [`CallEvent`], valid until the next
    /// call of this side.
    pub fn call_data(&self, answer: &AnswerHeader) -> &[u8] {
        let bytes = (answer.bytes as usize).min(CALL_BYTES);
        // SAFETY: the region does not write while no call is out.
        unsafe { std::slice::from_raw_parts(self.map.at(CALL_IN_OFFSET), bytes) }
    }

    /// Notes that the running task gave up control, as each command does.
    #[inline]
    pub fn progress(&self) {
        let progress = &self.header().progress.0;
        progress.store(
            progress.load(Ordering::Relaxed).wrapping_add(1),
            Ordering::Relaxed,
        );
    }

    /// Takes the region's QR token, and marks in the worker's memory that it waits.
    pub fn wait_for_qr(&self) {
        let waits = &self.header().qr_waits.0;
        waits.store(1, Ordering::Relaxed);
        // An error means that the token was damaged: the worker continues
        // without it, and so do all others.
        let _ = self.qr().take();
        waits.store(0, Ordering::Relaxed);
    }

    /// The region's QR token.
    pub fn qr(&self) -> QrToken<'_> {
        self.page.qr_of(self.worker)
    }

    /// Rings a port without an event of a task; its owner checks this worker.
    pub fn ring(&self, port: usize) {
        self.page.ring(port, self.worker);
    }

    /// Passes a descriptor to the region.
    pub fn send_fd(&self, tag: u64, fd: BorrowedFd<'_>) -> io::Result<()> {
        self.socket.send(tag, &[fd])
    }

    /// Waits for a message with descriptors from the region.
    pub fn receive_fds(&self) -> io::Result<(u64, Vec<OwnedFd>)> {
        self.socket.receive(true)
    }

    fn header(&self) -> &Header {
        // SAFETY: atomics, and plain fields that are never written again.
        unsafe { self.map.get(0) }
    }

    /// Wakes the owners of ports that have news.
    fn nudge(&mut self) {
        let mut ports = std::mem::take(&mut self.unheard);
        self.unheard_tasks = 0;
        while ports != 0 {
            self.page.nudge(ports.trailing_zeros() as usize);
            ports &= ports - 1;
        }
    }

    fn any_queued(&self) -> bool {
        let slots = &self.header().slots.0;
        slots
            .iter()
            .any(|w| w.load(Ordering::SeqCst) as u32 == slot_state::QUEUED)
    }

    fn take_queued(&mut self) -> Option<TaskIn> {
        loop {
            if self.ahead.is_empty() {
                self.scan_slots();
            }
            let (slot, word) = self.ahead.pop()?;
            let sequence = (word >> 32) as u32;
            let taken = self.header().slots.0[slot].compare_exchange(
                word,
                slot_word(sequence, slot_state::RUNNING),
                Ordering::AcqRel,
                Ordering::Relaxed,
            );
            if taken.is_ok() {
                return Some(self.start(slot, sequence));
            }
        }
    }

    /// Looks at all slots, and puts those that are queued in their order. One
    /// look serves all that it finds: the slots are many, and a brief program
    /// takes little longer than a look.
    fn scan_slots(&mut self) {
        let mut ahead = std::mem::take(&mut self.ahead);
        for (slot, word) in self.header().slots.0.iter().enumerate() {
            let word = word.load(Ordering::Acquire);
            if word as u32 == slot_state::QUEUED {
                ahead.push((slot, word));
            }
        }
        // The numbers pass their end, so only their distances compare.
        let sequence = |word: u64| (word >> 32) as u32;
        let any = ahead.first().map_or(0, |(_, word)| sequence(*word));
        let distance = |word: u64| sequence(word).wrapping_sub(any).cast_signed();
        ahead.sort_unstable_by_key(|(_, word)| std::cmp::Reverse(distance(*word)));
        self.ahead = ahead;
    }

    fn start(&mut self, slot: usize, sequence: u32) -> TaskIn {
        // SAFETY: the region wrote the request before it queued the slot.
        let request = unsafe {
            self.map
                .at(SLOT_OFFSET + slot * PAGE)
                .cast::<Request>()
                .read()
        };
        self.heap.reset(request.used as usize);
        let mut entries = std::mem::take(&mut self.entries);
        // SAFETY: the slot's arena is this side's now. The region writes no
        // lies; if it did, the task would see no containers.
        let read = unsafe {
            directory::read(
                self.arena(slot),
                self.arena_bytes,
                request.directory,
                request.containers,
                &mut entries,
            )
        };
        if read.is_err() {
            entries.clear();
        }
        self.entries = entries;
        self.running = Some(Running {
            slot,
            sequence,
            port: usize::from(request.port),
        });
        TaskIn {
            slot,
            request,
            waited: false,
        }
    }

    /// Clears the data of the task's calls and their answers, which the next task
    /// could read otherwise.
    fn clear_call_data(&mut self) {
        for (area, used) in [CALL_OUT_OFFSET, CALL_IN_OFFSET]
            .iter()
            .zip(&mut self.call_used)
        {
            let bytes = std::mem::take(used).min(CALL_BYTES);
            // SAFETY: both areas have that many bytes, and are this side's while
            // no call is out.
            unsafe { self.map.at(*area).write_bytes(0, bytes) };
        }
    }

    fn put_call_data(&mut self, data: &[&[u8]]) -> u32 {
        let mut bytes = 0;
        for part in data {
            assert!(
                bytes + part.len() <= CALL_BYTES,
                "a call's data is too long"
            );
            if part.is_empty() {
                continue;
            }
            // SAFETY: inside the call's data by the check; this side's while
            // no call is out.
            unsafe {
                let to = self.map.at(CALL_OUT_OFFSET + bytes);
                std::ptr::copy_nonoverlapping(part.as_ptr(), to, part.len());
            }
            bytes += part.len();
        }
        self.call_used[0] = self.call_used[0].max(bytes);
        bytes as u32
    }

    fn call_word(&self) -> CallWord<'_> {
        // SAFETY: atomics only.
        let area = unsafe { self.map.get::<CallArea>(CALL_OFFSET) };
        CallWord(&area.state.0)
    }

    fn post_call(&mut self, state: u32) -> CallEvent {
        // A wait may be long, so pending notifications are sent first.
        self.nudge();
        self.call_word().post_call(state);
        self.page.ring(0, self.worker);
        let call = self.call_word().wait(state);
        // SAFETY: the region wrote the header before it changed the state.
        let header = unsafe {
            self.map
                .at(CALL_OFFSET + ANSWER_HEADER_IN_PAGE)
                .cast::<AnswerHeader>()
                .read()
        };
        self.call_used[1] = self.call_used[1].max(header.bytes as usize);
        if call == call_state::NESTED {
            return match header.resp2 {
                NESTED_ACT => CallEvent::Act(header),
                _ => CallEvent::Run(header),
            };
        }
        self.call_word().answer_read();
        CallEvent::Answer(header)
    }
}

impl Drop for WorkerSide {
    fn drop(&mut self) {
        self.nudge();
    }
}

/// Descriptors that the region sends first: configuration, memory, page, and
/// an eventfd for each port.
const OWN_FDS: usize = PORTS + 3;
/// As above, plus a reader table.
const WITH_TABLE: usize = OWN_FDS + 1;

/// Most tasks whose ends are sent in one notification.
const BATCH: u32 = 8;

const _: () = assert!(PORTS <= 32, "ports with news are bits of a u32");

fn read_all(fd: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
    let bytes = crate::map::file_bytes(fd)?;
    let mut text = vec![0u8; bytes];
    let mut done = 0;
    while done < bytes {
        // SAFETY: the rest of the vector is writable and of that length.
        let got = unsafe {
            libc::pread(
                fd.as_raw_fd(),
                text[done..].as_mut_ptr().cast(),
                bytes - done,
                done as libc::off_t,
            )
        };
        match got {
            n if n > 0 => done += n as usize,
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            _ => return Err(io::Error::last_os_error()),
        }
    }
    Ok(text)
}
