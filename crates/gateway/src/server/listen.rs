//! Sockets, certificates and threads.

use super::{StartError, TlsConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 4096;

/// One listener a door on one address; the kernel spreads the connections.
pub(super) fn bind_all(address: SocketAddr, doors: usize) -> Result<Vec<TcpListener>, StartError> {
    let fail = |source| StartError::Listen { address, source };
    let first = bind(address, doors > 1).map_err(fail)?;
    let taken = first.local_addr().map_err(fail)?;
    let mut all = vec![first];
    for _ in 1..doors {
        all.push(bind(taken, true).map_err(fail)?);
    }
    Ok(all)
}

fn bind(address: SocketAddr, shared: bool) -> io::Result<TcpListener> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    socket.set_reuse_address(true)?;
    if shared {
        socket.set_reuse_port(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

pub(super) fn address(l: &TcpListener, address: SocketAddr) -> Result<SocketAddr, StartError> {
    l.local_addr()
        .map_err(|source| StartError::Listen { address, source })
}

pub(super) fn spawn(
    name: &str,
    run: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, StartError> {
    std::thread::Builder::new()
        .name(name.to_string())
        .spawn(run)
        .map_err(StartError::Thread)
}

/// Reads certificate and key; both protocols are offered by ALPN.
pub(super) fn acceptor(config: &TlsConfig) -> Result<tokio_rustls::TlsAcceptor, StartError> {
    let certificate = |reason: String| StartError::Tls {
        file: config.certificate.clone(),
        reason,
    };
    let key = |reason: String| StartError::Tls {
        file: config.key.clone(),
        reason,
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&config.certificate)
        .and_then(|certificates| certificates.collect())
        .map_err(|e| certificate(format!("no certificate in PEM: {e}")))?;
    if chain.is_empty() {
        return Err(certificate("no certificate in PEM".to_string()));
    }
    let private = PrivateKeyDer::from_pem_file(&config.key)
        .map_err(|e| key(format!("no private key in PEM: {e}")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut server = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| key(e.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|e| key(format!("does not belong to the certificate: {e}")))?;
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(tokio_rustls::TlsAcceptor::from(Arc::new(server)))
}
