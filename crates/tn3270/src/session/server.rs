//! The host's end of a connection.
//!
//! ```text
//! StartTls ─▶ Offer ─▶ DeviceType ⇄ Assigning ─▶ Functions ─┐
//!    │          └─▶ TerminalType ─▶ Assigning ─▶ Options ───┼─▶ Query ─▶ Connected
//!    └─ handshake, then from the start                      └──────────▶
//! ```
//! `negotiate` has the steps up to the connected terminal, `records` what is sent
//! and received then; this file has the session and its clockwork.
//! Reference: RFC 1576, 1646, 2355.

mod negotiate;
mod records;

use std::collections::VecDeque;
use std::time::Duration;

use super::config::{KeepAlive, ServerConfig, StartTls};
use super::error::{EndReason, SendError, SessionError};
use super::terminal::TerminalInfo;
use crate::screen::ScreenSize;
use crate::telnet::code::{
    AO, BINARY, BREAK, DO, END_OF_RECORD, IAC, IP, NOP, START_TLS, TERMINAL_TYPE, TIMING_MARK,
    TN3270E, WILL,
};
use crate::telnet::{
    DeviceType, LuName, NegativeReason, OptionSide, SessionFunctions, TelnetDecoder, TelnetEvent,
    TelnetOptions, UnbindReason,
};

/// What a session reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEvent {
    /// The TLS handshake begins with the next byte in either direction; the
    /// caller does it and calls [`ServerSession::handle_tls`].
    StartTls,
    /// A terminal asks for an LU. The caller answers with
    /// [`ServerSession::assign_lu`] or [`ServerSession::reject_lu`].
    LuRequested {
        /// The type of the terminal.
        device: DeviceType,
        /// The name that it asks for; `None` for any.
        name: Option<LuName>,
    },
    /// The terminal is connected; see [`ServerSession::terminal`].
    Connected,
    /// A checked record of the terminal, for
    /// [`InboundRecord::parse`](crate::InboundRecord::parse).
    Input(Vec<u8>),
    /// The answer to a record that was sent with a response flag.
    Response {
        /// The number of the record.
        sequence: u16,
        /// Whether the terminal could process it.
        outcome: Result<(), NegativeReason>,
    },
    /// ATTN.
    Attention,
    /// SYSREQ.
    SystemRequest,
    /// Characters that a person typed on the SSCP-LU screen.
    SscpLuData(Vec<u8>),
    /// The session has ended. Nothing follows.
    Ended(EndReason),
}

/// Where a session is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SessionPhase {
    /// DO START_TLS was sent, or the sub-negotiation after it.
    StartTls,
    /// The caller does the handshake.
    Handshake,
    /// DO TN3270E was sent.
    Offer,
    /// SEND DEVICE-TYPE was sent.
    DeviceType,
    /// The caller chooses the LU.
    Assigning { device: DeviceType, extended: bool },
    /// The device type is agreed, the functions are not.
    Functions { device: DeviceType, lu: LuName },
    /// DO TERMINAL-TYPE was sent, or the sub-negotiation after it.
    TerminalType,
    /// End of record and binary are being switched on.
    Options { device: DeviceType, lu: LuName },
    /// The query was sent.
    Query,
    /// Records go both ways.
    Connected,
    /// Nothing goes any more.
    Ended(EndReason),
}

/// The host's end of a TN3270 or TN3270E connection.
#[derive(Debug)]
pub struct ServerSession {
    config: ServerConfig,
    phase: SessionPhase,
    decoder: TelnetDecoder,
    options: TelnetOptions,
    out: Vec<u8>,
    events: VecDeque<SessionEvent>,
    /// Whether TN3270E headers are in use.
    extended: bool,
    terminal: Option<Box<TerminalInfo>>,
    size: ScreenSize,
    functions_requested: Option<SessionFunctions>,
    /// Terminal types that were no 3270, for the end of a list.
    last_type: Vec<u8>,
    sequence: u16,
    /// Numbers of records whose response may come.
    outstanding: VecDeque<u16>,
    negotiation_bytes: usize,
    steps: u32,
    unanswered: u32,
    deadline: Option<Duration>,
    last_input: Duration,
    last_byte: Duration,
    next_keep_alive: Option<Duration>,
}

impl ServerSession {
    /// A session of a connection that was accepted at `now`. It has output at
    /// once.
    pub fn new(config: ServerConfig, now: Duration) -> ServerSession {
        let mut session = ServerSession {
            phase: SessionPhase::StartTls,
            decoder: TelnetDecoder::new(config.limits.decoder),
            options: options(&config, config.start_tls),
            out: Vec::new(),
            events: VecDeque::new(),
            extended: false,
            terminal: None,
            size: ScreenSize::MODEL_2,
            functions_requested: None,
            last_type: Vec::new(),
            sequence: 0,
            outstanding: VecDeque::new(),
            negotiation_bytes: 0,
            steps: 0,
            unanswered: 0,
            deadline: Some(now + config.limits.negotiation),
            last_input: now,
            last_byte: now,
            next_keep_alive: config.keep_alive.map(|(_, every)| now + every),
            config,
        };
        if session.config.start_tls == StartTls::Off {
            session.offer();
        } else {
            let out = &mut session.out;
            session.options.request(OptionSide::Remote, START_TLS, out);
        }
        session
    }

    /// The connected terminal. Returns `None` before the negotiation is
    /// complete.
    pub fn terminal(&self) -> Option<&TerminalInfo> {
        self.terminal.as_deref()
    }

    /// Whether records can be sent.
    pub fn is_connected(&self) -> bool {
        self.phase == SessionPhase::Connected
    }

    /// Why the session has ended. Returns `None` while it continues.
    pub const fn end_reason(&self) -> Option<EndReason> {
        match self.phase {
            SessionPhase::Ended(reason) => Some(reason),
            _ => None,
        }
    }

    /// The size that the last output chose.
    pub const fn screen_size(&self) -> ScreenSize {
        self.size
    }

    /// Bytes of memory that the session holds, apart from itself.
    pub fn held_bytes(&self) -> usize {
        let events = self.events.capacity() * size_of::<SessionEvent>();
        self.decoder.held_bytes() + self.out.capacity() + events
    }

    /// Handles bytes of the client. Returns how many were taken: all of them,
    /// unless TLS begins; the rest then belongs to the handshake.
    ///
    /// # Errors
    /// The client misbehaved. The session has ended; output that still waits
    /// may be sent before the connection is closed.
    pub fn handle_bytes(&mut self, bytes: &[u8], now: Duration) -> Result<usize, SessionError> {
        let mut input = bytes;
        self.last_byte = now;
        let handled = self.handle_input(&mut input, now);
        if let Err(error) = handled {
            self.end(EndReason::Misbehaved(error));
        }
        handled.map(|()| bytes.len() - input.len())
    }

    fn handle_input(&mut self, input: &mut &[u8], now: Duration) -> Result<(), SessionError> {
        if matches!(self.phase, SessionPhase::Ended(_)) {
            *input = &[];
            return Ok(());
        }
        if !matches!(self.phase, SessionPhase::Connected | SessionPhase::Query) {
            self.negotiation_bytes += input.len();
            let most = self.config.limits.negotiation_bytes;
            if self.negotiation_bytes > most {
                return Err(SessionError::NegotiationBytes(most));
            }
        }
        while !matches!(self.phase, SessionPhase::Handshake | SessionPhase::Ended(_)) {
            let Some(event) = self.decoder.next(input)? else {
                return Ok(());
            };
            self.handle_event(event, now)?;
            if self.events.len() > self.config.limits.events {
                return Err(SessionError::Events(self.config.limits.events));
            }
        }
        if matches!(self.phase, SessionPhase::Ended(_)) {
            *input = &[];
        }
        Ok(())
    }

    fn handle_event(&mut self, event: TelnetEvent, now: Duration) -> Result<(), SessionError> {
        match event {
            TelnetEvent::Negotiation { verb, option } if option == TIMING_MARK => {
                // The client asks whether all is processed: it is.
                if verb == DO {
                    self.out.extend([IAC, WILL, TIMING_MARK]);
                }
                Ok(())
            }
            TelnetEvent::Negotiation { verb, option } => {
                self.step()?;
                let change = self.options.handle(verb, option, &mut self.out);
                if let Some(change) = change {
                    self.handle_change(change, now);
                }
                Ok(())
            }
            TelnetEvent::Subnegotiation { option, body } => {
                self.step()?;
                self.handle_subnegotiation(option, &body, now);
                Ok(())
            }
            TelnetEvent::Command(IP | BREAK) => {
                self.report_key(SessionEvent::Attention, now);
                Ok(())
            }
            TelnetEvent::Command(AO) => {
                self.report_key(SessionEvent::SystemRequest, now);
                Ok(())
            }
            TelnetEvent::Command(_) | TelnetEvent::Text(_) => Ok(()),
            TelnetEvent::Record(record) => self.handle_record(&record, now),
        }
    }

    fn report_key(&mut self, event: SessionEvent, now: Duration) {
        if self.is_connected() {
            self.last_input = now;
            self.events.push_back(event);
        }
    }

    /// Counts a step that brings no input.
    fn step(&mut self) -> Result<(), SessionError> {
        self.steps += 1;
        if self.steps > self.config.limits.steps {
            return Err(SessionError::Steps(self.config.limits.steps));
        }
        Ok(())
    }

    /// Handles the end of the connection, at any step.
    pub fn handle_closed(&mut self) {
        self.end(EndReason::PeerClosed);
    }

    /// Handles the complete TLS handshake after [`SessionEvent::StartTls`]: the
    /// negotiation begins afresh.
    pub fn handle_tls(&mut self, now: Duration) {
        if self.phase != SessionPhase::Handshake {
            return;
        }
        self.decoder = TelnetDecoder::new(self.config.limits.decoder);
        self.options = options(&self.config, StartTls::Off);
        self.out.clear();
        self.last_byte = now;
        self.offer();
    }

    /// Handles the time; see [`ServerSession::poll_deadline`].
    pub fn handle_timeout(&mut self, now: Duration) {
        if matches!(self.phase, SessionPhase::Ended(_)) {
            return;
        }
        let limits = self.config.limits;
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            if self.phase == SessionPhase::Query {
                self.connected(now);
            } else {
                self.end(EndReason::NegotiationTimeout);
                return;
            }
        }
        let overdue = |since: Duration, bound: Option<Duration>| {
            bound.is_some_and(|bound| now >= since + bound)
        };
        if overdue(self.last_byte, limits.silence) {
            self.end(EndReason::SilenceTimeout);
        } else if self.is_connected() && overdue(self.last_input, limits.idle) {
            self.finish(EndReason::IdleTimeout);
        } else if self.next_keep_alive.is_some_and(|at| now >= at) {
            self.keep_alive(now);
        }
    }

    fn keep_alive(&mut self, now: Duration) {
        let Some((kind, every)) = self.config.keep_alive else {
            return;
        };
        self.next_keep_alive = Some(now + every);
        if self.is_connected() && self.out.is_empty() {
            match kind {
                KeepAlive::Nop => self.out.extend([IAC, NOP]),
                KeepAlive::TimingMark => self.out.extend([IAC, DO, TIMING_MARK]),
            }
        }
    }

    /// When [`ServerSession::handle_timeout`] is due. Returns `None` if the
    /// session waits for the client or the caller only.
    pub fn poll_deadline(&self) -> Option<Duration> {
        if matches!(self.phase, SessionPhase::Ended(_)) {
            return None;
        }
        let limits = &self.config.limits;
        let silence = limits.silence.map(|bound| self.last_byte + bound);
        let idle = limits.idle.filter(|_| self.is_connected());
        let idle = idle.map(|bound| self.last_input + bound);
        let all = [self.deadline, silence, idle, self.next_keep_alive];
        all.into_iter().flatten().min()
    }

    /// Takes the bytes that go to the client. Returns `None` if there are none.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        if self.out.is_empty() {
            return None;
        }
        Some(std::mem::take(&mut self.out))
    }

    /// Takes the next event.
    pub fn poll_event(&mut self) -> Option<SessionEvent> {
        let event = self.events.pop_front();
        if self.events.is_empty() {
            // An idle terminal holds no memory for events.
            self.events = VecDeque::new();
        }
        event
    }

    /// Ends the session for the caller. What is still to be sent remains for
    /// [`ServerSession::poll_transmit`].
    pub fn close(&mut self) {
        self.finish(EndReason::Closed);
    }

    fn finish(&mut self, reason: EndReason) {
        if self.is_connected() {
            // A client that waits for an UNBIND gets one; others ignore it.
            let _ = self.send_unbind(UnbindReason::Normal);
        }
        self.end(reason);
    }

    fn end(&mut self, reason: EndReason) {
        if matches!(self.phase, SessionPhase::Ended(_)) {
            return;
        }
        self.phase = SessionPhase::Ended(reason);
        self.deadline = None;
        self.events.push_back(SessionEvent::Ended(reason));
    }

    fn check_room(&self) -> Result<(), SendError> {
        let queued = self.out.len();
        if queued > self.config.limits.output_bytes {
            return Err(SendError::OutputFull(queued));
        }
        Ok(())
    }
}

/// The options that a server agrees to. TLS is not asked for twice.
fn options(config: &ServerConfig, start_tls: StartTls) -> TelnetOptions {
    let mut remote = vec![BINARY, END_OF_RECORD, TERMINAL_TYPE];
    remote.extend(config.tn3270e.then_some(TN3270E));
    remote.extend((start_tls != StartTls::Off).then_some(START_TLS));
    TelnetOptions::new(&[BINARY, END_OF_RECORD], &remote)
}
