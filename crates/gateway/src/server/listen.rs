//! Sockets and threads.

use super::StartError;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;

/// Connections that may wait to be accepted.
pub(super) const BACKLOG: i32 = 4096;

/// One listener a door on one address; the kernel spreads the connections.
pub(super) fn bind_all(address: SocketAddr, doors: usize) -> Result<Vec<TcpListener>, StartError> {
    bind_waiting(address, doors, BACKLOG)
}

/// As above, with the number of connections that may wait to be accepted.
pub(super) fn bind_waiting(
    address: SocketAddr,
    doors: usize,
    backlog: i32,
) -> Result<Vec<TcpListener>, StartError> {
    let fail = |source| StartError::Listen { address, source };
    let first = bind(address, doors > 1, backlog).map_err(fail)?;
    let taken = first.local_addr().map_err(fail)?;
    let mut all = vec![first];
    for _ in 1..doors {
        all.push(bind(taken, true, backlog).map_err(fail)?);
    }
    Ok(all)
}

fn bind(address: SocketAddr, shared: bool, backlog: i32) -> io::Result<TcpListener> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    socket.set_reuse_address(true)?;
    if shared {
        socket.set_reuse_port(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(backlog)?;
    Ok(socket.into())
}

pub(super) fn address(l: &TcpListener, address: SocketAddr) -> Result<SocketAddr, StartError> {
    l.local_addr()
        .map_err(|source| StartError::Listen { address, source })
}

pub(super) fn spawn(
    name: &str,
    run: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, StartError> {
    std::thread::Builder::new()
        .name(name.to_string())
        .spawn(run)
        .map_err(StartError::Thread)
}
