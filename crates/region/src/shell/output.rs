//! The output of workers: each line of their pipes becomes a log line.
//!
//! One thread reads the pipes of all workers. A line has its task, transaction
//! and program ([`link::display`]). A line without them, written because the process
//! failed outside of a program, gets those of the task that the worker runs when
//! the line is read. Every line is made printable, a long line is cut, and no more
//! lines are logged than [`super::lines`] allows.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex, PoisonError};

use link::display;

use super::SharedRegion;
use super::clock::now_ns;
use kernel::core::{Core, TaskKey};

/// Milliseconds between two looks while the count of left-out lines is still
/// to be logged.
const LOOK_MS: i32 = 200;
/// Marks the event that ends a sleep.
const WAKE: u64 = u64::MAX;

/// The pipes, and the epoll instance that watches them.
pub struct WorkerOutput {
    epoll: OwnedFd,
    /// Ends the thread's sleep.
    wake: OwnedFd,
    pipes: Mutex<HashMap<RawFd, WorkerPipe>>,
}

struct WorkerPipe {
    worker: usize,
    error: bool,
    file: File,
    line: Vec<u8>,
}

impl WorkerOutput {
    /// No pipes yet.
    pub fn new() -> io::Result<Arc<Self>> {
        // SAFETY: the result is checked.
        let raw = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a fresh descriptor.
        let epoll = unsafe { OwnedFd::from_raw_fd(raw) };
        // SAFETY: the result is checked.
        let raw = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a fresh descriptor.
        let wake = unsafe { OwnedFd::from_raw_fd(raw) };
        watch(&epoll, raw, WAKE)?;
        Ok(Arc::new(WorkerOutput {
            epoll,
            wake,
            pipes: Mutex::new(HashMap::new()),
        }))
    }

    /// Reads a worker's pipes from now on.
    pub fn watch(&self, worker: usize, out: OwnedFd, err: OwnedFd) {
        for (fd, error) in [(out, false), (err, true)] {
            let raw = fd.as_raw_fd();
            let pipe = WorkerPipe {
                worker,
                error,
                file: File::from(fd),
                line: Vec::new(),
            };
            self.pipes().insert(raw, pipe);
            // When it fails, the pipe fills up and the worker's lines are lost,
            // which harms no task.
            let _ = watch(&self.epoll, raw, raw as u64);
        }
    }

    /// Has the thread look whether the region stops.
    pub fn wake(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: eight bytes of a local variable to our own descriptor.
        unsafe { libc::write(self.wake.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }

    /// The thread: reads until the region stops.
    pub fn run(&self, shared: &Arc<SharedRegion>) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 32];
        while !shared.is_stopping() {
            let rest_ms = if shared.lines.are_left_out() {
                LOOK_MS
            } else {
                -1
            };
            // SAFETY: room for 32 events.
            let n = unsafe {
                libc::epoll_wait(self.epoll.as_raw_fd(), events.as_mut_ptr(), 32, rest_ms)
            };
            let pipes = events[..n.max(0) as usize].iter();
            for event in pipes.filter(|event| event.u64 != WAKE) {
                self.read(shared, event.u64 as RawFd);
            }
            shared.lines.log_left_out(now_ns());
        }
    }

    /// Reads what the workers left in their pipes, once they have ended.
    pub fn finish(&self, shared: &SharedRegion) {
        let pipes: Vec<RawFd> = self.pipes().keys().copied().collect();
        for fd in pipes {
            while self.read(shared, fd) {}
        }
        shared.lines.log_left_out(u64::MAX);
    }

    /// Reads once; false when there is nothing more for now.
    fn read(&self, shared: &SharedRegion, fd: RawFd) -> bool {
        let mut bytes = [0u8; 16 * 1024];
        let mut pipes = self.pipes();
        let Some(pipe) = pipes.get_mut(&fd) else {
            return false;
        };
        match pipe.file.read(&mut bytes) {
            Ok(n) if n > 0 => {
                pipe.take(&bytes[..n], |pipe| self.log(pipe, shared));
                true
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            _ => {
                self.log(pipe, shared);
                // Closing the descriptor takes it out of the epoll instance.
                pipes.remove(&fd);
                false
            }
        }
    }

    /// Logs the line that a pipe has, if it has one and there is room.
    fn log(&self, pipe: &WorkerPipe, shared: &SharedRegion) {
        if pipe.line.is_empty() || !shared.lines.take(pipe.line.len(), now_ns()) {
            return;
        }
        let worker = pipe.worker;
        let mut line = display::parse(&pipe.line, &shared.config.characters);
        if line.task.is_none() {
            name_running_task(&shared.lock().core, worker, &mut line);
        }
        let task = line.task.unwrap_or_default();
        let (transid, program) = (line.transid.as_str(), line.program.as_str());
        let text = line.text;
        if pipe.error {
            tracing::warn!(target: "tupelo::stderr", worker, task, transid, program, "{text}")
        } else {
            tracing::info!(target: "tupelo::stdout", worker, task, transid, program, "{text}")
        }
    }

    fn pipes(&self) -> std::sync::MutexGuard<'_, HashMap<RawFd, WorkerPipe>> {
        self.pipes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SharedRegion {
    /// Logs a record that a task wrote to a queue, if there is room. Records
    /// share the limit of the lines that programs print.
    pub(super) fn log_record(&self, queue: [u8; 4], task: TaskKey, record: &[u8]) {
        let record = &record[..record.len().min(display::RECORD_BYTES)];
        let text = display::printable(record, &self.config.characters);
        if !self.lines.take(text.len(), now_ns()) {
            return;
        }
        let state = self.lock();
        let of = state.core.task(task);
        let task = of.map_or(0, |of| of.number);
        let [transid, program] = of.map_or_else(Default::default, |of| {
            [of.transid.to_string(), of.program.to_string()]
        });
        drop(state);
        let queue = queue.trim_ascii_end().escape_ascii().to_string();
        let (transid, program, queue) = (transid.as_str(), program.as_str(), queue.as_str());
        tracing::info!(target: "tupelo::stdout", task, transid, program, queue, "{queue}: {text}");
    }
}

/// Adds a descriptor to an epoll instance.
fn watch(epoll: &OwnedFd, fd: RawFd, id: u64) -> io::Result<()> {
    let mut event = libc::epoll_event {
        events: libc::EPOLLIN as u32,
        u64: id,
    };
    // SAFETY: valid descriptors and event.
    let rc = unsafe { libc::epoll_ctl(epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &mut event) };
    match rc {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

impl WorkerPipe {
    /// Adds bytes and has each line that ends in them logged.
    fn take(&mut self, bytes: &[u8], log: impl Fn(&WorkerPipe)) {
        for part in bytes.split_inclusive(|&b| b == b'\n') {
            let (text, ended) = match part.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (part, false),
            };
            let room = display::RECORD_BYTES.saturating_sub(self.line.len());
            self.line.extend_from_slice(&text[..text.len().min(room)]);
            if ended {
                log(self);
                self.line.clear();
            }
        }
    }
}

/// Gives a line to the oldest task that a worker has, if it has one.
fn name_running_task(core: &Core, worker: usize, line: &mut display::DisplayLine) {
    let Some(w) = core.workers().get(worker) else {
        return;
    };
    let keys = w.submitted_slots().filter_map(|s| w.slots[s]);
    let tasks = keys.filter_map(|k| core.task(k));
    if let Some(task) = tasks.min_by_key(|t| t.number) {
        line.task = Some(task.number);
        line.transid = task.transid.to_string();
        line.program = task.program.to_string();
    }
}
