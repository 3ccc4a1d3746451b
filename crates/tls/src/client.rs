//! TLS configurations for clients.

use crate::{FileError, ReloadingSettings, pem};
use rustls::client::WantsClientCert;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files of a client that shows a certificate, each in PEM.
#[derive(Debug, Clone)]
pub struct ClientFiles {
    /// Certificate chain.
    pub certificate: PathBuf,
    /// Private key.
    pub key: PathBuf,
    /// Certificates of the authorities that sign those of servers.
    pub authorities: PathBuf,
}

/// What a client shows to servers that ask for it, each file in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientIdentity {
    /// Certificate chain.
    pub certificate: PathBuf,
    /// Private key.
    pub key: PathBuf,
}

/// A client that shows no certificate.
///
/// # Errors
/// rustls refuses its own settings.
pub fn client(roots: RootCertStore) -> Result<Arc<ClientConfig>, rustls::Error> {
    Ok(Arc::new(builder(roots)?.with_no_client_auth()))
}

/// A client with these files.
///
/// # Errors
/// Which file cannot be used.
pub fn client_with_certificate(
    files: ClientFiles,
) -> Result<ReloadingSettings<ClientConfig>, FileError> {
    let watched = [&files.certificate, &files.key, &files.authorities];
    let watched = watched.into_iter().cloned().collect();
    let ClientFiles {
        certificate,
        key,
        authorities,
    } = files;
    ReloadingSettings::new(watched, move || {
        shown(&certificate, &key, pem::authorities(&authorities)?)
    })
}

/// A client that shows a certificate, which is read again when it is written,
/// and trusts servers by these authorities.
///
/// # Errors
/// Which file cannot be used.
pub fn client_that_shows(
    (certificate, key): (PathBuf, PathBuf),
    roots: RootCertStore,
) -> Result<ReloadingSettings<ClientConfig>, FileError> {
    let watched = vec![certificate.clone(), key.clone()];
    ReloadingSettings::new(watched, move || shown(&certificate, &key, roots.clone()))
}

fn shown(certificate: &Path, key: &Path, roots: RootCertStore) -> Result<ClientConfig, FileError> {
    let private = pem::private_key(key)?;
    let chain = pem::certificates(certificate)?;
    builder(roots)
        .and_then(|b| b.with_client_auth_cert(chain, private))
        .map_err(|e| FileError::new(key, e))
}

fn builder(
    roots: RootCertStore,
) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots))
}
