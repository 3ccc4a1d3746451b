//! Calls of scripts to other HTTP servers: to those that the settings allow.
//!
//! A call opens a connection, sends one request and reads one answer, within a
//! limit of time and of bytes. Redirections are answers like others: whoever is
//! allowed cannot send a script elsewhere.
//!
//! Invariant: nothing is resolved or connected to before the address was found
//! among those that are allowed.
//!
//! Reference: RFC 9110; WHATWG Fetch, whose forms scripts see.

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Method, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::config::FetchConfig;

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

/// What scripts may call, and how.
#[derive(Default)]
pub struct Fetcher {
    allowed: Vec<Target>,
    timeout: Duration,
    most_bytes: usize,
    tls: Option<TlsConnector>,
}

/// Where a URL leads.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    secure: bool,
    host: String,
    port: u16,
    /// Path and query, beginning with `/`.
    path: String,
}

/// A request of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FetchRequest {
    /// Method.
    pub method: String,
    /// Address.
    pub url: String,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Milliseconds that it may take, at most those of the settings.
    pub timeout_ms: Option<u32>,
}

/// An answer to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    /// Status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetcher")
            .field("allowed", &self.allowed)
            .finish_non_exhaustive()
    }
}

impl Fetcher {
    /// A fetcher by these settings. `folder` is what a file's name is relative
    /// to.
    ///
    /// # Errors
    /// Which setting is wrong, in words.
    pub fn new(config: &FetchConfig, folder: &std::path::Path) -> Result<Fetcher, String> {
        let wrong = |url: &String, why| format!("[script.fetch] allow: {url:?}: {why}");
        let mut allowed = Vec::new();
        for url in &config.allow {
            let target = Target::parse(url).map_err(|why| wrong(url, why))?;
            if target.path.contains('?') {
                return Err(wrong(url, "an address that is allowed has no query".into()));
            }
            allowed.push(target);
        }
        let secure = allowed.iter().any(|t| t.secure);
        let trusted = config.trusted.as_ref().map(|file| folder.join(file));
        Ok(Fetcher {
            tls: secure.then(|| connector(trusted)).transpose()?,
            allowed,
            timeout: Duration::from_millis(config.timeout_ms.into()),
            most_bytes: (config.max_kib as usize) << 10,
        })
    }

    /// A request, with its answer under way.
    ///
    /// # Errors
    /// Why it is not made, in words.
    pub fn fetch(
        self: &Arc<Self>,
        request: FetchRequest,
    ) -> Result<impl Future<Output = Result<Fetched, String>> + 'static, String> {
        let target = Target::parse(&request.url)?;
        if !self.allowed.iter().any(|a| a.covers(&target)) {
            return Err(format!(
                "{} is not among the addresses that [script.fetch] allows",
                request.url
            ));
        }
        let limit = match request.timeout_ms {
            Some(ms) => self.timeout.min(Duration::from_millis(ms.into())),
            None => self.timeout,
        };
        let sent = target.request(request)?;
        let own = self.clone();
        Ok(async move {
            let fetched = tokio::time::timeout(limit, own.exchange(&target, sent)).await;
            fetched.unwrap_or_else(|_| {
                let ms = limit.as_millis();
                Err(format!("{} did not answer within {ms} ms", target.host))
            })
        })
    }

    async fn exchange(
        &self,
        target: &Target,
        request: http::Request<Full<Bytes>>,
    ) -> Result<Fetched, String> {
        let host = &target.host;
        let stream = TcpStream::connect((host.as_str(), target.port)).await;
        let stream = stream.map_err(|e| format!("cannot connect to {host}: {e}"))?;
        let _ = stream.set_nodelay(true);
        let Some(tls) = self.tls.as_ref().filter(|_| target.secure) else {
            return self.over(stream, request).await;
        };
        let name = ServerName::try_from(host.clone());
        let name = name.map_err(|_| format!("{host} is no name of a server"))?;
        let stream = tls.connect(name, stream).await;
        self.over(
            stream.map_err(|e| format!("TLS with {host}: {e}"))?,
            request,
        )
        .await
    }

    /// One exchange over a connection.
    async fn over<S>(
        &self,
        stream: S,
        request: http::Request<Full<Bytes>>,
    ) -> Result<Fetched, String>
    where
        S: AsyncRead + AsyncWrite + Unpin + 'static,
    {
        let say = |e: hyper::Error| format!("the exchange failed: {e}");
        let made = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = made.map_err(say)?;
        let mut connection = pin!(connection);
        let sent = beside(connection.as_mut(), sender.send_request(request));
        let (parts, body) = sent.await.map_err(say)?.into_parts();
        let body = Limited::new(body, self.most_bytes).collect();
        let body = beside(connection.as_mut(), body).await;
        let body =
            body.map_err(
                |e| match e.downcast_ref::<http_body_util::LengthLimitError>() {
                    Some(_) => format!("the answer has more than {} KiB", self.most_bytes >> 10),
                    None => format!("the exchange failed: {e}"),
                },
            )?;
        let headers = parts.headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        });
        Ok(Fetched {
            status: parts.status.as_u16(),
            headers: headers.collect(),
            body: body.to_bytes().to_vec(),
        })
    }
}

/// Runs something that needs its connection to run beside it.
async fn beside<F: Future, C: Future>(mut connection: Pin<&mut C>, main: F) -> F::Output {
    let mut main = pin!(main);
    let mut open = true;
    poll_fn(|cx| {
        if let Poll::Ready(done) = main.as_mut().poll(cx) {
            return Poll::Ready(done);
        }
        if open && connection.as_mut().poll(cx).is_ready() {
            open = false;
            return main.as_mut().poll(cx);
        }
        Poll::Pending
    })
    .await
}

impl Target {
    fn parse(url: &str) -> Result<Target, String> {
        let uri: Uri = url.parse().map_err(|_| format!("{url:?} is no URL"))?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("a URL begins with https:// or http://".into()),
        };
        let authority = uri.authority().ok_or("the URL has no host")?;
        if authority.as_str().contains('@') {
            return Err("a URL with a user is not taken: give a header".into());
        }
        let path = uri.path_and_query().map_or("/", |p| p.as_str());
        // Some servers read these as a way up.
        let plain = uri.path().to_ascii_lowercase().replace("%2e", ".");
        let plain = plain
            .replace("%2f", "/")
            .replace("%5c", "/")
            .replace('\\', "/");
        if plain.split('/').any(|part| part == "." || part == "..") {
            return Err("the path of a URL has no . and no ..".into());
        }
        Ok(Target {
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

    /// Whether this, which is allowed, allows another: it is the same, or below
    /// it.
    fn covers(&self, other: &Target) -> bool {
        let path = other.path.split('?').next().unwrap_or_default();
        let below = match path.strip_prefix(self.path.trim_end_matches('/')) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        };
        below && (self.secure, &self.host, self.port) == (other.secure, &other.host, other.port)
    }

    /// What `Host` says.
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

    fn request(&self, asked: FetchRequest) -> Result<http::Request<Full<Bytes>>, String> {
        let method = Method::from_bytes(asked.method.as_bytes());
        let method = method.map_err(|_| format!("{:?} is no method", asked.method))?;
        if matches!(method, Method::CONNECT | Method::TRACE) {
            return Err(format!("{method} is not taken"));
        }
        let mut request = http::Request::new(Full::new(Bytes::from(asked.body)));
        *request.method_mut() = method;
        let uri = self.path.parse();
        *request.uri_mut() = uri.map_err(|_| "the path is none".to_owned())?;
        let headers = request.headers_mut();
        for (name, value) in asked.headers {
            let wrong = || format!("{name:?} cannot be a header with its value");
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
            let value = HeaderValue::from_str(&value).map_err(|_| wrong())?;
            if OWN.contains(&key) {
                return Err(format!("{key} is not a script's to set"));
            }
            headers.append(key, value);
        }
        let host = HeaderValue::from_str(&self.authority());
        headers.insert(
            header::HOST,
            host.map_err(|_| "the host is none".to_owned())?,
        );
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        Ok(request)
    }
}

/// What checks the certificates of servers.
fn connector(trusted: Option<PathBuf>) -> Result<TlsConnector, String> {
    let wrong = |why: String| format!("[script.fetch] trusted: {why}");
    let roots = tls::trusted(trusted.as_deref()).map_err(wrong)?;
    let client = tls::client(roots).map_err(|e| wrong(e.to_string()))?;
    Ok(TlsConnector::from(client))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str) -> Target {
        Target::parse(url).unwrap_or_else(|e| panic!("{url}: {e}"))
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
            "ftp://rates.example/",
            "file:///etc/passwd",
            "/v1",
            "",
            "https://",
        ] {
            assert!(Target::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn headers_of_the_connection_and_broken_ones_are_refused() {
        let ask = |name: &str, value: &str| {
            target("http://a.example/").request(FetchRequest {
                method: "GET".into(),
                headers: vec![(name.into(), value.into())],
                ..FetchRequest::default()
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
            if let Ok(target) = Target::parse(&url) {
                proptest::prop_assert!(target.covers(&target.clone()) || target.path.contains('?'));
                let _ = target.request(FetchRequest::default());
            }
        }
    }
}
