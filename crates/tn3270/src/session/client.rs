//! The terminal's end of a connection.
//!
//! A client answers what a server asks: TLS, TN3270E or the terminal type, and
//! records then. It asks for its LU names one after the other.
//! Reference: RFC 1576, 1646, 2355.

use std::collections::VecDeque;

use super::error::{SendError, SessionError};
use crate::telnet::code::{
    AO, BINARY, DO, END_OF_RECORD, EOR, IAC, IP, SB, SE, START_TLS, TERMINAL_TYPE, TIMING_MARK,
    TLS_FOLLOWS, TN3270E, TYPE_IS, TYPE_SEND, WILL,
};
use crate::telnet::{
    BindImage, DataType, DecoderLimits, DeviceType, ExtendedNegotiation, Header, LuName,
    NegativeReason, OptionChange, OptionSide, RejectReason, ResponseFlag, SessionFunctions,
    TelnetDecoder, TelnetEvent, TelnetOptions, escape,
};

/// What a client asks for.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The device type of TN3270E.
    pub device: DeviceType,
    /// The terminal type of plain TN3270, as `IBM-3279-2-E`.
    pub terminal_type: String,
    /// LU names, in the order in which they are asked for; none: any.
    pub lu_names: Vec<LuName>,
    /// Whether TN3270E is agreed to.
    pub tn3270e: bool,
    /// The functions of TN3270E that are asked for.
    pub functions: SessionFunctions,
    /// Whether START_TLS is agreed to.
    pub start_tls: bool,
    /// Bounds of records and sub-negotiations.
    pub limits: DecoderLimits,
}

impl ClientConfig {
    /// A client of this type that asks for TN3270E with all functions.
    pub fn new(device: DeviceType) -> ClientConfig {
        ClientConfig {
            terminal_type: device.name().replace("IBM-3278", "IBM-3279"),
            device,
            lu_names: Vec::new(),
            tn3270e: true,
            functions: SessionFunctions {
                bind_image: true,
                responses: true,
                sysreq: true,
                others: false,
            },
            start_tls: true,
            limits: DecoderLimits::default(),
        }
    }
}

/// What a client session reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientEvent {
    /// The TLS handshake begins with the next byte; see
    /// [`ClientSession::handle_tls`].
    StartTls,
    /// Records can go both ways.
    Connected,
    /// The server refused a device type or an LU name.
    Rejected(RejectReason),
    /// A record of the host.
    Record {
        /// Command, WCC, orders and data.
        data: Vec<u8>,
        /// The number for [`ClientSession::respond`].
        sequence: u16,
        /// Whether the host wants a response.
        response: ResponseFlag,
    },
    /// BIND.
    Bound(BindImage),
    /// UNBIND, with its reason.
    Unbound(u8),
    /// Characters for the SSCP-LU screen.
    SscpLuData(Vec<u8>),
    /// Characters outside 3270 mode.
    Text(Vec<u8>),
}

/// The terminal's end of a TN3270 or TN3270E connection.
#[derive(Debug)]
pub struct ClientSession {
    config: ClientConfig,
    decoder: TelnetDecoder,
    options: TelnetOptions,
    out: Vec<u8>,
    events: VecDeque<ClientEvent>,
    /// The LU name that is asked for: an index.
    next_lu: usize,
    lu: Option<LuName>,
    functions: Option<SessionFunctions>,
    bound: bool,
    connected: bool,
    handshake: bool,
    sequence: u16,
    steps: u32,
}

impl ClientSession {
    /// A session of a connection that was made. The server begins.
    pub fn new(config: ClientConfig) -> ClientSession {
        ClientSession {
            decoder: TelnetDecoder::new(config.limits),
            options: options(&config, config.start_tls),
            out: Vec::new(),
            events: VecDeque::new(),
            next_lu: 0,
            lu: None,
            functions: None,
            bound: false,
            connected: false,
            handshake: false,
            sequence: 0,
            steps: 0,
            config,
        }
    }

    /// Whether records can go both ways.
    pub const fn is_connected(&self) -> bool {
        self.connected
    }

    /// The LU that a TN3270E server gave.
    pub const fn lu(&self) -> Option<&LuName> {
        self.lu.as_ref()
    }

    /// The functions of TN3270E that are agreed. Returns `None` in plain
    /// TN3270.
    pub const fn functions(&self) -> Option<SessionFunctions> {
        self.functions
    }

    /// Handles bytes of the server. Returns how many were taken: all of them,
    /// unless TLS begins; the rest then belongs to the handshake.
    ///
    /// # Errors
    /// The server misbehaved; the connection cannot continue.
    pub fn handle_bytes(&mut self, bytes: &[u8]) -> Result<usize, SessionError> {
        let mut input = bytes;
        while !self.handshake {
            let Some(event) = self.decoder.next(&mut input)? else {
                break;
            };
            self.handle_event(event)?;
            if self.events.len() > MOST_EVENTS {
                return Err(SessionError::Events(MOST_EVENTS));
            }
        }
        Ok(bytes.len() - input.len())
    }

    /// Handles the complete TLS handshake after [`ClientEvent::StartTls`].
    pub fn handle_tls(&mut self) {
        if !self.handshake {
            return;
        }
        self.handshake = false;
        self.out.clear();
        self.decoder = TelnetDecoder::new(self.config.limits);
        self.options = options(&self.config, false);
    }

    /// Takes the next event.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    /// Takes the bytes that go to the server. Returns `None` if there are none.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        if self.out.is_empty() {
            return None;
        }
        Some(std::mem::take(&mut self.out))
    }

    /// Sends a record of the terminal.
    ///
    /// # Errors
    /// The session is not connected.
    pub fn send_record(&mut self, record: &[u8]) -> Result<(), SendError> {
        if !self.connected {
            return Err(SendError::NotConnected);
        }
        self.emit(DataType::Data3270, record);
        Ok(())
    }

    /// Sends characters that were typed on the SSCP-LU screen.
    ///
    /// # Errors
    /// The session is not connected or has no SYSREQ.
    pub fn send_sscp_lu_data(&mut self, data: &[u8]) -> Result<(), SendError> {
        if !self.functions.is_some_and(|agreed| agreed.sysreq) {
            return Err(SendError::NotAgreed);
        }
        self.emit(DataType::SscpLuData, data);
        Ok(())
    }

    /// Answers a record whose sender wants a response.
    pub fn respond(&mut self, sequence: u16, outcome: Result<(), NegativeReason>) {
        if !self.functions.is_some_and(|agreed| agreed.responses) {
            return;
        }
        let (flag, reason) = match outcome {
            Ok(()) => (0, 0),
            Err(reason) => (1, reason as u8),
        };
        let header = Header::emit(DataType::Response, flag, sequence);
        escape(&header, &mut self.out);
        self.out.extend([reason, IAC, EOR]);
    }

    /// Sends ATTN.
    pub fn send_attention(&mut self) {
        self.out.extend([IAC, IP]);
    }

    /// Sends SYSREQ: as a command where TN3270E has it, else as a key.
    pub fn send_system_request(&mut self) {
        match self.functions {
            Some(agreed) if agreed.sysreq => self.out.extend([IAC, AO]),
            Some(_) => {}
            None => self.emit(DataType::Data3270, &[SYSREQ_AID]),
        }
    }

    fn emit(&mut self, data_type: DataType, data: &[u8]) {
        if let Some(agreed) = self.functions {
            let header = Header::emit(data_type, 0, self.sequence);
            escape(&header, &mut self.out);
            if agreed.responses {
                self.sequence = (self.sequence + 1) & 0x7FFF;
            }
        }
        escape(data, &mut self.out);
        self.out.extend([IAC, EOR]);
    }

    fn handle_event(&mut self, event: TelnetEvent) -> Result<(), SessionError> {
        match event {
            TelnetEvent::Negotiation { verb, option } if option == TIMING_MARK => {
                if verb == DO {
                    self.out.extend([IAC, WILL, TIMING_MARK]);
                }
            }
            TelnetEvent::Negotiation { verb, option } => {
                self.step()?;
                let change = self.options.handle(verb, option, &mut self.out);
                if let Some(change) = change {
                    self.handle_change(change);
                }
            }
            TelnetEvent::Subnegotiation { option, body } => {
                self.step()?;
                self.handle_subnegotiation(option, &body);
            }
            TelnetEvent::Command(_) => {}
            TelnetEvent::Text(text) => self.events.push_back(ClientEvent::Text(text)),
            TelnetEvent::Record(record) => self.handle_record(&record),
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), SessionError> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(SessionError::Steps(MOST_STEPS));
        }
        Ok(())
    }

    fn handle_change(&mut self, change: OptionChange) {
        match change {
            OptionChange::On(OptionSide::Local, TN3270E) => self.decoder.set_records(true),
            OptionChange::Off(OptionSide::Local, TN3270E) => {
                self.connected = false;
                self.functions = None;
                self.bound = false;
                self.decoder.set_records(false);
                self.check_plain();
            }
            OptionChange::On(_, BINARY | END_OF_RECORD)
            | OptionChange::Off(_, BINARY | END_OF_RECORD) => self.check_plain(),
            _ => {}
        }
    }

    /// Plain TN3270 is on while both options are, in both directions.
    fn check_plain(&mut self) {
        if self.options.is_on(OptionSide::Local, TN3270E) {
            return;
        }
        let on = |side, option| self.options.is_on(side, option);
        let complete = [OptionSide::Local, OptionSide::Remote]
            .into_iter()
            .all(|side| on(side, BINARY) && on(side, END_OF_RECORD));
        self.decoder.set_records(complete);
        if complete && !self.connected {
            self.events.push_back(ClientEvent::Connected);
        }
        self.connected = complete;
    }

    fn handle_subnegotiation(&mut self, option: u8, body: &[u8]) {
        match (option, body) {
            (START_TLS, [TLS_FOLLOWS, ..]) if self.options.is_on(OptionSide::Local, START_TLS) => {
                self.subnegotiate(START_TLS, &[TLS_FOLLOWS]);
                self.handshake = true;
                self.events.push_back(ClientEvent::StartTls);
            }
            (TERMINAL_TYPE, [TYPE_SEND, ..]) => {
                let mut answer = vec![TYPE_IS];
                answer.extend(self.config.terminal_type.as_bytes());
                if let Some(lu) = self.config.lu_names.get(self.next_lu) {
                    answer.push(b'@');
                    answer.extend(lu.as_str().as_bytes());
                }
                self.subnegotiate(TERMINAL_TYPE, &answer);
            }
            (TN3270E, body) if self.options.is_on(OptionSide::Local, TN3270E) => {
                if let Some(negotiation) = ExtendedNegotiation::parse(body) {
                    self.handle_negotiation(&negotiation);
                }
            }
            _ => {}
        }
    }

    fn handle_negotiation(&mut self, negotiation: &ExtendedNegotiation<'_>) {
        match negotiation {
            ExtendedNegotiation::SendDeviceType => self.request_device(),
            ExtendedNegotiation::DeviceTypeIs { name, .. } => {
                self.lu = name.and_then(LuName::parse);
                let mut list = Vec::new();
                self.config.functions.emit(&mut list);
                self.negotiate(&ExtendedNegotiation::FunctionsRequest(&list));
            }
            ExtendedNegotiation::DeviceTypeReject(reason) => {
                let reason = RejectReason::parse(*reason);
                self.events.push_back(ClientEvent::Rejected(reason));
                self.next_lu += 1;
                if self.next_lu < self.config.lu_names.len() {
                    self.request_device();
                } else {
                    let out = &mut self.out;
                    self.options.disable(OptionSide::Local, TN3270E, out);
                    self.decoder.set_records(false);
                }
            }
            ExtendedNegotiation::FunctionsRequest(list) => {
                let asked = SessionFunctions::parse(list);
                let agreed = self.config.functions.common(&asked);
                let mut list = Vec::new();
                agreed.emit(&mut list);
                if agreed == asked {
                    self.negotiate(&ExtendedNegotiation::FunctionsIs(&list));
                    self.functions_agreed(agreed);
                } else {
                    self.negotiate(&ExtendedNegotiation::FunctionsRequest(&list));
                }
            }
            ExtendedNegotiation::FunctionsIs(list) => {
                self.functions_agreed(SessionFunctions::parse(list))
            }
            ExtendedNegotiation::DeviceTypeRequest { .. } => {}
        }
    }

    fn request_device(&mut self) {
        let device = self.config.device.clone();
        let lu = self.config.lu_names.get(self.next_lu).cloned();
        self.negotiate(&ExtendedNegotiation::DeviceTypeRequest {
            device: device.name().as_bytes(),
            connect: lu.as_ref().map(|lu| lu.as_str().as_bytes()),
            associate: None,
        });
    }

    fn functions_agreed(&mut self, agreed: SessionFunctions) {
        self.functions = Some(agreed);
        self.sequence = 0;
        if !self.connected {
            self.connected = true;
            self.events.push_back(ClientEvent::Connected);
        }
    }

    fn handle_record(&mut self, record: &[u8]) {
        if !self.connected {
            return;
        }
        self.steps = 0;
        if self.functions.is_none() {
            self.events.push_back(ClientEvent::Record {
                data: record.to_vec(),
                sequence: 0,
                response: ResponseFlag::NoResponse,
            });
            return;
        }
        if let Some((header, data)) = Header::parse(record) {
            self.handle_extended(&header, data);
        }
    }

    fn handle_extended(&mut self, header: &Header, data: &[u8]) {
        let waits = self.functions.is_some_and(|agreed| agreed.bind_image) && !self.bound;
        match header.data_type {
            Some(DataType::Data3270) if waits => {}
            Some(DataType::Data3270) => self.events.push_back(ClientEvent::Record {
                data: data.to_vec(),
                sequence: header.sequence,
                response: header.wanted_response(),
            }),
            Some(DataType::BindImage) => {
                if let Some(image) = BindImage::parse(data) {
                    self.bound = true;
                    self.events.push_back(ClientEvent::Bound(image));
                }
            }
            Some(DataType::Unbind) => {
                self.bound = false;
                let reason = data.first().copied().unwrap_or_default();
                self.events.push_back(ClientEvent::Unbound(reason));
            }
            Some(DataType::SscpLuData) => {
                let event = ClientEvent::SscpLuData(data.to_vec());
                self.events.push_back(event);
            }
            Some(DataType::NvtData) => self.events.push_back(ClientEvent::Text(data.to_vec())),
            _ => {}
        }
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

/// The options that a client agrees to.
fn options(config: &ClientConfig, start_tls: bool) -> TelnetOptions {
    let mut local = vec![BINARY, END_OF_RECORD, TERMINAL_TYPE];
    local.extend(config.tn3270e.then_some(TN3270E));
    local.extend(start_tls.then_some(START_TLS));
    TelnetOptions::new(&local, &[BINARY, END_OF_RECORD])
}

/// Events of one call: a server that sends more at once waits for no answer.
const MOST_EVENTS: usize = 1024;
/// Negotiations without a record between them.
const MOST_STEPS: u32 = 256;
/// SYSREQ outside TN3270E.
const SYSREQ_AID: u8 = 0xF0;
