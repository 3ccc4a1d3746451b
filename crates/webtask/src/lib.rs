//! The web request of a task, as pure code: the request and the answer as bytes
//! between the door and the worker, and the EXEC CICS commands that need
//! nothing else.
//!
//! The door writes the request into the task's memory, and the worker serves
//! RECEIVE, EXTRACT, the reading of headers, form fields and parameters, and a
//! SEND that may wait for the end of the task, without a call to the region.
//! What must be on the wire at once, documents, sessions and the connection's own
//! facts are the region's, in the crate `web`, which uses the same functions.
//!
//! Reference: CICS API reference, WEB commands (server); CICS Internet guide.
//! Invariant: any bytes can be read as a request or an answer without a panic.

#![forbid(unsafe_code)]

pub mod answer;
pub mod extract;
pub mod fields;
pub mod forms;
pub mod headers;
pub mod outcome;
pub mod pages;
pub mod receive;
pub mod request;
pub mod send;
pub mod stage;
mod wire;

pub use answer::CompleteAnswer;
pub use request::{ReadPosition, Request, RequestOrigin};
pub use stage::{AnalyzerInput, AnalyzerOutput, ConverterInput, WebStage};
