//! 3270 terminals of a region.
//!
//! [`Terminals`] listens for TN3270 and TN3270E clients. Each connection is a
//! session of the crate `tn3270` and a facility of the region
//! ([`region::FacilityDef`]): what its user enters begins tasks, and what tasks
//! send goes to its screen. [`Terminals`] is also the region's service for SEND
//! MAP, RECEIVE MAP, SEND TEXT and SEND CONTROL, with the maps of [`MapTable`].
//!
//! Invariant: between two inputs a terminal holds no task; its connection has one
//! future and no buffer.

#![forbid(unsafe_code)]

mod commands;
mod config;
mod connection;
mod display;
mod input;
mod maps;
mod messages;
mod names;
mod page;
mod service;

pub use config::{TerminalConfig, Uppercase};
pub use maps::MapTable;
pub use service::{Terminals, metrics_sample};
