//! The connection from a gateway or a region to a region: its frames, its
//! state machine, and the sockets around it.
//!
//! One connection carries many requests at once. Each has a number and one of the
//! negotiated sessions. Long messages are split, so that they do not block short
//! ones. [`wire`] and [`Connection`] are pure: bytes and milliseconds in, bytes and
//! events out. [`ConnectionPool`] is the caller, over one connection or several;
//! [`Listener`] is the server, which runs tasks of a region.
//!
//! Format: `docs/internals/ipconn.md`. It has the role that IPIC has between
//! CICS regions, and its words; it is not IPIC's format.
//!
//! ```
//! use ipconn::wire::{HelloMessage, WireName};
//! use ipconn::{Connection, ConnectionEvent};
//!
//! let mut caller = Connection::caller(HelloMessage::named("GATE").unwrap(), 0);
//! let mut server = Connection::server(HelloMessage::named("REGION").unwrap(), 0);
//! while caller.gather(0) {
//!     let [a, b] = caller.pieces();
//!     let bytes = [a, b].concat();
//!     caller.wrote(bytes.len(), 0);
//!     server.handle_input(0, &bytes).unwrap();
//! }
//! assert!(matches!(server.poll_event(), Some(ConnectionEvent::Greeted(hello)) if hello.applid == WireName::new("GATE").unwrap()));
//! ```

#![forbid(unsafe_code)]

mod config;
mod connection;
mod coordinating;
mod receiving;
mod sending;
mod serving;
mod shell;
#[cfg(feature = "sim")]
pub mod sim;
#[cfg(test)]
mod two_phase_tests;
mod units;
pub mod wire;

pub use config::{ConfigError, ConnectionConfig, IpconnConfig, TlsFiles};
pub use connection::{Connection, ConnectionEvent, Fault};
pub use coordinating::{
    BranchCoordinator, MessageSubject, OrderOutcome, ReplyOutcome, UnitMessage,
};
pub use shell::client::LocalIdentity;
pub use shell::directory::{ConnectionDirectory, ConnectionStatus, PartnerStatus};
pub use shell::linker::{
    CallInterrupt, CallerError, OpenCallback, PendingCall, RegionCaller, ReplyCallback,
};
pub use shell::pool::ConnectionPool;
pub use shell::program::{RemoteReply, RemoteTask};
pub use shell::server::{Listener, ServedRegion, StartError};
pub use shell::tls::faults as tls_faults;
pub use units::CallerConnection;
