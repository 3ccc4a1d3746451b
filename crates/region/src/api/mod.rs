//! What a door sees of a region: requests, tasks, replies and records.
//!
//! A door attaches a port once a thread, begins tasks, writes their input in
//! place and reads their output in place. Nothing here knows a wire format.

mod config;
mod conversations;
mod descriptors;
mod door;
mod facilities;
mod facility;
mod guests;
mod handle;
pub mod install;
mod open;
mod operator;
mod participant;
mod reply;
mod services;
mod sockets;
mod starts;
mod task;
mod trace;

pub use config::{EngineCpus, ProcessStopper, RegionConfig};
pub use conversations::{
    ConnectionInfo, Conversation, ConversationService, ConversationTarget, Fault, ReceiveOutcome,
    sense,
};
pub use descriptors::{LentDescriptor, WorkerReply, WorkerRequest, WorkerRequestError};
pub use door::DoorRuntime;
pub use facilities::FacilitySink;
pub use facility::PrincipalFacility;
pub(crate) use guests::{GIVEN_UP, abend_of};
pub use guests::{GuestPrograms, GuestTask, LinkData, NotRun};
pub use handle::{Handle, Port, Region, block_on};
pub use kernel::{
    Abend, ClassDef, EnqModelDef, FacilityDef, FacilityEvent, FacilityId, FacilityInput,
    FacilityKind, FacilityLimits, FacilityOutput, FacilityState, InputRefused, InputTaken,
    JournalDef, JournalKind, MonitoringRecord, NotStarted, OpenTime, PutError, QueueDefinitions,
    QueueFileFormat, RegionDefinitions, RegionStatistics, RegisterRefused, ScreenErase, StartCode,
    StartError, StartRefusal, TaskCosts, TaskRequest, TaskTotals, TdKind, TdQueueDef, TdRecovery,
    TransactionDef, Trigger, TsModelDef, UserPoint, WaitKind, WaitTimes,
};
pub use kernel::{
    BranchId, InDoubtUnit, Order, ParticipantId, PreparedTask, PreparedUnit, UnitId, UnitToken,
};
pub use open::{OnePhaseOutcome, OpenTask, PrepareOutcome};
pub use operator::{
    ClassInfo, FileInfo, LockInfo, MessageInfo, PurgeOutcome, QueueStatus, ResourceInfo, TaskInfo,
};
pub use participant::{
    JoinError, OutcomeReply, ParticipantRole, ParticipantVote, TaskUnit, UnitParticipant,
};
pub use reply::{Container, TaskOutcome, TaskReply};
pub use services::{CommandService, ServiceCommand};
pub use sockets::{SocketCall, SocketCalls};
pub use task::Task;
pub use trace::{CommandCount, TraceFilter, TraceRecord, TraceStatus};
