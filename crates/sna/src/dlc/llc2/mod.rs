//! A connection-mode 802.2 link station (LLC2), as a state machine.
//!
//! Bytes come in through [`LinkStation::handle_pdu`], the time through
//! [`LinkStation::handle_timeout`]; PDUs to be sent come out of
//! [`LinkStation::poll_transmit`], what happened out of [`LinkStation::poll_event`].
//! After either of them, ask [`LinkStation::next_timeout`] when to call again.
//!
//! The sending window is `window` I frames (k, MAXOUT). A receiver acknowledges
//! after `ack_every` I frames (N3), or when T2 has run since the first of them,
//! whichever comes first; data of its own carries the acknowledgement for free.
//! When T1 passes without one, the sender polls, and sends again what the final
//! answer does not cover (checkpoint); after N2 polls the link has failed.
//!
//! Frames on a link that reorders look like lost ones: the late frame is before
//! V(R), is dropped and acknowledged again. An N(R) that was already passed is
//! ignored; one that was never sent is answered by a FRMR.
//!
//! Reference: ISO/IEC 8802-2, section 7 (type 2 operation); names as in SNA
//! token-ring products (T1, T2, Ti, N2, N3, MAXOUT).
//! Invariant: never more than `window` I frames unacknowledged; data leaves in
//! the order it came, once.

mod command;
mod receive;
mod transmit;

#[cfg(test)]
mod tests;

pub use command::CommandRefusal;

use super::pdu::SAP_SNA;
use std::collections::VecDeque;
use transmit::PendingControlFrame;

/// The configuration of a station.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// This side's SAP.
    pub local_sap: u8,
    /// The other side's SAP.
    pub remote_sap: u8,
    /// I frames that may be unacknowledged, 1..=127 (k, MAXOUT).
    pub window: u8,
    /// I frames the other side may leave unacknowledged, 1..=127.
    pub receive_window: u8,
    /// I frames received before an acknowledgement is due (N3), at least 1.
    pub ack_every: u8,
    /// How long to wait for an acknowledgement or an answer (T1).
    pub t1_ns: u64,
    /// How long an acknowledgement may be delayed (T2); 0 sends it at once.
    pub t2_ns: u64,
    /// Silence after which the other side is polled (Ti).
    pub ti_ns: u64,
    /// Tries before the link has failed (N2).
    pub retries: u8,
    /// Largest information field to send or to take.
    pub max_info_bytes: usize,
}

impl Default for Config {
    /// SAP 4 on both sides, a window of 8 and an acknowledgement every 2 frames,
    /// T1 1 s, T2 80 ms, Ti 30 s, 8 tries, frames of a 16 Mb/s ring.
    fn default() -> Config {
        Config {
            local_sap: SAP_SNA,
            remote_sap: SAP_SNA,
            window: 8,
            receive_window: 127,
            ack_every: 2,
            t1_ns: 1_000_000_000,
            t2_ns: 80_000_000,
            ti_ns: 30_000_000_000,
            retries: 8,
            max_info_bytes: 17_749,
        }
    }
}

/// The state of a station.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StationState {
    /// No link.
    Closed,
    /// SABME sent, no answer yet.
    Connecting,
    /// Data may flow.
    Connected,
    /// FRMR sent: waiting for the other side to begin again.
    Rejecting,
    /// DISC sent, no answer yet.
    Disconnecting,
}

/// Events of a station for its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StationEvent {
    /// The link is up.
    Connected,
    /// An information field arrived in order.
    Data(Vec<u8>),
    /// Unnumbered information arrived.
    Ui(Vec<u8>),
    /// An XID arrived. A command with `pf` wants an answer with it.
    Xid {
        /// Whether it is a response.
        response: bool,
        /// Its poll or final bit.
        pf: bool,
        /// Its information field.
        info: Vec<u8>,
    },
    /// An answer to a TEST arrived.
    Tested(Vec<u8>),
    /// The other side set the link up again: frames may have been lost.
    Reset,
    /// The link is closed.
    Closed(DisconnectReason),
}

/// Why a link is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisconnectReason {
    /// This side asked for it.
    Local,
    /// The other side sent DISC.
    Peer,
    /// The other side answered DM.
    Refused,
    /// N2 tries without an answer.
    Timeout,
    /// The other side rejected a frame of this side (the FRMR's information
    /// field, as far as it has five bytes).
    FrameRejected([u8; 5]),
}

/// The counters of a station.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StationCounters {
    /// I frames sent for the first time.
    pub sent: u64,
    /// I frames sent again.
    pub resent: u64,
    /// I frames received in order.
    pub received: u64,
    /// I frames dropped: repeated, ahead, or while busy.
    pub dropped: u64,
    /// Supervisory frames sent.
    pub supervisory: u64,
    /// Times T1 ran out.
    pub timeouts: u64,
}

/// One end of a link.
#[derive(Debug)]
pub struct LinkStation {
    config: Config,
    state: StationState,
    listening: bool,
    /// I frames not yet acknowledged, V(A) first; the rest not yet sent.
    queue: VecDeque<Vec<u8>>,
    va: u8,
    vr: u8,
    /// Frames of `queue` sent since the last retransmission began: V(S) − V(A).
    sent: usize,
    /// Frames of `queue` that were sent at least once.
    sent_once: usize,
    /// The last N(R) that was sent to the other side.
    nr_sent: u8,
    remote_busy: bool,
    local_busy: bool,
    dropped_busy: bool,
    reject_sent: bool,
    /// A poll is out; I frames wait for its final.
    polling: bool,
    /// Whether an I frame arrived on either side since the link is up.
    used: bool,
    unacknowledged: u8,
    ack_due: bool,
    t1: Option<u64>,
    t2: Option<u64>,
    ti: Option<u64>,
    tries: u8,
    answers: VecDeque<PendingControlFrame>,
    events: VecDeque<StationEvent>,
    frmr: [u8; 5],
    counts: StationCounters,
}

impl LinkStation {
    /// A station without a link. Windows and thresholds out of range are drawn
    /// to the nearest allowed value.
    pub fn new(mut config: Config) -> LinkStation {
        config.window = config.window.clamp(1, 127);
        config.receive_window = config.receive_window.clamp(1, 127);
        config.ack_every = config.ack_every.clamp(1, 127);
        LinkStation {
            config,
            state: StationState::Closed,
            listening: false,
            queue: VecDeque::new(),
            va: 0,
            vr: 0,
            sent: 0,
            sent_once: 0,
            nr_sent: 0,
            remote_busy: false,
            local_busy: false,
            dropped_busy: false,
            reject_sent: false,
            polling: false,
            used: false,
            unacknowledged: 0,
            ack_due: false,
            t1: None,
            t2: None,
            ti: None,
            tries: 0,
            answers: VecDeque::new(),
            events: VecDeque::new(),
            frmr: [0; 5],
            counts: StationCounters::default(),
        }
    }

    /// Its state.
    pub fn state(&self) -> StationState {
        self.state
    }

    /// Its configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Its counters.
    pub fn counts(&self) -> StationCounters {
        self.counts
    }

    /// I frames sent and not acknowledged.
    pub fn outstanding(&self) -> usize {
        self.sent_once
    }

    /// I frames that wait for the window.
    pub fn waiting(&self) -> usize {
        self.queue.len() - self.sent_once
    }

    /// Whether the other side said that it is not ready.
    pub fn remote_busy(&self) -> bool {
        self.remote_busy
    }

    /// When to call [`LinkStation::handle_timeout`] at the latest.
    pub fn next_timeout(&self) -> Option<u64> {
        [self.t1, self.t2, self.ti].into_iter().flatten().min()
    }

    /// Returns the next event, oldest first.
    pub fn poll_event(&mut self) -> Option<StationEvent> {
        self.events.pop_front()
    }
}
