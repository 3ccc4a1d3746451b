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

pub use backend::{OperatedLater, OperatorResult, ProgramBackend};
pub use diagnostics::{Diagnostic, FilePosition, ProjectDiagnostics};
pub use mainframe::{
    CommonSettings, FirstFrame, MainframeConnections, MainframeDoor, MainframeReply,
    MainframeStatus, MainframeTask, MessageFraming, SocketConnection, TlsTrust, WebConnection,
    mainframe_metrics_sample,
};
pub use mapping::fuzz_expression;
pub use observe::{AuditConfig, ObserveConfig, TracingConfig, check_endpoint};
pub use openapi::keywords::reference_page as openapi_reference;
pub use policy::{PolicyRules, PolicySet};
pub use project::import::{
    BooleanField, DateField, FieldOverrides, FromArchives, ImportBook, ImportNames, ImportRequest,
    ImportedFile, ImportedProject, NameStyle, ProjectUpdate, RedefineChoice, Redefines,
    RequesterArchive, fuzz_archive, import, import_archives, program_source, program_text,
    requester_archive, update,
};
pub use project::operation::{AssetContract, LoadedApi};
pub use project::structure::{GeneratedCopybook, fuzz_derived, structures};
pub use requester::{
    CallInterface, CallableApi, OutboundRequest, RequesterFault, RequesterOptions,
    RequesterResponse, requester_copybooks,
};
pub use server::{
    CorsConfig, Gateway, GatewayConfig, LoadError, OperatorTokens, ProjectLoader, StartError,
    TlsConfig, UnservedApi, administration, constant, metrics_sample,
};
pub use service::{
    AnswerPieces, CallerAuthentication, ServiceAnswer, ServiceAnswerFuture, ServiceBody,
    ServiceConfig, ServiceHandler, ServiceRequest,
};
pub use web::{
    OUTSIDE_APIS, WebAbend, WebAnswer, WebAnswerFuture, WebHandler, WebHandlers, WebRefusal,
};
