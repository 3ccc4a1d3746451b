//! REST and JSON in front of region programs, from z/OS Connect API projects.

mod backend;
mod diagnostics;
mod json;
mod mapping;
mod openapi;
mod problem;
mod project;
pub mod security;
mod server;
mod service;
mod validate;
mod web;
mod yaml;

pub use backend::{Abend, Backend, Call, Door, Failed, Operated, PutError, Refusal, Reply, Task};
pub use diagnostics::{Diagnostic, Diagnostics, Position, Severity};
pub use openapi::keywords::reference_page as openapi_reference;
pub use project::import::{
    Choice, Import, ImportBook, ImportNames, Imported, ImportedFile, NameStyle, Redefines, Update,
    import, program_text, update,
};
pub use project::operation::{Api, Contract};
pub use project::structure::{Generated, fuzz_derived, structures};
pub use server::{
    Gateway, GatewayConfig, StartError, TlsConfig, Unserved, constant, metrics_sample,
};
pub use service::{
    Answering, Authentication, Service, ServiceAnswer, ServiceBody, ServiceConfig, ServiceRequest,
};
pub use web::{BESIDE, Handler, Serving, Web, WebAnswer, WebRefusal};
