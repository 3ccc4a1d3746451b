//! The way of a message through a pipeline's handlers.
//!
//! [`Config`] is the pipeline's configuration file, [`Pipeline`] one run of it:
//! a state machine that returns the next program with its containers and
//! receives the containers that the program left. It has no task, no network
//! and no clock; a region drives it, and so do the tests.
//!
//! ```text
//! provider   request ─▶ handlers, in their order ─▶ terminal handler ─▶ program
//!            response ◀─ handlers, in reverse ◀──────────┘
//! requester  program ─▶ handlers, in their order ─▶ network ─▶ handlers, in reverse
//! ```
//!
//! Reference: CICS Transaction Server, "How containers control the pipeline
//! protocols", "Pipeline configuration files", "Containers used in the pipeline".

mod addressing;
mod config;
mod headers;
mod machine;
mod soap;

pub use addressing::{AnswerDestination, ReplyPolicy, RunAddressing};
pub use config::{
    AddressingConfig, CONVERTER, Config, HeaderProgram, MessageHandler, PipelineRole,
};
pub use machine::{Pipeline, PipelineAction, PipelineError, PipelineOutcome};

use std::collections::BTreeMap;

/// The containers of a pipeline's channel, by name.
pub type ChannelContainers = BTreeMap<String, Vec<u8>>;

/// Names of the containers that the machine reads or writes.
pub mod names {
    /// The request message.
    pub const REQUEST: &str = "DFHREQUEST";
    /// The response message.
    pub const RESPONSE: &str = "DFHRESPONSE";
    /// The position in the pipeline at which a program is called.
    pub const FUNCTION: &str = "DFHFUNCTION";
    /// The error.
    pub const ERROR: &str = "DFHERROR";
    /// A header block.
    pub const HEADER: &str = "DFHHEADER";
    /// Parameters of a handler, as in the configuration.
    pub const HANDLER_PARAMETERS: &str = "DFH-HANDLERPLIST";
    /// Parameters of the service.
    pub const SERVICE_PARAMETERS: &str = "DFH-SERVICEPLIST";
    /// The contents of the body.
    pub const BODY: &str = "DFHWS-BODY";
    /// The declarations around the body.
    pub const XMLNS: &str = "DFHWS-XMLNS";
    /// The operation.
    pub const OPERATION: &str = "DFHWS-OPERATION";
    /// The program of a SOAP handler.
    pub const APPLICATION: &str = "DFHWS-APPHANDLER";
    /// 1 for SOAP 1.1, 2 for 1.2, 10 for other messages.
    pub const LEVEL: &str = "DFHWS-SOAPLEVEL";
    /// The URI of the message's destination.
    pub const URI: &str = "DFHWS-URI";
    /// Transaction of a provider's application.
    pub const TRANSID: &str = "DFHWS-TRANID";
    /// User of a provider's application.
    pub const USERID: &str = "DFHWS-USERID";
    /// The pipeline's name.
    pub const PIPELINE: &str = "DFHWS-PIPELINE";
    /// The web service's name.
    pub const WEB_SERVICE: &str = "DFHWS-WEBSERVICE";
    /// The record of the application.
    pub const DATA: &str = "DFHWS-DATA";
    /// The HTTP method of a provider's request.
    pub const HTTP_METHOD: &str = "DFHHTTPMETHOD";
    /// The status that a provider's program wants for its answer.
    pub const HTTP_STATUS: &str = "DFHHTTPSTATUS";
    /// The media type of a provider's request, and the one that its program
    /// sets for the answer.
    pub const MEDIA_TYPE: &str = "DFHMEDIATYPE";
    /// The URIMAP of a provider's request.
    pub const URI_MAP: &str = "DFHWS-URIMAP";
    /// Its path.
    pub const URI_MAP_PATH: &str = "DFHWS-URIMAPPATH";
    /// The part of the path that the `*` matched.
    pub const URI_RESOURCE: &str = "DFHWS-URI-RESID";
    /// The query of the request.
    pub const URI_QUERY: &str = "DFHWS-URI-QUERY";
    /// A requester waits for no response when it is there.
    pub const NO_RESPONSE: &str = "DFHNORESPONSE";
}

/// The position in a pipeline at which a program is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandlerFunction {
    /// A provider's handler, with the request.
    ReceiveRequest,
    /// A provider's handler, with the response.
    SendResponse,
    /// A requester's handler, with the request.
    SendRequest,
    /// A requester's handler, with the response.
    ReceiveResponse,
    /// A provider's terminal handler.
    ProcessRequest,
    /// There is no response.
    NoResponse,
    /// A handler has failed.
    HandlerError,
}

impl HandlerFunction {
    /// The value of the container DFHFUNCTION.
    pub const fn name(self) -> &'static str {
        match self {
            HandlerFunction::ReceiveRequest => "RECEIVE-REQUEST",
            HandlerFunction::SendResponse => "SEND-RESPONSE",
            HandlerFunction::SendRequest => "SEND-REQUEST",
            HandlerFunction::ReceiveResponse => "RECEIVE-RESPONSE",
            HandlerFunction::ProcessRequest => "PROCESS-REQUEST",
            HandlerFunction::NoResponse => "NO-RESPONSE",
            HandlerFunction::HandlerError => "HANDLER-ERROR",
        }
    }
}
