//! Records of finished requests: audit records and traces.
//!
//! ```text
//! door ─▶ Observed ─▶ bounded queue ─▶ thread ─▶ a file of JSON lines
//!                 └─▶ bounded queue ─▶ thread ─▶ a collector, by OTLP/HTTP
//! ```
//!
//! Invariant: a door never waits for either. A record or span that finds its queue full is
//! dropped and counted.

mod audit;
pub(crate) mod context;
mod export;
mod otlp;
mod queue;
mod rotate;

pub use audit::AuditConfig;
pub use export::{TracingConfig, check_endpoint};

use crate::backend::ProgramBackend;
use crate::project::operation::LoadedApi;
use crate::security::CallerIdentity;
use context::TraceContext;
use http::{HeaderMap, Method, Uri};
use queue::Queue;
use region::{ProgramName, TaskCosts, TransId};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The receivers of request records.
#[derive(Debug, Clone, Default)]
pub struct ObserveConfig {
    /// Audit records; `None` turns them off.
    pub audit: Option<AuditConfig>,
    /// Traces; `None` turns them off.
    pub tracing: Option<TracingConfig>,
    /// Name of the region, for both.
    pub applid: String,
}

/// The kind of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// A path that is not served.
    #[default]
    Unknown,
    /// An operation of an API.
    Api,
    /// A service outside the APIs: a script, a web service.
    Service,
    /// Administration.
    Admin,
}

/// A finished request.
#[derive(Debug)]
pub(crate) struct FinishedRequest {
    pub number: u64,
    pub kind: RequestKind,
    pub api: Option<(Arc<LoadedApi>, usize)>,
    /// The template of its path, or the service, outside the APIs.
    pub service: Option<Box<str>>,
    pub method: Method,
    pub uri: Uri,
    pub secure: bool,
    pub client: IpAddr,
    pub user: Option<Arc<CallerIdentity>>,
    pub status: u16,
    pub request_bytes: usize,
    pub response_bytes: usize,
    /// Nanoseconds since 1970.
    pub started_ns: u64,
    pub ended_ns: u64,
    pub called: Option<CalledProgram>,
    pub span: Option<Span>,
    /// Parameters of the query and headers whose values are secret.
    pub secrets: Vec<String>,
    pub request_headers: Vec<(String, String)>,
    pub response_headers: Vec<(String, String)>,
}

/// The program that a request was for.
#[derive(Debug, Clone, Default)]
pub(crate) struct CalledProgram {
    pub program: ProgramName,
    pub transid: TransId,
    /// The connection that asset or policy names.
    pub connection: Option<Box<str>>,
    /// When it was asked for and when its answer was there, in nanoseconds
    /// since 1970; 0 when it was not.
    pub sent_ns: u64,
    pub received_ns: u64,
    pub costs: Option<TaskCosts>,
    pub abend: Option<Box<str>>,
}

/// The place of a request in its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub trace_id: [u8; 16],
    pub parent: Option<[u8; 8]>,
    pub id: [u8; 8],
}

/// The queues and what was counted at them.
#[derive(Debug, Default)]
pub(crate) struct RequestObserver {
    audit: Option<(AuditConfig, Queue<Arc<FinishedRequest>>)>,
    tracing: Option<(TracingConfig, Queue<Arc<FinishedRequest>>)>,
    next: AtomicU64,
    pub counts: Arc<ObserverCounters>,
}

/// The counters of records and spans.
#[derive(Debug, Default)]
pub(crate) struct ObserverCounters {
    pub audit_written: AtomicU64,
    pub audit_dropped: AtomicU64,
    pub spans_exported: AtomicU64,
    pub spans_dropped: AtomicU64,
}

impl RequestObserver {
    /// Starts what was asked for.
    ///
    /// # Errors Why it cannot start.
    pub fn start<B: ProgramBackend>(
        config: &ObserveConfig,
        backend: &B,
    ) -> Result<RequestObserver, String> {
        let counts = Arc::new(ObserverCounters::default());
        let audit = match &config.audit {
            Some(audit) => {
                let queue = audit::start(audit, &config.applid, counts.clone())?;
                Some((audit.clone(), queue))
            }
            None => None,
        };
        let tracing = match &config.tracing {
            Some(tracing) => {
                let backend = backend.clone();
                let commands = Box::new(move |tasks: &_| backend.commands(tasks));
                let queue = export::start(tracing, &config.applid, commands, counts.clone())?;
                Some((tracing.clone(), queue))
            }
            None => None,
        };
        Ok(RequestObserver {
            audit,
            tracing,
            next: AtomicU64::new(1),
            counts,
        })
    }

    /// Whether requests are recorded.
    pub fn is_on(&self) -> bool {
        self.audit.is_some() || self.tracing.is_some()
    }

    /// The span of a request when it is to be recorded: its caller's word
    /// counts, and the ratio if the caller's flag is missing.
    pub fn sample(&self, context: Option<TraceContext>) -> Option<Span> {
        let (config, _) = self.tracing.as_ref()?;
        let wanted = match context {
            Some(context) => context.sampled,
            None => ((context::random() >> 11) as f64) < config.ratio * (1u64 << 53) as f64,
        };
        wanted.then(|| Span {
            trace_id: context.map_or_else(trace_id, |context| context.trace_id),
            parent: context.map(|context| context.parent),
            id: context::random().to_be_bytes(),
        })
    }

    /// The number of the next request.
    pub fn number(&self) -> u64 {
        self.next.fetch_add(1, Relaxed)
    }

    /// The headers that audit records have of a request and its response.
    pub fn headers(&self, request: &HeaderMap, response: &HeaderMap) -> [Vec<(String, String)>; 2] {
        let Some((config, _)) = &self.audit else {
            return Default::default();
        };
        let of = |names: &[String], headers: &HeaderMap| {
            let one = |name: &String| {
                let value = headers.get(name.as_str())?;
                let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
                Some((name.clone(), text))
            };
            names.iter().filter_map(one).collect()
        };
        [
            of(&config.request_headers, request),
            of(&config.response_headers, response),
        ]
    }

    /// Passes a request to its receivers.
    pub fn publish(&self, observed: FinishedRequest) {
        let observed = Arc::new(observed);
        if let Some((_, queue)) = self.tracing.as_ref().filter(|_| observed.span.is_some())
            && !queue.put(observed.clone())
        {
            self.counts.spans_dropped.fetch_add(1, Relaxed);
        }
        if let Some((_, queue)) = &self.audit
            && !queue.put(observed)
        {
            self.counts.audit_dropped.fetch_add(1, Relaxed);
        }
    }

    /// Has all pending records written, and ends.
    pub fn finish(&self) {
        if let Some((_, queue)) = &self.audit {
            queue.finish();
        }
        if let Some((_, queue)) = &self.tracing {
            queue.finish();
        }
    }
}

fn trace_id() -> [u8; 16] {
    let (high, low) = (context::random(), context::random());
    (u128::from(high) << 64 | u128::from(low)).to_be_bytes()
}
