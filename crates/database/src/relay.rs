//! TLS to a server: a thread between a socket pair and the connection.
//!
//! A worker has a copy of the descriptor and cannot have the state of TLS with it. So
//! the region keeps TLS: what is written to its end of a socket pair is encrypted and
//! sent, what arrives is decrypted and written there. Ending the pair for all copies
//! (`shutdown(2)`) ends the thread and the connection.
//!
//! Reference: PostgreSQL, "Message Flow: SSL Session Encryption".

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use tls::{ClientIdentity, ServerCheck};

use crate::socket::DeadlineSocket;

/// What is checked of a server with TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsCheck {
    /// `sslmode=require`: nothing.
    Nothing,
    /// `sslmode=verify-ca`: the chain, to the authorities of a file or the system's.
    Chain(Option<PathBuf>),
    /// `sslmode=verify-full`: the chain and the host's name.
    Name(Option<PathBuf>),
}

/// How a connection with TLS is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsOptions {
    /// What is checked of the server.
    pub check: TlsCheck,
    /// `sslcert` and `sslkey`: what is shown to the server.
    pub identity: Option<ClientIdentity>,
}

/// SSLRequest: its length and the code of the request.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
/// Bytes that are moved at a time.
const CHUNK: usize = 16 * 1024;
/// How long the last bytes of a connection that ends may take.
const LINGER: Duration = Duration::from_secs(2);

/// Connects, asks for TLS, and starts the relay.
///
/// # Errors
/// Of the sockets; the server has no TLS, or its certificate is not accepted.
pub fn connect(
    host: &str,
    port: u16,
    options: &TlsOptions,
    deadline: Instant,
) -> io::Result<DeadlineSocket> {
    let config = config(options)?;
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| io::Error::new(ErrorKind::InvalidInput, "the host is not a name for TLS"))?;
    let mut stream = DeadlineSocket::stream(host, port, deadline)?;
    limit(&stream, deadline)?;
    stream.write_all(&SSL_REQUEST)?;
    let mut answer = [0];
    stream.read_exact(&mut answer)?;
    if answer != *b"S" {
        let message = "the server does not accept TLS (ssl = on is needed there)";
        return Err(io::Error::new(ErrorKind::Unsupported, message));
    }
    let mut tls = ClientConnection::new(config, name).map_err(io::Error::other)?;
    while tls.is_handshaking() {
        limit(&stream, deadline)?;
        tls.complete_io(&mut stream)?;
    }
    let (near, far) = UnixStream::pair()?;
    far.set_nonblocking(true)?;
    stream.set_nonblocking(true)?;
    let relay = TlsRelay {
        near: far,
        stream,
        tls,
        arrived: Vec::new(),
    };
    std::thread::Builder::new()
        .name("sql-tls".to_owned())
        .spawn(move || relay.run())?;
    Ok(DeadlineSocket::of(near.into()))
}

fn limit(stream: &TcpStream, deadline: Instant) -> io::Result<()> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(ErrorKind::TimedOut.into());
    }
    stream.set_read_timeout(Some(left))?;
    stream.set_write_timeout(Some(left))
}

/// Files are read for each connection, so a new one is used at once.
fn config(options: &TlsOptions) -> io::Result<Arc<ClientConfig>> {
    let roots = |file: &Option<PathBuf>| tls::trusted(file.as_deref()).map_err(io::Error::other);
    let check = match &options.check {
        TlsCheck::Nothing => ServerCheck::Nothing,
        TlsCheck::Chain(file) => ServerCheck::Chain(roots(file)?),
        TlsCheck::Name(file) => ServerCheck::Name(roots(file)?),
    };
    tls::client_that_checks(check, options.identity.as_ref()).map_err(io::Error::other)
}

/// Both ends and what is on its way.
struct TlsRelay {
    near: UnixStream,
    stream: TcpStream,
    tls: ClientConnection,
    /// Decrypted and not yet written to the near end.
    arrived: Vec<u8>,
}

impl TlsRelay {
    fn run(mut self) {
        loop {
            match self.step() {
                Ok(true) => {}
                Ok(false) => break,
                // A server that refuses the client's certificate says so after the
                // handshake.
                Err(error) if error.kind() == ErrorKind::Other => {
                    tracing::warn!(%error, "a TLS connection to the SQL server failed");
                    break;
                }
                Err(error) => {
                    tracing::debug!(%error, "a TLS connection to the SQL server ended");
                    break;
                }
            }
        }
        self.end();
    }

    /// Waits, and moves what can be moved; false when an end is reached.
    fn step(&mut self) -> io::Result<bool> {
        let sends = self.tls.wants_write();
        // More is taken from a side only when the other has taken what there is.
        let near = events(self.arrived.is_empty() && !sends, !self.arrived.is_empty());
        let far = events(self.arrived.is_empty(), sends);
        // The near end is always looked at, so that its end is seen.
        let (near, far) = wait(self.near.as_raw_fd(), near, self.stream.as_raw_fd(), far)?;
        if near & libc::POLLOUT != 0 {
            let written = self.near.write(&self.arrived);
            if let Some(written) = now(written)? {
                self.arrived.drain(..written);
            }
        }
        if far & libc::POLLOUT != 0 {
            now(self.tls.write_tls(&mut self.stream))?;
        }
        if far & (libc::POLLIN | libc::POLLHUP | libc::POLLERR) != 0 && !self.receive()? {
            return Ok(false);
        }
        if near & libc::POLLIN != 0 {
            let mut buffer = [0; CHUNK];
            match now(self.near.read(&mut buffer))? {
                Some(0) => return Ok(false),
                Some(got) => self.tls.writer().write_all(&buffer[..got])?,
                None => {}
            }
        }
        // What was written before the end is read first.
        Ok(near & (libc::POLLHUP | libc::POLLERR) == 0 || near & libc::POLLIN != 0)
    }

    /// Takes what the server has sent; false at the connection's end.
    fn receive(&mut self) -> io::Result<bool> {
        let Some(got) = now(self.tls.read_tls(&mut self.stream))? else {
            return Ok(true);
        };
        if got == 0 {
            return Ok(false);
        }
        let state = self.tls.process_new_packets().map_err(io::Error::other)?;
        let bytes = state.plaintext_bytes_to_read();
        let start = self.arrived.len();
        self.arrived.resize(start + bytes, 0);
        self.tls.reader().read_exact(&mut self.arrived[start..])?;
        Ok(!state.peer_has_closed() || !self.arrived.is_empty())
    }

    /// What has arrived goes to the near end, what was written to the server, as far as
    /// that takes no time.
    fn end(mut self) {
        let _ = self.near.set_nonblocking(false);
        let _ = self.near.set_write_timeout(Some(LINGER));
        let _ = self.near.write_all(&self.arrived);
        self.tls.send_close_notify();
        let _ = self.stream.set_nonblocking(false);
        let _ = self.stream.set_write_timeout(Some(LINGER));
        while self.tls.wants_write() && self.tls.write_tls(&mut self.stream).is_ok_and(|n| n > 0) {}
        let _ = self.near.shutdown(std::net::Shutdown::Both);
    }
}

/// The result of a call that does not wait; `None` if it would have.
fn now<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn events(reads: bool, writes: bool) -> libc::c_short {
    let read = if reads { libc::POLLIN } else { 0 };
    read | if writes { libc::POLLOUT } else { 0 }
}

/// Waits for events of two descriptors; those that came.
fn wait(
    near: RawFd,
    near_events: libc::c_short,
    far: RawFd,
    far_events: libc::c_short,
) -> io::Result<(libc::c_short, libc::c_short)> {
    let entry = |fd, events| libc::pollfd {
        fd,
        events,
        revents: 0,
    };
    let mut both = [entry(near, near_events), entry(far, far_events)];
    // SAFETY: two pollfds, which are writable.
    let ready = unsafe { libc::poll(both.as_mut_ptr(), 2, -1) };
    if ready < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != ErrorKind::Interrupted {
            return Err(error);
        }
        return Ok((0, 0));
    }
    Ok((both[0].revents, both[1].revents))
}
