//! The gateway as its clients see it, in front of programs that are closures.

mod archives;
mod bank;
mod client;
mod declared;
mod derived;
mod fake;
mod hostile;
mod http2;
mod import;
mod import_bodies;
mod load;
mod observe;
mod operations;
mod perfchannel;
mod promises;
mod security;
mod tls;
mod tokens;
mod versions;
mod wire;

use gateway::{Gateway, GatewayConfig, LoadedApi};
use std::path::PathBuf;

/// A folder of the examples.
fn example(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(path)
}

fn config() -> GatewayConfig {
    GatewayConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        admin: Some(([127, 0, 0, 1], 0).into()),
        threads: 1,
        ..GatewayConfig::default()
    }
}

fn start(apis: &str, fake: fake::Fake) -> Gateway<fake::Fake> {
    let apis = LoadedApi::load_all(&example(apis)).unwrap_or_else(|faults| panic!("{faults}"));
    Gateway::start(config(), apis, fake).unwrap_or_else(|e| panic!("{e}"))
}
