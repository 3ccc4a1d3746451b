//! Handles on a running region for doors, ports of threads, and open tasks.
//!
//! A door attaches a port once a thread, begins tasks, writes their input in
//! place and reads their output in place. Wire formats belong to the doors.
//! This module uses the shell, which does not use this module.

mod door;
mod facilities;
mod open;
mod operating;
mod region;
mod starts;

pub use door::{DoorRuntime, TerminalRuntime};
pub use open::{OnePhaseOutcome, OpenTask, PrepareOutcome};
pub use region::{Handle, Port, Region, block_on};
