//! SIGINT and SIGTERM, for which one thread waits.

use std::io;
use std::time::Duration;

/// The signals that end a server, blocked in every thread that is started after this
/// one was created.
pub struct ShutdownSignals(libc::sigset_t);

/// Ends this process as SIGTERM does, which [`ShutdownSignals`] waits for.
#[derive(Debug)]
pub struct TerminateSignal;

impl region::ProcessStopper for TerminateSignal {
    fn stop(&self) {
        // SAFETY: a signal to this process, which waits for it.
        unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
    }
}

impl ShutdownSignals {
    /// Blocks SIGINT, SIGTERM and SIGHUP. Call it before other threads start.
    pub fn catch() -> io::Result<ShutdownSignals> {
        // SAFETY: the set is plain data that sigemptyset makes valid.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
                libc::sigaddset(&mut set, signal);
            }
            match libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) {
                0 => Ok(ShutdownSignals(set)),
                error => Err(io::Error::from_raw_os_error(error)),
            }
        }
    }

    /// Waits for a signal.
    pub fn wait_for_ever(&self) -> io::Result<()> {
        let mut signal = 0;
        // SAFETY: the set is valid, and there is room for the number.
        match unsafe { libc::sigwait(&self.0, &mut signal) } {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }

    /// Waits this long; true if a signal arrived.
    pub fn wait(&self, time: Duration) -> io::Result<bool> {
        let time = libc::timespec {
            tv_sec: time.as_secs() as libc::time_t,
            tv_nsec: libc::c_long::from(time.subsec_nanos() as i32),
        };
        // SAFETY: set and time are valid; no information is asked for.
        match unsafe { libc::sigtimedwait(&self.0, std::ptr::null_mut(), &time) } {
            -1 => match io::Error::last_os_error() {
                e if matches!(e.raw_os_error(), Some(libc::EAGAIN | libc::EINTR)) => Ok(false),
                e => Err(e),
            },
            _ => Ok(true),
        }
    }
}
