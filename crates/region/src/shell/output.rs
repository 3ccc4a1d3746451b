//! What workers print: each line of their pipes becomes a log line.
//!
//! One thread reads the pipes of all workers. A line is logged with the task
//! that its worker runs when it is read; a long line is cut.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex, PoisonError};

use super::Shared;
use crate::core::Core;

/// Longest line that is logged whole, in bytes.
const LINE_BYTES: usize = 4096;

/// The pipes, and the epoll instance that watches them.
pub struct Output {
    epoll: OwnedFd,
    pipes: Mutex<HashMap<RawFd, Pipe>>,
}

struct Pipe {
    worker: usize,
    error: bool,
    file: File,
    line: Vec<u8>,
}

impl Output {
    /// No pipes yet.
    pub fn new() -> io::Result<Arc<Self>> {
        // SAFETY: the result is checked.
        let raw = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Arc::new(Output {
            // SAFETY: a fresh descriptor.
            epoll: unsafe { OwnedFd::from_raw_fd(raw) },
            pipes: Mutex::new(HashMap::new()),
        }))
    }

    /// Reads a worker's pipes from now on.
    pub fn watch(&self, worker: usize, out: OwnedFd, err: OwnedFd) {
        for (fd, error) in [(out, false), (err, true)] {
            let raw = fd.as_raw_fd();
            let pipe = Pipe {
                worker,
                error,
                file: File::from(fd),
                line: Vec::new(),
            };
            self.pipes().insert(raw, pipe);
            let mut event = libc::epoll_event {
                events: libc::EPOLLIN as u32,
                u64: raw as u64,
            };
            // SAFETY: valid descriptors and event. When it fails, the pipe
            // fills up and the worker's lines are lost, which harms no task.
            unsafe {
                libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, raw, &mut event);
            }
        }
    }

    /// The thread: reads until the region stops.
    pub fn run(&self, shared: &Arc<Shared>) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 32];
        while !shared.is_stopping() {
            // SAFETY: room for 32 events.
            let n =
                unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), events.as_mut_ptr(), 32, 200) };
            for event in &events[..n.max(0) as usize] {
                self.read(shared, event.u64 as RawFd);
            }
        }
    }

    fn read(&self, shared: &Arc<Shared>, fd: RawFd) {
        let mut bytes = [0u8; 16 * 1024];
        let mut pipes = self.pipes();
        let Some(pipe) = pipes.get_mut(&fd) else {
            return;
        };
        match pipe.file.read(&mut bytes) {
            Ok(0) => {
                pipe.flush(shared);
                // Closing the descriptor takes it out of the epoll instance.
                pipes.remove(&fd);
            }
            Ok(n) => pipe.take(&bytes[..n], shared),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => {
                pipes.remove(&fd);
            }
        }
    }

    fn pipes(&self) -> std::sync::MutexGuard<'_, HashMap<RawFd, Pipe>> {
        self.pipes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pipe {
    fn take(&mut self, bytes: &[u8], shared: &Arc<Shared>) {
        for part in bytes.split_inclusive(|&b| b == b'\n') {
            let room = LINE_BYTES.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                self.flush(shared);
            }
        }
    }

    fn flush(&mut self, shared: &Arc<Shared>) {
        if self.line.is_empty() {
            return;
        }
        let task = running_task(&shared.lock().core, self.worker);
        let text = String::from_utf8_lossy(&self.line);
        let text = text.trim_end();
        match self.error {
            true => tracing::warn!(target: "tupelo::stderr", worker = self.worker, task, "{text}"),
            false => tracing::info!(target: "tupelo::stdout", worker = self.worker, task, "{text}"),
        }
        self.line.clear();
    }
}

/// Number of the oldest task that a worker has, 0 for none.
fn running_task(core: &Core, worker: usize) -> u64 {
    let Some(w) = core.workers().get(worker) else {
        return 0;
    };
    let keys = w.submitted_slots().filter_map(|s| w.slots[s]);
    let tasks = keys.filter_map(|k| core.task(k));
    tasks.map(|t| t.number).min().unwrap_or(0)
}
