//! The bytes of Telnet: commands and option numbers.
//!
//! Reference: RFC 854 and the registry of Telnet options.

/// End of record.
pub const EOR: u8 = 239;
/// End of a sub-negotiation.
pub const SE: u8 = 240;
/// No operation.
pub const NOP: u8 = 241;
/// Break: ATTN.
pub const BREAK: u8 = 243;
/// Interrupt process: ATTN.
pub const IP: u8 = 244;
/// Abort output: SYSREQ.
pub const AO: u8 = 245;
/// Begin of a sub-negotiation.
pub const SB: u8 = 250;
/// The sender wants to begin, or confirms.
pub const WILL: u8 = 251;
/// The sender refuses, or stops.
pub const WONT: u8 = 252;
/// The sender asks the other side to begin, or confirms.
pub const DO: u8 = 253;
/// The sender asks the other side to stop, or refuses.
pub const DONT: u8 = 254;
/// Interpret as command.
pub const IAC: u8 = 255;

/// Option: eight-bit data.
pub const BINARY: u8 = 0;
/// Option: timing mark, an echo of a command.
pub const TIMING_MARK: u8 = 6;
/// Option: terminal type.
pub const TERMINAL_TYPE: u8 = 24;
/// Option: end of record.
pub const END_OF_RECORD: u8 = 25;
/// Option: TN3270E.
pub const TN3270E: u8 = 40;
/// Option: TLS from here on.
pub const START_TLS: u8 = 46;

/// In the sub-negotiation of a terminal type: the name follows.
pub const TYPE_IS: u8 = 0;
/// In the sub-negotiation of a terminal type: the other side sends its name.
pub const TYPE_SEND: u8 = 1;
/// In the sub-negotiation of START_TLS: the handshake follows.
pub const TLS_FOLLOWS: u8 = 1;
