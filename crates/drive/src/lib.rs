//! Controlled load: presentation rates, think time, the knee, and what one
//! request costs the server.
//!
//! [`load::HttpLoad`] is the short way: one kind of request, a number of clients or
//! a rate. [`scenario`] reads files that describe more. Both make a [`plan::Plan`],
//! which [`engine::run`] executes. [`session::Session`] adds what servers used and
//! makes a report. [`capacity`] searches for the knee, [`merge`] adds the logs of
//! several machines, [`import`] reads recordings of other tools, [`cli`] is `tupelo
//! drive`.
//!
//! ```no_run
//! let mut load = drive::load::HttpLoad::new("http://127.0.0.1:8080/accounts/1");
//! load.clients = 50;
//! let outcome = load.run()?;
//! let response = outcome.sum().response;
//! println!("{:.0}/s, p99 {} ns", outcome.throughput(), response.quantile(0.99));
//! # Ok::<(), drive::load::LoadError>(())
//! ```
//!
//! Invariant: it measures from the wire and from the kernel's accounting, never
//! from the internals of the system under test. So it works with any HTTP, socket,
//! LU 6.2 or 3270 system.

pub mod appc;
pub mod baseline;
pub mod capacity;
pub mod cli;
pub mod clock;
pub mod engine;
pub mod export;
pub mod feeder;
pub mod http1;
pub mod import;
pub mod live;
pub mod load;
pub mod merge;
pub mod message;
mod net;
pub mod objective;
pub mod observe;
pub mod plan;
pub mod preflight;
pub mod profile;
pub mod recording;
pub mod scenario;
pub mod scrape;
pub mod selftest;
pub mod server;
pub mod session;
pub mod summary;
pub mod terminal;
pub mod tls;
pub mod units;
pub mod url;
