//! What the headers of a request say of the request itself.
//!
//! What the gateway cannot read as its sender means it is refused, so that
//! nothing between client and program takes it for another request.

use crate::problem::Problem;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, StatusCode, Version, header};

/// Why a request is not served, whatever its path.
///
/// Reference: RFC 9112, sections 3.2 (Host) and 6.1 (Transfer-Encoding).
pub(super) fn refused(parts: &Parts, most: usize) -> Option<Problem> {
    // HTTP/1 counts them while it reads them.
    if parts.headers.len() > most {
        let detail = format!("A request may have {most} headers");
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Some(Problem::new(status, "Too many headers", detail));
    }
    let hosts = parts.headers.get_all(header::HOST).iter().count();
    let needed = parts.version == Version::HTTP_11;
    if hosts > 1 || needed && hosts == 0 {
        let detail = format!("The request has {hosts} Host headers and needs one");
        let title = "Host is not clear";
        return Some(Problem::new(StatusCode::BAD_REQUEST, title, detail));
    }
    if let Some(host) = parts.headers.get(header::HOST).filter(|h| !is_host(h)) {
        let detail = format!("{host:?} is no name of a host with or without a port");
        let title = "Host is not clear";
        return Some(Problem::new(StatusCode::BAD_REQUEST, title, detail));
    }
    let coded = parts.headers.get_all(header::TRANSFER_ENCODING);
    if coded.iter().count() > 1 {
        let detail = "The request has more than one Transfer-Encoding";
        let title = "Transfer coding is not clear";
        return Some(Problem::new(StatusCode::BAD_REQUEST, title, detail));
    }
    let foreign = coded.iter().find(|v| !says(v, "chunked"))?;
    let detail = format!("The only transfer coding served is chunked, not {foreign:?}");
    let title = "Transfer coding not supported";
    Some(Problem::new(StatusCode::NOT_IMPLEMENTED, title, detail))
}

/// Whether it is a host and perhaps a port, and nothing else; an empty one is.
fn is_host(value: &HeaderValue) -> bool {
    // What nearly all are is told without taking it apart.
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    let bytes = value.as_bytes();
    let name = bytes.iter().take_while(|b| plain(b)).count();
    let plain = match &bytes[name..] {
        [] => name > 0,
        [b':', port @ ..] => {
            name > 0 && (1..=4).contains(&port.len()) && port.iter().all(u8::is_ascii_digit)
        }
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

/// Why a body that is there cannot be read: it is compressed, or its text has
/// another encoding than UTF-8.
///
/// Reference: RFC 9110, section 15.5.16; RFC 8259, section 8.1.
pub(super) fn foreign_body(headers: &HeaderMap) -> Option<Problem> {
    let unsupported = |detail: String| {
        let title = "Unsupported media type";
        Some(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            title,
            detail,
        ))
    };
    let mut coded = headers.get_all(header::CONTENT_ENCODING).iter();
    if let Some(coding) = coded.find(|v| !says(v, "identity")) {
        let detail = format!("The body must come without Content-Encoding, not {coding:?}");
        return unsupported(detail);
    }
    let given = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    if !given.as_bytes().contains(&b';') {
        return None;
    }
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

fn says(value: &http::HeaderValue, word: &str) -> bool {
    value
        .as_bytes()
        .trim_ascii()
        .eq_ignore_ascii_case(word.as_bytes())
}
