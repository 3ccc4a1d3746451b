//! How the binary is linked: relocations packed, equal functions once.
//!
//! A position-independent binary of this size has some 65,000 relocations of 24
//! bytes each, which every start of a worker reads. Packed (DT_RELR) they take a
//! thirtieth. Only loaders from glibc 2.36 on read packed relocations; a build on an
//! older system does not pack them. Equal functions are folded by lld, which rustc
//! includes for this target from 1.90 on.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|v| v == value);
    let native = std::env::var("HOST").ok() == std::env::var("TARGET").ok();
    if !native || !is("CARGO_CFG_TARGET_ENV", "gnu") || !is("PROFILE", "release") {
        return;
    }
    if version("ldd", 2) >= Some(36) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    let rustc = std::env::var("RUSTC").unwrap_or_default();
    if is("TARGET", "x86_64-unknown-linux-gnu") && version(&rustc, 1) >= Some(90) {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
}

/// The second number of the version that a program prints for `--version`, if the
/// first is `major`.
fn version(program: &str, major: u32) -> Option<u32> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.lines().next()?.split_whitespace();
    words.find_map(|word| {
        let (first, rest) = word.split_once('.')?;
        let second = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        (first.parse() == Ok(major)).then(|| second.parse().ok())?
    })
}
