//! The administration port: metrics, health, APIs and their documents, the
//! console, and what the backend answers operators.

mod apis;
mod console;
mod describe;
mod tokens;

pub use describe::administration;
pub use tokens::OperatorTokens;

use super::body::ResponseBody;
use super::gate::{PeerAddress, credentials};
use super::tls::{Server as Tls, client_name};
use super::trail::{RecordAttributes, RecordParts, is_health};
use super::{ApiRoutes, GatewayShared, StopOrder, documents, respond};
use crate::backend::ProgramBackend;
use crate::observe::RequestKind;
use crate::problem::ProblemDocument;
use crate::security::{AccessDenied, AdminAction, CallerIdentity};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use seats::{ListenerSeats, SeatHandle, SeatLimits};
use std::net::{SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// How long a client of this port may be silent.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it may take for the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The header that requests carry which change something, with the token.
const OPERATOR: &str = "x-tupelo-operator";
/// Connections of this port at a time.
const MOST: usize = 256;
/// Connections beyond that for health and figures, while all are at work.
const RESERVED: usize = 16;

/// Serves until it is stopped.
pub(super) fn run<B: ProgramBackend>(
    shared: Arc<GatewayShared<B>>,
    listener: StdListener,
    tls: Option<Arc<Tls>>,
    mut stop: watch::Receiver<StopOrder>,
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
        let seats = ListenerSeats::new(SeatLimits {
            most: MOST,
            reserved: RESERVED,
        });
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = ends(&mut stop) => return,
            };
            match accepted {
                Ok((stream, from)) => {
                    let peer = PeerAddress {
                        address: from.ip(),
                        ..PeerAddress::default()
                    };
                    let acceptor = tls.as_ref().map(|tls| TlsAcceptor::from(tls.config()));
                    let seat = seats.enter();
                    let handle = seat.handle();
                    let service = OperatorAccess {
                        shared: shared.clone(),
                        seat: handle.clone(),
                        stop: stop.clone(),
                    };
                    tokio::spawn(async move {
                        seat.hold(service.accept(stream, acceptor, peer)).await;
                    });
                    tokio::select! {
                        () = seats.make_place(&handle) => {}
                        () = ends(&mut stop) => return,
                    }
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    });
}

/// A connection of this port.
struct OperatorAccess<B: ProgramBackend> {
    shared: Arc<GatewayShared<B>>,
    seat: SeatHandle,
    stop: watch::Receiver<StopOrder>,
}

impl<B: ProgramBackend> OperatorAccess<B> {
    async fn accept(self, stream: TcpStream, acceptor: Option<TlsAcceptor>, mut peer: PeerAddress) {
        let Some(acceptor) = acceptor else {
            return connection(self, stream, peer).await;
        };
        let shaken = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await;
        if let Ok(Ok(stream)) = shaken {
            peer.secure = true;
            peer.certificate = client_name(&stream);
            connection(self, stream, peer).await;
        }
    }
}

async fn connection<B: ProgramBackend>(
    operators: OperatorAccess<B>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: PeerAddress,
) {
    let OperatorAccess {
        shared,
        seat,
        mut stop,
    } = operators;
    let peer = Arc::new(peer);
    let service = hyper::service::service_fn(|request: http::Request<Incoming>| {
        let (shared, peer, seat) = (shared.clone(), peer.clone(), seat.clone());
        async move {
            let _at_work = seat.begin_work();
            let started = Instant::now();
            let (parts, _) = request.into_parts();
            let mut user = None;
            let admitted = match beyond_limit(&seat, parts.uri.path()) {
                Some(problem) => Err(problem),
                None => admit(&shared, &parts, &peer, &mut user).await,
            };
            let response = match admitted {
                Ok(()) => handle(&shared, &parts, user.as_deref()).await,
                Err(problem) => respond::problem(&problem),
            };
            if parts.method == Method::POST && shared.observer.is_on() {
                let ended = RecordParts {
                    method: parts.method,
                    uri: parts.uri,
                    peer: &peer,
                    headers: Default::default(),
                    user,
                    started,
                };
                let reported = RecordAttributes {
                    kind: RequestKind::Admin,
                    ..RecordAttributes::default()
                };
                ended.record(&shared, reported, &response);
            }
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
        () = ends(&mut stop) => {}
    }
}

/// Why a connection that came while all were at work has no answer but on health
/// and figures.
fn beyond_limit(seat: &SeatHandle, path: &str) -> Option<ProblemDocument> {
    if !seat.is_restricted() || is_health(path) || path == "/metrics" {
        return None;
    }
    let detail = "All connections of the administration port are in use";
    Some(ProblemDocument {
        retry_after: Some(1),
        ..ProblemDocument::new(StatusCode::SERVICE_UNAVAILABLE, "Server busy", detail)
    })
}

/// Waits until no request is left. While doors drain, requests are answered
/// accordingly.
async fn ends(stop: &mut watch::Receiver<StopOrder>) {
    let _ = stop.wait_for(|stop| *stop == StopOrder::Now).await;
}

/// Whether the caller may make this request. Health is open to every caller.
async fn admit<B: ProgramBackend>(
    shared: &GatewayShared<B>,
    parts: &Parts,
    peer: &PeerAddress,
    user: &mut Option<Arc<CallerIdentity>>,
) -> Result<(), ProblemDocument> {
    let path = parts.uri.path().trim_matches('/');
    let health = path == "health" || path.starts_with("health/");
    if health && parts.method != Method::POST {
        return Ok(());
    }
    if !shared.admin_authenticates() {
        let named = parts.headers.get(header::HOST).map(HeaderValue::as_bytes);
        let named = named.or_else(|| Some(parts.uri.authority()?.as_str().as_bytes()));
        return match named.filter(|host| is_of_others(host)) {
            Some(host) => Err(misdirected(&String::from_utf8_lossy(host))),
            None => Ok(()),
        };
    }
    let limited = shared.within_rate(peer);
    limited.map_err(|denied| shared.denied(denied))?;
    let act = match parts.method {
        Method::GET | Method::HEAD => AdminAction::Read,
        _ => AdminAction::Operate,
    };
    let found = shared.guard.admin(act, credentials(parts, peer)).await;
    let who = found.map_err(|denied| {
        if let AccessDenied::Forbidden { who, .. } = &denied {
            *user = Some(who.clone());
        }
        shared.denied(denied)
    })?;
    if act == AdminAction::Operate {
        let (user, client) = (who.name.as_str(), peer.address);
        tracing::info!(%user, %client, "{} /{path}", parts.method);
    }
    *user = Some(who);
    Ok(())
}

/// Whether a host's name may be one that an attacker maps to this machine's
/// address. A page of the attacker would then have the same origin as this
/// port, and a browser would let it send any request.
fn is_of_others(host: &[u8]) -> bool {
    let Ok(authority) = Authority::try_from(host) else {
        return !host.is_empty();
    };
    let name = authority.host().trim_end_matches('.').to_ascii_lowercase();
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let localhost = name.ends_with(".localhost") || name == "localhost.localdomain";
    let own = localhost || !name.contains('.');
    !own && address.parse::<std::net::IpAddr>().is_err()
}

fn misdirected(host: &str) -> ProblemDocument {
    let detail = format!(
        "This port does not authenticate callers, so it answers to localhost and to addresses \
         only, not to {host:?}; [admin] require_auth = true allows any name"
    );
    ProblemDocument::new(StatusCode::MISDIRECTED_REQUEST, "Host not allowed", detail)
}

impl<B: ProgramBackend> GatewayShared<B> {
    /// Why a request may not change anything, on a port that asks for no user: it
    /// has no token. A page trades the key of its link without one.
    fn without_token(&self, request: &Parts) -> Option<ProblemDocument> {
        let trades = request.uri.path().trim_matches('/') == "operator/session";
        if self.admin_authenticates() || trades {
            return None;
        }
        let tokens = self.config.operators.as_ref()?;
        if tokens.admit(token_of(request)) {
            return None;
        }
        let detail = format!(
            "A request that changes something needs the region's token in the header {OPERATOR}. \
             It is in the file operator.token of the state folder, where the command line reads \
             it; `tupelo console` prints a link for a browser"
        );
        let status = StatusCode::FORBIDDEN;
        Some(ProblemDocument::new(status, "Not allowed", detail))
    }

    /// Whether the port's users must authenticate.
    pub(super) fn admin_authenticates(&self) -> bool {
        let beyond = |admin: SocketAddr| !admin.ip().is_loopback();
        self.config.admin_auth || self.config.admin.is_some_and(beyond)
    }
}

async fn handle<B: ProgramBackend>(
    shared: &Arc<GatewayShared<B>>,
    request: &Parts,
    user: Option<&CallerIdentity>,
) -> Response<ResponseBody> {
    let (method, path) = (&request.method, request.uri.path());
    if path.trim_end_matches('/') == "/metrics" && matches!(*method, Method::GET | Method::HEAD) {
        let mut text = String::with_capacity(16 << 10);
        let (held, observed) = (shared.memory.held(), &shared.observer.counts);
        shared.metrics.write(held, observed, &mut text);
        shared.backend.metrics(&mut text);
        let mut response = Response::new(ResponseBody::new(text.into()));
        let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        return response;
    }
    let change = request.method == Method::POST;
    let token = || change.then(|| shared.without_token(request)).flatten();
    let problem = misused(request).or_else(token);
    if let Some(problem) = problem {
        return respond::problem(&problem);
    }
    if change || matches!(*method, Method::GET | Method::HEAD) {
        let query = request.uri.query().unwrap_or_default();
        let operated = match shared.backend.operate_later(path, query, change) {
            Some(later) => Some(later.await),
            None => shared.backend.operate(path, query, change),
        };
        let operated = operated.map(|o| (o.status, o.json));
        let said = match operated {
            Some(operated) => Some(operated),
            None => own(shared, request, change, user)
                .await
                .map(|(status, json)| (status, json.to_string())),
        };
        if let Some((status, json)) = said {
            let mut response = documents::text("application/json", json);
            *response.status_mut() =
                StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            return response;
        }
    }
    let routes = shared.routes();
    let headers = &request.headers;
    if matches!(*method, Method::GET | Method::HEAD)
        && let Some(response) = elsewhere(shared, &routes, path, headers)
    {
        return response;
    }
    documents::answer(&routes, method, path, headers, || shared.health()).unwrap_or_else(|| {
        let detail = format!(
            "No resource at {path}; try /console/, /metrics, /health, /apis or /openapi.json"
        );
        respond::problem(&ProblemDocument::new(
            StatusCode::NOT_FOUND,
            "Not found",
            detail,
        ))
    })
}

/// This port's own answers in JSON; `None` for an unknown path.
async fn own<B: ProgramBackend>(
    shared: &Arc<GatewayShared<B>>,
    request: &Parts,
    change: bool,
    user: Option<&CallerIdentity>,
) -> Option<apis::StatusMessage> {
    let (path, query) = (request.uri.path(), request.uri.query().unwrap_or_default());
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let routes = shared.routes();
    Some(match (parts.as_slice(), change) {
        (["apis", name, "stop"], true) => apis::switched(&routes, name, query, true),
        (["apis", name, "start"], true) => apis::switched(&routes, name, query, false),
        (["apis", name, "redeploy"], true) => apis::redeployed(shared, name).await,
        (["apis", name], false) => (200, apis::one(&routes, name)?),
        (["openapi.json"], false) => (200, administration()),
        (["whoami"], false) => {
            let operate = shared.guard.config().access.roles(AdminAction::Operate);
            let may = match user {
                Some(user) => user.has_any(&operate),
                None => !shared.admin_authenticates() && shared.without_token(request).is_none(),
            };
            let user = user.map(|user| user.name.as_str());
            (200, serde_json::json!({ "user": user, "mayChange": may }))
        }
        (["operator", "session"], true) => {
            let tokens = shared.config.operators.as_ref()?;
            match tokens.redeem(token_of(request)) {
                Some(token) => (200, serde_json::json!({ "token": token })),
                None => {
                    let error = "the key of this link was used before or is not this region's";
                    (403, serde_json::json!({ "error": error }))
                }
            }
        }
        (["operator", "key"], true) => {
            let key = shared.config.operators.as_ref()?.key().ok()?;
            (200, serde_json::json!({ "key": key }))
        }
        _ => return None,
    })
}

/// Why a path of the port's document is not asked as it says. A page of another
/// origin cannot make a browser send the header of an operator unasked.
fn misused(request: &Parts) -> Option<ProblemDocument> {
    let (method, path) = (&request.method, request.uri.path());
    let known = describe::methods(path);
    let allowed = |name: &str| known.contains(&name);
    if known.is_empty() {
        return None;
    }
    let asked = match method.as_str() {
        "GET" | "HEAD" => "get",
        "POST" => "post",
        _ => "",
    };
    if !allowed(asked) {
        let takes = match (allowed("get"), allowed("post")) {
            (true, true) => "GET, HEAD, POST",
            (true, false) => "GET, HEAD",
            _ => "POST",
        };
        let detail = format!("{path} accepts {takes}, not {method}");
        let status = StatusCode::METHOD_NOT_ALLOWED;
        return Some(ProblemDocument {
            allow: Some(Box::new(HeaderValue::from_static(takes))),
            ..ProblemDocument::new(status, "Method not allowed", detail)
        });
    }
    if asked == "post" && !request.headers.contains_key(OPERATOR) {
        let detail = format!("A request that changes something needs the header {OPERATOR}");
        return Some(ProblemDocument::new(
            StatusCode::FORBIDDEN,
            "Not allowed",
            detail,
        ));
    }
    None
}

/// The token, or the key, of a request; empty without one.
fn token_of(request: &Parts) -> &str {
    let token = request.headers.get(OPERATOR);
    token
        .and_then(|token| token.to_str().ok())
        .unwrap_or_default()
}

/// The services of the gateway's own port: the page that sends requests, and
/// documents whose requests go there.
fn elsewhere<B: ProgramBackend>(
    shared: &GatewayShared<B>,
    routes: &ApiRoutes,
    path: &str,
    headers: &HeaderMap,
) -> Option<Response<ResponseBody>> {
    let origin = || gateway_origin(shared.address, headers);
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    match parts.as_slice() {
        [""] => Some(documents::redirect("/console/")),
        ["console"] if !path.ends_with('/') => Some(documents::redirect("/console/")),
        ["console"] => console::file(""),
        ["console", file] => console::file(file),
        ["docs", ..] => Some(documents::redirect(&format!("{}/docs/", origin()))),
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
    fn names_that_others_can_give_an_address_are_distinguished() {
        let others = |host: &str| is_of_others(host.as_bytes());
        for own in [
            "127.0.0.1:9080",
            "[::1]:9080",
            "localhost:9080",
            "LOCALHOST",
            "a.localhost",
            "box:9080",
            "",
        ] {
            assert!(!others(own), "{own}");
        }
        for theirs in [
            "evil.example:9080",
            "127.0.0.1.evil.example",
            "a.local.",
            "a b",
        ] {
            assert!(others(theirs), "{theirs}");
        }
    }

    #[test]
    fn the_gateway_is_named_as_the_client_names_this_port() {
        let origin = |gateway: &str, host: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            if let Some(host) = host {
                headers.insert(header::HOST, HeaderValue::from_static(host));
            }
            gateway_origin(gateway.parse().unwrap(), &headers)
        };
        let reported = origin("0.0.0.0:8080", Some("box.example:9080"));
        assert_eq!(reported, "http://box.example:8080");
        let reported = origin("[::]:8080", Some("[::1]:9080"));
        assert_eq!(reported, "http://[::1]:8080");
        let reported = origin("192.0.2.1:8080", Some("box.example"));
        assert_eq!(reported, "http://192.0.2.1:8080");
        assert_eq!(origin("127.0.0.1:8080", None), "http://127.0.0.1:8080");
    }
}
