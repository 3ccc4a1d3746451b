//! JavaScript in the region: process automation over existing programs.
//!
//! A script is a module of an application's folder `scripts/`. A request for
//! its path runs its handler as a task of the region, on a thread of the pool:
//! it links to COBOL programs within its unit of work, reads and writes their
//! records by copybook, and answers.
//!
//! [`ScriptEngine`] is one script in an arena of its own, [`ScriptService`] the service
//! around it. The objects that scripts use are written in JavaScript (`src/prelude/`) on
//! natives; `docs/guide/script.md` is its manual for authors of scripts.

mod accessors;
mod arena;
mod commands;
mod config;
mod conform;
mod engine;
mod failure;
mod fiber;
mod files;
mod form;
mod guard;
mod host;
mod json;
mod limits;
mod lines;
mod natives;
mod overdue;
mod place;
mod pool;
mod records;
mod regional;
mod routes;
mod service;
mod source;
mod stream;
mod transfer;
mod types;
mod work;
mod xml;

pub use config::{FetchConfig, ScriptConfig, TRANSACTION};
pub use conform::{ConformanceTest, TestResult};
pub use engine::{Request, ScriptAnswer, ScriptEngine};
pub use failure::{ScriptFailure, SourcePosition};
pub use form::{FormPart, parse as parse_form};
pub use host::{
    AbendInfo, Fault, HostEvent, LogLevel, ProgramInput, ProgramOutput, ScriptHost, TaskAttributes,
};
pub use limits::{Limits, StopReason};
pub use records::{CopybookLibrary, EngineRecords, FieldType, Record, shape_of};
pub use regional::program_name;
pub use routes::{MatchedRoute, Route, RouteError, ScriptRoutes};
pub use service::{LoadedScripts, ScriptRefusal, ScriptResponse, ScriptService, check, routes};
pub use source::{ModuleSources, SourceError};
pub use stream::StreamedAnswer;
pub use transfer::XctlTarget;
pub use types::{declarations, of_record as record_declaration};
pub use xml::parse as parse_xml;
