//! Cargo, as a person would call it at a terminal.
//!
//! `cargo run` passes its program the package that it belongs to, and build
//! scripts of dependencies (ring's) run again when that changes: all that
//! depends on them would be compiled again whenever a task and a person take
//! turns.
//!
//! Reference: The Cargo Book, "Environment Variables".

use std::process::Command;

/// The cargo that runs this, without what it says of this package.
pub fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    command
}
