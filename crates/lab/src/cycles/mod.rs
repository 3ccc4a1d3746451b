//! Paper 001's cycle: a gateway opens two sockets, one to send and one to
//! receive, and has requests answered on them by a region, whose sockets are
//! served in one of several ways. What a message costs by kind of engine is
//! read from the region before and after.
//!
//! The application is that of `examples/sockets`, unchanged.

mod application;
mod case;
mod run;

pub use application::{LOOPS, application};
pub use case::{CASES, CycleCase};
pub use run::{CycleResult, Region, application_us, plan};
