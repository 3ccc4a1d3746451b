//! The node over real sockets, on loopback.

mod aping;
mod connections;
mod ethernet;
mod faults;
mod support;
mod traces;
mod transactions;
