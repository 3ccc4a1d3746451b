//! APING: does the partner answer, and how fast?
//!
//! The client sends its version and receives the server's, then exchanges data
//! as often as requested: `consecutive` records of `size` bytes one way, and
//! the same back, or a confirmation if it only sends. The conversation is
//! mapped, with sync level confirm, and works with any APINGD.
//!
//! Reference: the public documentation of APING 2.43; VTAM's DISPLAY APING.

mod client;
mod report;
mod server;

pub use client::{ApingOptions, run};
pub use report::{ApingReport, Exchange, Foot, Head};
pub use server::{TP_NAME, define};

/// The version that both ends send: 2.43.
pub(crate) const VERSION: [u8; 3] = [1, 2, 43];
/// Tag of the operating system's name in the server's answer.
pub(crate) const SYSTEM_TAG: u8 = 2;
