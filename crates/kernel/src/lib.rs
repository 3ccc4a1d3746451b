//! The decisions of a region, without threads, sockets, files or a clock.
//!
//! [`core`] admits tasks and gives them places in workers; the kernel has locks, timers, waits
//! and units of work; [`resources`] has a module for each kind of resource that tasks can
//! name. Each gets the time and an event, and returns the work to do: [`core::Action`],
//! [`Effect`]. `sim` runs them in simulations by seed.
//!
//! Crate `region` is the shell around it: it has the store, the workers and the threads.
//!
//! Invariant: a module uses only modules before it in this list: types, core, kernel,
//! resources, sim.

pub mod core;
mod kernel;
pub mod resources;
#[cfg(any(test, feature = "sim"))]
pub mod sim;
mod types;

pub use crate::kernel::*;
pub use crate::types::*;
pub use resources::Kernel;
