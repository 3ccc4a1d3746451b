//! The TLS configuration for accepting connections, and the client's
//! certificate.

use ::tls::{ReloadingSettings, common_name};
use tokio_rustls::server::TlsStream;

/// The TLS configuration of the next connection.
pub(super) type Server = ReloadingSettings<rustls::ServerConfig>;

/// Protocols that are offered by ALPN, the dearest first.
pub(super) const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

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
