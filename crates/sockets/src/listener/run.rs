//! The listeners' thread, and the way to it.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use ezasoket::{AF_INET, AF_INET6, ClientId, SocketName};
use region::engine::{self, EngineClass};
use region::{Handle, Port, TransId, UserId};
use seats::{ListenerSeats, SeatLimits, SeatPhase};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{self, spawn_local};

use super::connection;
use crate::calls::{SocketState, task_name};
use crate::config::{ListenerConfig, MessageFormat, SocketsConfig};
use crate::native::ReceiverService;
use crate::service::{ListenerStatus, StartError};
use crate::stream::TlsSource;
use crate::trace::CallTrace;

/// An operator's command for a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenerControl {
    /// Starts the listener.
    Start,
    /// Stops the listener; connections that it has accepted continue.
    Stop,
}

/// All listeners of a region.
#[derive(Debug)]
pub struct ListenerSet {
    listeners: Mutex<BTreeMap<String, Arc<Listener>>>,
    /// The number of the last one, for its client id.
    last: AtomicU64,
    means: ListenerContext,
    orders: Mutex<Option<UnboundedSender<Order>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The context of the listeners' thread.
#[derive(Clone)]
pub struct ListenerContext {
    /// The region.
    pub region: Handle,
    /// The user of transactions.
    pub user: UserId,
    /// Sockets on their way.
    pub world: Arc<SocketState>,
    /// Events for operators.
    pub trace: Arc<CallTrace>,
    /// Receivers, when there are some.
    pub native: Option<Arc<ReceiverService>>,
    /// The TLS configuration, if there is a certificate.
    pub tls: Option<TlsSource>,
}

/// A listener.
#[derive(Debug)]
pub struct Listener {
    /// Its transaction.
    pub transid: TransId,
    /// As it is defined.
    pub config: ListenerConfig,
    /// Its client id for TAKESOCKET.
    pub client: ClientId,
    /// Its counters.
    pub counts: ListenerCounters,
    address: Mutex<Option<SocketAddr>>,
    /// The numbers of its sockets, over its stops and starts: a socket that it
    /// gave before one may still be taken.
    numbers: Arc<SocketNumbers>,
    seats: ListenerSeats,
}

/// The counters of a listener.
#[derive(Debug, Default)]
pub struct ListenerCounters {
    /// Connections accepted.
    pub accepted: AtomicU64,
    /// Transactions started.
    pub started: AtomicU64,
    /// Clients refused.
    pub refused: AtomicU64,
    /// Sockets given and not taken yet.
    pub waiting: AtomicU64,
    /// Sockets that were not taken in time.
    pub expired: AtomicU64,
}

/// The state of the listeners' thread.
pub struct ListenerThread {
    /// Its port.
    pub port: Port,
    means: ListenerContext,
}

impl std::fmt::Debug for ListenerContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Means")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

impl std::ops::Deref for ListenerThread {
    type Target = ListenerContext;

    fn deref(&self) -> &ListenerContext {
        &self.means
    }
}

/// Something for the thread.
struct Order {
    listener: Arc<Listener>,
    control: ListenerControl,
    done: mpsc::Sender<io::Result<()>>,
}

impl ListenerSet {
    /// Starts the listeners that start with the region.
    pub fn start(
        config: &SocketsConfig,
        means: ListenerContext,
    ) -> Result<ListenerSet, StartError> {
        let all = ListenerSet {
            listeners: Mutex::default(),
            last: AtomicU64::new(0),
            means,
            orders: Mutex::new(None),
            thread: Mutex::new(None),
        };
        if config.listeners.is_empty() {
            return Ok(all);
        }
        let made = config.listeners.iter();
        let made = made.map(|(name, config)| (name.clone(), all.make(name, config)));
        *locked(&all.listeners) = made.collect();
        all.begin()?;
        for listener in all.all().iter().filter(|l| l.config.immed) {
            let what = format!(
                "listener {} at port {}",
                listener.transid, listener.config.port
            );
            let started = all.order(listener, ListenerControl::Start);
            started.map_err(|source| StartError::System { what, source })?;
        }
        Ok(all)
    }

    /// Starts the thread, if it does not run.
    fn begin(&self) -> Result<(), StartError> {
        let mut begun = locked(&self.orders);
        if begun.is_some() {
            return Ok(());
        }
        let failed = |what: &str| {
            let what = what.to_owned();
            move |source| StartError::System { what, source }
        };
        let none = || io::Error::other("the region has no free port for another thread");
        let port = self.means.region.attach_port().ok_or_else(none);
        let (orders, received) = unbounded_channel();
        let door = ListenerThread {
            port: port.map_err(failed("listeners"))?,
            means: self.means.clone(),
        };
        let thread = std::thread::Builder::new().name("tupelo-listen".into());
        let thread = thread.spawn(move || run(door, received));
        *locked(&self.thread) = Some(thread.map_err(failed("a thread"))?);
        *begun = Some(orders);
        Ok(())
    }

    fn make(&self, name: &str, config: &ListenerConfig) -> Arc<Listener> {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let domain = if config.address.is_ipv4() {
            AF_INET
        } else {
            AF_INET6
        };
        let client = ClientId {
            domain: u32::from(domain),
            name: self.means.world.applid,
            task: task_name(number, b'L'),
        };
        self.means.world.given.enter(&client);
        Arc::new(Listener {
            transid: name.parse().unwrap_or_default(),
            config: config.clone(),
            client,
            counts: ListenerCounters::default(),
            address: Mutex::new(None),
            numbers: Arc::new(SocketNumbers::new(i64::from(config.numsock))),
            seats: ListenerSeats::new(SeatLimits {
                most: config.numsock.saturating_sub(1).max(1) as usize,
                reserved: 0,
            }),
        })
    }

    fn all(&self) -> Vec<Arc<Listener>> {
        locked(&self.listeners).values().cloned().collect()
    }

    /// Applies changed definitions: removed or changed listeners stop, new or
    /// changed ones start. Accepted connections continue. Returns a message for
    /// each error.
    pub fn reload(&self, wanted: &BTreeMap<String, ListenerConfig>) -> Vec<String> {
        let mut failed = Vec::new();
        if wanted.is_empty() && locked(&self.listeners).is_empty() {
            return failed;
        }
        if let Err(error) = self.begin() {
            failed.push(error.to_string());
            return failed;
        }
        let mut say = |listener: &Listener, error: io::Error| {
            failed.push(format!("listener {}: {error}", listener.transid));
        };
        let had = locked(&self.listeners).clone();
        let same = |name: &String, listener: &Listener| wanted.get(name) == Some(&listener.config);
        // All ports are free before one is taken.
        for (name, listener) in had.iter().filter(|(name, listener)| !same(name, listener)) {
            if listener.address().is_some()
                && let Err(error) = self.order(listener, ListenerControl::Stop)
            {
                say(listener, error);
            }
            locked(&self.listeners).remove(name);
        }
        for (name, config) in wanted {
            if had.get(name).is_some_and(|listener| same(name, listener)) {
                continue;
            }
            let listener = self.make(name, config);
            locked(&self.listeners).insert(name.clone(), listener.clone());
            if config.immed
                && let Err(error) = self.order(&listener, ListenerControl::Start)
            {
                say(&listener, error);
            }
        }
        failed
    }

    /// Starts or stops one; the error is a message.
    pub fn control(&self, name: &str, control: ListenerControl) -> Result<(), String> {
        let listener = locked(&self.listeners).get(&name.to_uppercase()).cloned();
        let listener = listener.ok_or_else(|| format!("no listener {name}"))?;
        match (control, listener.address().is_some()) {
            (ListenerControl::Start, true) => Err(format!("listener {name} is started already")),
            (ListenerControl::Stop, false) => Err(format!("listener {name} is stopped already")),
            _ => self
                .order(&listener, control)
                .map_err(|e| format!("listener {name}: {e}")),
        }
    }

    /// All listeners, by name.
    pub fn list(&self) -> Vec<ListenerStatus> {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let listeners = locked(&self.listeners);
        let all = listeners.iter().map(|(name, listener)| ListenerStatus {
            listener: name.clone(),
            address: listener.address(),
            accepted: of(&listener.counts.accepted),
            started: of(&listener.counts.started),
            refused: of(&listener.counts.refused),
            waiting: of(&listener.counts.waiting),
            expired: of(&listener.counts.expired),
        });
        all.collect()
    }

    /// Ends all of them; connections that no transaction took are closed.
    pub fn stop(&self) {
        // The thread ends with the last sender.
        locked(&self.orders).take();
        let thread = locked(&self.thread).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the listeners' thread has failed");
        }
        self.all().iter().for_each(|l| l.set_address(None));
    }

    fn order(&self, listener: &Arc<Listener>, control: ListenerControl) -> io::Result<()> {
        let gone = || io::Error::other("the listeners have ended");
        let (done, result) = mpsc::channel();
        let order = Order {
            listener: listener.clone(),
            control,
            done,
        };
        let orders = locked(&self.orders).clone();
        let sent = orders.ok_or_else(gone)?.send(order);
        sent.map_err(|_| gone())?;
        result.recv().map_err(|_| gone())?
    }
}

impl Listener {
    fn address(&self) -> Option<SocketAddr> {
        *locked(&self.address)
    }

    fn set_address(&self, address: Option<SocketAddr>) {
        *locked(&self.address) = address;
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread.
fn run(door: ListenerThread, mut orders: UnboundedReceiver<Order>) {
    // The listener of receivers belongs to the resources that they replace.
    let class = match door.native {
        Some(_) => EngineClass::Offload,
        None => EngineClass::General,
    };
    engine::enter("sockets", class);
    let runtime = match door.port.runtime_on(class) {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!(%error, "the listeners' thread cannot start");
            return;
        }
    };
    let door = Rc::new(door);
    runtime.block_on(async move {
        let mut running: HashMap<TransId, task::JoinHandle<()>> = HashMap::new();
        while let Some(order) = orders.recv().await {
            let listener = order.listener;
            let result = match order.control {
                ListenerControl::Start => open(&door.world, &listener).map(|opened| {
                    let task = spawn_local(listen(door.clone(), listener.clone(), opened));
                    running.insert(listener.transid, task);
                }),
                ListenerControl::Stop => {
                    if let Some(task) = running.remove(&listener.transid) {
                        task.abort();
                        // Its port is free when it has ended.
                        let _ = task.await;
                    }
                    listener.set_address(None);
                    Ok(())
                }
            };
            // The client that ordered may have disconnected.
            let _ = order.done.send(result);
        }
    });
}

/// Fewest places of the system's queue. Clients that come at once and find a
/// short one full are reset here, where z/OS has them try again.
const LEAST_BACKLOG: u32 = 1024;

/// Listens.
fn open(world: &SocketState, listener: &Listener) -> io::Result<TcpListener> {
    let config = &listener.config;
    let wanted = SocketName(SocketAddr::new(config.address, config.port));
    let Ok(SocketName(address)) = world.policy().listen_at(&wanted) else {
        return Err(io::Error::other(format!(
            "[sockets] listen does not allow {}; add it there",
            config.address
        )));
    };
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    socket.set_reuseaddr(true)?;
    // Accepted sockets inherit it: a connection becomes readable when the first
    // message is complete.
    let fewest = match config.format {
        // Bytes of TLS are not those of a message.
        _ if config.tls => 1,
        MessageFormat::Standard => config.minmsgl,
        MessageFormat::Enhanced => config.msglen.max(1),
    };
    set_low_water(&socket, fewest)?;
    socket.bind(address)?;
    let opened = socket.listen(config.backlog.max(LEAST_BACKLOG))?;
    listener.set_address(Some(opened.local_addr()?));
    Ok(opened)
}

/// Has a socket count as readable from so many bytes on, or at its end.
pub fn set_low_water(socket: &impl AsRawFd, bytes: u32) -> io::Result<()> {
    let value = bytes as libc::c_int;
    let size = size_of_val(&value) as libc::socklen_t;
    // SAFETY: an integer, as the option wants it.
    let rc = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RCVLOWAT,
            (&raw const value).cast(),
            size,
        )
    };
    match rc {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Accepts. When all of the listener's sockets are in use, a client gives way
/// that has not sent its first message; one whose transaction is started does not.
async fn listen(door: Rc<ListenerThread>, listener: Arc<Listener>, opened: TcpListener) {
    loop {
        match opened.accept().await {
            Ok((stream, client)) => {
                listener.counts.accepted.fetch_add(1, Ordering::Relaxed);
                let seat = listener.seats.enter();
                // The connection waits for a socket, as others do in the system's queue.
                seat.enter(SeatPhase::Busy);
                let handle = seat.handle();
                let (door, listener) = (door.clone(), listener.clone());
                let accepted = (stream, client, handle.clone());
                let own = listener.clone();
                spawn_local(async move {
                    let number = own.numbers.clone().next();
                    let serving = async {
                        let number = number.await;
                        // Its client can send its first message now.
                        accepted.2.enter(SeatPhase::HalfOpen);
                        connection::serve(door, own.clone(), accepted, number).await;
                    };
                    if seat.hold(serving).await.is_none() {
                        own.counts.refused.fetch_add(1, Ordering::Relaxed);
                    }
                });
                listener.seats.make_place(&handle).await;
            }
            Err(error) => {
                tracing::warn!(listener = %listener.transid, %error, "a connection was not accepted");
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        }
    }
}

/// The numbers that a listener's sockets have; 0 is the one that listens.
#[derive(Debug)]
pub struct SocketNumbers {
    free: Mutex<Vec<i64>>,
    given_back: tokio::sync::Notify,
}

/// A number, freed when it is dropped.
pub struct SocketNumber {
    /// The number.
    pub value: i64,
    of: Arc<SocketNumbers>,
}

impl SocketNumbers {
    fn new(count: i64) -> SocketNumbers {
        SocketNumbers {
            free: Mutex::new((1..count).rev().collect()),
            given_back: tokio::sync::Notify::new(),
        }
    }

    /// A free number, when there is one.
    async fn next(self: Arc<Self>) -> SocketNumber {
        loop {
            let value = locked(&self.free).pop();
            match value {
                Some(value) => return SocketNumber { value, of: self },
                None => self.given_back.notified().await,
            }
        }
    }
}

impl Drop for SocketNumber {
    fn drop(&mut self) {
        locked(&self.of.free).push(self.value);
        self.of.given_back.notify_one();
    }
}
