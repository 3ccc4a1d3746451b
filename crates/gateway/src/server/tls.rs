//! TLS: certificates that are read again when they are written, and clients
//! that show one of their own.
//!
//! A certificate counts for connections that begin after it was written; who
//! accepts one looks at the files, once a second at most. What cannot be used
//! is logged, and the last good certificate stays in force.

use super::{ClientCertificates, StartError, TlsConfig};
use crate::security::common_name;
use rustls::server::WebPkiClientVerifier;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Time between two looks at the files.
const LOOK: Duration = Duration::from_secs(1);

/// What TLS connections are accepted with.
pub struct Tls {
    config: TlsConfig,
    state: Mutex<State>,
}

struct State {
    acceptor: TlsAcceptor,
    looked: Instant,
    stamps: Vec<Option<(u64, SystemTime)>>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").field("config", &self.config).finish()
    }
}

impl Tls {
    /// Reads certificate, key and authorities.
    pub fn load(config: &TlsConfig) -> Result<Tls, StartError> {
        let stamps = stamps(config);
        let acceptor = acceptor(config)?;
        let state = State {
            acceptor,
            looked: Instant::now(),
            stamps,
        };
        Ok(Tls {
            config: config.clone(),
            state: Mutex::new(state),
        })
    }

    /// What the next connection is accepted with that does not speak HTTP: the
    /// same, but for the protocols that are offered.
    pub fn without_protocols(&self) -> Arc<rustls::ServerConfig> {
        let mut config = rustls::ServerConfig::clone(self.acceptor().config());
        config.alpn_protocols.clear();
        Arc::new(config)
    }

    /// What the next connection is accepted with.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= LOOK {
            state.looked = Instant::now();
            let now = stamps(&self.config);
            if now != state.stamps {
                state.stamps = now;
                match acceptor(&self.config) {
                    Ok(acceptor) => {
                        state.acceptor = acceptor;
                        tracing::info!("the TLS certificate was read again");
                    }
                    Err(e) => tracing::error!("{e}; the certificate it had before stays in force"),
                }
            }
        }
        state.acceptor.clone()
    }
}

/// The certificate that a client showed.
pub(super) fn client_certificate<S>(stream: &TlsStream<S>) -> Option<bytes::Bytes> {
    let shown = stream.get_ref().1.peer_certificates()?.first()?;
    Some(bytes::Bytes::copy_from_slice(shown))
}

/// The name in the certificate that a client showed.
pub(super) fn client_name<S>(stream: &TlsStream<S>) -> Option<String> {
    let shown = stream.get_ref().1.peer_certificates()?;
    common_name(shown.first()?)
}

fn stamps(config: &TlsConfig) -> Vec<Option<(u64, SystemTime)>> {
    let authorities = config.clients.as_ref().map(|clients| &clients.authorities);
    let files = [&config.certificate, &config.key]
        .into_iter()
        .chain(authorities);
    let stamp = |file: &PathBuf| {
        let about = file.metadata().ok()?;
        Some((about.len(), about.modified().ok()?))
    };
    files.map(stamp).collect()
}

/// Reads certificate and key; both protocols are offered by ALPN.
fn acceptor(config: &TlsConfig) -> Result<TlsAcceptor, StartError> {
    let wrong = |file: &Path, reason: String| StartError::Tls {
        file: file.to_owned(),
        reason,
    };
    let key = |reason: String| wrong(&config.key, reason);
    let chain = certificates(&config.certificate)?;
    let private = PrivateKeyDer::from_pem_file(&config.key)
        .map_err(|e| key(format!("no private key in PEM: {e}")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|e| key(e.to_string()))?;
    let builder = match &config.clients {
        None => builder.with_no_client_auth(),
        Some(ClientCertificates {
            authorities,
            required,
        }) => {
            let mut roots = rustls::RootCertStore::empty();
            for certificate in certificates(authorities)? {
                let added = roots.add(certificate);
                added.map_err(|e| wrong(authorities, e.to_string()))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let verifier = match required {
                true => verifier,
                false => verifier.allow_unauthenticated(),
            };
            let verifier = verifier
                .build()
                .map_err(|e| wrong(authorities, e.to_string()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut server = builder
        .with_single_cert(chain, private)
        .map_err(|e| key(format!("does not belong to the certificate: {e}")))?;
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(server)))
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, StartError> {
    let wrong = |reason: String| StartError::Tls {
        file: file.to_owned(),
        reason,
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(file)
        .and_then(|certificates| certificates.collect())
        .map_err(|e| wrong(format!("no certificate in PEM: {e}")))?;
    match chain.is_empty() {
        true => Err(wrong("no certificate in PEM".to_string())),
        false => Ok(chain),
    }
}
