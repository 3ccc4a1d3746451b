//! The door: the listener, the terminals by facility, and the region's service
//! for commands on maps.
//!
//! One thread serves all connections: a terminal costs a future, its session and
//! its socket. The region's threads reach a terminal through its facility.

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use ::tls::Reloading;
use cics::resp::Condition;
use link::Answer;
use region::engine::{self, EngineClass};
use region::{CommandService, FacilityId, GuestPrograms, Handle, ServiceCommand, UserId};
use rustls::ServerConfig;
use tn3270::StartTls;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::browser::BrowserTerminals;
use crate::browses::TerminalBrowses;
use crate::builtin::BuiltInPrograms;
use crate::commands;
use crate::config::TerminalConfig;
use crate::connection::Connection;
use crate::display::Display;
use crate::host::{SignedOnUser, TerminalHost};
use crate::maps::MapTable;
use crate::names::NameTable;
use crate::page::PageTable;
use crate::sign_on::SignOnTable;

/// What TLS connections are accepted with, read again when it is written.
pub type ServerTls = Reloading<ServerConfig>;

/// What connections and commands share.
pub struct Shared {
    /// The settings.
    pub config: TerminalConfig,
    /// Name of the region.
    pub applid: String,
    /// The code pages of terminals.
    pub pages: PageTable,
    /// The process around the door.
    pub host: Option<Arc<dyn TerminalHost>>,
    /// What TLS connections are accepted with.
    pub tls: Option<ServerTls>,
    /// Wrong passwords.
    pub sign_ons: SignOnTable,
    /// Browses of terminals.
    pub browses: TerminalBrowses,
    /// Names in use.
    pub names: NameTable,
    maps: Mutex<Arc<MapTable>>,
    displays: Mutex<HashMap<FacilityId, Arc<Display>>>,
    connections: AtomicUsize,
    running: OnceLock<Running>,
}

/// What is there once the region runs.
struct Running {
    runtime: tokio::runtime::Handle,
    region: Handle,
    user: UserId,
    stop: watch::Receiver<bool>,
}

impl Shared {
    /// The maps in force.
    pub fn maps(&self) -> Arc<MapTable> {
        lock(&self.maps).clone()
    }

    /// Notes the terminal of a facility.
    pub fn attach(&self, facility: FacilityId, display: &Arc<Display>) {
        let mut displays = lock(&self.displays);
        displays.entry(facility).or_insert_with(|| display.clone());
    }

    /// The terminal of a facility.
    pub fn display(&self, facility: FacilityId) -> Option<Arc<Display>> {
        lock(&self.displays).get(&facility).cloned()
    }

    /// All terminals.
    pub fn displays(&self) -> Vec<(FacilityId, Arc<Display>)> {
        let displays = lock(&self.displays);
        displays.iter().map(|(id, d)| (*id, d.clone())).collect()
    }

    /// The door's runtime and the region. Returns `None` before the start.
    pub fn running(&self) -> Option<(&tokio::runtime::Handle, &Handle)> {
        let running = self.running.get()?;
        Some((&running.runtime, &running.region))
    }

    /// A connection of this process, and what ends it. Returns `None` before the
    /// start.
    pub fn connection(self: &Arc<Self>) -> Option<(Connection, watch::Receiver<bool>)> {
        let running = self.running.get()?;
        let (region, user) = (running.region.clone(), running.user);
        let connection = Connection::new(self.clone(), region, user, StartTls::Off);
        Some((connection, running.stop.clone()))
    }

    /// A place for one more connection. Returns `None` if there are too many.
    pub fn take_seat(self: &Arc<Self>) -> Option<Seat> {
        Seat::take(self)
    }

    /// Who tasks of terminals run for without a sign-on.
    pub fn default_user(&self) -> UserId {
        self.running.get().map_or(UserId::BLANK, |r| r.user)
    }

    /// Whether anybody can sign on.
    pub fn has_users(&self) -> bool {
        self.host.as_ref().is_some_and(|host| host.has_users())
    }

    /// Whether transactions that look at the region, or change it, are for users
    /// who have signed on: there are users, or other machines can connect.
    pub fn asks_for_users(&self) -> bool {
        let mut addresses = self.config.addresses();
        self.has_users() || addresses.any(|address| !address.ip().is_loopback())
    }

    /// Another user has a terminal from the next task on; `None` signs off.
    pub fn sign_on(
        &self,
        region: &Handle,
        facility: FacilityId,
        display: &Display,
        user: Option<SignedOnUser>,
    ) {
        let userid = user.as_ref().map_or(self.default_user(), |u| u.userid);
        {
            let mut state = display.lock();
            state.user = user;
            state.wrong_passwords = 0;
        }
        region.sign_on(facility, userid);
    }

    /// A facility is closed.
    pub fn detach(&self, facility: FacilityId) {
        lock(&self.displays).remove(&facility);
    }
}

impl Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// The terminals of a region.
#[derive(Debug)]
pub struct Terminals {
    shared: Arc<Shared>,
    listening: Option<Listening>,
}

#[derive(Debug)]
struct Listening {
    /// Without and with TLS.
    addresses: [Option<SocketAddr>; 2],
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Terminals {
    /// Terminals that are not listened for yet.
    pub fn new(
        config: TerminalConfig,
        applid: &str,
        maps: MapTable,
        host: Option<Arc<dyn TerminalHost>>,
        tls: Option<ServerTls>,
    ) -> Terminals {
        Terminals {
            shared: Arc::new(Shared {
                pages: PageTable::new(&config),
                host,
                tls,
                sign_ons: SignOnTable::default(),
                browses: TerminalBrowses::default(),
                config,
                applid: applid.to_owned(),
                names: NameTable::default(),
                maps: Mutex::new(Arc::new(maps)),
                displays: Mutex::default(),
                connections: AtomicUsize::new(0),
                running: OnceLock::new(),
            }),
            listening: None,
        }
    }

    /// The region's service for commands on maps.
    pub fn service(&self) -> Arc<dyn CommandService> {
        Arc::new(MapService(self.shared.clone()))
    }

    /// The guest programs of built-in transactions; `others` runs all others.
    pub fn guests(&self, others: Option<Arc<dyn GuestPrograms>>) -> Arc<dyn GuestPrograms> {
        Arc::new(BuiltInPrograms {
            shared: self.shared.clone(),
            others,
        })
    }

    /// Takes up work, and listens if the settings say where. Tasks run for
    /// `user`.
    ///
    /// # Errors
    /// The address cannot be listened at, or the thread cannot start.
    pub fn start(&mut self, region: &Handle, user: UserId) -> std::io::Result<()> {
        let config = &self.shared.config;
        let plain = config.listen.map(bind).transpose()?;
        let encrypted = config.tls_listen.map(bind).transpose()?;
        let address = |listener: &Option<std::net::TcpListener>| {
            listener
                .as_ref()
                .map(|listener| listener.local_addr())
                .transpose()
        };
        let addresses = [address(&plain)?, address(&encrypted)?];
        // Passwords are compared one after another.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(1)
            .build()?;
        let (stop, stopped) = watch::channel(false);
        let _ = self.shared.running.set(Running {
            runtime: runtime.handle().clone(),
            region: region.clone(),
            user,
            stop: stopped.clone(),
        });
        let (shared, region) = (self.shared.clone(), region.clone());
        let run = move || {
            engine::enter("terminal", EngineClass::Offload);
            runtime.block_on(accept(shared, &region, user, [plain, encrypted], stopped));
            // A password that is being compared does not hold the region up.
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new()
            .name("tupelo-terminal".to_owned())
            .spawn(run)?;
        self.listening = Some(Listening {
            addresses,
            stop,
            thread,
        });
        Ok(())
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listening.as_ref()?.addresses[0]
    }

    /// Where it listens for clients that begin with TLS.
    pub fn tls_address(&self) -> Option<SocketAddr> {
        self.listening.as_ref()?.addresses[1]
    }

    /// The terminals in browsers.
    pub fn browser(&self) -> Arc<BrowserTerminals> {
        Arc::new(BrowserTerminals::new(self.shared.clone()))
    }

    /// Number of map sets.
    pub fn map_sets(&self) -> usize {
        self.shared.maps().sets()
    }

    /// Other maps are in force from now on.
    pub fn reload(&self, maps: MapTable) {
        *lock(&self.shared.maps) = Arc::new(maps);
    }

    /// Ends all sessions.
    pub fn stop(&mut self) {
        if let Some(listening) = self.listening.take() {
            let _ = listening.stop.send(true);
            let _ = listening.thread.join();
        }
    }
}

impl Drop for Terminals {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Serves the commands on maps.
#[derive(Debug)]
struct MapService(Arc<Shared>);

impl CommandService for MapService {
    fn commands(&self) -> &'static [u16] {
        commands::COMMANDS
    }

    fn serve(&self, command: ServiceCommand) {
        if commands::needs_no_terminal(command.number) {
            return commands::without_terminal(&self.0, command);
        }
        let Some(facility) = command.facility else {
            return command.answer(&Answer::of_condition(Condition::InvReq, 0));
        };
        let display = lock(&self.0.displays).get(&facility).cloned();
        let Some(display) = display else {
            // It has left while the task runs.
            return command.answer(&Answer::of_condition(Condition::TermErr, 0));
        };
        if commands::is_of_sign_on(command.number) {
            return commands::sign_on(&self.0, facility, display, command);
        }
        let answer = commands::serve(&self.0, &display, command.number, &command.operands);
        command.answer(&answer);
    }

    fn task_ended(&self, task: u64) {
        self.0.browses.end(task);
    }

    fn metrics(&self, out: &mut String) {
        write_metrics(lock(&self.0.displays).len(), out);
    }
}

/// The figures of terminals when there are none, for their reference page.
pub fn metrics_sample(out: &mut String) {
    write_metrics(0, out);
}

fn write_metrics(terminals: usize, out: &mut String) {
    out.push_str(
        "# HELP tupelo_terminals Connected 3270 terminals\n# TYPE tupelo_terminals gauge\n",
    );
    out.push_str(&format!("tupelo_terminals {terminals}\n"));
}

fn bind(address: SocketAddr) -> std::io::Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Accepts until it is to stop, and then ends the sessions.
async fn accept(
    shared: Arc<Shared>,
    region: &Handle,
    user: UserId,
    listeners: [Option<std::net::TcpListener>; 2],
    mut stop: watch::Receiver<bool>,
) {
    let registered = listeners.map(|listener| listener.map(TcpListener::from_std).transpose());
    let [Ok(plain), Ok(encrypted)] = registered else {
        return tracing::error!(target: "terminal", "the listeners cannot be used");
    };
    let start_tls = StartTls::from(shared.config.start_tls);
    let mut sessions = JoinSet::new();
    loop {
        let (accepted, with_tls) = tokio::select! {
            accepted = next_client(plain.as_ref()) => (accepted, false),
            accepted = next_client(encrypted.as_ref()) => (accepted, true),
            // Takes away those that have ended.
            Some(_) = sessions.join_next() => continue,
            _ = stop.changed() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let Some(seat) = Seat::take(&shared) else {
                    tracing::warn!(target: "terminal", %peer, "max_connections is reached");
                    continue;
                };
                let inside = if with_tls { StartTls::Off } else { start_tls };
                let connection = Connection::new(shared.clone(), region.clone(), user, inside);
                let stop = stop.clone();
                sessions.spawn(async move {
                    if with_tls {
                        connection.serve_tls(stream, stop).await;
                    } else {
                        connection.serve(stream, stop).await;
                    }
                    drop(seat);
                });
            }
            Err(error) => {
                tracing::warn!(target: "terminal", %error, "accept failed");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop((plain, encrypted));
    let ended = async { while sessions.join_next().await.is_some() {} };
    // A client that takes no output does not hold the region up.
    let _ = tokio::time::timeout(STOP_LIMIT, ended).await;
}

/// The next client; for ever without a listener.
async fn next_client(
    listener: Option<&TcpListener>,
) -> std::io::Result<(tokio::net::TcpStream, SocketAddr)> {
    match listener {
        Some(listener) => listener.accept().await,
        None => std::future::pending().await,
    }
}

/// The place of a connection.
pub struct Seat(Arc<Shared>);

impl Seat {
    /// Returns `None` if there are too many connections.
    fn take(shared: &Arc<Shared>) -> Option<Seat> {
        let most = shared.config.max_connections;
        let taken = shared.connections.fetch_add(1, Ordering::Relaxed);
        let seat = Seat(shared.clone());
        (taken < most).then_some(seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Pause after a failed accept, such as for want of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long the end of sessions may take.
const STOP_LIMIT: Duration = Duration::from_secs(2);
