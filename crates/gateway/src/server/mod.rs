//! The HTTP server: doors, connections, and the way of a request.

mod admin;
mod body;
mod conn;
pub mod constant;
mod cors;
mod deadline;
mod derived;
mod documents;
mod door;
mod frames;
mod gate;
mod headers;
mod intake;
mod listen;
mod losses;
mod memory;
mod metrics;
mod problems;
mod relay;
mod respond;
mod router;
mod serve;
pub(crate) mod service;
mod share;
mod ticks;
mod tls;
mod trail;
mod watched;
mod web;

use crate::backend::ProgramBackend;
use crate::observe::{ObserveConfig, RequestObserver};
use crate::policy::{PolicyRules, PolicySet};
use crate::problem::ProblemDocument;
use crate::project::operation::{ApiOperation, LoadedApi};
use crate::security::{CredentialGuard, RateLimiter, SecurityConfig, SecurityError};
use crate::service::ServiceConfig;
pub use admin::{OperatorTokens, administration};
use bytes::Bytes;
pub use cors::CorsConfig;
use cors::CorsHeaders;
use gate::AccessGate;
use memory::GatewayMemory;
pub use metrics::sample as metrics_sample;
use metrics::{GatewayMetrics, OperationMetrics};
use region::TransId;
use router::PathRouter;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Headers that a request may have when nothing else is said: as many as hyper
/// keeps without an allocation.
const HEADERS: usize = 100;

/// How the gateway serves.
#[derive(Debug, Clone)]
pub struct GatewayConfig {
    /// Address for HTTP; port 0 takes a free one.
    pub listen: SocketAddr,
    /// HTTPS in addition.
    pub tls: Option<TlsConfig>,
    /// Address for administration and metrics.
    pub admin: Option<SocketAddr>,
    /// Whether the port's users must authenticate; beyond loopback they must in
    /// any case.
    pub admin_auth: bool,
    /// Whether it is served by HTTPS, with the gateway's certificate.
    pub admin_tls: bool,
    /// Whether APIs are served; without them there is administration alone.
    pub http: bool,
    /// The authentication of clients.
    pub security: SecurityConfig,
    /// Threads that serve connections; 0 for one every two CPUs.
    pub threads: usize,
    /// CPUs that the door threads may run on; empty for all.
    pub cpus: Vec<usize>,
    /// Most connections open at once. A new one takes the place of the one
    /// that has been idle longest, or waits while all are at work.
    pub max_connections: usize,
    /// Most bytes of request bodies, headers and answers that connections may
    /// hold together.
    pub memory_bytes: usize,
    /// Largest request body in bytes.
    pub max_body_bytes: usize,
    /// Bytes that the headers of a request may have together, 8 KiB at least;
    /// bodies are read by as many.
    pub max_header_bytes: usize,
    /// Headers that a request may have.
    pub max_headers: usize,
    /// Most levels of nested arrays and objects of a JSON body, 128 at most.
    pub max_json_depth: usize,
    /// Requests that one HTTP/2 connection may have open at once.
    pub max_streams: u32,
    /// Milliseconds a client may take for the TLS handshake.
    pub handshake_timeout_ms: u32,
    /// Milliseconds a client may take to send a request's headers, or to continue
    /// sending its body.
    pub request_timeout_ms: u32,
    /// Milliseconds a connection may stay open without a request.
    pub idle_timeout_ms: u32,
    /// Bytes a second at which a client must send a body and read an answer.
    pub min_rate_bytes_s: u32,
    /// Milliseconds over which that rate is taken.
    pub rate_window_ms: u32,
    /// Milliseconds a program may take.
    pub response_timeout_ms: u32,
    /// The origins whose pages may call the APIs.
    pub cors: CorsConfig,
    /// Transaction for assets that name none.
    pub transid: TransId,
    /// Addresses whose requests go to other handlers.
    pub services: Vec<ServiceConfig>,
    /// Log every request, as `tracing` events of the target `gateway::access`.
    pub access_log: bool,
    /// The receivers of request records.
    pub observe: ObserveConfig,
    /// The tokens for changes on an administration port that asks for no user;
    /// without them every user of this machine may make changes.
    pub operators: Option<Arc<OperatorTokens>>,
    /// The rules that choose connections and transactions by the request.
    pub policies: PolicySet,
    /// Reads one API again for `POST /apis/NAME/redeploy`.
    pub loader: Option<ProjectLoader>,
}

/// Reads the project of an API by its name. The error is for the operator: one
/// problem a line.
#[derive(Clone)]
pub struct ProjectLoader(pub Arc<LoadApi>);

/// The function of a [`ProjectLoader`], on a thread where it may block.
pub type LoadApi = dyn Fn(&str) -> Result<Arc<LoadedApi>, LoadError> + Send + Sync;

impl std::fmt::Debug for ProjectLoader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Loader")
    }
}

/// Why an API could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadError {
    /// There is no project of that name.
    Absent,
    /// The project has these errors.
    Wrong(Vec<String>),
}

/// A certificate and where it is served.
#[derive(Debug, Clone)]
pub struct TlsConfig {
    /// Address for HTTPS.
    pub listen: SocketAddr,
    /// The certificate, its key, and the authorities of clients.
    pub files: ::tls::ServerFiles,
}

impl TlsConfig {
    fn load(&self) -> Result<tls::Server, ::tls::FileError> {
        ::tls::server(self.files.clone(), &tls::PROTOCOLS)
    }
}

/// An API that is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnservedApi {
    /// Its name.
    pub api: String,
    /// Why it cannot be read, or which of its programs does not compile.
    pub reason: String,
    /// Others of its operations are served.
    pub is_partial: bool,
}

impl Default for GatewayConfig {
    fn default() -> Self {
        GatewayConfig {
            listen: ([127, 0, 0, 1], 8080).into(),
            tls: None,
            admin: None,
            admin_auth: false,
            admin_tls: false,
            http: true,
            security: SecurityConfig::default(),
            threads: 0,
            cpus: Vec::new(),
            max_connections: 10_000,
            memory_bytes: 256 << 20,
            max_body_bytes: 16 << 20,
            max_header_bytes: 64 << 10,
            max_headers: HEADERS,
            max_json_depth: crate::json::MAX_DEPTH,
            max_streams: 200,
            handshake_timeout_ms: 10_000,
            request_timeout_ms: 30_000,
            idle_timeout_ms: 120_000,
            min_rate_bytes_s: 500,
            rate_window_ms: 10_000,
            response_timeout_ms: 60_000,
            cors: CorsConfig::default(),
            transid: TransId::from_bytes(*b"CSMI"),
            services: Vec::new(),
            access_log: false,
            observe: ObserveConfig::default(),
            operators: None,
            policies: PolicySet::default(),
            loader: None,
        }
    }
}

/// Why a gateway could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address could not be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// The certificate or its key could not be used.
    #[error(transparent)]
    Tls(#[from] ::tls::FileError),
    /// Users, keys or settings of security cannot be used.
    #[error(transparent)]
    Security(#[from] SecurityError),
    /// The administration port is reachable from other machines.
    #[error(
        "the administration server listens on {0}, which other machines can reach, but no \
         authentication is configured"
    )]
    OpenAdministration(SocketAddr),
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// Audit records or traces cannot be kept.
    #[error("{0}")]
    Observe(String),
}

/// The APIs in force, with everything that is looked up by path.
#[derive(Debug)]
pub(crate) struct ApiRoutes {
    pub apis: Vec<Arc<LoadedApi>>,
    /// The APIs and operations that an operator has stopped, by [`switch`].
    pub stopped: Switches,
    /// Some operation has the path `/`.
    pub serves_root: bool,
    /// Parameters of a query and headers in which some operation takes keys.
    pub names_of_keys: Vec<String>,
    router: PathRouter<Vec<Route>>,
}

/// Which APIs and operations an operator has stopped.
type Switches = BTreeMap<String, Arc<AtomicBool>>;

/// The name of an API's switch, or of that of one of its operations.
fn switch(api: &str, operation: Option<&ApiOperation>) -> String {
    match operation {
        Some(operation) => format!("{api} {} {}", operation.method, operation.path),
        None => api.to_owned(),
    }
}

/// One operation at its path.
#[derive(Debug)]
pub(crate) struct Route {
    pub api: Arc<LoadedApi>,
    pub operation: usize,
    pub metrics: Arc<OperationMetrics>,
    pub gate: AccessGate,
    pub policy: Option<Arc<PolicyRules>>,
    /// An operator has stopped its API, or this operation.
    stopped: [Arc<AtomicBool>; 2],
}

impl Route {
    /// The answer to callers while an operator has stopped it.
    pub fn stopped(&self) -> Option<ProblemDocument> {
        let [api, operation] = self.stopped.each_ref().map(|s| s.load(Ordering::Relaxed));
        let what = match (api, operation) {
            (true, _) => format!("the API {}", self.api.name),
            (_, true) => "this operation".to_owned(),
            _ => return None,
        };
        let title = if api {
            "The API is stopped"
        } else {
            "The operation is stopped"
        };
        let detail = format!("An operator has stopped {what}");
        let status = http::StatusCode::SERVICE_UNAVAILABLE;
        Some(ProblemDocument::new(status, title, detail))
    }
}

impl ApiRoutes {
    /// Switches are those of `stopped`, as far as there are any.
    fn new(
        apis: Vec<Arc<LoadedApi>>,
        metrics: &GatewayMetrics,
        (config, policies): (&GatewayConfig, &PolicySet),
        mut stopped: Switches,
    ) -> ApiRoutes {
        let mut router: PathRouter<Vec<Route>> = PathRouter::new();
        let mut serves_root = false;
        let mut names_of_keys = Vec::new();
        for api in &apis {
            let whole = stopped.entry(switch(&api.name, None)).or_default().clone();
            for (operation, object) in api.operations.iter().enumerate() {
                let path = format!("{}{}", api.base_path, object.path);
                serves_root |= path == "/" || path.is_empty();
                let metrics = metrics.operation(&api.name, object.method.as_str(), &path);
                let own = stopped.entry(switch(&api.name, Some(object))).or_default();
                let gate = AccessGate::new(&config.security, api, object);
                names_of_keys.extend(gate.names_of_keys());
                let route = Route {
                    api: api.clone(),
                    operation,
                    metrics,
                    gate,
                    policy: policies.of(&api.name).cloned(),
                    stopped: [whole.clone(), own.clone()],
                };
                router.entry(&path, Vec::new).push(route);
            }
        }
        names_of_keys.sort_unstable();
        names_of_keys.dedup();
        ApiRoutes {
            apis,
            stopped,
            serves_root,
            names_of_keys,
            router,
        }
    }

    /// Whether an operator has stopped an API, or one of its operations.
    pub fn is_stopped(&self, api: &str, operation: Option<&ApiOperation>) -> bool {
        let found = self.stopped.get(&switch(api, operation));
        found.is_some_and(|stopped| stopped.load(Ordering::Relaxed))
    }
}

/// The state that all threads of a gateway share.
struct GatewayShared<B> {
    backend: B,
    config: GatewayConfig,
    metrics: GatewayMetrics,
    guard: Arc<CredentialGuard>,
    limiter: Option<RateLimiter>,
    /// The receiver of finished requests.
    observer: RequestObserver,
    policies: Mutex<PolicySet>,
    /// APIs that are not served, and why.
    unserved: Mutex<Vec<UnservedApi>>,
    /// Audit records that were dropped lately.
    losses: Mutex<losses::RecentLosses>,
    routes: Mutex<Arc<ApiRoutes>>,
    /// Moves on with every change of `routes`.
    generation: AtomicU64,
    draining: AtomicBool,
    /// The memory of all connections.
    memory: Arc<GatewayMemory>,
    /// Most connections of one door.
    connections_a_door: usize,
    /// The CORS headers.
    cors: Option<CorsHeaders>,
    /// A constant answer instead of programs.
    constant: Option<Bytes>,
    /// The address of HTTP.
    address: SocketAddr,
}

impl<B: ProgramBackend> GatewayShared<B> {
    fn routes(&self) -> Arc<ApiRoutes> {
        self.routes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Puts other APIs in force. Stopped APIs and operations stay stopped.
    fn install(&self, change: impl FnOnce(&[Arc<LoadedApi>]) -> Vec<Arc<LoadedApi>>) {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let (apis, before) = (change(&routes.apis), routes.stopped.clone());
        let policies = self.policies.lock().unwrap_or_else(PoisonError::into_inner);
        let with = (&self.config, &*policies);
        *routes = Arc::new(ApiRoutes::new(apis, &self.metrics, with, before));
        self.generation.fetch_add(1, Ordering::Release);
        self.metrics.reloads.fetch_add(1, Ordering::Relaxed);
    }

    /// The impairments, and whether requests are served despite them.
    fn impairment(&self, unserved: &[UnservedApi]) -> Option<(String, bool)> {
        if let Some(reason) = self.backend.impairment() {
            return Some((reason, self.backend.ready()));
        }
        let dropped = self.observer.counts.audit_dropped.load(Ordering::Relaxed);
        let mut losses = self.losses.lock().unwrap_or_else(PoisonError::into_inner);
        if losses.are_recent(dropped, Instant::now()) {
            return Some((format!("{dropped} audit records were dropped"), true));
        }
        let first = unserved.first()?;
        let is_whole = |u: &UnservedApi, name: &str| u.api == name && !u.is_partial;
        let is_unserved = |api: &Arc<LoadedApi>| unserved.iter().any(|u| is_whole(u, api.name()));
        // One whose programs do not compile is there, and answers nothing.
        let serves_some = self.routes().apis.iter().any(|api| !is_unserved(api));
        let reason = match unserved.len() {
            1 if first.is_partial => {
                format!("the API {} is served in part: {}", first.api, first.reason)
            }
            1 => format!("the API {} is not served: {}", first.api, first.reason),
            n => format!(
                "{n} APIs are not served, {} first: {}",
                first.api, first.reason
            ),
        };
        Some((reason, serves_some))
    }

    fn health(&self) -> documents::ServerHealth {
        use documents::HealthState;
        let unserved = self.unserved.lock();
        let unserved = unserved.unwrap_or_else(PoisonError::into_inner).clone();
        let state = if self.draining.load(Ordering::Relaxed) {
            HealthState::Down
        } else {
            match self.impairment(&unserved) {
                Some((reason, ready)) => HealthState::Degraded { reason, ready },
                None => HealthState::Up,
            }
        };
        documents::ServerHealth { state, unserved }
    }
}

/// The listeners of services, for each door.
type ServiceListeners = Vec<Vec<(std::net::TcpListener, Arc<service::ServiceState>)>>;

impl<B> GatewayShared<B> {
    /// Listens for the services. Returns where, by name.
    fn open_services(
        &self,
        doors: usize,
    ) -> Result<(ServiceListeners, Vec<(String, SocketAddr)>), StartError> {
        let mut each: ServiceListeners = std::iter::repeat_with(Vec::new).take(doors).collect();
        let mut places = Vec::new();
        for config in &self.config.services {
            let tls = config.tls.as_ref().map(TlsConfig::load).transpose()?;
            let backlog = match config.backlog {
                0 => listen::BACKLOG,
                n => i32::try_from(n).unwrap_or(listen::BACKLOG),
            };
            let listeners = listen::bind_waiting(config.listen, doors, backlog)?;
            places.push((
                config.name.clone(),
                listen::address(&listeners[0], config.listen)?,
            ));
            let metrics = self.metrics.operation("TCPIPSERVICE", "*", &config.name);
            let state = service::ServiceState::new(config.clone(), tls.map(Arc::new), metrics);
            let state = Arc::new(state);
            for (door, listener) in each.iter_mut().zip(listeners) {
                door.push((listener, state.clone()));
            }
        }
        Ok((each, places))
    }
}

/// A running gateway. Dropping it closes its connections at once.
pub struct Gateway<B: ProgramBackend> {
    shared: Arc<GatewayShared<B>>,
    threads: Vec<JoinHandle<()>>,
    /// The administration port, which answers until everything else has ended.
    admin: Option<JoinHandle<()>>,
    stop: watch::Sender<StopOrder>,
    /// The addresses of HTTP, HTTPS, administration.
    addresses: (SocketAddr, Option<SocketAddr>, Option<SocketAddr>),
    /// The addresses of services, by name.
    services: Vec<(String, SocketAddr)>,
}

/// The orders for the threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopOrder {
    /// Serve.
    No,
    /// Accept nothing more, end each connection after its request.
    Drain,
    /// End.
    Now,
}

impl<B: ProgramBackend> Gateway<B> {
    /// Listens and serves; returns as soon as connections are accepted.
    pub fn start(
        config: GatewayConfig,
        apis: Vec<impl Into<Arc<LoadedApi>>>,
        backend: B,
    ) -> Result<Gateway<B>, StartError> {
        let apis = apis.into_iter().map(Into::into).collect();
        Gateway::launch(config, apis, backend, None)
    }

    fn launch(
        config: GatewayConfig,
        apis: Vec<Arc<LoadedApi>>,
        backend: B,
        constant: Option<Bytes>,
    ) -> Result<Gateway<B>, StartError> {
        let guard = CredentialGuard::start(config.security.clone())?;
        let means = config.security.means();
        if let Some(admin) = config.admin.filter(|admin| !admin.ip().is_loopback())
            && means == crate::security::AvailableSchemes::default()
        {
            return Err(StartError::OpenAdministration(admin));
        }
        let metrics = GatewayMetrics::default();
        let routes = ApiRoutes::new(apis, &metrics, (&config, &config.policies), Switches::new());
        let observer =
            RequestObserver::start(&config.observe, &backend).map_err(StartError::Observe)?;
        let doors = match config.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get().div_ceil(2)),
            n => n,
        };
        memory::return_large_blocks();
        let plain = if config.http {
            listen::bind_all(config.listen, doors)?
        } else {
            Vec::new()
        };
        let address = match plain.first() {
            Some(first) => listen::address(first, config.listen)?,
            None => config.listen,
        };
        let shared = Arc::new(GatewayShared {
            address,
            backend,
            metrics,
            guard,
            limiter: config.security.rate.map(RateLimiter::new),
            observer,
            policies: Mutex::new(config.policies.clone()),
            unserved: Mutex::default(),
            losses: Mutex::default(),
            routes: Mutex::new(Arc::new(routes)),
            generation: AtomicU64::new(1),
            draining: AtomicBool::new(false),
            memory: Arc::new(GatewayMemory::new(config.memory_bytes)),
            connections_a_door: config.max_connections.div_ceil(doors).max(1),
            cors: CorsHeaders::new(&config.cors),
            constant,
            config,
        });
        let (mut secure, mut tls, mut tls_address) = (Vec::new(), None, None);
        if let Some(config) = &shared.config.tls {
            tls = Some(Arc::new(config.load()?));
        }
        if let Some(config) = shared.config.tls.as_ref().filter(|_| shared.config.http) {
            secure = listen::bind_all(config.listen, doors)?;
            tls_address = Some(listen::address(&secure[0], config.listen)?);
        }
        let (stop, watched) = watch::channel(StopOrder::No);
        let mut threads = Vec::new();
        let (mut admin, mut admin_address) = (None, None);
        if let Some(wanted) = shared.config.admin {
            let listener = listen::bind_all(wanted, 1)?.remove(0);
            admin_address = Some(listen::address(&listener, wanted)?);
            let (shared, watched) = (shared.clone(), watched.clone());
            let tls = tls.clone().filter(|_| shared.config.admin_tls);
            let run = move || {
                shared.backend.on_thread();
                admin::run(shared, listener, tls, watched);
            };
            admin = Some(listen::spawn("gw-admin", run)?);
        }
        let (mut services, places) = shared.open_services(doors)?;
        let mut secure = secure.into_iter();
        for (number, listener) in plain.into_iter().enumerate() {
            let listeners = door::DoorListeners {
                plain: listener,
                tls: secure.next().zip(tls.clone()),
                services: services.pop().unwrap_or_default(),
            };
            let (shared, watched) = (shared.clone(), watched.clone());
            let run = move || {
                shared.backend.on_thread();
                door::run(shared, listeners, watched);
            };
            threads.push(listen::spawn(&format!("gw-door-{number}"), run)?);
        }
        let addresses = (address, tls_address, admin_address);
        Ok(Gateway {
            shared,
            threads,
            admin,
            stop,
            addresses,
            services: places,
        })
    }

    /// The addresses of services, by name.
    pub fn service_addresses(&self) -> &[(String, SocketAddr)] {
        &self.services
    }

    /// The address of HTTP.
    pub fn address(&self) -> SocketAddr {
        self.addresses.0
    }

    /// The address of HTTPS.
    pub fn tls_address(&self) -> Option<SocketAddr> {
        self.addresses.1
    }

    /// The address of administration.
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.addresses.2
    }

    /// The tokens of the administration port, where it asks for no user.
    pub fn operators(&self) -> Option<&Arc<OperatorTokens>> {
        let tokens = self.shared.config.operators.as_ref();
        tokens.filter(|_| !self.shared.admin_authenticates())
    }

    /// Replaces the APIs. Requests under way end under the old ones, the next
    /// request of every connection is served by the new ones.
    pub fn reload(&self, apis: Vec<impl Into<Arc<LoadedApi>>>) {
        let apis = apis.into_iter().map(Into::into).collect();
        self.shared.install(|_| apis);
    }

    /// As above with other policies.
    pub fn reload_with(&self, apis: Vec<impl Into<Arc<LoadedApi>>>, policies: PolicySet) {
        let before = self.shared.policies.lock();
        *before.unwrap_or_else(PoisonError::into_inner) = policies;
        self.reload(apis);
    }

    /// The APIs in force.
    pub fn apis(&self) -> Vec<Arc<LoadedApi>> {
        self.shared.routes().apis.clone()
    }

    /// Passes `/health` the APIs that are not served, with reasons.
    pub fn report_unserved(&self, unserved: Vec<UnservedApi>) {
        let reported = self.shared.unserved.lock();
        *reported.unwrap_or_else(PoisonError::into_inner) = unserved;
    }

    /// Accepts no new connections, lets running requests end, and ends;
    /// connections left after `grace` are cut off. Blocks until all threads
    /// have ended.
    pub fn shutdown(mut self, grace: Duration) {
        self.shared.draining.store(true, Ordering::Relaxed);
        let _ = self.stop.send(StopOrder::Drain);
        let deadline = std::time::Instant::now() + grace;
        // Each door ends by itself after its connections; when the grace time
        // has passed, this thread sends the order to abort.
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let stop = self.stop.clone();
        let reaper = std::thread::spawn(move || {
            let left = deadline.saturating_duration_since(std::time::Instant::now());
            if receiver.recv_timeout(left).is_err() {
                let _ = stop.send(StopOrder::Now);
            }
        });
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        let _ = sender.send(());
        let _ = reaper.join();
    }

    fn end(&mut self) {
        let _ = self.stop.send(StopOrder::Now);
        for thread in self.threads.drain(..).chain(self.admin.take()) {
            let _ = thread.join();
        }
        self.shared.observer.finish();
    }
}

impl<B: ProgramBackend> Drop for Gateway<B> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Keeps the calling thread on some CPUs; none means all.
fn pin_to(cpus: &[usize]) {
    if cpus.is_empty() {
        return;
    }
    // SAFETY: the set is plain data, zero is its empty value, and every index
    // is checked against its size before it is set.
    let failed = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        for cpu in cpus.iter().filter(|cpu| **cpu < libc::CPU_SETSIZE as usize) {
            libc::CPU_SET(*cpu, &mut set);
        }
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) != 0
    };
    if failed {
        tracing::warn!(error = %std::io::Error::last_os_error(), "the CPUs cannot be used");
    }
}
