//! Listeners: they accept, read what the client says first, start a
//! transaction and give it the connection.
//!
//! All listeners run on one thread, which is a door of the region; a connection
//! is a task there until its transaction took it. A refused client receives the
//! reason before its connection is closed.
//!
//! Reference: IP CICS Sockets Guide, "CICS application transaction (IBM
//! listener)".

pub mod connection;
pub mod exit;
pub mod header;
pub mod message;
pub mod refusal;
mod run;

pub use connection::{DRAIN_TIME, last_words};
pub use run::{ListenerContext, ListenerControl, ListenerSet};
