//! A client's connection: plain, or by TLS.
//!
//! TLS is driven by hand, because a connection moves from the listeners'
//! thread, which has a runtime, to a thread of the receivers, which has a loop
//! of its own: [`ReadinessSocket`] is common to both. Decrypted and unused bytes move with
//! it.
//!
//! Invariant: nothing waits here while a borrow lasts; a client that takes no
//! ciphertext is offered no more plaintext.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustls::{ServerConfig, ServerConnection};
use tokio::io::Interest;
use tokio::net::TcpStream;

use crate::listener::header::line_end;

/// Gives what the next TLS connection is accepted with.
pub type TlsSource = Arc<dyn Fn() -> Arc<ServerConfig> + Send + Sync>;

/// Bytes that are decrypted at a time.
const PIECE_BYTES: usize = 4096;

/// A socket in a loop of events: one future reads it, one writes it.
pub trait ReadinessSocket: AsRawFd {
    /// Ready when there may be something to read, or the end.
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
    /// Ready when something may be written.
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
    /// Reads what there is.
    fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize>;
    /// Reads available bytes after those in the buffer, as far as it has room.
    fn try_read_buf(&self, buffer: &mut Vec<u8>) -> io::Result<usize>;
    /// Writes as much as possible without waiting.
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize>;
}

/// A connection.
#[derive(Debug)]
pub struct Stream<T = TcpStream> {
    tcp: T,
    tls: Option<Box<RefCell<TlsSession>>>,
}

/// A connection that belongs to no runtime.
#[derive(Debug)]
pub struct DetachedConnection {
    tcp: std::net::TcpStream,
    tls: Option<Box<RefCell<TlsSession>>>,
}

#[derive(Debug)]
struct TlsSession {
    session: ServerConnection,
    /// Decrypted, and not read yet.
    ahead: Vec<u8>,
    /// The client sends nothing more.
    ended: bool,
}

impl Stream {
    /// A connection without TLS.
    pub fn plain(tcp: TcpStream) -> Stream {
        Stream { tcp, tls: None }
    }

    /// Shakes hands with a client.
    pub async fn accept(tcp: TcpStream, config: Arc<ServerConfig>) -> io::Result<Stream> {
        let session = ServerConnection::new(config).map_err(io::Error::other)?;
        let mut tls = TlsSession {
            session,
            ahead: Vec::new(),
            ended: false,
        };
        while tls.session.is_handshaking() {
            if tls.flush(&tcp)? && tls.session.wants_read() && !tls.receive(&tcp)? {
                tcp.readable().await?;
            } else if tls.session.wants_write() {
                tcp.ready(Interest::READABLE | Interest::WRITABLE).await?;
            }
            if tls.ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        tls.flush(&tcp)?;
        Ok(Stream {
            tcp,
            tls: Some(Box::new(RefCell::new(tls))),
        })
    }

    /// The connection as another loop can have it.
    pub fn into_parts(self) -> io::Result<DetachedConnection> {
        Ok(DetachedConnection {
            tcp: self.tcp.into_std()?,
            tls: self.tls,
        })
    }

    /// The plain connection, if it is one.
    pub fn into_plain(self) -> Result<TcpStream, Stream> {
        match self.tls {
            None => Ok(self.tcp),
            Some(_) => Err(self),
        }
    }

    /// Looks at what has come, without reading it, when `fewest` bytes, a line
    /// or the end are there.
    pub async fn peek(&self, buffer: &mut [u8], fewest: usize) -> io::Result<usize> {
        let fewest = fewest.min(buffer.len());
        let Some(tls) = &self.tls else {
            return self.peek_plain(buffer, fewest).await;
        };
        loop {
            if let Some(count) = tls.borrow_mut().peek(&self.tcp, buffer, fewest)? {
                return Ok(count);
            }
            self.tcp.readable().await?;
        }
    }

    /// As above for a plain connection. The kernel reports fewer bytes than
    /// SO_RCVLOWAT asks for if they were there before the connection was
    /// accepted.
    async fn peek_plain(&self, buffer: &mut [u8], fewest: usize) -> io::Result<usize> {
        loop {
            let ready = self.tcp.ready(Interest::READABLE).await?;
            let ended = ready.is_read_closed();
            let seen = self.tcp.try_io(Interest::READABLE, || {
                let count = peek_at(&self.tcp, buffer)?;
                let whole = count >= fewest || line_end(&buffer[..count]).is_some();
                if whole || count == 0 || ended {
                    Ok(count)
                } else {
                    Err(io::ErrorKind::WouldBlock.into())
                }
            });
            match seen {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                seen => return seen,
            }
        }
    }
}

impl<T: ReadinessSocket> Stream<T> {
    /// The connection itself, beneath TLS.
    pub fn tcp(&self) -> &T {
        &self.tcp
    }

    /// Waits until there is something to read, or the end.
    pub async fn readable(&self) -> io::Result<()> {
        poll_fn(|cx| self.poll_readable(cx)).await
    }

    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(tls) = &self.tls else {
            return self.tcp.poll_readable(cx);
        };
        while !tls.borrow_mut().pull(&self.tcp)? {
            ready!(self.tcp.poll_readable(cx))?;
        }
        Poll::Ready(Ok(()))
    }

    /// Reads available bytes after those in the buffer, as far as it has room;
    /// 0 at the end.
    pub async fn read_buf(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        poll_fn(|cx| {
            loop {
                ready!(self.poll_readable(cx))?;
                match self.try_read_buf(buffer) {
                    // Another reader took its data.
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                    read => return Poll::Ready(read),
                }
            }
        })
        .await
    }

    /// As above, if bytes are available; call [`Stream::readable`] before.
    pub fn try_read_buf(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else {
            return self.tcp.try_read_buf(buffer);
        };
        let TlsSession { ahead, ended, .. } = tls.get_mut();
        if ahead.is_empty() && !*ended {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = ahead.len().min(buffer.capacity() - buffer.len());
        buffer.extend(ahead.drain(..count));
        if ahead.is_empty() {
            *ahead = Vec::new();
        }
        Ok(count)
    }

    /// Reads so many bytes away; none at the end of the stream.
    pub async fn consume(&mut self, mut bytes: usize) -> Option<()> {
        let mut buffer = Vec::with_capacity(PIECE_BYTES);
        while bytes > 0 {
            buffer.clear();
            if buffer.capacity() > bytes {
                buffer = Vec::with_capacity(bytes);
            }
            match self.read_buf(&mut buffer).await.ok()? {
                0 => return None,
                count => bytes = bytes.saturating_sub(count),
            }
        }
        Some(())
    }

    /// Writes as much as possible without waiting.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let Some(tls) = &self.tls else {
            return self.tcp.try_write(bytes);
        };
        let mut tls = tls.borrow_mut();
        if !tls.flush(&self.tcp)? {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let taken = tls.session.writer().write(bytes)?;
        tls.flush(&self.tcp)?;
        Ok(taken)
    }

    /// True when the client has not taken all that was written.
    pub fn has_unsent_output(&self) -> bool {
        let of_tls = |tls: &RefCell<TlsSession>| tls.borrow().session.wants_write();
        self.tls.as_deref().is_some_and(of_tls)
    }

    /// Sends a TLS client the closing alert, as far as possible without
    /// waiting: without it the end might be an attacker's truncation.
    pub fn take_leave(&self) {
        let Some(Ok(mut tls)) = self.tls.as_ref().map(|tls| tls.try_borrow_mut()) else {
            return;
        };
        tls.session.send_close_notify();
        // A client that does not read it is not waited for.
        let _ = tls.flush(&self.tcp);
    }

    /// Waits until more can be written.
    pub async fn writable(&self) -> io::Result<()> {
        poll_fn(|cx| self.tcp.poll_writable(cx)).await
    }

    /// Writes all bytes, and marks the end of the output.
    pub async fn finish(&mut self, mut words: &[u8]) -> io::Result<()> {
        let mut reported = false;
        loop {
            while !words.is_empty() {
                match self.try_write(words) {
                    Ok(count) => words = &words[count..],
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error),
                }
            }
            if let Some(tls) = &self.tls
                && words.is_empty()
            {
                let mut tls = tls.borrow_mut();
                if !std::mem::replace(&mut reported, true) {
                    tls.session.send_close_notify();
                }
                tls.flush(&self.tcp)?;
            }
            if words.is_empty() && !self.has_unsent_output() {
                break;
            }
            self.writable().await?;
        }
        // SAFETY: a plain call on an open socket.
        match unsafe { libc::shutdown(self.tcp.as_raw_fd(), libc::SHUT_WR) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl ReadinessSocket for TcpStream {
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_read_ready(cx)
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write_ready(cx)
    }

    fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        TcpStream::try_read(self, buffer)
    }

    fn try_read_buf(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        TcpStream::try_read_buf(self, buffer)
    }

    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        TcpStream::try_write(self, bytes)
    }
}

impl DetachedConnection {
    /// The connection with its socket in another loop.
    pub fn into_stream<T: ReadinessSocket>(
        self,
        adopt: impl FnOnce(std::net::TcpStream) -> io::Result<T>,
    ) -> io::Result<Stream<T>> {
        Ok(Stream {
            tcp: adopt(self.tcp)?,
            tls: self.tls,
        })
    }

    /// Has small pieces sent at once.
    pub fn set_nodelay(&self) -> io::Result<()> {
        self.tcp.set_nodelay(true)
    }
}

impl TlsSession {
    /// Sends ciphertext; false when the client does not accept all of it now.
    fn flush(&mut self, tcp: &impl ReadinessSocket) -> io::Result<bool> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut TlsTransport(tcp)) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Takes ciphertext in; returns false if none is there now.
    fn receive(&mut self, tcp: &impl ReadinessSocket) -> io::Result<bool> {
        match self.session.read_tls(&mut TlsTransport(tcp)) {
            Ok(0) => self.ended = true,
            Ok(_) => {
                if let Err(error) = self.session.process_new_packets() {
                    // The client receives the alert, if it reads.
                    let _ = self.flush(tcp);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, error));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        // Answers to key updates; the rest is sent with later output.
        self.flush(tcp)?;
        Ok(true)
    }

    /// Has something to be read, or the end; false when there is nothing now.
    fn pull(&mut self, tcp: &impl ReadinessSocket) -> io::Result<bool> {
        if !self.ahead.is_empty() || self.ended {
            return Ok(true);
        }
        self.decrypt(tcp)
    }

    /// The received bytes, once there are `fewest` bytes, a line or the end.
    fn peek(
        &mut self,
        tcp: &impl ReadinessSocket,
        buffer: &mut [u8],
        fewest: usize,
    ) -> io::Result<Option<usize>> {
        while self.ahead.len() < fewest && line_end(&self.ahead).is_none() && !self.ended {
            if !self.decrypt(tcp)? {
                return Ok(None);
            }
        }
        let count = self.ahead.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.ahead[..count]);
        Ok(Some(count))
    }

    /// Adds to the decrypted bytes; false when no byte is available now.
    fn decrypt(&mut self, tcp: &impl ReadinessSocket) -> io::Result<bool> {
        let had = self.ahead.len();
        loop {
            self.ahead.resize(had + PIECE_BYTES, 0);
            let read = self.session.reader().read(&mut self.ahead[had..]);
            self.ahead
                .truncate(had + read.as_ref().map_or(0, |count| *count));
            match read {
                Ok(0) => self.ended = true,
                Ok(_) => return Ok(true),
                // The end without TLS's closing alert: the framing shows what
                // is complete.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => self.ended = true,
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Err(_) => {}
            }
            if self.ended {
                return Ok(true);
            }
            if !self.receive(tcp)? {
                if had == 0 {
                    self.ahead = Vec::new();
                }
                return Ok(false);
            }
            // The reader notices an end only after the data before it.
            self.ended = false;
        }
    }
}

/// Reads what there is without taking it.
fn peek_at(tcp: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
    // SAFETY: an open socket and an own buffer; the result is checked.
    let count = unsafe {
        let room = buffer.as_mut_ptr().cast();
        libc::recv(tcp.as_raw_fd(), room, buffer.len(), flags)
    };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// A connection as TLS reads and writes it.
struct TlsTransport<'t, T>(&'t T);

impl<T: ReadinessSocket> Read for TlsTransport<'_, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(buffer)
    }
}

impl<T: ReadinessSocket> Write for TlsTransport<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn a_peek_waits_for_a_whole_line_or_for_the_end() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut client = TcpStream::connect(address).await.unwrap();
        client.set_nodelay(true).unwrap();
        // SO_RCVLOWAT is not set here, so one byte wakes the reader.
        client.write_all(b"L").await.unwrap();
        let server = Stream::plain(listener.accept().await.unwrap().0);
        let mut buffer = [0; 16];
        server.readable().await.unwrap();
        let later = async { client.write_all(b"INE").await.unwrap() };
        let (seen, ()) = tokio::join!(server.peek(&mut buffer, 4), later);
        assert_eq!(&buffer[..seen.unwrap()], b"LINE");
        assert_eq!(server.peek(&mut buffer, 2).await.unwrap(), 4);
        let more = async { client.write_all(b"\n").await.unwrap() };
        let (seen, ()) = tokio::join!(server.peek(&mut buffer, 9), more);
        assert_eq!(seen.unwrap(), 5);
        let mut server = server;
        server.consume(4).await.unwrap();
        server.consume(1).await.unwrap();
        client.write_all(b"x").await.unwrap();
        client.shutdown().await.unwrap();
        assert_eq!(server.peek(&mut buffer, 9).await.unwrap(), 1);
    }
}
