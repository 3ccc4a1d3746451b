//! What TLS connections are accepted with, and what a client showed of itself
//! when its own began.

use ::tls::{Reloading, common_name};
use tokio_rustls::server::TlsStream;

/// What the next connection is accepted with.
pub(super) type Server = Reloading<rustls::ServerConfig>;

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
