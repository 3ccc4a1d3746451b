//! Controlled load: presentation rates, think time, the knee, and what one
//! request costs the server.

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
pub mod rng;
pub mod scenario;
pub mod scrape;
pub mod selftest;
pub mod server;
pub mod session;
pub mod summary;
pub mod tls;
pub mod units;
pub mod url;
