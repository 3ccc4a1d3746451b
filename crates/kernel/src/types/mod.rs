//! Types that doors, the kernel and the shell of a region share: definitions,
//! requests and refusals, facilities, monitoring records.
//!
//! Invariant: these types use no sockets, threads, processes or clock, and no wire
//! format.

mod abend;
mod account_limits;
mod accounts;
mod config;
mod facilities;
mod file_work;
mod queues;
mod record;
mod request;

pub use abend::Abend;
pub use accounts::{
    ACCOUNTS, AccountKind, AccountLimit, AccountLimits, AccountRow, AtLimit, CountAndBytes,
};
pub use config::{
    ClassDef, FacilityLimits, KernelConfig, RegionDefinitions, StartError, TransactionDef,
};
pub use facilities::{
    FacilityDef, FacilityEvent, FacilityId, FacilityInput, FacilityKind, FacilityOutput,
    FacilityState, InputRefused, InputTaken, RegisterRefused, ScreenErase,
};
pub use file_work::{
    DumpAsk, FileAsk, FileKey, FileKind, FileWork, JournalAsk, JournalRecord, QueueAsk, QueueFile,
    ReportAsk,
};
pub use queues::{
    EnqModelDef, JournalDef, JournalKind, OpenTime, QueueDefinitions, QueueFileFormat, TdKind,
    TdQueueDef, TdRecovery, Trigger, TsModelDef,
};
pub use record::{
    MonitoringRecord, RegionStatistics, TaskCosts, TaskTotals, UserPoint, WaitKind, WaitTimes,
};
pub use request::{CallFailure, NotStarted, PutError, StartCode, StartRefusal, TaskRequest};
