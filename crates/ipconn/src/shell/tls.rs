//! TLS of connections: both sides show a certificate.

use std::path::Path;

use rustls::{ClientConfig, ServerConfig};
use rustls_pki_types::ServerName;
use tls::{ClientCertificates, ClientFiles, FileError, ReloadingSettings, ServerFiles};

use crate::{ConfigError, IpconnConfig, TlsFiles};

/// Why a certificate, a key, an authority or a name cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The name cannot be that of a certificate.
    #[error("{0} is not a name that a certificate can contain")]
    Name(String),
}

/// Every file of these settings that cannot be used.
pub fn faults(config: &IpconnConfig, folder: &Path) -> Vec<ConfigError> {
    let mut faults = Vec::new();
    let mut say = |section: String, error: Option<TlsError>| {
        let fault = |error: TlsError| ConfigError {
            key: format!("{section} certificate"),
            why: error.to_string(),
        };
        faults.extend(error.map(fault));
    };
    if let Some(files) = config.tls.as_ref().filter(|_| config.listen.is_some()) {
        say("[ipconn.tls]".into(), acceptor(folder, files).err());
    }
    for (name, connection) in &config.connections {
        let Some(files) = &connection.tls else {
            continue;
        };
        let error = connector(folder, files, &connection.address).err();
        say(format!("[ipconn.connections.{name}.tls]"), error);
    }
    faults
}

/// The TLS configuration for accepting partners.
pub fn acceptor(
    folder: &Path,
    files: &TlsFiles,
) -> Result<ReloadingSettings<ServerConfig>, TlsError> {
    let files = ServerFiles {
        certificate: folder.join(&files.certificate),
        key: folder.join(&files.key),
        clients: Some(ClientCertificates {
            authorities: folder.join(&files.authorities),
            required: true,
        }),
    };
    Ok(tls::server(files, &[])?)
}

/// The TLS configuration for calling a region, and the name that its
/// certificate must have.
pub fn connector(
    folder: &Path,
    files: &TlsFiles,
    address: &str,
) -> Result<(ReloadingSettings<ClientConfig>, ServerName<'static>), TlsError> {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let name = files.name.as_deref().unwrap_or(host);
    let named = ServerName::try_from(name.to_owned());
    let named = named.map_err(|_| TlsError::Name(name.to_owned()))?;
    let files = ClientFiles {
        certificate: folder.join(&files.certificate),
        key: folder.join(&files.key),
        authorities: folder.join(&files.authorities),
    };
    Ok((tls::client_with_certificate(files)?, named))
}
