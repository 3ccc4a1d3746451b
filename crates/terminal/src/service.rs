//! The door: the listener, the terminals by facility, and the region's service
//! for commands on maps.
//!
//! One thread serves all connections: a terminal costs a future, its session and
//! its socket. The region's threads reach a terminal through its facility.

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use cics::resp::Condition;
use link::Answer;
use region::engine::{self, EngineClass};
use region::{CommandService, FacilityId, Handle, ServiceCommand, UserId};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::commands;
use crate::config::TerminalConfig;
use crate::connection::Connection;
use crate::display::Display;
use crate::maps::MapTable;
use crate::names::NameTable;
use crate::page::Page;

/// What connections and commands share.
pub struct Shared {
    /// The settings.
    pub config: TerminalConfig,
    /// Name of the region.
    pub applid: String,
    /// The code pages.
    pub page: Page,
    /// Names in use.
    pub names: NameTable,
    maps: Mutex<Arc<MapTable>>,
    displays: Mutex<HashMap<FacilityId, Arc<Display>>>,
    connections: AtomicUsize,
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
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Terminals {
    /// Terminals that are not listened for yet.
    pub fn new(config: TerminalConfig, applid: &str, maps: MapTable) -> Terminals {
        Terminals {
            shared: Arc::new(Shared {
                config,
                applid: applid.to_owned(),
                page: Page::default(),
                names: NameTable::default(),
                maps: Mutex::new(Arc::new(maps)),
                displays: Mutex::default(),
                connections: AtomicUsize::new(0),
            }),
            listening: None,
        }
    }

    /// The region's service for commands on maps.
    pub fn service(&self) -> Arc<dyn CommandService> {
        Arc::new(MapService(self.shared.clone()))
    }

    /// Listens, if the settings say where. Tasks run for `user`.
    ///
    /// # Errors
    /// The address cannot be listened at, or the thread cannot start.
    pub fn start(&mut self, region: &Handle, user: UserId) -> std::io::Result<()> {
        let Some(address) = self.shared.config.listen else {
            return Ok(());
        };
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let (shared, region) = (self.shared.clone(), region.clone());
        let run = move || run(shared, &region, user, listener, stopped);
        let thread = std::thread::Builder::new()
            .name("tupelo-terminal".to_owned())
            .spawn(run)?;
        self.listening = Some(Listening {
            address,
            stop,
            thread,
        });
        Ok(())
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listening.as_ref().map(|listening| listening.address)
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
        let Some(facility) = command.facility else {
            return command.answer(&Answer::of_condition(Condition::InvReq, 0));
        };
        let display = lock(&self.0.displays).get(&facility).cloned();
        let answer = match display {
            Some(display) => commands::serve(&self.0, &display, command.number, &command.operands),
            // It has left while the task runs.
            None => Answer::of_condition(Condition::TermErr, 0),
        };
        command.answer(&answer);
    }

    fn task_ended(&self, _: u64) {}

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

fn run(
    shared: Arc<Shared>,
    region: &Handle,
    user: UserId,
    listener: std::net::TcpListener,
    stop: watch::Receiver<bool>,
) {
    engine::enter("terminal", EngineClass::Offload);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(accept(shared, region, user, listener, stop)),
        Err(error) => tracing::error!(target: "terminal", %error, "the thread cannot run"),
    }
}

/// Accepts until it is to stop, and then ends the sessions.
async fn accept(
    shared: Arc<Shared>,
    region: &Handle,
    user: UserId,
    listener: std::net::TcpListener,
    mut stop: watch::Receiver<bool>,
) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(target: "terminal", %error, "cannot listen"),
    };
    let mut sessions = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let Some(seat) = Seat::take(&shared) else {
                        tracing::warn!(target: "terminal", %peer, "max_connections is reached");
                        continue;
                    };
                    let connection = Connection::new(shared.clone(), region.clone(), user);
                    let stop = stop.clone();
                    sessions.spawn(async move {
                        connection.serve(stream, stop).await;
                        drop(seat);
                    });
                }
                Err(error) => {
                    tracing::warn!(target: "terminal", %error, "accept failed");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            // Takes away those that have ended.
            Some(_) = sessions.join_next() => {}
            _ = stop.changed() => break,
        }
    }
    drop(listener);
    let ended = async { while sessions.join_next().await.is_some() {} };
    // A client that takes no output does not hold the region up.
    let _ = tokio::time::timeout(STOP_LIMIT, ended).await;
}

/// The place of a connection.
struct Seat(Arc<Shared>);

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
