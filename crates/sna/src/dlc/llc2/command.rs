//! The commands of a station's owner: a link, its end, data, XID and TEST.

use super::super::pdu::UnnumberedFrame;
use super::transmit::PendingControlFrame;
use super::{DisconnectReason, LinkStation, StationEvent, StationState};
use thiserror::Error;

/// Why a command was refused: a misuse by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CommandRefusal {
    /// The link is not up.
    #[error("the link is not up")]
    NotConnected,
    /// More bytes than a frame takes.
    #[error("{bytes} bytes do not fit into a frame of {limit}")]
    TooLong {
        /// Bytes offered.
        bytes: usize,
        /// Bytes allowed.
        limit: usize,
    },
}

impl LinkStation {
    /// Whether a SABME from the other side is accepted while no link is up.
    /// A station that does not listen answers DM.
    pub fn set_listening(&mut self, listening: bool) {
        self.listening = listening;
    }

    /// Begins to set the link up. Nothing happens unless it is closed.
    pub fn connect(&mut self, now: u64) {
        if self.state == StationState::Closed {
            self.clear_link();
            self.state = StationState::Connecting;
            self.tries = 0;
            self.answer_u(UnnumberedFrame::Sabme, false, true);
            self.t1 = Some(now + self.config.t1_ns);
        }
    }

    /// Begins to take the link down; data not yet acknowledged is dropped.
    pub fn disconnect(&mut self, now: u64) {
        match self.state {
            StationState::Closed | StationState::Disconnecting => {}
            _ => {
                self.clear_link();
                self.state = StationState::Disconnecting;
                self.tries = 0;
                self.answer_u(UnnumberedFrame::Disc, false, true);
                self.t1 = Some(now + self.config.t1_ns);
            }
        }
    }

    /// Queues an information field. It is sent when the window allows.
    pub fn send(&mut self, info: Vec<u8>) -> Result<(), CommandRefusal> {
        if self.state != StationState::Connected {
            return Err(CommandRefusal::NotConnected);
        }
        self.check_length(info.len())?;
        self.queue.push_back(info);
        Ok(())
    }

    /// Queues an XID, as a command with poll or as the answer to one.
    pub fn send_xid(
        &mut self,
        response: bool,
        pf: bool,
        info: Vec<u8>,
    ) -> Result<(), CommandRefusal> {
        self.check_length(info.len())?;
        self.answers.push_back(PendingControlFrame::Unnumbered {
            kind: UnnumberedFrame::Xid,
            response,
            pf,
            info,
        });
        Ok(())
    }

    /// Queues a TEST command; its echo is returned as [`StationEvent::Tested`].
    pub fn send_test(&mut self, info: Vec<u8>) -> Result<(), CommandRefusal> {
        self.check_length(info.len())?;
        self.answers.push_back(PendingControlFrame::Unnumbered {
            kind: UnnumberedFrame::Test,
            response: false,
            pf: true,
            info,
        });
        Ok(())
    }

    /// Queues unnumbered information, which nothing acknowledges.
    pub fn send_ui(&mut self, info: Vec<u8>) -> Result<(), CommandRefusal> {
        self.check_length(info.len())?;
        self.answers.push_back(PendingControlFrame::Unnumbered {
            kind: UnnumberedFrame::Ui,
            response: false,
            pf: false,
            info,
        });
        Ok(())
    }

    /// Asks a link's other side for a sign of life, unless it is asked for one
    /// already.
    pub fn enquire(&mut self, now: u64) {
        if self.state == StationState::Connected && self.t1.is_none() {
            self.tries = 0;
            self.checkpoint(now);
        }
    }

    /// Asks the other side to stop sending (RNR), or to continue.
    pub fn set_busy(&mut self, busy: bool) {
        if self.local_busy == busy {
            return;
        }
        self.local_busy = busy;
        if self.state == StationState::Connected {
            self.send_readiness();
        }
    }

    /// Treats the link as closed at once, without a message to the other side.
    pub(super) fn close(&mut self, reason: DisconnectReason) {
        self.clear_link();
        self.state = StationState::Closed;
        self.events.push_back(StationEvent::Closed(reason));
    }

    /// Puts every variable of the link to where it is before data flows.
    pub(super) fn clear_link(&mut self) {
        self.queue.clear();
        self.clear_numbers();
        self.answers
            .retain(|answer| matches!(answer, PendingControlFrame::Unnumbered { .. }));
    }

    /// Numbers, windows and timers begin again; queued data stays.
    pub(super) fn clear_numbers(&mut self) {
        (self.va, self.vr, self.nr_sent) = (0, 0, 0);
        (self.sent, self.sent_once) = (0, 0);
        (self.remote_busy, self.dropped_busy) = (false, false);
        (self.reject_sent, self.polling, self.used) = (false, false, false);
        (self.unacknowledged, self.ack_due) = (0, false);
        (self.t1, self.t2, self.ti) = (None, None, None);
        self.tries = 0;
    }

    fn check_length(&self, bytes: usize) -> Result<(), CommandRefusal> {
        let limit = self.config.max_info_bytes;
        if bytes > limit {
            Err(CommandRefusal::TooLong { bytes, limit })
        } else {
            Ok(())
        }
    }
}
