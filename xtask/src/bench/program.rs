//! The programs that benches run: ours in release, peers from the path.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

use crate::cargo::cargo;

/// The release binary of `tupelo`, built once a run, or the one that
/// `TUPELO_BINARY` names.
pub fn tupelo() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("TUPELO_BINARY") {
        return Ok(path.into());
    }
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    if let Some(path) = BUILT.get() {
        return Ok(path.clone());
    }
    let path = build(&["--bin", "tupelo"], "tupelo")?;
    Ok(BUILT.get_or_init(|| path).clone())
}

/// The release build of an example program that serves as a peer. The whole workspace is
/// chosen, so that all of them are built of the same dependencies.
pub fn example(name: &str) -> Result<PathBuf> {
    build(
        &["--workspace", "--example", name],
        &format!("examples/{name}"),
    )
}

/// A peer that may be installed.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn build(what: &[&str], file: &str) -> Result<PathBuf> {
    let status = cargo()
        .args(["build", "--quiet", "--release"])
        .args(what)
        .status()
        .context("cargo could not be started")?;
    if !status.success() {
        bail!("cargo build --release {} failed", what.join(" "));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    Ok(target.join("release").join(file))
}
