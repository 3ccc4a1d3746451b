//! HTTPS: a certificate in PEM files, and the protocol agreed by ALPN.

use crate::config;
use gateway::{GatewayConfig, StartError, TlsConfig, constant};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

fn tls(folder: &std::path::Path) -> TlsConfig {
    let made = rcgen::generate_simple_self_signed(["localhost".to_string()]).unwrap();
    let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    std::fs::write(folder.join("cert.der"), made.cert.der()).unwrap();
    TlsConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        certificate,
        key,
    }
}

#[test]
fn both_protocols_are_offered_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let config = GatewayConfig {
        tls: Some(tls(folder.path())),
        ..config()
    };
    let gateway = constant::start(config, "\"hello\"".into()).unwrap();
    let der = std::fs::read(folder.path().join("cert.der")).unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(der.into()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let client = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    for protocol in ["h2", "http/1.1"] {
        let mut client = client.clone();
        client.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        let name = "localhost".try_into().unwrap();
        let mut session = rustls::ClientConnection::new(Arc::new(client), name).unwrap();
        let mut socket = TcpStream::connect(gateway.tls_address().unwrap()).unwrap();
        while session.is_handshaking() {
            session.complete_io(&mut socket).unwrap();
        }
        assert_eq!(session.alpn_protocol(), Some(protocol.as_bytes()));
        if protocol == "http/1.1" {
            let mut stream = rustls::Stream::new(&mut session, &mut socket);
            let request = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
            stream.write_all(request).unwrap();
            let mut text = String::new();
            // The end of the connection may come without TLS's own goodbye.
            let _ = stream.read_to_string(&mut text);
            assert!(
                text.starts_with("HTTP/1.1 200") && text.ends_with("\"hello\""),
                "{text}"
            );
        }
    }
}

#[test]
fn a_key_that_is_no_key_is_told_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let tls = tls(folder.path());
    std::fs::write(&tls.key, "nothing").unwrap();
    let config = GatewayConfig {
        tls: Some(tls),
        ..config()
    };
    match constant::start(config, "x".into()) {
        Err(StartError::Tls { file, .. }) => assert!(file.ends_with("key.pem")),
        other => panic!("{:?}", other.map(drop)),
    }
}
