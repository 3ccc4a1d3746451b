//! What a server's sessions offer and what each may cost.

use std::time::Duration;

use crate::telnet::{DecoderLimits, SessionFunctions};

/// The settings of a server's sessions.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Whether TN3270E is offered; a client that refuses gets plain TN3270.
    pub tn3270e: bool,
    /// The functions of TN3270E that are agreed to. With `bind_image` the
    /// session sends a BIND as soon as it is agreed.
    pub functions: SessionFunctions,
    /// The name of the primary LU in a BIND, in EBCDIC, at most 8 bytes.
    pub plu_name: Vec<u8>,
    /// Whether a terminal with extended data stream is asked what it is.
    pub query: bool,
    /// Whether TLS is asked for inside the connection. Set it to
    /// [`StartTls::Off`] where the connection begins with TLS.
    pub start_tls: StartTls,
    /// What is sent to an idle client, and how often.
    pub keep_alive: Option<(KeepAlive, Duration)>,
    /// Bounds.
    pub limits: SessionLimits,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            tn3270e: true,
            functions: SessionFunctions {
                bind_image: true,
                responses: true,
                sysreq: true,
                others: false,
            },
            // TUPELO
            plu_name: vec![0xE3, 0xE4, 0xD7, 0xC5, 0xD3, 0xD6],
            query: true,
            start_tls: StartTls::Off,
            keep_alive: None,
            limits: SessionLimits::default(),
        }
    }
}

/// Whether a server asks for TLS inside a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StartTls {
    /// Not at all.
    #[default]
    Off,
    /// A client may refuse.
    Offered,
    /// The session ends if a client refuses.
    Required,
}

/// What is sent to learn whether a client is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeepAlive {
    /// IAC NOP, without an answer.
    Nop,
    /// DO TIMING-MARK, which every client answers.
    TimingMark,
}

/// What one session may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// Bytes of one record and of one sub-negotiation.
    pub decoder: DecoderLimits,
    /// Bytes that a client may send before it is connected.
    pub negotiation_bytes: usize,
    /// Negotiations and other steps without an input between them.
    pub steps: u32,
    /// Inputs that arrive without an output between them.
    pub unanswered_inputs: u32,
    /// Events that wait for the caller.
    pub events: usize,
    /// Bytes of output that wait for the caller.
    pub output_bytes: usize,
    /// Time from the start to a connected terminal.
    pub negotiation: Duration,
    /// Time for the answer to a query; then the device type alone counts.
    pub query: Duration,
    /// Time without an input of a person; `None`: no bound.
    pub idle: Option<Duration>,
    /// Time without any byte of the client; `None`: no bound.
    pub silence: Option<Duration>,
}

impl Default for SessionLimits {
    fn default() -> SessionLimits {
        SessionLimits {
            decoder: DecoderLimits::default(),
            negotiation_bytes: 8 << 10,
            // A whole negotiation takes 12.
            steps: 64,
            unanswered_inputs: 8,
            events: 64,
            output_bytes: 1 << 20,
            negotiation: Duration::from_secs(30),
            query: Duration::from_secs(5),
            idle: None,
            silence: None,
        }
    }
}
