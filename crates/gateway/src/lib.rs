//! REST and JSON in front of region programs, from z/OS Connect API projects.

mod backend;
mod diagnostics;
mod json;
mod mainframe;
mod mapping;
mod observe;
mod openapi;
mod policy;
mod problem;
mod project;
mod requester;
pub mod security;
mod server;
mod service;
mod validate;
mod web;
mod yaml;

pub use backend::{ProgramBackend, ProgramCall, BackendHandle, CallFailure, OperatorResult, OperatedLater, ProgramReply, Task};
pub use diagnostics::{Diagnostic, ProjectDiagnostics, FilePosition, DiagnosticSeverity};
pub use mainframe::{
    CommonSettings, FirstFrame, MessageFraming, MainframeConnections, MainframeDoor, MainframeReply, MainframeStatus,
    MainframeTask, SocketConnection, TlsTrust, WebConnection, mainframe_metrics_sample,
};
pub use mapping::fuzz_expression;
pub use observe::{AuditConfig, ObserveConfig, TracingConfig, check_endpoint};
pub use openapi::keywords::reference_page as openapi_reference;
pub use policy::{PolicySet, PolicyRules};
pub use project::import::{
    RedefineChoice, DateField, FromArchives, ImportRequest, ImportBook, ImportNames, ImportedProject, ImportedFile, NameStyle,
    FieldOverrides, Redefines, RequesterArchive, BooleanField, ProjectUpdate, fuzz_archive, import, import_archives,
    program_source, program_text, requester_archive, update,
};
pub use project::operation::{LoadedApi, AssetContract};
pub use project::structure::{GeneratedCopybook, fuzz_derived, structures};
pub use requester::{
    CallInterface, OutboundRequest, CallableApi, RequesterFault, RequesterOptions, RequesterResponse, requester_copybooks,
};
pub use server::{
    CorsConfig, Gateway, GatewayConfig, LoadError, ProjectLoader, StartError, TlsConfig, UnservedApi,
    administration, constant, metrics_sample,
};
pub use service::{
    ServiceAnswerFuture, CallerAuthentication, AnswerPieces, ServiceHandler, ServiceAnswer, ServiceBody, ServiceConfig,
    ServiceRequest,
};
pub use web::{OUTSIDE_APIS, WebHandler, WebAnswerFuture, WebHandlers, WebAbend, WebAnswer, WebRefusal};
