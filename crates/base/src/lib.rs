//! What every layer needs once: the nearest name to a misspelt one, and
//! hexadecimal digits. The crate depends on no other crate of the workspace.

#![forbid(unsafe_code)]

pub mod hex;
mod names;

pub use names::nearest;
