//! Sockets without a runtime: non-blocking descriptors, one epoll and one
//! timer a thread. A runtime's wake-ups and its millisecond timers are what a
//! driver that promises a constant rate cannot afford.

mod poller;
mod socket;
pub mod stamp;
mod stream;

pub use poller::{Poller, ReadySocket};
pub use socket::{connect, why_not};
pub use stream::Stream;
