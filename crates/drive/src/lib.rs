//! Controlled load: presentation rates, think time, the knee, and what one
//! request costs the server.

pub mod clock;
pub mod engine;
pub mod feeder;
pub mod http1;
pub mod load;
pub mod message;
mod net;
pub mod plan;
pub mod profile;
pub mod rng;
pub mod server;
pub mod tls;
pub mod units;
pub mod url;
