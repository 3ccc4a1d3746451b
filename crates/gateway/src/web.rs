//! Services of an application outside its API projects, such as scripts: by
//! path, on the gateway's connections, with its limits and its problem
//! documents.
//!
//! One call through a trait object and one box a request; the way of the APIs
//! has neither.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use http::request::Parts;
use region::{NotStarted, UserId};

use crate::service::ServiceBody;

/// The name in settings and metrics of everything that is served outside the
/// APIs.
pub const OUTSIDE_APIS: &str = "scripts";

/// Serves paths that no API has.
pub trait WebHandlers: Send + Sync {
    /// The handler of a path; `None` if the path is not served.
    fn find(&self, path: &str) -> Option<Box<dyn WebHandler>>;
}

/// Serves one request.
pub trait WebHandler {
    /// The path with its variables in braces, for metrics.
    fn template(&self) -> &str;

    /// Answers a request whose body is complete. `user_id` is the CICS user id
    /// of an authenticated caller.
    fn serve(
        self: Box<Self>,
        parts: &Parts,
        trace_id: [u8; 16],
        user_id: Option<UserId>,
        body: Bytes,
    ) -> WebAnswerFuture;
}

/// An answer under way.
pub type WebAnswerFuture = Pin<Box<dyn Future<Output = Result<WebAnswer, WebRefusal>>>>;

/// An answer.
#[derive(Debug)]
pub struct WebAnswer {
    /// Status.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: ServiceBody,
}

/// Why a request has no handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebRefusal {
    /// The region does not take it.
    Region(NotStarted),
    /// Its task abended.
    Abend(WebAbend),
    /// Its task was ended because its time was over.
    TooSlow(WebAbend),
}

/// The abnormal end of a task that serves a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebAbend {
    /// Four characters.
    pub code: String,
    /// The program or the script's file in control, empty if unknown.
    pub place: String,
    /// Line in its source, 0 if unknown.
    pub line: u32,
    /// The error's message.
    pub message: String,
}
