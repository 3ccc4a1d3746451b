//! What every layer needs once: findings about texts with their places, the nearest
//! name to a misspelt one, hexadecimal digits, the calendar, random numbers from a
//! seed, a writer of pcapng files, files that only their owner can read. The crate depends on no other crate of the workspace.

#![forbid(unsafe_code)]

pub mod calendar;
mod diagnostic;
pub mod hex;
mod names;
pub mod pcapng;
mod private_file;
mod random;

pub use diagnostic::{Diagnostic, Severity};
pub use names::nearest;
pub use private_file::replace_private;
pub use random::SeededRandom;
