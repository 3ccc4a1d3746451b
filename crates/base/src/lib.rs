//! What every layer needs once: findings about texts with their places, the nearest
//! name to a misspelt one, hexadecimal digits, the calendar, random numbers from a
//! seed, a writer of pcapng files, files that only their owner can read, text in lines of
//! limited width. The crate depends on no other crate of the workspace.

#![forbid(unsafe_code)]

pub mod calendar;
mod diagnostic;
mod excerpt;
pub mod hex;
mod names;
pub mod pcapng;
mod private_file;
mod random;
mod wrap;

pub use diagnostic::{Diagnostic, Severity};
pub use excerpt::excerpt;
pub use names::{did_you_mean, nearest, suggestion, suggestion_or_all};
pub use private_file::replace_private;
pub use random::SeededRandom;
pub use wrap::wrapped;
