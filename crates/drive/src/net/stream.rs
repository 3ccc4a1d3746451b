//! A connection in clear or under TLS, read and written without blocking.

use super::stamp;
use crate::plan::SocketOptions;
use crate::tls::{TlsTarget, words};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{RecvFlags, SendFlags, recv, send, sockopt};
use rustls::ClientConnection;
use std::io::{self, Read, Write};

/// A connected (or connecting) socket.
pub struct Stream {
    fd: OwnedFd,
    tls: Option<Box<ClientConnection>>,
    quick_ack: bool,
    stamps: bool,
    arrived_wall: u64,
}

impl Stream {
    /// Takes a socket that was begun by [`super::connect`].
    pub fn new(fd: OwnedFd, tls: Option<&TlsTarget>, knobs: &SocketOptions) -> io::Result<Stream> {
        let tls = match tls {
            None => None,
            Some(tls) => {
                let client = ClientConnection::new(tls.config.clone(), tls.name.clone());
                Some(Box::new(client.map_err(io::Error::other)?))
            }
        };
        Ok(Stream {
            stamps: knobs.kernel_times && tls.is_none() && stamp::enable(fd.as_fd()),
            quick_ack: knobs.quick_ack,
            arrived_wall: 0,
            fd,
            tls,
        })
    }

    /// The error of the connection attempt, if it failed.
    pub fn connect_error(&self) -> Option<io::Error> {
        match sockopt::socket_error(&self.fd) {
            Ok(Ok(())) => None,
            Ok(Err(error)) | Err(error) => Some(error.into()),
        }
    }

    /// Reads available bytes; 0 is the end, `WouldBlock` means none yet.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else {
            let n = if self.stamps {
                let (n, at) = stamp::recv(&self.fd, buffer)?;
                self.arrived_wall = at;
                n
            } else {
                recv(&self.fd, &mut *buffer, RecvFlags::empty())?.1
            };
            if self.quick_ack {
                sockopt::set_tcp_quickack(&self.fd, true)?;
            }
            return Ok(n);
        };
        loop {
            match tls.reader().read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => return other,
            }
            if tls.read_tls(&mut RawSocket(self.fd.as_fd()))? == 0 {
                return Ok(0);
            }
            let taken = tls.process_new_packets();
            // Alerts and handshake messages that this read produced are
            // sent at once.
            flush(tls, self.fd.as_fd())?;
            let invalid_data = |error| io::Error::new(io::ErrorKind::InvalidData, words(&error));
            taken.map_err(invalid_data)?;
        }
    }

    /// The kernel's time stamp of the last bytes read, ns of the wall clock; 0
    /// if the kernel gave none.
    pub fn arrived_wall(&self) -> u64 {
        self.arrived_wall
    }

    /// Whether bytes were read from the socket but not yet returned.
    pub fn buffered(&self) -> bool {
        self.tls.is_some()
    }

    /// Writes as much as the socket accepts; `WouldBlock` if it accepts
    /// nothing.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else {
            return Ok(send(&self.fd, bytes, SendFlags::NOSIGNAL)?);
        };
        let n = tls.writer().write(bytes)?;
        flush(tls, self.fd.as_fd())?;
        match n {
            0 if !bytes.is_empty() => Err(io::ErrorKind::WouldBlock.into()),
            n => Ok(n),
        }
    }

    /// Writes pending TLS records. Returns `true` if none are left.
    pub fn flush(&mut self) -> io::Result<bool> {
        match &mut self.tls {
            None => Ok(true),
            Some(tls) => flush(tls, self.fd.as_fd()),
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn flush(tls: &mut ClientConnection, fd: BorrowedFd<'_>) -> io::Result<bool> {
    while tls.wants_write() {
        match tls.write_tls(&mut RawSocket(fd)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// A socket with the traits that rustls needs.
struct RawSocket<'a>(BorrowedFd<'a>);

impl Read for RawSocket<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (_, n) = recv(self.0, buffer, RecvFlags::empty())?;
        Ok(n)
    }
}

impl Write for RawSocket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(send(self.0, bytes, SendFlags::NOSIGNAL)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
