//! The door: the listener, the terminals by facility, and the region's service
//! for commands on maps.
//!
//! One thread serves all connections: a terminal costs a future, its session and
//! its socket. The region's threads reach a terminal through its facility.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cics::resp::Condition;
use link::CallAnswer;
use link::stepping::STEP_COMMAND;
use region::engine::{self, EngineClass};
use region::{CommandService, GuestPrograms, Handle, ServiceCommand, UserId};
use tn3270::StartTls;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::browser::BrowserTerminals;
use crate::builtin::BuiltInPrograms;
use crate::commands;
use crate::config::TerminalConfig;
use crate::connection::Connection;
use crate::host::TerminalHost;
use crate::maps::MapTable;
use crate::shared::{RegionRuntime, ServerTls, TerminalContext};

/// The terminals of a region.
#[derive(Debug)]
pub struct TerminalService {
    shared: Arc<TerminalContext>,
    listening: Option<TerminalListener>,
}

#[derive(Debug)]
struct TerminalListener {
    /// Without and with TLS.
    addresses: [Option<SocketAddr>; 2],
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl TerminalService {
    /// Terminals that are not listened for yet.
    pub fn new(
        config: TerminalConfig,
        applid: &str,
        maps: MapTable,
        host: Option<Arc<dyn TerminalHost>>,
        tls: Option<ServerTls>,
    ) -> TerminalService {
        TerminalService {
            shared: Arc::new(TerminalContext::new(config, applid, maps, host, tls)),
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
        let runtime = region.terminal_runtime(1)?;
        let (stop, stopped) = watch::channel(false);
        self.shared.begin(RegionRuntime {
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
        self.listening = Some(TerminalListener {
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
        self.shared.reload(maps);
    }

    /// Ends all sessions.
    pub fn stop(&mut self) {
        if let Some(listening) = self.listening.take() {
            let _ = listening.stop.send(true);
            let _ = listening.thread.join();
        }
    }
}

impl Drop for TerminalService {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Serves the commands on maps.
#[derive(Debug)]
struct MapService(Arc<TerminalContext>);

impl CommandService for MapService {
    fn commands(&self) -> &'static [u16] {
        commands::COMMANDS
    }

    fn serve(&self, command: ServiceCommand) {
        if command.number == STEP_COMMAND {
            return commands::report(&self.0, command);
        }
        if commands::needs_no_terminal(command.number) {
            return commands::without_terminal(&self.0, command);
        }
        let Some(facility) = command.facility else {
            let resp2 = commands::resp2_without_terminal(command.number);
            return command.answer(&CallAnswer::of_condition(Condition::InvReq, resp2));
        };
        let display = self.0.display(facility);
        let Some(display) = display else {
            // It has left while the task runs.
            return command.answer(&CallAnswer::of_condition(Condition::TermErr, 0));
        };
        if commands::is_of_sign_on(command.number) {
            return commands::sign_on(&self.0, facility, display, command);
        }
        let answer = commands::serve(&self.0, &display, command.number, &command.operands);
        command.answer(&answer);
    }

    fn task_ended(&self, task: u64) {
        self.0.browses.end(task);
        self.0.stepping.task_ended(task);
    }

    fn metrics(&self, out: &mut String) {
        write_metrics(self.0.displays().len(), out);
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
    shared: Arc<TerminalContext>,
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
    let closed = Arc::new(ClosedForOthers::default());
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
                let inside = if with_tls { StartTls::Off } else { start_tls };
                let seat = shared.seats.enter();
                let handle = seat.handle();
                let connection =
                    Connection::new(shared.clone(), region.clone(), user, inside, handle.clone());
                let own_stop = stop.clone();
                let closed = closed.clone();
                sessions.spawn(async move {
                    let serving = async {
                        if with_tls {
                            connection.serve_tls(stream, own_stop).await;
                        } else {
                            connection.serve(stream, own_stop).await;
                        }
                    };
                    if seat.hold(serving).await.is_none() {
                        closed.note(peer);
                    }
                });
                tokio::select! {
                    () = shared.seats.make_place(&handle) => {}
                    _ = stop.changed() => break,
                }
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

/// Connections that were closed for others: one line of the log a second, however
/// many there are.
#[derive(Debug, Default)]
struct ClosedForOthers(Mutex<(Option<Instant>, u64)>);

impl ClosedForOthers {
    fn note(&self, peer: SocketAddr) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (logged, more) = &mut *state;
        if logged.is_some_and(|at| at.elapsed() < LOG_PAUSE) {
            *more += 1;
            return;
        }
        tracing::warn!(
            target: "terminal",
            %peer,
            unlogged = *more,
            "a terminal was closed for another: max_connections is reached"
        );
        (*logged, *more) = (Some(Instant::now()), 0);
    }
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

/// Time between two lines about closed connections.
const LOG_PAUSE: Duration = Duration::from_secs(1);
/// Pause after a failed accept, such as for want of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long the end of sessions may take.
const STOP_LIMIT: Duration = Duration::from_secs(2);
