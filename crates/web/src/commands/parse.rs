//! WEB PARSE URL: a URL into its parts.
//!
//! Reference: CICS API reference, WEB PARSE URL; RFC 3986.

use cics::command::commands::web_parse as row;
use cics::resp::Condition;
use link::CommandOperands;

use super::{OutputAreas, WebCommandResult, fail, text};
pub use webtask::extract::host_type;

/// Longest URL.
const MAX_URL: usize = 4096;

/// The parts of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlParts<'u> {
    /// `http` or `https`.
    pub scheme: &'u str,
    /// The host, an address of IP version 6 without its brackets.
    pub host: &'u str,
    /// The port, the scheme's own when it has none.
    pub port: u16,
    /// The path, `/` when it has none.
    pub path: &'u str,
    /// The query string after `?`.
    pub query: &'u str,
}

/// Splits a URL. Returns `None` if it is not a URL of HTTP.
pub fn url(text: &str) -> Option<UrlParts<'_>> {
    let (scheme, rest) = text.split_once("://")?;
    let own = match scheme.to_ascii_lowercase().as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let text_is_clean = rest.bytes().all(|b| b.is_ascii_graphic());
    if !text_is_clean {
        return None;
    }
    let rest = rest.split('#').next().unwrap_or_default();
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    // User and password have no place in a URL here.
    if authority.contains('@') {
        return None;
    }
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, port) = match authority.strip_prefix('[') {
        Some(address) => {
            let (address, rest) = address.split_once(']')?;
            (address, rest.strip_prefix(':'))
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    if host.is_empty() {
        return None;
    }
    let port = match port {
        None | Some("") => own,
        Some(port) => port.parse().ok()?,
    };
    Some(UrlParts {
        scheme,
        host,
        port,
        path: if path.is_empty() { "/" } else { path },
        query,
    })
}

/// Serves PARSE URL.
pub fn parse(given: &CommandOperands) -> WebCommandResult {
    let length = given.get_int(row::URLLENGTH);
    if length.is_some_and(|n| n <= 0 || n > MAX_URL as i64) {
        return fail(Condition::LengErr, 1);
    }
    let text = text(given, row::URL).unwrap_or_default();
    let Some(url) = url(text.trim()) else {
        return fail(Condition::InvReq, 48);
    };
    let mut filled = OutputAreas::default();
    let scheme = url.scheme.to_ascii_uppercase();
    filled.chars(row::SCHEMENAME, scheme.as_bytes());
    filled.area(given, (row::HOST, row::HOSTLENGTH), url.host.as_bytes(), 5)?;
    filled.int(row::HOSTTYPE, host_type(url.host));
    filled.int(row::PORTNUMBER, i64::from(url.port));
    filled.area(given, (row::PATH, row::PATHLENGTH), url.path.as_bytes(), 5)?;
    let query = (row::QUERYSTRING, row::QUERYSTRLEN);
    filled.area(given, query, url.query.as_bytes(), 5)?;
    filled.done()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn urls_are_taken_apart() {
        let parts = url("HTTP://www.example.com:8080/a/b?x=1&y=2#z").unwrap();
        assert_eq!(
            (parts.host, parts.port, parts.path, parts.query),
            ("www.example.com", 8080, "/a/b", "x=1&y=2")
        );
        let parts = url("https://[::1]?q").unwrap();
        assert_eq!(
            (parts.host, parts.port, parts.path, parts.query),
            ("::1", 443, "/", "q")
        );
        for wrong in [
            "ftp://a/",
            "http://",
            "a/b",
            "http://a b/",
            "http://u@h/",
            "http://h:x/",
        ] {
            assert_eq!(url(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "(http://|https://)?[a-z:@/?#\\[\\]0-9.]{0,30}") {
            url(&text);
        }
    }
}
