//! DLSw over TCP: one connection used both ways, or one each way ([`pipes`]).
//!
//! PIUs are taken from the receive buffer without copying. Everything that the
//! circuit's window allows is sent in one call.

mod alive;
mod flows;
mod pipes;

use super::agree::{LinkSide, LocalNode, PartnerAdmission};
use super::txqueue::TxQueue;
use super::{TransportContext, TransportFailure};
use crate::admin::LinkStatus;
use crate::config::DlswConnections;
use crate::trace::TraceDirection;
use alive::LivenessCheck;
use bytes::{Buf, BytesMut};
use flows::TraceFlows;
use mio::net::TcpStream;
use pipes::PipePair;
pub(crate) use pipes::{PipeId, way_back};
use sna::dlc::caps::SwitchCapabilities;
use sna::dlc::ssp::{self, Kind, SspMessage, StationPair};
use sna::dlc::switch::{CircuitFailure, CircuitId, DlswSwitch, SwitchConfig, SwitchEvent};
use sna::dlc::xid3::NegotiationStep;
use sna::{LinkId, LuName};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;

/// Why a transport ended whose partner closed the connection.
const CLOSED: &str = "the partner closed the connection";
/// Bytes asked for in one read.
const READ_BYTES: usize = 256 * 1024;
/// Reads of a turn. Then replies are written and other partners are served.
const READS_A_TURN: usize = 4;
/// If so many bytes wait to be written, no more PIUs are taken from the node.
const MAX_WAITING_BYTES: usize = 256 * 1024;

/// A partner with more unread data than this has its connection closed, so that
/// replies that it does not read take a bounded amount of memory.
const MAX_UNREAD_BYTES: usize = 1024 * 1024;

/// A circuit to set up once the partner is ready.
#[derive(Debug)]
pub(crate) struct PendingCircuit {
    pub stations: StationPair,
    pub partner: LuName,
    pub call: u64,
}

/// The connections to a DLSw partner.
pub(crate) struct DlswTransport {
    pub pipes: PipePair,
    peer: SocketAddr,
    /// The deadline of the exchange of capabilities. `None` after the exchange.
    exchange_until: Option<u64>,
    /// The partner's capabilities, until circuits may be used.
    ready: Option<SwitchCapabilities>,
    local: LocalNode,
    switch: DlswSwitch,
    received: BytesMut,
    waiting: TxQueue,
    /// The socket may have more to read, and does not report it again; whether
    /// the partner is closing.
    unread: Option<bool>,
    sides: BTreeMap<CircuitId, LinkSide>,
    pending_circuits: Vec<PendingCircuit>,
    flows: TraceFlows,
    /// Whether the partner's TCP acknowledges, for both connections.
    watches: [LivenessCheck; 2],
    /// When that is looked at next.
    next_check: u64,
    /// When it began.
    begun: u64,
    /// Bytes sent and received, on all connections.
    moved: [u64; 2],
}

impl DlswTransport {
    /// On a connection that this side opened.
    pub fn opened(
        stream: TcpStream,
        peer: SocketAddr,
        local: LocalNode,
        wish: PendingCircuit,
        now: u64,
    ) -> DlswTransport {
        let pipes = PipePair::opened(stream, local.connections, now);
        DlswTransport::new(pipes, peer, local, Some(wish), now)
    }

    /// For a connection that the partner opened. `known` says whether this node
    /// would also call its switch.
    pub fn accepted(
        stream: TcpStream,
        peer: SocketAddr,
        local: LocalNode,
        known: bool,
        now: u64,
    ) -> DlswTransport {
        let calls_back = known || local.connections != DlswConnections::One;
        let pipes = PipePair::accepted(stream, calls_back, now);
        DlswTransport::new(pipes, peer, local, None, now)
    }

    fn new(
        pipes: PipePair,
        peer: SocketAddr,
        local: LocalNode,
        wish: Option<PendingCircuit>,
        now: u64,
    ) -> DlswTransport {
        let config = SwitchConfig {
            capabilities: SwitchCapabilities {
                initial_window: local.circuit_window,
                text: format!("Tupelo {}", env!("CARGO_PKG_VERSION")),
                tcp_connections: match local.connections {
                    DlswConnections::Two => 2,
                    DlswConnections::One | DlswConnections::TwoThenOne => 1,
                },
                ..SwitchCapabilities::default()
            },
            mac: local.mac,
            saps: vec![sna::dlc::pdu::SAP_SNA],
            // TCP takes any frame; the XID has the node's limit.
            largest_frame: ssp::largest_frame_code(17_800),
            widest_window: local.circuit_window.saturating_mul(4),
            max_circuits: 1024,
            setup_ns: local.setup_ns,
        };
        DlswTransport {
            pipes,
            peer,
            exchange_until: Some(now + local.setup_ns),
            ready: None,
            switch: DlswSwitch::new(config),
            local,
            received: BytesMut::new(),
            waiting: TxQueue::default(),
            unread: None,
            sides: BTreeMap::new(),
            pending_circuits: wish.into_iter().collect(),
            flows: TraceFlows::new(peer),
            watches: Default::default(),
            next_check: now + alive::CHECK_INTERVAL_NS,
            begun: now,
            moved: [0; 2],
        }
    }

    /// The partner's address.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// A connection's socket is ready.
    pub fn handle_ready(
        &mut self,
        around: &mut TransportContext<'_>,
        which: PipeId,
        readable: bool,
        closing: bool,
    ) -> Result<(), TransportFailure> {
        if which == PipeId::Second {
            self.pipes.check_back();
        }
        if !readable {
            return Ok(());
        }
        if which == self.pipes.reads() {
            self.handle_readable(around, closing)
        } else {
            self.handle_unread(around, which)
        }
    }

    /// Reads until the socket is empty or the turn is over, and handles
    /// complete messages. A partner may send faster than this side reads.
    fn handle_readable(
        &mut self,
        around: &mut TransportContext<'_>,
        closing: bool,
    ) -> Result<(), TransportFailure> {
        let closing = self.unread.take().unwrap_or(false) || closing;
        for _ in 0..READS_A_TURN {
            if self.received.capacity() - self.received.len() < READ_BYTES / 4 {
                self.received.reserve(READ_BYTES);
            }
            let room = self.received.capacity() - self.received.len();
            let reads = self.pipes.reads();
            let Some(stream) = self.pipes.stream(reads) else {
                return Ok(());
            };
            match read_into(stream, &mut self.received) {
                Ok(0) => return Err(self.closed_by_partner()),
                Ok(read) => {
                    self.moved[1] += read as u64;
                    self.take_messages(around)?;
                    // Less than there was room for: the socket is empty.
                    if read < room && !closing {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(broke(&error)),
            }
        }
        self.unread = Some(closing);
        Ok(())
    }

    /// The meaning of the partner closing the connection now.
    fn closed_by_partner(&self) -> TransportFailure {
        if !self.received.is_empty() {
            TransportFailure::fault(format!("{CLOSED} in the middle of a message"))
        } else if self.exchange_until.is_some() && self.moved[1] > 0 {
            TransportFailure::fault(format!("{CLOSED} before capabilities were exchanged"))
        } else {
            TransportFailure::ended(CLOSED)
        }
    }

    /// On a connection that is only written, the partner may do nothing but
    /// close it.
    fn handle_unread(
        &mut self,
        around: &mut TransportContext<'_>,
        which: PipeId,
    ) -> Result<(), TransportFailure> {
        let mut byte = [0];
        let Some(stream) = self.pipes.stream(which) else {
            return Ok(());
        };
        let why = match io::Read::read(stream, &mut byte) {
            Ok(0) => CLOSED.to_owned(),
            Ok(_) => {
                let why = "data arrived on the connection that only this side writes";
                return Err(TransportFailure::fault(why));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => broke(&error).why,
        };
        if !self.pipes.lost(which, self.agree_on_one()) {
            return Err(TransportFailure::ended(why));
        }
        self.take_events(around);
        Ok(())
    }

    /// Whether both sides announced that they use one connection.
    fn agree_on_one(&self) -> bool {
        let theirs = self.switch.peer().map(|peer| peer.tcp_connections);
        self.local.connections != DlswConnections::Two && theirs == Some(1)
    }

    fn take_messages(&mut self, around: &mut TransportContext<'_>) -> Result<(), TransportFailure> {
        loop {
            let parsed = SspMessage::parse(&self.received).map_err(TransportFailure::fault)?;
            let Some((message, total)) = parsed else {
                return Ok(());
            };
            let header = total - message.data.len();
            let carries = self
                .switch
                .handle(around.now.as_nanos(), &message)
                .map_err(TransportFailure::fault)?;
            if around.trace.is_some() {
                let piu_at = carries.map_or(usize::MAX, |_| header);
                let flow = self.flows.of(self.pipes.reads(), &self.pipes);
                let bytes = &self.received[..total];
                around.trace(|trace| trace.segment(flow, TraceDirection::In, bytes, piu_at));
            }
            if message.kind == Kind::CapExchange
                && let Some(peer) = self.switch.peer()
            {
                self.pipes.capabilities_received(peer.tcp_connections);
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

    fn take_events(&mut self, around: &mut TransportContext<'_>) {
        while let Some(event) = self.switch.poll_event() {
            match event {
                SwitchEvent::Ready(peer) => {
                    self.exchange_until = None;
                    self.ready = Some(peer);
                    if self.agree_on_one() {
                        // The response to the partner's
                        // capabilities is sent first.
                        self.take_control(around);
                        self.pipes.agreed_on_one(around.now.as_nanos());
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
        if self.pipes.settled()
            && let Some(peer) = self.ready.take()
        {
            let count = self.pipes.count();
            tracing::info!(
                "{}: DLSw with {:?}, connections: {count}",
                self.peer,
                peer.text
            );
            for wish in std::mem::take(&mut self.pending_circuits) {
                self.originate(around, wish);
            }
        }
    }

    fn originate(&mut self, around: &mut TransportContext<'_>, wish: PendingCircuit) {
        let id = self.switch.originate(around.now.as_nanos(), wish.stations);
        let side = LinkSide::new(
            &self.local,
            u16::MAX,
            self.peer.to_string(),
            Some(wish.partner),
            Some(wish.call),
        );
        self.sides.insert(id, side);
    }

    fn established(&mut self, id: CircuitId) {
        let (local, peer) = (&self.local, self.peer);
        let side = self
            .sides
            .entry(id)
            .or_insert_with(|| LinkSide::new(local, u16::MAX, peer.to_string(), None, None));
        if let Some(circuit) = self
            .switch
            .circuit(id)
            .filter(|circuit| circuit.is_origin())
        {
            circuit.send_xid(side.negotiation.begin());
        }
    }

    fn xid(&mut self, around: &mut TransportContext<'_>, id: CircuitId, xid: &[u8]) {
        let (Some(side), Some(circuit)) = (self.sides.get_mut(&id), self.switch.circuit(id)) else {
            return;
        };
        if side.waits() {
            // It repeats its name.
            return;
        }
        let (answer, agreed) = match side.negotiation.handle(xid) {
            Ok(NegotiationStep::Send(xid)) => {
                circuit.send_xid(xid);
                return;
            }
            Ok(NegotiationStep::SendAndDone(xid, agreed)) => (Some(xid), agreed),
            Ok(NegotiationStep::Done(agreed)) => (None, agreed),
            Ok(NegotiationStep::Wait) => return,
            Err(why) => {
                if let Some(xid) = side.negotiation.refusal(&why) {
                    circuit.send_xid(xid);
                }
                if side.call.is_none() {
                    around.complain(&self.peer, &why);
                }
                let why = side.refused(&why);
                return self.halt(around, id, &why);
            }
        };
        let admission = side.admit(around, answer, agreed);
        self.admit(around, id, admission);
    }

    fn admit(
        &mut self,
        around: &mut TransportContext<'_>,
        id: CircuitId,
        admission: PartnerAdmission,
    ) {
        let (Some(side), Some(circuit)) = (self.sides.get(&id), self.switch.circuit(id)) else {
            return;
        };
        match admission {
            PartnerAdmission::Waits => {}
            PartnerAdmission::Admitted(xid) => {
                if let Some(xid) = xid {
                    circuit.send_xid(xid);
                }
                if side.is_primary() {
                    circuit.contact();
                }
            }
            PartnerAdmission::Refused(xid, why) => {
                if let Some(xid) = xid {
                    circuit.send_xid(xid);
                }
                self.halt(around, id, &why);
            }
        }
    }

    /// Continues the links whose names were contested.
    fn resume_contested_names(&mut self, around: &mut TransportContext<'_>) {
        let waits = self.sides.iter().filter(|(_, side)| side.waits());
        for id in waits.map(|(id, _)| *id).collect::<Vec<_>>() {
            let admission = self
                .sides
                .get_mut(&id)
                .map(|side| side.poll_admission(around));
            if let Some(admission) = admission {
                self.admit(around, id, admission);
            }
        }
    }

    fn up(&mut self, around: &mut TransportContext<'_>, id: CircuitId) {
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

    fn halt(&mut self, around: &mut TransportContext<'_>, id: CircuitId, why: &str) {
        self.switch.halt(around.now.as_nanos(), id);
        if let Some(mut side) = self.sides.remove(&id) {
            side.down(around, why);
        }
    }

    fn closed(&mut self, around: &mut TransportContext<'_>, id: CircuitId, ended: &CircuitFailure) {
        if let Some(mut side) = self.sides.remove(&id) {
            let why = match (ended, side.partner_name()) {
                (CircuitFailure::Timeout, name) if !name.is_empty() => format!(
                    "{ended}: is {name} the name of the logical unit there? Other products also \
                     need their station's `mac`"
                ),
                _ => ended.to_string(),
            };
            if let (CircuitFailure::Fault(_), None) = (ended, side.call) {
                around.complain(&self.peer, &why);
            }
            side.down(around, &why);
        }
    }

    /// Takes the node's PIUs and writes.
    pub fn transmit(&mut self, around: &mut TransportContext<'_>) -> Result<(), TransportFailure> {
        self.resume_contested_names(around);
        loop {
            // A connection that is about to close gets no further output.
            let settled = self.pipes.settled();
            if self.pipes.writes().is_some() && (settled || self.ready.is_none()) {
                self.take_control(around);
            }
            let full = settled && self.take_pius(around);
            let Some(stream) = self
                .pipes
                .writes()
                .and_then(|which| self.pipes.stream(which))
            else {
                return Ok(());
            };
            let before = self.waiting.len();
            let empty = self.waiting.write_to(stream).map_err(|e| broke(&e))?;
            self.moved[0] += (before - self.waiting.len()) as u64;
            if self.waiting.len() > MAX_UNREAD_BYTES {
                let why = "the partner does not read the answers to its requests";
                return Err(TransportFailure::fault(why));
            }
            // Full only by our own bound: the node may have more.
            if !(full && empty) {
                return Ok(());
            }
        }
    }

    fn take_control(&mut self, around: &mut TransportContext<'_>) {
        let out = self.waiting.gather();
        let start = out.len();
        if !self.switch.poll_transmit(out) {
            return;
        }
        let added = out.len() - start;
        if around.trace.is_some()
            && let Some(writes) = self.pipes.writes()
        {
            let flow = self.flows.of(writes, &self.pipes);
            let mut rest = &out[start..];
            while let Ok(Some((_, used))) = SspMessage::parse(rest) {
                around.trace(|trace| {
                    trace.segment(flow, TraceDirection::Out, &rest[..used], usize::MAX)
                });
                rest = &rest[used..];
            }
        }
        self.waiting.gathered(added);
    }

    /// Moves PIUs from the node into the queue. Returns `true` if the queue is
    /// full.
    fn take_pius(&mut self, around: &mut TransportContext<'_>) -> bool {
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
                if around.trace.is_some()
                    && let Some(writes) = self.pipes.writes()
                {
                    let flow = self.flows.of(writes, &self.pipes);
                    let message = [&header[..], &piu].concat();
                    around.trace(|trace| {
                        trace.segment(flow, TraceDirection::Out, &message, header.len())
                    });
                    around.trace(|trace| trace.piu(&piu));
                }
                self.waiting.gather().extend_from_slice(&header);
                self.waiting.gathered(header.len());
                self.waiting.push(piu);
            }
        }
        false
    }

    pub fn handle_timeout(
        &mut self,
        around: &mut TransportContext<'_>,
    ) -> Result<(), TransportFailure> {
        let now = around.now.as_nanos();
        if let Some(closing) = self.unread {
            self.handle_readable(around, closing)?;
        }
        if self.exchange_until.is_some_and(|at| at <= now) {
            return Err(TransportFailure::fault(self.unanswered()));
        }
        if self.next_check <= now {
            self.next_check = now + alive::CHECK_INTERVAL_NS;
            self.check_liveness(now)?;
        }
        self.pipes.handle_timeout(now);
        self.switch.handle_timeout(now);
        self.take_events(around);
        Ok(())
    }

    /// Whether capabilities are still to be exchanged.
    pub fn is_half_open(&self) -> bool {
        self.exchange_until.is_some()
    }

    /// The missing part of the capabilities exchange.
    fn unanswered(&self) -> String {
        let more = match (self.moved[1], self.switch.peer()) {
            (0, _) => "it sent nothing",
            (_, None) if self.received.is_empty() => "it sent no capabilities exchange",
            (_, None) => "its first message is incomplete",
            (_, Some(_)) => "it sent its capabilities, but did not answer this side's",
        };
        format!("the partner's switch did not answer in time: {more}")
    }

    pub fn next_timeout(&self) -> Option<u64> {
        let due = [
            self.switch.next_timeout(),
            self.pipes.next_timeout(),
            self.exchange_until,
            Some(self.next_check),
            // The rest is read in the next turn.
            self.unread.map(|_| 0),
        ];
        due.into_iter().flatten().min()
    }

    /// The transport ended by itself.
    pub fn broken(&mut self, around: &mut TransportContext<'_>, broken: &TransportFailure) {
        let seconds = around.now.as_nanos().saturating_sub(self.begun) as f64 / 1e9;
        let ([sent, received], peer, why) = (self.moved, self.peer, &broken.why);
        // A failed call is returned to its caller.
        if broken.fault && !self.pipes.calls() {
            around.complain(&peer, why);
        } else {
            tracing::info!("{peer}: {why}");
        }
        let why = format!(
            "{why} ({peer}, after {seconds:.1} s with {sent} bytes sent and {received} received)"
        );
        self.close(around, &why);
    }

    /// The partner's address of a link, if the link belongs to this transport.
    pub fn peer_of(&self, link: LinkId) -> Option<String> {
        let mut sides = self.sides.values();
        let found = sides.any(|side| side.link == Some(link));
        found.then(|| self.peer.to_string())
    }

    pub fn close(&mut self, around: &mut TransportContext<'_>, why: &str) {
        self.pipes.last_words();
        for (id, mut side) in std::mem::take(&mut self.sides) {
            self.switch.halt(around.now.as_nanos(), id);
            side.down(around, why);
        }
        for wish in std::mem::take(&mut self.pending_circuits) {
            let call = Some(wish.call);
            let why = why.to_owned();
            around.link_events.push(super::LinkEvent::Down {
                call,
                partners: Vec::new(),
                why,
            });
        }
    }

    pub fn leads_to(&self, partner: &LuName, may_use: &dyn Fn(LinkId) -> bool) -> bool {
        let mut sides = self.sides.values();
        sides.any(|side| side.leads_to(partner, may_use))
    }

    pub fn describe(&self, out: &mut Vec<LinkStatus>) {
        for side in self.sides.values() {
            out.push(LinkStatus {
                kind: match self.pipes.count() {
                    2 => "dlsw, 2 TCP".into(),
                    _ => "dlsw".into(),
                },
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

/// The failure of a connection that the system reports.
fn broke(error: &io::Error) -> TransportFailure {
    TransportFailure::ended(format!("the connection broke: {error}"))
}

/// Reads once into the spare room of `buffer`.
fn read_into(stream: &TcpStream, buffer: &mut BytesMut) -> io::Result<usize> {
    let spare = buffer.spare_capacity_mut();
    // SAFETY: the pointer and length describe memory that `buffer` owns and no
    // other code refers to; the kernel writes at most `spare.len()` bytes.
    let read = unsafe { libc::read(stream.as_raw_fd(), spare.as_mut_ptr().cast(), spare.len()) };
    let Ok(read) = usize::try_from(read) else {
        return Err(io::Error::last_os_error());
    };
    // SAFETY: the kernel has written `read` bytes after the present length.
    unsafe { buffer.set_len(buffer.len() + read) };
    Ok(read)
}
