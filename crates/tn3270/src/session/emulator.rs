//! A whole terminal: a client session with a screen.
//!
//! Records of the host change the screen and are answered; keys send. A load
//! driver, scripted terminals and tests use it over any transport.

use super::client::{ClientConfig, ClientEvent, ClientSession};
use super::error::SessionError;
use crate::screen::{Key, KeyOutcome, Screen, ScreenError, ScreenSize, TerminalModel};
use crate::telnet::{BindImage, NegativeReason, RejectReason, ResponseFlag};

/// What a terminal reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmulatorEvent {
    /// The TLS handshake begins; see [`Emulator::handle_tls`].
    StartTls,
    /// 3270 mode is reached.
    Connected,
    /// A record changed the screen.
    ScreenChanged,
    /// A record was malformed and rejected.
    RecordRejected(ScreenError),
    /// The server refused a device type or an LU name.
    Rejected(RejectReason),
    /// UNBIND: the host has ended its session with this LU.
    Unbound,
    /// Characters for the SSCP-LU screen, in EBCDIC.
    SscpLuData(Vec<u8>),
    /// Characters outside 3270 mode, in ASCII.
    Text(Vec<u8>),
}

/// A terminal on a connection.
#[derive(Debug)]
pub struct Emulator {
    session: ClientSession,
    screen: Screen,
    model: TerminalModel,
}

impl Emulator {
    /// A terminal of this model that asks for its own device type, unless
    /// `config` says another.
    pub fn new(config: ClientConfig, model: TerminalModel) -> Emulator {
        Emulator {
            session: ClientSession::new(config),
            screen: Screen::new(model),
            model,
        }
    }

    /// A terminal of this model with any LU.
    pub fn with_model(model: TerminalModel) -> Emulator {
        Emulator::new(ClientConfig::new(model.device_type()), model)
    }

    /// The screen.
    pub const fn screen(&self) -> &Screen {
        &self.screen
    }

    /// The screen, to move the cursor and to type into; keys that send go
    /// through [`Emulator::press`].
    pub const fn screen_mut(&mut self) -> &mut Screen {
        &mut self.screen
    }

    /// The session.
    pub const fn session(&self) -> &ClientSession {
        &self.session
    }

    /// Handles bytes of the server and appends what happened. Returns how many
    /// bytes were taken: all of them, unless TLS begins.
    ///
    /// # Errors
    /// The server misbehaved; the connection cannot continue.
    pub fn handle_bytes(
        &mut self,
        bytes: &[u8],
        events: &mut Vec<EmulatorEvent>,
    ) -> Result<usize, SessionError> {
        let taken = self.session.handle_bytes(bytes);
        while let Some(event) = self.session.poll_event() {
            events.push(self.handle_event(event));
        }
        taken
    }

    /// Handles the complete TLS handshake.
    pub fn handle_tls(&mut self) {
        self.session.handle_tls();
    }

    /// Presses a key. What it sends is taken with [`Emulator::poll_transmit`];
    /// the record stays in the outcome for a caller that counts or shows it.
    pub fn press(&mut self, key: Key) -> KeyOutcome {
        let outcome = self.screen.press(key);
        match &outcome {
            KeyOutcome::Send(record) => {
                // Before 3270 mode a key locks the keyboard and sends nothing.
                let _ = self.session.send_record(record);
            }
            KeyOutcome::Attention => self.session.send_attention(),
            KeyOutcome::SystemRequest => self.session.send_system_request(),
            KeyOutcome::Done | KeyOutcome::Inhibited(_) => {}
        }
        outcome
    }

    /// Takes the bytes that go to the server. Returns `None` if there are none.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.session.poll_transmit()
    }

    fn handle_event(&mut self, event: ClientEvent) -> EmulatorEvent {
        match event {
            ClientEvent::StartTls => EmulatorEvent::StartTls,
            ClientEvent::Connected => EmulatorEvent::Connected,
            ClientEvent::Rejected(reason) => EmulatorEvent::Rejected(reason),
            ClientEvent::Record {
                data,
                sequence,
                response,
            } => self.handle_record(&data, sequence, response),
            ClientEvent::Bound(image) => {
                let (default, alternate) = limited(&self.model, &image);
                self.screen.set_sizes(default, alternate);
                EmulatorEvent::ScreenChanged
            }
            ClientEvent::Unbound(_) => {
                let model = self.model;
                self.screen.set_sizes(model.default, model.alternate);
                EmulatorEvent::Unbound
            }
            ClientEvent::SscpLuData(data) => EmulatorEvent::SscpLuData(data),
            ClientEvent::Text(text) => EmulatorEvent::Text(text),
        }
    }

    /// Applies a record and answers it: a read with its data, anything else with
    /// the response that its sender wants.
    fn handle_record(
        &mut self,
        data: &[u8],
        sequence: u16,
        response: ResponseFlag,
    ) -> EmulatorEvent {
        match self.screen.handle_record(data) {
            Ok(Some(answer)) => {
                // The session is connected, or no record had come.
                let _ = self.session.send_record(&answer);
                EmulatorEvent::ScreenChanged
            }
            Ok(None) => {
                if response == ResponseFlag::AlwaysResponse {
                    self.session.respond(sequence, Ok(()));
                }
                EmulatorEvent::ScreenChanged
            }
            Err(error) => {
                if response != ResponseFlag::NoResponse {
                    let reason = if error.is_command_reject() {
                        NegativeReason::CommandReject
                    } else {
                        NegativeReason::OperationCheck
                    };
                    self.session.respond(sequence, Err(reason));
                }
                EmulatorEvent::RecordRejected(error)
            }
        }
    }
}

/// Default and alternate size of a BIND, as far as the terminal has them.
fn limited(model: &TerminalModel, image: &BindImage) -> (ScreenSize, ScreenSize) {
    let fits = |(rows, columns): (u8, u8), instead: ScreenSize| {
        let most = model.alternate;
        let size = ScreenSize::new(rows.into(), columns.into());
        let size = size.filter(|s| s.rows() <= most.rows() && s.columns() <= most.columns());
        size.unwrap_or(instead)
    };
    match image.size_code {
        BindImage::BOTH_SIZES => (
            fits(image.default, model.default),
            fits(image.alternate, model.alternate),
        ),
        BindImage::DEFAULT_ONLY => {
            let default = fits(image.default, model.default);
            (default, default)
        }
        BindImage::MODEL_2 => (model.default, model.default),
        _ => (model.default, model.alternate),
    }
}
