//! One DLSw transport: the capabilities exchange on a fresh TCP connection, and
//! then the circuits that share it.
//!
//! The owner parses messages from the stream with [`SspMessage::parse`] and passes
//! them to [`DlswSwitch::handle`]. An INFOFRAME's data stays in the owner's buffer.
//! All other events are returned by [`DlswSwitch::poll_event`].
//!
//! A fault on one circuit ends that circuit. Only bytes that are not messages, and
//! capabilities that are refused, end the transport.
//!
//! Reference: RFC 1795, sections 5 and 7.

use super::caps::{self, Exchange, SwitchCapabilities};
use super::circuit::{self, Circuit, CircuitError, CircuitWindows};
use super::ssp::{ControlPart, Kind, SspMessage, StationPair};
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// A circuit's number on its transport: this side's correlator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CircuitId(pub u32);

/// The configuration of a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchConfig {
    /// Its own capabilities.
    pub capabilities: SwitchCapabilities,
    /// Addresses of its station; circuits to others are not answered.
    pub mac: [u8; 6],
    /// SAPs of the station.
    pub saps: Vec<u8>,
    /// The LF code of the largest frame the station takes.
    pub largest_frame: u8,
    /// Maximum size of a circuit's receive window, in messages.
    pub widest_window: u16,
    /// Circuits on this transport at most.
    pub max_circuits: usize,
    /// Timeout of a circuit's activation.
    pub setup_ns: u64,
}

/// An event of a transport.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwitchEvent {
    /// Capabilities are exchanged: circuits may be set up.
    Ready(SwitchCapabilities),
    /// A circuit takes XIDs.
    Established(CircuitId),
    /// An XID of the station at the other end.
    Xid(CircuitId, Vec<u8>),
    /// The station at the other end connects.
    Contact(CircuitId),
    /// Data may flow.
    Connected(CircuitId),
    /// The link of a circuit began again.
    Restarted(CircuitId),
    /// A circuit is closed.
    Closed(CircuitId, CircuitFailure),
}

/// Why a circuit is closed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CircuitFailure {
    /// This side ended it.
    #[error("this side ended the circuit")]
    Local,
    /// The partner ended it.
    #[error("the partner ended the circuit")]
    Peer,
    /// No answer arrived in time.
    #[error("the station did not answer in time")]
    Timeout,
    /// The partner broke the rules.
    #[error("the partner violated the protocol: {0}")]
    Fault(#[from] CircuitError),
}

/// Why a transport is closed: an error of the peer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SwitchError {
    /// It refused this side's capabilities.
    #[error("the partner rejected the capabilities at offset {0}, reason {1}")]
    Refused(u16, u16),
    /// Its capabilities are wrong.
    #[error(transparent)]
    Capabilities(#[from] caps::CapsError),
    /// A circuit message before the capabilities.
    #[error("{0:?} before the capabilities exchange")]
    TooEarly(Kind),
}

/// One transport.
#[derive(Debug)]
pub struct DlswSwitch {
    config: SwitchConfig,
    peer: Option<SwitchCapabilities>,
    accepted: bool,
    next: u32,
    circuits: BTreeMap<u32, Slot>,
    out: Vec<u8>,
    events: VecDeque<SwitchEvent>,
}

#[derive(Debug)]
struct Slot {
    circuit: Circuit,
    /// When a circuit that is not connected is given up.
    deadline: Option<u64>,
    /// Whether its end was reported.
    end_reported: bool,
}

impl Slot {
    /// Reports the circuit's end, once.
    fn end(&mut self, id: u32, why: CircuitFailure, events: &mut VecDeque<SwitchEvent>) {
        if !std::mem::replace(&mut self.end_reported, true) {
            events.push_back(SwitchEvent::Closed(CircuitId(id), why));
        }
    }
}

impl DlswSwitch {
    /// A transport whose TCP connection is just there.
    pub fn new(config: SwitchConfig) -> DlswSwitch {
        let mut out = Vec::new();
        caps::message(&Exchange::Request(config.capabilities.clone()), &mut out);
        DlswSwitch {
            config,
            peer: None,
            accepted: false,
            next: 1,
            circuits: BTreeMap::new(),
            out,
            events: VecDeque::new(),
        }
    }

    /// Whether circuits may be set up.
    pub fn ready(&self) -> bool {
        self.accepted && self.peer.is_some()
    }

    /// The partner's capabilities.
    pub fn peer(&self) -> Option<&SwitchCapabilities> {
        self.peer.as_ref()
    }

    /// The circuit with this number.
    pub fn circuit(&mut self, id: CircuitId) -> Option<&mut Circuit> {
        self.circuits.get_mut(&id.0).map(|slot| &mut slot.circuit)
    }

    /// The number of circuits.
    pub fn circuits(&self) -> usize {
        self.circuits.len()
    }

    /// Looks for a station and sets a circuit up to it.
    pub fn originate(&mut self, now: u64, stations: StationPair) -> CircuitId {
        let windows = self.windows();
        let (id, lf) = (self.fresh(), self.config.largest_frame);
        let circuit = Circuit::originate(stations, lf, id.0, windows);
        self.insert(now, id, circuit);
        id
    }

    /// Returns the next event, oldest first.
    pub fn poll_event(&mut self) -> Option<SwitchEvent> {
        self.events.pop_front()
    }

    /// Appends everything other than INFOFRAMEs that is to be sent. Returns `true`
    /// if there was something.
    pub fn poll_transmit(&mut self, out: &mut Vec<u8>) -> bool {
        let before = out.len();
        out.append(&mut self.out);
        let ready = self.ready();
        self.circuits.retain(|_, slot| {
            while ready && slot.circuit.poll_transmit(out) {}
            slot.circuit.state() != circuit::CircuitState::Closed
        });
        out.len() > before
    }

    /// When to call [`DlswSwitch::handle_timeout`] at the latest.
    pub fn next_timeout(&self) -> Option<u64> {
        self.circuits
            .values()
            .filter_map(|slot| slot.deadline)
            .min()
    }

    /// Gives up circuits that were not activated in time.
    pub fn handle_timeout(&mut self, now: u64) {
        for (&id, slot) in &mut self.circuits {
            if slot.deadline.is_some_and(|at| at <= now) {
                slot.deadline = None;
                if slot.circuit.state() == circuit::CircuitState::Halting {
                    slot.circuit.abandon();
                } else {
                    slot.circuit.halt();
                    slot.deadline = Some(now + self.config.setup_ns);
                }
                slot.end(id, CircuitFailure::Timeout, &mut self.events);
            }
        }
    }

    /// Ends a circuit.
    pub fn halt(&mut self, now: u64, id: CircuitId) {
        if let Some(slot) = self.circuits.get_mut(&id.0) {
            slot.circuit.halt();
            slot.deadline = Some(now + self.config.setup_ns);
        }
    }

    /// Takes a message; for an INFOFRAME, the circuit its data belongs to.
    pub fn handle(
        &mut self,
        now: u64,
        message: &SspMessage<'_>,
    ) -> Result<Option<CircuitId>, SwitchError> {
        let control = message.control.unwrap_or_default();
        match message.kind {
            Kind::CapExchange => self.handle_capabilities(message.data).map(|()| None),
            Kind::KeepAlive | Kind::DataFrame => Ok(None),
            kind if self.peer.is_none() => Err(SwitchError::TooEarly(kind)),
            Kind::CanYouReach => {
                self.handle_can_you_reach(now, &control);
                Ok(None)
            }
            // Until the circuit is there, only the stations name it.
            Kind::ICanReach if control.explorer => {
                let slot = self.circuits.values_mut().find(|slot| {
                    slot.circuit.is_origin()
                        && slot.circuit.state() == circuit::CircuitState::Exploring
                        && slot.circuit.stations() == &control.stations
                });
                if let Some(slot) = slot {
                    let _ = slot.circuit.handle(message);
                }
                Ok(None)
            }
            Kind::ICanReach => Ok(self.handle_circuit(now, control.origin.correlator, message)),
            _ => Ok(self.handle_circuit(now, message.correlator, message)),
        }
    }

    fn handle_circuit(
        &mut self,
        now: u64,
        correlator: u32,
        message: &SspMessage<'_>,
    ) -> Option<CircuitId> {
        let slot = self.circuits.get_mut(&correlator)?;
        let id = CircuitId(correlator);
        let event = match slot.circuit.handle(message) {
            Ok(circuit::CircuitEvent::Info(_)) => return Some(id),
            Ok(circuit::CircuitEvent::None) => return None,
            Ok(circuit::CircuitEvent::Established) => SwitchEvent::Established(id),
            Ok(circuit::CircuitEvent::Xid(xid)) => SwitchEvent::Xid(id, xid.to_vec()),
            Ok(circuit::CircuitEvent::Contact) => {
                slot.deadline = None;
                SwitchEvent::Contact(id)
            }
            Ok(circuit::CircuitEvent::Connected) => {
                slot.deadline = None;
                SwitchEvent::Connected(id)
            }
            Ok(circuit::CircuitEvent::Restarted) => SwitchEvent::Restarted(id),
            Ok(circuit::CircuitEvent::Closed { by_peer }) => {
                let why = if by_peer {
                    CircuitFailure::Peer
                } else {
                    CircuitFailure::Local
                };
                slot.end(correlator, why, &mut self.events);
                return None;
            }
            Err(fault) => {
                slot.circuit.halt();
                slot.deadline = Some(now + self.config.setup_ns);
                slot.end(correlator, CircuitFailure::Fault(fault), &mut self.events);
                return None;
            }
        };
        self.events.push_back(event);
        None
    }

    fn handle_capabilities(&mut self, data: &[u8]) -> Result<(), SwitchError> {
        let was_ready = self.ready();
        match Exchange::parse(data) {
            Ok(Exchange::Request(peer)) => {
                caps::message(&Exchange::Accepted, &mut self.out);
                self.peer = Some(peer);
            }
            Ok(Exchange::Accepted) => self.accepted = true,
            Ok(Exchange::Refused(offset, reason)) => {
                return Err(SwitchError::Refused(offset, reason));
            }
            Err(wrong) => {
                caps::message(&wrong.answer(), &mut self.out);
                return Err(wrong.into());
            }
        }
        if let (false, true, Some(peer)) = (was_ready, self.ready(), &self.peer) {
            self.events.push_back(SwitchEvent::Ready(peer.clone()));
        }
        Ok(())
    }

    /// Answers for this switch's station; requests for any other are ignored.
    fn handle_can_you_reach(&mut self, now: u64, asked: &ControlPart) {
        let ours = asked.stations.target_mac == self.config.mac
            && (asked.stations.target_sap == 0
                || self.config.saps.contains(&asked.stations.target_sap));
        if !ours || self.circuits.len() >= self.config.max_circuits {
            return;
        }
        if asked.explorer {
            let mut answer = SspMessage::new(Kind::ICanReach);
            answer.correlator = asked.origin.correlator;
            answer.control = Some(ControlPart {
                from_origin: false,
                largest_frame: asked.largest_frame.min(self.config.largest_frame),
                ..*asked
            });
            answer.emit(&mut self.out);
            return;
        }
        let windows = self.windows();
        let (id, lf) = (self.fresh(), self.config.largest_frame);
        let circuit = Circuit::answer(asked, lf, id.0, windows);
        self.insert(now, id, circuit);
    }

    fn windows(&self) -> CircuitWindows {
        CircuitWindows {
            receive: self.config.capabilities.initial_window,
            widest: self.config.widest_window,
            send: self.peer.as_ref().map_or(1, |peer| peer.initial_window),
        }
    }

    fn insert(&mut self, now: u64, id: CircuitId, circuit: Circuit) {
        let deadline = Some(now + self.config.setup_ns);
        let slot = Slot {
            circuit,
            deadline,
            end_reported: false,
        };
        self.circuits.insert(id.0, slot);
    }

    fn fresh(&mut self) -> CircuitId {
        while self.next == 0 || self.circuits.contains_key(&self.next) {
            self.next = self.next.wrapping_add(1);
        }
        let id = CircuitId(self.next);
        self.next = self.next.wrapping_add(1);
        id
    }
}

#[cfg(test)]
mod tests;
