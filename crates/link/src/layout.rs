//! The layout of a worker's shared memory.
//!
//! The byte-box page `docs/internals/link.md` draws what these constants and
//! structures say; both change together, with [`VERSION`].
//!
//! Invariant: the structures hold integers and byte arrays only, so any bytes
//! are a valid value and a copy of them can be checked afterwards.

use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::map::PAGE;
use crate::{ChannelName, Name, ProgramName, TransId, UserId};

/// First eight bytes of a worker's memory.
pub const MAGIC: u64 = u64::from_le_bytes(*b"TUPELOLK");
/// Version of the layout; both sides come from one binary, so it must match.
pub const VERSION: u32 = 12;
/// Request slots of a worker.
pub const SLOTS: usize = 64;
/// Default bytes of a slot's arena.
pub const ARENA_BYTES: usize = 512 << 20;
/// Bytes of an arena, or of a call's data, that stay resident after the rest is
/// released.
pub const WARM_BYTES: usize = 1 << 20;
/// Bytes of the data that a mid-task call carries each way: a channel too must
/// fit. Pages that were not touched take no memory.
pub const CALL_BYTES: usize = 32 << 20;
/// Most containers that one request or reply may have.
pub const MAX_CONTAINERS: usize = 65_536;
/// Bytes of an abend's message.
pub const MESSAGE_BYTES: usize = 256;

/// Offset of the slot pages.
pub const SLOT_OFFSET: usize = PAGE;
/// Offset of the results within a slot's page.
pub const RESULTS_IN_SLOT: usize = 1024;
/// Offset of the abend's message within a slot's page.
pub const MESSAGE_IN_SLOT: usize = 2048;
/// Offset of the call area.
pub const CALL_OFFSET: usize = SLOT_OFFSET + SLOTS * PAGE;
/// Offset of the call's data, worker to region.
pub const CALL_OUT_OFFSET: usize = CALL_OFFSET + PAGE;
/// Offset of the answer's data, region to worker.
pub const CALL_IN_OFFSET: usize = CALL_OUT_OFFSET + CALL_BYTES;
/// Entries of a worker's trace ring.
pub const TRACE_ENTRIES: usize = 4096;
/// Offset of the trace: a page with its header, then the ring.
pub const TRACE_OFFSET: usize = CALL_IN_OFFSET + CALL_BYTES;
/// Places of the table that counts commands.
pub const COUNT_ENTRIES: usize = 4096;
/// Offset of that table.
pub const COUNTS_OFFSET: usize = TRACE_OFFSET + PAGE + TRACE_ENTRIES * 32;
/// Places of the table that counts runs of programs.
pub const USE_ENTRIES: usize = 1024;
/// Offset of that table.
pub const USES_OFFSET: usize = COUNTS_OFFSET + COUNT_ENTRIES * 32;
/// Offset of the first arena.
pub const ARENA_OFFSET: usize = USES_OFFSET + USE_ENTRIES * 16;

/// Bytes of a worker's memory with arenas of `arena_bytes` each.
pub const fn memory_bytes(arena_bytes: usize) -> usize {
    ARENA_OFFSET + SLOTS * arena_bytes
}

/// A slot's state: the low half of its word; the high half is the sequence
/// number under which the region filled it.
pub mod slot_state {
    /// Unused; the region may fill it.
    pub const FREE: u32 = 0;
    /// Filled; the worker may take it, the region may take it back.
    pub const QUEUED: u32 = 1;
    /// The worker runs it.
    pub const RUNNING: u32 = 2;
    /// The results are there.
    pub const DONE: u32 = 3;
}

/// States of the call area's word.
pub mod call_state {
    /// No call.
    pub const IDLE: u32 = 0;
    /// The worker asked and waits.
    pub const CALL: u32 = 1;
    /// The region answered.
    pub const ANSWERED: u32 = 2;
    /// The region asks the waiting worker to run a program for it.
    pub const NESTED: u32 = 3;
    /// The worker ran it and waits again.
    pub const NESTED_DONE: u32 = 4;
    /// The region has taken the question and has not answered yet.
    pub const TAKEN: u32 = 5;
    /// A flag on the states in which the worker waits: it sleeps, or is about
    /// to.
    pub const ASLEEP: u32 = 1 << 31;
}

/// Joins a sequence number and a state into a slot's word.
pub const fn slot_word(sequence: u32, state: u32) -> u64 {
    (sequence as u64) << 32 | state as u64
}

/// Page 0 of a worker's memory. The groups start on cache lines of their own.
#[repr(C, align(64))]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// The worker's number in its region.
    pub worker: u32,
    /// Bytes of each arena.
    pub arena_bytes: u64,
    /// The words of all slots, in neighbouring lines, so that one look finds
    /// work.
    pub slots: CacheLine<[AtomicU64; SLOTS]>,
    /// 1 while the worker sleeps for work; the futex word.
    pub sleeping: CacheLine<AtomicU32>,
    /// 1 when the worker shall end as soon as no slot is queued.
    pub retire: CacheLine<AtomicU32>,
    /// Counted up by the worker at each command: it shows that the task still
    /// gives up control.
    pub progress: CacheLine<AtomicU64>,
    /// 1 while the running task waits for the QR token.
    pub qr_waits: CacheLine<AtomicU32>,
    /// 1 when the running task has changes to commit: its end is sent to port
    /// 0.
    pub commits: CacheLine<AtomicU32>,
}

/// A value on a cache line of its own.
#[repr(C, align(64))]
pub struct CacheLine<T>(pub T);

/// The region's request to a worker: the first part of a slot's page.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct Request {
    /// The task's number, unique in the region's life.
    pub task: u64,
    /// When the door queued it, in nanoseconds of the monotonic clock.
    pub queued_ns: u64,
    /// The request's trace id, as W3C trace context has it; zeros for none.
    pub trace_id: [u8; 16],
    /// Transaction.
    pub transid: TransId,
    /// How the task was started: `"U"`, `"S"`, `"D"`… padded.
    pub start_code: Name<2>,
    /// `REQUEST_*` bits.
    pub flags: u16,
    /// Program to run.
    pub program: ProgramName,
    /// The user of the request.
    pub userid: UserId,
    /// Port that receives the end.
    pub port: u16,
    /// Priority, 0 to 255.
    pub priority: u8,
    #[doc(hidden)]
    pub reserved: u8,
    /// The principal facility: the conversation with which a partner attached
    /// the task, or its terminal; blank for none.
    pub facility: Name<4>,
    /// Name of the current channel, blank for none.
    pub channel: ChannelName,
    /// Arena bytes that the request uses.
    pub used: u64,
    /// Arena offset of the directory.
    pub directory: u64,
    /// Containers in the directory.
    pub containers: u64,
    /// Arena offset of the COMMAREA.
    pub commarea: u64,
    /// Bytes of the COMMAREA, 0 for none.
    pub commarea_bytes: u64,
    /// Arena offset of the web request that the task serves.
    pub web: u64,
    /// Bytes of the web request, 0 for none.
    pub web_bytes: u64,
    /// Arena offset of the [`crate::terminal::TerminalData`].
    pub terminal: u64,
    /// Bytes of that, 0 for a task without a terminal.
    pub terminal_bytes: u64,
}

/// The request carries a channel.
pub const REQUEST_CHANNEL: u16 = 1;
/// The program is known to end within microseconds, so news of the tasks
/// before it may wait until it has ended.
pub const REQUEST_BRIEF: u16 = 2;
/// The unit of work has changes already: files are read through the region.
pub const REQUEST_CHANGED: u16 = 4;
/// [`Request::flags`]: its program is linked to by the pipeline of a web
/// service.
pub const REQUEST_PIPELINE: u16 = 8;
/// The task runs step by step: its worker reports to the region
/// ([`crate::stepping`]).
pub const REQUEST_STEPPED: u16 = 16;

/// A worker's results: the second part of a slot's page. The message is apart,
/// since only an abend has one.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct SlotResults {
    /// Blank, or the abend code that ended the task.
    pub abend: Name<4>,
    /// `RESULT_*` bits.
    pub flags: u32,
    /// Program in control at the abend.
    pub program: ProgramName,
    /// Line of that program's source, 0 when unknown.
    pub line: u32,
    /// Bytes of the abend's message, which is at [`MESSAGE_IN_SLOT`].
    pub message_bytes: u32,
    /// Transaction that RETURN TRANSID names, blank for none.
    pub next_transid: TransId,
    /// Name of the returned channel, blank for none.
    pub channel: ChannelName,
    /// Highest arena byte that was in use.
    pub high_water: u64,
    /// Arena offset of the directory.
    pub directory: u64,
    /// Containers in the directory.
    pub containers: u64,
    /// Arena offset of the COMMAREA.
    pub commarea: u64,
    /// Bytes of the COMMAREA.
    pub commarea_bytes: u64,
    /// Arena offset of the answer to the web request.
    pub web: u64,
    /// Bytes of that answer, 0 for none.
    pub web_bytes: u64,
    /// Figures of the run.
    pub counts: RunCounters,
}

/// The worker must not be used again: it ends after this task.
pub const RESULT_RETIRE: u32 = 1;
/// The CPU time was given by the time that the task took, not read from a
/// clock.
pub const RESULT_CPU_ESTIMATED: u32 = 2;
/// The last command was RETURN TRANSID at a terminal, and the region has not been asked
/// to carry it out: [`SlotResults::next_transid`] is for the next input.
pub const RESULT_RETURN: u32 = 4;
/// That command has a COMMAREA, which is the one of the results.
pub const RESULT_RETURN_COMMAREA: u32 = 8;

/// The cost of a run, as the worker measured it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct RunCounters {
    /// Start of the run, nanoseconds of the monotonic clock.
    pub started_ns: u64,
    /// End of the run, nanoseconds of the monotonic clock.
    pub ended_ns: u64,
    /// CPU time of the worker's thread, nanoseconds.
    pub cpu_ns: u64,
    /// Time spent waiting for the QR token, nanoseconds.
    pub qr_wait_ns: u64,
    /// Time spent waiting for the region's answers, nanoseconds.
    pub call_wait_ns: u64,
    /// Bytes of container data put.
    pub put_bytes: u64,
    /// Bytes of container data got.
    pub get_bytes: u64,
    /// EXEC CICS commands.
    pub commands: u32,
    /// Of these, file commands.
    pub file_commands: u32,
    /// Of these, container commands.
    pub container_commands: u32,
    /// Of these, LINK and XCTL.
    pub program_commands: u32,
    /// Changes between the QR and the open mode.
    pub mode_switches: u32,
    /// Calls that crossed to the region.
    pub region_calls: u32,
}

/// First page of the trace.
#[repr(C, align(64))]
pub struct TraceHeader {
    /// Entries written since the worker's start.
    pub written: AtomicU64,
    /// Number of the clock, see [`crate::trace::TraceClock`].
    pub clock: AtomicU32,
}

/// First page of the call area.
#[repr(C, align(64))]
pub struct CallArea {
    /// [`call_state`]; the futex word.
    pub state: CacheLine<AtomicU32>,
}

/// Offset of the call's header within the call page.
pub const CALL_HEADER_IN_PAGE: usize = 64;
/// Offset of the answer's header within the call page.
pub const ANSWER_HEADER_IN_PAGE: usize = 512;

/// Header of a mid-task call.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct CallHeader {
    /// Number of the operation, see [`crate::Op`].
    pub op: u16,
    /// Slot of the task that calls.
    pub slot: u16,
    /// Bytes of data.
    pub bytes: u32,
    /// Arguments; their meaning is the operation's.
    pub args: [u64; 8],
}

/// Header of an answer, of a nested run and of its results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct AnswerHeader {
    /// EIBRESP value.
    pub resp: u32,
    /// EIBRESP2 value.
    pub resp2: u32,
    /// Blank, or the abend code with which the task shall end.
    pub abend: Name<4>,
    /// Bytes of data.
    pub bytes: u32,
    /// Results; their meaning is the operation's.
    pub args: [u64; 8],
}

const _: () = {
    assert!(std::mem::size_of::<Header>() <= PAGE);
    assert!(std::mem::size_of::<Request>() <= RESULTS_IN_SLOT);
    assert!(RESULTS_IN_SLOT + std::mem::size_of::<SlotResults>() <= MESSAGE_IN_SLOT);
    assert!(MESSAGE_IN_SLOT + MESSAGE_BYTES <= PAGE);
    assert!(CALL_HEADER_IN_PAGE + std::mem::size_of::<CallHeader>() <= ANSWER_HEADER_IN_PAGE);
    assert!(ANSWER_HEADER_IN_PAGE + std::mem::size_of::<AnswerHeader>() <= PAGE);
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// The figures of the byte-box page.
    #[test]
    fn the_layout_is_as_drawn() {
        assert_eq!(
            [CALL_OFFSET, CALL_OUT_OFFSET, CALL_IN_OFFSET],
            [266_240, 270_336, 33_824_768]
        );
        assert_eq!(
            [TRACE_OFFSET, offset_of!(TraceHeader, clock), ARENA_OFFSET],
            [67_379_200, 8, 67_661_824]
        );
        assert_eq!(
            [
                offset_of!(Header, worker),
                offset_of!(Header, arena_bytes),
                offset_of!(Header, slots),
                offset_of!(Header, sleeping),
                offset_of!(Header, retire),
                offset_of!(Header, progress),
            ],
            [12, 16, 64, 576, 640, 704]
        );
        assert_eq!(
            [
                offset_of!(Request, trace_id),
                offset_of!(Request, transid),
                offset_of!(Request, program),
                offset_of!(Request, port),
                offset_of!(Request, facility),
                offset_of!(Request, channel),
                offset_of!(Request, used),
                offset_of!(Request, commarea_bytes),
                offset_of!(Request, web),
                offset_of!(Request, terminal),
            ],
            [16, 32, 40, 56, 60, 64, 80, 112, 120, 136]
        );
        assert_eq!(
            [
                offset_of!(SlotResults, program),
                offset_of!(SlotResults, next_transid),
                offset_of!(SlotResults, channel),
                offset_of!(SlotResults, high_water),
                offset_of!(SlotResults, web),
                offset_of!(SlotResults, counts),
                std::mem::size_of::<SlotResults>(),
            ],
            [8, 24, 28, 48, 88, 104, 184]
        );
        assert_eq!(offset_of!(CallHeader, args), 8);
        assert_eq!(offset_of!(AnswerHeader, args), 16);
    }
}
