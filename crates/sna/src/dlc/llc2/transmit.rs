//! The output of a station, and its timers.
//!
//! Answers leave first, then I frames as the window allows, then an
//! acknowledgement that is due and found no I frame to ride on.

use super::super::pdu::{ControlField, Pdu, SupervisoryFrame, UnnumberedFrame};
use super::{DisconnectReason, LinkStation, StationEvent, StationState};

/// A frame other than an I frame that waits to be sent. N(R) is filled in when
/// it leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PendingControlFrame {
    /// RR, RNR or REJ.
    Supervisory {
        kind: SupervisoryFrame,
        response: bool,
        pf: bool,
    },
    /// Any unnumbered frame.
    Unnumbered {
        kind: UnnumberedFrame,
        response: bool,
        pf: bool,
        info: Vec<u8>,
    },
}

impl LinkStation {
    /// Appends the next PDU to `out`. Returns `false` if there is nothing to send.
    pub fn poll_transmit(&mut self, now: u64, out: &mut Vec<u8>) -> bool {
        if let Some(answer) = self.answers.pop_front() {
            self.emit_answer(answer, out);
            return true;
        }
        if self.may_send_data() {
            self.emit_data(now, out);
            return true;
        }
        if self.ack_due && self.state == StationState::Connected {
            let kind = self.readiness();
            self.emit_supervisory(kind, true, false, out);
            return true;
        }
        false
    }

    /// Whether an I frame could leave now.
    pub fn may_send_data(&self) -> bool {
        self.state == StationState::Connected
            && !self.remote_busy
            && !self.polling
            && self.sent < self.queue.len()
            && self.sent < usize::from(self.config.window)
    }

    /// Handles expired timers.
    pub fn handle_timeout(&mut self, now: u64) {
        let due = |timer: Option<u64>| timer.is_some_and(|at| at <= now);
        if due(self.t2) {
            self.t2 = None;
            self.ack_due = true;
        }
        if due(self.t1) {
            self.t1 = None;
            self.counts.timeouts += 1;
            self.try_again(now);
        } else if due(self.ti) {
            self.ti = None;
            if self.t1.is_none() && self.state == StationState::Connected {
                self.checkpoint(now);
            }
        }
    }

    fn try_again(&mut self, now: u64) {
        self.tries = self.tries.saturating_add(1);
        if self.tries > self.config.retries {
            return self.close(DisconnectReason::Timeout);
        }
        match self.state {
            StationState::Closed => return,
            StationState::Connecting => self.answer_u(UnnumberedFrame::Sabme, false, true),
            StationState::Disconnecting => self.answer_u(UnnumberedFrame::Disc, false, true),
            StationState::Rejecting => self.answer_frmr(),
            StationState::Connected => return self.checkpoint(now),
        }
        self.t1 = Some(now + self.config.t1_ns);
    }

    /// Polls the other side for its state; data waits for the answer.
    pub(super) fn checkpoint(&mut self, now: u64) {
        self.polling = true;
        let kind = self.readiness();
        self.answer_s(kind, false, true);
        self.t1 = Some(now + self.config.t1_ns);
    }

    pub(super) fn answer_s(&mut self, kind: SupervisoryFrame, response: bool, pf: bool) {
        self.answers
            .push_back(PendingControlFrame::Supervisory { kind, response, pf });
    }

    pub(super) fn answer_u(&mut self, kind: UnnumberedFrame, response: bool, pf: bool) {
        self.answers.push_back(PendingControlFrame::Unnumbered {
            kind,
            response,
            pf,
            info: Vec::new(),
        });
    }

    pub(super) fn answer_frmr(&mut self) {
        self.answers.push_back(PendingControlFrame::Unnumbered {
            kind: UnnumberedFrame::Frmr,
            response: true,
            pf: false,
            info: self.frmr.to_vec(),
        });
    }

    /// Sends a change of this side's readiness. Frames dropped while busy are
    /// requested again.
    pub(super) fn send_readiness(&mut self) {
        let kind = match (self.local_busy, self.dropped_busy) {
            (true, _) => SupervisoryFrame::Rnr,
            (false, true) => SupervisoryFrame::Rej,
            (false, false) => SupervisoryFrame::Rr,
        };
        if kind == SupervisoryFrame::Rej {
            self.dropped_busy = false;
            self.reject_sent = true;
        }
        self.answer_s(kind, true, false);
    }

    /// RR, or RNR while this side is busy.
    pub(super) fn readiness(&self) -> SupervisoryFrame {
        if self.local_busy {
            SupervisoryFrame::Rnr
        } else {
            SupervisoryFrame::Rr
        }
    }

    /// Starts T1 afresh while something is unacknowledged or asked, or stops it.
    pub(super) fn set_t1(&mut self, now: u64) {
        // A busy peer is asked repeatedly until it is ready.
        let waiting = self.sent > 0 || self.polling || self.remote_busy;
        self.t1 = waiting.then(|| now + self.config.t1_ns);
    }

    /// Silence is measured from here on.
    pub(super) fn set_ti(&mut self, now: u64) {
        self.ti = (self.state == StationState::Connected).then(|| now + self.config.ti_ns);
    }

    pub(super) fn become_connected(&mut self, now: u64) {
        self.state = StationState::Connected;
        self.set_ti(now);
        self.events.push_back(StationEvent::Connected);
        if self.local_busy {
            self.send_readiness();
        }
    }

    fn emit_data(&mut self, now: u64, out: &mut Vec<u8>) {
        let ns = (usize::from(self.va) + self.sent) as u8 & 127;
        let control = ControlField::I {
            ns,
            nr: self.vr,
            pf: false,
        };
        out.extend_from_slice(&[self.config.remote_sap, self.config.local_sap]);
        let (first, second) = control.bytes();
        out.push(first);
        out.extend(second);
        out.extend_from_slice(&self.queue[self.sent]);
        if self.sent < self.sent_once {
            self.counts.resent += 1;
        } else {
            self.sent_once += 1;
            self.counts.sent += 1;
        }
        self.sent += 1;
        if self.t1.is_none() {
            self.t1 = Some(now + self.config.t1_ns);
        }
        self.acknowledged();
    }

    fn emit_answer(&mut self, answer: PendingControlFrame, out: &mut Vec<u8>) {
        match answer {
            PendingControlFrame::Supervisory { kind, response, pf } => {
                self.emit_supervisory(kind, response, pf, out)
            }
            PendingControlFrame::Unnumbered {
                kind,
                response,
                pf,
                info,
            } => self.emit(ControlField::U { kind, pf }, response, &info, out),
        }
    }

    fn emit_supervisory(
        &mut self,
        kind: SupervisoryFrame,
        response: bool,
        pf: bool,
        out: &mut Vec<u8>,
    ) {
        let nr = self.vr;
        self.emit(ControlField::S { kind, nr, pf }, response, &[], out);
        self.counts.supervisory += 1;
        self.acknowledged();
    }

    fn emit(&self, control: ControlField, response: bool, info: &[u8], out: &mut Vec<u8>) {
        Pdu {
            dsap: self.config.remote_sap,
            ssap: self.config.local_sap,
            response,
            control,
            info,
        }
        .emit(out);
    }

    /// A frame with the present N(R) has left.
    fn acknowledged(&mut self) {
        self.nr_sent = self.vr;
        self.unacknowledged = 0;
        self.ack_due = false;
        self.t2 = None;
    }
}
