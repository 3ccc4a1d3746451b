//! The headers that describe the request itself.
//!
//! A request that the gateway might read otherwise than its sender is rejected,
//! so that no component between client and program treats it as another
//! request.

use crate::observe::context::{TRACEPARENT, TraceContext};
use crate::problem::ProblemDocument;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, StatusCode, Version, header};

/// The headers of every request that the gateway needs, found in one pass: each
/// look-up by name costs about as much.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RequestHeaders<'h> {
    host: FirstHeader<'h>,
    transfer_coding: FirstHeader<'h>,
    /// The first transfer coding that is not chunked.
    foreign_transfer: Option<&'h HeaderValue>,
    /// The first content coding that changes something.
    foreign_content: Option<&'h HeaderValue>,
    content_type: FirstHeader<'h>,
    trace: FirstHeader<'h>,
}

/// The first value of a header, and how many there are.
#[derive(Debug, Clone, Copy, Default)]
struct FirstHeader<'h> {
    first: Option<&'h HeaderValue>,
    all: usize,
}

impl<'h> FirstHeader<'h> {
    fn add(&mut self, value: &'h HeaderValue) {
        self.first.get_or_insert(value);
        self.all += 1;
    }
}

impl<'h> RequestHeaders<'h> {
    pub fn of(headers: &'h HeaderMap) -> RequestHeaders<'h> {
        let mut seen = RequestHeaders::default();
        for (name, value) in headers {
            if *name == header::HOST {
                seen.host.add(value);
            } else if *name == header::CONTENT_TYPE {
                seen.content_type.add(value);
            } else if *name == header::TRANSFER_ENCODING {
                seen.transfer_coding.add(value);
                if !has_token(value, "chunked") {
                    seen.foreign_transfer.get_or_insert(value);
                }
            } else if *name == header::CONTENT_ENCODING {
                if !has_token(value, "identity") {
                    seen.foreign_content.get_or_insert(value);
                }
            } else if *name == TRACEPARENT {
                seen.trace.add(value);
            }
        }
        seen
    }

    /// The type that the body is said to have.
    pub fn content_type(&self) -> Option<&'h HeaderValue> {
        self.content_type.first
    }

    /// The trace of the request; `None` if there is no valid one.
    pub fn trace_context(&self) -> Option<TraceContext> {
        let one = self.trace.first.filter(|_| self.trace.all == 1)?;
        TraceContext::parse(one.as_bytes())
    }
}

/// Why a request is not served, independently of its path.
///
/// Reference: RFC 9112, sections 3.2 (Host) and 6.1 (Transfer-Encoding).
pub(super) fn refused(
    parts: &Parts,
    seen: &RequestHeaders<'_>,
    most: usize,
) -> Option<ProblemDocument> {
    // HTTP/1 counts them while it reads them.
    if parts.headers.len() > most {
        let detail = format!("A request may have at most {most} headers");
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Some(ProblemDocument::new(status, "Too many headers", detail));
    }
    let hosts = seen.host.all;
    let needed = parts.version == Version::HTTP_11;
    if hosts > 1 || needed && hosts == 0 {
        let detail = format!("The request has {hosts} Host headers, but needs one");
        let title = "Host is ambiguous";
        return Some(ProblemDocument::new(StatusCode::BAD_REQUEST, title, detail));
    }
    if let Some(host) = seen.host.first.filter(|h| !is_host(h)) {
        let detail = format!("{host:?} is not a host name with or without a port");
        let title = "Host is ambiguous";
        return Some(ProblemDocument::new(StatusCode::BAD_REQUEST, title, detail));
    }
    if seen.transfer_coding.all > 1 {
        let detail = "The request has more than one Transfer-Encoding";
        let title = "Transfer coding is ambiguous";
        return Some(ProblemDocument::new(StatusCode::BAD_REQUEST, title, detail));
    }
    let foreign = seen.foreign_transfer?;
    let detail = format!("The only supported transfer coding is chunked, not {foreign:?}");
    let title = "Transfer coding not supported";
    Some(ProblemDocument::new(
        StatusCode::NOT_IMPLEMENTED,
        title,
        detail,
    ))
}

/// Bytes of nearly all names of hosts.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < plain.len() {
        let b = byte as u8;
        plain[byte] = b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
        byte += 1;
    }
    plain
};

/// Whether a Host header is empty, or a host with or without a port.
fn is_host(value: &HeaderValue) -> bool {
    // The usual values are recognised without parsing.
    let bytes = value.as_bytes();
    let other = bytes.iter().position(|b| !PLAIN[usize::from(*b)]);
    let name = other.unwrap_or(bytes.len());
    let plain = match &bytes[name..] {
        [] => name > 0,
        [b':', port @ ..] => name > 0 && is_port(port),
        _ => false,
    };
    if plain {
        return true;
    }
    let Ok(authority) = Authority::try_from(value.as_bytes()) else {
        return value.is_empty();
    };
    let text = authority.as_str();
    let port = text.len() == authority.host().len() || authority.port_u16().is_some();
    port && !text.contains('@')
}

/// Whether these digits are a port's number.
fn is_port(digits: &[u8]) -> bool {
    let number = |sum: u32, digit: &u8| sum * 10 + u32::from(digit - b'0');
    (1..=5).contains(&digits.len())
        && digits.iter().all(u8::is_ascii_digit)
        && digits.iter().fold(0, number) <= u32::from(u16::MAX)
}

/// Why a body that is there cannot be read: it is compressed, or its text has
/// another encoding than UTF-8.
///
/// Reference: RFC 9110, section 15.5.16; RFC 8259, section 8.1.
pub(super) fn foreign_body(seen: &RequestHeaders<'_>) -> Option<ProblemDocument> {
    let unsupported = |detail: String| {
        let title = "Unsupported media type";
        Some(ProblemDocument::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            title,
            detail,
        ))
    };
    if let Some(coding) = seen.foreign_content {
        let detail = format!("The body must come without Content-Encoding, not {coding:?}");
        return unsupported(detail);
    }
    let given = seen.content_type()?;
    if !given.as_bytes().contains(&b';') {
        return None;
    }
    let given = given.to_str().ok()?;
    let charset = given.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let named = name.trim().eq_ignore_ascii_case("charset");
        named.then(|| value.trim().trim_matches('"'))
    })?;
    let known = ["utf-8", "utf8", "us-ascii"];
    if known.iter().any(|k| charset.eq_ignore_ascii_case(k)) {
        return None;
    }
    unsupported(format!("The body must be UTF-8, not {charset}"))
}

fn has_token(value: &http::HeaderValue, word: &str) -> bool {
    value
        .as_bytes()
        .trim_ascii()
        .eq_ignore_ascii_case(word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_and_perhaps_a_port() {
        let host = |text: &'static str| is_host(&HeaderValue::from_static(text));
        for right in [
            "",
            "a",
            "a.b-c:1",
            "127.0.0.1:65535",
            "[::1]:80",
            "x_y:00080",
        ] {
            assert!(host(right), "{right}");
        }
        for wrong in [
            "a:65536", "a:99999", "a:123456", "a:", "a:1x", "u@a:80", "a b", "a/b",
        ] {
            assert!(!host(wrong), "{wrong}");
        }
    }

    #[test]
    fn headers_are_seen_with_their_first_value_and_their_number() {
        let mut headers = HeaderMap::new();
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        headers.insert(TRACEPARENT, HeaderValue::from_static(trace));
        for (name, value) in [
            (header::HOST, "a"),
            (header::HOST, "b"),
            (header::CONTENT_TYPE, "application/json"),
            (header::TRANSFER_ENCODING, " Chunked"),
            (header::CONTENT_ENCODING, "identity"),
            (header::CONTENT_ENCODING, "gzip"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }
        let seen = RequestHeaders::of(&headers);
        assert_eq!(
            (seen.host.all, seen.host.first.unwrap().as_bytes()),
            (2, &b"a"[..])
        );
        assert_eq!(seen.content_type().unwrap(), "application/json");
        assert_eq!((seen.transfer_coding.all, seen.foreign_transfer), (1, None));
        assert_eq!(seen.foreign_content.unwrap(), "gzip");
        assert!(seen.trace_context().is_some());
        headers.append(TRACEPARENT, HeaderValue::from_static(trace));
        assert_eq!(RequestHeaders::of(&headers).trace_context(), None);
    }
}
