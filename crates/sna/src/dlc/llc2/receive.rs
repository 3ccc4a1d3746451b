//! How a station handles the PDUs it receives.

use super::super::pdu::{ControlField, Pdu, PduError, SupervisoryFrame, UnnumberedFrame};
use super::transmit::PendingControlFrame;
use super::{DisconnectReason, LinkStation, StationEvent, StationState};

/// Why a frame is rejected: the low five bits of the last byte of a FRMR.
const CONTROL_UNDEFINED: u8 = 0x01;
const INFORMATION_NOT_ALLOWED: u8 = 0x02;
const INFORMATION_TOO_LONG: u8 = 0x04;
const NR_INVALID: u8 = 0x08;
const NS_INVALID: u8 = 0x10;

/// A number at most this far before the present one belongs to a late frame.
const LATE: u8 = 63;

impl LinkStation {
    /// Takes a PDU, from the destination SAP to the end of the information
    /// field. Bytes for another SAP, or too few of them, are ignored.
    pub fn handle_pdu(&mut self, now: u64, bytes: &[u8]) {
        match Pdu::parse(bytes) {
            Ok(pdu) => self.handle(now, &pdu),
            Err(PduError::Short(_)) => {}
            Err(PduError::Control(_)) => self.reject(now, bytes, CONTROL_UNDEFINED),
            // X is set together with W.
            Err(PduError::Information(_)) => {
                self.reject(now, bytes, INFORMATION_NOT_ALLOWED | CONTROL_UNDEFINED)
            }
        }
    }

    fn handle(&mut self, now: u64, pdu: &Pdu<'_>) {
        if pdu.dsap != self.config.local_sap && pdu.dsap != 0 {
            return;
        }
        if self.state == StationState::Connected {
            self.set_ti(now);
        }
        match pdu.control {
            ControlField::U { kind, pf } => self.handle_unnumbered(now, pdu, kind, pf),
            _ if self.state == StationState::Connected => self.handle_numbered(now, pdu),
            // Any other frame without a link: a poll is answered with DM.
            _ if !pdu.response && pdu.control.pf() => match self.state {
                StationState::Closed => self.answer_u(UnnumberedFrame::Dm, true, true),
                StationState::Rejecting => self.answer_frmr(),
                _ => {}
            },
            _ => {}
        }
    }

    fn handle_unnumbered(&mut self, now: u64, pdu: &Pdu<'_>, kind: UnnumberedFrame, pf: bool) {
        match (kind, pdu.response) {
            (UnnumberedFrame::Sabme, false) => self.handle_sabme(now, pf),
            (UnnumberedFrame::Disc, false) => self.handle_disc(pf),
            (UnnumberedFrame::Ua, true) => self.handle_ua(now),
            (UnnumberedFrame::Dm, true) => match self.state {
                StationState::Closed => {}
                StationState::Disconnecting => self.close(DisconnectReason::Local),
                StationState::Connecting => self.close(DisconnectReason::Refused),
                StationState::Connected | StationState::Rejecting => {
                    self.close(DisconnectReason::Peer)
                }
            },
            (UnnumberedFrame::Frmr, true) => {
                if matches!(
                    self.state,
                    StationState::Connected | StationState::Rejecting
                ) {
                    let mut why = [0; 5];
                    for (to, from) in why.iter_mut().zip(pdu.info) {
                        *to = *from;
                    }
                    self.close(DisconnectReason::FrameRejected(why));
                    self.answer_u(UnnumberedFrame::Disc, false, true);
                }
            }
            (UnnumberedFrame::Xid, response) => self.events.push_back(StationEvent::Xid {
                response,
                pf,
                info: pdu.info.to_vec(),
            }),
            // The echo carries the whole information field: peers that sent one
            // take a shorter answer for a broken link.
            (UnnumberedFrame::Test, false) => {
                self.answers.push_back(PendingControlFrame::Unnumbered {
                    kind: UnnumberedFrame::Test,
                    response: true,
                    pf,
                    info: pdu.info.to_vec(),
                })
            }
            (UnnumberedFrame::Test, true) => self
                .events
                .push_back(StationEvent::Tested(pdu.info.to_vec())),
            (UnnumberedFrame::Ui, _) => self.events.push_back(StationEvent::Ui(pdu.info.to_vec())),
            _ => {}
        }
    }

    fn handle_sabme(&mut self, now: u64, pf: bool) {
        match self.state {
            StationState::Closed if !self.listening => self.answer_u(UnnumberedFrame::Dm, true, pf),
            StationState::Disconnecting => self.answer_u(UnnumberedFrame::Dm, true, pf),
            StationState::Closed => {
                self.clear_link();
                self.answer_u(UnnumberedFrame::Ua, true, pf);
                self.become_connected(now);
            }
            // Both asked at once: each answers, and its own answer completes it.
            StationState::Connecting => self.answer_u(UnnumberedFrame::Ua, true, pf),
            StationState::Connected if !self.used => {
                // The UA was lost: nothing arrived on either side, so nothing is
                // lost by counting from zero again.
                self.forget_supervisory();
                self.clear_numbers();
                self.set_ti(now);
                self.answer_u(UnnumberedFrame::Ua, true, pf);
                if self.local_busy {
                    self.send_readiness();
                }
            }
            StationState::Connected | StationState::Rejecting => {
                self.clear_link();
                self.answer_u(UnnumberedFrame::Ua, true, pf);
                self.events.push_back(StationEvent::Reset);
                self.become_connected(now);
            }
        }
    }

    fn handle_disc(&mut self, pf: bool) {
        match self.state {
            StationState::Closed => self.answer_u(UnnumberedFrame::Dm, true, pf),
            StationState::Disconnecting => self.answer_u(UnnumberedFrame::Ua, true, pf),
            _ => {
                self.close(DisconnectReason::Peer);
                self.answer_u(UnnumberedFrame::Ua, true, pf);
            }
        }
    }

    fn handle_ua(&mut self, now: u64) {
        match self.state {
            StationState::Connecting => {
                self.clear_numbers();
                self.become_connected(now);
            }
            StationState::Disconnecting => self.close(DisconnectReason::Local),
            _ => {}
        }
    }

    fn forget_supervisory(&mut self) {
        self.answers
            .retain(|answer| matches!(answer, PendingControlFrame::Unnumbered { .. }));
    }

    fn handle_numbered(&mut self, now: u64, pdu: &Pdu<'_>) {
        let (nr, pf) = match pdu.control {
            ControlField::I { nr, pf, .. } | ControlField::S { nr, pf, .. } => (nr, pf),
            ControlField::U { .. } => return,
        };
        let acknowledged = usize::from(nr.wrapping_sub(self.va) & 127);
        let late = acknowledged > self.sent_once;
        if late && self.va.wrapping_sub(nr) & 127 > LATE {
            return self.reject_pdu(now, pdu, NR_INVALID);
        }
        if pdu.info.len() > self.config.max_info_bytes {
            return self.reject_pdu(now, pdu, INFORMATION_TOO_LONG);
        }
        if !late {
            self.take_acknowledgement(now, acknowledged);
        }
        match pdu.control {
            ControlField::S { kind, .. } => self.handle_supervisory(now, kind, late),
            ControlField::I { ns, .. } => {
                if !self.handle_information(now, ns, pdu.info) {
                    return self.reject_pdu(now, pdu, NS_INVALID);
                }
            }
            ControlField::U { .. } => {}
        }
        if pf && !pdu.response {
            let kind = self.readiness();
            self.answer_s(kind, true, true);
        }
        if pf && pdu.response && self.polling && !late {
            // The checkpoint: frames that the final bit does not
            // acknowledge are sent again.
            self.polling = false;
            self.tries = 0;
            self.sent = 0;
            self.set_t1(now);
        }
    }

    fn take_acknowledgement(&mut self, now: u64, frames: usize) {
        if frames == 0 {
            return;
        }
        self.used = true;
        self.queue.drain(..frames);
        self.va = (usize::from(self.va) + frames) as u8 & 127;
        self.sent = self.sent.saturating_sub(frames);
        self.sent_once -= frames;
        self.tries = 0;
        self.set_t1(now);
    }

    fn handle_supervisory(&mut self, now: u64, kind: SupervisoryFrame, late: bool) {
        if late {
            return;
        }
        let was_busy = self.remote_busy;
        self.remote_busy = kind == SupervisoryFrame::Rnr;
        if kind == SupervisoryFrame::Rej && !self.polling {
            self.sent = 0;
        }
        if self.remote_busy != was_busy {
            self.set_t1(now);
        }
    }

    /// Takes an information field. Returns `false` if its number is outside the
    /// window.
    fn handle_information(&mut self, now: u64, ns: u8, info: &[u8]) -> bool {
        let window = self.config.receive_window;
        let ahead = ns.wrapping_sub(self.vr) & 127;
        let open = window - (self.vr.wrapping_sub(self.nr_sent) & 127).min(window);
        if ahead == 0 && open > 0 {
            self.take_in_order(now, info);
            return true;
        }
        self.counts.dropped += 1;
        if ahead < open {
            // A gap: one REJ, until the missing frame arrives.
            if !self.reject_sent && !self.local_busy {
                self.reject_sent = true;
                self.answer_s(SupervisoryFrame::Rej, true, false);
            }
            return true;
        }
        if 128 - ahead <= window.max(LATE) {
            self.ack_due = true;
            return true;
        }
        false
    }

    fn take_in_order(&mut self, now: u64, info: &[u8]) {
        if self.local_busy {
            self.counts.dropped += 1;
            if !self.dropped_busy {
                self.dropped_busy = true;
                self.answer_s(SupervisoryFrame::Rnr, true, false);
            }
            return;
        }
        self.vr = (self.vr + 1) & 127;
        self.reject_sent = false;
        self.used = true;
        self.counts.received += 1;
        self.events.push_back(StationEvent::Data(info.to_vec()));
        self.unacknowledged += 1;
        if self.unacknowledged >= self.config.ack_every || self.config.t2_ns == 0 {
            self.ack_due = true;
        } else if self.t2.is_none() {
            self.t2 = Some(now + self.config.t2_ns);
        }
    }

    fn reject_pdu(&mut self, now: u64, pdu: &Pdu<'_>, why: u8) {
        let mut bytes = Vec::new();
        Pdu { info: &[], ..*pdu }.emit(&mut bytes);
        self.reject(now, &bytes, why);
    }

    /// Answers a frame that breaks the rules and waits for the other side to
    /// begin again.
    fn reject(&mut self, now: u64, bytes: &[u8], why: u8) {
        let for_us = bytes
            .first()
            .is_some_and(|dsap| dsap & 0xFE == self.config.local_sap);
        if self.state != StationState::Connected || !for_us {
            return;
        }
        let control = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let response = control(1) & 1;
        let vs = (usize::from(self.va) + self.sent) as u8 & 127;
        self.frmr = [
            control(2),
            control(3),
            vs << 1,
            self.vr << 1 | response,
            why,
        ];
        self.clear_link();
        self.state = StationState::Rejecting;
        self.answer_frmr();
        self.t1 = Some(now + self.config.t1_ns);
    }
}
