//! The limit of the sockets bench: the least that a server of a gateway with
//! two sockets can do. One thread waits in epoll, reads lines on the one
//! connection of a session, and writes them in capitals on the other.
//!
//! Reference: epoll(7).

use anyhow::{Context, Result};
use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, RawFd};

/// A connection and what it is for, once it has said so.
struct Connection {
    stream: TcpStream,
    /// Lines come on it; of this session.
    session: Option<String>,
    is_sender: bool,
    partial: Vec<u8>,
}

/// Serves until standard input ends.
pub fn serve() -> Result<bool> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    println!("{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    // SAFETY: a plain call; the result is checked.
    let epoll = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
    anyhow::ensure!(epoll >= 0, "no epoll");
    watch(epoll, listener.as_raw_fd())?;
    watch(epoll, 0)?;
    let mut connections: HashMap<RawFd, Connection> = HashMap::new();
    let mut senders: HashMap<String, RawFd> = HashMap::new();
    // Answers whose connection has not said yet whose it is.
    let mut waiting: HashMap<String, Vec<u8>> = HashMap::new();
    let mut buffer = vec![0; 16 << 10];
    let mut events = [libc::epoll_event { events: 0, u64: 0 }; 64];
    loop {
        // SAFETY: room for as many events as is said.
        let count = unsafe { libc::epoll_wait(epoll, events.as_mut_ptr(), 64, -1) };
        for event in &events[..count.max(0) as usize] {
            let fd = event.u64 as RawFd;
            if fd == 0 {
                return Ok(true);
            }
            if fd == listener.as_raw_fd() {
                while let Ok((stream, _)) = listener.accept() {
                    stream.set_nonblocking(true)?;
                    stream.set_nodelay(true)?;
                    watch(epoll, stream.as_raw_fd())?;
                    let connection = Connection {
                        stream,
                        session: None,
                        is_sender: false,
                        partial: Vec::new(),
                    };
                    connections.insert(connection.stream.as_raw_fd(), connection);
                }
                continue;
            }
            let lines = match connections.get_mut(&fd) {
                Some(connection) => connection.read(&mut buffer),
                None => continue,
            };
            match lines {
                Some(mut answer) => {
                    let connection = connections.get(&fd).context("the connection")?;
                    let session = connection.session.as_deref().unwrap_or_default();
                    if connection.is_sender && senders.insert(session.to_owned(), fd).is_none() {
                        answer = waiting.remove(session).unwrap_or_default();
                    }
                    if answer.is_empty() {
                        continue;
                    }
                    match senders.get(session).and_then(|fd| connections.get(fd)) {
                        Some(sender) => (&sender.stream).write_all(&answer)?,
                        None => waiting
                            .entry(session.to_owned())
                            .or_default()
                            .append(&mut answer),
                    }
                }
                None => {
                    connections.remove(&fd);
                    senders.retain(|_, sender| *sender != fd);
                }
            }
        }
    }
}

impl Connection {
    /// The lines that have come, in capitals; none at the end.
    fn read(&mut self, buffer: &mut [u8]) -> Option<Vec<u8>> {
        let read = match self.stream.read(buffer) {
            Ok(0) => return None,
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Some(Vec::new()),
            Err(_) => return None,
        };
        self.partial.extend_from_slice(&buffer[..read]);
        let end = self.partial.iter().rposition(|b| *b == b'\n');
        let end = end.map_or(0, |at| at + 1);
        let mut lines: Vec<u8> = self.partial.drain(..end).collect();
        if self.session.is_none() && !lines.is_empty() {
            let first = lines.iter().position(|b| *b == b'\n').unwrap_or(0);
            let opening = String::from_utf8_lossy(&lines[..first]).into_owned();
            let (kind, session) = opening.split_once(',').unwrap_or((&opening, ""));
            self.is_sender = kind == "SEND";
            self.session = Some(session.to_owned());
            lines.drain(..=first);
        }
        lines.make_ascii_uppercase();
        Some(lines)
    }
}

fn watch(epoll: RawFd, fd: RawFd) -> std::io::Result<()> {
    let mut event = libc::epoll_event {
        events: (libc::EPOLLIN | libc::EPOLLRDHUP) as u32,
        u64: fd as u64,
    };
    // SAFETY: a valid event; the result is checked.
    match unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &raw mut event) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}
