//! The gateway's server answering a constant: the peer that its speed is
//! measured against.
//!
//! `constant ADDRESS BYTES [THREADS]` serves a JSON string of that many bytes
//! on every path until it is ended, and prints its address first.

use gateway::{GatewayConfig, constant};
use std::net::SocketAddr;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: constant ADDRESS BYTES [THREADS]";
    let listen: SocketAddr = arguments.next().ok_or(usage)?.parse()?;
    let bytes: usize = arguments.next().ok_or(usage)?.parse()?;
    let threads = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let body = format!("\"{}\"", "A".repeat(bytes.saturating_sub(2)));
    let config = GatewayConfig {
        listen,
        threads,
        ..GatewayConfig::default()
    };
    let gateway = constant::start(config, body.into())?;
    println!("{}", gateway.address());
    loop {
        std::thread::park();
    }
}
