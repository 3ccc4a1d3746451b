//! What doors hold: handles on a running region, ports of threads, and open tasks.
//!
//! A door attaches a port once a thread, begins tasks, writes their input in
//! place and reads their output in place. Nothing here knows a wire format.
//! Everything stands on the shell, which does not know this module.

mod door;
mod facilities;
mod open;
mod operating;
mod region;
mod starts;

pub use door::{DoorRuntime, TerminalRuntime};
pub use open::{OnePhaseOutcome, OpenTask, PrepareOutcome};
pub use region::{Handle, Port, Region, block_on};
