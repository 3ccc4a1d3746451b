//! Waiting for descriptors.
//!
//! Every socket of the system is non-blocking. A call that blocks its program waits
//! here. The caller supplies the other reasons to end the wait: the end of the
//! task, or a socket that was taken.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::{Duration, Instant};

use crate::Errno;

/// The result of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollResult {
    /// So many descriptors are ready.
    Ready(usize),
    /// The time has passed.
    TimedOut,
    /// Something else may have changed: check again.
    Nudged,
    /// The waiting call was cancelled.
    Cancelled,
}

/// Waits, as poll(2) does.
pub trait SocketWaiter {
    /// Waits until a descriptor is ready; `None` waits without a limit.
    fn poll(&self, fds: &mut [libc::pollfd], limit: Option<Duration>) -> io::Result<PollResult>;
}

/// The events to wait for on a descriptor.
pub(crate) fn poll_of(fd: RawFd, events: libc::c_short) -> libc::pollfd {
    libc::pollfd {
        fd,
        events,
        revents: 0,
    }
}

/// Waits until one descriptor is ready for `events`. EWOULDBLOCK when `limit`
/// passes, EIBMCANCELLED when the caller shall give up.
pub(crate) fn wait_for(
    fd: BorrowedFd<'_>,
    events: libc::c_short,
    limit: Option<Duration>,
    waiter: &dyn SocketWaiter,
) -> Result<(), Errno> {
    let until = limit.map(|limit| Instant::now() + limit);
    let mut fds = [poll_of(fd.as_raw_fd(), events)];
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        match waiter.poll(&mut fds, left)? {
            PollResult::Ready(_) => return Ok(()),
            PollResult::TimedOut => return Err(Errno::EWOULDBLOCK),
            PollResult::Nudged => {}
            PollResult::Cancelled => return Err(Errno::EIBMCANCELLED),
        }
    }
}

/// poll(2); interrupted calls are [`PollResult::Nudged`].
pub fn system_poll(fds: &mut [libc::pollfd], limit: Option<Duration>) -> io::Result<PollResult> {
    let time = limit.map(|limit| libc::timespec {
        tv_sec: limit.as_secs().min(i32::MAX as u64) as libc::time_t,
        tv_nsec: libc::c_long::from(limit.subsec_nanos() as i32),
    });
    let time = time.as_ref().map_or(std::ptr::null(), |t| t as *const _);
    let count = fds.len() as libc::nfds_t;
    // SAFETY: so many descriptors, and a time that outlives the call or null.
    match unsafe { libc::ppoll(fds.as_mut_ptr(), count, time, std::ptr::null()) } {
        -1 => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(PollResult::Nudged),
            error => Err(error),
        },
        0 => Ok(PollResult::TimedOut),
        n => Ok(PollResult::Ready(n as usize)),
    }
}
