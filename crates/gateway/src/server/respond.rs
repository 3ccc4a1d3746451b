//! Responses: problems, methods.

use super::body::ResponseBody;
use crate::problem::ProblemDocument;
use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode, header};

const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// A problem document as a response.
pub(super) fn problem(problem: &ProblemDocument) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::new(Bytes::from(problem.to_json())));
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

/// The methods of a path for `Allow`: its own, HEAD in addition to GET,
/// OPTIONS.
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
pub(super) fn options(allow: HeaderValue) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().insert(header::ALLOW, allow);
    response
}

/// The answer to HEAD: its length without its body.
pub(super) fn without_body(mut response: Response<ResponseBody>) -> Response<ResponseBody> {
    if !response.body().is_stream() {
        let length = HeaderValue::from(response.body().len());
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_LENGTH, length);
    }
    *response.body_mut() = ResponseBody::default();
    response
}
