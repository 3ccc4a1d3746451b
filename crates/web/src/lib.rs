//! CICS web support: the commands WEB, DOCUMENT, EXTRACT TCPIP and EXTRACT
//! CERTIFICATE of tasks, and the way of a request from its URIMAP to a task and
//! back.
//!
//! HTTP itself is the gateway's: a complete request comes to [`CicsWebSupport::serve`] and
//! an answer is returned. The region passes on the commands of tasks
//! ([`region::CommandService`]); most are served at once, those that wait for a
//! client or a server on the runtime of [`client`].
//!
//! A URIMAP with USAGE(PIPELINE) hands its request to a pipeline, and INVOKE
//! SERVICE sends one through a pipeline: [`pipelines`].
//!
//! Reference: CICS Internet guide; CICS API reference, WEB and DOCUMENT.

mod client;
mod commands;
mod config;
mod cpu;
pub mod document;
mod files;
mod maps;
mod outgoing;
pub mod pipelines;
mod request;
mod serve;
mod service;
mod task;

pub use commands::parse::{UrlParts, url as parse_url};
pub use config::{CertificateSection, WebConfig};
pub use maps::UriMaps;
pub use pipelines::PipelineTable;
pub use request::{WebAnswer, WebBody, WebRequest};
pub use service::{ALIAS, ATTACH, CicsWebSupport, WebDefinitions, metrics_sample};
pub use webtask::fields;
pub use webtask::headers::add_trailers;
use webtask::pages;
