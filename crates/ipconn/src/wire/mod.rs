//! The bytes of a connection: frames, greetings, and the messages in them.
//!
//! Invariant: all input is parsed or rejected. A length is used only as far as its
//! bytes have arrived.

mod directory;
mod frame;
mod hello;
mod reader;
mod reply;
mod request;
mod start;
#[cfg(test)]
mod tests;
mod unit;

pub use directory::{MAX_CONTAINERS, MessageContainerEntry};
pub use frame::{FrameKind, Header, MAX_CONTROL, MAX_PAYLOAD};
pub use hello::{EndNotice, HelloMessage, VERSION};
pub use reader::MalformedBytes;
pub use reply::{
    IN_UNIT_AT, InUnit, ReplyContainer, ReplyHead, ReplyMessage, RequestEnding, emit_reply,
};
pub use request::{Request, RequestBuilder, RequestHead, is_order};
pub use start::{emit_start, emit_started, parse_start};
pub use unit::{OfUnit, UnitStep, emit_units, parse_units};

/// A name of at most eight characters.
pub type WireName = region::Name<8>;
