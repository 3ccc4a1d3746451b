//! The stack from outside: two nodes over a virtual link, and misbehaving
//! peers.

mod basics;
mod changes;
mod formats;
mod harness;
mod hostile;
mod lossy;
mod misconfigured;
mod pip;
mod soak;
mod traces;
mod wireshark;
