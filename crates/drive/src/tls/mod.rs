//! TLS for the driver's connections, by rustls: the trusted certificates, and the name
//! that a server's certificate must have.

mod trial;
mod verify;
mod words;

pub use words::{words, words_of_io};

use rustls::client::WebPkiServerVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// TLS of one target.
#[derive(Clone, Debug)]
pub struct TlsTarget {
    /// Offered protocols and trusted certificates.
    pub config: Arc<ClientConfig>,
    /// The name that the certificate must have.
    pub name: ServerName<'static>,
}

/// The certificates that a run trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustSettings {
    /// A file of certificates in PEM, instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Accept any certificate.
    pub insecure: bool,
}

/// Why TLS cannot be set up.
#[derive(Debug, Error)]
pub enum TlsError {
    /// The file of certificates cannot be read.
    #[error("certificates in {0}: {1}")]
    CaFile(PathBuf, String),
    /// The host cannot be the name of a certificate.
    #[error("`{0}` is not a name that a certificate can carry")]
    Name(String),
    /// rustls refuses the settings.
    #[error(transparent)]
    Settings(#[from] rustls::Error),
}

impl TlsTarget {
    /// TLS to `host`, offering HTTP/2 or HTTP/1.1.
    pub fn new(host: &str, trust: &TrustSettings, http2: bool) -> Result<TlsTarget, TlsError> {
        let name =
            ServerName::try_from(host.to_owned()).map_err(|_| TlsError::Name(host.to_owned()))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()?;
        let verified = |verifier| {
            let builder = builder.clone().dangerous();
            builder.with_custom_certificate_verifier(verifier)
        };
        let builder = match &trust.ca_file {
            _ if trust.insecure => verified(tls::accept_any(provider)),
            Some(file) => verified(Arc::new(given(file, provider)?)),
            None => {
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
                builder.with_root_certificates(roots)
            }
        };
        let mut config = builder.with_no_client_auth();
        config.alpn_protocols = vec![if http2 {
            b"h2".to_vec()
        } else {
            b"http/1.1".to_vec()
        }];
        Ok(TlsTarget {
            config: Arc::new(config),
            name,
        })
    }
}

impl TlsTarget {
    /// The same target without ALPN, for protocols other than HTTP.
    pub fn without_alpn(self) -> TlsTarget {
        let mut config = ClientConfig::clone(&self.config);
        config.alpn_protocols.clear();
        TlsTarget {
            config: Arc::new(config),
            name: self.name,
        }
    }
}

/// Trusts the certificates of a file, as issuers and as servers' own.
fn given(file: &Path, provider: Arc<CryptoProvider>) -> Result<verify::ListedVerifier, TlsError> {
    let failed = |why: String| TlsError::CaFile(file.to_owned(), why);
    let found = CertificateDer::pem_file_iter(file).map_err(|error| failed(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    let mut certificates = Vec::new();
    for (i, certificate) in found.enumerate() {
        let wrong = |why: String| failed(format!("number {}: {why}", i + 1));
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        let added = roots.add(certificate.clone());
        added.map_err(|_| wrong("this is not an X.509 certificate".into()))?;
        certificates.push(certificate);
    }
    if roots.is_empty() {
        return Err(failed("no certificate in the file".into()));
    }
    let usual = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
    let usual = usual.map_err(|error| failed(error.to_string()))?;
    Ok(verify::ListedVerifier {
        usual,
        certificates,
    })
}
