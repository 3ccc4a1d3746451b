//! Types and traits that doors and services share with a region: its settings,
//! requests and records, and what the region needs of a partner, a participant or
//! a service.
//!
//! Doors and services call the region by the trait `RegionHost`, so this module does not depend on
//! the shell. Handles on a running region are in `handle/`.

mod config;
mod conversations;
mod descriptors;
mod facilities;
mod facility;
mod guests;
mod host;
pub mod install;
mod operator;
mod participant;
mod program;
mod services;
mod sockets;
mod trace;

pub use config::{EngineCpus, ProcessStopper, RegionConfig};
pub use conversations::{
    ConnectionInfo, Conversation, ConversationService, ConversationTarget, Fault, ReceiveOutcome,
    sense,
};
pub use descriptors::{LentDescriptor, WorkerReply, WorkerRequest, WorkerRequestError};
pub use facilities::FacilitySink;
pub use facility::PrincipalFacility;
pub(crate) use guests::{GIVEN_UP, GuestHost, abend_of};
pub use guests::{GuestPrograms, GuestTask, LinkData, NotRun};
pub(crate) use host::{ActDone, LentWorker, RegionHost};
pub use kernel::{
    ACCOUNTS, Abend, AccountKind, AccountLimit, AccountLimits, AtLimit, CallFailure, ClassDef,
    CountAndBytes, EnqModelDef, FacilityDef, FacilityEvent, FacilityId, FacilityInput,
    FacilityKind, FacilityLimits, FacilityOutput, FacilityState, InputRefused, InputTaken,
    JournalDef, JournalKind, MonitoringRecord, NotStarted, OpenTime, PutError, QueueDefinitions,
    QueueFileFormat, RegionDefinitions, RegionStatistics, RegisterRefused, ScreenErase, StartCode,
    StartError, StartRefusal, TaskCosts, TaskRequest, TaskTotals, TdKind, TdQueueDef, TdRecovery,
    TransactionDef, Trigger, TsModelDef, UserPoint, WaitKind, WaitTimes,
};
pub use kernel::{
    BranchId, InDoubtUnit, Order, ParticipantId, PreparedTask, PreparedUnit, UnitId, UnitToken,
};
pub use operator::{
    ClassInfo, FileInfo, LimitInfo, LimitUser, LockInfo, MessageInfo, PurgeOutcome, PurgedTasks,
    QueueStatus, ResourceInfo, TaskInfo,
};
pub use participant::{
    JoinError, OutcomeReply, ParticipantRole, ParticipantVote, TaskUnit, UnitParticipant,
};
pub use program::{ProgramCall, ProgramDoor, ProgramReply, ProgramTask};
pub use services::{CommandService, ServiceCommand};
pub use sockets::{SocketCall, SocketCalls};
pub use trace::{CommandCount, TraceFilter, TraceRecord, TraceStatus};
