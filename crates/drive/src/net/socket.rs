//! Opens a non-blocking connection with the socket options set before the first
//! packet is sent.

use crate::plan::SocketOptions;
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrAny, SocketFlags, SocketType, bind, connect as start, ipproto,
    socket_with, sockopt,
};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Lets the kernel choose the port when it knows the peer, so that one port serves
/// connections to several servers. Kernels without this option use up a port for
/// each connection.
fn port_at_connect(fd: &OwnedFd) {
    let on: libc::c_int = 1;
    // SAFETY: an int and its size.
    unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        );
    }
}

/// Starts a connection. The socket becomes writable when it has succeeded or
/// failed.
pub fn connect(
    address: SocketAddr,
    source: Option<IpAddr>,
    knobs: &SocketOptions,
) -> io::Result<OwnedFd> {
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
        port_at_connect(&fd);
        bind(&fd, &SocketAddr::new(source, 0))?;
    }
    match start(&fd, &SocketAddrAny::from(address)) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(fd),
        Err(error) => Err(error.into()),
    }
}

/// Why a connection could not be opened, and the remedy if a limit of this machine
/// is the cause.
pub fn why_not(error: &io::Error) -> String {
    let hint = match Errno::from_io_error(error) {
        Some(Errno::MFILE) => "raise the limit of open files (ulimit -n), or use fewer clients",
        Some(Errno::NFILE) => "the whole machine has too many open files (fs.file-max)",
        Some(Errno::ADDRNOTAVAIL) => {
            "all local ports to this server are in use; widen net.ipv4.ip_local_port_range, give more source addresses, keep connections, or close them with `reset_on_close`"
        }
        _ => return error.to_string(),
    };
    format!("{error}: {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_this_machine_is_reported_with_what_to_do() {
        for (errno, part) in [
            (Errno::MFILE, "ulimit -n"),
            (Errno::NFILE, "fs.file-max"),
            (Errno::ADDRNOTAVAIL, "ip_local_port_range"),
        ] {
            let message = why_not(&errno.into());
            assert!(
                message.contains(part) && message.contains("os error"),
                "{message}"
            );
        }
        let refused = io::Error::from(Errno::CONNREFUSED);
        assert_eq!(why_not(&refused), refused.to_string());
    }
}
