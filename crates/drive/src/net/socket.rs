//! Opens a non-blocking connection with the client's knobs set before the
//! first packet leaves.

use crate::plan::Knobs;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrAny, SocketFlags, SocketType, bind, connect as start, ipproto,
    socket_with, sockopt,
};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Begins a connection. Whether it succeeded is known once it is writable.
pub fn connect(address: SocketAddr, source: Option<IpAddr>, knobs: &Knobs) -> io::Result<OwnedFd> {
    let family = match address {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let fd = socket_with(
        family,
        SocketType::STREAM,
        SocketFlags::NONBLOCK | SocketFlags::CLOEXEC,
        Some(ipproto::TCP),
    )?;
    if knobs.no_delay {
        sockopt::set_tcp_nodelay(&fd, true)?;
    }
    if let Some(bytes) = knobs.send_buffer_bytes {
        sockopt::set_socket_send_buffer_size(&fd, bytes)?;
    }
    if let Some(bytes) = knobs.receive_buffer_bytes {
        sockopt::set_socket_recv_buffer_size(&fd, bytes)?;
    }
    if knobs.reset_on_close {
        sockopt::set_socket_linger(&fd, Some(Duration::ZERO))?;
    }
    if let Some(source) = source {
        bind(&fd, &SocketAddr::new(source, 0))?;
    }
    match start(&fd, &SocketAddrAny::from(address)) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(fd),
        Err(error) => Err(error.into()),
    }
}
