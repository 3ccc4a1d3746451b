//! The lines that programs print, with their task, transaction and program, for the
//! region's log.
//!
//! libcob prints to streams of the C library. The C side passes the bytes
//! to [`printed`], which joins them to lines and writes one record a line into
//! the worker's pipe. The worker waits for a full pipe, but not long: a
//! program that prints more than is read loses lines, not time.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use link::Request;
use link::display::{DisplaySource, RECORD_BYTES, record};

/// Milliseconds that a task may wait for room in the pipe, all in all.
const PATIENCE_MS: i32 = 20;

/// Name of the program in control. The name changes at every LINK, and is read only when
/// a line is printed.
static PROGRAM: AtomicU64 = AtomicU64::new(u64::from_ne_bytes([b' '; 8]));

/// Whether the streams are the region's: lines are records then.
static RECORDS: AtomicBool = AtomicBool::new(false);

/// The lines that are not whole yet, and whose they are.
static PRINTER: Mutex<TaskPrinter> = Mutex::new(TaskPrinter {
    task: 0,
    transid: [b' '; 4],
    lines: [Vec::new(), Vec::new()],
    patience_ms: PATIENCE_MS,
    lost: 0,
});

struct TaskPrinter {
    task: u64,
    transid: [u8; 4],
    /// Standard output and standard error.
    lines: [Vec<u8>; 2],
    patience_ms: i32,
    lost: u64,
}

/// From now on lines are records for the region.
pub fn begin_records() {
    RECORDS.store(true, Ordering::Relaxed);
}

/// A line that a service writes for the program in control: 0 is standard
/// output, 1 standard error. Text that the program printed itself is flushed before.
pub fn line(stream: usize, text: &str) {
    let text = format!("{}\n", text.trim_end());
    if RECORDS.load(Ordering::Relaxed) {
        return printed(stream, text.as_bytes());
    }
    // A reader that went away is no reason to end the task.
    let _ = match stream {
        0 => io::stdout().write_all(text.as_bytes()),
        _ => io::stderr().write_all(text.as_bytes()),
    };
}

/// Text from here on is printed by this task.
pub fn begin_task(request: &Request) {
    let mut printer = PRINTER.lock().unwrap_or_else(PoisonError::into_inner);
    printer.task = request.task;
    printer.transid = *request.transid.as_bytes();
    printer.patience_ms = PATIENCE_MS;
    begin_program(*request.program.as_bytes());
}

/// Text from here on is printed by this program, its name padded with blanks.
pub fn begin_program(name: [u8; 8]) {
    PROGRAM.store(u64::from_ne_bytes(name), Ordering::Relaxed);
}

/// The task has ended: a rest without a line feed is a line too.
pub fn end_task() {
    let mut printer = PRINTER.lock().unwrap_or_else(PoisonError::into_inner);
    for stream in 0..2 {
        if !printer.lines[stream].is_empty() {
            printer.end_line(stream);
        }
    }
}

/// Takes what a stream printed: 0 is standard output, 1 standard error.
pub fn printed(stream: usize, bytes: &[u8]) {
    let mut printer = PRINTER.lock().unwrap_or_else(PoisonError::into_inner);
    let stream = stream.min(1);
    for part in bytes.split_inclusive(|&b| b == b'\n') {
        let (text, ended) = match part.split_last() {
            Some((b'\n', text)) => (text, true),
            _ => (part, false),
        };
        let line = &mut printer.lines[stream];
        // A longer line is cut and marked as cut.
        let room = (RECORD_BYTES + 1).saturating_sub(line.len());
        line.extend_from_slice(&text[..text.len().min(room)]);
        if ended {
            printer.end_line(stream);
        }
    }
}

impl TaskPrinter {
    fn end_line(&mut self, stream: usize) {
        let fd = stream as i32 + 1;
        let source = DisplaySource {
            task: self.task,
            transid: self.transid,
            program: PROGRAM.load(Ordering::Relaxed).to_ne_bytes(),
        };
        let text = record(&source, &self.lines[stream]);
        self.lines[stream].clear();
        if self.lost > 0 {
            let note = format!(
                "({} lines before this one were dropped: the pipe to the log was full)",
                self.lost
            );
            if self.write(fd, &record(&source, note.as_bytes())) {
                self.lost = 0;
            }
        }
        if !self.write(fd, &text) {
            self.lost += 1;
        }
    }

    /// Writes a record, whole or not at all.
    fn write(&mut self, fd: i32, record: &[u8]) -> bool {
        loop {
            // SAFETY: bytes of a slice to a descriptor of this process.
            let put = unsafe { libc::write(fd, record.as_ptr().cast(), record.len()) };
            if put >= 0 {
                return true;
            }
            match io::Error::last_os_error().kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock if self.patience_ms > 0 => self.wait(fd),
                _ => return false,
            }
        }
    }

    /// Waits until the pipe has room, or a part of the task's waiting time is used up.
    fn wait(&mut self, fd: i32) {
        const STEP_MS: i32 = 5;
        let mut poll = libc::pollfd {
            fd,
            events: libc::POLLOUT,
            revents: 0,
        };
        // SAFETY: one valid descriptor.
        unsafe { libc::poll(&mut poll, 1, STEP_MS) };
        self.patience_ms -= STEP_MS;
    }
}
