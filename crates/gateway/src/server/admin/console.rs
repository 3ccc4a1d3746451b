//! The pages of the console and of the terminal: files in the binary, which ask
//! this port for everything that they show.

use super::super::body::ResponseBody;
use super::super::documents::text;
use http::{HeaderValue, Response, header};

/// Files by name, with their types.
const FILES: [(&str, &str, &str); 8] = [
    ("tokens.css", "text/css; charset=utf-8", page::TOKENS),
    (
        "operator.js",
        "text/javascript; charset=utf-8",
        include_str!("../../../console/operator.js"),
    ),
    (
        "",
        "text/html; charset=utf-8",
        include_str!("../../../console/index.html"),
    ),
    (
        "console.css",
        "text/css; charset=utf-8",
        include_str!("../../../console/console.css"),
    ),
    (
        "console.js",
        "text/javascript; charset=utf-8",
        include_str!("../../../console/console.js"),
    ),
    (
        "terminal.html",
        "text/html; charset=utf-8",
        include_str!("../../../console/terminal.html"),
    ),
    (
        "terminal.css",
        "text/css; charset=utf-8",
        include_str!("../../../console/terminal.css"),
    ),
    (
        "terminal.js",
        "text/javascript; charset=utf-8",
        include_str!("../../../console/terminal.js"),
    ),
];

/// A file of the page. The page runs no script but its own and is shown in no frame.
pub(super) fn file(name: &str) -> Option<Response<ResponseBody>> {
    let (_, kind, content) = FILES.iter().find(|(known, ..)| *known == name)?;
    let mut response = text(kind, *content);
    let headers = response.headers_mut();
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(policy),
    );
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    Some(response)
}
