//! A stream socket with a deadline for each call.
//!
//! Workers have copies of the same socket, and options such as SO_RCVTIMEO belong
//! to the socket, not to a copy. So each call waits with poll(2) and passes
//! MSG_DONTWAIT, and no option is set.

use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// A connected stream socket.
#[derive(Debug)]
pub struct DeadlineSocket(OwnedFd);

impl DeadlineSocket {
    /// Connects to a Unix socket.
    ///
    /// # Errors
    /// Of connect(2); [`ErrorKind::InvalidInput`] for a path of more than 107 bytes.
    pub fn unix(path: &Path) -> io::Result<DeadlineSocket> {
        Ok(DeadlineSocket(UnixStream::connect(path)?.into()))
    }

    /// Connects to a host, trying its addresses in their order.
    ///
    /// # Errors
    /// Of the last address; a name that has no address.
    pub fn tcp(host: &str, port: u16, deadline: Instant) -> io::Result<DeadlineSocket> {
        let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
        for address in (host, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, left(deadline)?) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(DeadlineSocket(stream.into()));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Connects to a host for a caller that speaks TLS over the stream.
    ///
    /// # Errors
    /// As [`DeadlineSocket::tcp`].
    pub fn stream(host: &str, port: u16, deadline: Instant) -> io::Result<TcpStream> {
        let DeadlineSocket(fd) = DeadlineSocket::tcp(host, port, deadline)?;
        Ok(fd.into())
    }

    /// A socket that is connected.
    pub fn of(fd: OwnedFd) -> DeadlineSocket {
        DeadlineSocket(fd)
    }

    /// A copy of the descriptor, for a worker.
    ///
    /// # Errors
    /// Of dup(2).
    pub fn copy(&self) -> io::Result<OwnedFd> {
        self.0.try_clone()
    }

    /// A copy that a child process inherits.
    ///
    /// # Errors
    /// Of fcntl(2).
    pub fn inheritable_copy(&self) -> io::Result<OwnedFd> {
        inheritable_copy(self.0.as_fd())
    }

    /// Sends all bytes.
    ///
    /// # Errors
    /// Of send(2); [`ErrorKind::TimedOut`] after the deadline.
    pub fn send_all(&self, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.send_now(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) => self.wait_after(error, libc::POLLOUT, deadline)?,
            }
        }
        Ok(())
    }

    /// Sends as many of the bytes as the socket takes without waiting.
    ///
    /// # Errors
    /// Of send(2); [`ErrorKind::WouldBlock`] if it takes none.
    pub fn send_now(&self, bytes: &[u8]) -> io::Result<usize> {
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the bytes are readable for their length.
        let sent = unsafe {
            let from = bytes.as_ptr().cast();
            libc::send(self.0.as_raw_fd(), from, bytes.len(), flags)
        };
        usize::try_from(sent).map_err(|_| io::Error::last_os_error())
    }

    /// Receives what is there, waiting for it.
    ///
    /// # Errors
    /// Of recv(2); [`ErrorKind::UnexpectedEof`] at the end of the connection,
    /// [`ErrorKind::TimedOut`] after the deadline.
    pub fn receive(&self, buffer: &mut [u8], deadline: Instant) -> io::Result<usize> {
        loop {
            // SAFETY: the buffer is writable for its length.
            let got = unsafe {
                let at = buffer.as_mut_ptr().cast();
                libc::recv(self.0.as_raw_fd(), at, buffer.len(), libc::MSG_DONTWAIT)
            };
            match usize::try_from(got) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(got) => return Ok(got),
                Err(_) => {
                    let error = io::Error::last_os_error();
                    self.wait_after(error, libc::POLLIN, deadline)?;
                }
            }
        }
    }

    /// Whether bytes, or the end of the connection, have arrived.
    pub fn has_input(&self) -> bool {
        self.poll(libc::POLLIN, 0).is_ok_and(|ready| ready)
    }

    /// Ends the connection for every copy of the descriptor.
    pub fn shut_down(&self) {
        // SAFETY: a plain call on a descriptor that is open.
        unsafe { libc::shutdown(self.0.as_raw_fd(), libc::SHUT_RDWR) };
    }

    /// Waits where the last call would have blocked, and returns other errors.
    fn wait_after(
        &self,
        error: io::Error,
        events: libc::c_short,
        deadline: Instant,
    ) -> io::Result<()> {
        match error.kind() {
            ErrorKind::Interrupted => Ok(()),
            ErrorKind::WouldBlock => {
                let wait = left(deadline)?.as_millis().min(60_000) as i32 + 1;
                self.poll(events, wait).map(|_| ())
            }
            _ => Err(error),
        }
    }

    fn poll(&self, events: libc::c_short, wait_ms: i32) -> io::Result<bool> {
        let mut poll = libc::pollfd {
            fd: self.0.as_raw_fd(),
            events,
            revents: 0,
        };
        // SAFETY: one pollfd, which is writable.
        match unsafe { libc::poll(&raw mut poll, 1, wait_ms) } {
            -1 if io::Error::last_os_error().kind() == ErrorKind::Interrupted => Ok(false),
            -1 => Err(io::Error::last_os_error()),
            ready => Ok(ready > 0),
        }
    }
}

impl AsFd for DeadlineSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(ErrorKind::TimedOut.into());
    }
    Ok(left)
}

/// A copy of a descriptor that a child process inherits.
///
/// # Errors
/// Of fcntl(2).
pub fn inheritable_copy(of: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    // SAFETY: a plain call on a descriptor that is open.
    let fd = unsafe { libc::fcntl(of.as_raw_fd(), libc::F_DUPFD, 3) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon(ms: u64) -> Instant {
        Instant::now() + Duration::from_millis(ms)
    }

    #[test]
    fn a_silent_peer_is_a_timeout_and_a_shutdown_ends_every_copy() {
        let (one, other) = UnixStream::pair().unwrap();
        let (one, other) = (DeadlineSocket(one.into()), DeadlineSocket(other.into()));
        let copy = DeadlineSocket(one.copy().unwrap());
        let mut buffer = [0; 8];
        let error = one.receive(&mut buffer, soon(5)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(!one.has_input());
        other.send_all(b"bytes", soon(1000)).unwrap();
        assert!(copy.has_input());
        assert_eq!(copy.receive(&mut buffer, soon(1000)).unwrap(), 5);
        assert!(!copy.has_input());
        one.shut_down();
        assert!(copy.has_input());
        let error = copy.receive(&mut buffer, soon(1000)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        assert!(copy.send_all(b"more", soon(1000)).is_err());
    }
}
