//! The built-in HTTP server: for the self-test and for checks against queueing
//! theory. It answers at once, or behaves as a queue with a set number of servers
//! and a set service time, and can be stopped for a while. It has one thread and is
//! not meant for production.
//!
//! The queue works by the clock, not by its thread. A request arrives when the
//! kernel receives its last byte, even if the thread reads it later. Its answer
//! leaves when its service ends; the thread wakes a little earlier. So wake-up
//! delays are not part of a service time.

use crate::clock;
use crate::net::{Poller, stamp};
use base::SeededRandom;
use memchr::memmem;
use rustix::fd::AsFd;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The server's behaviour.
#[derive(Clone, Debug, Default)]
pub struct ServerBehaviour {
    /// Bytes of the answer's body. A path that ends in a number overrides it.
    pub body_bytes: usize,
    /// Service time of an answer.
    pub service: ServiceTime,
    /// Whether arrival times are recorded.
    pub log_arrivals: bool,
    /// Seed of exponential service times.
    pub seed: u64,
}

/// Service time of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub enum ServiceTime {
    /// None: the answer is sent at once.
    #[default]
    Immediate,
    /// Requests queue for `servers` servers, first come, first served.
    Queue {
        /// Servers.
        servers: usize,
        /// Mean service time, ns.
        mean_ns: u64,
        /// Exponentially distributed instead of constant.
        exponential: bool,
    },
}

/// A running server; stops when dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<ServerState>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct ServerState {
    stop: AtomicBool,
    pause_until: AtomicU64,
    cpu_ns: AtomicU64,
    answered: AtomicU64,
    arrivals: std::sync::Mutex<Vec<u64>>,
}

impl Server {
    /// Starts a server on a free port of the loopback address.
    pub fn start(behaviour: ServerBehaviour) -> io::Result<Server> {
        Server::start_on("127.0.0.1:0".parse().expect("a literal address"), behaviour)
    }

    /// Starts a server on an address.
    pub fn start_on(address: SocketAddr, behaviour: ServerBehaviour) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(ServerState::default());
        let poller = Poller::new()?;
        poller.add(listener.as_fd(), LISTENER, false)?;
        let state = shared.clone();
        let thread = thread::Builder::new()
            .name("drive-server".into())
            .spawn(move || ServerThread::new(listener, poller, behaviour, state).serve())?;
        Ok(Server {
            address,
            shared,
            thread: Some(thread),
        })
    }

    /// The listening address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops the server's thread at `at` (monotonic ns) for `length`, like a
    /// garbage collection or a lost processor.
    pub fn stall(&self, at: u64, length: Duration) -> JoinHandle<()> {
        let shared = self.shared.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_nanos(at.saturating_sub(clock::now())));
            let until = clock::now() + length.as_nanos() as u64;
            shared.pause_until.store(until, Ordering::Release);
        })
    }

    /// CPU time of the server's thread so far, ns.
    pub fn cpu_ns(&self) -> u64 {
        self.shared.cpu_ns.load(Ordering::Acquire)
    }

    /// Requests answered so far.
    pub fn answered(&self) -> u64 {
        self.shared.answered.load(Ordering::Acquire)
    }

    /// Takes the arrival times recorded so far, monotonic ns.
    pub fn take_arrivals(&self) -> Vec<u64> {
        let mut arrivals = self
            .shared
            .arrivals
            .lock()
            .expect("the server never panics");
        std::mem::take(&mut *arrivals)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct ServerThread {
    listener: TcpListener,
    poller: Poller,
    behaviour: ServerBehaviour,
    shared: Arc<ServerState>,
    peers: BTreeMap<u64, AcceptedConnection>,
    next_peer: u64,
    /// When each server of the queue becomes free.
    free: Vec<u64>,
    due: BinaryHeap<Reverse<(u64, u64)>>,
    rng: SeededRandom,
    buffer: Vec<u8>,
    arrivals: Vec<u64>,
    answered: u64,
}

struct AcceptedConnection {
    stream: TcpStream,
    input: Vec<u8>,
    output: Vec<u8>,
    written: usize,
    bodies: Vec<usize>,
    close: bool,
    watching: bool,
}

impl ServerThread {
    fn new(
        listener: TcpListener,
        poller: Poller,
        behaviour: ServerBehaviour,
        shared: Arc<ServerState>,
    ) -> ServerThread {
        let servers = match behaviour.service {
            ServiceTime::Immediate => 0,
            ServiceTime::Queue { servers, .. } => servers.max(1),
        };
        let seed = behaviour.seed;
        ServerThread {
            listener,
            poller,
            behaviour,
            shared,
            peers: BTreeMap::new(),
            next_peer: 0,
            free: vec![0; servers],
            due: BinaryHeap::new(),
            rng: SeededRandom::stream(seed, 1),
            buffer: vec![0; 65_536],
            arrivals: Vec::new(),
            answered: 0,
        }
    }

    fn serve(mut self) {
        let mut housekeeping = 0;
        while !self.shared.stop.load(Ordering::Acquire) {
            let pause_until = self.shared.pause_until.load(Ordering::Acquire);
            let now = clock::now();
            if pause_until > now {
                thread::sleep(Duration::from_nanos(pause_until - now));
            }
            self.depart(clock::now());
            if now >= housekeeping {
                housekeeping = now + POLL_INTERVAL_NS;
                self.publish();
            }
            let next = self.due.peek().map_or(u64::MAX, |Reverse((at, _))| *at);
            let found = if next <= clock::now() + AWAKE_NS {
                self.poller.peek()
            } else {
                self.poller.wait((next - AWAKE_NS).min(housekeeping))
            };
            let Ok(ready) = found else { break };
            for i in 0..ready {
                let token = self.poller.ready(i).token;
                if token == LISTENER {
                    self.accept();
                } else if self.talk(token).is_err() {
                    self.peers.remove(&token);
                }
            }
        }
        self.publish();
    }

    fn publish(&mut self) {
        self.shared
            .cpu_ns
            .store(clock::thread_cpu(), Ordering::Release);
        self.shared.answered.store(self.answered, Ordering::Release);
        if !self.arrivals.is_empty() {
            let mut all = self
                .shared
                .arrivals
                .lock()
                .expect("no thread panics while it holds the lock");
            all.append(&mut self.arrivals);
        }
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            let usable = stream.set_nonblocking(true).and(stream.set_nodelay(true));
            let id = self.next_peer;
            self.next_peer += 1;
            if !self.free.is_empty() {
                stamp::enable(stream.as_fd());
            }
            if usable.is_ok() && self.poller.add(stream.as_fd(), id, false).is_ok() {
                let peer = AcceptedConnection {
                    stream,
                    input: Vec::new(),
                    output: Vec::new(),
                    written: 0,
                    bodies: Vec::new(),
                    close: false,
                    watching: false,
                };
                self.peers.insert(id, peer);
            }
        }
    }

    /// Reads and writes without blocking; an error ends the connection.
    fn talk(&mut self, id: u64) -> io::Result<()> {
        let Some(peer) = self.peers.get_mut(&id) else {
            return Ok(());
        };
        if peer.written < peer.output.len() {
            peer.write(&self.poller, id)?;
        }
        let stamped = match stamp::recv(&peer.stream, &mut self.buffer) {
            Ok((0, _)) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok((n, stamped)) => {
                peer.input.extend_from_slice(&self.buffer[..n]);
                stamped
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        };
        let now = clock::now();
        let arrived = match stamped {
            0 => now,
            // A stamp older than the limit means that the wall clock
            // was set.
            at => now.saturating_sub(clock::wall().saturating_sub(at).min(LONGEST_UNREAD_NS)),
        };
        let mut immediate = 0;
        while let Some((length, body, close)) = request(&peer.input, self.behaviour.body_bytes)? {
            peer.input.drain(..length);
            peer.bodies.push(body);
            peer.close |= close;
            if self.behaviour.log_arrivals {
                self.arrivals.push(now);
            }
            match self.behaviour.service {
                ServiceTime::Immediate => immediate += 1,
                ServiceTime::Queue {
                    mean_ns,
                    exponential,
                    ..
                } => {
                    let time = if exponential {
                        (mean_ns as f64 * self.rng.exponential()) as u64
                    } else {
                        mean_ns
                    };
                    let first = self.free.iter_mut().min().expect("at least one server");
                    *first = arrived.max(*first) + time;
                    self.due.push(Reverse((*first, id)));
                }
            }
        }
        for _ in 0..immediate {
            peer.answer();
        }
        self.answered += immediate;
        peer.write(&self.poller, id)
    }

    /// Sends the answers whose service has ended.
    fn depart(&mut self, now: u64) {
        while let Some(Reverse((at, id))) = self.due.peek().copied() {
            if at > now {
                break;
            }
            self.due.pop();
            if let Some(peer) = self.peers.get_mut(&id) {
                peer.answer();
                self.answered += 1;
                if peer.write(&self.poller, id).is_err() {
                    self.peers.remove(&id);
                }
            }
        }
    }
}

impl AcceptedConnection {
    fn answer(&mut self) {
        if self.bodies.is_empty() {
            return;
        }
        let size = self.bodies.remove(0);
        let close = if self.close {
            "Connection: close\r\n"
        } else {
            ""
        };
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n{close}\r\n");
        self.output.extend_from_slice(head.as_bytes());
        self.output.resize(self.output.len() + size, b'x');
    }

    fn write(&mut self, poller: &Poller, id: u64) -> io::Result<()> {
        if self.output.is_empty() {
            return Ok(());
        }
        while self.written < self.output.len() {
            match self.stream.write(&self.output[self.written..]) {
                Ok(n) => self.written += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.watching = true;
                    return poller.change(self.stream.as_fd(), id, true);
                }
                Err(error) => return Err(error),
            }
        }
        if std::mem::take(&mut self.watching) {
            poller.change(self.stream.as_fd(), id, false)?;
        }
        self.output.clear();
        self.written = 0;
        if self.close && self.bodies.is_empty() {
            Err(io::ErrorKind::ConnectionAborted.into())
        } else {
            Ok(())
        }
    }
}

/// Parses the first complete request: its length, the size of the answer's body,
/// and whether the connection ends after it.
fn request(input: &[u8], body_bytes: usize) -> io::Result<Option<(usize, usize, bool)>> {
    let Some(end) = memmem::find(input, b"\r\n\r\n").map(|i| i + 4) else {
        return if input.len() > 65_536 {
            Err(io::ErrorKind::InvalidData.into())
        } else {
            Ok(None)
        };
    };
    let head = String::from_utf8_lossy(&input[..end]).to_ascii_lowercase();
    let header = |name: &str| {
        let at = head.find(&format!("\r\n{name}:"))? + name.len() + 3;
        head[at..].lines().next().map(str::trim)
    };
    let length = match header("content-length").map(str::parse::<usize>) {
        None => 0,
        Some(Ok(length)) if length <= LARGEST_BODY => length,
        Some(_) => return Err(io::ErrorKind::InvalidData.into()),
    };
    if input.len() < end + length {
        return Ok(None);
    }
    let path = head.split(' ').nth(1).unwrap_or_default();
    let size = path.rsplit('/').next().and_then(|s| s.parse().ok());
    let size = size.map_or(body_bytes, |s: usize| s.min(LARGEST_BODY));
    Ok(Some((
        end + length,
        size,
        header("connection") == Some("close"),
    )))
}

const LISTENER: u64 = u64::MAX - 1;
/// Interval of publishing figures and checking the stop flag.
const POLL_INTERVAL_NS: u64 = 20_000_000;
/// How long before the end of a service the thread wakes: longer than the usual
/// delay of a timer.
const AWAKE_NS: u64 = 150_000;
/// The maximum age of a request when it is read; older stamps count as this.
const LONGEST_UNREAD_NS: u64 = 1_000_000_000;
/// The size limit of a body in either direction.
const LARGEST_BODY: usize = 64 << 20;
