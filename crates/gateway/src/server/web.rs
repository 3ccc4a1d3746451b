//! The way of a request that no API serves: read, hand over, answer.

use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};

use super::body::ResponseBody;
use super::gate::AccessGate;
use super::problems::{abended_in, refused};
use super::respond;
use super::serve::{Server, UnreadBody};
use super::trail::RequestRecord;
use crate::backend::ProgramBackend;
use crate::observe::RequestKind;
use crate::problem::ProblemDocument;
use crate::service::ServiceBody;
use crate::web::{OUTSIDE_APIS, WebHandler, WebRefusal};

/// The methods for CORS on a path whose methods only its handler has.
const METHODS: [Method; 5] = [
    Method::GET,
    Method::POST,
    Method::PUT,
    Method::DELETE,
    Method::PATCH,
];

impl<B: ProgramBackend> Server<B> {
    /// Serves a request by a handler outside the APIs.
    pub(super) async fn serve_web(
        &self,
        handler: Box<dyn WebHandler>,
        parts: &Parts,
        incoming: UnreadBody<'_>,
        trail: &mut RequestRecord,
    ) -> Result<Response<ResponseBody>, ProblemDocument> {
        let asks = parts
            .headers
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if parts.method == Method::OPTIONS && asks {
            return Ok(respond::options(respond::allow(METHODS.iter())));
        }
        let path = handler.template().to_owned();
        let metrics = &self.shared.metrics;
        // Clients make up methods, and each label is kept for ever.
        let method = if METHODS.contains(&parts.method) || parts.method == Method::HEAD {
            parts.method.as_str()
        } else {
            "other"
        };
        let metrics = metrics.operation(OUTSIDE_APIS, method, &path);
        if let Some(recorded) = &mut trail.attributes {
            recorded.kind = RequestKind::Service;
            recorded.service = Some(path.as_str().into());
        }
        let called = format!("{} {path}", parts.method);
        let gate = AccessGate::outside_apis(self.shared.guard.config(), &called);
        self.admit(&gate, parts, incoming.peer, &mut trail.user)
            .await?;
        let caller = trail.user.as_ref().and_then(|who| who.user_id);
        let timer = incoming.timer;
        let share = self.share(timer).await?;
        let taken = self.read_body(incoming.body, timer).await?;
        let read = taken.bytes.len();
        let serving = handler.serve(parts, trail.trace_id, caller, taken.bytes.clone());
        let result = match serving.await {
            Ok(answer) => {
                let body = match answer.body {
                    ServiceBody::Whole(bytes) => {
                        let held = self.room(timer, bytes.len()).await?;
                        ResponseBody::held(bytes, held.with(share))
                    }
                    ServiceBody::Stream(pieces) => ResponseBody::stream(pieces),
                };
                response(answer.status, &answer.headers, body)
            }
            Err(refusal) => Err(refusal_problem(refusal, &path)),
        };
        let response = result.unwrap_or_else(|problem| respond::problem(&problem));
        let (status, length) = (response.status().as_u16(), response.body().len());
        metrics.count(status, trail.started.elapsed(), (read, length), 0);
        if let Some(recorded) = &mut trail.attributes {
            recorded.read = read;
        }
        Ok(response)
    }
}

fn response(
    status: u16,
    headers: &[(String, String)],
    body: ResponseBody,
) -> Result<Response<ResponseBody>, ProblemDocument> {
    let wrong = |what: String| {
        let title = "The answer cannot be sent";
        ProblemDocument::new(StatusCode::INTERNAL_SERVER_ERROR, title, what)
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status)
        .map_err(|_| wrong(format!("{status} is not a valid status")))?;
    for (name, value) in headers {
        let parsed = HeaderName::from_bytes(name.as_bytes());
        let (Ok(name), Ok(value)) = (parsed, HeaderValue::from_bytes(value.as_bytes())) else {
            return Err(wrong(format!(
                "{name:?} with this value is not a valid header"
            )));
        };
        // The connection's own are the gateway's to set.
        let own = [
            header::CONNECTION,
            header::CONTENT_LENGTH,
            header::TRANSFER_ENCODING,
            header::UPGRADE,
        ];
        if !own.contains(&name) {
            response.headers_mut().append(name, value);
        }
    }
    Ok(response)
}

fn refusal_problem(refusal: WebRefusal, path: &str) -> ProblemDocument {
    match refusal {
        WebRefusal::Region(refusal) => refused(refusal),
        WebRefusal::Abend(abend) => abended_in(abend, path),
        WebRefusal::TooSlow(abend) => ProblemDocument {
            status: StatusCode::GATEWAY_TIMEOUT,
            title: "The task took too long",
            ..abended_in(abend, path)
        },
    }
}
