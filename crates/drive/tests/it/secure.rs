//! TLS: certificates that verify, and those that do not.

use crate::peers::serve;
use drive::engine::Failure;
use drive::load::HttpLoad;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;

/// A server with a certificate of its own for `localhost`, and that
/// certificate in PEM.
fn server() -> (SocketAddr, String) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let address = serve(move |mut stream| {
        let mut tls = ServerConnection::new(config.clone()).unwrap();
        let mut tls = Stream::new(&mut tls, &mut stream);
        let mut seen = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(n @ 1..) = tls.read(&mut buffer) {
            seen.extend_from_slice(&buffer[..n]);
            while let Some(end) = seen.windows(4).position(|w| w == b"\r\n\r\n") {
                seen.drain(..end + 4);
                let body = [b'x'; 50_000];
                let head = b"HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n";
                let _ = tls.write_all(head).and_then(|()| tls.write_all(&body));
            }
        }
    });
    (address, made.cert.pem())
}

fn load(address: SocketAddr) -> HttpLoad {
    let mut load = HttpLoad::new(format!("https://localhost:{}/", address.port()));
    load.iterations = Some(40);
    load.clients = 2;
    load
}

#[test]
fn a_trusted_certificate_is_accepted() {
    let (address, pem) = server();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, pem).unwrap();
    let mut load = load(address);
    load.trust.ca_file = Some(file);
    let outcome = load.run().unwrap();
    assert_eq!(
        outcome.sum().measured.answered,
        40,
        "{:?}",
        outcome.messages()
    );
}

#[test]
fn an_unknown_certificate_is_refused_and_told() {
    let (address, _) = server();
    let mut load = load(address);
    load.iterations = Some(4);
    let outcome = load.run().unwrap();
    assert_eq!(outcome.sum().measured.failed[Failure::Tls as usize], 4);
    assert!(
        outcome.messages().keys().any(|m| m.contains("certificate")),
        "{:?}",
        outcome.messages()
    );
    load.trust.insecure = true;
    assert_eq!(load.run().unwrap().sum().measured.answered, 4);
}
