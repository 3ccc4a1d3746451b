//! Files of settings: TOML with the place of every key, and every mistake of a file at
//! once.
//!
//! `tupelo.toml` and the scenarios of `tupelo drive` are read with these functions, so
//! that both report the same mistake in the same words. What a key means, and which
//! values it allows, is known to the reader of the file.
//! Invariant: texts only; nothing here opens a file.

#![forbid(unsafe_code)]

mod places;
mod syntax;
mod values;
mod words;

pub use places::{KeyPlace, KeyPlaces, position};
pub use syntax::syntax_mistakes;
pub use values::{ValueMistake, read_values};
pub use words::{missing_key, shortened, unknown_key, wrong_value, wrong_word};
