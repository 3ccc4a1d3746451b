//! The driver against servers that behave, misbehave, and die.

mod appc;
mod bad_http2;
mod bad_peers;
mod closed_loop;
mod command;
mod cost;
mod files;
mod http2;
mod interrupts;
mod open_loop;
mod peers;
mod scenarios;
mod secure;
mod terminal;
