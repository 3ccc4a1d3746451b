//! JavaScript in the region: process automation over existing programs.
//!
//! A script is a module of an application's folder `scripts/`. A request for
//! its path runs its handler as a task of the region, on a thread of the pool:
//! it links to COBOL programs within its unit of work, reads and writes their
//! records by copybook, and answers.
//!
//! [`Engine`] is one script in an arena of its own, [`Scripts`] the service
//! around it. What scripts see is written in JavaScript (`src/prelude/`) on
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
pub use conform::{Trial, Verdict};
pub use engine::{Answer, Engine, Request};
pub use failure::{Failure, Mistake, Place};
pub use form::{Part, parse as parse_form};
pub use host::{AbendInfo, Event, Facts, Fault, Host, Input, Level, Output};
pub use limits::{Limits, Stop};
pub use records::{Library, Record, Records, Shape, shape_of};
pub use regional::program_name;
pub use routes::{Match, Route, RouteError, Routes};
pub use service::{Checked, Refused, Scripts, Served, check, routes};
pub use source::{SourceError, Sources};
pub use stream::Begun;
pub use transfer::Transfer;
pub use types::{declarations, of_record as record_declaration};
pub use xml::parse as parse_xml;
