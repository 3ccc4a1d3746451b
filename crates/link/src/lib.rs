//! Shared memory and wake-ups between a region and its COBOL workers.
//!
//! A region has one [`RegionPage`]; each worker has a memory of its own, which
//! the region uses as a [`RegionSide`] and the worker as a [`WorkerSide`]. A
//! request is written into a slot's arena once, read there by the program, and
//! its results are read there by the door. A thread that is awake is not woken.
//!
//! `docs/internals/link.md` draws the layout byte by byte.
//!
//! ```
//! use link::{ConfigText, RegionPage, RegionSide, WorkerConfig};
//! use link::{Request, SlotResults, SlotState, WorkerEvent, WorkerSide};
//!
//! let page = RegionPage::create()?;
//! let config = ConfigText::new(&WorkerConfig::default())?;
//! let (region, socket) = RegionSide::create(0, 1 << 20, &page, &config)?;
//! let (mut worker, _config) = WorkerSide::attach(socket).expect("the same layout");
//!
//! region.submit(0, 1, &Request { task: 7, ..Request::default() });
//! region.wake();
//! let WorkerEvent::Task(task) = worker.next_task(None) else { panic!("a task was queued") };
//! assert_eq!(task.request.task, 7);
//! worker.finish(SlotResults::default(), "", &[]).expect("no containers need no room");
//! assert_eq!(region.state(0, 1), SlotState::Done);
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod call;
mod call_word;
mod channel_data;
pub mod clock;
pub mod config;
pub mod conversation;
pub mod counts;
mod directory;
pub mod display;
mod file_call;
mod futex;
pub mod heap;
mod holds;
pub mod interpreter;
pub mod layout;
mod map;
mod operands;
mod page;
pub mod program_link;
mod qr;
mod region_side;
mod socket;
pub mod stepping;
pub mod terminal;
pub mod trace;
mod uses;
mod worker_side;

pub use call::{CallAnswer, CallAreaState, CallEvent, CallOperation, WorkerCall};
pub use channel_data::{ChannelData, ContainerData};
pub use cics::name::{FieldError as NameError, Name};
pub use config::{
    FileEntry, FileKind, ProgramEntry, ProgramFault, SandboxMode, SocketOptions, StoreEntry,
    TransactionEntry, TransformEntry, WorkerConfig, WorkerConfinement,
};
pub use directory::{
    ContainerEntry, ContainerType, ENTRY_BYTES, ProtocolViolation, write as write_directory,
};
pub use file_call::{FileAnswer, FileCall, FileCommand, WireCall};
pub use heap::ArenaHeap;
pub use holds::{HeldRecords, UpdateHold};
pub use layout::{AnswerHeader, Request, RunCounters, SlotResults};
pub use map::{PAGE, SharedMapping, sealed_memfd};
pub use operands::{
    CHANNEL_DATA, CommandOperands, OperandValue, RUN_ENDED, RUN_PROGRAM, TEMPLATE_TEXT,
    TEMPLATE_WANTED,
};
pub use page::{MAX_WORKERS, PORTS, RegionPage};
pub use qr::{QrToken, TokenHolder};
pub use region_side::{ConfigText, RegionSide, SlotState};
pub use socket::LinkSocket;
pub use store::{FoundRecord, SeekKey};
pub use uses::ProgramUses;
pub use worker_side::{ArenaFull, AttachError, TaskIn, WorkerEvent, WorkerSide};

/// A program's name.
pub type ProgramName = Name<8>;
/// A transaction identifier.
pub type TransId = Name<4>;
/// A container's name.
pub type ContainerName = Name<16>;
/// A channel's name.
pub type ChannelName = Name<16>;
/// A user's identifier.
pub type UserId = Name<8>;
/// A file's name.
pub type FileName = Name<8>;

/// Descriptor on which a worker process finds its end of the socket.
pub const WORKER_FD: i32 = 3;
