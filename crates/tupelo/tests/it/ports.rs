//! Ports of a test's own.
//!
//! A port that was taken and released may be another test's before it is used:
//! the system gives it to the next listener or connection that asks for any.
//! So a port where nothing must listen stays in use, and a port that must be
//! known before its server starts comes from below those that the system picks.

use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU16, Ordering};

/// A port that refuses connections as long as this exists.
pub struct ClosedPort {
    _socket: OwnedFd,
    address: SocketAddr,
}

impl ClosedPort {
    /// Takes a port, and does not listen there.
    pub fn new() -> ClosedPort {
        // SAFETY: plain calls on a new descriptor and on addresses of this size;
        // the results are checked.
        unsafe {
            let raw = libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0);
            assert!(raw >= 0, "{}", std::io::Error::last_os_error());
            let socket = OwnedFd::from_raw_fd(raw);
            let mut name: libc::sockaddr_in = std::mem::zeroed();
            name.sin_family = libc::AF_INET as libc::sa_family_t;
            name.sin_addr.s_addr = u32::from_ne_bytes([127, 0, 0, 1]);
            let mut bytes = std::mem::size_of_val(&name) as libc::socklen_t;
            let fd = socket.as_raw_fd();
            assert_eq!(libc::bind(fd, (&raw const name).cast(), bytes), 0);
            let named = libc::getsockname(fd, (&raw mut name).cast(), &raw mut bytes);
            assert_eq!(named, 0);
            let port = u16::from_be(name.sin_port);
            ClosedPort {
                _socket: socket,
                address: ([127, 0, 0, 1], port).into(),
            }
        }
    }

    /// Its number.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// `127.0.0.1:port`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }
}

/// A port of 127.0.0.1 that a server of this test may listen at. The system
/// does not assign it to sockets that ask for any port.
pub fn reserved_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Where the system picks ports from is read, as machines differ.
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range");
    let lowest = range
        .ok()
        .and_then(|r| r.split_whitespace().next()?.parse().ok());
    let end: u16 = lowest.unwrap_or(32_768);
    let begin = end / 2;
    // Other runs of the tests on the machine begin elsewhere.
    let first = (std::process::id() as u16).wrapping_mul(31);
    for _ in begin..end {
        let number = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = begin + number % (end - begin);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port from {begin} to {end} is free");
}

#[test]
fn a_closed_port_refuses_and_a_reserved_one_is_free_and_no_other_tests() {
    let closed = ClosedPort::new();
    let refused = std::net::TcpStream::connect(closed.address());
    let kind = std::io::ErrorKind::ConnectionRefused;
    assert_eq!(refused.unwrap_err().kind(), kind);
    let taken = TcpListener::bind(("127.0.0.1", closed.port()));
    assert_eq!(taken.unwrap_err().kind(), std::io::ErrorKind::AddrInUse);
    let (first, second) = (reserved_port(), reserved_port());
    assert_ne!(first, second);
    assert!(TcpListener::bind(("127.0.0.1", first)).is_ok());
}
