//! One kind of request, presented by clients or at a rate: the plan of the one-line
//! form, also used by other crates' measurements.

use crate::engine::{self, LoadOutcome, RunError, SilentObserver};
use crate::message::{AnswerCheck, ReplyEnd, RequestTemplate, TemplatePiece, percent_encode};
use crate::plan::{
    ArrivalSpacing, LoadModel, LoadTarget, Population, Protocol, RequestStep, RunPlan,
    SocketOptions, ThinkTime, WritePattern, usual_ahead,
};
use crate::profile::LevelProfile;
use crate::tls::{TlsError, TlsTarget, TrustSettings};
use crate::units::ns;
use crate::url::{Scheme, Url, UrlError};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use thiserror::Error;

/// One HTTP request presented as load. Start from [`HttpLoad::new`] and set
/// what differs.
#[derive(Clone, Debug)]
pub struct HttpLoad {
    /// The URL, as `http://host:port/path`.
    pub url: String,
    /// The method.
    pub method: String,
    /// Headers beyond Host and Content-Length.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Clients of a closed loop; the bound on outstanding requests of an open one.
    pub clients: usize,
    /// Connections that an open loop opens before the run. `None` for the
    /// number that its rate needs.
    pub ahead: Option<usize>,
    /// The pause of a closed loop's client after each answer.
    pub think: ThinkTime,
    /// Requests/s. A rate makes it an open loop.
    pub rate: Option<f64>,
    /// How an open loop's requests are spaced.
    pub arrivals: ArrivalSpacing,
    /// End after this many requests.
    pub iterations: Option<u64>,
    /// Length of the warm-up, which is not measured.
    pub warmup: Duration,
    /// Length of the measured part.
    pub duration: Duration,
    /// Threads; 0 for as many as the load needs on this machine.
    pub threads: usize,
    /// Whether connections are kept.
    pub keep_alive: bool,
    /// Whether HTTP/2 is used.
    pub http2: bool,
    /// Certificates to trust over TLS.
    pub trust: TrustSettings,
    /// Socket options.
    pub knobs: SocketOptions,
    /// Local addresses, taken in turn.
    pub sources: Vec<IpAddr>,
    /// A request older than this has failed.
    pub timeout: Duration,
    /// Accept any status; otherwise 400 and above fail the check.
    pub any_status: bool,
    /// How long before an arrival a thread spins instead of sleeping. `None` for
    /// the time that the rate allows, and no spin before random arrivals.
    pub spin: Option<Duration>,
    /// Seed of random arrivals and think times.
    pub seed: u64,
    /// Wall clock time of the start, ns since 1970.
    pub start_at: Option<u64>,
}

/// Why a load cannot be presented.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The text is not a URL.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// A raw socket needs a scenario.
    #[error("tcp:// needs a scenario that says how messages are framed")]
    Raw,
    /// The partner or its conversation is not valid.
    #[error("{0}")]
    Appc(String),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// A method or header contains what HTTP forbids.
    #[error("`{0}` is not allowed in a request")]
    Text(String),
    /// The run could not be carried out.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl HttpLoad {
    /// GET `url` from one client for ten seconds after one second of warm-up.
    pub fn new(url: impl Into<String>) -> HttpLoad {
        HttpLoad {
            url: url.into(),
            method: "GET".into(),
            headers: Vec::new(),
            body: Vec::new(),
            clients: 1,
            ahead: None,
            think: ThinkTime::None,
            rate: None,
            arrivals: ArrivalSpacing::Constant,
            iterations: None,
            warmup: Duration::from_secs(1),
            duration: Duration::from_secs(10),
            threads: 0,
            keep_alive: true,
            http2: false,
            trust: TrustSettings::default(),
            knobs: SocketOptions::default(),
            sources: Vec::new(),
            timeout: Duration::from_secs(30),
            any_status: false,
            spin: None,
            seed: 1,
            start_at: None,
        }
    }

    /// The plan of this load.
    pub fn plan(&self) -> Result<RunPlan, LoadError> {
        let url = Url::parse(&self.url)?;
        let (target, step) = match url.scheme {
            Scheme::Appc => crate::appc::one_line(&url, self)?,
            _ => (target(&url, self)?, self.step(&url)?),
        };
        let load = match self.rate {
            Some(rate) => LoadModel::Open {
                rate: LevelProfile::constant(rate),
                arrivals: self.arrivals,
                outstanding: self.clients.max(1),
                ahead: self.ahead.unwrap_or(usual_ahead(rate, self.clients.max(1))),
                spin_ns: self.spin.map(ns),
            },
            None => LoadModel::Closed {
                clients: LevelProfile::constant(self.clients.max(1) as f64),
                iterations: self.iterations,
            },
        };
        let population = Population {
            name: "clients".into(),
            load,
            think: self.think.clone(),
            steps: vec![step],
            targets: vec![target],
            timeout_ns: ns(self.timeout),
        };
        let threads = match self.threads {
            0 => default_threads(std::slice::from_ref(&population)),
            n => n.min(self.clients.max(1)),
        };
        Ok(RunPlan {
            title: url.to_string(),
            populations: vec![population],
            feeders: Vec::new(),
            warmup_ns: if self.iterations.is_some() {
                0
            } else {
                ns(self.warmup)
            },
            duration_ns: self.iterations.is_none().then(|| ns(self.duration)),
            grace_ns: ns(self.timeout),
            threads,
            seed: self.seed,
            start_at: self.start_at,
            interval_ns: 1_000_000_000,
        })
    }

    /// The one request of an HTTP load.
    fn step(&self, url: &Url) -> Result<RequestStep, LoadError> {
        let pieces = |bytes: &[u8]| vec![TemplatePiece::Bytes(bytes.into())];
        let request = http_request(
            &self.method,
            pieces(url.path.as_bytes()),
            &url.authority(),
            self.headers
                .iter()
                .map(|(n, v)| (n.as_str(), pieces(v.as_bytes()))),
            pieces(&self.body),
            self.keep_alive,
        )?;
        Ok(RequestStep {
            name: format!("{} {}", self.method, url.path),
            target: 0,
            reply_target: 0,
            request,
            writes: WritePattern::default(),
            reply: ReplyEnd::Http {
                no_body: self.method == "HEAD",
            },
            checks: if self.any_status {
                Vec::new()
            } else {
                vec![AnswerCheck::Status([(100, 399)].into())]
            },
            captures: Vec::new(),
            think: None,
        })
    }

    /// Runs the load and returns its result.
    pub fn run(&self) -> Result<LoadOutcome, LoadError> {
        let plan = self.plan()?;
        Ok(engine::run(
            &plan,
            &mut SilentObserver,
            &AtomicBool::new(false),
        )?)
    }
}

/// The target of a URL with a load's settings.
pub(crate) fn target(url: &Url, load: &HttpLoad) -> Result<LoadTarget, LoadError> {
    let tls = match url.scheme {
        Scheme::Tcp | Scheme::Appc => return Err(LoadError::Raw),
        Scheme::Http => None,
        Scheme::Https => Some(TlsTarget::new(&url.host, &load.trust, load.http2)?),
    };
    Ok(LoadTarget {
        address: url.resolve()?,
        name: url.authority(),
        tls,
        protocol: if load.http2 {
            Protocol::Http2
        } else {
            Protocol::Stream
        },
        keep_alive: load.keep_alive,
        sources: Arc::from(load.sources.as_slice()),
        knobs: load.knobs.clone(),
        opening: None,
        cycle: None,
    })
}

/// Builds a request from its parts. Content-Length is written if there is a body or
/// if the method usually has one. Characters of the path that are not allowed in a
/// request line are percent-encoded.
pub fn http_request<'a>(
    method: &str,
    path: Vec<TemplatePiece>,
    host: &str,
    headers: impl Iterator<Item = (&'a str, Vec<TemplatePiece>)>,
    body: Vec<TemplatePiece>,
    keep_alive: bool,
) -> Result<RequestTemplate, LoadError> {
    let token = |text: &str| {
        let valid = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if !text.is_empty() && text.bytes().all(valid) {
            Ok(())
        } else {
            Err(LoadError::Text(text.to_owned()))
        }
    };
    let value = |pieces: &[TemplatePiece], forbidden: &[u8]| {
        for piece in pieces {
            if let TemplatePiece::Bytes(bytes) = piece
                && bytes.iter().any(|b| forbidden.contains(b))
            {
                return Err(LoadError::Text(String::from_utf8_lossy(bytes).into_owned()));
            }
        }
        Ok(())
    };
    token(method)?;
    value(&path, b"\r\n \t")?;
    let mut head = vec![TemplatePiece::Bytes(
        format!("{method} ").into_bytes().into(),
    )];
    head.extend(path.into_iter().map(in_target));
    let mut line = String::from(" HTTP/1.1\r\n");
    let headers: Vec<(&str, Vec<TemplatePiece>)> = headers.collect();
    let given = |name: &str| headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
    if !given("host") {
        line += &format!("Host: {host}\r\n");
    }
    if !keep_alive && !given("connection") {
        line += "Connection: close\r\n";
    }
    let own_length = given("content-length");
    head.push(TemplatePiece::Bytes(line.into_bytes().into()));
    for (name, pieces) in headers {
        token(name)?;
        value(&pieces, b"\r\n\0")?;
        head.push(TemplatePiece::Bytes(
            format!("{name}: ").into_bytes().into(),
        ));
        head.extend(pieces.into_iter().map(|piece| match piece {
            TemplatePiece::Var(var) => TemplatePiece::Field {
                name: name.into(),
                var,
            },
            other => other,
        }));
        head.push(TemplatePiece::Bytes(b"\r\n"[..].into()));
    }
    let has_body = body
        .iter()
        .any(|p| !matches!(p, TemplatePiece::Bytes(b) if b.is_empty()));
    let template = RequestTemplate::Http {
        head: head.into(),
        body: body.into(),
        with_length: !own_length && (has_body || matches!(method, "POST" | "PUT" | "PATCH")),
    };
    Ok(template.simplified())
}

fn in_target(piece: TemplatePiece) -> TemplatePiece {
    match piece {
        TemplatePiece::Var(var) => TemplatePiece::Encoded(var),
        TemplatePiece::Bytes(bytes) => {
            let mut encoded = Vec::new();
            percent_encode(&bytes, &mut encoded);
            TemplatePiece::Bytes(encoded.into())
        }
        other => other,
    }
}

/// The number of threads for a load: one carries about 100,000 requests/s, and the
/// system under test needs processors too.
pub(crate) fn default_threads(populations: &[Population]) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let needed: f64 = populations
        .iter()
        .map(|population| match &population.load {
            LoadModel::Open { rate, .. } => rate.peak() / 50_000.0,
            LoadModel::Closed { clients, .. } => {
                let think_s = population.think.mean_ns() / 1e9;
                if think_s > 0.0 {
                    clients.peak() / think_s / 50_000.0
                } else {
                    clients.peak() / 50.0
                }
            }
        })
        .sum();
    (needed.ceil() as usize).clamp(1, (processors / 2).max(1))
}
