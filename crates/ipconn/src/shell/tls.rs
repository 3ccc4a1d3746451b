//! TLS of connections: both sides show a certificate.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::TlsFiles;

/// Why a certificate, a key or an authority cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", file.display())]
pub struct TlsError {
    file: PathBuf,
    why: String,
}

type Pair = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// What partners are accepted with.
pub fn acceptor(folder: &Path, files: &TlsFiles) -> Result<TlsAcceptor, TlsError> {
    let (chain, key) = pair(folder, files)?;
    let authorities = folder.join(&files.authorities);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = Arc::new(roots(&authorities)?);
    let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone()).build();
    let verifier = verifier.map_err(|e| wrong(&authorities, &e))?;
    let key_file = folder.join(&files.key);
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| wrong(&key_file, &e))?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)
        .map_err(|e| wrong(&key_file, &e))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// What a region is called with, and the name that its certificate must have.
pub fn connector(
    folder: &Path,
    files: &TlsFiles,
    address: &str,
) -> Result<(TlsConnector, ServerName<'static>), TlsError> {
    let (chain, key) = pair(folder, files)?;
    let key_file = folder.join(&files.key);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| wrong(&key_file, &e))?
        .with_root_certificates(roots(&folder.join(&files.authorities))?)
        .with_client_auth_cert(chain, key)
        .map_err(|e| wrong(&key_file, &e))?;
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let name = files.name.as_deref().unwrap_or(host);
    let name = ServerName::try_from(name.to_owned()).map_err(|e| wrong(Path::new(name), &e))?;
    Ok((TlsConnector::from(Arc::new(config)), name))
}

fn pair(folder: &Path, files: &TlsFiles) -> Result<Pair, TlsError> {
    let key_file = folder.join(&files.key);
    let key = PrivateKeyDer::from_pem_file(&key_file)
        .map_err(|e| wrong(&key_file, &format!("no private key in PEM: {e}")))?;
    Ok((certificates(&folder.join(&files.certificate))?, key))
}

fn roots(file: &Path) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        roots.add(certificate).map_err(|e| wrong(file, &e))?;
    }
    Ok(roots)
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(file).and_then(|all| all.collect());
    match chain {
        Ok(chain) if !chain.is_empty() => Ok(chain),
        Ok(_) => Err(wrong(file, &"no certificate in PEM")),
        Err(e) => Err(wrong(file, &format!("no certificate in PEM: {e}"))),
    }
}

fn wrong(file: &Path, why: &dyn std::fmt::Display) -> TlsError {
    TlsError {
        file: file.to_owned(),
        why: why.to_string(),
    }
}
