//! The right to write an environment: one process has it.
//!
//! A lock of the whole file `writer.lock`, which the kernel releases however
//! its holder ends. The file's text is the holder's process id, for messages
//! only.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::{Duration, Instant};

/// Held as long as the environment is open for writing.
#[derive(Debug)]
pub(super) struct WriterLock(File);

/// Why the lock was not taken.
#[derive(Debug)]
pub(super) enum LockError {
    /// Another holds it; its process id, if it could be read.
    Held(Option<u32>),
    /// The file could not be opened or locked.
    Io(std::io::Error),
}

impl WriterLock {
    /// Takes the lock; the error names its holder.
    pub fn take(directory: &Path) -> Result<Self, LockError> {
        let path = directory.join("writer.lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(LockError::Io)?;
        let begin = Instant::now();
        // SAFETY: the descriptor is open.
        while unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
            let error = std::io::Error::last_os_error();
            if error.kind() != std::io::ErrorKind::WouldBlock {
                return Err(LockError::Io(error));
            }
            let holder = holder(&mut file);
            if holder.is_none_or(is_running) || begin.elapsed() > ORPHAN {
                return Err(LockError::Held(holder));
            }
            // The holder was killed while it started a child, which has the
            // descriptor until it becomes its program.
            std::thread::sleep(Duration::from_millis(5));
        }
        // A full disk must not keep a region from its own files: the text is a
        // help for people only.
        let _ = file.set_len(0).and_then(|()| file.rewind());
        let _ = writeln!(file, "{}", std::process::id());
        Ok(Self(file))
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Closing is not enough: a child that another thread is starting at
        // this moment has the descriptor too until it becomes its program.
        // SAFETY: the descriptor is open.
        unsafe { libc::flock(self.0.as_raw_fd(), libc::LOCK_UN) };
    }
}

/// Longest time that a killed holder's child takes to become its program.
const ORPHAN: Duration = Duration::from_secs(5);

/// True when there is a process of this number.
fn is_running(pid: u32) -> bool {
    let gone = |pid| {
        // SAFETY: signal 0 only asks whether the process is there.
        let rc = unsafe { libc::kill(pid, 0) };
        rc != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
    };
    !libc::pid_t::try_from(pid).is_ok_and(gone)
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
