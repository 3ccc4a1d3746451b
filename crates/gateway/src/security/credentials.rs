//! The credentials in a request.

use super::guard::SchemeFailure;
use http::{HeaderMap, header};
use std::borrow::Cow;

/// The credentials of a request.
#[derive(Clone, Copy)]
pub(crate) struct RequestCredentials<'a> {
    pub headers: &'a HeaderMap,
    pub query: Option<&'a str>,
    /// The name in the certificate of its connection.
    pub certificate: Option<&'a str>,
}

/// A header that may be there once.
pub(super) fn single<'h>(
    headers: &'h HeaderMap,
    name: &str,
) -> Result<Option<&'h str>, SchemeFailure> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), more) = (values.next(), values.next()) else {
        return Ok(None);
    };
    if more.is_some() {
        return Err(SchemeFailure::Wrong(format!(
            "the header {name} occurs more than once"
        )));
    }
    let shown = value.to_str().map(Some);
    shown.map_err(|_| SchemeFailure::Wrong(format!("the header {name} is not text")))
}

/// The part of `Authorization` after the name of a scheme.
pub(super) fn authorization<'h>(
    headers: &'h HeaderMap,
    scheme: &str,
) -> Result<&'h str, SchemeFailure> {
    let value = single(headers, header::AUTHORIZATION.as_str())?.ok_or(SchemeFailure::Absent)?;
    match value.trim().split_once(' ') {
        Some((name, rest)) if name.eq_ignore_ascii_case(scheme) => Ok(rest.trim()),
        _ => Err(SchemeFailure::Absent),
    }
}

/// A parameter of the query, decoded.
pub(super) fn in_query<'q>(query: &'q str, name: &str) -> Option<Cow<'q, str>> {
    let decoded = |text: &'q str| {
        percent_encoding::percent_decode_str(text)
            .decode_utf8()
            .ok()
    };
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        decoded(key).filter(|key| key == name).and(decoded(value))
    })
}

/// A cookie.
pub(super) fn in_cookies<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(header::COOKIE).iter();
    let pairs = lines
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(';'));
    pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}
