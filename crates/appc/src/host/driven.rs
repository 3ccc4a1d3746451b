//! A node whose owner does its input and output: no thread of its own, and no
//! verb that waits.
//!
//! For programs with many conversations in one thread. The owner calls
//! [`DrivenNode::turn`] when [`DrivenNode::as_fd`] is readable or the time of
//! [`DrivenNode::next_timeout`] is reached, and continues with everything that
//! [`DrivenNode::take_ready`] returns. Verbs are those of [`Node`]. A verb that
//! returns `Pending` is tried again when its conversation is ready.
//!
//! Invariant: no call blocks. The data that a verb sends have been written when
//! [`DrivenNode::verb`] returns, in one write.

use super::inner::CallState;
use super::{NodeHost, SharedHost, WakeEvent};
use crate::Error;
use crate::config::{AppcConfig, lu_name};
use sna::{MonotonicTime, Node};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, PoisonError};
use std::task::Poll;
use std::time::Duration;

/// One node, driven by its owner; its links go down when it is dropped.
pub struct DrivenNode {
    shared: Arc<SharedHost>,
    /// The pump's epoll, which the owner waits for.
    epoll: std::os::fd::OwnedFd,
}

impl DrivenNode {
    /// Starts a node. It listens where the configuration says; programs that
    /// partners attach still run on threads.
    pub fn start(config: AppcConfig) -> Result<DrivenNode, Error> {
        let shared = SharedHost::start(config, Arc::new(|| ()))?;
        let pump = shared.pump.lock().unwrap_or_else(PoisonError::into_inner);
        let epoll = std::os::fd::AsRawFd::as_raw_fd(&pump.poll);
        // SAFETY: the pump's own, open as long as its lock is held.
        let epoll = unsafe { BorrowedFd::borrow_raw(epoll) }.try_clone_to_owned();
        drop(pump);
        Ok(DrivenNode {
            epoll: epoll.map_err(|error| Error::Io("poll".into(), error))?,
            shared,
        })
    }

    /// Reads the sockets and runs expired timers.
    pub fn turn(&self) -> Result<(), Error> {
        let mut pump = self
            .shared
            .pump
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            match pump.poll_sockets() {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::Io("poll".into(), error)),
                Ok(()) => {}
            }
            let mut inner = self.shared.lock();
            self.shared.turn(&mut pump, &mut inner);
            self.shared.drain(&mut inner, true);
            // A partly filled buffer means that there are no more.
            if pump.events.iter().count() < pump.events.capacity() {
                return Ok(());
            }
        }
    }

    /// The time until the next timer expires.
    pub fn next_timeout(&self) -> Option<Duration> {
        self.shared.lock().next_timeout(self.shared.now())
    }

    /// Calls `each` with everything that has become ready since the last call.
    pub fn take_ready(&self, mut each: impl FnMut(WakeEvent)) {
        let mut inner = self.shared.lock();
        if !inner.ready.is_empty() {
            inner.ready.drain().for_each(&mut each);
        }
    }

    /// Runs `verb` on the node, and sends its output.
    pub fn verb<T>(&self, verb: impl FnOnce(&mut Node, MonotonicTime) -> T) -> T {
        let mut inner = self.shared.lock();
        let value = verb(&mut inner.node, self.shared.now());
        self.shared.drain(&mut inner, false);
        value
    }

    /// Runs a verb that only receives. Output that it causes (pacing responses)
    /// is sent with the next verb or turn, unless the verb has to wait.
    pub fn receiving<T>(&self, verb: impl FnOnce(&mut Node, MonotonicTime) -> Poll<T>) -> Poll<T> {
        let mut inner = self.shared.lock();
        let value = verb(&mut inner.node, self.shared.now());
        if value.is_ready() {
            self.shared.settle(&mut inner, false)
        } else {
            self.shared.drain(&mut inner, false)
        }
        value
    }

    /// Whether a link that is up leads to `partner`.
    pub fn leads_to(&self, partner: &str) -> Result<bool, Error> {
        let lu = lu_name("partner", partner)?;
        Ok(self.shared.lock().leads_to(&lu))
    }

    /// Sets up a link to `partner`, which must be configured, over a connection
    /// to its DLSw switch. [`DrivenNode::called`] returns the result.
    pub fn call(&self, partner: &str, address: SocketAddr, on: TcpStream) -> Result<u64, Error> {
        let lu = lu_name("partner", partner)?;
        let config = self.shared.partners().get(partner).cloned();
        let config = config.ok_or_else(|| Error::UnknownPartner(partner.to_owned()))?;
        self.shared.call_over(partner, lu, &config, address, on)
    }

    /// The result of a call. `Pending` until [`WakeEvent::Call`] is ready.
    pub fn called(&self, call: u64, partner: &str) -> Poll<Result<(), Error>> {
        let mut inner = self.shared.lock();
        let state = match inner.calls.get(&call) {
            None | Some(CallState::Pending(_)) => return Poll::Pending,
            Some(done) => done.clone(),
        };
        inner.calls.remove(&call);
        Poll::Ready(match state {
            CallState::Failed(why) => Err(Error::Link {
                partner: partner.to_owned(),
                why,
            }),
            _ => Ok(()),
        })
    }
}

impl AsFd for DrivenNode {
    /// Readable when [`DrivenNode::turn`] has something to do.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}

impl Drop for DrivenNode {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

impl NodeHost {
    /// The switch's first address in `host[:port]`; asks the system's resolver.
    pub fn resolve(address: &str) -> Result<SocketAddr, Error> {
        let mut found = super::resolve(address)?.into_iter();
        let none = || Error::config("address", address, "the host has no address");
        found.next().ok_or_else(none)
    }
}
