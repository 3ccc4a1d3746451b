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

pub use backend::{Backend, Call, Door, Failed, Operated, OperatedLater, Reply, Task};
pub use diagnostics::{Diagnostic, Diagnostics, Position, Severity};
pub use mainframe::{
    Common, First, Frames, Mainframe, MainframeDoor, MainframeReply, MainframeStatus,
    MainframeTask, SocketConnection, TlsTrust, WebConnection, mainframe_metrics_sample,
};
pub use mapping::fuzz_expression;
pub use observe::{AuditConfig, ObserveConfig, TracingConfig, check_endpoint};
pub use openapi::keywords::reference_page as openapi_reference;
pub use policy::{Policies, Policy};
pub use project::import::{
    Choice, Day, FromArchives, Import, ImportBook, ImportNames, Imported, ImportedFile, NameStyle,
    Overrides, Redefines, RequesterArchive, Truth, Update, fuzz_archive, import, import_archives,
    program_source, program_text, requester_archive, update,
};
pub use project::operation::{Api, Contract};
pub use project::structure::{Generated, fuzz_derived, structures};
pub use requester::{
    Calling, Outbound, Requester, RequesterFault, RequesterOptions, Returned, requester_copybooks,
};
pub use server::{
    CorsConfig, Gateway, GatewayConfig, LoadError, Loader, StartError, TlsConfig, Unserved,
    administration, constant, metrics_sample,
};
pub use service::{
    Answering, Authentication, Pieces, Service, ServiceAnswer, ServiceBody, ServiceConfig,
    ServiceRequest,
};
pub use web::{BESIDE, Handler, Serving, Web, WebAbend, WebAnswer, WebRefusal};
