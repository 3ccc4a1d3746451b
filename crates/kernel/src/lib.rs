//! What decides in a region, without threads, sockets, files or a clock.
//!
//! [`core`] admits tasks and gives them places in workers; the kernel has locks,
//! timers, waits and units of work; [`resources`] are what tasks can name, a
//! folder a kind. Each is given the time and what happened, and gives back what
//! must be done: [`core::Action`], [`Effect`]. `sim` plays them by seed.
//!
//! The crate `region` is the shell on top: it has the store, the workers and the
//! threads.
//!
//! Invariant: a module uses those above it in this list only: types, core,
//! kernel, resources, sim.

pub mod core;
mod kernel;
pub mod resources;
#[cfg(any(test, feature = "sim"))]
pub mod sim;
mod types;

pub use crate::kernel::*;
pub use crate::types::*;
pub use resources::Kernel;
