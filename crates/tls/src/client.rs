//! What servers are called with.

use crate::{FileError, Reloading, pem};
use rustls::client::WantsClientCert;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
use std::path::PathBuf;
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
pub fn client_with_certificate(files: ClientFiles) -> Result<Reloading<ClientConfig>, FileError> {
    let watched = [&files.certificate, &files.key, &files.authorities];
    let watched = watched.into_iter().cloned().collect();
    Reloading::new(watched, move || files.read())
}

impl ClientFiles {
    fn read(&self) -> Result<ClientConfig, FileError> {
        let private = pem::private_key(&self.key)?;
        let chain = pem::certificates(&self.certificate)?;
        let roots = pem::authorities(&self.authorities)?;
        builder(roots)
            .and_then(|b| b.with_client_auth_cert(chain, private))
            .map_err(|e| FileError::new(&self.key, e))
    }
}

fn builder(
    roots: RootCertStore,
) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots))
}
