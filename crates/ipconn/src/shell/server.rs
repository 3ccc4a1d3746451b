//! The listener of a region: threads that accept partners and serve their
//! requests, each with a port of the region of its own.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::net::{SocketAddr, TcpListener as StdListener};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use ::tls::ReloadingSettings;
use bytes::Bytes;
use region::engine::{self, EngineClass};
use region::{Handle, Port, UserId};
use rustls::ServerConfig;
use seats::{ListenerSeats, SeatHandle, SeatLimits, SeatPhase, SeatWork};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, spawn_local};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::client::LocalIdentity;
use super::directory::{ConnectionDirectory, PartnerCounters};
use super::drive::{ConnectionDriver, Stream, drive};
use super::mirror::MirrorRegion;
use super::tls::{self, TlsError};
use crate::IpconnConfig;
use crate::connection::{Connection, ConnectionEvent};
use crate::serving;
use crate::units::BranchTable;
use crate::wire::{EndNotice, HelloMessage, VERSION, WireName};

/// How long the TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Pause after an accept that failed because of missing descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;
/// Bytes of a request that may arrive before the rest is granted.
const UNASKED: u32 = 64 << 10;

/// Why a listener could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address could not be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// A certificate, a key or an authority cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The region has no port left for another thread.
    #[error("the region has no free port for another thread")]
    NoPort,
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// The services for partners.
#[derive(Clone)]
pub struct ServedRegion {
    /// The region.
    pub region: Handle,
    /// The default user of the partner's tasks.
    pub user: UserId,
}

/// A listener that runs. Dropping it ends its connections.
pub struct Listener {
    address: SocketAddr,
    stop: watch::Sender<StopStage>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopStage {
    No,
    /// No new request is accepted; connections end after the running ones.
    Drain,
    Now,
}

/// The state that all threads share.
struct SharedServer {
    hello: HelloMessage,
    receive_count: usize,
    /// Connections of all threads.
    seats: ListenerSeats,
    max_connections: usize,
    partners: BTreeSet<WireName>,
    tls: Option<ReloadingSettings<ServerConfig>>,
    mirror: MirrorRegion,
    directory: ConnectionDirectory,
    /// Number of accepted connections.
    accepted: AtomicU64,
}

/// A thread, as its connections see it.
struct ServerThread {
    shared: Arc<SharedServer>,
    port: Port,
}

impl Listener {
    /// Starts to listen. Returns `None` if the settings have no address.
    pub fn start(
        config: &IpconnConfig,
        folder: &Path,
        who: &LocalIdentity,
        served: ServedRegion,
        directory: ConnectionDirectory,
    ) -> Result<Option<Listener>, StartError> {
        let Some(wanted) = config.listen else {
            return Ok(None);
        };
        let tls = config.tls.as_ref();
        let tls = tls.map(|files| tls::acceptor(folder, files)).transpose()?;
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = match config.threads {
            0 => cpus.div_ceil(4),
            n => n as usize,
        };
        let shared = Arc::new(SharedServer {
            hello: HelloMessage {
                versions: (VERSION, VERSION),
                sessions: config.receive_count,
                lanes: 1,
                keepalive_ms: 5000,
                unasked_bytes: UNASKED,
                max_message_bytes: config.max_message_mib.saturating_mul(1 << 20),
                instance: who.instance,
                applid: who.applid,
                sysid: who.sysid,
            },
            receive_count: usize::from(config.receive_count),
            seats: ListenerSeats::new(SeatLimits {
                most: config.max_connections as usize,
                // If all threads are busy, a partner is rejected
                // with the reason.
                reserved: 0,
            }),
            max_connections: config.max_connections as usize,
            partners: config
                .partners
                .iter()
                .filter_map(|p| WireName::new(p).ok())
                .collect(),
            tls,
            mirror: MirrorRegion {
                region: served.region.clone(),
                user: served.user,
                units: Arc::new(BranchTable::default()),
            },
            directory,
            accepted: AtomicU64::new(0),
        });
        let fail = |source| StartError::Listen {
            address: wanted,
            source,
        };
        let first = bind(wanted, threads > 1).map_err(fail)?;
        let address = first.local_addr().map_err(fail)?;
        let mut listeners = vec![first];
        for _ in 1..threads {
            listeners.push(bind(address, true).map_err(fail)?);
        }
        let (stop, watched) = watch::channel(StopStage::No);
        let mut running = Vec::new();
        for (number, listener) in listeners.into_iter().enumerate() {
            let port = served.region.attach_port().ok_or(StartError::NoPort)?;
            let (shared, watched) = (shared.clone(), watched.clone());
            let thread = std::thread::Builder::new()
                .name(format!("ipconn-{number}"))
                .spawn(move || run(ServerThread { shared, port }, listener, watched))
                .map_err(StartError::Thread)?;
            running.push(thread);
        }
        Ok(Some(Listener {
            address,
            stop,
            threads: running,
        }))
    }

    /// The listening address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no new requests, finishes running ones, and ends; requests still
    /// running after `limit` are cut off. Blocks meanwhile.
    pub fn stop(mut self, limit: Duration) {
        let _ = self.stop.send(StopStage::Drain);
        let (done, over) = std::sync::mpsc::channel::<()>();
        let stop = self.stop.clone();
        let reaper = std::thread::spawn(move || {
            if over.recv_timeout(limit).is_err() {
                let _ = stop.send(StopStage::Now);
            }
        });
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        let _ = done.send(());
        let _ = reaper.join();
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.stop.send(StopStage::Now);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn bind(address: SocketAddr, shared: bool) -> std::io::Result<StdListener> {
    let (domain, protocol) = (Domain::for_address(address), Some(Protocol::TCP));
    let socket = Socket::new(domain, Type::STREAM, protocol)?;
    socket.set_reuse_address(true)?;
    if shared {
        socket.set_reuse_port(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

fn run(thread: ServerThread, listener: StdListener, stop: watch::Receiver<StopStage>) {
    engine::enter("ipconn", EngineClass::Offload);
    let runtime = match thread.port.runtime() {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!(target: "ipconn", %error, "a thread cannot start");
            return;
        }
    };
    runtime.block_on(accept(Rc::new(thread), listener, stop));
}

/// Accepts until it is to stop, and then waits for the connections.
async fn accept(
    thread: Rc<ServerThread>,
    listener: StdListener,
    mut stop: watch::Receiver<StopStage>,
) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::error!(target: "ipconn", %error, "cannot listen");
            return;
        }
    };
    let mut tasks = tokio::task::JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => {
                    let seats = &thread.shared.seats;
                    let seat = seats.enter();
                    let handle = seat.handle();
                    let came = (stream, address, handle.clone());
                    let served = connection(thread.clone(), came, stop.clone());
                    tasks.spawn_local(async move { seat.hold(served).await });
                    tokio::select! {
                        () = seats.make_place(&handle) => {}
                        _ = stop.changed() => break,
                    }
                }
                Err(error) => {
                    tracing::warn!(target: "ipconn", %error, "accept failed");
                    sleep(ACCEPT_PAUSE).await;
                }
            },
            // Takes those away that have ended.
            Some(_) = tasks.join_next() => {}
            _ = stop.changed() => break,
        }
    }
    drop(listener);
    loop {
        tokio::select! {
            ended = tasks.join_next() => if ended.is_none() { return },
            changed = stop.changed() => {
                if changed.is_err() || *stop.borrow() == StopStage::Now {
                    return;
                }
            }
        }
    }
}

async fn connection(
    thread: Rc<ServerThread>,
    (stream, address, seat): (TcpStream, SocketAddr, SeatHandle),
    stop: watch::Receiver<StopStage>,
) {
    let shared = thread.shared.clone();
    let _ = stream.set_nodelay(true);
    let mut stream: Box<dyn Stream> = match &shared.tls {
        None => Box::new(stream),
        Some(tls) => match timeout(HANDSHAKE, TlsAcceptor::from(tls.config()).accept(stream)).await
        {
            Ok(Ok(stream)) => Box::new(stream),
            Ok(Err(error)) => {
                shared.directory.turned_away();
                tracing::warn!(target: "ipconn", %address, %error, "the partner was rejected");
                return;
            }
            Err(_) => {
                shared.directory.turned_away();
                return;
            }
        },
    };
    let partner = Rc::new(PartnerConnection {
        wire: ConnectionDriver::new(Connection::server(shared.hello.clone(), 0)),
        thread,
        address,
        seat,
        number: shared.accepted.fetch_add(1, Relaxed) + 1,
        tasks: RefCell::default(),
        greeted: RefCell::new(None),
    });
    let drained = spawn_local(drain(Rc::downgrade(&partner), stop));
    let own = partner.clone();
    let end = drive(&mut *stream, &partner.wire, &mut |event| own.handle(event)).await;
    drained.abort();
    let greeted = partner.greeted.take();
    for (_, task) in partner.tasks.take() {
        task.abort();
    }
    match greeted {
        Some((applid, sessions, _)) => {
            shared.directory.leave(&applid, sessions);
            for gone in shared.mirror.units.connection_ended(applid, partner.number) {
                shared.mirror.region.coordinator_lost(&gone.prefix());
            }
            tracing::info!(target: "ipconn", %applid, %address, "the connection has ended: {end}");
        }
        None => tracing::warn!(target: "ipconn", %address, "the partner was rejected: {end}"),
    }
}

/// Has a connection drain when the listener does.
async fn drain(partner: std::rc::Weak<PartnerConnection>, mut stop: watch::Receiver<StopStage>) {
    loop {
        if *stop.borrow_and_update() != StopStage::No
            && let Some(partner) = partner.upgrade()
        {
            partner.wire.with(Connection::drain);
        }
        if stop.changed().await.is_err() {
            return;
        }
    }
}

/// A connection of a partner.
struct PartnerConnection {
    wire: ConnectionDriver,
    thread: Rc<ServerThread>,
    address: SocketAddr,
    seat: SeatHandle,
    /// Later connections have greater ones.
    number: u64,
    tasks: RefCell<HashMap<u32, AbortHandle>>,
    /// Its name and its sessions, after it was admitted.
    greeted: RefCell<Option<(WireName, usize, Arc<PartnerCounters>)>>,
}

impl PartnerConnection {
    fn handle(self: &Rc<PartnerConnection>, event: ConnectionEvent) {
        match event {
            ConnectionEvent::Greeted(hello) => match self.admit(&hello) {
                Ok(sessions) => self.wire.with(|c| c.welcome(sessions)),
                Err(why) => {
                    tracing::warn!(target: "ipconn", address = %self.address, "the partner was rejected: \
                        {why}");
                    self.wire.with(|c| {
                        c.refuse(&EndNotice::Refused(why));
                        // No request is under way, so the connection ends after
                        // this frame.
                        c.drain();
                    });
                }
            },
            ConnectionEvent::Request(id, message) => self.begin(id, message),
            ConnectionEvent::Cancelled(id) => {
                if let Some(task) = self.tasks.borrow_mut().remove(&id) {
                    task.abort();
                }
            }
            ConnectionEvent::Open
            | ConnectionEvent::Reply(..)
            | ConnectionEvent::Freed(_)
            | ConnectionEvent::Draining => {}
        }
    }

    /// Sessions for a partner; the error is the reason for its rejection.
    fn admit(&self, hello: &HelloMessage) -> Result<usize, String> {
        let shared = &self.thread.shared;
        if !shared.partners.is_empty() && !shared.partners.contains(&hello.applid) {
            shared.directory.turned_away();
            return Err(format!("{} is not in [ipconn] partners", hello.applid));
        }
        if shared.seats.taken() > shared.max_connections {
            shared.directory.turned_away();
            let most = shared.max_connections;
            return Err(format!(
                "{most} connections are open already, the limit in [ipconn]"
            ));
        }
        let share = shared.receive_count.div_ceil(usize::from(hello.lanes));
        let sessions = share.clamp(1, usize::from(hello.sessions));
        let address = self.address.to_string();
        let counts = shared.directory.arrive(hello, &address, sessions)?;
        tracing::info!(target: "ipconn", applid = %hello.applid, %address, sessions, "a partner has connected");
        *self.greeted.borrow_mut() = Some((hello.applid, sessions, counts));
        self.seat.enter(SeatPhase::Idle);
        Ok(sessions)
    }

    fn begin(self: &Rc<PartnerConnection>, id: u32, message: Vec<u8>) {
        let partner = self.clone();
        let greeted = self.greeted.borrow();
        let Some((applid, _, counts)) = greeted.as_ref() else {
            return;
        };
        let busy = RequestGuard::new(counts.clone(), &self.seat);
        let from = serving::ServedPartner {
            applid: *applid,
            connection: self.number,
        };
        drop(greeted);
        let longest = self.wire.with_connection(Connection::longest);
        let task = spawn_local(async move {
            let thread = &partner.thread;
            let mirror = &thread.shared.mirror;
            let reply = mirror.serve(&thread.port, from, message, longest).await;
            partner.tasks.borrow_mut().remove(&id);
            partner.wire.with(|c| c.reply(id, Bytes::from(reply)));
            thread.shared.directory.answered();
            drop(busy);
        });
        self.tasks.borrow_mut().insert(id, task.abort_handle());
    }
}

/// Counts a request as in progress until it is dropped.
struct RequestGuard(
    Arc<PartnerCounters>,
    #[expect(dead_code, reason = "dropped with it")] SeatWork,
);

impl RequestGuard {
    fn new(counts: Arc<PartnerCounters>, seat: &SeatHandle) -> RequestGuard {
        counts.in_use.fetch_add(1, Relaxed);
        counts.requests.fetch_add(1, Relaxed);
        RequestGuard(counts, seat.begin_work())
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.in_use.fetch_sub(1, Relaxed);
    }
}
