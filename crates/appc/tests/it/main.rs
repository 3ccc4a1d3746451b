//! The node over real sockets, on loopback.

mod aping;
mod connections;
mod driven;
mod ethernet;
mod faults;
mod names;
mod support;
mod traces;
mod transactions;
