//! Solution Two: the region itself reads the messages of a connection, runs
//! the customer's program with each, and sends the answers.
//!
//! A listener accepts and reads the client's first message as usual. If the
//! transaction that it would start has a receiver here, the connection moves to
//! one of a few threads instead, which work for the offload engines and have
//! thousands of connections each. Every message is a task of its own.
//!
//! Pure parts: `framing`, `area` and `limits`.

pub mod area;
pub mod config;
mod connection;
pub mod framing;
mod limits;
mod memory;
mod reactor;
mod service;
mod sessions;
mod slab;
mod socket;
mod thread;

pub use config::PreparedReceiver;
pub use service::{AcceptedConnection, ReceiverService, ReceiverState, ReceiverStatus};
