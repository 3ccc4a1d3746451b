//! Servers of the laboratory: an application in a temporary folder, `tupelo serve`
//! with it on free loopback ports, and its metrics and records.
//!
//! [`ServedApplication`] is the application, [`Server`] the running server,
//! [`MetricsReading`] and [`Record`] its counters and its monitoring records. Every
//! wait has a limit, and nothing is left over: dropping a server stops it and
//! removes its folder.

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
