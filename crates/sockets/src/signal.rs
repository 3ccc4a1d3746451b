//! Ends a wait of a helper thread from outside, when none of its own sockets ends it.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ezasoket::{PollResult, SocketWaiter, system_poll};

/// An event of a task: its end, or that a socket which it gave was taken.
#[derive(Debug)]
pub struct TaskSignal {
    event: OwnedFd,
    ended: AtomicBool,
}

impl TaskSignal {
    /// A signal that is not set.
    pub fn new() -> io::Result<TaskSignal> {
        // SAFETY: the result is checked.
        let raw = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(TaskSignal {
            // SAFETY: a fresh descriptor.
            event: unsafe { OwnedFd::from_raw_fd(raw) },
            ended: AtomicBool::new(false),
        })
    }

    /// Wakes the waiting thread to check again.
    pub fn nudge(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: eight bytes, as an eventfd takes them; a full one is enough.
        unsafe { libc::write(self.event.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }

    /// Ends every wait from now on.
    pub fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        self.nudge();
    }

    /// Whether it was ended.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    fn clear(&self) {
        let mut count = [0u8; 8];
        // SAFETY: room for the eight bytes of an eventfd.
        unsafe { libc::read(self.event.as_raw_fd(), count.as_mut_ptr().cast(), 8) };
    }
}

impl SocketWaiter for TaskSignal {
    fn poll(&self, fds: &mut [libc::pollfd], limit: Option<Duration>) -> io::Result<PollResult> {
        if self.has_ended() {
            return Ok(PollResult::Cancelled);
        }
        let own = libc::pollfd {
            fd: self.event.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // Nearly every call waits for one socket.
        let mut few = [own; FEW + 1];
        let mut many = Vec::new();
        let all = match fds.len() {
            ..=FEW => &mut few[..=fds.len()],
            count => {
                many.resize(count + 1, own);
                &mut many[..]
            }
        };
        all[..fds.len()].copy_from_slice(fds);
        let polled = system_poll(all, limit)?;
        let nudged = all[fds.len()].revents != 0;
        fds.copy_from_slice(&all[..fds.len()]);
        if nudged {
            self.clear();
        }
        Ok(match polled {
            _ if self.has_ended() => PollResult::Cancelled,
            PollResult::Ready(n) if n > usize::from(nudged) => PollResult::Ready(n),
            PollResult::Ready(_) => PollResult::Nudged,
            other => other,
        })
    }
}

/// Sockets that are waited for without an allocation.
const FEW: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nudge_is_noticed_once_and_an_end_for_ever() {
        let signal = TaskSignal::new().unwrap();
        let zero = Some(Duration::ZERO);
        assert_eq!(signal.poll(&mut [], zero).unwrap(), PollResult::TimedOut);
        signal.nudge();
        assert_eq!(signal.poll(&mut [], None).unwrap(), PollResult::Nudged);
        assert_eq!(signal.poll(&mut [], zero).unwrap(), PollResult::TimedOut);
        signal.end();
        assert_eq!(signal.poll(&mut [], None).unwrap(), PollResult::Cancelled);
        assert_eq!(signal.poll(&mut [], None).unwrap(), PollResult::Cancelled);
    }
}
