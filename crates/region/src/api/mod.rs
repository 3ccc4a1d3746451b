//! What a door sees of a region: requests, tasks, replies and records.
//!
//! A door attaches a port once a thread, begins tasks, writes their input in
//! place and reads their output in place. Nothing here knows a wire format.

mod config;
mod conversations;
mod door;
mod facilities;
mod facility;
mod guests;
mod handle;
pub mod install;
mod open;
mod operator;
mod participant;
mod queues;
mod record;
mod reply;
mod request;
mod services;
mod sockets;
mod starts;
mod task;
mod trace;

pub use crate::kernel::{BranchId, Order, ParticipantId, PreparedTask, PreparedUnit, UnitId};
pub use config::{
    ClassDef, Definitions, Engines, FacilityLimits, RegionConfig, StartError, Stop, TransactionDef,
};
pub use conversations::{
    ConnectionInfo, Conversation, Conversations, Destination, Fault, Received, sense,
};
pub use door::DoorRuntime;
pub use facilities::{
    Erase, FacilityDef, FacilityEvent, FacilityId, FacilityInput, FacilityKind, FacilityOutput,
    FacilitySink, FacilityState, InputRefused, InputTaken, RegisterRefused,
};
pub use facility::Facility;
pub(crate) use guests::{GIVEN_UP, abend_of};
pub use guests::{GuestPrograms, GuestTask, NotRun, Passed};
pub use handle::{Handle, Port, Region, block_on};
pub use open::{CommittedAlone, OpenTask, Prepared};
pub use operator::{
    ClassInfo, FileInfo, LockInfo, MessageInfo, Purge, QueueStatus, ResourceInfo, TaskInfo,
};
pub use participant::{Participant, TaskUnit, Vote};
pub use queues::{
    EnqModelDef, JournalDef, JournalKind, Opens, QueueDefinitions, QueueFileFormat, TdKind,
    TdQueueDef, TdRecovery, Trigger, TsModelDef,
};
pub use record::{MonitoringRecord, Statistics, TaskCosts, UserPoint, WaitKind, Waits, Work};
pub use reply::{Abend, Container, Outcome, Reply};
pub use request::{NotStarted, PutError, Refusal, StartCode, TaskRequest};
pub use services::{CommandService, ServiceCommand};
pub use sockets::{SocketCall, SocketCalls};
pub use task::Task;
pub use trace::{CommandCount, TraceFilter, TraceRecord, TraceStatus};
