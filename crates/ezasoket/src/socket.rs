//! A socket, and the effect of each call on it.
//!
//! The descriptor is always nonblocking. Whether the socket blocks its program
//! is stored separately, because a socket that is given to another task keeps
//! its settings of FCNTL and SETSOCKOPT. A copy of the descriptor in a worker
//! has its own record of that.
//!
//! Reference: IP CICS Sockets Guide, each call.

use std::io;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, SockAddr, Type};

use crate::option::{NONBLOCKING, OptionName, SocketControl};
use crate::wait::wait_for;
use crate::{AF_INET, AF_INET6, Command, Errno, SocketName, SocketWaiter};

/// Most bytes that one call sends or receives.
pub const MAX_DATA_BYTES: usize = 16 << 20;

/// FLAGS of the calls that send and receive.
pub mod flags {
    /// Urgent data.
    pub const OOB: i64 = 1;
    /// The data stay where they are.
    pub const PEEK: i64 = 2;
    /// Without routing.
    pub const DONTROUTE: i64 = 4;
    /// Until all is there.
    pub const WAITALL: i64 = 64;
}

/// ioctl(2): whether urgent data are next.
const SIOCATMARK: libc::Ioctl = 0x8905;

/// The kind of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketKind {
    /// Its address family, as programs number it.
    pub family: u16,
    /// A stream; otherwise datagrams.
    pub stream: bool,
}

/// A socket.
#[derive(Debug)]
pub struct Socket {
    os: socket2::Socket,
    kind: SocketKind,
    nonblocking: AtomicBool,
    listening: AtomicBool,
    /// It has or had a partner.
    connected: AtomicBool,
    /// Nanoseconds that a call waits at most; 0 forever.
    receive_ns: AtomicU64,
    send_ns: AtomicU64,
}

impl Socket {
    /// Makes a socket, as SOCKET does.
    pub fn new(family: i64, kind: i64, protocol: i64) -> Result<Socket, Errno> {
        let (domain, family) = match family {
            2 => (Domain::IPV4, AF_INET),
            19 => (Domain::IPV6, AF_INET6),
            _ => return Err(Errno::SOCKET_FAMILY),
        };
        let (kind, stream) = match kind {
            1 => (Type::STREAM, true),
            2 => (Type::DGRAM, false),
            // Raw sockets take privileges.
            3 => return Err(Errno::EACCES),
            _ => return Err(Errno::SOCKET_TYPE),
        };
        let protocol = match (protocol, stream) {
            (0, _) => None,
            (6, true) => Some(Protocol::TCP),
            (17, false) => Some(Protocol::UDP),
            (6 | 17, _) => return Err(Errno::EPROTOTYPE),
            _ => return Err(Errno::EPROTONOSUPPORT),
        };
        let os = socket2::Socket::new(domain, kind, protocol)?;
        Socket::of(os, SocketKind { family, stream })
    }

    /// A socket that there is already.
    pub fn adopt(fd: OwnedFd) -> Result<Socket, Errno> {
        let os = socket2::Socket::from(fd);
        let family = match os.domain()? {
            Domain::IPV4 => AF_INET,
            Domain::IPV6 => AF_INET6,
            _ => return Err(Errno::EAFNOSUPPORT),
        };
        let stream = os.r#type()? == Type::STREAM;
        let socket = Socket::of(os, SocketKind { family, stream })?;
        // Queried while it is certainly connected.
        socket.was_connected();
        Ok(socket)
    }

    /// A copy of a socket that its owner made nonblocking.
    pub fn copy(fd: OwnedFd, kind: SocketKind, blocks: bool) -> Socket {
        let copy = Socket::plain(socket2::Socket::from(fd), kind);
        copy.set_blocking(blocks);
        // Asked while it has its partner, if it has one.
        copy.was_connected();
        copy
    }

    fn of(os: socket2::Socket, kind: SocketKind) -> Result<Socket, Errno> {
        os.set_nonblocking(true)?;
        Ok(Socket::plain(os, kind))
    }

    fn plain(os: socket2::Socket, kind: SocketKind) -> Socket {
        Socket {
            os,
            kind,
            nonblocking: AtomicBool::new(false),
            listening: AtomicBool::new(false),
            connected: AtomicBool::new(false),
            receive_ns: AtomicU64::new(0),
            send_ns: AtomicU64::new(0),
        }
    }

    /// The socket's kind.
    pub fn kind(&self) -> SocketKind {
        self.kind
    }

    /// Whether LISTEN was called for it.
    pub fn is_listening(&self) -> bool {
        self.listening.load(Ordering::Relaxed)
    }

    /// BIND.
    pub fn bind(&self, name: &SocketName) -> Result<(), Errno> {
        self.check_family(name)?;
        Ok(self.os.bind(&SockAddr::from(name.0))?)
    }

    /// LISTEN.
    pub fn listen(&self, backlog: i64) -> Result<(), Errno> {
        if !self.kind.stream {
            return Err(Errno::EOPNOTSUPP);
        }
        let backlog = backlog.clamp(0, i64::from(libc::SOMAXCONN)) as i32;
        self.os.listen(backlog)?;
        self.listening.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// ACCEPT.
    pub fn accept(&self, waiter: &dyn SocketWaiter) -> Result<(Socket, SocketName), Errno> {
        if !self.kind.stream {
            return Err(Errno::EOPNOTSUPP);
        }
        if !self.is_listening() {
            return Err(Errno::EINVAL);
        }
        let accepted = self.patient(libc::POLLIN, &self.receive_ns, waiter, || self.os.accept());
        let (os, peer) = accepted?;
        let peer = peer.as_socket().ok_or(Errno::EAFNOSUPPORT)?;
        let socket = Socket::of(os, self.kind)?;
        socket.connected.store(true, Ordering::Relaxed);
        Ok((socket, SocketName(peer)))
    }

    /// CONNECT.
    pub fn connect(&self, name: &SocketName, waiter: &dyn SocketWaiter) -> Result<(), Errno> {
        self.check_family(name)?;
        // Linux would say that it is connected.
        if self.is_listening() {
            return Err(Errno::EOPNOTSUPP);
        }
        // Linux would say again that it is connected.
        if self.kind.stream && self.connected.load(Ordering::Relaxed) {
            return Err(Errno::EISCONN);
        }
        match self.os.connect(&SockAddr::from(name.0)) {
            Ok(()) => {
                self.connected.store(true, Ordering::Relaxed);
                return Ok(());
            }
            Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => {
                return Err(error.into());
            }
            Err(_) if self.blocks() => {}
            Err(_) => return Err(Errno::EINPROGRESS),
        }
        wait_for(self.as_fd(), libc::POLLOUT, None, waiter)?;
        match self.os.take_error()? {
            None => {
                self.connected.store(true, Ordering::Relaxed);
                Ok(())
            }
            Some(error) => Err(error.into()),
        }
    }

    /// GETSOCKNAME.
    pub fn local(&self) -> Result<SocketName, Errno> {
        let name = self.os.local_addr()?.as_socket();
        name.map(SocketName).ok_or(Errno::EAFNOSUPPORT)
    }

    /// GETPEERNAME.
    pub fn peer(&self) -> Result<SocketName, Errno> {
        let name = self.os.peer_addr()?.as_socket();
        name.map(SocketName).ok_or(Errno::EAFNOSUPPORT)
    }

    /// SHUTDOWN: 0 ends receiving, 1 sending, 2 both.
    pub fn shutdown(&self, how: i64) -> Result<(), Errno> {
        let how = match how {
            0 => std::net::Shutdown::Read,
            1 => std::net::Shutdown::Write,
            2 => std::net::Shutdown::Both,
            _ => return Err(Errno::EINVAL),
        };
        Ok(self.os.shutdown(how)?)
    }

    /// Receives into a buffer: the number of bytes, 0 at the end of a stream,
    /// and the sender, if the system returns it.
    pub fn receive(
        &self,
        into: &mut [u8],
        flags: i64,
        waiter: &dyn SocketWaiter,
    ) -> Result<(usize, Option<SocketName>), Errno> {
        let system = system_flags(flags)?;
        let whole = flags & flags::WAITALL != 0 && flags & flags::PEEK == 0 && self.kind.stream;
        let mut got = 0;
        loop {
            // SAFETY: bytes that are there may be looked at as bytes that may
            // not be; recvfrom writes no others than it says.
            let rest: &mut [MaybeUninit<u8>] =
                unsafe { &mut *(&raw mut into[got..] as *mut [MaybeUninit<u8>]) };
            let received = self.patient(libc::POLLIN, &self.receive_ns, waiter, || {
                self.os.recv_from_with_flags(rest, system)
            });
            let (n, from) = match received {
                Ok(received) => received,
                // Bytes received before the error count.
                Err(_) if got > 0 => return Ok((got, None)),
                Err(errno) => return Err(errno),
            };
            got += n;
            if n == 0 || !whole || got == into.len() {
                return Ok((got, from.as_socket().map(SocketName)));
            }
        }
    }

    /// Sends bytes: how many were taken. A blocking stream takes them all.
    pub fn send(
        &self,
        data: &[u8],
        flags: i64,
        to: Option<&SocketName>,
        waiter: &dyn SocketWaiter,
    ) -> Result<usize, Errno> {
        let system = system_flags(flags)? | libc::MSG_NOSIGNAL;
        if let Some(name) = to {
            self.check_family(name)?;
        }
        let to = to.map(|name| SockAddr::from(name.0));
        let mut sent = 0;
        loop {
            let rest = &data[sent..];
            let taken = self.patient(libc::POLLOUT, &self.send_ns, waiter, || match &to {
                Some(to) => self.os.send_to_with_flags(rest, to, system),
                None => self.os.send_with_flags(rest, system),
            });
            match taken {
                Ok(n) => sent += n,
                Err(_) if sent > 0 => return Ok(sent),
                // Linux says the same of a stream that never had a partner.
                Err(Errno::EPIPE) if !self.was_connected() => return Err(Errno::ENOTCONN),
                Err(errno) => return Err(errno),
            }
            if sent == data.len() || !self.blocks() || !self.kind.stream {
                return Ok(sent);
            }
        }
    }

    /// FCNTL.
    pub fn fcntl(&self, command: i64, flags: i64) -> Result<i64, Errno> {
        match Command::numbered(command) {
            Some(Command::Get) => Ok(if self.blocks() { 0 } else { NONBLOCKING }),
            Some(Command::Set) if flags & !NONBLOCKING == 0 => {
                self.set_blocking(flags == 0);
                Ok(0)
            }
            _ => Err(Errno::EINVAL),
        }
    }

    /// IOCTL: RETARG, where that is an integer.
    pub fn control(&self, control: i64, argument: i64) -> Result<i64, Errno> {
        let (request, fd) = match SocketControl::numbered(control) {
            Some(SocketControl::NonBlocking) => {
                self.set_blocking(argument == 0);
                return Ok(argument);
            }
            Some(SocketControl::Readable) => (libc::FIONREAD, self.os.as_raw_fd()),
            Some(SocketControl::AtMark) => (SIOCATMARK, self.os.as_raw_fd()),
            Some(SocketControl::Interface(_)) | None => return Err(Errno::EINVAL),
        };
        let mut value: libc::c_int = 0;
        // SAFETY: the control writes one integer.
        match unsafe { libc::ioctl(fd, request, &mut value) } {
            0 => Ok(i64::from(value)),
            _ => Err(io::Error::last_os_error().into()),
        }
    }

    /// GETSOCKOPT: OPTVAL.
    pub fn option(&self, number: i64) -> Result<Vec<u8>, Errno> {
        let name = OptionName::numbered(number).ok_or(Errno::ENOPROTOOPT)?;
        let os = &self.os;
        let word = match name {
            OptionName::ReuseAddress => u32::from(os.reuse_address()?),
            OptionName::KeepAlive => u32::from(os.keepalive()?),
            OptionName::Broadcast => u32::from(os.broadcast()?),
            OptionName::OutOfBandInline => u32::from(os.out_of_band_inline()?),
            // The kernel returns twice the value that was set: the rest is its
            // own.
            OptionName::SendBuffer => os.send_buffer_size()? as u32 / 2,
            OptionName::ReceiveBuffer => os.recv_buffer_size()? as u32 / 2,
            OptionName::NoDelay => u32::from(os.tcp_nodelay()?),
            OptionName::KeepAliveTime => os.tcp_keepalive_time()?.as_secs() as u32,
            OptionName::OnlyV6 => u32::from(os.only_v6()?),
            OptionName::UnicastHops => os.unicast_hops_v6()?,
            OptionName::Type => {
                if self.kind.stream {
                    1
                } else {
                    2
                }
            }
            OptionName::Error => match os.take_error()? {
                None => 0,
                Some(error) => Errno::from(error).0 as u32,
            },
            OptionName::Linger => {
                let linger = os.linger()?;
                let seconds = linger.map_or(0, |l| l.as_secs() as u32);
                return Ok(two(u32::from(linger.is_some()), seconds));
            }
            OptionName::SendTimeout => return Ok(time_of(&self.send_ns)),
            OptionName::ReceiveTimeout => return Ok(time_of(&self.receive_ns)),
        };
        Ok(word.to_be_bytes().to_vec())
    }

    /// SETSOCKOPT.
    pub fn set_option(&self, number: i64, value: &[u8]) -> Result<(), Errno> {
        let name = OptionName::numbered(number).ok_or(Errno::ENOPROTOOPT)?;
        if value.len() < name.bytes() {
            return Err(Errno::SET_OPTION_LENGTH);
        }
        let word = |at: usize| {
            let four = value.get(at..at + 4).and_then(|v| v.try_into().ok());
            u32::from_be_bytes(four.unwrap_or_default())
        };
        let (os, first, on) = (&self.os, word(0), word(0) != 0);
        match name {
            OptionName::ReuseAddress => os.set_reuse_address(on)?,
            OptionName::KeepAlive => os.set_keepalive(on)?,
            OptionName::Broadcast => os.set_broadcast(on)?,
            OptionName::OutOfBandInline => os.set_out_of_band_inline(on)?,
            OptionName::SendBuffer => os.set_send_buffer_size(first as usize)?,
            OptionName::ReceiveBuffer => os.set_recv_buffer_size(first as usize)?,
            OptionName::NoDelay => os.set_tcp_nodelay(on)?,
            OptionName::KeepAliveTime => {
                let time = Duration::from_secs(u64::from(first));
                os.set_tcp_keepalive(&socket2::TcpKeepalive::new().with_time(time))?;
            }
            OptionName::OnlyV6 => os.set_only_v6(on)?,
            OptionName::UnicastHops => os.set_unicast_hops_v6(first)?,
            OptionName::Linger => {
                let seconds = Duration::from_secs(u64::from(word(4)));
                os.set_linger(on.then_some(seconds))?;
            }
            OptionName::SendTimeout => set_time(&self.send_ns, word(0), word(4))?,
            OptionName::ReceiveTimeout => set_time(&self.receive_ns, word(0), word(4))?,
            OptionName::Error | OptionName::Type => return Err(Errno::ENOPROTOOPT),
        }
        Ok(())
    }

    /// A copy of the descriptor, for another process.
    pub fn duplicate(&self) -> io::Result<OwnedFd> {
        self.os.as_fd().try_clone_to_owned()
    }

    /// Whether calls wait for their program.
    pub fn blocks(&self) -> bool {
        !self.nonblocking.load(Ordering::Relaxed)
    }

    fn was_connected(&self) -> bool {
        let was = self.connected.load(Ordering::Relaxed) || self.os.peer_addr().is_ok();
        if was {
            self.connected.store(true, Ordering::Relaxed);
        }
        was
    }

    fn set_blocking(&self, blocks: bool) {
        self.nonblocking.store(!blocks, Ordering::Relaxed);
    }

    fn check_family(&self, name: &SocketName) -> Result<(), Errno> {
        if name.family() == self.kind.family {
            Ok(())
        } else {
            Err(Errno::EAFNOSUPPORT)
        }
    }

    /// Tries something, and again when the descriptor is ready, as long as the
    /// socket blocks.
    fn patient<R>(
        &self,
        events: libc::c_short,
        limit_ns: &AtomicU64,
        waiter: &dyn SocketWaiter,
        mut attempt: impl FnMut() -> io::Result<R>,
    ) -> Result<R, Errno> {
        let limit = match limit_ns.load(Ordering::Relaxed) {
            0 => None,
            ns => Some(Instant::now() + Duration::from_nanos(ns)),
        };
        loop {
            match attempt() {
                Ok(result) => return Ok(result),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && self.blocks() => {
                    let left = limit.map(|l| l.saturating_duration_since(Instant::now()));
                    wait_for(self.as_fd(), events, left, waiter)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.os.as_fd()
    }
}

impl From<SocketAddr> for SocketName {
    fn from(address: SocketAddr) -> SocketName {
        SocketName(address)
    }
}

fn system_flags(given: i64) -> Result<libc::c_int, Errno> {
    let known = flags::OOB | flags::PEEK | flags::DONTROUTE | flags::WAITALL;
    if given & !known != 0 {
        return Err(Errno::EINVAL);
    }
    let mut system = 0;
    for (flag, bit) in [
        (flags::OOB, libc::MSG_OOB),
        (flags::PEEK, libc::MSG_PEEK),
        (flags::DONTROUTE, libc::MSG_DONTROUTE),
    ] {
        if given & flag != 0 {
            system |= bit;
        }
    }
    Ok(system)
}

fn two(first: u32, second: u32) -> Vec<u8> {
    [first.to_be_bytes(), second.to_be_bytes()].concat()
}

fn time_of(ns: &AtomicU64) -> Vec<u8> {
    let ns = ns.load(Ordering::Relaxed);
    two(
        (ns / 1_000_000_000) as u32,
        (ns % 1_000_000_000 / 1000) as u32,
    )
}

fn set_time(ns: &AtomicU64, seconds: u32, micros: u32) -> Result<(), Errno> {
    if micros >= 1_000_000 {
        return Err(Errno::EINVAL);
    }
    let time = u64::from(seconds) * 1_000_000_000 + u64::from(micros) * 1000;
    ns.store(time, Ordering::Relaxed);
    Ok(())
}
