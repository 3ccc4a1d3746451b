//! An authority that signs certificates, for tests of TLS.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

/// An authority that signs certificates.
pub struct TestAuthority {
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
    /// Its own certificate.
    pub der: Vec<u8>,
    /// The same in PEM.
    pub pem: String,
}

impl TestAuthority {
    pub fn new() -> TestAuthority {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let own = params.self_signed(&key).unwrap();
        TestAuthority {
            der: own.der().to_vec(),
            pem: own.pem(),
            issuer: rcgen::Issuer::new(params, key),
        }
    }

    /// A certificate for this machine, and its key.
    pub fn sign(&self) -> (rcgen::Certificate, rcgen::KeyPair) {
        self.sign_for("localhost", |_| ())
    }

    /// A certificate for a name, after `change` has edited its parameters.
    pub fn sign_for(
        &self,
        name: &str,
        change: impl FnOnce(&mut rcgen::CertificateParams),
    ) -> (rcgen::Certificate, rcgen::KeyPair) {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        change(&mut params);
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// A server with a certificate for a name, whose validity ends with a
    /// year's first day; it answers every request with the same text. Returns its port.
    pub fn answering(&self, name: &str, until: i32, answer: &'static [u8]) -> u16 {
        self.answering_clients(name, until, answer, None)
    }

    /// The same to clients whose certificates this authority has signed.
    pub fn answering_clients(
        &self,
        name: &str,
        until: i32,
        answer: &'static [u8],
        clients: Option<&TestAuthority>,
    ) -> u16 {
        let (certificate, key) = self.sign_for(name, |params| {
            params.not_before = rcgen::date_time_ymd(2020, 1, 1);
            params.not_after = rcgen::date_time_ymd(until, 1, 1);
        });
        let key = rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .unwrap();
        let config = match clients {
            None => config.with_no_client_auth(),
            Some(authority) => {
                let mut roots = rustls::RootCertStore::empty();
                roots.add(authority.der.clone().into()).unwrap();
                let verifier = rustls::server::WebPkiClientVerifier::builder_with_provider(
                    Arc::new(roots),
                    provider,
                );
                config.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let config = config
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
