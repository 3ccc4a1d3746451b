//! Calls of scripts to servers over TLS: whom they trust, and whom not.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::script::{Bank, write};

/// Who signs certificates.
pub struct Authority {
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
    pub pem: String,
}

impl Authority {
    pub fn new() -> Authority {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        Authority {
            pem: params.self_signed(&key).unwrap().pem(),
            issuer: rcgen::Issuer::new(params, key),
        }
    }

    /// A server with a certificate for a name, whose validity ended in a year;
    /// it says hello. Its port.
    fn server(&self, name: &str, until: i32) -> u16 {
        self.answering(
            name,
            until,
            b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
        )
    }

    /// The same with an answer of its own.
    pub fn answering(&self, name: &str, until: i32, answer: &'static [u8]) -> u16 {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(until, 1, 1);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let config = Arc::new(config);
        // It ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let session = rustls::ServerConnection::new(config.clone()).unwrap();
                let mut stream = rustls::StreamOwned::new(session, stream);
                let mut asked = [0; 4096];
                if let Ok(1..) = stream.read(&mut asked) {
                    let _ = stream.write_all(answer);
                    stream.conn.send_close_notify();
                    let _ = stream.flush();
                }
            }
        });
        port
    }
}

fn bank(trusted: Option<&Authority>, ports: &[u16]) -> Bank {
    let allow: Vec<String> = ports
        .iter()
        .map(|port| format!("\"https://localhost:{port}\""))
        .collect();
    let file = trusted.map_or("", |_| "trusted = \"authority.pem\"\n");
    let settings = format!("[script.fetch]\nallow = [{}]\n{file}", allow.join(", "));
    let folder = Bank::folder(&settings, "");
    if let Some(authority) = trusted {
        write(folder.path(), "authority.pem", &authority.pem);
    }
    Bank::of(folder)
}

fn asked(bank: &Bank, port: u16) -> Value {
    bank.value(&format!(
        "try {{ const a = await fetch('https://localhost:{port}/x'); return a.status + ' ' + a.text() }}
         catch (e) {{ return e.name + ': ' + e.message }}"
    ))
}

#[test]
fn a_server_is_asked_whose_certificate_is_of_an_authority_that_is_trusted() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let good = ours.server("localhost", 2099);
    let refused = [
        ("another name", ours.server("rates.example", 2099)),
        ("expired", ours.server("localhost", 2021)),
        ("another authority", theirs.server("localhost", 2099)),
    ];
    let mut ports = vec![good];
    ports.extend(refused.map(|(_, port)| port));
    let bank = bank(Some(&ours), &ports);
    assert_eq!(asked(&bank, good), "200 hello");
    for (why, port) in refused {
        let told = asked(&bank, port);
        let told = told.as_str().unwrap_or_default();
        assert!(
            told.starts_with("FetchError: ") && told.contains("certificate"),
            "{why}: {told}"
        );
    }
    assert_eq!(
        asked(&bank, good),
        "200 hello",
        "nothing is left of the refusals"
    );
}

#[test]
fn without_an_authority_of_ones_own_the_systems_are_trusted_alone() {
    let ours = Authority::new();
    let port = ours.server("localhost", 2099);
    if !Path::new("/etc/ssl/certs/ca-certificates.crt").is_file() {
        skipped::lacking(
            "ca-certificates",
            "there is no file of trusted certificates",
        );
        return;
    }
    let bank = bank(None, &[port]);
    let told = asked(&bank, port);
    assert!(told.as_str().unwrap().contains("certificate"), "{told}");
}
