//! One network namespace, kept alive by a descriptor. Threads enter it before their
//! work. Everything that such a thread starts (sockets, threads, child processes)
//! is in the namespace too.

use crate::error::LabError;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::thread;
use std::{fs, io, process};

/// A network namespace. It is removed when this value is dropped and all its
/// threads have ended.
#[derive(Debug)]
pub struct NetworkNamespace {
    held: OwnedFd,
}

impl NetworkNamespace {
    /// A new, empty namespace with its loopback up and nothing that sends on
    /// its own account: no IPv6, no remembered TCP metrics. TCP time stamps
    /// are off, so that a segment carries the whole advertised size, and
    /// sending is the textbook's, which neither paces nor probes for lost
    /// tails nor leaves slow start before a loss.
    pub fn new() -> Result<NetworkNamespace, LabError> {
        let held = thread::scope(|scope| {
            let made = scope.spawn(|| {
                // SAFETY: changes the network namespace of this new thread alone.
                if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
                    return Err(io::Error::last_os_error());
                }
                File::open("/proc/thread-self/ns/net").map(OwnedFd::from)
            });
            made.join().expect("the thread does not panic")
        });
        let held = held.map_err(super::permission::refused("a network namespace"))?;
        let namespace = NetworkNamespace { held };
        namespace.ip("link set lo up")?;
        for (name, value) in SETTINGS {
            namespace.set(name, value)?;
        }
        Ok(namespace)
    }

    /// Does something inside, on its own thread.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, LabError> {
        thread::scope(|scope| {
            let inside = scope.spawn(|| {
                enter(self.held.as_fd())
                    .map_err(super::permission::refused("entering a network namespace"))?;
                Ok(work())
            });
            inside
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Sets a value under `/proc/sys/net` of this namespace. Settings that
    /// this kernel does not have are passed over.
    pub fn set(&self, name: &str, value: &str) -> Result<(), LabError> {
        let path = format!("/proc/sys/net/{name}");
        let written = self.run(|| fs::write(&path, value))?;
        match written {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(super::permission::refused(&path)(error))
            }
            _ => Ok(()),
        }
    }

    /// A path by which other processes of this user can open the namespace
    /// while this value exists.
    pub fn path(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", process::id(), self.held.as_raw_fd()).into()
    }
}

impl AsFd for NetworkNamespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.held.as_fd()
    }
}

/// Moves the calling thread into a namespace, for good.
pub fn enter(namespace: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the descriptor is open for the length of the call, and the call
    // changes nothing but the calling thread's network namespace.
    match unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

const SETTINGS: [(&str, &str); 6] = [
    ("ipv6/conf/all/disable_ipv6", "1"),
    ("ipv6/conf/default/disable_ipv6", "1"),
    ("ipv4/tcp_no_metrics_save", "1"),
    ("ipv4/tcp_timestamps", "0"),
    ("ipv4/tcp_congestion_control", "reno"),
    ("ipv4/tcp_early_retrans", "0"),
];
