//! One DLSw circuit: a data link between two stations, each seen through the
//! switch next to it. Here station and switch are one, so the link itself is
//! only these messages.
//!
//! ```text
//! origin                                     target
//!   CANUREACH (explorer) ─────────────────▶           looks for the station
//!   ◀───────────────── ICANREACH (explorer)
//!   CANUREACH (circuit) ──────────────────▶           Starting
//!   ◀─────────────────── ICANREACH (circuit)          Pending
//!   REACH_ACK ────────────────────────────▶           Established: XIDs
//!   XIDFRAME ◀────────────────────────────▶
//!   CONTACT ──────────────────────────────▶           Contacting
//!   ◀───────────────────────────── CONTACTED          Connected: INFOFRAMEs
//!   HALT_DL ──────────────────────────────▶           Halting
//!   ◀───────────────────────────── DL_HALTED          Closed
//! ```
//!
//! Either side may send CONTACT: the one whose station became primary.
//!
//! Reference: RFC 1795, sections 5 (circuit states) and 8 (flow control).
//! Invariant: an INFOFRAME leaves only within the window the peer granted.

use super::flow::{FlowError, ReceiveWindow, SendWindow, ride};
use super::ssp::{CircuitEnd, ControlPart, Kind, SspMessage, StationPair};
use std::collections::VecDeque;
use thiserror::Error;

/// The state of a circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitState {
    /// The explorer is out.
    Exploring,
    /// CANUREACH is out.
    Starting,
    /// ICANREACH is out.
    Pending,
    /// XIDs may flow.
    Established,
    /// CONTACT is out.
    Contacting,
    /// CONTACT was received; the owner decides on CONTACTED.
    Contacted,
    /// Data may flow.
    Connected,
    /// HALT_DL is out.
    Halting,
    /// Closed.
    Closed,
}

/// The meaning of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitEvent<'a> {
    /// No event for the owner.
    None,
    /// XIDs may be sent.
    Established,
    /// The partner's XID.
    Xid(&'a [u8]),
    /// The partner's station connects: answer with [`Circuit::contacted`].
    Contact,
    /// Data may flow.
    Connected,
    /// A PIU.
    Info(&'a [u8]),
    /// The link began again: XIDs again.
    Restarted,
    /// The circuit is closed; by the partner if `by_peer`.
    Closed {
        /// Whether the partner ended it.
        by_peer: bool,
    },
}

/// The partner's violation of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CircuitError {
    /// A message that the state does not allow.
    #[error("{kind:?} is not allowed while the circuit is {state:?}")]
    OutOfState {
        /// The message.
        kind: Kind,
        /// The state.
        state: CircuitState,
    },
    /// Flow control was broken.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// A circuit's windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CircuitWindows {
    /// From this side's capabilities.
    pub receive: u16,
    /// The maximum of its growth.
    pub widest: u16,
    /// From the partner's capabilities.
    pub send: u16,
}

/// One circuit.
#[derive(Debug)]
pub struct Circuit {
    state: CircuitState,
    origin: bool,
    stations: StationPair,
    largest_frame: u8,
    local: CircuitEnd,
    remote: CircuitEnd,
    sender: SendWindow,
    receiver: ReceiveWindow,
    peer_busy: bool,
    queue: VecDeque<(Kind, bool, Vec<u8>)>,
}

impl Circuit {
    /// A circuit to look for and set up. `correlator` is this side's number.
    pub fn originate(
        stations: StationPair,
        largest_frame: u8,
        correlator: u32,
        windows: CircuitWindows,
    ) -> Circuit {
        let mut circuit = Circuit::new(true, stations, largest_frame, correlator, windows);
        circuit.state = CircuitState::Exploring;
        circuit.push(Kind::CanYouReach, true);
        circuit
    }

    /// A circuit that a partner asked for with the CANUREACH `asked`. The
    /// smaller of the two largest frames holds.
    pub fn answer(
        asked: &ControlPart,
        largest_frame: u8,
        correlator: u32,
        windows: CircuitWindows,
    ) -> Circuit {
        let largest_frame = asked.largest_frame.min(largest_frame);
        let mut circuit = Circuit::new(false, asked.stations, largest_frame, correlator, windows);
        circuit.remote = asked.origin;
        circuit.state = CircuitState::Pending;
        circuit.push(Kind::ICanReach, false);
        circuit
    }

    fn new(
        origin: bool,
        stations: StationPair,
        lf: u8,
        correlator: u32,
        windows: CircuitWindows,
    ) -> Circuit {
        Circuit {
            state: CircuitState::Closed,
            origin,
            stations,
            largest_frame: lf,
            local: CircuitEnd {
                correlator,
                ..CircuitEnd::default()
            },
            remote: CircuitEnd::default(),
            sender: SendWindow::new(windows.send),
            receiver: ReceiveWindow::new(windows.receive, windows.widest),
            peer_busy: false,
            queue: VecDeque::new(),
        }
    }

    /// Its state.
    pub fn state(&self) -> CircuitState {
        self.state
    }

    /// The stations it joins.
    pub fn stations(&self) -> &StationPair {
        &self.stations
    }

    /// Whether this side set it up.
    pub fn is_origin(&self) -> bool {
        self.origin
    }

    /// The LF code both sides can take.
    pub fn largest_frame(&self) -> u8 {
        self.largest_frame
    }

    /// INFOFRAMEs that may leave now.
    pub fn room(&self) -> u32 {
        if self.state == CircuitState::Connected && !self.peer_busy {
            self.sender.granted()
        } else {
            0
        }
    }

    /// The header of an INFOFRAME with `bytes` of data, counted as sent. Returns
    /// `None` if there is no room.
    pub fn info_header(&mut self, bytes: u16) -> Option<[u8; 16]> {
        if self.room() == 0 || !self.sender.take() {
            return None;
        }
        let mut header = Vec::with_capacity(16);
        let message = SspMessage {
            flow: ride(&mut self.sender, &mut self.receiver),
            correlator: self.remote.correlator,
            port: self.remote.port,
            ..SspMessage::new(Kind::InfoFrame)
        };
        message.emit(&mut header);
        let mut header: [u8; 16] = header.try_into().ok()?;
        header[2..4].copy_from_slice(&bytes.to_be_bytes());
        Some(header)
    }

    /// Sends an XID.
    pub fn send_xid(&mut self, xid: Vec<u8>) {
        if matches!(
            self.state,
            CircuitState::Established | CircuitState::Contacting
        ) {
            self.queue.push_back((Kind::XidFrame, false, xid));
        }
    }

    /// Connects: this side's station is primary.
    pub fn contact(&mut self) {
        if self.state == CircuitState::Established {
            self.state = CircuitState::Contacting;
            self.push(Kind::Contact, false);
        }
    }

    /// Answers the partner's CONTACT: data may flow.
    pub fn contacted(&mut self) {
        if self.state == CircuitState::Contacted {
            self.state = CircuitState::Connected;
            self.push(Kind::Contacted, false);
        }
    }

    /// Ends the circuit.
    pub fn halt(&mut self) {
        match self.state {
            CircuitState::Closed | CircuitState::Halting => {}
            CircuitState::Exploring | CircuitState::Starting => self.state = CircuitState::Closed,
            _ => {
                self.state = CircuitState::Halting;
                self.push(Kind::HaltDl, false);
            }
        }
    }

    /// Treats the circuit as closed: the partner does not answer.
    pub fn abandon(&mut self) {
        self.state = CircuitState::Closed;
    }

    /// Grants the partner nothing more while `held`.
    pub fn hold(&mut self, held: bool) {
        self.receiver.hold(held);
    }

    /// Appends the next message other than an INFOFRAME. Returns `false` if
    /// there is no message.
    pub fn poll_transmit(&mut self, out: &mut Vec<u8>) -> bool {
        let granting = matches!(
            self.state,
            CircuitState::Established | CircuitState::Connected
        );
        let (kind, explorer, data) = match self.queue.pop_front() {
            Some(queued) => queued,
            None if granting && (self.receiver.due() || self.sender.answer_due()) => {
                (Kind::FlowControl, false, Vec::new())
            }
            None => return false,
        };
        let mut message = SspMessage::new(kind);
        (message.correlator, message.port) = (self.remote.correlator, self.remote.port);
        message.data = &data;
        if granting && !matches!(kind, Kind::HaltDl | Kind::DlHalted) {
            message.flow = ride(&mut self.sender, &mut self.receiver);
        }
        let (origin, target) = if self.origin {
            (self.local, self.remote)
        } else {
            (self.remote, self.local)
        };
        message.control = message.control.map(|_| ControlPart {
            largest_frame: self.largest_frame,
            explorer,
            priority: 2,
            stations: self.stations,
            from_origin: self.origin,
            dlc_header_bytes: 0,
            origin,
            target,
        });
        message.emit(out);
        true
    }

    /// Takes a message that carries this side's correlator.
    pub fn handle<'a>(
        &mut self,
        message: &SspMessage<'a>,
    ) -> Result<CircuitEvent<'a>, CircuitError> {
        self.handle_flow(message)?;
        let (state, kind) = (self.state, message.kind);
        match (state, kind) {
            (CircuitState::Connected, Kind::InfoFrame) => {
                self.receiver.handle_unit()?;
                Ok(CircuitEvent::Info(message.data))
            }
            (CircuitState::Connected, Kind::DatagramFrame) => {
                self.receiver.handle_unit()?;
                Ok(CircuitEvent::None)
            }
            (CircuitState::Halting, Kind::DlHalted | Kind::HaltDl | Kind::HaltDlNoAck) => {
                if kind == Kind::HaltDl {
                    self.push(Kind::DlHalted, false);
                }
                Ok(self.close(false))
            }
            // Messages that were under way when this side halted.
            (CircuitState::Halting | CircuitState::Closed, _) => Ok(CircuitEvent::None),
            (_, Kind::HaltDl) => {
                self.push(Kind::DlHalted, false);
                Ok(self.close(true))
            }
            (_, Kind::HaltDlNoAck) => Ok(self.close(true)),
            _ => self.handle_setup(message),
        }
    }

    fn handle_setup<'a>(
        &mut self,
        message: &SspMessage<'a>,
    ) -> Result<CircuitEvent<'a>, CircuitError> {
        let (state, kind) = (self.state, message.kind);
        let control = message.control.unwrap_or_default();
        match (state, kind) {
            (CircuitState::Exploring, Kind::ICanReach) if control.explorer => {
                self.state = CircuitState::Starting;
                self.push(Kind::CanYouReach, false);
                Ok(CircuitEvent::None)
            }
            (CircuitState::Starting, Kind::ICanReach) if !control.explorer => {
                self.remote = control.target;
                self.largest_frame = self.largest_frame.min(control.largest_frame);
                self.state = CircuitState::Established;
                self.push(Kind::ReachAck, false);
                Ok(CircuitEvent::Established)
            }
            // A second answer to the explorer, by another path.
            (_, Kind::ICanReach) if control.explorer => Ok(CircuitEvent::None),
            (CircuitState::Pending, Kind::ReachAck) => {
                self.state = CircuitState::Established;
                Ok(CircuitEvent::Established)
            }
            (
                CircuitState::Established | CircuitState::Contacting | CircuitState::Contacted,
                Kind::XidFrame,
            ) => Ok(CircuitEvent::Xid(message.data)),
            // Both contact at once: each takes the other's for its answer.
            (CircuitState::Established, Kind::Contact) => {
                self.state = CircuitState::Contacted;
                Ok(CircuitEvent::Contact)
            }
            (CircuitState::Contacting, Kind::Contact | Kind::Contacted) => {
                if kind == Kind::Contact {
                    self.push(Kind::Contacted, false);
                }
                self.state = CircuitState::Connected;
                Ok(CircuitEvent::Connected)
            }
            (CircuitState::Connected, Kind::Contacted) => Ok(CircuitEvent::None),
            (CircuitState::Connected | CircuitState::Established, Kind::RestartDl) => {
                self.state = CircuitState::Established;
                self.push(Kind::DlRestarted, false);
                Ok(CircuitEvent::Restarted)
            }
            (_, Kind::TestCircuitRequest) => {
                self.push(Kind::TestCircuitResponse, false);
                Ok(CircuitEvent::None)
            }
            (_, Kind::EnterBusy | Kind::ExitBusy) => {
                self.peer_busy = kind == Kind::EnterBusy;
                Ok(CircuitEvent::None)
            }
            (_, Kind::FlowControl | Kind::TestCircuitResponse) => Ok(CircuitEvent::None),
            _ => Err(CircuitError::OutOfState { kind, state }),
        }
    }

    fn handle_flow(&mut self, message: &SspMessage<'_>) -> Result<(), FlowError> {
        // Before the circuit is there, the byte says nothing.
        if matches!(message.kind, Kind::CanYouReach | Kind::ICanReach) {
            return Ok(());
        }
        if message.flow.acknowledgement {
            self.receiver.handle_answer()?;
        }
        if let Some(operator) = message.flow.indication {
            self.sender.handle_indication(operator);
        }
        Ok(())
    }

    fn close(&mut self, by_peer: bool) -> CircuitEvent<'static> {
        self.state = CircuitState::Closed;
        CircuitEvent::Closed { by_peer }
    }

    fn push(&mut self, kind: Kind, explorer: bool) {
        self.queue.push_back((kind, explorer, Vec::new()));
    }
}
