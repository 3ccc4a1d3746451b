//! TLS of servers and clients, for every door: certificates, keys and
//! authorities from files in PEM, the settings of rustls, and the names in the
//! certificates that clients show. rustls does the work.
//!
//! Whatever file cannot be used is named with the reason.
//!
//! Reference: RFC 8446; RFC 5280; RFC 7468.

mod certificate;
mod client;
mod loose;
mod pem;
mod reloading;
mod server;

pub use certificate::{Certificate, DistinguishedName, common_name};
pub use client::{ClientFiles, ClientIdentity, client, client_that_shows, client_with_certificate};
pub use loose::{ServerCheck, accept_any, client_that_checks};
pub use pem::{authorities, trusted};
pub use reloading::ReloadingSettings;
pub use server::{ClientCertificates, ServerFiles, server};

use std::path::{Path, PathBuf};

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", file.display())]
pub struct FileError {
    /// The file.
    pub file: PathBuf,
    /// Why the file cannot be used.
    pub reason: String,
}

impl FileError {
    fn new(file: &Path, reason: impl std::fmt::Display) -> FileError {
        FileError {
            file: file.to_owned(),
            reason: reason.to_string(),
        }
    }
}
