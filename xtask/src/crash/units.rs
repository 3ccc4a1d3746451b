//! Kills where a participant other than the store decides the units.
//!
//! The region's own test has a small region and a small data base as processes,
//! and runs as many kills as it is asked for. It needs neither COBOL nor a build of
//! the whole program.

use std::process::Command;

use anyhow::{Context, Result};

/// Runs the test; false when a rule is broken.
pub fn run(kills: u32, seed: u64, seconds: Option<u64>) -> Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args([
            "test",
            "--package",
            "region",
            "--test",
            "crash",
            "--",
            "--nocapture",
        ])
        .env("CRASH_KILLS", kills.to_string())
        .env("CRASH_SEED", seed.to_string());
    if let Some(seconds) = seconds {
        command.env("CRASH_SECONDS", seconds.to_string());
    }
    let status = command.status().context("cargo test")?;
    Ok(status.success())
}
