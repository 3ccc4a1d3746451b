//! The attributes of a request that are recorded while it is served, for its
//! receivers at its end.
//!
//! Without receivers a request costs two tests of a flag.

use super::GatewayShared;
use super::body::ResponseBody;
use super::gate::PeerAddress;
use super::headers::RequestHeaders;
use crate::backend::ProgramBackend;
use crate::observe::{CalledProgram, FinishedRequest, RequestKind, Span};
use crate::project::operation::LoadedApi;
use crate::security::CallerIdentity;
use http::request::Parts;
use http::{Method, Response, Uri};
use region::{ProgramName, TaskCosts, TransId};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

/// One request.
pub(super) struct RequestRecord {
    pub started: Instant,
    /// The authenticated caller, once it is known.
    pub user: Option<Arc<CallerIdentity>>,
    /// CPU time of its program.
    pub cpu_ns: u64,
    /// The trace it belongs to, zeros for none.
    pub trace_id: [u8; 16],
    /// The recorded attributes; `None` without receivers.
    pub attributes: Option<Box<RecordAttributes>>,
}

/// Further recorded attributes.
#[derive(Default)]
pub(super) struct RecordAttributes {
    pub kind: RequestKind,
    pub api: Option<(Arc<LoadedApi>, usize)>,
    pub service: Option<Box<str>>,
    pub read: usize,
    pub secrets: Vec<String>,
    pub span: Option<Span>,
    pub called: Option<CalledProgram>,
    /// When its program was asked for and when it answered.
    pub sent: Option<Instant>,
    pub received: Option<Instant>,
}

impl RequestRecord {
    /// A request has come.
    pub fn begin<B: ProgramBackend>(
        shared: &GatewayShared<B>,
        parts: &Parts,
        seen: &RequestHeaders<'_>,
    ) -> RequestRecord {
        let context = seen.trace_context();
        let mut trail = RequestRecord {
            started: Instant::now(),
            user: None,
            cpu_ns: 0,
            trace_id: context.map_or([0; 16], |context| context.trace_id),
            attributes: None,
        };
        if shared.observer.is_on() && !is_health(parts.uri.path()) {
            let span = shared.observer.sample(context);
            if let Some(span) = &span {
                trail.trace_id = span.trace_id;
            }
            trail.attributes = Some(Box::new(RecordAttributes {
                span,
                ..RecordAttributes::default()
            }));
        }
        trail
    }

    /// Its program is asked for.
    pub fn calls(&mut self, program: ProgramName, transid: TransId, connection: Option<&str>) {
        if let Some(recorded) = &mut self.attributes {
            recorded.called = Some(CalledProgram {
                program,
                transid,
                connection: connection.map(Into::into),
                ..CalledProgram::default()
            });
            recorded.sent = Some(Instant::now());
        }
    }

    /// Its program has ended, with an abend perhaps.
    pub fn answered(&mut self, costs: Option<TaskCosts>, abend: Option<&str>) {
        self.cpu_ns = costs.map_or(0, |costs| costs.cpu_ns);
        if let Some(recorded) = &mut self.attributes {
            recorded.received = Some(Instant::now());
            if let Some(called) = &mut recorded.called {
                called.costs = costs;
                called.abend = abend.map(Into::into);
            }
        }
    }

    /// Ends the record and passes it to its receivers.
    pub fn end<B: ProgramBackend>(
        self,
        shared: &GatewayShared<B>,
        request: &Parts,
        peer: &PeerAddress,
        response: &Response<ResponseBody>,
    ) {
        if let Some(recorded) = self.attributes {
            let headers = shared
                .observer
                .headers(&request.headers, response.headers());
            let ended = RecordParts {
                method: request.method.clone(),
                uri: request.uri.clone(),
                peer,
                headers,
                user: self.user,
                started: self.started,
            };
            ended.record(shared, *recorded, response);
        }
    }
}

/// The parts of a request at its end.
pub(super) struct RecordParts<'p> {
    pub method: Method,
    pub uri: Uri,
    pub peer: &'p PeerAddress,
    pub headers: [Vec<(String, String)>; 2],
    pub user: Option<Arc<CallerIdentity>>,
    pub started: Instant,
}

impl RecordParts<'_> {
    pub fn record<B: ProgramBackend>(
        self,
        shared: &GatewayShared<B>,
        recorded: RecordAttributes,
        response: &Response<ResponseBody>,
    ) {
        let now = Instant::now();
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let unix_ns = unix.map_or(0, |unix| unix.as_nanos() as u64);
        let at = |then: Instant| unix_ns.saturating_sub((now - then).as_nanos() as u64);
        let called = recorded.called.map(|called| CalledProgram {
            sent_ns: recorded.sent.map_or(0, at),
            received_ns: recorded.received.map_or(0, at),
            ..called
        });
        let [request_headers, response_headers] = self.headers;
        shared.observer.publish(FinishedRequest {
            number: shared.observer.number(),
            kind: recorded.kind,
            api: recorded.api,
            service: recorded.service,
            method: self.method,
            uri: self.uri,
            secure: self.peer.secure,
            client: self.peer.address,
            user: self.user,
            status: response.status().as_u16(),
            request_bytes: recorded.read,
            response_bytes: response.body().len(),
            started_ns: at(self.started),
            ended_ns: unix_ns,
            called,
            span: recorded.span,
            secrets: recorded.secrets,
            request_headers,
            response_headers,
        });
    }
}

/// Whether a request only reads the server's health.
pub(super) fn is_health(path: &str) -> bool {
    path == "/health" || path.starts_with("/health/")
}

/// A line of the access log.
pub(super) fn log(
    method: &Method,
    path: &str,
    (user, peer): (Option<&CallerIdentity>, &PeerAddress),
    started: Instant,
    response: &Response<ResponseBody>,
) {
    tracing::info!(
        target: "gateway::access",
        method = %method,
        path,
        user = user.map_or("", |user| user.name.as_str()),
        client = %peer.address,
        status = response.status().as_u16(),
        bytes = response.body().len(),
        us = started.elapsed().as_micros() as u64,
    );
}
