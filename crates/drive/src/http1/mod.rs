//! HTTP/1.1 as the driver speaks it: a request is bytes prepared once, a
//! response is recognised as it arrives and never stored unless a check or a
//! capture asks for it.
//!
//! Own code and not a library, for HTTP/1.1 alone (HTTP/2 is the crate `h2`): the
//! whole driver costs 7.5 µs of CPU a request, of which most is the kernel's; wrk
//! costs 8.7 µs beside it, and oha, on hyper, 13.7 µs (`cargo xtask bench drive`).
//!
//! Reference: RFC 9112. Invariant: no socket and no clock in here.

mod response;

pub use response::{FeedResult, MalformedResponse, Response};
