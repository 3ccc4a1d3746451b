//! Wire formats of SNA for a type 2.1 node, each at two levels.
//!
//! In every module `Packet<T>` is a checked view over bytes, with one accessor
//! a field, and `Repr` is the meaning, with `parse` and `emit`. Views read in
//! place; nothing is copied or allocated for headers.
//! Bit 0 is the most significant bit of a byte; numbers are big-endian; names
//! are EBCDIC.
//! Reference: IBM *Systems Network Architecture Formats* (GA27-3136).
//!
//! Invariant: no `parse` and no accessor panics, whatever the bytes.

pub mod bind;
pub mod cnos;
pub mod dfc;
pub mod fmh5;
pub mod fmh7;
pub mod gds;
pub mod ipm;
pub mod piu;
pub mod ps_header;
pub mod rh;
pub mod ru_size;
pub mod security;
pub mod sense;
pub mod th;
pub mod unbind;
pub mod user_data;
pub mod vectors;

mod reader;

pub use reader::{Error, Result};
pub use sense::Sense;
