//! TLS: certificates that verify, and those that do not.

use crate::peers::serve;
use drive::engine::RequestFailure;
use drive::load::HttpLoad;
use drive::tls::{TlsTarget, TrustSettings};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// A server with its own certificate for `localhost`, and that certificate in PEM.
fn server() -> (SocketAddr, String) {
    server_with(|_| {})
}

/// The same with another certificate.
fn server_with(change: impl FnOnce(&mut CertificateParams)) -> (SocketAddr, String) {
    let pair = KeyPair::generate().unwrap();
    let mut wanted = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    change(&mut wanted);
    let made = wanted.self_signed(&pair).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(pair.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.der().clone()], key)
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
    (address, made.pem())
}

/// Names `pem` as trusted; the file lives as long as the folder.
fn trusting(mut load: HttpLoad, pem: &str) -> (HttpLoad, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, pem).unwrap();
    load.trust.ca_file = Some(file);
    (load, folder)
}

/// The messages before the run.
fn preflight_problems(load: &HttpLoad) -> String {
    let found = drive::preflight::check(&load.plan().unwrap());
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    texts.join("\n")
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
    let (load, _folder) = trusting(load(address), &pem);
    let outcome = load.run().unwrap();
    assert_eq!(
        outcome.sum().measured.answered,
        40,
        "{:?}",
        outcome.messages()
    );
}

/// A certificate as `openssl req -x509` creates it by default.
fn authority(wanted: &mut CertificateParams) {
    wanted.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
}

#[test]
fn the_certificate_of_an_authority_is_accepted_when_it_is_itself_trusted() {
    let (address, pem) = server_with(authority);
    let (trusting, _folder) = trusting(load(address), &pem);
    assert_eq!(preflight_problems(&trusting), "");
    let outcome = trusting.run().unwrap();
    assert_eq!(
        outcome.sum().measured.answered,
        40,
        "{:?}",
        outcome.messages()
    );
    // Another certificate of the same kind is not accepted.
    let (_, other) = server_with(authority);
    let (load, _folder) = self::trusting(load(address), &other);
    let problems = preflight_problems(&load);
    assert!(
        problems.contains("CA:TRUE") && problems.contains("--cacert"),
        "{problems}"
    );
}

#[test]
fn a_certificate_that_is_itself_trusted_still_has_its_dates_and_names_checked() {
    let expired = |wanted: &mut CertificateParams| {
        authority(wanted);
        wanted.not_before = rcgen::date_time_ymd(2020, 1, 1);
        wanted.not_after = rcgen::date_time_ymd(2021, 2, 3);
    };
    let early = |wanted: &mut CertificateParams| {
        authority(wanted);
        wanted.not_before = rcgen::date_time_ymd(2500, 1, 1);
        wanted.not_after = rcgen::date_time_ymd(2501, 1, 1);
    };
    let foreign = |wanted: &mut CertificateParams| {
        authority(wanted);
        let name = "other.example".to_owned().try_into().unwrap();
        wanted.subject_alt_names = vec![rcgen::SanType::DnsName(name)];
    };
    type Change<'a> = &'a dyn Fn(&mut CertificateParams);
    for (change, part) in [
        (&expired as Change<'_>, "expired at 2021-02-03T00:00:00Z"),
        (&early, "not valid before 2500-01-01T00:00:00Z"),
        (&foreign, "is for other.example and not for localhost"),
    ] {
        let (address, pem) = server_with(change);
        let (mut load, _folder) = trusting(load(address), &pem);
        let problems = preflight_problems(&load);
        assert!(problems.contains(part), "{problems}");
        load.iterations = Some(2);
        let outcome = load.run().unwrap();
        assert_eq!(
            outcome.sum().measured.failed[RequestFailure::Tls as usize],
            2
        );
        let messages = outcome.messages();
        assert!(messages.keys().all(|m| m.contains(part)), "{messages:?}");
    }
}

#[test]
fn a_server_that_never_shakes_hands_or_speaks_no_tls_is_reported_before_the_run() {
    let patience = Duration::from_millis(100);
    let try_out = |address: SocketAddr| {
        let tls = TlsTarget::new("localhost", &TrustSettings::default(), false).unwrap();
        tls.try_out(TcpStream::connect(address).unwrap(), patience)
            .unwrap_err()
    };
    let silent = serve(|mut stream| {
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let problems = try_out(silent);
    assert!(
        problems.contains("did not complete the TLS handshake within 0.1 s"),
        "{problems}"
    );
    let clear = serve(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let problems = try_out(clear);
    assert!(problems.contains("does not speak TLS"), "{problems}");
    let leaving = serve(|mut stream| {
        let _ = stream.read(&mut [0; 8192]);
    });
    let problems = try_out(leaving);
    assert!(problems.contains("handshake"), "{problems}");
}

#[test]
fn an_unknown_certificate_is_refused_and_reported() {
    let (address, _) = server();
    let mut load = load(address);
    load.iterations = Some(4);
    let outcome = load.run().unwrap();
    assert_eq!(
        outcome.sum().measured.failed[RequestFailure::Tls as usize],
        4
    );
    assert!(
        outcome.messages().keys().any(|m| m.contains("certificate")),
        "{:?}",
        outcome.messages()
    );
    load.trust.insecure = true;
    assert_eq!(load.run().unwrap().sum().measured.answered, 4);
}
