//! LU 6.2 as pure state machines: wire formats, sessions, pacing, conversations, CPI-C, and a token-ring link in virtual time.
//!
//! Layer 0: no socket, no clock, no thread. Bytes and the time come in through `handle_*`,
//! what is to be sent comes out of `poll_*`.

pub mod dlc;
pub mod ebcdic;
pub mod ring;
