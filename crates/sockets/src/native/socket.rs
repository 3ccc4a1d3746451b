//! A client's socket in the loop of a thread of receivers.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::rc::Rc;
use std::task::{Context, Poll};

use super::reactor::{EpollReactor, SocketRegistration};
use crate::stream::ReadinessSocket;

/// A socket that does not block.
pub struct Socket {
    // Before the socket, so that it leaves the loop before the socket is closed.
    registration: SocketRegistration,
    tcp: TcpStream,
}

impl Socket {
    /// The socket in this loop.
    pub fn new(reactor: &Rc<EpollReactor>, tcp: TcpStream) -> io::Result<Socket> {
        Ok(Socket {
            registration: reactor.register(tcp.as_fd())?,
            tcp,
        })
    }

    /// Ready when the client has reset the connection.
    pub fn poll_gone(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.registration.poll_gone(cx)
    }
}

impl std::fmt::Debug for Socket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.tcp.fmt(f)
    }
}

impl AsRawFd for Socket {
    fn as_raw_fd(&self) -> RawFd {
        self.tcp.as_raw_fd()
    }
}

impl ReadinessSocket for Socket {
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.registration.poll_readable(cx).map(Ok)
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.registration.poll_writable(cx).map(Ok)
    }

    fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = buffer.len();
        let read = || (&self.tcp).read(buffer);
        self.registration.read(bytes, read)
    }

    fn try_read_buf(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let room = buffer.spare_capacity_mut();
        let (to, bytes) = (room.as_mut_ptr(), room.len());
        let count = self.registration.read(bytes, || {
            // SAFETY: room for that many bytes; the result is checked.
            let count = unsafe { libc::recv(self.as_raw_fd(), to.cast(), bytes, 0) };
            usize::try_from(count).map_err(|_| io::Error::last_os_error())
        })?;
        // SAFETY: so many bytes of the room have been written.
        unsafe { buffer.set_len(buffer.len() + count) };
        Ok(count)
    }

    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let write = || (&self.tcp).write(bytes);
        self.registration.write(bytes.len(), write)
    }
}
