//! HTTP/1.1 as the driver speaks it: a request is bytes prepared once, a
//! response is recognised as it arrives and never stored unless a check or a
//! capture asks for it.
//!
//! Reference: RFC 9112. Invariant: no socket and no clock in here.

mod response;

pub use response::{Feed, Malformed, Response};
