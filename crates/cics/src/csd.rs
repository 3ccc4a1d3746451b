//! Resource definitions in the syntax of the CSD utility DFHCSDUP.
//!
//! [`parse`] reads DEFINE, ALTER, ADD, REMOVE and DELETE statements and gives
//! typed definitions of transactions, programs, files, transaction classes,
//! queues, journals, models of ENQ names, web support and web services, and everything that is wrong with
//! the text. Attributes that a known type does not have are accepted and listed
//! once; types that are not used are kept as they are written. [`definition`]
//! reads one definition, as CREATE has it.
//!
//! Reference: CICS system definition utility program (DFHCSDUP) and resource
//! definition attributes. Invariant: no input makes the parser panic.

mod attributes;
mod create;
mod enqueue;
mod queues;
mod read;
mod scan;
mod services;
mod types;
mod values;
mod web;

pub use attributes::resource_types;
pub use create::{DefinitionError, definition};
pub use enqueue::EnqModelDef;
pub use queues::{
    AtiFacility, ExtraDef, IntraDef, JournalModelDef, JournalType, TdQueueDef, TdQueueKind,
    TdRecovery, TsModelDef,
};
pub use read::{Csd, definitions, parse};
pub use scan::{Attribute, Statement};
pub use services::{PipelineDef, WebServiceDef};
pub use types::{
    Concurrency, FileDef, FileRecovery, InDoubt, OtherDef, ProgramDef, ProgramLanguage,
    RecordFormat, RunawayLimit, TranClassDef, TransactionDef,
};
pub use web::{
    DocTemplateDef, ServiceAuthentication, SslUse, TcpIpProtocol, TcpIpServiceDef, TemplateSource,
    UriMapAnswer, UriMapDef, UriMapUsage,
};
