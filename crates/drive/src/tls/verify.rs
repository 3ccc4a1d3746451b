//! Verification of a server's certificate by rustls, or by a list of trusted
//! certificates.
//!
//! A self-signed certificate of `openssl req -x509` is that of a certification
//! authority (CA:TRUE), which webpki rejects as a server's. If this certificate itself
//! is listed as trusted it is accepted, as curl does.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use std::sync::Arc;

/// Accepts what the usual verifier accepts, and the given certificates.
#[derive(Debug)]
pub(super) struct ListedVerifier {
    /// The chain's verifier, which has the given certificates as its roots.
    pub usual: Arc<WebPkiServerVerifier>,
    /// Certificates that the user lists as trusted.
    pub certificates: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for ListedVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let usual = &self.usual;
        let refused = match usual.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Err(error) if self.certificates.contains(certificate) => error,
            verdict => return verdict,
        };
        if !is_of_its_place(&refused) {
            return Err(refused);
        }
        verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}

/// Whether the only fault is the certificate's position in the chain. webpki checks
/// the dates before the position, so the dates are valid if it reports the position.
fn is_of_its_place(error: &Error) -> bool {
    match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => true,
        Error::InvalidCertificate(CertificateError::Other(other)) => matches!(
            other.0.downcast_ref(),
            Some(webpki::Error::CaUsedAsEndEntity)
        ),
        _ => false,
    }
}
