//! A relay between two connections that writes every message in two pieces,
//! with Nagle's algorithm on.
//!
//! It simulates a stack whose applications write in two pieces; the region itself
//! writes a message at once. It does not parse the data, so TLS works through it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread::{self, JoinHandle};

use crate::error::LabError;
use crate::net::NetworkNamespace;

/// A relay that runs. It ends when it is dropped.
pub struct TcpRelay {
    listener: TcpListener,
    thread: Option<JoinHandle<()>>,
}

impl TcpRelay {
    /// Listens at an address of a namespace and forwards to another. `first` is
    /// the size of a message's first write; 0 for one write.
    pub fn start(
        namespace: &NetworkNamespace,
        listen: SocketAddr,
        to: SocketAddr,
        first: usize,
    ) -> Result<TcpRelay, LabError> {
        let started = namespace.run(|| {
            let listener = TcpListener::bind(listen)?;
            let accepting = listener.try_clone()?;
            // Everything that this thread starts is in the namespace
            // too.
            let thread = thread::Builder::new()
                .name("relay".into())
                .spawn(move || accept(&accepting, to, first))?;
            Ok((listener, thread))
        })?;
        let (listener, thread) =
            started.map_err(|error: io::Error| LabError::system("starting the relay")(error))?;
        Ok(TcpRelay {
            listener,
            thread: Some(thread),
        })
    }
}

impl Drop for TcpRelay {
    fn drop(&mut self) {
        // SAFETY: shuts a socket down that is open; accept returns.
        unsafe { libc::shutdown(self.listener.as_raw_fd(), libc::SHUT_RDWR) };
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, to: SocketAddr, first: usize) {
    while let Ok((near, _)) = listener.accept() {
        thread::spawn(move || {
            let _ = relay(&near, to, first);
        });
    }
}

/// Copies data in both directions until one side ends.
fn relay(near: &TcpStream, to: SocketAddr, first: usize) -> io::Result<()> {
    let far = TcpStream::connect(to)?;
    let (mut near_in, mut far_out) = (near.try_clone()?, far.try_clone()?);
    let there = thread::spawn(move || copy(&mut near_in, &mut far_out, first));
    let (mut far_in, mut near_out) = (far.try_clone()?, near.try_clone()?);
    let _ = copy(&mut far_in, &mut near_out, first);
    let _ = there.join();
    Ok(())
}

fn copy(from: &mut TcpStream, to: &mut TcpStream, first: usize) -> io::Result<()> {
    let mut message = vec![0; 64 << 10];
    loop {
        let n = match from.read(&mut message) {
            Ok(0) | Err(_) => break,
            Ok(n) => n,
        };
        let (head, rest) = message[..n].split_at(first.min(n));
        for piece in [head, rest] {
            if !piece.is_empty() && to.write_all(piece).is_err() {
                let _ = from.shutdown(Shutdown::Both);
                return Ok(());
            }
        }
    }
    let _ = to.shutdown(Shutdown::Write);
    Ok(())
}
