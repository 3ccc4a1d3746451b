//! Commands of iproute2, run inside a namespace.

use super::NetworkNamespace;
use crate::error::LabError;
use std::io;
use std::process::{Command, Stdio};

impl NetworkNamespace {
    /// Runs `ip` with these words. Its complaint is the error.
    pub fn ip(&self, words: &str) -> Result<(), LabError> {
        let output = self.run(|| {
            Command::new("ip")
                .args(words.split_whitespace())
                .stdin(Stdio::null())
                .output()
        })?;
        let output = output.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => LabError::Missing("ip"),
            _ => LabError::system("ip")(error),
        })?;
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let command = format!("ip {words}");
        if message.contains("Operation not permitted") {
            return Err(super::permission::refused(&command)(
                io::ErrorKind::PermissionDenied.into(),
            ));
        }
        Err(LabError::Command { command, message })
    }
}
