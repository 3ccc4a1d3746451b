//! The stack from outside: two nodes over a virtual link, and misbehaving
//! peers.

mod basics;
mod harness;
mod hostile;
mod soak;
mod traces;
mod wireshark;
