//! Clients that check less of a server than its name and chain.
//!
//! For protocols whose users choose so, as PostgreSQL's `sslmode` does: the chain
//! without the name, or nothing but that the bytes are encrypted.
//!
//! Invariant: signatures of the handshake are always checked, so the server has the
//! key of the certificate that it shows.
//!
//! Reference: PostgreSQL, "libpq: SSL Support".

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

/// A verifier that accepts every certificate.
pub fn accept_any(provider: Arc<CryptoProvider>) -> Arc<dyn ServerCertVerifier> {
    Arc::new(LooseVerifier {
        provider,
        chain: None,
    })
}

/// A client that accepts every certificate.
///
/// # Errors
/// rustls refuses its own settings.
pub fn client_without_check() -> Result<Arc<ClientConfig>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    client_with(provider.clone(), accept_any(provider))
}

/// A client that accepts certificates of these authorities for any name.
///
/// # Errors
/// The authorities are none.
pub fn client_for_any_name(roots: RootCertStore) -> Result<Arc<ClientConfig>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .build()
        .map_err(|error| Error::General(error.to_string()))?;
    let verifier = LooseVerifier {
        provider: provider.clone(),
        chain: Some(chain),
    };
    client_with(provider, Arc::new(verifier))
}

fn client_with(
    provider: Arc<CryptoProvider>,
    verifier: Arc<dyn ServerCertVerifier>,
) -> Result<Arc<ClientConfig>, Error> {
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?;
    let builder = builder
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    Ok(Arc::new(builder.with_no_client_auth()))
}

#[derive(Debug)]
struct LooseVerifier {
    provider: Arc<CryptoProvider>,
    /// Checks the chain; `None` to check nothing.
    chain: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for LooseVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(chain) = &self.chain else {
            return Ok(ServerCertVerified::assertion());
        };
        let found =
            chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match found {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
