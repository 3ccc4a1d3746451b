//! Why a session ends, and why a command to it is refused.

use crate::stream::StreamError;
use crate::telnet::DecodeError;

/// A fault of the peer after which the session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The bytes are not Telnet, or pass a limit.
    #[error("Telnet: {0}")]
    Decode(#[from] DecodeError),
    /// A record is no 3270 data stream.
    #[error("3270 data stream: {0}")]
    Stream(#[from] StreamError),
    /// Too many bytes before the terminal was connected.
    #[error("more than {0} bytes before the negotiation was complete")]
    NegotiationBytes(usize),
    /// Negotiations that lead nowhere.
    #[error("more than {0} negotiations without an input")]
    Steps(u32),
    /// Inputs that no output came between.
    #[error("more than {0} inputs before the keyboard was unlocked")]
    Inputs(u32),
    /// Events came faster than they were taken.
    #[error("more than {0} events at once")]
    Events(usize),
}

/// Why a session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The peer closed the connection.
    PeerClosed,
    /// The caller closed the session.
    Closed,
    /// The peer misbehaved.
    Misbehaved(SessionError),
    /// The peer is no 3270 terminal, or refused what 3270 needs.
    NotATerminal,
    /// The peer refused TLS, which is required.
    TlsRefused,
    /// The LU that a plain TN3270 client asked for was refused.
    LuRefused,
    /// The negotiation took too long.
    NegotiationTimeout,
    /// No input for too long.
    IdleTimeout,
    /// No byte for too long.
    SilenceTimeout,
}

/// Why a command to a session is refused; a fault of the caller, except
/// [`SendError::OutputFull`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The terminal is not connected, or not any more.
    #[error("the terminal is not connected")]
    NotConnected,
    /// The session is not at the step that this command belongs to.
    #[error("the session is at another step")]
    OtherStep,
    /// The client has not taken earlier output.
    #[error("{0} bytes of output wait for the client")]
    OutputFull(usize),
    /// The function was not agreed with the client.
    #[error("the client did not agree to this function")]
    NotAgreed,
}
