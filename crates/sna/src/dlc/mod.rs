//! The data link layer below LU 6.2 sessions: it carries a PIU to the adjacent
//! node.
//!
//! | file | what |
//! |---|---|
//! | [`pdu`] | 802.2 protocol data units: SAPs, control field, `parse`/`emit` |
//! | [`llc2`] | the connection-mode link station: windows, T1, T2, Ti, N2, N3, P/F recovery |
//! | [`mac`] | 802.3 and token-ring frames around a PDU |
//! | [`xid3`] | exchange identification, format 3, and its negotiation |
//! | [`ssp`] | Switch-to-Switch Protocol messages of DLSw |
//! | [`caps`] | DLSw capabilities exchange |
//! | [`flow`] | the two ends of a circuit's window |
//! | [`circuit`] | one DLSw circuit: set-up, flow control, take-down |
//! | [`switch`] | one DLSw transport: capabilities, then circuits |
//!
//! Time is a count of nanoseconds since a start that the caller chooses.
//!
//! Invariant: no socket and no clock; a byte that a peer sends leads to a state,
//! an answer or an error, never to a panic.

pub mod caps;
pub mod circuit;
pub mod flow;
pub mod llc2;
pub mod mac;
pub mod pdu;
pub mod ssp;
pub mod switch;
pub mod xid3;
