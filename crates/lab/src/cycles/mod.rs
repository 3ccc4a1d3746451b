//! Paper 001's cycle: a gateway opens two sockets, one to send and one to receive,
//! and a region answers its requests on them. The region serves its sockets in one
//! of several ways. The CPU of a message by engine class is the difference of the
//! region's counters before and after.
//!
//! The application is that of `examples/sockets`, unchanged.

mod application;
mod case;
mod run;

pub use application::{LOOPS, application};
pub use case::{CASES, CycleCase};
pub use run::{CycleResult, Region, application_us, plan};
