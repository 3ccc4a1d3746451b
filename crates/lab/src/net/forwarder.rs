//! The path between two interfaces: a thread that reads frames from either, gets
//! their fate from the plan, and sends each at its time.
//!
//! The thread sleeps until shortly before the next frame is due and spins the
//! rest, and it counts how late each frame was sent: the report says how exact
//! the path was.

use super::impair::{FrameFate, ImpairedDirection, Impairment};
use super::packet::{FrameBatch, FrameSelection, PacketSocket, wait};
use super::{NetworkNamespace, permission};
use crate::error::LabError;
use measure::Histogram;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{io, mem};

/// A running forwarder. It stops when it is dropped.
pub struct FrameForwarder {
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<ForwarderCounts>>,
}

/// Counters of a forwarder.
#[derive(Clone, Default)]
pub struct ForwarderCounts {
    /// Frames handed on.
    pub forwarded: u64,
    /// Segments lost as planned.
    pub lost: u64,
    /// Segments that were delayed after later ones.
    pub late: u64,
    /// Frames that an interface did not take.
    pub refused: u64,
    /// The delay of each frame after its due time.
    pub lateness: Histogram,
}

impl ForwarderCounts {
    /// Adds the counters of another forwarder of the same path.
    pub fn with(mut self, other: &ForwarderCounts) -> ForwarderCounts {
        self.forwarded += other.forwarded;
        self.lost += other.lost;
        self.late += other.late;
        self.refused += other.refused;
        self.lateness.merge(&other.lateness);
        self
    }
}

/// A queued frame: due time, order of arrival, side to leave by, bytes.
type QueuedFrame = Reverse<(u64, u64, usize, Vec<u8>)>;

impl FrameForwarder {
    /// Joins two interfaces of a namespace. `plans` are the directions out of
    /// the first interface's network and out of the second's.
    pub fn start(
        namespace: &NetworkNamespace,
        interfaces: [&str; 2],
        plans: [Impairment; 2],
        seed: u64,
    ) -> Result<FrameForwarder, LabError> {
        let open = || {
            let [a, b] = interfaces;
            Ok([
                PacketSocket::open(a, FrameSelection::Incoming)?,
                PacketSocket::open(b, FrameSelection::Incoming)?,
            ])
        };
        let sockets = namespace
            .run(open)?
            .map_err(permission::refused("a packet socket"))?;
        let failed = || LabError::system("starting the forwarder");
        let (stop, stopped) = UnixStream::pair().map_err(failed())?;
        let [a, b] = plans;
        let path = ForwardingPath {
            sockets,
            directions: [
                ImpairedDirection::new(a, seed, 0),
                ImpairedDirection::new(b, seed, 1),
            ],
            waiting: BinaryHeap::new(),
            arrivals: 0,
            traffic: ForwarderCounts::default(),
        };
        let thread = thread::Builder::new()
            .name("forwarder".into())
            .spawn(move || path.run(&stopped))
            .map_err(failed())?;
        Ok(FrameForwarder {
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Stops, and returns the counters.
    pub fn stop(mut self) -> ForwarderCounts {
        self.end()
    }

    fn end(&mut self) -> ForwarderCounts {
        drop(self.stop.take());
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(traffic)) => traffic,
            Some(Err(panic)) if !thread::panicking() => std::panic::resume_unwind(panic),
            _ => ForwarderCounts::default(),
        }
    }
}

impl Drop for FrameForwarder {
    fn drop(&mut self) {
        self.end();
    }
}

struct ForwardingPath {
    sockets: [PacketSocket; 2],
    directions: [ImpairedDirection; 2],
    waiting: BinaryHeap<QueuedFrame>,
    arrivals: u64,
    traffic: ForwarderCounts,
}

impl ForwardingPath {
    fn run(mut self, stopped: &UnixStream) -> ForwarderCounts {
        let mut batch = FrameBatch::new(FRAME_BYTES);
        // SAFETY: sets how much later than asked this thread may be woken.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
        loop {
            self.send_due();
            match self.rest(stopped) {
                // A removed interface ends the path like a stop.
                Ok(true) | Err(_) => return mem::take(&mut self.traffic),
                Ok(false) => {}
            }
            for side in 0..2 {
                if self.take(side, &mut batch).is_err() {
                    return mem::take(&mut self.traffic);
                }
            }
        }
    }

    /// Sleeps until something may be there to do. Returns whether to stop.
    fn rest(&self, stopped: &UnixStream) -> io::Result<bool> {
        let next = self.waiting.peek().map(|Reverse(frame)| frame.0);
        let ahead = next.map(|due| due.saturating_sub(drive::clock::now()));
        let timeout = ahead.map(|ns| Duration::from_nanos(ns.saturating_sub(SPIN_NS)));
        let [a, b] = &self.sockets;
        let fds = [stopped.as_raw_fd(), a.as_raw_fd(), b.as_raw_fd()];
        Ok(wait(fds, timeout)?[0])
    }

    fn take(&mut self, side: usize, batch: &mut FrameBatch) -> io::Result<()> {
        while self.sockets[side].receive(batch)? > 0 {
            // The plan counts from when the kernel saw a frame, not from when
            // this thread woke up.
            let (now, wall) = (drive::clock::now(), drive::clock::wall());
            for frame in batch.frames() {
                let age = wall.saturating_sub(frame.time_ns).min(OLDEST_NS);
                let came = now.saturating_sub(age);
                match self.directions[side].handle_frame(came, frame.bytes) {
                    FrameFate::Lost => self.traffic.lost += 1,
                    FrameFate::Arrives { at_ns, late } => {
                        self.traffic.late += u64::from(late);
                        self.arrivals += 1;
                        let bytes = frame.bytes.to_vec();
                        let waiting = (at_ns, self.arrivals, 1 - side, bytes);
                        self.waiting.push(Reverse(waiting));
                    }
                }
            }
        }
        Ok(())
    }

    fn send_due(&mut self) {
        while let Some(Reverse((due, ..))) = self.waiting.peek() {
            let now = drive::clock::now();
            if *due > now + SPIN_NS {
                return;
            }
            if *due > now {
                std::hint::spin_loop();
                continue;
            }
            if let Some(Reverse((due, _, side, bytes))) = self.waiting.pop() {
                self.traffic.lateness.record(now - due);
                if self.sockets[side].send(&bytes) {
                    self.traffic.forwarded += 1;
                } else {
                    self.traffic.refused += 1;
                }
            }
        }
    }
}

/// The usual wake-up delay on a virtual machine: the rest of the time is spun.
const SPIN_NS: u64 = 150_000;
/// A frame older than this means that the wall clock was set.
const OLDEST_NS: u64 = 100_000_000;
/// An Ethernet frame with every option, and jumbo frames.
const FRAME_BYTES: usize = 10_240;
