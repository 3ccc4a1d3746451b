//! What the tests share: hexadecimal, the screen of the recordings, a server
//! and a terminal joined without a network.

use std::time::Duration;

use tn3270::{
    Emulator, EmulatorEvent, LuName, ServerConfig, ServerSession, SessionError, SessionEvent,
    TerminalModel,
};

/// The bytes of hexadecimal digits.
pub fn bytes(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    let digit = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(digit).collect()
}

/// Hexadecimal digits, for messages.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first screen of the recordings: an autoskip title, an input field with
/// the cursor, a hidden one, red text, a modified and a numeric field.
pub fn first_screen() -> Vec<u8> {
    bytes(
        "f5c3 1140c1 1df0 e3c9e3d3c5 11c260 1df0 d5c1d4c5 11c2e8 1d40 13 3cc27d00 1df0 \
         11c3f0 1df0 d7c1e2e2 11c3f8 1d4c 3cc4c100 1df0 \
         11c540 2903c06042f241f4 d9c5c440e4d5c4c5d9d3c9d5c5c4 \
         11c6d8 1dc1 d4c4e3e2c5e3 11c65f 1df0 11c7e8 1d50 11c76d 1df0",
    )
}

/// A server and a terminal, with bytes carried between them until neither sends.
pub struct JoinedSessions {
    pub server: ServerSession,
    pub terminal: Emulator,
    pub server_events: Vec<SessionEvent>,
    pub terminal_events: Vec<EmulatorEvent>,
    pub now: Duration,
}

impl JoinedSessions {
    pub fn new(config: ServerConfig, terminal: Emulator) -> JoinedSessions {
        JoinedSessions {
            server: ServerSession::new(config, Duration::ZERO),
            terminal,
            server_events: Vec::new(),
            terminal_events: Vec::new(),
            now: Duration::ZERO,
        }
    }

    /// A connected terminal of this model with the LU `TERM0001`.
    pub fn connected(config: ServerConfig, model: TerminalModel) -> JoinedSessions {
        let mut joined = JoinedSessions::new(config, Emulator::with_model(model));
        joined.run().unwrap();
        joined
    }

    /// Carries bytes until neither end sends, gives LUs and plays handshakes.
    pub fn run(&mut self) -> Result<(), SessionError> {
        for _ in 0..64 {
            let mut quiet = true;
            if let Some(out) = self.server.poll_transmit() {
                quiet = false;
                self.terminal
                    .handle_bytes(&out, &mut self.terminal_events)?;
                if self.terminal_events.contains(&EmulatorEvent::StartTls) {
                    self.terminal_events
                        .retain(|e| *e != EmulatorEvent::StartTls);
                    let last = self.terminal.poll_transmit().unwrap();
                    self.server.handle_bytes(&last, self.now)?;
                    self.terminal.handle_tls();
                }
            }
            if let Some(out) = self.terminal.poll_transmit() {
                quiet = false;
                self.server.handle_bytes(&out, self.now)?;
            }
            while let Some(event) = self.server.poll_event() {
                match &event {
                    SessionEvent::LuRequested { name, .. } => {
                        let any = LuName::parse(b"TERM0001").unwrap();
                        let name = name.clone().unwrap_or(any);
                        self.server.assign_lu(name).unwrap();
                    }
                    SessionEvent::StartTls => self.server.handle_tls(self.now),
                    _ => {}
                }
                self.server_events.push(event);
                quiet = false;
            }
            if quiet {
                return Ok(());
            }
        }
        panic!("the two ends never become quiet");
    }

    /// The inputs that the server took since the last call.
    pub fn inputs(&mut self) -> Vec<Vec<u8>> {
        let events = std::mem::take(&mut self.server_events);
        let inputs = events.into_iter().filter_map(|event| match event {
            SessionEvent::Input(record) => Some(record),
            _ => None,
        });
        inputs.collect()
    }
}
