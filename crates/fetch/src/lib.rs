//! Requests to HTTP servers that the settings allow: one connection, one
//! request, one answer, within a limit of time and of bytes.
//!
//! Scripts, the API requester, the retrieval of token keys and the exporter of
//! traces use this. A redirection is returned like any answer, so an allowed
//! server cannot redirect a caller to another.
//!
//! Reference: RFC 9110, RFC 9112; RFC 7617 for [`basic`].

mod fetcher;
mod interim;
mod target;

pub use fetcher::{FetchSettings, FetchedResponse, HttpFetcher, SettingsError};
pub use interim::{CountedStream, HttpSender, handshake};

use std::net::IpAddr;
use std::time::Duration;

/// A request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// Method.
    pub method: String,
    /// Address.
    pub url: String,
    /// Headers. Those of the connection (`Host`, `Content-Length` and their
    /// kind) are not the caller's.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Time that it may take, where that is less than the settings allow.
    pub timeout: Option<Duration>,
}

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address is not among those that the settings allow.
    #[error("{0} is not an allowed address")]
    NotAllowed(String),
    /// The request cannot be made as it is.
    #[error("{0}")]
    Request(String),
    /// The server cannot be reached, or its answer not be read.
    #[error("{0}")]
    Exchange(String),
}

/// Whether a URL's host is this machine, so that what is sent there stays here.
pub fn is_this_machine(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    let ip = || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    host == "localhost" || ip()
}

/// Whether what is sent to a URL can be read on its way to another machine.
pub fn is_in_the_clear(url: &str) -> bool {
    let Ok(uri) = url.parse::<http::Uri>() else {
        return false;
    };
    uri.scheme_str() != Some("https") && !uri.host().is_some_and(is_this_machine)
}

/// The value of `Authorization` for basic authentication.
pub fn basic(user: &str, password: &str) -> String {
    use base64::Engine as _;
    let standard = base64::engine::general_purpose::STANDARD;
    format!("Basic {}", standard.encode(format!("{user}:{password}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_authentication_is_encoded_as_the_standard_shows() {
        let value = basic("Aladdin", "open sesame");
        assert_eq!(value, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    }

    #[test]
    fn this_machine_is_known_by_name_and_address() {
        for here in ["localhost", "127.0.0.1", "[::1]", "127.9.9.9"] {
            assert!(is_this_machine(here), "{here}");
        }
        for elsewhere in ["localhost.example", "10.0.0.1", "[::]", ""] {
            assert!(!is_this_machine(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn what_is_not_tls_and_leaves_this_machine_is_in_the_clear() {
        for clear in [
            "http://books.example/api",
            "http://10.0.0.1:80",
            "http://[::2]:9/",
        ] {
            assert!(is_in_the_clear(clear), "{clear}");
        }
        for not in [
            "https://books.example/",
            "http://localhost:1/",
            "http://[::1]:9/x",
        ] {
            assert!(!is_in_the_clear(not), "{not}");
        }
    }
}
