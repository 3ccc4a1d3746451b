//! A task's state of web support: the request that it serves and the answer so
//! far, its documents, its sessions with servers.

use std::collections::HashMap;
use std::sync::Arc;

use http::HeaderMap;
use tokio::sync::{mpsc, oneshot};

use crate::client::Session;
use crate::commands::addressing::Context;
use crate::commands::inquire::BrowsePositions;
use crate::document::TaskDocuments;
use crate::pipelines::faults::ServiceSide;
use crate::pipelines::requester::RequesterRun;
use crate::request::{BodyPiece, WebAnswer, WebRequest};

/// A task that has used a command of web support, or serves a request.
#[derive(Debug, Default)]
pub struct TaskState {
    /// The request that it serves; `None` for a task that no request began.
    pub server: Option<ServerSide>,
    /// Its state of web services; `None` if it serves no pipeline.
    pub service: Option<ServiceSide>,
    /// The addressing of requests that it sends, by their channels.
    pub contexts: HashMap<[u8; 16], Context>,
    /// Requests of INVOKE SERVICE whose handlers run, the last on top.
    pub requesters: Vec<RequesterRun>,
    /// Its documents.
    pub documents: TaskDocuments,
    /// Its sessions with servers, by token.
    pub sessions: HashMap<[u8; 8], Session>,
    /// The positions of its browses of definitions, by the number of their command.
    pub browses: BrowsePositions,
    /// Tokens given so far.
    pub tokens: u64,
}

/// A request and the answer that is being made for it. The parts of the request that the
/// program reads, and an answer that waits for the end of the task, are with the
/// task's worker (`webtask`) until the program asks for more.
#[derive(Debug)]
pub struct ServerSide {
    /// The request.
    pub request: Arc<WebRequest>,
    /// Headers that were written for the answer.
    pub headers: HeaderMap,
    /// How far the answer has come.
    pub answer: AnswerState,
    /// The document of the last SEND, for RETRIEVE.
    pub sent_document: Option<[u8; 16]>,
    /// The way to the client; none once the answer is on it.
    pub way: Option<oneshot::Sender<WebAnswer>>,
}

/// How far an answer has come.
#[derive(Debug, Default)]
pub enum AnswerState {
    /// No answer was sent.
    #[default]
    None,
    /// The answer is sent at the end of the task.
    Eventual(WebAnswer),
    /// The answer was sent.
    Sent,
    /// Some chunks were sent.
    Chunks(mpsc::Sender<BodyPiece>),
}

impl ServerSide {
    /// The state of a request that nothing was asked of yet.
    pub fn new(request: Arc<WebRequest>, way: oneshot::Sender<WebAnswer>) -> Self {
        ServerSide {
            request,
            headers: HeaderMap::new(),
            answer: AnswerState::None,
            sent_document: None,
            way: Some(way),
        }
    }
}
