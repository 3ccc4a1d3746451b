//! HTTPS: a certificate in PEM files, and the protocol agreed by ALPN.

use crate::config;
use gateway::{GatewayConfig, StartError, TlsConfig, constant};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use tls::{ClientCertificates, ServerFiles};

fn tls(folder: &std::path::Path) -> TlsConfig {
    let made = rcgen::generate_simple_self_signed(["localhost".to_string()]).unwrap();
    let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    std::fs::write(folder.join("cert.der"), made.cert.der()).unwrap();
    TlsConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        files: ServerFiles {
            certificate,
            key,
            clients: None,
        },
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
            // The connection may end without close_notify.
            let _ = stream.read_to_string(&mut text);
            assert!(
                text.starts_with("HTTP/1.1 200") && text.ends_with("\"hello\""),
                "{text}"
            );
        }
    }
}

#[test]
fn an_invalid_key_is_reported_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let tls = tls(folder.path());
    std::fs::write(&tls.files.key, "nothing").unwrap();
    let config = GatewayConfig {
        tls: Some(tls),
        ..config()
    };
    match constant::start(config, "x".into()) {
        Err(StartError::Tls(wrong)) => assert!(wrong.file.ends_with("key.pem")),
        other => panic!("{:?}", other.map(drop)),
    }
}

/// An authority, and certificates that it signs.
struct Authority {
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
    pem: String,
    der: Vec<u8>,
}

impl Authority {
    fn new() -> Authority {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let own = params.self_signed(&key).unwrap();
        Authority {
            pem: own.pem(),
            der: own.der().to_vec(),
            issuer: rcgen::Issuer::new(params, key),
        }
    }

    /// Certificate and key in PEM.
    fn sign(&self, name: &str) -> (rcgen::Certificate, rcgen::KeyPair) {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// A certificate of its own in the gateway's files.
    fn write(&self, folder: &std::path::Path) {
        let (certificate, key) = self.sign("localhost");
        std::fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
        std::fs::write(folder.join("cert.pem"), certificate.pem()).unwrap();
    }
}

/// GET over TLS with a client's certificate, or none; an error when there is no
/// connection.
fn get(
    address: std::net::SocketAddr,
    trusted: &Authority,
    own: Option<&(rcgen::Certificate, rcgen::KeyPair)>,
) -> std::io::Result<String> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(trusted.der.clone().into()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let config = match own {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let key = rustls_pki_types::PrivatePkcs8KeyDer::from(key.serialize_der());
            let chain = vec![certificate.der().clone()];
            builder.with_client_auth_cert(chain, key.into()).unwrap()
        }
    };
    let name = "localhost".try_into().unwrap();
    let session = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = rustls::StreamOwned::new(session, TcpStream::connect(address)?);
    stream.write_all(b"GET /bank/accounts/1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
    let mut text = String::new();
    match stream.read_to_string(&mut text) {
        Err(e) if text.is_empty() => Err(e),
        _ => Ok(text),
    }
}

fn with_clients(folder: &std::path::Path, ours: &Authority, required: bool) -> GatewayConfig {
    std::fs::write(folder.join("clients.pem"), &ours.pem).unwrap();
    ours.write(folder);
    let mut config = config();
    config.tls = Some(TlsConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        files: ServerFiles {
            certificate: folder.join("cert.pem"),
            key: folder.join("key.pem"),
            clients: Some(ClientCertificates {
                authorities: folder.join("clients.pem"),
                required,
            }),
        },
    });
    config.security.certificates = true;
    config
}

#[test]
fn a_client_is_known_by_its_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, others) = (Authority::new(), Authority::new());
    let config = with_clients(folder.path(), &ours, false);
    let bank = crate::security::bank("security: [{certificate: []}]", config);
    let address = bank.gateway.tls_address().unwrap();
    let answer = get(address, &ours, Some(&ours.sign("till-7"))).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    let answer = get(address, &ours, Some(&ours.sign("MAINTILL"))).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    // The first name is not a CICS user id, the second is one.
    assert_eq!(*bank.callers.lock().unwrap(), ["", "MAINTILL"]);
    let answer = get(address, &ours, None).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    assert!(get(address, &ours, Some(&others.sign("till-7"))).is_err());
    let plain = bank.get("");
    assert_eq!(plain.status, 401, "HTTP has no certificates");
}

#[test]
fn where_certificates_are_required_no_client_connects_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let ours = Authority::new();
    let bank = crate::security::bank("", with_clients(folder.path(), &ours, true));
    let address = bank.gateway.tls_address().unwrap();
    assert!(get(address, &ours, None).is_err());
    assert!(get(address, &ours, Some(&ours.sign("till-7"))).is_ok());
}

#[test]
fn a_certificate_that_is_written_is_served_to_the_next_connection() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, next) = (Authority::new(), Authority::new());
    let bank = crate::security::bank("", with_clients(folder.path(), &ours, false));
    let address = bank.gateway.tls_address().unwrap();
    assert!(get(address, &ours, None).is_ok());
    next.write(folder.path());
    let started = std::time::Instant::now();
    while get(address, &next, None).is_err() {
        assert!(
            started.elapsed().as_secs() < 30,
            "the new one is not served"
        );
    }
    std::fs::write(folder.path().join("cert.pem"), "nothing").unwrap();
    let written = std::time::Instant::now();
    while written.elapsed().as_millis() < 1_500 {
        assert!(get(address, &next, None).is_ok(), "the last good one stays");
    }
}
