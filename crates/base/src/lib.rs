//! What every layer needs once: the nearest name to a misspelt one, hexadecimal
//! digits, random numbers from a seed. The crate depends on no other crate of the workspace.

#![forbid(unsafe_code)]

pub mod hex;
mod names;
mod random;

pub use names::nearest;
pub use random::SeededRandom;
