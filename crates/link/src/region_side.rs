//! The region's end of the link to one worker.
//!
//! The region fills slots, takes them back, reads results and answers calls. Every
//! integer that comes from the shared memory is copied once and checked. A value that
//! fails the check is a [`ProtocolViolation`], and the worker's end.
//!
//! The region decides which task uses which slot: one task uses it from its
//! reservation to its release.
//! Invariant: nothing read here can make the region panic or read outside of
//! the worker's memory.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::ProgramName;
use crate::call::{CallAnswer, CallAreaState, CallOperation, NESTED_ACT, WorkerCall};
use crate::call_word::{CallWord, TakeResult};
use crate::config::WorkerConfig;
use crate::counts::{self, CommandSum};
use crate::directory::{self, ContainerEntry, ProtocolViolation, check_extent};
use crate::futex;
use crate::layout::*;
use crate::map::{PAGE, SharedMapping, constant_memfd, sealed_memfd};
use crate::page::{MAX_WORKERS, RegionPage};
use crate::socket::LinkSocket;
use crate::trace::{self, TraceClock, TraceEntry};
use crate::uses;

/// The region's end for one worker.
pub struct RegionSide {
    map: SharedMapping,
    socket: LinkSocket,
    worker: usize,
    arena_bytes: usize,
    /// Bytes of the last call's and the last answer's data.
    call_bytes: AtomicUsize,
    answer_bytes: AtomicUsize,
    /// Bytes of the request in each slot's arena.
    request_bytes: [AtomicUsize; SLOTS],
}

/// A slot's state as the region sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotState {
    /// Not yet taken by the worker.
    Queued,
    /// The worker runs it.
    Running,
    /// The results are there.
    Done,
    /// Bytes that no correct worker writes.
    Violation(ProtocolViolation),
}

/// A configuration text that every worker of a generation is handed.
pub struct ConfigText(OwnedFd);

impl ConfigText {
    /// Writes the configuration to a memfd that no worker can change.
    pub fn new(config: &WorkerConfig) -> io::Result<Self> {
        let text = serde_json::to_vec(config)?;
        Ok(ConfigText(constant_memfd(c"tupelo-config", &text)?))
    }
}

impl RegionSide {
    /// Makes the memory of worker number `worker` and sends everything it
    /// needs down a new socket, whose other end is returned for the process.
    pub fn create(
        worker: usize,
        arena_bytes: usize,
        page: &RegionPage,
        config: &ConfigText,
    ) -> io::Result<(Self, OwnedFd)> {
        RegionSide::create_with(worker, arena_bytes, page, config, None)
    }

    /// As [`RegionSide::create`], with the reader table that the store lends
    /// the worker.
    pub fn create_with(
        worker: usize,
        arena_bytes: usize,
        page: &RegionPage,
        config: &ConfigText,
        reader_table: Option<BorrowedFd<'_>>,
    ) -> io::Result<(Self, OwnedFd)> {
        if worker >= MAX_WORKERS || arena_bytes == 0 || !arena_bytes.is_multiple_of(PAGE) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let memory = sealed_memfd(c"tupelo-worker", memory_bytes(arena_bytes))?;
        let map = SharedMapping::new(memory)?;
        // SAFETY: no other process has the memory yet. The other bytes are zeros,
        // which is FREE, IDLE and awake.
        unsafe {
            let header = map.at(0).cast::<Header>();
            (&raw mut (*header).magic).write(MAGIC);
            (&raw mut (*header).version).write(VERSION);
            (&raw mut (*header).worker).write(worker as u32);
            (&raw mut (*header).arena_bytes).write(arena_bytes as u64);
        }
        trace::prepare(&map, TraceClock::best());
        page.admit(worker);
        let (ours, theirs) = LinkSocket::pair()?;
        let mut fds = vec![config.0.as_fd(), map.fd()];
        fds.extend(page.descriptors());
        fds.extend(reader_table);
        ours.send(0, &fds)?;
        let side = RegionSide {
            map,
            socket: ours,
            worker,
            arena_bytes,
            call_bytes: AtomicUsize::new(0),
            answer_bytes: AtomicUsize::new(0),
            request_bytes: [const { AtomicUsize::new(NOT_SUBMITTED) }; SLOTS],
        };
        Ok((side, theirs.into()))
    }

    /// The worker's number.
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// Bytes of an arena.
    pub fn arena_bytes(&self) -> usize {
        self.arena_bytes
    }

    /// Start of a slot's arena.
    pub fn arena(&self, slot: usize) -> *mut u8 {
        assert!(slot < SLOTS);
        self.map.at(ARENA_OFFSET + slot * self.arena_bytes)
    }

    /// Queues a filled slot under a sequence number. [`RegionSide::wake`]
    /// follows, after the last of a batch.
    pub fn submit(&self, slot: usize, sequence: u32, request: &Request) {
        assert!(slot < SLOTS);
        // SAFETY: a free slot's page is the region's.
        unsafe {
            self.map
                .at(SLOT_OFFSET + slot * PAGE)
                .cast::<Request>()
                .write(*request);
        }
        self.request_bytes[slot].store(request.used as usize, Ordering::Relaxed);
        let word = slot_word(sequence, slot_state::QUEUED);
        self.header().slots.0[slot].swap(word, Ordering::SeqCst);
    }

    /// Wakes the worker if it sleeps.
    pub fn wake(&self) {
        let sleeping = &self.header().sleeping.0;
        if sleeping.load(Ordering::SeqCst) != 0 && sleeping.swap(0, Ordering::SeqCst) != 0 {
            futex::wake(sleeping);
        }
    }

    /// Takes a queued slot back; false when the worker has it already.
    pub fn take_back(&self, slot: usize, sequence: u32) -> bool {
        self.header().slots.0[slot]
            .compare_exchange(
                slot_word(sequence, slot_state::QUEUED),
                slot_word(sequence, slot_state::FREE),
                Ordering::SeqCst,
                Ordering::SeqCst,
            )
            .is_ok()
    }

    /// State of a slot that was queued under `sequence`.
    pub fn state(&self, slot: usize, sequence: u32) -> SlotState {
        let word = self.header().slots.0[slot].load(Ordering::SeqCst);
        match (word as u32, (word >> 32) as u32 == sequence) {
            (slot_state::QUEUED, true) => SlotState::Queued,
            (slot_state::RUNNING, true) => SlotState::Running,
            (slot_state::DONE, true) => SlotState::Done,
            _ => SlotState::Violation(ProtocolViolation::State(word)),
        }
    }

    /// Copies the results of a slot that is done, and its containers'
    /// directory, to where they are wanted. Every extent in them has been checked
    /// when there is no error.
    pub fn results(
        &self,
        slot: usize,
        results: &mut SlotResults,
        containers: &mut Vec<ContainerEntry>,
    ) -> Result<(), ProtocolViolation> {
        // SAFETY: inside the slot's page; any bytes are valid results.
        *results = unsafe {
            self.map
                .at(SLOT_OFFSET + slot * PAGE + RESULTS_IN_SLOT)
                .cast::<SlotResults>()
                .read_volatile()
        };
        check_extent(results.commarea, results.commarea_bytes, self.arena_bytes)?;
        check_extent(results.web, results.web_bytes, self.arena_bytes)?;
        // SAFETY: the arena is mapped; `read` stays inside.
        unsafe {
            directory::read(
                self.arena(slot),
                self.arena_bytes,
                results.directory,
                results.containers,
                containers,
            )
        }
    }

    /// The message that came with results.
    pub fn message(&self, slot: usize, results: &SlotResults) -> String {
        let n = (results.message_bytes as usize).min(MESSAGE_BYTES);
        let at = self.map.at(SLOT_OFFSET + slot * PAGE + MESSAGE_IN_SLOT);
        let mut bytes = vec![0u8; n];
        // SAFETY: inside the slot's page.
        unsafe { std::ptr::copy_nonoverlapping(at, bytes.as_mut_ptr(), n) };
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Frees a slot whose task used its arena up to `high_water`, or which was
    /// taken back. Nothing of the task can be read in the arena afterwards: what
    /// it used is cleared, and returned to the system beyond the first [`WARM_BYTES`].
    pub fn free(&self, slot: usize, high_water: u64) {
        let request = self.request_bytes[slot].swap(NOT_SUBMITTED, Ordering::Relaxed);
        let start = ARENA_OFFSET + slot * self.arena_bytes;
        if request == NOT_SUBMITTED {
            // The slot was given up while it was written: how far is unknown.
            if self.map.punch(start, self.arena_bytes).is_err() {
                self.clear(start, self.arena_bytes.min(WARM_BYTES));
            }
        } else {
            let used = request.max(high_water as usize).min(self.arena_bytes);
            let end = used.next_multiple_of(PAGE).min(self.arena_bytes);
            let beyond = start + WARM_BYTES;
            // Memory that cannot be returned is cleared too.
            let returned = end > WARM_BYTES && self.map.punch(beyond, end - WARM_BYTES).is_ok();
            let left = if returned { WARM_BYTES } else { used };
            self.clear(start, left);
        }
        self.header().slots.0[slot].store(0, Ordering::SeqCst);
    }

    /// Clears bytes of a slot's arena that has no task.
    fn clear(&self, start: usize, bytes: usize) {
        assert!(start + bytes <= self.map.bytes());
        // SAFETY: inside the mapping by the check, and the arena of a slot
        // without a task is the region's.
        unsafe { self.map.at(start).write_bytes(0, bytes) };
    }

    /// Takes the worker's call. Each call is returned once, to one thread,
    /// however many threads poll before it is answered.
    pub fn take_call(&self) -> CallAreaState {
        // Taken before it is read: so the call is this one, not an
        // older one that another thread has answered meanwhile.
        match self.call_word().take() {
            TakeResult::Nothing => CallAreaState::Nothing,
            TakeResult::Call => self
                .read_call()
                .map_or_else(CallAreaState::Violation, CallAreaState::Call),
            TakeResult::NestedDone => self.read_nested(),
            TakeResult::Violation(word) => {
                CallAreaState::Violation(ProtocolViolation::State(u64::from(word)))
            }
        }
    }

    /// Answers the call that waits. Panics when the data is too long.
    pub fn answer(&self, answer: &CallAnswer) {
        if self.put_answer(answer) {
            self.wake_asker();
        }
    }

    /// As [`RegionSide::answer`], but where this gives true
    /// [`RegionSide::wake_asker`] must follow: so the answers of several
    /// workers come first and their wake-ups then.
    #[must_use]
    pub fn put_answer(&self, answer: &CallAnswer) -> bool {
        self.reply(answer, call_state::ANSWERED)
    }

    /// Records with an answer whether the running task has changes to commit:
    /// if so, its end is sent to port 0 instead of its request's port.
    pub fn set_commits(&self, commits: bool) {
        let word = &self.header().commits.0;
        word.store(u32::from(commits), Ordering::Relaxed);
    }

    /// Wakes the worker that sleeps for an answer.
    pub fn wake_asker(&self) {
        self.call_word().wake();
    }

    /// Asks the waiting worker to run a program first: the data begins with
    /// its name (8 bytes), then its COMMAREA, or its channel when `args[0]` is
    /// [`crate::call::LINK_CHANNEL`].
    pub fn run_nested(&self, run: &CallAnswer) {
        if self.reply(run, call_state::NESTED) {
            self.wake_asker();
        }
    }

    /// Asks the waiting worker to do something with a descriptor first: `args[0]`
    /// is the number of the work. False when it does not wait for an answer.
    ///
    /// No other thread may answer the worker meanwhile.
    #[must_use]
    pub fn act_nested(&self, act: &CallAnswer) -> bool {
        let word = self.call_word();
        if act.data.len() > CALL_BYTES || !word.is_taken() {
            return false;
        }
        let act = CallAnswer {
            resp2: NESTED_ACT,
            ..act.clone()
        };
        self.put_reply(&act);
        match word.nest() {
            Some(asleep) => {
                if asleep {
                    self.wake_asker();
                }
                true
            }
            None => false,
        }
    }

    /// Asks the worker to end when no slot is queued.
    pub fn retire(&self) {
        self.header().retire.0.store(1, Ordering::SeqCst);
        self.wake();
    }

    /// The worker's count of commands; it does not change in a runaway task.
    pub fn progress(&self) -> u64 {
        self.header().progress.0.load(Ordering::Relaxed)
    }

    /// True while the running task waits for the QR token.
    pub fn waits_for_qr(&self) -> bool {
        self.header().qr_waits.0.load(Ordering::Relaxed) != 0
    }

    /// Reads the worker's trace from entry number `from` on and returns the
    /// number to continue from. Entries that make no sense are left out.
    pub fn read_trace(&self, from: u64, take: impl FnMut(TraceEntry)) -> u64 {
        trace::read_map(&self.map, from, take)
    }

    /// Calls `take` with the sums of the worker's commands, whatever they say.
    pub fn read_counts(&self, take: impl FnMut(CommandSum)) {
        counts::read_map(&self.map, take);
    }

    /// Calls `take` with the programs that the worker has run, and how often,
    /// whatever it says.
    pub fn read_uses(&self, take: impl FnMut(ProgramName, u64)) {
        uses::read_map(&self.map, take);
    }

    /// True while the worker sleeps for work.
    pub fn is_sleeping(&self) -> bool {
        // Ordered after the submission before it, as the worker's check of its
        // slots is after its announcement.
        self.header().sleeping.0.load(Ordering::SeqCst) != 0
    }

    /// Passes a descriptor to the worker.
    pub fn send_fd(&self, tag: u64, fd: BorrowedFd<'_>) -> io::Result<()> {
        self.socket.send(tag, &[fd])
    }

    /// Takes a message with descriptors from the worker, without waiting.
    pub fn receive_fds(&self) -> io::Result<(u64, Vec<OwnedFd>)> {
        self.socket.receive(false)
    }

    fn header(&self) -> &Header {
        // SAFETY: atomics; the plain fields are not read on this side.
        unsafe { self.map.get(0) }
    }

    fn call_word(&self) -> CallWord<'_> {
        // SAFETY: atomics only.
        let area: &CallArea = unsafe { self.map.get(CALL_OFFSET) };
        CallWord(&area.state.0)
    }

    fn read_call(&self) -> Result<WorkerCall, ProtocolViolation> {
        // SAFETY: inside the call page; any bytes are a valid header.
        let header = unsafe {
            self.map
                .at(CALL_OFFSET + CALL_HEADER_IN_PAGE)
                .cast::<CallHeader>()
                .read_volatile()
        };
        let violation = ProtocolViolation::Call {
            op: header.op,
            slot: header.slot,
            bytes: header.bytes,
        };
        let op = CallOperation::from_number(header.op).ok_or(violation)?;
        let slot = usize::from(header.slot);
        if slot >= SLOTS {
            return Err(violation);
        }
        Ok(WorkerCall {
            op,
            slot,
            args: header.args,
            data: self.read_call_data(header.bytes).ok_or(violation)?,
        })
    }

    fn read_nested(&self) -> CallAreaState {
        let header = self.read_answer();
        match self.read_call_data(header.bytes) {
            Some(data) => CallAreaState::NestedDone(CallAnswer {
                condition: header.condition(),
                resp2: header.resp2,
                abend: header.abend,
                args: header.args,
                data,
            }),
            None => CallAreaState::Violation(ProtocolViolation::Call {
                op: 0,
                slot: 0,
                bytes: header.bytes,
            }),
        }
    }

    fn read_answer(&self) -> AnswerHeader {
        // SAFETY: inside the call page; any bytes are a valid header.
        unsafe {
            self.map
                .at(CALL_OFFSET + ANSWER_HEADER_IN_PAGE)
                .cast::<AnswerHeader>()
                .read_volatile()
        }
    }

    fn read_call_data(&self, bytes: u32) -> Option<Vec<u8>> {
        let n = bytes as usize;
        if n > CALL_BYTES {
            return None;
        }
        let mut data = vec![0u8; n];
        // SAFETY: inside the call's data.
        unsafe {
            std::ptr::copy_nonoverlapping(self.map.at(CALL_OUT_OFFSET), data.as_mut_ptr(), n);
        }
        self.cool(CALL_OUT_OFFSET, &self.call_bytes, n);
        Some(data)
    }

    /// Gives the memory of data beyond [`WARM_BYTES`] back once data of
    /// another size are there.
    fn cool(&self, area: usize, before: &AtomicUsize, now: usize) {
        let before = before.swap(now, Ordering::Relaxed);
        if before > WARM_BYTES && now <= WARM_BYTES {
            let end = before.next_multiple_of(PAGE).min(CALL_BYTES);
            // Best effort: the pages merely stay resident when it fails.
            let _ = self.map.punch(area + WARM_BYTES, end - WARM_BYTES);
        }
    }

    /// True when the worker sleeps and must be woken.
    #[must_use]
    fn reply(&self, answer: &CallAnswer, state: u32) -> bool {
        assert!(
            answer.data.len() <= CALL_BYTES,
            "an answer's data is too long"
        );
        self.put_reply(answer);
        self.call_word().answer(state)
    }

    fn put_reply(&self, answer: &CallAnswer) {
        self.cool(CALL_IN_OFFSET, &self.answer_bytes, answer.data.len());
        let header = answer.header();
        // SAFETY: inside the call area, which is the region's while the
        // worker waits.
        unsafe {
            let to = self.map.at(CALL_IN_OFFSET);
            std::ptr::copy_nonoverlapping(answer.data.as_ptr(), to, answer.data.len());
            self.map
                .at(CALL_OFFSET + ANSWER_HEADER_IN_PAGE)
                .cast::<AnswerHeader>()
                .write(header);
        }
    }
}

/// No request of that length: none was submitted since the slot was free.
const NOT_SUBMITTED: usize = usize::MAX;

impl AsFd for RegionSide {
    /// The region's end of the socket, for polling.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
