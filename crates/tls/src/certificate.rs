//! The names in a certificate: those of its owner and its issuer.
//!
//! TLS has verified the certificate before its names are read: this only reads
//! what a trusted authority signed.
//!
//! Reference: RFC 5280, section 4.1; X.690 (DER). Invariant: no bytes make the
//! reader panic.

/// Names of a certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Serial number, most significant byte first.
    pub serial: Vec<u8>,
    /// The subject.
    pub subject: DistinguishedName,
    /// The issuer.
    pub issuer: DistinguishedName,
}

/// A distinguished name; what it does not have is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DistinguishedName {
    /// CN.
    pub common_name: String,
    /// C.
    pub country: String,
    /// ST.
    pub state: String,
    /// L.
    pub locality: String,
    /// O.
    pub organization: String,
    /// OU.
    pub unit: String,
}

/// Object identifier of `commonName`, 2.5.4.3.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// Longest name that is taken.
const MAX_NAME: usize = 256;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const INTEGER: u8 = 0x02;
const OBJECT: u8 = 0x06;
/// The version of a certificate, where it is written.
const VERSION: u8 = 0xA0;

impl Certificate {
    /// Reads a certificate in DER.
    pub fn parse(der: &[u8]) -> Option<Certificate> {
        let (SEQUENCE, certificate) = DerValues(der).next()? else {
            return None;
        };
        let (SEQUENCE, signed) = DerValues(certificate).next()? else {
            return None;
        };
        let mut parts = DerValues(signed).filter(|(tag, _)| *tag != VERSION);
        let (INTEGER, serial) = parts.next()? else {
            return None;
        };
        let (_, _algorithm) = parts.next()?;
        let (SEQUENCE, issuer) = parts.next()? else {
            return None;
        };
        let (_, _validity) = parts.next()?;
        let (SEQUENCE, subject) = parts.next()? else {
            return None;
        };
        Some(Certificate {
            serial: serial.to_vec(),
            subject: name(subject),
            issuer: name(issuer),
        })
    }
}

fn name(bytes: &[u8]) -> DistinguishedName {
    let mut name = DistinguishedName::default();
    let sets = DerValues(bytes).filter(|(tag, _)| *tag == SET);
    for attribute in sets.flat_map(|(_, set)| DerValues(set)) {
        let mut parts = DerValues(attribute.1);
        let (Some((OBJECT, object)), Some((_, value))) = (parts.next(), parts.next()) else {
            continue;
        };
        // 2.5.4.n.
        let &[0x55, 0x04, which] = object else {
            continue;
        };
        let field = match which {
            3 => &mut name.common_name,
            6 => &mut name.country,
            7 => &mut name.locality,
            8 => &mut name.state,
            10 => &mut name.organization,
            11 => &mut name.unit,
            _ => continue,
        };
        if field.is_empty() {
            *field = String::from_utf8_lossy(value).into_owned();
        }
    }
    name
}

/// The common name of a certificate's subject. Returns `None` if the subject
/// has none or more than one, or it is not printable.
pub fn common_name(der: &[u8]) -> Option<String> {
    let der = rustls_pki_types::CertificateDer::from(der);
    let certificate = webpki::EndEntityCert::try_from(&der).ok()?;
    let mut found = None;
    let mut sets = DerValues(certificate.subject());
    while let Some((SET, set)) = sets.next() {
        let mut attributes = DerValues(set);
        while let Some((SEQUENCE, attribute)) = attributes.next() {
            let mut parts = DerValues(attribute);
            let (Some((OBJECT, oid)), Some((tag, value))) = (parts.next(), parts.next()) else {
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

/// A sequence of values, each a tag, a length and its content.
struct DerValues<'a>(&'a [u8]);

impl<'a> Iterator for DerValues<'a> {
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

    /// A sequence, a set or a value.
    fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        let mut out = vec![tag, content.len() as u8];
        out.extend(content);
        out
    }

    fn made() -> Vec<u8> {
        let attribute = |which: u8, value: &[u8]| {
            let object = tlv(OBJECT, &[&[0x55, 0x04, which]]);
            tlv(SET, &[&tlv(SEQUENCE, &[&object, &tlv(0x0C, &[value])])])
        };
        let issuer = tlv(SEQUENCE, &[&attribute(10, b"Bank")]);
        let subject = tlv(SEQUENCE, &[&attribute(3, b"till-7"), &attribute(6, b"DE")]);
        let signed = tlv(
            SEQUENCE,
            &[
                &tlv(VERSION, &[&[2, 1, 2]]),
                &tlv(INTEGER, &[&[1, 2, 3]]),
                &tlv(SEQUENCE, &[]),
                &issuer,
                &tlv(SEQUENCE, &[]),
                &subject,
            ],
        );
        tlv(SEQUENCE, &[&signed])
    }

    #[test]
    fn names_and_serial_number_are_read() {
        let read = Certificate::parse(&made()).unwrap();
        assert_eq!(read.serial, [1, 2, 3]);
        assert_eq!(read.subject.common_name, "till-7");
        assert_eq!(read.subject.country, "DE");
        assert_eq!(read.issuer.organization, "Bank");
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(
            bytes in any::<Vec<u8>>(), at in 0_usize..200, to in any::<u8>(),
        ) {
            let _ = Certificate::parse(&bytes);
            let _ = common_name(&bytes);
            let mut own = made();
            let at = at % own.len();
            own[at] = to;
            let _ = Certificate::parse(&own);
            let mut own = named(&["ada"]);
            let at = at % own.len();
            own[at] = to;
            let _ = common_name(&own);
            let _ = Certificate::parse(&own);
        }
    }

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
}
