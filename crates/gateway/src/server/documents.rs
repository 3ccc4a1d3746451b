//! The gateway's own answers: health, the APIs' documents, and a page that
//! shows them and sends requests (Swagger UI, from the binary).
//!
//! The page's files come out of a zip archive when this crate is built. A
//! browser gets a member as it is stored, deflated, in a gzip wrapping; only a
//! client that takes no gzip has it inflated.

use super::ApiRoutes;
use super::UnservedApi;
use super::body::ResponseBody;
use crate::project::operation::LoadedApi;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use maud::{DOCTYPE, html};
use serde_json::{Value, json};
use std::sync::Arc;

/// The files that `build.rs` took.
static PAGES: &[Member] = &include!(concat!(env!("OUT_DIR"), "/pages.rs"));
/// Most bytes that a member of the archive may have.
const MAX_MEMBER: usize = 8 << 20;

/// Answers a path outside the operations; `None` if it is not served.
pub(crate) fn answer(
    routes: &ApiRoutes,
    method: &Method,
    path: &str,
    headers: &HeaderMap,
    health: impl FnOnce() -> ServerHealth,
) -> Option<Response<ResponseBody>> {
    if method != Method::GET && method != Method::HEAD {
        return None;
    }
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    match parts.as_slice() {
        ["health"] => Some(report(&health(), false)),
        ["health", "ready"] => Some(report(&health(), true)),
        ["health", "live"] => Some(text("application/json", "{\"status\":\"UP\"}")),
        ["apis"] => Some(text("application/json", list(routes))),
        ["apis", name, file] => {
            let api = routes.apis.iter().find(|api| api.name == *name)?;
            match *file {
                "openapi.json" => Some(text("application/json", api.document_json.clone())),
                "openapi.yaml" => Some(text("application/yaml", api.document.clone())),
                _ => None,
            }
        }
        ["docs"] if path.ends_with('/') => {
            Some(unframed(text("text/html; charset=utf-8", page(routes))))
        }
        ["docs"] => Some(redirect("/docs/")),
        [""] if routes.apis.is_empty() || !routes.serves_root => Some(redirect("/docs/")),
        ["docs", file] => asset(file, headers).map(unframed),
        _ => None,
    }
}

/// How the server is, and which APIs it does not serve.
pub(crate) struct ServerHealth {
    pub state: HealthState,
    pub unserved: Vec<UnservedApi>,
}

/// Health of the server.
pub(crate) enum HealthState {
    /// Programs are run.
    Up,
    /// Requests are not served, or not all of them, for this reason.
    Degraded {
        reason: String,
        /// Requests are still answered.
        ready: bool,
    },
    /// The server is stopping.
    Down,
}

/// Health of the server. With `ready` it returns 503 while another server
/// should be used.
fn report(health: &ServerHealth, ready: bool) -> Response<ResponseBody> {
    let mut body = match &health.state {
        HealthState::Up => serde_json::json!({"status": "UP"}),
        HealthState::Degraded { reason, .. } => {
            serde_json::json!({"status": "DEGRADED", "reason": reason})
        }
        HealthState::Down => serde_json::json!({"status": "DOWN"}),
    };
    if !health.unserved.is_empty() {
        let one = |u: &UnservedApi| serde_json::json!({"api": u.api, "reason": u.reason});
        body["notServed"] = health.unserved.iter().map(one).collect();
    }
    let mut response = text("application/json", body.to_string());
    let well = match health.state {
        HealthState::Up => true,
        HealthState::Degraded { ready: limps, .. } => ready && limps,
        HealthState::Down => false,
    };
    if !well {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response
}

pub(super) fn text(kind: &'static str, body: impl Into<Bytes>) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::new(body.into()));
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// The page has buttons that send requests: no other page shows it in a frame.
fn unframed(mut response: Response<ResponseBody>) -> Response<ResponseBody> {
    let policy = HeaderValue::from_static("frame-ancestors 'none'");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// Sends a browser elsewhere.
pub(super) fn redirect(to: &str) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::default());
    *response.status_mut() = StatusCode::FOUND;
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    response
}

/// An API's document for a page of another server: its operations are called
/// at `origin`.
pub(super) fn document_at(api: &LoadedApi, origin: &str) -> Response<ResponseBody> {
    let mut json: serde_json::Value = serde_json::from_str(&api.document_json).unwrap_or_default();
    if let Some(object) = json.as_object_mut() {
        let (scheme, host) = origin.split_once("://").unwrap_or(("http", origin));
        if object.contains_key("swagger") {
            object.insert("schemes".into(), serde_json::json!([scheme]));
            object.insert("host".into(), serde_json::json!(host));
        } else {
            let url = format!("{origin}{}", api.base_path);
            object.insert("servers".into(), serde_json::json!([{ "url": url }]));
        }
    }
    text("application/json", json.to_string())
}

/// All APIs with their operations, as JSON.
fn list(routes: &ApiRoutes) -> String {
    let apis: Vec<Value> = routes.apis.iter().map(|api| one(routes, api)).collect();
    json!({ "apis": apis }).to_string()
}

/// An API with its operations.
pub(super) fn one(routes: &ApiRoutes, api: &LoadedApi) -> Value {
    let state = |operation| {
        if routes.is_stopped(&api.name, operation) {
            "stopped"
        } else {
            "started"
        }
    };
    let shown = api.operations.iter().zip(api.operations());
    let operations = shown.map(|(operation, (method, path, program))| {
        json!({
            "method": method,
            "path": path,
            "operationId": operation.id,
            "program": program,
            "state": state(Some(operation)),
        })
    });
    let operations: Vec<Value> = operations.collect();
    json!({
        "name": api.name,
        "title": api.title,
        "version": api.version,
        "basePath": api.base_path,
        "state": state(None),
        "document": format!("/apis/{}/openapi.json", api.name),
        "operations": operations,
    })
}

/// The styles of the page in addition to its own style sheet.
const STYLE: &str = include_str!("../../console/docs.css");

/// Chooses the colours before anything is shown.
const COLOURS: &str = "if(matchMedia(\"(prefers-color-scheme: dark)\").matches)\
    document.documentElement.classList.add(\"dark-mode\")";

/// Shows the documents that the element `apis` lists.
const SHOW: &str = "window.ui = SwaggerUIBundle({\
    urls:JSON.parse(document.getElementById(\"apis\").textContent),\
    dom_id:\"#swagger-ui\",deepLinking:true,\
    presets:[SwaggerUIBundle.presets.apis,SwaggerUIStandalonePreset],\
    layout:\"StandaloneLayout\",validatorUrl:null});";

fn page(routes: &ApiRoutes) -> String {
    let one = |api: &Arc<LoadedApi>| {
        let url = format!("/apis/{}/openapi.json", api.name);
        json!({ "url": url, "name": api.title })
    };
    let apis: Value = routes.apis.iter().map(one).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "APIs" }
                link rel="stylesheet" href="swagger-ui.css";
                link rel="icon" type="image/png" href="favicon-32x32.png";
                meta name="viewport" content="width=device-width, initial-scale=1";
                (page::style(STYLE))
                (page::script(COLOURS))
            }
            body {
                div id="swagger-ui" {}
                (page::data("apis", &apis.to_string()))
                script src="swagger-ui-bundle.js" {}
                script src="swagger-ui-standalone-preset.js" {}
                (page::script(SHOW))
            }
        }
    };
    page.into_string()
}

fn asset(name: &str, headers: &HeaderMap) -> Option<Response<ResponseBody>> {
    let kind = match name.rsplit_once('.')?.1 {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "png" => "image/png",
        "html" => "text/html; charset=utf-8",
        _ => return None,
    };
    let member = Member::find(name)?;
    let gzip = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|v| v.to_str().ok());
    let gzip = gzip.is_some_and(|v| v.contains("gzip")) && member.deflated;
    let body = if gzip {
        member.gzip()
    } else {
        member.content()?
    };
    let mut response = text(kind, body);
    let headers = response.headers_mut();
    let day = HeaderValue::from_static("public, max-age=86400");
    headers.insert(header::CACHE_CONTROL, day);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Some(response)
}

/// A file of the page.
struct Member {
    name: &'static str,
    data: &'static [u8],
    deflated: bool,
    crc: u32,
    size: u32,
}

impl Member {
    /// The file of that name.
    fn find(name: &str) -> Option<&'static Member> {
        PAGES.iter().find(|member| member.name == name)
    }

    fn content(&self) -> Option<Bytes> {
        if !self.deflated {
            return Some(Bytes::from_static(self.data));
        }
        let inflated = miniz_oxide::inflate::decompress_to_vec_with_limit(self.data, MAX_MEMBER);
        inflated.ok().map(Bytes::from)
    }

    /// RFC 1952: a header, the deflated data, CRC and length.
    fn gzip(&self) -> Bytes {
        let mut out = Vec::with_capacity(self.data.len() + 18);
        out.extend_from_slice(&[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]);
        out.extend_from_slice(self.data);
        out.extend_from_slice(&self.crc.to_le_bytes());
        out.extend_from_slice(&self.size.to_le_bytes());
        Bytes::from(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_files_are_in_the_binary() {
        for name in [
            "swagger-ui.css",
            "swagger-ui-bundle.js",
            "swagger-ui-standalone-preset.js",
            "favicon-32x32.png",
        ] {
            let member = Member::find(name).unwrap_or_else(|| panic!("{name}"));
            let content = member.content().unwrap();
            assert_eq!(content.len(), member.size as usize, "{name}");
            assert_eq!(&member.gzip()[10..10 + member.data.len()], member.data);
        }
        assert!(Member::find("no-such-file.js").is_none());
    }
}
