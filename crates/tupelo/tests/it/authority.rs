//! An authority that signs certificates, for tests of TLS.

/// Who signs certificates.
pub struct Authority {
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
    /// Its own certificate.
    pub der: Vec<u8>,
    /// The same in PEM.
    pub pem: String,
}

impl Authority {
    pub fn new() -> Authority {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let own = params.self_signed(&key).unwrap();
        Authority {
            der: own.der().to_vec(),
            pem: own.pem(),
            issuer: rcgen::Issuer::new(params, key),
        }
    }

    /// A certificate for this machine, and its key.
    pub fn sign(&self) -> (rcgen::Certificate, rcgen::KeyPair) {
        self.sign_for("localhost", |_| ())
    }

    /// One for a name, with what `change` makes of it.
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
}
