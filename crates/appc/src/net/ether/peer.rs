//! A partner's station: its LLC2 link, and how far the two sides agree.

use super::super::TransportContext;
use super::super::agree::{LinkSide, LocalNode, PartnerAdmission};
use super::{Key, MAX_BTU_BYTES, place};
use sna::MonotonicTime;
use sna::dlc::llc2::{Config, DisconnectReason, LinkStation, StationEvent};
use sna::dlc::mac::Mac;
use sna::dlc::pdu::{ControlField, Pdu, UnnumberedFrame};
use sna::dlc::xid3::{Exchange, NegotiationStep, Xid3};

/// A station and the link with it.
pub(super) struct PeerStation {
    /// The station's address.
    pub mac: Mac,
    /// This station's address on that link.
    pub own: Mac,
    /// Which of its SAPs the link is at.
    pub own_sap: u8,
    pub station: LinkStation,
    pub side: LinkSide,
    pub pending_command: Option<PendingCommand>,
    pub out: Vec<u8>,
    /// When it last sent a frame.
    pub last_frame_at: MonotonicTime,
    /// How the XID is sent that waits for the partner's name: as a response,
    /// and with the poll bit.
    held: (bool, bool),
    /// Its identification was rejected: it is removed when the answer is sent.
    pub over: bool,
}

/// A command that waits for its answer.
#[derive(Clone, Copy)]
pub(super) struct PendingCommand {
    pub what: StationCommand,
    pub again: u64,
    pub tries: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StationCommand {
    Test,
    NullXid,
}

impl PeerStation {
    pub fn new(key: Key, own: (Mac, u8), local: &LocalNode) -> PeerStation {
        let mut station = LinkStation::new(Config {
            local_sap: own.1,
            remote_sap: key.1,
            max_info_bytes: usize::from(MAX_BTU_BYTES),
            t1_ns: 200_000_000,
            t2_ns: 10_000_000,
            // A host that is held up for some seconds keeps its links.
            retries: 40,
            ..Config::default()
        });
        station.set_listening(true);
        PeerStation {
            mac: key.0,
            own: own.0,
            own_sap: own.1,
            station,
            side: LinkSide::new(local, MAX_BTU_BYTES, place(key), None, None),
            pending_command: None,
            out: Vec::new(),
            last_frame_at: MonotonicTime::ZERO,
            held: (false, false),
            over: false,
        }
    }

    /// Handles an event of the station; returns true if the link has ended.
    pub fn handle_event(&mut self, around: &mut TransportContext<'_>, event: StationEvent) -> bool {
        match event {
            StationEvent::Data(piu) => {
                if let Some(link) = self.side.link {
                    around.trace(|trace| trace.piu(&piu));
                    around.node.handle_piu(link, piu.into(), around.now);
                }
            }
            StationEvent::Xid { response, info, pf } => self.xid(around, response, pf, &info),
            StationEvent::Connected => {
                self.pending_command = None;
                if self.side.link.is_none()
                    && self.side.up(around, usize::from(MAX_BTU_BYTES)).is_none()
                {
                    self.station.disconnect(around.now.as_nanos());
                }
            }
            StationEvent::Reset => {
                let Some(link) = self.side.link.take() else {
                    return false;
                };
                around.node.link_down(link, around.now);
                around.peer_faults.note_gone(link, self.side.place());
            }
            StationEvent::Closed(reason) => {
                self.side.down(around, &ended(reason));
                return true;
            }
            StationEvent::Tested(_) | StationEvent::Ui(_) => {}
        }
        false
    }

    fn xid(&mut self, around: &mut TransportContext<'_>, response: bool, poll: bool, info: &[u8]) {
        // An answer to a command is a response with its poll bit; what follows
        // a response is the next command.
        self.held = (!response, response || poll);
        if self.side.waits() {
            // It repeats its name.
            return;
        }
        let step = match self.side.negotiation.handle(info) {
            Ok(step) => step,
            Err(why) => {
                self.pending_command = None;
                self.send_xid(self.side.negotiation.refusal(&why));
                if self.side.call.is_none() {
                    let at = place((self.mac, self.station.config().remote_sap));
                    around.complain(&at, &why);
                }
                let why = self.side.refused(&why);
                self.over = true;
                return self.side.down(around, &why);
            }
        };
        if response {
            self.pending_command = None;
        }
        let (answer, agreed) = match step {
            NegotiationStep::Send(xid) => return self.send_xid(Some(xid)),
            NegotiationStep::SendAndDone(xid, agreed) => (Some(xid), agreed),
            NegotiationStep::Done(agreed) => (None, agreed),
            NegotiationStep::Wait => return,
        };
        let admission = self.side.admit(around, answer, agreed);
        self.admit(around, admission);
    }

    fn send_xid(&mut self, xid: Option<Vec<u8>>) {
        let (response, poll) = self.held;
        if let Some(xid) = xid {
            let _ = self.station.send_xid(response, poll, xid);
        }
    }

    fn admit(&mut self, around: &mut TransportContext<'_>, admission: PartnerAdmission) {
        match admission {
            PartnerAdmission::Waits => {}
            PartnerAdmission::Admitted(xid) => {
                self.send_xid(xid);
                if self.side.is_primary() {
                    self.station.connect(around.now.as_nanos());
                }
            }
            PartnerAdmission::Refused(xid, why) => {
                self.send_xid(xid);
                self.over = true;
                self.side.down(around, &why);
            }
        }
    }

    /// Continues after its name was contested.
    pub fn resume_contested_name(&mut self, around: &mut TransportContext<'_>) {
        if self.side.waits() {
            let admission = self.side.poll_admission(around);
            self.admit(around, admission);
        }
    }
}

/// Why a link ended, for messages.
fn ended(reason: DisconnectReason) -> String {
    match reason {
        DisconnectReason::Local => "this side ended the link".to_owned(),
        DisconnectReason::Peer => "the partner ended the link".to_owned(),
        DisconnectReason::Refused => "the partner's station accepts no link".to_owned(),
        DisconnectReason::Timeout => "the partner's station no longer answers".to_owned(),
        DisconnectReason::FrameRejected(why) => {
            let bytes = why.map(|byte| format!("{byte:02X}")).concat();
            format!("the partner rejected a frame, FRMR {bytes}")
        }
    }
}

/// Whether these bytes are a command to negotiate a link.
pub(super) fn begins_anew(bytes: &[u8]) -> bool {
    let Ok(pdu) = Pdu::parse(bytes) else {
        return false;
    };
    // A null XID only asks for the station.
    let reported = Xid3::parse(pdu.info).map(|xid| xid.exchange);
    is_xid(&pdu) && !matches!(reported, Err(_) | Ok(Exchange::NonActivation))
}

/// Whether a PDU is an XID command.
pub(super) fn is_xid(pdu: &Pdu<'_>) -> bool {
    let kind = UnnumberedFrame::Xid;
    !pdu.response && matches!(pdu.control, ControlField::U { kind: got, .. } if got == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sna::dlc::pdu::SAP_SNA;

    #[test]
    fn only_a_command_with_an_xid_that_activates_begins_a_link_anew() {
        let xid = |exchange, response| {
            let mut reported = LinkSide::new(&local(), MAX_BTU_BYTES, String::new(), None, None);
            // After a null XID this node sends its own.
            let Ok(NegotiationStep::Send(ours)) = reported.negotiation.handle(&[]) else {
                panic!("a null XID is answered");
            };
            let mut ours = Xid3::parse(&ours).unwrap();
            ours.exchange = exchange;
            unnumbered(response, &ours.emit())
        };
        assert!(begins_anew(&xid(Exchange::Prenegotiation, false)));
        assert!(begins_anew(&xid(Exchange::Proceeding, false)));
        assert!(!begins_anew(&xid(Exchange::Proceeding, true)));
        assert!(!begins_anew(&xid(Exchange::NonActivation, false)));
        assert!(!begins_anew(&unnumbered(false, &[])));
        assert!(!begins_anew(&[4, 4, 0, 0, 0x2C]));
    }

    fn unnumbered(response: bool, info: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        Pdu {
            dsap: SAP_SNA,
            ssap: SAP_SNA,
            response,
            control: ControlField::U {
                kind: UnnumberedFrame::Xid,
                pf: true,
            },
            info,
        }
        .emit(&mut out);
        out
    }

    fn local() -> LocalNode {
        LocalNode {
            lu: "NET.A".parse().unwrap(),
            mac: [2; 6],
            id_block: 0x05D,
            id_number: 1,
            max_btu_bytes: 1496,
            circuit_window: 8,
            setup_ns: 1,
            connections: crate::config::DlswConnections::One,
        }
    }
}
