//! TLS for the driver's connections: what a run trusts, and the name a
//! certificate must carry. rustls does the work.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// TLS of one target.
#[derive(Clone, Debug)]
pub struct TlsTarget {
    /// What is offered and trusted.
    pub config: Arc<ClientConfig>,
    /// The name the certificate must carry.
    pub name: ServerName<'static>,
}

/// Whom a run trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
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
    /// The host is not a name a certificate can carry.
    #[error("`{0}` is not a name that a certificate can carry")]
    Name(String),
    /// rustls refuses the settings.
    #[error(transparent)]
    Settings(#[from] rustls::Error),
}

impl TlsTarget {
    /// TLS to `host`, offering HTTP/2 or HTTP/1.1.
    pub fn new(host: &str, trust: &Trust, http2: bool) -> Result<TlsTarget, TlsError> {
        let name =
            ServerName::try_from(host.to_owned()).map_err(|_| TlsError::Name(host.to_owned()))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()?;
        let mut config = if trust.insecure {
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AcceptAny(provider)))
                .with_no_client_auth()
        } else {
            let roots = roots(trust.ca_file.as_deref())?;
            builder.with_root_certificates(roots).with_no_client_auth()
        };
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

fn roots(file: Option<&Path>) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    let Some(file) = file else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return Ok(roots);
    };
    let failed = |why: String| TlsError::CaFile(file.to_owned(), why);
    let certificates =
        CertificateDer::pem_file_iter(file).map_err(|error| failed(error.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| failed(error.to_string()))?;
        roots.add(certificate)?;
    }
    if roots.is_empty() {
        return Err(failed("no certificate in the file".into()));
    }
    Ok(roots)
}

/// Accepts every certificate, for test systems with their own.
#[derive(Debug)]
struct AcceptAny(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
