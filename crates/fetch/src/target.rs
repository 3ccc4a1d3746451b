//! Where a URL leads, and what is sent there.

use std::net::IpAddr;

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Method, Uri};
use http_body_util::Full;

use crate::Request;

/// Headers that belong to the connection, or to us.
const OWN: [HeaderName; 8] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::EXPECT,
];

/// Where a URL leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UrlTarget {
    /// Whether by TLS.
    pub secure: bool,
    /// Host, an IPv6 address without its brackets.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Path and query, beginning with `/`.
    pub path: String,
}

impl UrlTarget {
    /// The parts of a URL that leads nowhere else than it says.
    pub fn parse(url: &str) -> Result<UrlTarget, String> {
        let uri: Uri = url.parse().map_err(|_| format!("{url:?} is not a URL"))?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("a URL must begin with https:// or http://".into()),
        };
        let authority = uri.authority().ok_or("the URL has no host")?;
        if authority.as_str().contains('@') {
            return Err("a URL with a user is not supported: set the header Authorization".into());
        }
        let path = uri.path_and_query().map_or("/", |p| p.as_str());
        // Some servers read these as a way up.
        let plain = uri.path().to_ascii_lowercase().replace("%2e", ".");
        let plain = plain
            .replace("%2f", "/")
            .replace("%5c", "/")
            .replace('\\', "/");
        // Some servers take what follows a semicolon away first.
        let plain = plain.replace("%3b", ";");
        let name = |part: &str| part.split(';').next().unwrap_or_default().to_owned();
        if plain
            .split('/')
            .any(|part| matches!(name(part).as_str(), "." | ".."))
        {
            return Err("the path of a URL must not contain . or .. as a segment".into());
        }
        Ok(UrlTarget {
            secure,
            host: authority
                .host()
                .trim_matches(['[', ']'])
                .to_ascii_lowercase(),
            port: authority
                .port_u16()
                .unwrap_or(if secure { 443 } else { 80 }),
            path: path.to_owned(),
        })
    }

    /// Whether this allowed target allows `other`: the same URL, or one below
    /// it.
    pub fn covers(&self, other: &UrlTarget) -> bool {
        let path = other.path.split('?').next().unwrap_or_default();
        let below = match path.strip_prefix(self.path.trim_end_matches('/')) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        };
        below && (self.secure, &self.host, self.port) == (other.secure, &other.host, other.port)
    }

    /// The value of `Host`.
    fn authority(&self) -> String {
        let host = match self.host.parse::<IpAddr>() {
            Ok(IpAddr::V6(ip)) => format!("[{ip}]"),
            _ => self.host.clone(),
        };
        match (self.secure, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// Builds the HTTP request.
    pub fn request(&self, asked: Request) -> Result<http::Request<Full<Bytes>>, String> {
        let method = Method::from_bytes(asked.method.as_bytes());
        let method = method.map_err(|_| format!("{:?} is not an HTTP method", asked.method))?;
        if matches!(method, Method::CONNECT | Method::TRACE) {
            return Err(format!("the method {method} is not supported"));
        }
        let mut request = http::Request::new(Full::new(Bytes::from(asked.body)));
        *request.method_mut() = method;
        let uri = self.path.parse();
        *request.uri_mut() = uri.map_err(|_| "the path is not valid".to_owned())?;
        let headers = request.headers_mut();
        for (name, value) in asked.headers {
            let wrong = || format!("{name:?} with this value is not a valid header");
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
            let value = HeaderValue::from_str(&value).map_err(|_| wrong())?;
            if OWN.contains(&key) {
                return Err(format!("the caller must not set {key}"));
            }
            headers.append(key, value);
        }
        let host = HeaderValue::from_str(&self.authority());
        headers.insert(
            header::HOST,
            host.map_err(|_| "the host is not valid".to_owned())?,
        );
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str) -> UrlTarget {
        UrlTarget::parse(url).unwrap_or_else(|e| panic!("{url}: {e}"))
    }

    #[test]
    fn what_is_allowed_covers_itself_and_what_is_below() {
        let api = target("https://rates.example/v1/");
        for good in [
            "https://rates.example/v1",
            "https://RATES.example:443/v1/eur?x=1",
        ] {
            assert!(api.covers(&target(good)), "{good}");
        }
        for bad in [
            "http://rates.example/v1/eur",
            "https://rates.example/v12",
            "https://rates.example/",
            "https://rates.example:8443/v1/eur",
            "https://rates.example.evil.example/v1/eur",
        ] {
            assert!(!api.covers(&target(bad)), "{bad}");
        }
        assert!(target("http://[::1]:80").covers(&target("http://[::1]/any")));
    }

    #[test]
    fn addresses_that_hide_where_they_lead_are_refused() {
        for bad in [
            "https://rates.example@evil.example/v1",
            "https://rates.example/v1/../secret",
            "https://rates.example/v1/%2e%2E/secret",
            "https://rates.example/v1/..%2fsecret",
            "https://rates.example/v1/..%5csecret",
            "https://rates.example/v1/..;/secret",
            "https://rates.example/v1/..;a=b/secret",
            "https://rates.example/v1/%2e%2e%3Bx/secret",
            "https://rates.example/v1/.;/secret",
            "ftp://rates.example/",
            "file:///etc/passwd",
            "/v1",
            "",
            "https://",
        ] {
            assert!(UrlTarget::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn headers_of_the_connection_and_broken_ones_are_refused() {
        let ask = |name: &str, value: &str| {
            target("http://a.example/").request(Request {
                method: "GET".into(),
                headers: vec![(name.into(), value.into())],
                ..Request::default()
            })
        };
        assert!(ask("accept", "text/plain").is_ok());
        for (name, value) in [
            ("Host", "b.example"),
            ("content-length", "5"),
            ("transfer-encoding", "chunked"),
            ("x", "a\r\nb: c"),
            ("x y", "a"),
        ] {
            assert!(ask(name, value).is_err(), "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_address_panics(url in "(http|https|:|/|@|\\[|\\]|%2e|\\.|\\?|#|a|1|\\\\|é| ){0,30}") {
            if let Ok(target) = UrlTarget::parse(&url) {
                proptest::prop_assert!(target.covers(&target.clone()) || target.path.contains('?'));
                let _ = target.request(Request::default());
            }
        }
    }
}
