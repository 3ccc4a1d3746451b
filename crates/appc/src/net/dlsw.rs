//! DLSw over one TCP connection, used both ways.
//!
//! This node tells that it uses a single connection. A partner that tells of two
//! is still served on the one it opened.
//!
//! PIUs are cut out of the receive buffer without copying; what is sent goes out
//! in one call for everything that the circuit's window allows.

use super::agree::{Local, Side};
use super::txqueue::TxQueue;
use super::{Broken, Surroundings};
use crate::admin::LinkStatus;
use crate::trace::{Flow, Way};
use bytes::{Buf, BytesMut};
use mio::net::TcpStream;
use sna::LuName;
use sna::dlc::caps::Capabilities;
use sna::dlc::ssp::{self, Message, Stations};
use sna::dlc::switch::{CircuitId, Ended, Switch, SwitchConfig, SwitchEvent};
use sna::dlc::xid3::Step;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;

/// Bytes asked for in one read.
const READ_BYTES: usize = 256 * 1024;
/// The node is asked for no more PIUs while so many bytes wait to be written.
const MAX_WAITING_BYTES: usize = 256 * 1024;

/// A circuit to set up once the partner is ready.
#[derive(Debug)]
pub(crate) struct Wish {
    pub stations: Stations,
    pub partner: LuName,
    pub call: u64,
}

/// One TCP connection to a DLSw partner.
pub(crate) struct Dlsw {
    pub stream: TcpStream,
    peer: SocketAddr,
    local: Local,
    switch: Switch,
    received: BytesMut,
    waiting: TxQueue,
    sides: BTreeMap<CircuitId, Side>,
    wishes: Vec<Wish>,
    flow: Flow,
}

impl Dlsw {
    pub fn new(stream: TcpStream, peer: SocketAddr, local: Local, wish: Option<Wish>) -> Dlsw {
        let own = stream.local_addr().unwrap_or(peer);
        let config = SwitchConfig {
            capabilities: Capabilities {
                initial_window: local.circuit_window,
                text: format!("Tupelo {}", env!("CARGO_PKG_VERSION")),
                ..Capabilities::default()
            },
            mac: local.mac,
            saps: vec![sna::dlc::pdu::SAP_SNA],
            // TCP takes any frame; the XID tells what the node takes.
            largest_frame: ssp::largest_frame_code(17_800),
            widest_window: local.circuit_window.saturating_mul(4),
            max_circuits: 1024,
            setup_ns: local.setup_ns,
        };
        Dlsw {
            stream,
            peer,
            switch: Switch::new(config),
            local,
            received: BytesMut::new(),
            waiting: TxQueue::default(),
            sides: BTreeMap::new(),
            wishes: wish.into_iter().collect(),
            flow: Flow::new(own, peer),
        }
    }

    /// Reads until the socket is empty, and takes what is whole.
    pub fn handle_readable(
        &mut self,
        around: &mut Surroundings<'_>,
        closing: bool,
    ) -> Result<(), Broken> {
        loop {
            if self.received.capacity() - self.received.len() < READ_BYTES / 4 {
                self.received.reserve(READ_BYTES);
            }
            let room = self.received.capacity() - self.received.len();
            match read_into(&self.stream, &mut self.received) {
                Ok(0) => return Err(Broken("the partner closed the connection".into())),
                Ok(read) => {
                    self.take_messages(around)?;
                    // Less than there was room for: the socket is empty.
                    if read < room && !closing {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Broken(error.to_string())),
            }
        }
    }

    fn take_messages(&mut self, around: &mut Surroundings<'_>) -> Result<(), Broken> {
        loop {
            let parsed = Message::parse(&self.received).map_err(|why| Broken(why.to_string()))?;
            let Some((message, total)) = parsed else {
                return Ok(());
            };
            let header = total - message.data.len();
            let carries = self
                .switch
                .handle(around.now.as_nanos(), &message)
                .map_err(|why| Broken(why.to_string()))?;
            if around.trace.is_some() {
                let piu_at = carries.map_or(usize::MAX, |_| header);
                let (flow, bytes) = (&mut self.flow, &self.received[..total]);
                around.trace(|trace| trace.segment(flow, Way::In, bytes, piu_at));
            }
            let mut bytes = self.received.split_to(total).freeze();
            if let Some(link) = carries
                .and_then(|id| self.sides.get(&id))
                .and_then(|side| side.link)
            {
                bytes.advance(header);
                around.trace(|trace| trace.piu(&bytes));
                around.node.handle_piu(link, bytes, around.now);
            } else {
                self.take_events(around);
            }
        }
    }

    fn take_events(&mut self, around: &mut Surroundings<'_>) {
        while let Some(event) = self.switch.poll_event() {
            match event {
                SwitchEvent::Ready(peer) => {
                    tracing::info!("{}: DLSw with {:?}", self.peer, peer.text);
                    for wish in std::mem::take(&mut self.wishes) {
                        self.originate(around, wish);
                    }
                }
                SwitchEvent::Established(id) => self.established(id),
                SwitchEvent::Xid(id, xid) => self.xid(around, id, &xid),
                SwitchEvent::Contact(id) => {
                    if let Some(circuit) = self.switch.circuit(id) {
                        circuit.contacted();
                        self.up(around, id);
                    }
                }
                SwitchEvent::Connected(id) => self.up(around, id),
                SwitchEvent::Restarted(id) => {
                    self.halt(around, id, "the partner restarted the link")
                }
                SwitchEvent::Closed(id, ended) => self.closed(around, id, &ended),
            }
        }
    }

    fn originate(&mut self, around: &mut Surroundings<'_>, wish: Wish) {
        let id = self.switch.originate(around.now.as_nanos(), wish.stations);
        let side = Side::new(&self.local, u16::MAX, Some(wish.partner), Some(wish.call));
        self.sides.insert(id, side);
    }

    fn established(&mut self, id: CircuitId) {
        let local = &self.local;
        let side = self
            .sides
            .entry(id)
            .or_insert_with(|| Side::new(local, u16::MAX, None, None));
        if let Some(circuit) = self
            .switch
            .circuit(id)
            .filter(|circuit| circuit.is_origin())
        {
            circuit.send_xid(side.negotiation.begin());
        }
    }

    fn xid(&mut self, around: &mut Surroundings<'_>, id: CircuitId, xid: &[u8]) {
        let (Some(side), Some(circuit)) = (self.sides.get_mut(&id), self.switch.circuit(id)) else {
            return;
        };
        let agreed = match side.negotiation.handle(xid) {
            Ok(Step::Send(xid)) => {
                circuit.send_xid(xid);
                return;
            }
            Ok(Step::SendAndDone(xid, agreed)) => {
                circuit.send_xid(xid);
                agreed
            }
            Ok(Step::Done(agreed)) => agreed,
            Ok(Step::Wait) => return,
            Err(why) => {
                if let Some(xid) = side.negotiation.refusal(&why) {
                    circuit.send_xid(xid);
                }
                return self.halt(around, id, &why.to_string());
            }
        };
        side.agreed = Some(agreed);
        if side.is_primary() {
            circuit.contact();
        }
    }

    fn up(&mut self, around: &mut Surroundings<'_>, id: CircuitId) {
        let frame = self
            .switch
            .circuit(id)
            .map_or(0, |circuit| circuit.largest_frame());
        let Some(side) = self.sides.get_mut(&id) else {
            return;
        };
        if side.up(around, ssp::largest_frame_bytes(frame)).is_none() {
            self.halt(
                around,
                id,
                "the partner connected before identifications were exchanged",
            );
        }
    }

    fn halt(&mut self, around: &mut Surroundings<'_>, id: CircuitId, why: &str) {
        self.switch.halt(around.now.as_nanos(), id);
        if let Some(mut side) = self.sides.remove(&id) {
            side.down(around, why);
        }
    }

    fn closed(&mut self, around: &mut Surroundings<'_>, id: CircuitId, ended: &Ended) {
        if let Some(mut side) = self.sides.remove(&id) {
            side.down(around, &ended.to_string());
        }
    }

    /// Takes the node's PIUs and writes.
    pub fn transmit(&mut self, around: &mut Surroundings<'_>) -> Result<(), Broken> {
        loop {
            self.take_control(around);
            let full = self.take_pius(around);
            let empty = self
                .waiting
                .write_to(&mut self.stream)
                .map_err(|why| Broken(why.to_string()))?;
            // Full only by our own bound: the node may have more.
            if !(full && empty) {
                return Ok(());
            }
        }
    }

    fn take_control(&mut self, around: &mut Surroundings<'_>) {
        let out = self.waiting.gather();
        let start = out.len();
        if !self.switch.poll_transmit(out) {
            return;
        }
        let added = out.len() - start;
        if around.trace.is_some() {
            let flow = &mut self.flow;
            let mut rest = &out[start..];
            while let Ok(Some((_, used))) = Message::parse(rest) {
                around.trace(|trace| trace.segment(flow, Way::Out, &rest[..used], usize::MAX));
                rest = &rest[used..];
            }
        }
        self.waiting.gathered(added);
    }

    /// Moves PIUs from the node into the queue; true when the queue is full.
    fn take_pius(&mut self, around: &mut Surroundings<'_>) -> bool {
        for (&id, side) in &self.sides {
            let (Some(link), Some(circuit)) = (side.link, self.switch.circuit(id)) else {
                continue;
            };
            while circuit.room() > 0 {
                if self.waiting.len() >= MAX_WAITING_BYTES {
                    return true;
                }
                let Some(piu) = around.node.poll_transmit_on(link) else {
                    break;
                };
                let Some(header) = circuit.info_header(piu.len() as u16) else {
                    break;
                };
                if around.trace.is_some() {
                    let flow = &mut self.flow;
                    let message = [&header[..], &piu].concat();
                    around.trace(|trace| trace.segment(flow, Way::Out, &message, header.len()));
                    around.trace(|trace| trace.piu(&piu));
                }
                self.waiting.gather().extend_from_slice(&header);
                self.waiting.gathered(header.len());
                self.waiting.push(piu);
            }
        }
        false
    }

    pub fn handle_timeout(&mut self, around: &mut Surroundings<'_>) {
        self.switch.handle_timeout(around.now.as_nanos());
        self.take_events(around);
    }

    pub fn next_timeout(&self) -> Option<u64> {
        self.switch.next_timeout()
    }

    pub fn close(&mut self, around: &mut Surroundings<'_>, why: &str) {
        for (id, mut side) in std::mem::take(&mut self.sides) {
            self.switch.halt(around.now.as_nanos(), id);
            side.down(around, why);
        }
        for wish in std::mem::take(&mut self.wishes) {
            let call = Some(wish.call);
            let why = why.to_owned();
            around.told.push(super::Told::Down { call, why });
        }
    }

    pub fn leads_to(&self, partner: &LuName) -> bool {
        self.sides.values().any(|side| side.leads_to(partner))
    }

    pub fn describe(&self, out: &mut Vec<LinkStatus>) {
        for side in self.sides.values() {
            out.push(LinkStatus {
                kind: "dlsw".into(),
                peer: self.peer.to_string(),
                partner: side.partner_name(),
                role: side.role(),
                max_btu_bytes: side
                    .agreed
                    .as_ref()
                    .map_or(0, |agreed| agreed.peer.max_btu_bytes),
                up: side.link.is_some(),
            });
        }
    }
}

/// Reads once into the spare room of `buffer`.
fn read_into(stream: &TcpStream, buffer: &mut BytesMut) -> io::Result<usize> {
    let spare = buffer.spare_capacity_mut();
    // SAFETY: the pointer and length name memory that `buffer` owns and that
    // nothing else refers to; the kernel writes at most `spare.len()` bytes.
    let read = unsafe { libc::read(stream.as_raw_fd(), spare.as_mut_ptr().cast(), spare.len()) };
    let Ok(read) = usize::try_from(read) else {
        return Err(io::Error::last_os_error());
    };
    // SAFETY: the kernel has written `read` bytes after the present length.
    unsafe { buffer.set_len(buffer.len() + read) };
    Ok(read)
}
