//! A machine's place on the ring: its adapter and its link station.

use super::config::Link;
use super::cost::AdapterCard;
use sna::dlc::llc2::{self, LinkStation};
use std::collections::VecDeque;

/// An adapter with the link station above it.
#[derive(Debug)]
pub(super) struct Port {
    /// The card.
    pub(super) adapter: AdapterCard,
    /// The link station.
    pub(super) station: LinkStation,
    window: usize,
    /// Frames on the card that have not left.
    pub(super) on_card: usize,
    /// Bytes on the card that the machine has not taken over.
    pub(super) held_bytes: usize,
    /// Until when the card's own transfer is busy.
    card_free_at: u64,
    /// Whether the processor takes a PIU down from its session.
    pub(super) building: bool,
    /// PIUs that the link layer has and has not given to its station: their
    /// sessions need not wait for the link's window.
    pub(super) built: VecDeque<Vec<u8>>,
    /// Whether the processor prepares a data frame.
    pub(super) preparing: bool,
    /// Data frames whose preparation was paid for and that have not left the
    /// station; what else it sends was sent before.
    pub(super) prepared: usize,
    /// When the link timer is planned.
    timer_at: Option<u64>,
}

impl Port {
    /// A port whose station has no link yet.
    pub(super) fn new(adapter: &AdapterCard, link: &Link, max_info_bytes: usize) -> Port {
        let station = LinkStation::new(llc2::Config {
            window: link.send_window,
            ack_every: link.ack_every,
            t1_ns: link.t1_ns,
            t2_ns: link.t2_ns,
            max_info_bytes,
            ..llc2::Config::default()
        });
        Port {
            adapter: adapter.clone(),
            window: usize::from(station.config().window),
            station,
            on_card: 0,
            held_bytes: 0,
            card_free_at: 0,
            building: false,
            built: VecDeque::new(),
            preparing: false,
            prepared: 0,
            timer_at: None,
        }
    }

    /// Whether another data frame may be prepared: the window is open, the card
    /// has room, and nothing older waits.
    pub(super) fn may_prepare(&self) -> bool {
        !self.preparing
            && self.on_card < self.adapter.transmit_frames
            && self.station.state() == llc2::StationState::Connected
            && self.station.waiting() == 0
            && self.station.outstanding() < self.window
    }

    /// Whether another PIU may be passed down from its session: the queue is as
    /// long as the card's number of frames.
    pub(super) fn may_build(&self) -> bool {
        !self.building
            && self.built.len() < self.adapter.transmit_frames
            && self.station.state() == llc2::StationState::Connected
    }

    /// Whether a received frame fits the card's memory; if so it is stored.
    pub(super) fn hold(&mut self, pdu_bytes: usize) -> bool {
        if self.held_bytes + pdu_bytes > self.adapter.receive_bytes {
            return false;
        }
        self.held_bytes += pdu_bytes;
        true
    }

    /// When the card has moved a frame by itself. Returns `None` if the processor
    /// does.
    pub(super) fn moved_at(&mut self, now: u64, pdu_bytes: usize) -> Option<u64> {
        let ns = self.adapter.transfer.ns(pdu_bytes);
        (ns > 0).then(|| {
            self.card_free_at = self.card_free_at.max(now) + ns;
            self.card_free_at
        })
    }

    /// When to plan the link timer, if it must be planned again.
    pub(super) fn plan_timer(&mut self) -> Option<u64> {
        let at = self.station.next_timeout()?;
        if self.timer_at.is_some_and(|planned| planned <= at) {
            return None;
        }
        self.timer_at = Some(at);
        Some(at)
    }

    /// The planned time is reached.
    pub(super) fn handle_timer(&mut self, now: u64) {
        if self.timer_at.is_some_and(|planned| planned <= now) {
            self.timer_at = None;
        }
        if self.station.next_timeout().is_some_and(|at| at <= now) {
            self.station.handle_timeout(now);
        }
    }
}

/// Whether a PDU is an I frame.
pub(super) fn is_data(pdu: &[u8]) -> bool {
    pdu.len() >= I_HEADER_BYTES && pdu[2] & 1 == 0
}

/// Whether a PIU begins an RU of a request: the first segment, or the only one.
pub(super) fn begins_ru(piu: &[u8]) -> bool {
    piu.len() >= 9 && piu[0] & 0x08 != 0 && piu[6] & 0x80 == 0
}

/// Whether a PIU is what a session handles as one thing: a request (its first
/// segment), a response, a pacing message.
pub(super) fn begins_message(piu: &[u8]) -> bool {
    piu.first().is_some_and(|byte| byte & 0x08 != 0)
}

/// Whether a PIU carries a part of an RU.
pub(super) fn is_segment(piu: &[u8]) -> bool {
    piu.first().is_some_and(|byte| byte & 0x0C != 0x0C)
}

/// Whether a PIU is of the expedited flow.
pub(super) fn is_expedited(piu: &[u8]) -> bool {
    piu.first().is_some_and(|byte| byte & 0x01 != 0)
}

use sna::dlc::pdu::I_HEADER_BYTES;
