//! TLS configurations for servers.

use crate::{FileError, ReloadingSettings, pem};
use rustls::ServerConfig;
use rustls::server::WebPkiClientVerifier;
use std::path::PathBuf;
use std::sync::Arc;

/// Files of a server's TLS, each in PEM.
#[derive(Debug, Clone)]
pub struct ServerFiles {
    /// Certificate chain.
    pub certificate: PathBuf,
    /// Private key.
    pub key: PathBuf,
    /// Clients that show a certificate of their own.
    pub clients: Option<ClientCertificates>,
}

/// Which certificates clients may show.
#[derive(Debug, Clone)]
pub struct ClientCertificates {
    /// Certificates of the authorities that sign them.
    pub authorities: PathBuf,
    /// Whether a client without one gets no connection.
    pub required: bool,
}

/// A server with these files that offers these protocols by ALPN, the dearest
/// first.
///
/// # Errors
/// Which file cannot be used.
pub fn server(
    files: ServerFiles,
    protocols: &[&[u8]],
) -> Result<ReloadingSettings<ServerConfig>, FileError> {
    let protocols: Vec<_> = protocols.iter().map(|p| p.to_vec()).collect();
    let authorities = files.clients.iter().map(|c| c.authorities.clone());
    let watched = [files.certificate.clone(), files.key.clone()];
    let watched = watched.into_iter().chain(authorities).collect();
    ReloadingSettings::new(watched, move || files.read(&protocols))
}

impl ServerFiles {
    fn read(&self, protocols: &[Vec<u8>]) -> Result<ServerConfig, FileError> {
        let chain = pem::certificates(&self.certificate)?;
        let private = pem::private_key(&self.key)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|e| FileError::new(&self.key, e))?;
        let builder = match &self.clients {
            None => builder.with_no_client_auth(),
            Some(clients) => {
                let roots = Arc::new(pem::authorities(&clients.authorities)?);
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider);
                let verifier = if clients.required {
                    verifier
                } else {
                    verifier.allow_unauthenticated()
                };
                let verifier = verifier.build();
                let verifier = verifier.map_err(|e| FileError::new(&clients.authorities, e))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let mut config = builder.with_single_cert(chain, private).map_err(|e| {
            FileError::new(
                &self.key,
                format!("does not belong to the certificate: {e}"),
            )
        })?;
        config.alpn_protocols = protocols.to_vec();
        Ok(config)
    }
}
