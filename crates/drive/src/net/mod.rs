//! Sockets without an async runtime: non-blocking descriptors, one epoll and one
//! timer for each thread. The wake-ups and millisecond timers of a runtime are too
//! coarse for a driver that must keep a constant rate.

mod poller;
mod socket;
pub mod stamp;
mod stream;

pub use poller::{Poller, ReadySocket};
pub use socket::{connect, why_not};
pub use stream::Stream;
