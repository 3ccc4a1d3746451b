//! Messages for TLS errors between the driver and a server, with the remedy.

use crate::summary::rfc3339;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::{AlertDescription, CertificateError, Error, InvalidMessage};
use std::io;

/// The message for a TLS error.
pub fn words(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(why) => of_certificate(why),
        Error::AlertReceived(alert) => of_alert(*alert),
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "the server does not speak TLS there; is its address http://?".into()
        }
        Error::PeerIncompatible(why) => {
            format!("the server supports neither TLS 1.2 nor 1.3 ({why:?})")
        }
        Error::NoCertificatesPresented => "the server sent no certificate".into(),
        Error::NoApplicationProtocol => OTHER_HTTP.into(),
        other => other.to_string(),
    }
}

/// The message for an I/O error of a TLS stream, which may contain a TLS error.
pub fn words_of_io(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|e| e.downcast_ref::<Error>());
    match inner {
        Some(error) => words(error),
        None => error.to_string(),
    }
}

fn of_certificate(why: &CertificateError) -> String {
    use CertificateError as C;
    let text = match why {
        C::ExpiredContext { not_after, .. } => {
            format!("expired at {}; renew it", date(*not_after))
        }
        C::Expired => "ends before it begins to be valid; create a new one".into(),
        C::NotValidYetContext { not_before, .. } => format!(
            "is not valid before {}; check the clock of this machine",
            date(*not_before)
        ),
        C::NotValidForNameContext {
            expected,
            presented,
        } => of_name(expected, presented),
        C::UnknownIssuer => format!(
            "is from an issuer that is not trusted; give the issuer's certificate, or this one if it is self-signed, {WITH}"
        ),
        C::Revoked => "was revoked; the server needs a new one".into(),
        C::BadSignature => format!(
            "is not signed by the issuer that it names; check the certificate given {WITH}"
        ),
        C::BadEncoding => "cannot be read; it may be damaged".into(),
        C::InvalidPurpose | C::InvalidPurposeContext { .. } => {
            "is not meant for servers (extendedKeyUsage has no serverAuth)".into()
        }
        C::UnhandledCriticalExtension => "has a critical extension that is not supported".into(),
        C::UnsupportedSignatureAlgorithmContext { .. }
        | C::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "has a signature algorithm that is not supported (SHA-1 or an unusual curve); create a new one"
                .into()
        }
        C::Other(other) => match other.0.downcast_ref() {
            Some(webpki::Error::CaUsedAsEndEntity) => format!(
                "is that of a certification authority (CA:TRUE), which is not accepted as a server's unless it is itself given {WITH}; or create one with `-addext basicConstraints=CA:FALSE`"
            ),
            Some(webpki::Error::UnsupportedCertVersion) => "is of X.509 version 1, which has no names to check; create one of version 3 (`openssl req -x509 -addext subjectAltName=DNS:…`)".into(),
            _ => format!("is not accepted ({other})"),
        },
        other => format!("is not accepted ({other})"),
    };
    format!("the server's certificate {text}")
}

fn of_name(expected: &ServerName<'_>, presented: &[String]) -> String {
    let (name, kind) = match expected {
        ServerName::IpAddress(ip) => (std::net::IpAddr::from(*ip).to_string(), "IP"),
        name => (name.to_str().into_owned(), "DNS"),
    };
    match presented {
        [] => format!(
            "has no subjectAltName, and the common name is not used; create one with `-addext subjectAltName={kind}:{name}`"
        ),
        names => {
            let names: Vec<&str> = names.iter().map(|n| plain(n)).collect();
            let names = names.join(", ");
            format!(
                "is for {names} and not for {name}; use such a name in the address, or create one for {name} too"
            )
        }
    }
}

/// `DnsName("localhost")` as webpki writes it is localhost.
fn plain(name: &str) -> &str {
    let inner = name.split_once('(').map_or(name, |(_, inner)| inner);
    inner.trim_end_matches(')').trim_matches('"')
}

fn of_alert(alert: AlertDescription) -> String {
    use AlertDescription as A;
    match alert {
        A::NoApplicationProtocol => OTHER_HTTP.into(),
        A::ProtocolVersion => "the server supports neither TLS 1.2 nor 1.3".into(),
        A::HandshakeFailure => {
            "the server has no cipher or key exchange in common with this driver".into()
        }
        A::CertificateRequired => {
            "the server requires a client certificate, which the driver does not support".into()
        }
        A::UnrecognisedName => "the server has no host of this name".into(),
        other => format!("the server ended TLS with alert {other:?}"),
    }
}

fn date(time: UnixTime) -> String {
    rfc3339(time.as_secs().saturating_mul(1_000_000_000))
}

/// The server did not select the offered protocol.
pub(super) const OTHER_HTTP: &str = "the server does not offer this version of HTTP over TLS (with --http2 it is HTTP/2, without it HTTP/1.1)";
/// How the user gives a trusted certificate.
const WITH: &str = "with --cacert (in a scenario: `ca_file` under [tls])";

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::OtherError;
    use std::sync::Arc;

    #[test]
    fn what_is_wrong_with_a_certificate_is_reported_without_words_of_rust() {
        let at = |s| UnixTime::since_unix_epoch(std::time::Duration::from_secs(s));
        let expected = ServerName::try_from("example.org").unwrap();
        let named = |presented: &[&str]| CertificateError::NotValidForNameContext {
            expected: expected.clone(),
            presented: presented.iter().map(|p| (*p).to_owned()).collect(),
        };
        let webpki = |e: webpki::Error| CertificateError::Other(OtherError(Arc::new(e)));
        let (time, not_after, not_before) = (at(9), at(1_600_000_000), at(1_700_000_000));
        for (error, part) in [
            (
                CertificateError::ExpiredContext { time, not_after },
                "expired at 2020-09-13T12:26:40Z",
            ),
            (
                CertificateError::NotValidYetContext { time, not_before },
                "not valid before 2023-11-14T22:13:20Z",
            ),
            (named(&[]), "subjectAltName=DNS:example.org"),
            (
                named(&["DnsName(\"localhost\")", "IpAddress(127.0.0.1)"]),
                "is for localhost, 127.0.0.1 and not for example.org",
            ),
            (CertificateError::UnknownIssuer, "--cacert"),
            (CertificateError::Revoked, "revoked"),
            (webpki(webpki::Error::CaUsedAsEndEntity), "CA:TRUE"),
            (webpki(webpki::Error::UnsupportedCertVersion), "version 3"),
        ] {
            let message = words(&Error::InvalidCertificate(error));
            assert!(message.contains(part), "{message}");
            for rust in ["Other", "Context", "DnsName", "CaUsed", "Unsupported"] {
                assert!(!message.contains(rust), "{message}");
            }
        }
    }
}
