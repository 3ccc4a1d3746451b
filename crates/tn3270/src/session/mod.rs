//! Sessions: both ends of a TN3270 or TN3270E connection.
//!
//! [`ServerSession`] goes from the first negotiation to a connected terminal of
//! which size, colours and LU are known, and then carries records.
//! [`ClientSession`] is the other end, [`Emulator`] a client with a screen.
//! Methods are getters, `handle_*` for bytes and time that come in, commands,
//! and `poll_*` for what goes out.
//! Invariant: every step is bounded in bytes and in number; time is compared
//! with deadlines that the caller polls.

mod client;
mod config;
mod emulator;
mod error;
mod server;
mod terminal;

pub use client::{ClientConfig, ClientEvent, ClientSession};
pub use config::{KeepAlive, ServerConfig, SessionLimits, StartTls};
pub use emulator::{Emulator, EmulatorEvent};
pub use error::{EndReason, SendError, SessionError};
pub use server::{ServerSession, SessionEvent};
pub use terminal::TerminalInfo;
