//! The administration port: metrics, health, and the APIs' documents.

use super::body::Full;
use super::gate::{Peer, credentials};
use super::tls::{Server as Tls, client_name};
use super::{Routes, Shared, Stop, documents, respond};
use crate::backend::Backend;
use crate::problem::Problem;
use crate::security::Act;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// How long a client of this port may be silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// Serves until told to stop.
pub(super) fn run<B: Backend>(
    shared: Arc<Shared<B>>,
    listener: StdListener,
    tls: Option<Arc<Tls>>,
    mut stop: watch::Receiver<Stop>,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(e) => return tracing::error!(error = %e, "the administration port cannot be served"),
    };
    runtime.block_on(async move {
        let listener = match TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(e) => return tracing::error!(error = %e, "the administration port is lost"),
        };
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stop.changed() => return,
            };
            match accepted {
                Ok((stream, from)) => {
                    let (shared, stop) = (shared.clone(), stop.clone());
                    let mut peer = Peer {
                        address: from.ip(),
                        ..Peer::default()
                    };
                    let Some(acceptor) = tls.as_ref().map(|tls| TlsAcceptor::from(tls.config()))
                    else {
                        tokio::spawn(connection(shared, stream, peer, stop));
                        continue;
                    };
                    tokio::spawn(async move {
                        let shaken = tokio::time::timeout(PATIENCE, acceptor.accept(stream)).await;
                        if let Ok(Ok(stream)) = shaken {
                            peer.secure = true;
                            peer.certificate = client_name(&stream);
                            connection(shared, stream, peer, stop).await;
                        }
                    });
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    });
}

async fn connection<B: Backend>(
    shared: Arc<Shared<B>>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Peer,
    mut stop: watch::Receiver<Stop>,
) {
    let peer = Arc::new(peer);
    let service = hyper::service::service_fn(|request: http::Request<Incoming>| {
        let (shared, peer) = (shared.clone(), peer.clone());
        async move {
            let (parts, _) = request.into_parts();
            let response = match admit(&shared, &parts, &peer).await {
                Ok(()) => handle(&shared, &parts),
                Err(problem) => respond::problem(&problem),
            };
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE);
    let connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        _ = connection => {}
        _ = stop.changed() => {}
    }
}

/// Whether somebody may do what they ask for. Whether the server is well is
/// for everybody.
async fn admit<B: Backend>(shared: &Shared<B>, parts: &Parts, peer: &Peer) -> Result<(), Problem> {
    let config = &shared.config;
    let beyond = config.admin.is_some_and(|admin| !admin.ip().is_loopback());
    let path = parts.uri.path().trim_matches('/');
    let health = path == "health" || path.starts_with("health/");
    if !(config.admin_auth || beyond) || health && parts.method != Method::POST {
        return Ok(());
    }
    let limited = shared.within_rate(peer);
    limited.map_err(|denied| shared.denied(denied))?;
    let act = match parts.method {
        Method::GET | Method::HEAD => Act::Read,
        _ => Act::Operate,
    };
    let found = shared.guard.admin(act, credentials(parts, peer)).await;
    let who = found.map_err(|denied| shared.denied(denied))?;
    if act == Act::Operate {
        let (user, client) = (who.name.as_str(), peer.address);
        tracing::info!(%user, %client, "{} /{path}", parts.method);
    }
    Ok(())
}

fn handle<B: Backend>(shared: &Shared<B>, request: &Parts) -> Response<Full> {
    let (method, path) = (&request.method, request.uri.path());
    if path.trim_end_matches('/') == "/metrics" && matches!(*method, Method::GET | Method::HEAD) {
        let mut text = String::with_capacity(16 << 10);
        shared.metrics.write(shared.memory.held(), &mut text);
        shared.backend.metrics(&mut text);
        let mut response = Response::new(Full::new(text.into()));
        let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        return response;
    }
    let change = *method == Method::POST;
    if (change && may_change(request)) || *method == Method::GET {
        let query = request.uri.query().unwrap_or_default();
        if let Some(operated) = shared.backend.operate(path, query, change) {
            let mut response = Response::new(Full::new(operated.json.into()));
            *response.status_mut() =
                StatusCode::from_u16(operated.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let kind = HeaderValue::from_static("application/json");
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            return response;
        }
    }
    let routes = shared.routes();
    if change
        && may_change(request)
        && let Some(response) = switched(&routes, path)
    {
        return response;
    }
    let headers = &request.headers;
    if matches!(*method, Method::GET | Method::HEAD)
        && let Some(response) = elsewhere(shared, &routes, path, headers)
    {
        return response;
    }
    documents::answer(&routes, method, path, headers, || shared.health()).unwrap_or_else(|| {
        let detail = format!("There is nothing at {path}; try /metrics, /health, /apis or /docs/");
        respond::problem(&Problem::new(StatusCode::NOT_FOUND, "Not found", detail))
    })
}

/// Stops an API, or starts it again: `POST /apis/NAME/stop`.
fn switched(routes: &Routes, path: &str) -> Option<Response<Full>> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (name, stop) = match parts.as_slice() {
        ["apis", name, "stop"] => (*name, true),
        ["apis", name, "start"] => (*name, false),
        _ => return None,
    };
    let served = routes.apis.iter().any(|api| api.name == name);
    let switch = routes.stopped.get(name).filter(|_| served);
    let (status, json) = match switch {
        Some(switch) => {
            switch.store(stop, Relaxed);
            let state = if stop { "stopped" } else { "started" };
            tracing::info!("the API {name} is {state}");
            let json = serde_json::json!({ "name": name, "state": state });
            (StatusCode::OK, json)
        }
        None => {
            let why = format!("there is no API {name}");
            (StatusCode::NOT_FOUND, serde_json::json!({ "error": why }))
        }
    };
    let mut response = Response::new(Full::new(json.to_string().into()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Some(response)
}

/// A page of another origin cannot make a browser send this header unasked.
fn may_change(request: &Parts) -> bool {
    request.headers.contains_key("x-tupelo-operator")
}

/// What belongs to the gateway's own port: the page that sends requests, and
/// documents whose requests go there.
fn elsewhere<B: Backend>(
    shared: &Shared<B>,
    routes: &Routes,
    path: &str,
    headers: &HeaderMap,
) -> Option<Response<Full>> {
    let origin = || gateway_origin(shared.address, headers);
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    match parts.as_slice() {
        [""] | ["docs", ..] => Some(documents::redirect(&format!("{}/docs/", origin()))),
        ["apis", name, "openapi.json"] => {
            let api = routes.apis.iter().find(|api| api.name == *name)?;
            Some(documents::document_at(api, &origin()))
        }
        _ => None,
    }
}

/// The gateway as a client of this port reaches it: under the same name, at its
/// own port. A gateway that listens on one address only is reached there.
fn gateway_origin(gateway: SocketAddr, headers: &HeaderMap) -> String {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let name = host.and_then(|host| host.parse::<Authority>().ok());
    match name {
        Some(name) if gateway.ip().is_unspecified() || gateway.ip().is_loopback() => {
            format!("http://{}:{}", name.host(), gateway.port())
        }
        _ => format!("http://{gateway}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gateway_is_named_as_the_client_names_this_port() {
        let origin = |gateway: &str, host: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            if let Some(host) = host {
                headers.insert(header::HOST, HeaderValue::from_static(host));
            }
            gateway_origin(gateway.parse().unwrap(), &headers)
        };
        let told = origin("0.0.0.0:8080", Some("box.example:9080"));
        assert_eq!(told, "http://box.example:8080");
        let told = origin("[::]:8080", Some("[::1]:9080"));
        assert_eq!(told, "http://[::1]:8080");
        let told = origin("192.0.2.1:8080", Some("box.example"));
        assert_eq!(told, "http://192.0.2.1:8080");
        assert_eq!(origin("127.0.0.1:8080", None), "http://127.0.0.1:8080");
    }
}
