//! The node as a running thing.
//!
//! One lock guards the node and its transports ([`inner`]); threads that wait
//! share the work of the sockets ([`pump`]); programs that partners attach run
//! on threads of a pool ([`jobs`]).

mod address;
mod change;
mod contest;
mod driven;
mod inner;
mod jobs;
mod peer_faults;
mod pump;
mod spin_policy;

use crate::Error;
use crate::admin::{LinkStatus, ModeStatus, SessionStatus, Status};
use crate::config::{AppcConfig, PartnerConfig, lu_name};
use crate::conversation::{AllocateRequest, Conversation};
use crate::net::{DlswTransport, EthernetTransport, LinkTransport, LocalNode, PendingCircuit};
use crate::trace::CaptureWriter;
use address::{literal, resolve};
pub use driven::DrivenNode;
use inner::CallState;
pub(crate) use inner::HostState;
use jobs::JobPool;
use mio::{Events, Interest, Token, Waker};
pub(crate) use peer_faults::PeerFaultLog;
use pump::SocketPump;
pub use pump::WakeEvent;
use sna::conversation::code::{DeallocateType, ReturnCode, State};
use sna::dlc::pdu::SAP_SNA;
use sna::dlc::ssp::StationPair;
use sna::{ConversationId, LuName, MonotonicTime, Node, NodeConfig, PartnerLu, TpDefinition};
use spin_policy::SpinPolicy;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;
use std::thread::JoinHandle;
use std::time::Duration;

const WAKER: Token = Token(0);
const LISTENER: Token = Token(1);
const FIRST_TRANSPORT: usize = 2;

/// A program that partners attach: called on its own thread with each conversation.
pub type Program = Arc<dyn Fn(IncomingAttach) + Send + Sync>;

/// Called by each thread of a node when it begins.
pub type ThreadHook = Arc<dyn Fn() + Send + Sync>;

/// An attach, handed to its program.
pub struct IncomingAttach {
    /// The conversation, in receive state.
    pub conversation: Conversation,
    /// The attach.
    pub attached: sna::CheckedAttach,
}

impl IncomingAttach {
    fn new(shared: Arc<SharedHost>, attached: sna::CheckedAttach) -> IncomingAttach {
        IncomingAttach {
            conversation: Conversation::incoming(shared, &attached),
            attached,
        }
    }
}

/// One APPC node. Clones are the same node; it stops when [`NodeHost::stop`] is
/// called or the last clone is dropped.
#[derive(Clone)]
pub struct NodeHost {
    shared: Arc<SharedHost>,
    _owner: Arc<HostStopper>,
}

/// The state that all threads of a host share.
pub(crate) struct SharedHost {
    inner: Mutex<HostState>,
    pump: Mutex<SocketPump>,
    background: Condvar,
    waker: Waker,
    origin: std::time::Instant,
    stopping: AtomicBool,
    jobs: JobPool,
    partners: Mutex<BTreeMap<String, PartnerConfig>>,
    /// One lock a partner, so that threads that want the same one call it once.
    calling: Mutex<BTreeMap<String, Arc<Mutex<()>>>>,
    config: AppcConfig,
    listening: Option<SocketAddr>,
    me: Weak<SharedHost>,
}

/// Stops the host when the last handle is dropped.
struct HostStopper {
    shared: Arc<SharedHost>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Drop for HostStopper {
    fn drop(&mut self) {
        self.shared.stop();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let ours = |thread: &JoinHandle<()>| thread.thread().id() == std::thread::current().id();
        if let Some(thread) = thread.filter(|thread| !ours(thread)) {
            let _ = thread.join();
        }
    }
}

impl NodeHost {
    /// Starts a node: listens where the configuration says, and waits.
    pub fn start(config: AppcConfig) -> Result<NodeHost, Error> {
        NodeHost::start_with(config, Arc::new(|| ()))
    }

    /// As [`NodeHost::start`]; each thread of the node calls `on_thread` first, so
    /// that its CPU time can be accounted.
    pub fn start_with(config: AppcConfig, on_thread: ThreadHook) -> Result<NodeHost, Error> {
        let shared = SharedHost::start(config, on_thread.clone())?;
        let background = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("appc".into())
            .spawn(move || {
                on_thread();
                background.run_background();
            })
            .map_err(|error| Error::Io("thread".into(), error))?;
        let owner = Arc::new(HostStopper {
            shared: Arc::clone(&shared),
            thread: Mutex::new(Some(thread)),
        });
        Ok(NodeHost {
            shared,
            _owner: owner,
        })
    }

    /// The address on which DLSw partners connect; needed if the port was 0.
    pub fn listening(&self) -> Option<SocketAddr> {
        self.shared.listening
    }

    /// This node's logical unit.
    pub fn lu(&self) -> &str {
        &self.shared.config.lu
    }

    /// Adds a partner at the DLSw switch at `address` (`host[:port]`).
    pub fn define_partner(&self, name: &str, address: &str) -> Result<(), Error> {
        self.define_partner_as(name, PartnerConfig::at(address))
    }

    /// Adds a partner.
    pub fn define_partner_as(&self, name: &str, partner: PartnerConfig) -> Result<(), Error> {
        let lu = lu_name("partner", name)?;
        partner.station_mac(name)?;
        let mut inner = self.shared.lock();
        inner.node.define_partner(PartnerLu {
            name: lu,
            parallel: !partner.single_session,
            trusted: partner.trusted,
        });
        if let Some(switch) = literal(&partner) {
            inner.note_switch(switch);
        }
        drop(inner);
        self.shared.partners().insert(name.to_owned(), partner);
        Ok(())
    }

    /// Lets partners attach a program.
    pub fn define_program(&self, tp: TpDefinition, program: Program) {
        let mut inner = self.shared.lock();
        inner.programs.insert(tp.name.clone(), program);
        inner.node.define_tp(tp);
    }

    /// Removes a transaction program: partners that attach it from now on
    /// receive that it is not recognized.
    pub fn remove_program(&self, name: &sna::TpName) {
        let mut inner = self.shared.lock();
        inner.programs.remove(name);
        inner.node.remove_tp(name);
    }

    /// Changes or adds a mode. Active sessions keep the old values.
    pub fn define_mode(&self, mode: sna::Mode) {
        self.shared.lock().node.modes_mut().define(mode);
    }

    /// The modes.
    pub fn modes(&self) -> Vec<sna::Mode> {
        self.shared
            .lock()
            .node
            .config()
            .modes
            .iter()
            .cloned()
            .collect()
    }

    /// Allocates a conversation, and sets up a link and a session if needed.
    pub fn allocate(&self, call: &AllocateRequest) -> Result<Conversation, Error> {
        loop {
            let moves = self.shared.lock().moves;
            self.connect(&call.partner)?;
            let lu = &self.shared.config.lu;
            let allocated = Conversation::allocate(Arc::clone(&self.shared), lu, call);
            // A partner that got another address meanwhile is reached there.
            let code = allocated.as_ref().err().and_then(Error::code);
            let failed = code == Some(ReturnCode::AllocateFailureRetry);
            if !failed || self.shared.lock().moves == moves {
                return allocated;
            }
        }
    }

    /// Makes sure that a link leads to `partner`.
    pub fn connect(&self, partner: &str) -> Result<(), Error> {
        let lu = lu_name("partner", partner)?;
        if self.shared.lock().leads_to(&lu) {
            return Ok(());
        }
        let calling = Arc::clone(
            self.shared
                .calling
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(partner.to_owned())
                .or_default(),
        );
        let _calling = calling.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.shared.lock().leads_to(&lu) {
                return Ok(());
            }
            let config = self.shared.partners().get(partner).cloned();
            let config = config.ok_or_else(|| Error::UnknownPartner(partner.to_owned()))?;
            let called = self.call(partner, &lu, &config);
            if !self.moved_meanwhile(partner, &lu, &config) {
                return called;
            }
        }
    }

    /// Sets up a link to where `config` says, and waits until it is up.
    fn call(&self, partner: &str, lu: &LuName, config: &PartnerConfig) -> Result<(), Error> {
        let call = match (&config.address, config.ethernet) {
            (_, true) => self.call_ethernet(partner, lu.clone(), config)?,
            (Some(address), _) => self.call_dlsw(partner, lu.clone(), config, address)?,
            (None, _) => return Err(Error::UnknownPartner(partner.to_owned())),
        };
        let state = self.shared.blocking(WakeEvent::Call(call), |inner| {
            match inner.calls.get(&call) {
                None | Some(CallState::Pending(_)) => Poll::Pending,
                Some(done) => Poll::Ready(done.clone()),
            }
        })?;
        self.shared.lock().calls.remove(&call);
        match state {
            CallState::Failed(why) => Err(Error::Link {
                partner: partner.to_owned(),
                why,
            }),
            _ => Ok(()),
        }
    }

    fn call_dlsw(
        &self,
        name: &str,
        partner: LuName,
        config: &PartnerConfig,
        address: &str,
    ) -> Result<u64, Error> {
        let limit = Duration::from_secs(self.shared.config.activation_timeout_s);
        // A name may have several addresses: the first that answers is used.
        let mut refused = Error::UnknownPartner(name.to_owned());
        for address in resolve(address)? {
            match std::net::TcpStream::connect_timeout(&address, limit) {
                Ok(stream) => {
                    return self
                        .shared
                        .call_over(name, partner, config, address, stream);
                }
                Err(why) => refused = Error::Connect { address, why },
            }
        }
        Err(refused)
    }

    fn call_ethernet(
        &self,
        name: &str,
        partner: LuName,
        config: &PartnerConfig,
    ) -> Result<u64, Error> {
        let mac = match &config.mac {
            Some(_) => config.station_mac(name)?,
            None => sna::dlc::mac::reversed(config.station_mac(name)?),
        };
        let sap = config.sap()?;
        let mut inner = self.shared.lock();
        let call = inner.next_call(self.shared.call_limit());
        let now = self.shared.now().as_nanos();
        let ether = inner
            .transports
            .values_mut()
            .find_map(|transport| match transport {
                LinkTransport::Ether(ether) => Some(ether),
                LinkTransport::Dlsw(_) => None,
            });
        let Some(ether) = ether else {
            let why = "the configuration has no `interface`".to_owned();
            return Err(Error::Socket(why));
        };
        ether.call(now, mac, sap, partner, call);
        Ok(call)
    }

    /// Runs `verb` on the node, and sends its output. For verbs that never
    /// wait.
    pub fn once<T>(&self, verb: impl FnOnce(&mut Node, MonotonicTime) -> T) -> T {
        let mut inner = self.shared.lock();
        let value = verb(&mut inner.node, self.shared.now());
        self.shared.drain(&mut inner, false);
        value
    }

    /// Calls `verb` of this conversation until it is done, waiting in between.
    pub fn verb<T>(
        &self,
        conversation: ConversationId,
        mut verb: impl FnMut(&mut Node, MonotonicTime) -> Poll<T>,
    ) -> Result<T, Error> {
        let shared = &self.shared;
        shared.blocking(WakeEvent::Conversation(conversation), |inner| {
            verb(&mut inner.node, shared.now())
        })
    }

    /// Ends a conversation as failed: a verb that waits in it returns.
    pub fn abend(&self, conversation: ConversationId) {
        let mut inner = self.shared.lock();
        if inner.node.state(conversation) == State::Reset {
            return;
        }
        // Never waits: an abend needs no answer.
        let _ = inner.node.deallocate(conversation, DeallocateType::Abend);
        self.shared.drain(&mut inner, false);
        let wake = WakeEvent::Conversation(conversation);
        inner.ready.insert(wake);
        if inner.waiting.notify(wake) {
            self.shared.wake_pump();
        }
    }

    /// The node's present state.
    pub fn status(&self) -> Status {
        self.shared.status()
    }

    /// Whether the host was stopped.
    pub fn stopped(&self) -> bool {
        self.shared.stopped()
    }

    pub(crate) fn weak(&self) -> Weak<SharedHost> {
        Arc::downgrade(&self.shared)
    }

    /// Stops: waiting verbs end, links go down.
    pub fn stop(&self) {
        self.shared.stop();
    }
}

impl SharedHost {
    /// The node with its sockets open, not yet driven.
    fn start(config: AppcConfig, on_thread: ThreadHook) -> Result<Arc<SharedHost>, Error> {
        config.validate()?;
        let io = |what: &str| {
            let what = what.to_owned();
            move |error| Error::Io(what, error)
        };
        let poll = mio::Poll::new().map_err(io("poll"))?;
        let waker = Waker::new(poll.registry(), WAKER).map_err(io("waker"))?;
        let registry = poll.registry().try_clone().map_err(io("poll"))?;
        let trace = match &config.trace {
            Some(path) => {
                Some(CaptureWriter::create(path).map_err(io(&path.display().to_string()))?)
            }
            None => None,
        };
        let mut listener = None;
        if let Some(address) = config.listen {
            let connect = |why| Error::Connect { address, why };
            let mut socket = mio::net::TcpListener::bind(address).map_err(connect)?;
            registry
                .register(&mut socket, LISTENER, Interest::READABLE)
                .map_err(connect)?;
            listener = Some(socket);
        }
        let listening = listener
            .as_ref()
            .and_then(|listener| listener.local_addr().ok());
        let mut inner = HostState::new(node(&config)?, local(&config)?, registry, trace);
        inner.listening = listening;
        for switch in config.partners.values().filter_map(literal) {
            inner.note_switch(switch);
        }
        open_interface(&config, &mut inner)?;
        let pump = SocketPump {
            poll,
            events: Events::with_capacity(256),
            listener,
            patience: SpinPolicy::new(),
        };
        let partners = Mutex::new(config.partners.clone());
        Ok(Arc::new_cyclic(|me| SharedHost {
            inner: Mutex::new(inner),
            pump: Mutex::new(pump),
            background: Condvar::new(),
            waker,
            origin: std::time::Instant::now(),
            stopping: AtomicBool::new(false),
            jobs: JobPool::new(config.max_programs, on_thread),
            partners,
            calling: Mutex::default(),
            listening,
            me: me.clone(),
            config,
        }))
    }

    pub(crate) fn status(&self) -> Status {
        let inner = self.lock();
        let mut links: Vec<LinkStatus> = Vec::new();
        for transport in inner.transports.values() {
            transport.describe(&mut links);
        }
        Status {
            lu: self.config.lu.clone(),
            listening: self.listening,
            links,
            sessions: inner.node.sessions().map(SessionStatus::from).collect(),
            modes: inner
                .node
                .config()
                .modes
                .iter()
                .map(ModeStatus::from)
                .collect(),
            programs: inner
                .programs
                .keys()
                .map(ToString::to_string)
                .collect::<BTreeSet<_>>(),
            running: self.jobs.running(),
            attached: inner.attached,
        }
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, HostState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn partners(&self) -> MutexGuard<'_, BTreeMap<String, PartnerConfig>> {
        self.partners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The host's clock.
    pub(crate) fn now(&self) -> MonotonicTime {
        MonotonicTime::from_nanos(self.origin.elapsed().as_nanos() as u64)
    }

    /// Deadline for an answer to a call that begins now. The circuit and the
    /// link have limits of their own with better messages; this one is for a
    /// peer that accepts a connection and sends nothing.
    fn call_limit(&self) -> MonotonicTime {
        let limit = Duration::from_secs(self.config.activation_timeout_s);
        self.now() + limit + limit / 2
    }

    /// Begins to set up a link over a connection to the partner's switch; the
    /// number of the call.
    fn call_over(
        &self,
        name: &str,
        partner: LuName,
        config: &PartnerConfig,
        address: SocketAddr,
        stream: std::net::TcpStream,
    ) -> Result<u64, Error> {
        let connect = |why| Error::Connect { address, why };
        stream.set_nonblocking(true).map_err(connect)?;
        let mut inner = self.lock();
        let call = inner.next_call(self.call_limit());
        let stations = StationPair {
            target_mac: config.station_mac(name)?,
            origin_mac: inner.local.mac,
            origin_sap: SAP_SNA,
            target_sap: config.sap()?,
        };
        let wish = PendingCircuit {
            stations,
            partner,
            call,
        };
        let stream = mio::net::TcpStream::from_std(stream);
        let now = self.now();
        inner.note_switch(address);
        let dlsw =
            DlswTransport::opened(stream, address, inner.local.clone(), wish, now.as_nanos());
        inner.add_dlsw(dlsw, now).map_err(connect)?;
        self.drain(&mut inner, false);
        Ok(call)
    }

    fn stop(&self) {
        if self.stopping.swap(true, Ordering::Relaxed) {
            return;
        }
        self.jobs.stop();
        let mut inner = self.lock();
        inner.close_all(self.now());
        inner.waiting.notify_all();
        self.background.notify_all();
        drop(inner);
        self.wake_pump();
    }
}

impl HostState {
    fn next_call(&mut self, until: MonotonicTime) -> u64 {
        let call = self.next_call;
        self.next_call += 1;
        self.calls.insert(call, CallState::Pending(until));
        call
    }
}

fn node(config: &AppcConfig) -> Result<Node, Error> {
    let (_, number) = config.node_id()?;
    let mut node = Node::new(NodeConfig {
        modes: config.mode_table()?,
        activation_timeout: Duration::from_secs(config.activation_timeout_s),
        max_sessions: config.max_sessions,
        receive_backlog_bytes: 1024 * 1024,
        send_backlog_bytes: 256 * 1024,
        seed: u64::from(number) << 32 | u64::from(std::process::id()),
        ..NodeConfig::default()
    });
    node.define_lu(lu_name("lu", &config.lu)?);
    for (name, partner) in &config.partners {
        node.define_partner(PartnerLu {
            name: lu_name("partners", name)?,
            parallel: !partner.single_session,
            trusted: partner.trusted,
        });
    }
    for (name, password) in &config.users {
        node.define_user(sna::LocalUser {
            name: name.clone(),
            password: sna::PasswordBytes::new(password),
        });
    }
    Ok(node)
}

fn local(config: &AppcConfig) -> Result<LocalNode, Error> {
    let (id_block, id_number) = config.node_id()?;
    Ok(LocalNode {
        lu: lu_name("lu", &config.lu)?,
        mac: config.station_mac()?,
        id_block,
        id_number,
        max_btu_bytes: config.max_btu_bytes,
        circuit_window: config.circuit_window,
        setup_ns: config.activation_timeout_s * 1_000_000_000,
        connections: config.tcp_connections,
    })
}

fn open_interface(config: &AppcConfig, inner: &mut HostState) -> Result<(), Error> {
    let Some(interface) = &config.interface else {
        return Ok(());
    };
    let own = config
        .mac
        .as_ref()
        .map(|_| sna::dlc::mac::reversed(inner.local.mac));
    let ether = EthernetTransport::open(interface, inner.local.clone(), own)?;
    let token = inner.fresh_token();
    let fd = ether.socket.as_raw_fd();
    inner
        .registry
        .register(
            &mut mio::unix::SourceFd(&fd),
            Token(token),
            Interest::READABLE,
        )
        .map_err(|error| Error::Io(interface.clone(), error))?;
    inner
        .transports
        .insert(token, LinkTransport::Ether(Box::new(ether)));
    Ok(())
}
