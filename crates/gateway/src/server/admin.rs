//! The administration port: metrics, health, and the APIs' documents.

use super::body::Full;
use super::{Shared, Stop, documents, respond};
use crate::backend::Backend;
use crate::problem::Problem;
use http::{HeaderValue, Method, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::net::TcpListener as StdListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How long a client of this port may be silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// Serves until told to stop.
pub(super) fn run<B: Backend>(
    shared: Arc<Shared<B>>,
    listener: StdListener,
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
                Ok((stream, _)) => {
                    tokio::spawn(connection(shared.clone(), stream, stop.clone()));
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    });
}

async fn connection<B: Backend>(
    shared: Arc<Shared<B>>,
    stream: tokio::net::TcpStream,
    mut stop: watch::Receiver<Stop>,
) {
    let service = hyper::service::service_fn(|request: http::Request<Incoming>| {
        let response = handle(&shared, &request);
        async move { Ok::<_, std::convert::Infallible>(response) }
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

fn handle<B: Backend>(shared: &Shared<B>, request: &http::Request<Incoming>) -> Response<Full> {
    let (method, path) = (request.method(), request.uri().path());
    if path.trim_end_matches('/') == "/metrics" && matches!(*method, Method::GET | Method::HEAD) {
        let mut text = String::with_capacity(16 << 10);
        shared.metrics.write(&mut text);
        shared.backend.metrics(&mut text);
        let mut response = Response::new(Full::new(text.into()));
        let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        return response;
    }
    let change = *method == Method::POST;
    if (change && may_change(request)) || *method == Method::GET {
        let query = request.uri().query().unwrap_or_default();
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
    let headers = request.headers();
    documents::answer(&routes, method, path, headers, shared.ready()).unwrap_or_else(|| {
        let detail = format!("There is nothing at {path}; try /metrics, /health, /apis or /docs/");
        respond::problem(&Problem::new(StatusCode::NOT_FOUND, "Not found", detail))
    })
}

/// A page of another origin cannot make a browser send this header unasked.
fn may_change(request: &http::Request<Incoming>) -> bool {
    request.headers().contains_key("x-tupelo-operator")
}
