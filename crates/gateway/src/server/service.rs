//! The way of a request that came to a service's own address.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use http::request::Parts;
use http::{HeaderValue, Method, Response, header};

use super::body::ResponseBody;
use super::gate::AccessGate;
use super::metrics::OperationMetrics;
use super::respond::{self, without_body};
use super::serve::{Server, UnreadBody};
use super::tls::Server as Tls;
use super::trail::{RecordParts, RequestRecord, log};
use crate::backend::ProgramBackend;
use crate::observe::RequestKind;
use crate::problem::ProblemDocument;
use crate::service::{ServiceAnswer, ServiceBody, ServiceConfig, ServiceRequest};

/// A service in force.
#[derive(Debug)]
pub(crate) struct ServiceState {
    pub config: ServiceConfig,
    pub tls: Option<Arc<Tls>>,
    /// Connections that are open.
    pub open: AtomicU32,
    gate: AccessGate,
    metrics: Arc<OperationMetrics>,
}

impl ServiceState {
    pub fn new(
        config: ServiceConfig,
        tls: Option<Arc<Tls>>,
        metrics: Arc<OperationMetrics>,
    ) -> ServiceState {
        ServiceState {
            gate: AccessGate::of_service(config.authentication),
            open: AtomicU32::new(0),
            metrics,
            tls,
            config,
        }
    }
}

/// A connection of a service, counted while it lives.
#[derive(Debug)]
pub(crate) struct ServiceConnection {
    pub service: Arc<ServiceState>,
    /// The connection may stay open for further requests.
    pub stays: bool,
}

impl ServiceConnection {
    pub fn new(service: Arc<ServiceState>) -> ServiceConnection {
        let before = service.open.fetch_add(1, Relaxed);
        let room = service
            .config
            .max_persistent
            .is_none_or(|most| before < most);
        let stays = room && service.config.idle_timeout_ms != Some(0);
        ServiceConnection { service, stays }
    }
}

impl Drop for ServiceConnection {
    fn drop(&mut self) {
        self.service.open.fetch_sub(1, Relaxed);
    }
}

impl<B: ProgramBackend> Server<B> {
    /// Serves a request of a service's connection.
    pub(super) async fn serve_service(
        &self,
        connection: &ServiceConnection,
        parts: Parts,
        incoming: UnreadBody<'_>,
        mut trail: RequestRecord,
    ) -> Response<ResponseBody> {
        let service = &connection.service;
        let (method, peer) = (parts.method.clone(), incoming.peer);
        let logged = self.shared.config.access_log;
        let uri = (logged || trail.attributes.is_some()).then(|| parts.uri.clone());
        let taken = self.answer_of(service, parts, incoming, &mut trail).await;
        let mut read = 0;
        let mut response = match taken {
            Ok((response, bytes)) => {
                read = bytes;
                response
            }
            Err(problem) => respond::problem(&problem),
        };
        if !connection.stays {
            let headers = response.headers_mut();
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let (status, length) = (response.status().as_u16(), response.body().len());
        let elapsed = trail.started.elapsed();
        service.metrics.count(status, elapsed, (read, length), 0);
        if let Some(uri) = uri {
            if logged {
                let who = (trail.user.as_deref(), peer);
                log(&method, uri.path(), who, trail.started, &response);
            }
            if let Some(mut recorded) = trail.attributes {
                recorded.kind = RequestKind::Service;
                recorded.service = Some(service.config.name.as_str().into());
                recorded.read = read;
                let ended = RecordParts {
                    method: method.clone(),
                    uri,
                    peer,
                    headers: Default::default(),
                    user: trail.user,
                    started: trail.started,
                };
                ended.record(&self.shared, *recorded, &response);
            }
        }
        if method == Method::HEAD {
            without_body(response)
        } else {
            response
        }
    }

    async fn answer_of(
        &self,
        service: &ServiceState,
        parts: Parts,
        incoming: UnreadBody<'_>,
        trail: &mut RequestRecord,
    ) -> Result<(Response<ResponseBody>, usize), ProblemDocument> {
        let peer = incoming.peer;
        let admitted = self.admit(&service.gate, &parts, peer, &mut trail.user);
        let admitted = admitted.await;
        admitted.map_err(|problem| in_realm(problem, &service.config.realm))?;
        let (timer, limit) = (incoming.timer, service.config.max_body_bytes);
        let share = self.share(timer).await?;
        let taken = self.read_body_of(incoming.body, timer, limit).await?;
        let read = taken.bytes.len();
        let request = ServiceRequest {
            trace_id: trail.trace_id,
            parts,
            body: taken.bytes.clone(),
            trailers: taken.trailers.clone(),
            client: (peer.address, peer.port).into(),
            server: peer.local.unwrap_or(service.config.listen),
            secure: peer.secure,
            certificate: peer.shown.clone(),
            user_id: trail
                .user
                .as_ref()
                .and_then(|who| who.user_id)
                .map(|id| id.to_string()),
        };
        let answer = service.config.handler.serve(request).await;
        let held = match &answer.body {
            ServiceBody::Whole(bytes) => Some(self.room(timer, bytes.len()).await?),
            ServiceBody::Stream(_) => None,
        };
        let ServiceAnswer {
            status,
            reason,
            headers,
            body,
            close,
        } = answer;
        let body = match (body, held) {
            (ServiceBody::Whole(bytes), Some(held)) => ResponseBody::held(bytes, held.with(share)),
            (ServiceBody::Whole(bytes), None) => ResponseBody::new(bytes.into()),
            (ServiceBody::Stream(pieces), _) => ResponseBody::stream(pieces),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        for own in [
            header::CONNECTION,
            header::CONTENT_LENGTH,
            header::TRANSFER_ENCODING,
            header::UPGRADE,
        ] {
            response.headers_mut().remove(own);
        }
        if close {
            let headers = response.headers_mut();
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if !reason.is_empty()
            && let Ok(reason) = hyper::ext::ReasonPhrase::try_from(reason)
        {
            response.extensions_mut().insert(reason);
        }
        Ok((response, read))
    }
}

/// The challenge of a service names its own realm.
fn in_realm(mut problem: ProblemDocument, realm: &str) -> ProblemDocument {
    let text = format!("Basic realm=\"{realm}\"");
    for challenge in &mut problem.challenges {
        let basic = challenge.as_bytes().starts_with(b"Basic");
        if let (true, Ok(named)) = (basic, HeaderValue::from_str(&text)) {
            *challenge = named;
        }
    }
    problem
}
