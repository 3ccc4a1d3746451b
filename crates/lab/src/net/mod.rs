//! Networks that an experiment makes for itself: namespaces joined by veth
//! pairs, with a forwarder between them that delays, loses and reorders.
//!
//! A namespace has no name in the system: a descriptor of this process and its
//! threads keep it alive. When the process ends, for any reason, the kernel removes
//! namespaces, interfaces and routes. So nothing can be left over, and two
//! laboratories do not conflict.

mod forwarder;
mod impair;
mod ip;
mod namespace;
mod offload;
pub mod packet;
pub mod permission;
mod wire;

pub use forwarder::{ForwarderCounts, FrameForwarder};
pub use impair::{FrameFate, ImpairedDirection, Impairment};
pub use namespace::{NetworkNamespace, enter};
pub use wire::{CLIENT, EmulatedPath, PORT, Route, SERVER, SERVER_HARDWARE, WirePlan};
