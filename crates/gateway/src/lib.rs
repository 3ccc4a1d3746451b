//! REST and JSON in front of region programs, from z/OS Connect API projects.

mod backend;
mod diagnostics;
mod json;
mod mapping;
mod openapi;
mod problem;
mod project;
mod server;
mod validate;
mod yaml;

pub use backend::{Abend, Backend, Call, Door, Operated, PutError, Refusal, Reply, Task};
pub use diagnostics::{Diagnostic, Diagnostics, Position, Severity};
pub use project::import::{Import, ImportBook, ImportedFile, import};
pub use project::operation::Api;
pub use server::{Gateway, GatewayConfig, StartError, TlsConfig, constant, metrics_sample};
