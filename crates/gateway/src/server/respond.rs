//! Responses: problems, methods, browsers of other origins.

use super::body::Full;
use crate::problem::Problem;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};

const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");
/// Seconds a browser may keep the answer to a preflight.
const PREFLIGHT_AGE: HeaderValue = HeaderValue::from_static("600");

/// A problem document as a response.
pub(super) fn problem(problem: &Problem) -> Response<Full> {
    let mut response = Response::new(Full::new(Bytes::from(problem.to_json())));
    *response.status_mut() = problem.status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, PROBLEM);
    if let Some(seconds) = problem.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(allow) = &problem.allow {
        headers.insert(header::ALLOW, HeaderValue::clone(allow));
    }
    for challenge in &problem.challenges {
        headers.append(header::WWW_AUTHENTICATE, challenge.clone());
    }
    response
}

/// The methods of a path for `Allow`: its own, HEAD beside GET, OPTIONS.
pub(super) fn allow<'m>(methods: impl Iterator<Item = &'m Method>) -> HeaderValue {
    let mut names: Vec<&str> = Vec::new();
    for method in methods {
        names.push(method.as_str());
        if method == Method::GET {
            names.push("HEAD");
        }
    }
    names.push("OPTIONS");
    names.sort_unstable();
    names.dedup();
    HeaderValue::from_str(&names.join(", ")).unwrap_or(HeaderValue::from_static("OPTIONS"))
}

/// The answer to OPTIONS.
pub(super) fn options(allow: HeaderValue, request: &HeaderMap) -> Response<Full> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    if request.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, allow.clone());
        if let Some(wanted) = request.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_AGE);
    }
    headers.insert(header::ALLOW, allow);
    response
}

/// Tells the browser of an allowed origin that it may read the response.
pub(super) fn cors(origins: &[String], origin: &HeaderValue, response: &mut Response<Full>) {
    let any = origins.iter().any(|o| o == "*");
    let headers = response.headers_mut();
    if any {
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("*"),
        );
        return;
    }
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    if origins.iter().any(|o| o.as_bytes() == origin.as_bytes()) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    } else {
        headers.remove(header::ACCESS_CONTROL_ALLOW_METHODS);
        headers.remove(header::ACCESS_CONTROL_ALLOW_HEADERS);
    }
}
