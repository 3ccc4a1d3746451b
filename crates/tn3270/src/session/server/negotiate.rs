//! The negotiation, step by step: TLS, TN3270E or terminal type, the LU, the
//! functions or options, the query.
//!
//! A sub-negotiation that belongs to another step is dropped; it has been
//! counted as a step.

use std::time::Duration;

use super::{EndReason, SendError, ServerSession, SessionEvent, SessionPhase};
use crate::screen::ScreenSize;
use crate::session::config::StartTls;
use crate::session::terminal::TerminalInfo;
use crate::stream::{Command, OutboundField, QueryRequest};
use crate::telnet::code::{
    BINARY, END_OF_RECORD, IAC, SB, SE, START_TLS, TERMINAL_TYPE, TLS_FOLLOWS, TN3270E, TYPE_IS,
    TYPE_SEND,
};
use crate::telnet::device::parse_terminal_type;
use crate::telnet::{
    DeviceType, ExtendedNegotiation, LuName, OptionChange, OptionSide, RejectReason, ResponseFlag,
    SessionFunctions, escape,
};

impl ServerSession {
    /// The first offer: TN3270E, or the terminal type where it is off.
    pub(super) fn offer(&mut self) {
        if self.config.tn3270e {
            self.phase = SessionPhase::Offer;
            self.options
                .request(OptionSide::Remote, TN3270E, &mut self.out);
        } else {
            self.plain();
        }
    }

    /// Plain TN3270 from here on.
    fn plain(&mut self) {
        self.extended = false;
        self.decoder.set_records(false);
        self.phase = SessionPhase::TerminalType;
        let asked_before = self.options.is_on(OptionSide::Remote, TERMINAL_TYPE);
        if asked_before {
            self.subnegotiate(TERMINAL_TYPE, &[TYPE_SEND]);
        } else {
            let out = &mut self.out;
            self.options.request(OptionSide::Remote, TERMINAL_TYPE, out);
        }
    }

    pub(super) fn handle_change(&mut self, change: OptionChange, now: Duration) {
        use OptionChange::{Off, On, Refused};
        match change {
            On(OptionSide::Remote, START_TLS) if self.phase == SessionPhase::StartTls => {
                self.subnegotiate(START_TLS, &[TLS_FOLLOWS]);
            }
            Refused(OptionSide::Remote, START_TLS) if self.phase == SessionPhase::StartTls => {
                if self.config.start_tls == StartTls::Required {
                    self.end(EndReason::TlsRefused);
                } else {
                    self.offer();
                }
            }
            On(OptionSide::Remote, TN3270E) if self.phase == SessionPhase::Offer => {
                self.extended = true;
                self.decoder.set_records(true);
                self.phase = SessionPhase::DeviceType;
                self.negotiate(&ExtendedNegotiation::SendDeviceType);
            }
            Refused(OptionSide::Remote, TN3270E) | Off(OptionSide::Remote, TN3270E) => {
                match self.phase {
                    SessionPhase::Offer | SessionPhase::DeviceType => self.plain(),
                    // An LU was asked for or given: the client starts again.
                    _ => self.end(EndReason::NotATerminal),
                }
            }
            On(OptionSide::Remote, TERMINAL_TYPE) if self.phase == SessionPhase::TerminalType => {
                self.subnegotiate(TERMINAL_TYPE, &[TYPE_SEND]);
            }
            Refused(OptionSide::Remote, TERMINAL_TYPE) => self.not_a_terminal(),
            On(_, BINARY | END_OF_RECORD) => self.options_complete(now),
            Refused(_, BINARY | END_OF_RECORD) | Off(_, BINARY | END_OF_RECORD)
                if !self.extended =>
            {
                self.end(EndReason::NotATerminal);
            }
            _ => {}
        }
    }

    pub(super) fn handle_subnegotiation(&mut self, option: u8, body: &[u8], now: Duration) {
        match (option, body) {
            (START_TLS, [TLS_FOLLOWS, ..])
                if self.phase == SessionPhase::StartTls
                    && self.options.is_on(OptionSide::Remote, START_TLS) =>
            {
                self.phase = SessionPhase::Handshake;
                self.events.push_back(SessionEvent::StartTls);
            }
            (TERMINAL_TYPE, [TYPE_IS, name @ ..]) if self.phase == SessionPhase::TerminalType => {
                self.terminal_type(name);
            }
            (TN3270E, body) if self.extended => {
                if let Some(negotiation) = ExtendedNegotiation::parse(body) {
                    self.handle_negotiation(&negotiation, now);
                }
            }
            _ => {}
        }
    }

    /// A terminal type of plain TN3270. One that is no 3270 is asked for the
    /// next; the same one twice is the end of the list.
    fn terminal_type(&mut self, name: &[u8]) {
        let (device, lu) = parse_terminal_type(name);
        match (device, lu) {
            (Some(device), Ok(lu)) if !device.is_printer() => {
                self.last_type = Vec::new();
                self.request_lu(device, lu, false);
            }
            (Some(_), Err(_)) => {
                self.write_text(BAD_LU);
                self.end(EndReason::LuRefused);
            }
            _ if self.last_type == name => self.not_a_terminal(),
            _ => {
                self.last_type = name.to_vec();
                self.subnegotiate(TERMINAL_TYPE, &[TYPE_SEND]);
            }
        }
    }

    fn handle_negotiation(&mut self, negotiation: &ExtendedNegotiation<'_>, now: Duration) {
        match (negotiation, &self.phase) {
            (
                ExtendedNegotiation::DeviceTypeRequest {
                    device,
                    connect,
                    associate,
                },
                SessionPhase::DeviceType,
            ) => self.device_type(device, *connect, associate.is_some()),
            (ExtendedNegotiation::FunctionsRequest(list), SessionPhase::Functions { .. }) => {
                self.functions(&SessionFunctions::parse(list), now);
            }
            (ExtendedNegotiation::FunctionsIs(list), SessionPhase::Functions { .. }) => {
                let agreed = SessionFunctions::parse(list);
                if self.functions_requested == Some(agreed) {
                    self.functions_complete(agreed, now);
                } else {
                    // Agreement to what was not asked for: ask for less.
                    self.ask_functions(&agreed);
                }
            }
            _ => {}
        }
    }

    fn device_type(&mut self, device: &[u8], name: Option<&[u8]>, associate: bool) {
        let lu = name.map(LuName::parse);
        match (DeviceType::parse(device), lu) {
            _ if associate => self.reject(RejectReason::UnsupportedReq),
            (None, _) => self.reject(RejectReason::InvDeviceType),
            (Some(device), _) if device.is_printer() => {
                self.reject(RejectReason::InvDeviceType);
            }
            (_, Some(None)) => self.reject(RejectReason::InvName),
            (Some(device), lu) => self.request_lu(device, lu.flatten(), true),
        }
    }

    fn request_lu(&mut self, device: DeviceType, name: Option<LuName>, extended: bool) {
        self.phase = SessionPhase::Assigning {
            device: device.clone(),
            extended,
        };
        let request = SessionEvent::LuRequested { device, name };
        self.events.push_back(request);
    }

    /// Gives the terminal its LU, after [`SessionEvent::LuRequested`].
    ///
    /// # Errors
    /// No LU is asked for.
    pub fn assign_lu(&mut self, lu: LuName) -> Result<(), SendError> {
        let SessionPhase::Assigning { device, extended } = &self.phase else {
            return Err(SendError::OtherStep);
        };
        let (device, extended) = (device.clone(), *extended);
        if extended {
            self.negotiate(&ExtendedNegotiation::DeviceTypeIs {
                device: device.name().as_bytes(),
                name: Some(lu.as_str().as_bytes()),
            });
            self.phase = SessionPhase::Functions { device, lu };
            return Ok(());
        }
        self.phase = SessionPhase::Options { device, lu };
        let Self { options, out, .. } = self;
        for option in [END_OF_RECORD, BINARY] {
            options.request(OptionSide::Remote, option, out);
            options.request(OptionSide::Local, option, out);
        }
        // A client can have switched them on already.
        self.options_complete(self.last_byte);
        Ok(())
    }

    /// Refuses the LU, after [`SessionEvent::LuRequested`]. A TN3270E client
    /// may ask for another; the session of a plain client ends.
    ///
    /// # Errors
    /// No LU is asked for.
    pub fn reject_lu(&mut self, reason: RejectReason) -> Result<(), SendError> {
        match self.phase {
            SessionPhase::Assigning { extended: true, .. } => {
                self.phase = SessionPhase::DeviceType;
                self.reject(reason);
                Ok(())
            }
            SessionPhase::Assigning { .. } => {
                self.write_text(BAD_LU);
                self.end(EndReason::LuRefused);
                Ok(())
            }
            _ => Err(SendError::OtherStep),
        }
    }

    fn reject(&mut self, reason: RejectReason) {
        self.negotiate(&ExtendedNegotiation::DeviceTypeReject(reason as u8));
    }

    fn functions(&mut self, asked: &SessionFunctions, now: Duration) {
        let agreed = self.config.functions.common(asked);
        if agreed == *asked {
            let mut list = Vec::new();
            agreed.emit(&mut list);
            self.negotiate(&ExtendedNegotiation::FunctionsIs(&list));
            self.functions_complete(agreed, now);
        } else {
            self.ask_functions(asked);
        }
    }

    fn ask_functions(&mut self, theirs: &SessionFunctions) {
        let agreed = self.config.functions.common(theirs);
        self.functions_requested = Some(agreed);
        let mut list = Vec::new();
        agreed.emit(&mut list);
        self.negotiate(&ExtendedNegotiation::FunctionsRequest(&list));
    }

    fn functions_complete(&mut self, functions: SessionFunctions, now: Duration) {
        let SessionPhase::Functions { device, lu } = &self.phase else {
            return;
        };
        let (device, lu) = (device.clone(), lu.clone());
        self.negotiated(device, lu, functions, now);
    }

    /// Plain TN3270: both options are on in both directions.
    fn options_complete(&mut self, now: Duration) {
        let SessionPhase::Options { device, lu } = &self.phase else {
            return;
        };
        let (device, lu) = (device.clone(), lu.clone());
        let on = |side, option| self.options.is_on(side, option);
        let complete = [OptionSide::Local, OptionSide::Remote]
            .into_iter()
            .all(|side| on(side, BINARY) && on(side, END_OF_RECORD));
        if complete {
            self.decoder.set_records(true);
            self.negotiated(device, lu, SessionFunctions::default(), now);
        }
    }

    /// BIND if agreed, then the query or the connected terminal.
    fn negotiated(
        &mut self,
        device: DeviceType,
        lu: LuName,
        functions: SessionFunctions,
        now: Duration,
    ) {
        let (rows, columns) = device.alternate_size();
        let query = self.config.query && device.is_extended();
        self.terminal = Some(Box::new(TerminalInfo {
            device,
            lu,
            tn3270e: self.extended,
            functions,
            default: ScreenSize::MODEL_2,
            alternate: ScreenSize::new(rows, columns).unwrap_or(ScreenSize::MODEL_2),
            query: None,
        }));
        if functions.bind_image {
            self.emit_bind();
        }
        if !query {
            self.connected(now);
            return;
        }
        let mut record = vec![Command::WriteStructuredField.emit()];
        OutboundField::Query(QueryRequest::All).emit(&mut record);
        self.emit_data(&record, ResponseFlag::NoResponse);
        self.phase = SessionPhase::Query;
        self.deadline = Some(now + self.config.limits.query);
    }

    pub(super) fn connected(&mut self, now: Duration) {
        self.phase = SessionPhase::Connected;
        self.deadline = None;
        self.steps = 0;
        self.last_input = now;
        self.events.push_back(SessionEvent::Connected);
    }

    fn not_a_terminal(&mut self) {
        self.write_text(NOT_A_TERMINAL);
        self.end(EndReason::NotATerminal);
    }

    /// Text for a person at a client that is no 3270.
    fn write_text(&mut self, text: &str) {
        self.out.extend(text.as_bytes());
    }

    fn negotiate(&mut self, negotiation: &ExtendedNegotiation<'_>) {
        let mut body = Vec::new();
        negotiation.emit(&mut body);
        self.subnegotiate(TN3270E, &body);
    }

    fn subnegotiate(&mut self, option: u8, body: &[u8]) {
        self.out.extend([IAC, SB, option]);
        escape(body, &mut self.out);
        self.out.extend([IAC, SE]);
    }
}

const NOT_A_TERMINAL: &str = "This service needs a 3270 terminal emulator.\r\n";
const BAD_LU: &str = "The LU name is not available.\r\n";
