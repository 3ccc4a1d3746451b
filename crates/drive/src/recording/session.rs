//! The state of a recorded session, without a socket: the emulator's screen, and
//! the steps so far.
//!
//! An emulator of this crate gets the same bytes from the server as the user's, so
//! it has the same screen. It is created again when the user's emulator negotiates
//! something else: another model, or no TN3270E. Its own replies are dropped; the
//! user's emulator replies.

use super::step::{RecordedStep, new_text};
use crate::terminal::screen_body;
use std::time::Duration;
use tn3270::screen::KeyboardState;
use tn3270::stream::QuerySummary;
use tn3270::telnet::code::{AO, BREAK, IP, START_TLS, TERMINAL_TYPE, TN3270E, TYPE_IS, WILL, WONT};
use tn3270::telnet::{
    DataType, DecoderLimits, ExtendedNegotiation, Header, TelnetDecoder, TelnetEvent,
};
use tn3270::{ClientConfig, CodeTable, DeviceType, Emulator, InboundRecord, SessionError};
use tn3270::{Key, ScreenSize, TerminalModel};

/// Why a session cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableSession {
    /// START_TLS was agreed.
    #[error(
        "the emulator begins TLS inside the connection, which cannot be recorded; turn START_TLS off in the emulator or the server"
    )]
    Tls,
    /// The server's bytes are not TN3270.
    #[error("the server: {0}")]
    Server(#[from] SessionError),
    /// The emulator's bytes are not TN3270.
    #[error("the emulator: {0}")]
    Emulator(#[from] tn3270::telnet::DecodeError),
}

/// A session that is being recorded.
#[derive(Debug)]
pub struct SessionRecorder {
    table: CodeTable,
    shadow: Emulator,
    config: ClientConfig,
    model: TerminalModel,
    /// The server's bytes before the first key, to be replayed to a new
    /// emulator.
    negotiated: Option<Vec<u8>>,
    decoder: TelnetDecoder,
    steps: Vec<RecordedStep>,
    /// The screen before the last key.
    before: String,
    /// When the server last sent data.
    answered: Duration,
    changed: bool,
}

impl SessionRecorder {
    /// A session without any data yet.
    pub fn new(table: CodeTable) -> SessionRecorder {
        let model = TerminalModel::display(2);
        let config = config_of(&model);
        SessionRecorder {
            table,
            shadow: Emulator::new(config.clone(), model),
            config,
            model,
            negotiated: Some(Vec::new()),
            decoder: TelnetDecoder::new(DecoderLimits::default()),
            steps: Vec::new(),
            before: String::new(),
            answered: Duration::ZERO,
            changed: false,
        }
    }

    /// The steps so far.
    pub fn steps(&self) -> &[RecordedStep] {
        &self.steps
    }

    /// The model of the user's terminal.
    pub const fn model(&self) -> &TerminalModel {
        &self.model
    }

    /// Whether a step was added since the last call.
    pub const fn take_changed(&mut self) -> bool {
        std::mem::replace(&mut self.changed, false)
    }

    /// Handles bytes of the server.
    ///
    ///
    /// # Errors
    ///
    /// The bytes are not TN3270.
    pub fn handle_server(&mut self, bytes: &[u8], now: Duration) -> Result<(), UnreadableSession> {
        if let Some(kept) = &mut self.negotiated
            && kept.len() < MOST_NEGOTIATED
        {
            kept.extend(bytes);
        }
        self.answered = now;
        self.show(bytes)
    }

    /// Handles bytes of the user's emulator.
    ///
    ///
    /// # Errors
    ///
    /// The bytes are not TN3270, or TLS begins.
    pub fn handle_emulator(
        &mut self,
        bytes: &[u8],
        now: Duration,
    ) -> Result<(), UnreadableSession> {
        let mut input = bytes;
        self.decoder
            .set_records(self.shadow.session().is_connected());
        while let Some(event) = self.decoder.next(&mut input)? {
            match event {
                TelnetEvent::Negotiation {
                    verb: WILL,
                    option: START_TLS,
                } => return Err(UnreadableSession::Tls),
                TelnetEvent::Negotiation {
                    verb: WONT,
                    option: TN3270E,
                } => {
                    self.config.tn3270e = false;
                    self.begin_again()?;
                }
                TelnetEvent::Subnegotiation { option, body } => {
                    self.handle_type(option, &body)?;
                }
                TelnetEvent::Command(IP | BREAK) => self.handle_key("attn", Key::Attention, now),
                TelnetEvent::Command(AO) => self.handle_key("sysreq", Key::SystemRequest, now),
                TelnetEvent::Record(record) => self.handle_record(&record, now)?,
                _ => {}
            }
            self.decoder
                .set_records(self.shadow.session().is_connected());
        }
        Ok(())
    }

    /// Ends the session: the last step gets its wait condition.
    pub fn finish(&mut self) {
        self.complete_last(None);
    }

    fn show(&mut self, bytes: &[u8]) -> Result<(), UnreadableSession> {
        let mut events = Vec::new();
        self.shadow.handle_bytes(bytes, &mut events)?;
        while self.shadow.poll_transmit().is_some() {}
        Ok(())
    }

    /// Creates the emulator again with the model that the user's has
    /// negotiated.
    fn begin_again(&mut self) -> Result<(), UnreadableSession> {
        let Some(kept) = self.negotiated.clone() else {
            return Ok(());
        };
        self.shadow = Emulator::new(self.config.clone(), self.model);
        self.show(&kept)
    }

    /// Handles the type of the user's terminal.
    fn handle_type(&mut self, option: u8, body: &[u8]) -> Result<(), UnreadableSession> {
        let name = match (option, body) {
            (TERMINAL_TYPE, [TYPE_IS, name @ ..]) => name,
            (TN3270E, body) => match ExtendedNegotiation::parse(body) {
                Some(ExtendedNegotiation::DeviceTypeRequest { device, .. }) => device,
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        let name = name.split(|byte| *byte == b'@').next().unwrap_or_default();
        let Some(device) = DeviceType::parse(name) else {
            return Ok(());
        };
        let (rows, columns) = device.alternate_size();
        if let Some(size) = ScreenSize::new(rows, columns) {
            self.model.alternate = size;
        }
        self.model.dynamic = device.is_dynamic();
        self.model.extended = device.is_extended();
        self.begin_again()
    }

    fn handle_record(&mut self, record: &[u8], now: Duration) -> Result<(), UnreadableSession> {
        let data = match self.shadow.session().functions() {
            None => record,
            Some(_) => match Header::parse(record) {
                Some((header, data)) if header.data_type == Some(DataType::Data3270) => data,
                _ => return Ok(()),
            },
        };
        let positions = self.shadow.screen().size().positions();
        let Ok(parsed) = InboundRecord::parse(data, positions) else {
            // The server's reply to the type.
            return Ok(());
        };
        if let InboundRecord::Structured(fields) = parsed {
            return self.handle_query(fields);
        }
        let before = screen_body(self.shadow.screen(), &self.table);
        let shown_at = self.answered;
        // A reply to a read command of the server is not a key.
        let Some(step) = RecordedStep::read(&parsed, &mut self.shadow, &self.table) else {
            return Ok(());
        };
        while self.shadow.poll_transmit().is_some() {}
        self.push(step, before, now.saturating_sub(shown_at));
        Ok(())
    }

    /// The size of a terminal whose type does not include it.
    fn handle_query(&mut self, fields: &[u8]) -> Result<(), UnreadableSession> {
        let Ok(query) = QuerySummary::collect(fields) else {
            return Ok(());
        };
        let size = query.alternate.or(query.usable);
        let size = size.and_then(|(columns, rows)| ScreenSize::new(rows, columns));
        match size {
            Some(size) if self.model.dynamic && size != self.model.alternate => {
                self.model.alternate = size;
                self.begin_again()
            }
            _ => Ok(()),
        }
    }

    fn handle_key(&mut self, name: &str, key: Key, now: Duration) {
        let before = screen_body(self.shadow.screen(), &self.table);
        self.shadow.press(key);
        while self.shadow.poll_transmit().is_some() {}
        let think = now.saturating_sub(self.answered);
        self.push(RecordedStep::of_key(name.to_owned()), before, think);
    }

    fn push(&mut self, step: RecordedStep, before: String, think: Duration) {
        self.negotiated = None;
        let answer = before.clone();
        self.complete_last(Some((&answer, think)));
        self.before = before;
        self.steps.push(step);
        self.changed = true;
    }

    /// Completes the last step. Its answer is the screen now, or before the
    /// next key, and its think time is the user's pause after that.
    fn complete_last(&mut self, next: Option<(&str, Duration)>) {
        let Some(last) = self.steps.last_mut() else {
            return;
        };
        if let Some((_, think)) = next {
            last.think = think;
        }
        let unlocked = self.shadow.screen().keyboard() == KeyboardState::Unlocked;
        let answer = match next {
            Some((answer, _)) => Some(answer.to_owned()),
            None if unlocked => Some(screen_body(self.shadow.screen(), &self.table)),
            None => None,
        };
        last.wait_for = answer.and_then(|answer| new_text(&self.before, &answer));
    }
}

/// A configuration that accepts everything that emulators usually accept.
fn config_of(model: &TerminalModel) -> ClientConfig {
    let mut config = ClientConfig::new(model.device_type());
    config.start_tls = false;
    config
}

/// The size limit of the negotiation and the first screen.
const MOST_NEGOTIATED: usize = 256 << 10;
