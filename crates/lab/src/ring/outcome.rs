//! The result of a run, and why one may end without a result.

use thiserror::Error;

/// The result of a run. Times are virtual.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunOutcome {
    /// When the first timed transaction began and when each ended.
    pub stamps_ns: Vec<u64>,
    /// Events of the whole run.
    pub events: u64,
    /// Frames that went round the ring.
    pub frames: u64,
    /// Channel programs.
    pub channel_programs: u64,
    /// Frames that the ring lost.
    pub lost: u64,
    /// Frames that found no room on a card.
    pub overrun: u64,
    /// Data frames that were sent again.
    pub resent: u64,
    /// Most data frames that client and server (or front end) had
    /// unacknowledged.
    pub most_outstanding: [usize; 2],
    /// User bytes that the client sent.
    pub client_sent_bytes: usize,
    /// User bytes that the server received.
    pub server_received_bytes: usize,
    /// User bytes that the server sent.
    pub server_sent_bytes: usize,
    /// User bytes that the client received.
    pub client_received_bytes: usize,
    /// PIUs that a session found against the rules; pacing above all.
    pub faults: u64,
    /// Processor time while transactions were timed: client, server or front
    /// end, host.
    pub cpu_ns: Vec<u64>,
    /// Time that frames occupied the ring meanwhile.
    pub ring_ns: u64,
    /// A digest of every frame's time, sender and length.
    pub trace: u64,
    ring_total_ns: u64,
}

/// Why a run gave no result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RingError {
    /// A PIU needs more buffers than MAXBFRU allows: its session fails.
    #[error("a PIU of {bytes} bytes does not fit into MAXBFRU buffers of UNITSZ bytes")]
    PiuTooLong {
        /// The PIU's length on the link.
        bytes: usize,
    },
    /// The link failed: no acknowledgement after N2 tries.
    #[error("the link failed")]
    LinkFailed,
    /// The session could not be set up.
    #[error("no session: {0}")]
    NoSession(String),
    /// No event is left, but the transactions have not ended.
    #[error("no event is left, but the transactions have not ended")]
    Stuck,
    /// The run does not end.
    #[error("the run does not end")]
    Endless,
}

impl RunOutcome {
    /// The mean time of a transaction, in seconds.
    pub fn mean_s(&self) -> f64 {
        let count = self.stamps_ns.len().saturating_sub(1).max(1);
        self.elapsed_ns() as f64 / 1e9 / count as f64
    }

    /// The time of all timed transactions.
    pub fn elapsed_ns(&self) -> u64 {
        match (self.stamps_ns.first(), self.stamps_ns.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0,
        }
    }

    /// The part of that time in which a machine's processor worked.
    pub fn cpu_share(&self, machine: usize) -> f64 {
        let busy = self.cpu_ns.get(machine).copied().unwrap_or(0);
        busy as f64 / self.elapsed_ns().max(1) as f64
    }

    /// The part of that time in which the ring carried frames.
    pub fn ring_share(&self) -> f64 {
        self.ring_ns as f64 / self.elapsed_ns().max(1) as f64
    }

    pub(super) fn begin(&mut self, now: u64, busy: Vec<u64>) {
        self.stamps_ns.push(now);
        self.cpu_ns = busy;
        self.ring_ns = self.ring_total_ns;
    }

    pub(super) fn stamp(&mut self, now: u64) {
        self.stamps_ns.push(now);
    }

    pub(super) fn end(&mut self, busy: Vec<u64>) {
        for (total, before) in busy.into_iter().zip(&mut self.cpu_ns) {
            *before = total - *before;
        }
        self.ring_ns = self.ring_total_ns - self.ring_ns;
    }

    pub(super) fn note_frame(&mut self, now: u64, sender: usize, bytes: usize, ns: u64) {
        self.frames += 1;
        self.ring_total_ns += ns;
        for value in [now, sender as u64, bytes as u64] {
            self.trace = (self.trace ^ value)
                .wrapping_mul(0x0000_0100_0000_01B3)
                .rotate_left(23);
        }
    }

    pub(super) fn note_window(&mut self, machine: usize, outstanding: usize) {
        if let Some(most) = self.most_outstanding.get_mut(machine) {
            *most = outstanding.max(*most);
        }
    }
}
