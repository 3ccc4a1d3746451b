//! Language Environment services that programs CALL.
//!
//! A service is a function from the host and the arguments to a feedback code;
//! `services` holds one row for each. Without a feedback argument a code of
//! severity 2 or more ends the program, as an unhandled condition does
//! ([`UNHANDLED`]).
//! Reference: z/OS Language Environment programming reference, "Callable
//! services"; programming guide, "Termination behavior for unhandled
//! conditions".

mod arguments;
mod feedback;
mod messages;
mod picture;
mod services;
mod time;

pub use arguments::{CallArguments, ServiceHost, ServiceSettings, ServiceTime};
pub use services::{ServiceError, find, serve};

/// The user abend of a condition of severity 2 or more that has no handler.
pub const UNHANDLED: u16 = 4038;
