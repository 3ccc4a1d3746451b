//! A server on the kernel's sockets, with a thread a connection, whose answers
//! are written in the pieces and after the time that an experiment wants.

use super::http::{RequestBuffer, response};
use crate::error::LabError;
use crate::net::{EmulatedPath, PORT, SERVER, packet::wait};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The behaviour of a server.
#[derive(Clone, Debug)]
pub struct ServerPlan {
    /// Length of an answer, head included.
    pub response_bytes: usize,
    /// Time between a request and its answer.
    pub think: Duration,
    /// Write head and body in sequence instead of at once.
    pub head_apart: bool,
    /// TCP_NODELAY.
    pub no_delay: bool,
    /// TCP_QUICKACK before and after every read.
    pub quick_ack: bool,
}

/// A running server. It stops when it is dropped.
pub struct Server {
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Default for ServerPlan {
    fn default() -> ServerPlan {
        ServerPlan {
            response_bytes: 200,
            think: Duration::ZERO,
            head_apart: false,
            no_delay: true,
            quick_ack: false,
        }
    }
}

impl Server {
    /// Starts at the server's end of a wire.
    pub fn start(wire: &EmulatedPath, plan: &ServerPlan) -> Result<Server, LabError> {
        let failed = || LabError::system("starting the server");
        let listener = wire
            .server
            .run(|| {
                let listener = TcpListener::bind((SERVER, PORT))?;
                listener.set_nonblocking(true)?;
                Ok(listener)
            })?
            .map_err(failed())?;
        let (stop, stopped) = UnixStream::pair().map_err(failed())?;
        let plan = plan.clone();
        let thread = thread::Builder::new()
            .name("server".into())
            .spawn(move || accept(&listener, &stopped, &plan))
            .map_err(failed())?;
        Ok(Server {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Accepts until the stop signal, then closes open connections.
fn accept(listener: &TcpListener, stopped: &UnixStream, plan: &ServerPlan) {
    let mut open: Vec<TcpStream> = Vec::new();
    thread::scope(|scope| {
        while let Ok([false, ready]) = wait([stopped.as_raw_fd(), listener.as_raw_fd()], None) {
            if !ready {
                continue;
            }
            let Ok((stream, _)) = listener.accept() else {
                continue;
            };
            if let Ok(handle) = stream.try_clone() {
                open.push(handle);
                // The client has closed; the answer is not needed.
                scope.spawn(|| serve(stream, plan).ok());
            }
        }
        for stream in &open {
            // A connection that has ended already is as good.
            let _ = stream.shutdown(Shutdown::Both);
        }
    });
}

fn serve(mut stream: TcpStream, plan: &ServerPlan) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(plan.no_delay)?;
    let (head, body) = response(plan.response_bytes);
    let whole = [head.as_slice(), &body].concat();
    let mut requests = RequestBuffer::default();
    let mut buffer = vec![0; 65_536];
    loop {
        if plan.quick_ack {
            quick_ack(&stream)?;
        }
        let n = stream.read(&mut buffer)?;
        if n == 0 || requests.too_long() {
            // The client's handle of the list must not keep it half open.
            return stream.shutdown(Shutdown::Both);
        }
        requests.feed(&buffer[..n]);
        while requests.take() {
            if !plan.think.is_zero() {
                thread::sleep(plan.think);
            }
            if plan.head_apart {
                stream.write_all(&head)?;
                stream.write_all(&body)?;
            } else {
                stream.write_all(&whole)?;
            }
        }
    }
}

/// Acknowledges at once from now on, until the kernel decides otherwise.
fn quick_ack(stream: &TcpStream) -> io::Result<()> {
    let on: i32 = 1;
    // SAFETY: the value outlives the call and has the size that is reported.
    let done = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_QUICKACK,
            (&raw const on).cast(),
            size_of::<i32>() as libc::socklen_t,
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
