//! Socket calls of programs: CALL 'EZASOKET' and its auxiliary routines.
//!
//! The worker takes a call's parameters as the manual orders them, sends
//! their values to the region, and stores the results. The region decides the
//! meaning of a call; this module has the parameters, and calls that need no
//! socket at all: addresses as text, masks, code pages. Where the region passes
//! descriptors, calls that only move data are made here (`local`).
//!
//! Reference: IP CICS Sockets Guide, "Sockets extended API".

mod blocks;
mod calls;
mod data;
mod hosts;
mod lists;
mod local;
mod masks;
mod parameters;
mod translate;

pub(crate) use calls::call;
pub(crate) use hosts::{HostArea, address_entry, host_entry};
pub(crate) use local::OwnSockets;
pub(crate) use masks::masks;
pub(crate) use translate::{from_latin, to_ascii, to_host, to_latin};
