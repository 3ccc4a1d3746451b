//! The CORS headers, with which pages of other origins may call the APIs.
//!
//! The preflight of a page of another origin is answered like any other
//! OPTIONS: it has no header by which the browser would admit the page. An
//! answer that depends on the origin has a Vary header for caches even when the
//! request came without an origin.
//!
//! Reference: Fetch standard, section 3.3 (CORS protocol).

use super::body::ResponseBody;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, header};

/// The origins whose pages may call the APIs, and with which headers.
#[derive(Debug, Clone)]
pub struct CorsConfig {
    /// Their origins; `*` for any, empty for none.
    pub origins: Vec<String>,
    /// Request headers that they may send; empty for any.
    pub allow_headers: Vec<String>,
    /// Response headers that pages may read in addition to those that are
    /// always readable.
    pub expose_headers: Vec<String>,
    /// Whether they may send what the browser has of its user: passwords,
    /// cookies, a certificate. Not together with `*`.
    pub credentials: bool,
    /// Seconds that browsers may keep the answer to a preflight.
    pub max_age_s: u32,
}

impl Default for CorsConfig {
    fn default() -> Self {
        CorsConfig {
            origins: Vec::new(),
            allow_headers: Vec::new(),
            expose_headers: Vec::new(),
            credentials: false,
            max_age_s: 600,
        }
    }
}

/// The CORS settings as headers.
pub(super) struct CorsHeaders {
    /// Pages of any origin may.
    any: bool,
    origins: Vec<String>,
    allow_headers: Option<HeaderValue>,
    expose_headers: Option<HeaderValue>,
    credentials: bool,
    max_age: HeaderValue,
}

/// Whether a browser asks what a page may.
pub(super) fn is_preflight(request: &Parts) -> bool {
    request.method == Method::OPTIONS
        && request.headers.contains_key(header::ORIGIN)
        && request
            .headers
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Names as one header; `None` if the list is empty or not valid in a header.
fn list(names: &[String]) -> Option<HeaderValue> {
    let text = names.join(", ");
    HeaderValue::from_str(&text)
        .ok()
        .filter(|_| !names.is_empty())
}

impl CorsHeaders {
    /// `None` if no page of another origin may call the APIs.
    pub fn new(config: &CorsConfig) -> Option<CorsHeaders> {
        let any = config.origins.iter().any(|origin| origin == "*");
        (!config.origins.is_empty()).then(|| CorsHeaders {
            any,
            origins: config.origins.clone(),
            allow_headers: list(&config.allow_headers),
            expose_headers: list(&config.expose_headers),
            // Otherwise a page of any origin could act as the browser's user.
            credentials: config.credentials && !any,
            max_age: HeaderValue::from(config.max_age_s),
        })
    }

    /// Adds the CORS headers to a response.
    pub fn add_headers(&self, request: &Parts, response: &mut Response<ResponseBody>) {
        let headers = response.headers_mut();
        if !self.any {
            headers.append(header::VARY, HeaderValue::from_static("origin"));
        }
        let Some(origin) = request.headers.get(header::ORIGIN) else {
            return;
        };
        let named = |o: &String| o.as_bytes() == origin.as_bytes();
        let allowed = if self.any {
            HeaderValue::from_static("*")
        } else if self.origins.iter().any(named) {
            origin.clone()
        } else {
            return;
        };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        if self.credentials {
            let yes = HeaderValue::from_static("true");
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, yes);
        }
        if is_preflight(request) {
            self.admit(&request.headers, headers)
        } else if let Some(names) = &self.expose_headers {
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, names.clone());
        }
    }

    /// The answer to the preflight of a page that may.
    fn admit(&self, asked: &HeaderMap, headers: &mut HeaderMap) {
        // A path that is not there, or a client that is refused, has none.
        let Some(methods) = headers.get(header::ALLOW).cloned() else {
            return;
        };
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        let wanted = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS);
        if let Some(names) = self.allow_headers.as_ref().or(wanted) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
        }
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, self.max_age.clone());
    }
}
