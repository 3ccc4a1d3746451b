//! 3270 terminals of a region.
//!
//! [`TerminalService`] listens for TN3270 and TN3270E clients. Each connection is a
//! session of the crate `tn3270` and a facility of the region
//! ([`region::FacilityDef`]): what its user enters begins tasks, and what tasks
//! send goes to its screen. [`TerminalService`] is also the region's service for SEND
//! MAP, RECEIVE MAP, SEND TEXT and SEND CONTROL, with the maps of [`MapTable`],
//! for sign-on and for INQUIRE and SET TERMINAL, and runs the transactions that
//! every region has ([`BUILT_INS`]).
//!
//! Invariant: between two inputs a terminal holds no task; its connection has one
//! future and no buffer.

#![forbid(unsafe_code)]

mod browser;
mod browses;
mod builtin;
mod commands;
mod config;
mod connection;
mod display;
mod eib;
mod host;
mod input;
mod maps;
mod messages;
mod names;
mod page;
mod panel;
mod service;
mod shared;
mod sign_on;
mod sink;
mod stepping;

pub use browser::{BrowserError, BrowserTerminals};
pub use builtin::{BUILT_INS, BuiltIn};
pub use config::{StartTlsSetting, TerminalConfig, Uppercase};
pub use host::{PasswordCheck, SignedOnUser, SnapshotKind, TerminalHost};
pub use maps::MapTable;
pub use page::code_table;
pub use service::{TerminalService, metrics_sample};
pub use shared::ServerTls;
