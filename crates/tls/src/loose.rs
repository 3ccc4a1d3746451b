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

use crate::client::ClientIdentity;
use crate::pem;

/// A verifier that accepts every certificate.
pub fn accept_any(provider: Arc<CryptoProvider>) -> Arc<dyn ServerCertVerifier> {
    Arc::new(LooseVerifier {
        provider,
        chain: None,
    })
}

/// What a client checks of a server's certificate.
#[derive(Debug, Clone)]
pub enum ServerCheck {
    /// Nothing.
    Nothing,
    /// The chain to these authorities, for any name.
    Chain(RootCertStore),
    /// The chain and the server's name.
    Name(RootCertStore),
}

/// A client that checks so much, and shows a certificate if the server asks for one.
/// The files are read once.
///
/// # Errors
/// A message: which file cannot be used, or rustls refuses its own settings.
pub fn client_that_checks(
    check: ServerCheck,
    identity: Option<&ClientIdentity>,
) -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = match check {
        ServerCheck::Name(roots) => builder.with_root_certificates(roots),
        ServerCheck::Nothing => {
            let verifier = accept_any(provider);
            builder
                .dangerous()
                .with_custom_certificate_verifier(verifier)
        }
        ServerCheck::Chain(roots) => {
            let chain =
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
                    .build()
                    .map_err(|error| error.to_string())?;
            let verifier = Arc::new(LooseVerifier {
                provider,
                chain: Some(chain),
            });
            builder
                .dangerous()
                .with_custom_certificate_verifier(verifier)
        }
    };
    let Some(identity) = identity else {
        return Ok(Arc::new(builder.with_no_client_auth()));
    };
    let key = pem::private_key(&identity.key).map_err(|error| error.to_string())?;
    let chain = pem::certificates(&identity.certificate).map_err(|error| error.to_string())?;
    let config = builder.with_client_auth_cert(chain, key).map_err(|error| {
        let (certificate, key) = (identity.certificate.display(), identity.key.display());
        format!("{certificate} and {key}: {error}")
    })?;
    Ok(Arc::new(config))
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
