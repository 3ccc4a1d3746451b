//! The commands: a file a group, each a function from the task's state and the
//! operands to the values that the program gets.
//!
//! The commands run on the region's dispatch thread and never wait. Work that has to wait,
//! for a server or for a client that reads its chunks, is passed to the
//! runtime of [`crate::client`] and answered from there.

pub mod addressing;
pub mod client;
pub mod document;
pub mod extract;
pub mod inquire;
pub mod parse;
pub mod resources;
pub mod send;

pub use webtask::headers;
pub use webtask::outcome::{
    CommandFailure, OutputAreas, WebCommandResult, answer, cvda, fail, is_selected, text,
};
