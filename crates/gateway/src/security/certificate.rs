//! The name in a client's certificate.
//!
//! TLS has verified the certificate by the time it is asked for its name, so
//! that this reads the subject of one that a trusted authority signed.
//!
//! Reference: RFC 5280, section 4.1.2.6; X.690 (DER).

/// Object identifier of `commonName`, 2.5.4.3.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// Longest name that is taken.
const MAX_NAME: usize = 256;

/// The common name of a certificate's subject. `None` if there is none, more
/// than one, or one that cannot be shown.
pub(crate) fn common_name(der: &[u8]) -> Option<String> {
    let der = rustls_pki_types::CertificateDer::from(der);
    let certificate = webpki::EndEntityCert::try_from(&der).ok()?;
    let mut found = None;
    let mut sets = Der(certificate.subject());
    while let Some((0x31, set)) = sets.next() {
        let mut attributes = Der(set);
        while let Some((0x30, attribute)) = attributes.next() {
            let mut parts = Der(attribute);
            let (Some((0x06, oid)), Some((tag, value))) = (parts.next(), parts.next()) else {
                return None;
            };
            if oid != COMMON_NAME {
                continue;
            }
            // PrintableString, UTF8String, IA5String.
            let text = matches!(tag, 0x13 | 0x0C | 0x16).then_some(value)?;
            let text = std::str::from_utf8(text).ok()?;
            let shown = !text.is_empty() && !text.chars().any(char::is_control);
            if found.is_some() || text.len() > MAX_NAME || !shown {
                return None;
            }
            found = Some(text.to_owned());
        }
    }
    found
}

/// Values one behind another, each a tag, a length and its content.
struct Der<'a>(&'a [u8]);

impl<'a> Iterator for Der<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&[tag, first], rest) = self.0.split_first_chunk::<2>()?;
        let (length, rest) = match first {
            0..=0x7F => (usize::from(first), rest),
            0x81 => (usize::from(*rest.first()?), &rest[1..]),
            0x82 => {
                let (&[high, low], rest) = rest.split_first_chunk::<2>()?;
                (usize::from(high) << 8 | usize::from(low), rest)
            }
            _ => return None,
        };
        let (value, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named(names: &[&str]) -> Vec<u8> {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(vec!["host".to_owned()]).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params
            .distinguished_name
            .push(rcgen::DnType::OrganizationName, "Bank");
        for name in names {
            params
                .distinguished_name
                .push(rcgen::DnType::CommonName, *name);
        }
        params.self_signed(&key).unwrap().der().to_vec()
    }

    #[test]
    fn the_common_name_is_found() {
        assert_eq!(common_name(&named(&["till-7"])), Some("till-7".into()));
        assert_eq!(common_name(&named(&[])), None);
        assert_eq!(common_name(b"no certificate"), None);
        let long = "n".repeat(200);
        assert_eq!(common_name(&named(&[&long])), Some(long));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in any::<Vec<u8>>(), at in 0_usize..600, to in any::<u8>()) {
            let _ = common_name(&bytes);
            let mut own = named(&["ada"]);
            let at = at % own.len();
            own[at] = to;
            let _ = common_name(&own);
        }
    }
}
