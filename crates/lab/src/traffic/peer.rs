//! A server with its own TCP in user space on the wire itself, for behaviour that
//! Linux does not have, such as delaying the first acknowledgement of a connection
//! for 200 ms, the default of z/OS.
//!
//! It keeps a few sockets listening, so that a client may open one connection
//! after the other.

use super::http::{RequestBuffer, response};
use crate::error::LabError;
use crate::net::{EmulatedPath, PORT, SERVER, SERVER_HARDWARE, packet::wait, permission};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Medium, RawSocket};
use smoltcp::socket::tcp;
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, IpCidr};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};

/// The behaviour of the peer.
#[derive(Clone, Debug)]
pub struct PeerPlan {
    /// How long an acknowledgement waits for data to carry it. `None` to
    /// acknowledge at once. More than one full segment is acknowledged at once
    /// in any case.
    pub ack_delay_ms: Option<u64>,
    /// Largest packet, which makes the segment size 40 less, both ways.
    pub mtu: u32,
    /// Nagle's algorithm on its own data.
    pub nagle: bool,
    /// Length of an answer, head included.
    pub response_bytes: usize,
    /// Time between a request and its answer.
    pub think_ms: u64,
}

/// A running peer. It stops when it is dropped.
pub struct UserPeer {
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Default for PeerPlan {
    fn default() -> PeerPlan {
        PeerPlan {
            ack_delay_ms: None,
            mtu: 1500,
            nagle: false,
            response_bytes: 200,
            think_ms: 0,
        }
    }
}

impl UserPeer {
    /// Starts at the server's end of a wire that left it to user space.
    pub fn start(wire: &EmulatedPath, plan: &PeerPlan) -> Result<UserPeer, LabError> {
        wire.server.ip(&format!("link set eth0 mtu {}", plan.mtu))?;
        let (stop, stopped) = UnixStream::pair().map_err(LabError::system("starting the peer"))?;
        let (ready, started) = std::sync::mpsc::channel();
        let plan = plan.clone();
        // Devices of smoltcp stay on their thread, so the thread itself
        // enters the namespace.
        let namespace = wire.server.path();
        let thread = thread::Builder::new()
            .name("peer".into())
            .spawn(move || {
                let made = std::fs::File::open(namespace)
                    .and_then(|file| crate::net::enter(std::os::fd::AsFd::as_fd(&file)))
                    .and_then(|()| UserspacePeer::new(&plan));
                match made {
                    Ok(peer) => {
                        // The receiver may have stopped
                        // waiting.
                        let _ = ready.send(Ok(()));
                        peer.run(&stopped)
                    }
                    Err(error) => {
                        let _ = ready.send(Err(error));
                        Ok(())
                    }
                }
            })
            .map_err(LabError::system("starting the peer"))?;
        let peer = UserPeer {
            stop: Some(stop),
            thread: Some(thread),
        };
        match started.recv() {
            Ok(Ok(())) => Ok(peer),
            Ok(Err(error)) => Err(permission::refused("a packet socket")(error)),
            Err(_) => Err(LabError::Failed("the peer ended before it began".into())),
        }
    }
}

impl Drop for UserPeer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

struct UserspacePeer {
    plan: PeerPlan,
    device: RawSocket,
    interface: Interface,
    sockets: SocketSet<'static>,
    connections: Vec<Connection>,
}

struct Connection {
    handle: SocketHandle,
    requests: RequestBuffer,
    /// When the answers to requests that were read are due.
    due: Vec<Instant>,
    /// Data not yet passed to the socket.
    unsent: Vec<u8>,
}

impl UserspacePeer {
    fn new(plan: &PeerPlan) -> io::Result<UserspacePeer> {
        let mut device = RawSocket::new("eth0", Medium::Ethernet)?;
        let mut config = Config::new(EthernetAddress(SERVER_HARDWARE).into());
        config.random_seed = 1;
        let mut interface = Interface::new(config, &mut device, Instant::now());
        interface.update_ip_addrs(|addresses| {
            // One address fits into any list.
            let _ = addresses.push(IpCidr::new(SERVER.into(), 24));
        });
        let mut sockets = SocketSet::new(Vec::new());
        let connections = (0..LISTENING)
            .map(|_| {
                let buffer = || tcp::SocketBuffer::new(vec![0; BUFFER_BYTES]);
                let mut socket = tcp::Socket::new(buffer(), buffer());
                socket.set_ack_delay(plan.ack_delay_ms.map(Duration::from_millis));
                socket.set_nagle_enabled(plan.nagle);
                // Before `new` returns, so that the first SYN is not refused.
                // Listening fails only with a port of zero.
                let _ = socket.listen(PORT);
                Connection {
                    handle: sockets.add(socket),
                    requests: RequestBuffer::default(),
                    due: Vec::new(),
                    unsent: Vec::new(),
                }
            })
            .collect();
        Ok(UserspacePeer {
            plan: plan.clone(),
            device,
            interface,
            sockets,
            connections,
        })
    }

    fn run(mut self, stopped: &UnixStream) -> io::Result<()> {
        loop {
            let now = Instant::now();
            self.interface
                .poll(now, &mut self.device, &mut self.sockets);
            let mut next = None;
            for connection in &mut self.connections {
                let socket = self.sockets.get_mut::<tcp::Socket>(connection.handle);
                let due = connection.handle_socket(socket, &self.plan, now);
                next = [next, due].into_iter().flatten().min();
            }
            // Written data is sent before the wait. No data is read
            // here, because it would stay unread during the wait.
            self.interface
                .poll_egress(now, &mut self.device, &mut self.sockets);
            let timer = self.interface.poll_at(now, &self.sockets);
            let next = [next, timer].into_iter().flatten().min();
            // A time that has passed is now: subtraction would be absolute.
            let left = next.map(|at| (at.max(now) - now).into());
            if wait([stopped.as_raw_fd(), self.device.as_raw_fd()], left)?[0] {
                return Ok(());
            }
        }
    }
}

impl Connection {
    /// Reads, answers and closes. Returns when the next answer is due.
    fn handle_socket(
        &mut self,
        socket: &mut tcp::Socket<'_>,
        plan: &PeerPlan,
        now: Instant,
    ) -> Option<Instant> {
        if !socket.is_open() {
            self.requests = RequestBuffer::default();
            self.due.clear();
            self.unsent.clear();
            // Listening again fails only with a port of zero.
            let _ = socket.listen(PORT);
            return None;
        }
        if socket.can_recv() {
            let requests = &mut self.requests;
            // An error means that no more data will arrive.
            let _ = socket.recv(|bytes| {
                requests.feed(bytes);
                (bytes.len(), ())
            });
            while self.requests.take() {
                self.due.push(now + Duration::from_millis(plan.think_ms));
            }
        }
        while self.due.first().is_some_and(|at| *at <= now) {
            self.due.remove(0);
            let (head, body) = response(plan.response_bytes);
            self.unsent.extend(head);
            self.unsent.extend(body);
        }
        if socket.can_send() && !self.unsent.is_empty() {
            let taken = socket.send_slice(&self.unsent).unwrap_or(0);
            self.unsent.drain(..taken);
        }
        if self.requests.too_long() || (!socket.may_recv() && socket.may_send()) {
            socket.close();
        }
        self.due.first().copied()
    }
}

/// Sockets that listen or carry a connection at a time: more than the clients
/// of any experiment, with some for connections that are being closed.
const LISTENING: usize = 8;
/// Bigger than any answer, so that a window never holds it back.
const BUFFER_BYTES: usize = 65_535;
