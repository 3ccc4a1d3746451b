//! EXEC SQL of a region: sessions with PostgreSQL, and units of work that
//! the server decides.
//!
//! A worker asks for a session at the first statement of a unit of work
//! ([`SqlService`]). The region connects, authenticates and lends the worker a
//! copy of the descriptor; the worker speaks the protocol itself. At the end of
//! the unit the region sends the unit's row and COMMIT over its own copy. Without
//! an address in the settings, [`cluster`] starts a private PostgreSQL in the
//! state folder when the first program needs it.
//!
//! Invariant: a program's session logs in as a role without privileges and stays
//! with one worker; what decides a unit is never sent by a worker.

pub mod address;
pub mod cluster;
mod config;
mod connection;
mod executor;
mod identity;
mod outcomes;
mod pool;
mod relay;
mod request;
mod server;
mod service;
mod session;
mod settle;
pub mod setup;
mod socket;
mod step_units;

#[cfg(test)]
mod attack_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tls_tests;

pub use address::{AddressError, ServerAddress, ServerUrl};
pub use config::{DateFormat, RoleSection, SqlConfig};
pub use connection::{ConnectError, Connection, ConnectionError, Exchange};
pub use relay::{TlsCheck, TlsOptions};
pub use server::{Server, ServerError, ServerSettings};
pub use service::{SqlService, metrics_sample};
pub use socket::inheritable_copy;
pub use step_units::{LeftUnits, StepUnits};
