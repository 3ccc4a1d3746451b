//! LLC2 over an Ethernet interface, through a raw socket.
//!
//! Processes that share an address have a SAP each ([`own_sap`]).
//!
//! A link to a station is activated by TEST (to the null SAP), a null XID, XID3s
//! and SABME. Each command is repeated until it is answered or N2 tries are over.
//! Frames for other stations are ignored.
//!
//! Raw sockets need CAP_NET_RAW; without it, [`EthernetTransport::open`] says so.

mod addresses;
mod own_sap;
mod peer;
mod socket;

use super::agree::{LinkSide, LocalNode};
use super::{TransportContext, TransportFailure};
use crate::Error;
use crate::admin::LinkStatus;
use crate::trace::CaptureWriter;
use addresses::StationAddresses;
use own_sap::OwnSap;
use peer::{PeerStation, PendingCommand, StationCommand, begins_anew, is_xid};
use sna::dlc::llc2::StationState;
use sna::dlc::mac::{self, Frame, Mac};
use sna::dlc::pdu::{ControlField, I_HEADER_BYTES, Pdu, SAP_NULL, SAP_SNA, UnnumberedFrame};
use sna::{LinkId, LuName, MonotonicTime};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

/// The largest information field of an I frame in an 802.3 frame.
pub const MAX_BTU_BYTES: u16 = (mac::MAX_PDU_BYTES - I_HEADER_BYTES) as u16;
/// PIUs given to a station ahead of its window; the rest waits in the node.
const AHEAD: usize = 4;
const RETRY_NS: u64 = 1_000_000_000;
const TRIES: u8 = 8;
const MAX_PEERS: usize = 1024;
/// In the source SAP: the PDU is a response.
const RESPONSE: u8 = 0x01;

/// A station and one of its SAPs.
type Key = (Mac, u8);

/// All links of one interface.
pub(crate) struct EthernetTransport {
    pub socket: OwnedFd,
    pub interface: String,
    own: StationAddresses,
    sap: OwnSap,
    local: LocalNode,
    peers: BTreeMap<Key, PeerStation>,
    frame: Vec<u8>,
}

impl EthernetTransport {
    /// Opens a raw socket on `interface`. The station has the configured
    /// address. Without one it has the interface's address, and also answers to
    /// the address derived from the logical unit's name.
    pub fn open(
        interface: &str,
        local: LocalNode,
        address: Option<Mac>,
    ) -> Result<EthernetTransport, Error> {
        let (socket, index) = socket::open(interface)?;
        let by_name = mac::reversed(local.mac);
        let own = match address {
            Some(address) => StationAddresses {
                address,
                by_name: address,
            },
            None => StationAddresses {
                address: socket::hardware_address(interface).unwrap_or(by_name),
                by_name,
            },
        };
        let sap = OwnSap::take(index, own.address).ok_or_else(|| {
            let address = reported(own.address);
            let why = "every SAP belongs to another process";
            Error::Socket(format!("interface {interface}, address {address}: {why}"))
        })?;
        Ok(EthernetTransport {
            socket,
            interface: interface.to_owned(),
            own,
            sap,
            local,
            peers: BTreeMap::new(),
            frame: Vec::with_capacity(2048),
        })
    }

    /// Begins to bring a link up.
    pub fn call(&mut self, now: u64, to: Mac, sap: u8, partner: LuName, call: u64) {
        let place = place((to, sap));
        let side = LinkSide::new(&self.local, MAX_BTU_BYTES, place, Some(partner), Some(call));
        let peer = self.peer((to, sap), (self.own.address, self.sap.value()));
        peer.side = side;
        peer.pending_command = Some(PendingCommand {
            what: StationCommand::Test,
            again: now,
            tries: 0,
        });
    }

    /// Reads every frame that waits.
    pub fn handle_readable(
        &mut self,
        around: &mut TransportContext<'_>,
    ) -> Result<(), TransportFailure> {
        let mut buffer = [0u8; 2048];
        loop {
            let read = match socket::receive(&self.socket, &mut buffer) {
                Ok(read) => read,
                Err(error) => {
                    return match error.kind() {
                        io::ErrorKind::WouldBlock => Ok(()),
                        io::ErrorKind::Interrupted => continue,
                        // The interface went down: links
                        // will time out.
                        _ if error.raw_os_error() == Some(libc::ENETDOWN) => Ok(()),
                        _ => Err(TransportFailure::ended(error)),
                    };
                }
            };
            self.handle_frame(around, &buffer[..read]);
        }
    }

    fn handle_frame(&mut self, around: &mut TransportContext<'_>, bytes: &[u8]) {
        let Ok(frame) = Frame::parse(bytes) else {
            return;
        };
        let Some(own) = self.own.addressed(&frame) else {
            return;
        };
        around.trace(|trace| trace_frame(trace, bytes, frame.pdu));
        let Ok(pdu) = Pdu::parse(frame.pdu) else {
            if let [dsap, ssap, ..] = *frame.pdu
                && self.own.serves(own, dsap, self.sap.value())
            {
                let key = (frame.source, ssap & !RESPONSE);
                self.hand_to_station(around, (own, dsap), key, frame.pdu);
            }
            return;
        };
        if pdu.dsap == SAP_NULL && !pdu.response {
            return self.answer_null_sap(around, [own, frame.source], &pdu);
        }
        if !self.own.serves(own, pdu.dsap, self.sap.value()) {
            return;
        }
        if pdu.ssap == SAP_NULL {
            return self.test_answered(around, frame.source);
        }
        let key = (frame.source, pdu.ssap);
        self.hand_to_station(around, (own, pdu.dsap), key, frame.pdu);
    }

    /// TEST for the null SAP, which answers before any link exists.
    fn answer_null_sap(
        &mut self,
        around: &mut TransportContext<'_>,
        ends: [Mac; 2],
        pdu: &Pdu<'_>,
    ) {
        if let ControlField::U {
            kind: kind @ UnnumberedFrame::Test,
            pf,
        } = pdu.control
        {
            let mut answer = Vec::new();
            Pdu {
                dsap: pdu.ssap,
                ssap: SAP_NULL,
                response: true,
                control: ControlField::U { kind, pf },
                info: pdu.info,
            }
            .emit(&mut answer);
            self.send(around, ends, &answer);
        }
    }

    fn test_answered(&mut self, around: &mut TransportContext<'_>, from: Mac) {
        for (_, peer) in self.peers.iter_mut().filter(|(key, _)| key.0 == from) {
            if let Some(asked) = peer
                .pending_command
                .as_mut()
                .filter(|asked| asked.what == StationCommand::Test)
            {
                *asked = PendingCommand {
                    what: StationCommand::NullXid,
                    again: around.now.as_nanos(),
                    tries: 0,
                };
            }
        }
    }

    /// A PDU for this station, which is called `own` there.
    fn hand_to_station(
        &mut self,
        around: &mut TransportContext<'_>,
        own: (Mac, u8),
        key: Key,
        pdu: &[u8],
    ) {
        // A link begins with an XID. No other frame creates a station, and
        // their number is limited.
        let begins = matches!(Pdu::parse(pdu), Ok(pdu) if is_xid(&pdu));
        if !self.peers.contains_key(&key) && (!begins || self.peers.len() >= MAX_PEERS) {
            return;
        }
        if begins_anew(pdu)
            && let Some(peer) = self.peers.get_mut(&key)
            && peer.side.link.is_some()
        {
            // The partner's side of the link was lost without a message.
            peer.side.down(around, "the partner sets the link up again");
            self.peers.remove(&key);
        }
        let now = around.now.as_nanos();
        let peer = self.peer(key, own);
        if peer.side.link.is_none() {
            peer.own = own.0;
        }
        peer.last_frame_at = around.now;
        peer.station.handle_pdu(now, pdu);
        let mut gone = false;
        while let Some(event) = peer.station.poll_event() {
            gone |= peer.handle_event(around, event);
        }
        if gone || peer.over {
            self.transmit_peer(around, key);
            self.peers.remove(&key);
        }
    }

    /// The station there; a new one is linked to this one under `own`.
    fn peer(&mut self, key: Key, own: (Mac, u8)) -> &mut PeerStation {
        let local = &self.local;
        self.peers
            .entry(key)
            .or_insert_with(|| PeerStation::new(key, own, local))
    }

    /// Takes the node's PIUs as the windows allow, and sends every frame.
    pub fn transmit(&mut self, around: &mut TransportContext<'_>) -> Result<(), TransportFailure> {
        let keys: Vec<Key> = self.peers.keys().copied().collect();
        for key in keys {
            self.put_question(around, key);
            if let Some(peer) = self.peers.get_mut(&key) {
                peer.resume_contested_name(around);
            }
            self.transmit_peer(around, key);
            if self.peers.get(&key).is_some_and(|peer| peer.over) {
                self.peers.remove(&key);
            }
        }
        Ok(())
    }

    fn transmit_peer(&mut self, around: &mut TransportContext<'_>, key: Key) {
        loop {
            let now = around.now.as_nanos();
            let Some(peer) = self.peers.get_mut(&key) else {
                return;
            };
            // Output of a link that is going down waits for its end.
            let connected = peer.station.state() == StationState::Connected;
            if let Some(link) = peer.side.link.filter(|_| connected) {
                while peer.station.waiting() < AHEAD
                    && let Some(piu) = around.node.poll_transmit_on(link)
                {
                    around.trace(|trace| trace.piu(&piu));
                    if let Err(refused) = peer.station.send(piu) {
                        tracing::warn!("a PIU cannot be sent: {refused}");
                    }
                }
            }
            let mut pdu = std::mem::take(&mut peer.out);
            pdu.clear();
            let more = peer.station.poll_transmit(now, &mut pdu);
            let ends = [peer.own, peer.mac];
            if more {
                self.send(around, ends, &pdu);
            }
            if let Some(peer) = self.peers.get_mut(&key) {
                peer.out = pdu;
            }
            if !more {
                return;
            }
        }
    }

    /// Sends the question that is due.
    fn put_question(&mut self, around: &mut TransportContext<'_>, key: Key) {
        let now = around.now.as_nanos();
        let Some(peer) = self.peers.get_mut(&key) else {
            return;
        };
        let Some(asked) = peer
            .pending_command
            .as_mut()
            .filter(|asked| asked.again <= now)
        else {
            return;
        };
        asked.tries += 1;
        asked.again = now + RETRY_NS;
        let what = asked.what;
        if asked.tries > TRIES {
            peer.pending_command = None;
            peer.side.down(around, "the station does not answer");
            return;
        }
        match what {
            StationCommand::NullXid => {
                let _ = peer
                    .station
                    .send_xid(false, true, peer.side.negotiation.begin());
            }
            StationCommand::Test => {
                let mut test = Vec::new();
                let control = ControlField::U {
                    kind: UnnumberedFrame::Test,
                    pf: true,
                };
                Pdu {
                    dsap: SAP_NULL,
                    ssap: peer.own_sap,
                    response: false,
                    control,
                    info: &[],
                }
                .emit(&mut test);
                let ends = [peer.own, peer.mac];
                self.send(around, ends, &test);
            }
        }
    }

    /// Sends a PDU from the first address to the second.
    fn send(&mut self, around: &mut TransportContext<'_>, [from, to]: [Mac; 2], pdu: &[u8]) {
        self.frame.clear();
        let frame = Frame {
            destination: to,
            source: from,
            pdu,
        };
        frame.emit(&mut self.frame);
        // A frame that the interface cannot take is lost; LLC2 sends it again.
        if let Err(why) = socket::send(&self.socket, &self.frame) {
            tracing::debug!("{}: {why}", self.interface);
        }
        let bytes = &self.frame;
        around.trace(|trace| trace_frame(trace, bytes, pdu));
    }

    pub fn handle_timeout(&mut self, around: &mut TransportContext<'_>) {
        let now = around.now.as_nanos();
        let mut gone = Vec::new();
        for (key, peer) in &mut self.peers {
            peer.station.handle_timeout(now);
            while let Some(event) = peer.station.poll_event() {
                if peer.handle_event(around, event) {
                    gone.push(*key);
                }
            }
        }
        for key in gone {
            self.peers.remove(&key);
        }
    }

    pub fn next_timeout(&self) -> Option<u64> {
        let timers = self.peers.values().flat_map(|peer| {
            [
                peer.station.next_timeout(),
                peer.pending_command.map(|asked| asked.again),
            ]
        });
        timers.flatten().min()
    }

    pub fn close(&mut self, around: &mut TransportContext<'_>, why: &str) {
        let now = around.now.as_nanos();
        for peer in self.peers.values_mut() {
            peer.side.down(around, why);
            peer.station.disconnect(now);
        }
        let _ = self.transmit(around);
    }

    pub fn leads_to(&self, partner: &LuName, may_use: &dyn Fn(LinkId) -> bool) -> bool {
        let mut peers = self.peers.values();
        peers.any(|peer| peer.side.leads_to(partner, may_use))
    }

    /// Ends the link with the station at `place` in good order.
    pub fn disconnect(&mut self, around: &mut TransportContext<'_>, place: &str, why: &str) {
        if let Some((_, peer)) = self.at(place) {
            peer.side.down(around, why);
            peer.station.disconnect(around.now.as_nanos());
        }
    }

    fn at(&mut self, place: &str) -> Option<(Key, &mut PeerStation)> {
        let mut peers = self.peers.iter_mut();
        let found = peers.find(|(key, _)| self::place(**key) == place);
        found.map(|(key, peer)| (*key, peer))
    }

    /// Asks the station at `place` to respond; returns false if it is unknown.
    pub fn probe_partner(&mut self, place: &str, now: MonotonicTime) -> bool {
        let found = self.at(place);
        found
            .map(|(_, peer)| peer.station.enquire(now.as_nanos()))
            .is_some()
    }

    /// Whether the station at `place` has sent a frame since `since`. Returns
    /// `None` if it is unknown.
    pub fn answered(&mut self, place: &str, since: MonotonicTime) -> Option<bool> {
        self.at(place).map(|(_, peer)| peer.last_frame_at > since)
    }

    /// Treats the station at `place` as gone.
    pub fn give_up(&mut self, around: &mut TransportContext<'_>, place: &str, why: &str) {
        if let Some((key, peer)) = self.at(place) {
            peer.side.down(around, why);
            self.peers.remove(&key);
        }
    }

    /// The station at the other end of a link.
    pub fn peer_of(&self, link: LinkId) -> Option<String> {
        let mut peers = self.peers.iter();
        let found = peers.find(|(_, peer)| peer.side.link == Some(link));
        found.map(|(key, _)| place(*key))
    }

    pub fn describe(&self, out: &mut Vec<LinkStatus>) {
        for (key, peer) in &self.peers {
            out.push(LinkStatus {
                kind: format!("llc2 {}", self.interface),
                peer: place(*key),
                partner: peer.side.partner_name(),
                role: peer.side.role(),
                max_btu_bytes: peer
                    .side
                    .agreed
                    .as_ref()
                    .map_or(0, |agreed| agreed.peer.max_btu_bytes),
                up: peer.side.link.is_some(),
            });
        }
    }
}

/// A station as text, for messages and for its name.
fn place((mac, sap): Key) -> String {
    match sap {
        SAP_SNA => reported(mac),
        other => format!("{} SAP {other:02X}", reported(mac)),
    }
}

/// An address as text for messages.
fn reported(mac: [u8; 6]) -> String {
    mac.map(|byte| format!("{byte:02x}")).join(":")
}

fn trace_frame(trace: &mut CaptureWriter, frame: &[u8], pdu: &[u8]) -> io::Result<()> {
    let data = matches!(Pdu::parse(pdu), Ok(pdu) if matches!(pdu.control, ControlField::I { .. }));
    trace.frame(frame, data.then_some(mac::HEADER_BYTES + I_HEADER_BYTES))
}
