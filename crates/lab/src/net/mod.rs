//! Networks that an experiment makes for itself: namespaces joined by veth
//! pairs, with a forwarder between them that delays, loses and reorders.
//!
//! A namespace has no name in the system: it is held by a descriptor of this
//! process and by threads inside it. When the process ends, in whatever way,
//! the kernel takes namespaces, interfaces and routes away; nothing can be
//! left behind and two laboratories cannot meet.

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
