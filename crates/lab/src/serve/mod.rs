//! Servers of the laboratory's own: an application folder in a temporary place,
//! `tupelo serve` over it on free loopback ports, and what it tells of itself.
//!
//! [`ServedApplication`] is what is served, [`Server`] is one that runs,
//! [`MetricsReading`] and [`Record`] are what it says: counters of the whole server,
//! and one record a task. Every wait has an end, and nothing stays behind:
//! dropping a server stops it and removes its folder.

mod application;
mod interrupt;
mod metrics;
mod record;
mod server;

pub use application::{HttpProgram, ServedApplication};
pub use interrupt::{interrupted, stop_flag};
pub use metrics::MetricsReading;
pub use record::{Record, RecordFile};
pub use server::Server;
