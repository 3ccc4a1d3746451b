//! Tasks, admission, engines, programs, locks, units of work and monitoring.
//!
//! A door holds a [`Handle`] and a [`Port`]; it begins a [`Task`], writes its
//! containers in place, runs it, and reads the [`Reply`] in place.
//!
//! The core decides and has no clock, thread or system call; the shell around
//! it starts workers, hears of their news and keeps time.

pub mod api;
pub mod engine;
mod shell;

pub use api::*;
#[cfg(feature = "sim")]
pub use kernel::sim;
pub use link::{
    CallAnswer, CallOperation, ChannelName, ContainerName, ContainerType, FileEntry, Name,
    NameError, ProgramEntry, ProgramName, SandboxMode, SocketOptions, StoreEntry, TransId,
    TransformEntry, UserId, WorkerConfinement, program_link,
};
