//! Fuzzing: one target for a while, with the nightly compiler's coverage.
//!
//! The instrumentation is what `cargo fuzz` would ask for; going without it
//! keeps one tool less to install.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

/// What to fuzz and for how long.
#[derive(clap::Args)]
pub struct Args {
    /// A target of `fuzz/fuzz_targets`
    target: String,
    /// Seconds to run
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

/// Builds and runs the target; false when it found a failure.
pub fn run(args: &Args) -> Result<bool> {
    let flags = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
        -Cllvm-args=-sanitizer-coverage-pc-table -Zsanitizer=address \
        -Cdebug-assertions -Coverflow-checks";
    let host = "x86_64-unknown-linux-gnu";
    let built = Command::new("cargo")
        .args([
            "+nightly",
            "build",
            "--release",
            "--target",
            host,
            "--bin",
            &args.target,
        ])
        .current_dir("fuzz")
        .env("RUSTFLAGS", flags)
        .status()
        .context("cargo +nightly could not be started")?;
    if !built.success() {
        return Ok(false);
    }
    let corpus = PathBuf::from("fuzz/corpus").join(&args.target);
    std::fs::create_dir_all(&corpus)?;
    let ran = Command::new(format!("fuzz/target/{host}/release/{}", args.target))
        .arg(&corpus)
        .arg(format!("-max_total_time={}", args.seconds))
        .arg("-artifact_prefix=fuzz/")
        .status()
        .context("the fuzz target could not be started")?;
    Ok(ran.success())
}
