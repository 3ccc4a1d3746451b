//! Fetching an issuer's keys: over TLS, or from this machine.

use fetch::{FetchSettings, HttpFetcher, Request};
use std::path::Path;
use std::time::Duration;

/// Longest document.
const MAX_BYTES: usize = 1 << 20;
/// Time that everything may take together.
const LIMIT: Duration = Duration::from_secs(10);

/// GET of a URL, without redirections.
///
/// # Errors Why it cannot be read.
pub(super) fn get(url: &str, trusted: Option<&Path>) -> Result<Vec<u8>, String> {
    let fetcher = check(url, trusted)?;
    let fetched = fetcher.wait(Request {
        method: "GET".into(),
        url: url.to_owned(),
        headers: vec![("Accept".into(), "application/json".into())],
        ..Request::default()
    });
    let fetched = fetched.map_err(|e| e.to_string())?;
    match fetched.status {
        200..=299 => Ok(fetched.body),
        status => Err(format!("the server returned {status}")),
    }
}

/// Returns a fetcher for a URL, if it is usable.
///
/// # Errors Why it cannot be used.
pub(super) fn check(url: &str, trusted: Option<&Path>) -> Result<HttpFetcher, String> {
    let uri: http::Uri = url.parse().map_err(|_| "not a valid URL")?;
    let host = uri.host().ok_or("the URL has no host")?;
    match uri.scheme_str() {
        Some("https") => {}
        Some("http") if fetch::is_this_machine(host) => {}
        _ => return Err("the URL must begin with https://".into()),
    }
    let (allowed, _) = url.split_once('?').unwrap_or((url, ""));
    let settings = FetchSettings {
        allow: vec![allowed.to_owned()],
        timeout: LIMIT,
        most_bytes: MAX_BYTES,
        trusted: trusted.map(Path::to_owned),
        shown: None,
    };
    HttpFetcher::new(&settings).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_over_tls_or_from_this_machine() {
        let check = |url: &str| check(url, None).map(drop);
        assert!(check("https://issuer.example/keys").is_ok());
        assert!(check("http://127.0.0.1:8080/keys").is_ok());
        assert!(check("http://[::1]/keys").is_ok());
        for wrong in [
            "http://issuer.example/keys",
            "ftp://localhost/",
            "/keys",
            "",
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
