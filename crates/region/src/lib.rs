//! Tasks, admission, engines, programs, locks, units of work and monitoring.
//!
//! A door holds a [`Handle`] and a [`Port`]; it begins a [`Task`], writes its
//! containers in place, runs it, and reads the [`Reply`] in place.
//!
//! The crate `kernel` decides and has no clock, thread or system call. The shell
//! on it starts workers, takes their calls and keeps time; `handle` is what doors
//! hold of it. Types and traits that both share are in `api`.

pub mod api;
pub mod engine;
mod handle;
mod shell;

pub use api::*;
pub use handle::{
    DoorRuntime, Handle, OnePhaseOutcome, OpenTask, Port, PrepareOutcome, Region, TerminalRuntime,
    block_on,
};
#[cfg(feature = "sim")]
pub use kernel::sim;
pub use link::{
    CallAnswer, CallOperation, ChannelName, ContainerName, ContainerType, FileEntry, Name,
    NameError, ProgramEntry, ProgramName, SandboxMode, SocketOptions, StoreEntry, TransId,
    TransformEntry, UserId, WorkerConfinement, program_link,
};
pub use shell::{Container, Task, TaskOutcome, TaskReply};
