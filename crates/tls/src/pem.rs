//! Files in PEM: certificate chains, private keys, authorities.

use crate::FileError;
use rustls::RootCertStore;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;

/// The certificates of a file, at least one.
pub(crate) fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, FileError> {
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(file)
        .and_then(|certificates| certificates.collect())
        .map_err(|e| FileError::new(file, format!("not a certificate in PEM: {e}")))?;
    if chain.is_empty() {
        Err(FileError::new(
            file,
            "the file contains no certificate in PEM",
        ))
    } else {
        Ok(chain)
    }
}

/// The private key of a file.
pub(crate) fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, FileError> {
    PrivateKeyDer::from_pem_file(file)
        .map_err(|e| FileError::new(file, format!("not a private key in PEM: {e}")))
}

/// The certificates of a file, as authorities that sign those of others.
///
/// # Errors The file cannot be read, or one of its certificates is not an
/// authority's.
pub fn authorities(file: &Path) -> Result<RootCertStore, FileError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        let added = roots.add(certificate);
        added.map_err(|e| FileError::new(file, e))?;
    }
    Ok(roots)
}

/// Authorities that servers are trusted by: those of a file, or the system's
/// (`SSL_CERT_FILE` and `SSL_CERT_DIR` name others).
///
/// # Errors A message: the file cannot be used, or the system has no
/// certificates.
pub fn trusted(file: Option<&Path>) -> Result<RootCertStore, String> {
    if let Some(file) = file {
        return authorities(file).map_err(|e| e.to_string());
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        Err("this system has no trusted certificates; name a file of them".into())
    } else {
        Ok(roots)
    }
}
