//! The way of a request: route, check, write, run, read, answer.
//!
//! A warm request allocates the response body, the list of parameter values,
//! the header maps of hyper, and the backend's needs. The request's tape is
//! taken from the door and returned.

use super::body::ResponseBody;
use super::conn::{ConnectionTimer, DoorConnections};
use super::cors::is_preflight;
use super::deadline::DoorDeadlines;
use super::derived::read_derived;
use super::gate::PeerAddress;
use super::headers::RequestHeaders;
use super::intake::RequestBody;
use super::memory::SMALL;
use super::problems::{
    ProgramOutput, abended, absent_containers, bad_data, failed, malformed, not_put, not_run,
    refused, repeated, unmapped,
};
use super::share::BudgetShare;
use super::ticks::ticks;
use super::trail::{RequestRecord, is_health, log};
use super::{ApiRoutes, GatewayShared, Route, constant, documents, headers, memory, respond};
use crate::backend::ProgramBackend;
use crate::json::JsonTape;
use crate::mapping::context::{EvalContext, MappingFailure, MappingReply, Request};
use crate::mapping::request::RequestPlan;
use crate::mapping::response::ResponsePlan;
use crate::observe::RequestKind;
use crate::policy::{PolicyChoice, PolicyRules};
use crate::problem::{Fault, ProblemDocument};
use crate::project::asset::{InterfaceStyle, ProgramAsset};
use crate::project::media::takes;
use crate::project::operation::{ApiOperation, BodyRule, LoadedApi, OperationHandler};
use crate::project::page::PageCodecs;
use crate::validate::params;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use region::{
    Abend, ContainerName, NotStarted, ProgramCall, ProgramDoor, ProgramReply, ProgramTask,
    PutError, TaskRequest, TransId,
};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A response buffer larger than this is not expected of the next response.
const MAX_EXPECTED: u64 = 64 << 20;
/// How much longer the gateway waits than the region's own limit, in ticks.
const GRACE_TICKS: u64 = 1;
/// How long the answer is delayed for a client that was asked to retry later,
/// retried immediately and is refused again.
const REFUSED_AGAIN: Duration = Duration::from_millis(50);

/// Header maps that a door keeps for answers, and the most headers of one.
const MOST_SPARE: usize = 64;
const MOST_SPARE_HEADERS: usize = 32;

/// A door's own state.
pub(super) struct Server<B: ProgramBackend> {
    pub shared: Arc<GatewayShared<B>>,
    door: B::Door,
    routes: RefCell<Arc<ApiRoutes>>,
    generation: Cell<u64>,
    tapes: RefCell<Vec<JsonTape>>,
    /// Headers of finished requests, without their contents: an answer's
    /// headers reuse their memory.
    spare_headers: RefCell<Vec<HeaderMap>>,
    pub deadlines: DoorDeadlines,
    pub connections: Rc<DoorConnections>,
    /// Requests that wait for memory.
    pub waiting_for_room: Cell<u32>,
    /// A permit to make a large answer.
    turn: Semaphore,
}

impl<B: ProgramBackend> Server<B> {
    pub fn new(shared: Arc<GatewayShared<B>>, door: B::Door) -> Server<B> {
        let generation = Cell::new(shared.generation.load(Acquire));
        let routes = RefCell::new(shared.routes());
        let connections = Rc::new(DoorConnections::new(shared.memory.clone()));
        Server {
            shared,
            door,
            routes,
            generation,
            tapes: RefCell::default(),
            spare_headers: RefCell::default(),
            deadlines: DoorDeadlines::default(),
            connections,
            waiting_for_room: Cell::new(0),
            turn: Semaphore::new(1),
        }
    }

    fn routes(&self) -> Arc<ApiRoutes> {
        let generation = self.shared.generation.load(Acquire);
        if generation != self.generation.get() {
            *self.routes.borrow_mut() = self.shared.routes();
            self.generation.set(generation);
        }
        self.routes.borrow().clone()
    }

    /// Sends a problem, and processes input meanwhile. A client that was asked
    /// to retry later and retries immediately waits: its refusals would take
    /// the CPU from admitted requests.
    #[cold]
    fn refuse<'s>(
        &'s self,
        problem: &'s ProblemDocument,
        timer: &ConnectionTimer,
    ) -> Pin<Box<dyn Future<Output = Response<ResponseBody>> + 's>> {
        self.door.poll_completions();
        let waits = problem.retry_after.is_some() && timer.is_refused_again();
        // In a box, so that requests that are served have no room for it.
        Box::pin(async move {
            if waits {
                tokio::time::sleep(REFUSED_AGAIN).await;
            }
            respond::problem(problem)
        })
    }

    /// Answers any request.
    pub async fn handle(
        &self,
        request: http::Request<hyper::body::Incoming>,
        timer: &ConnectionTimer,
        peer: &PeerAddress,
    ) -> Response<ResponseBody> {
        if let Some(body) = &self.shared.constant {
            return match self.read_body(request.into_body(), timer).await {
                Ok(_) => constant::answer(body),
                Err(problem) => respond::problem(&problem),
            };
        }
        let (parts, body) = request.into_parts();
        let seen = RequestHeaders::of(&parts.headers);
        let mut trail = RequestRecord::begin(&self.shared, &parts, &seen);
        let routes = self.routes();
        // Monitoring may request health often.
        let limited = if is_health(parts.uri.path()) {
            None
        } else {
            self.shared.within_rate(peer).err()
        };
        let limited = limited.map(|denied| self.shared.denied(denied));
        let limited = limited.or_else(|| self.beyond_limit(timer, parts.uri.path()));
        let most = self.shared.config.max_headers;
        let routed = match limited.or_else(|| headers::refused(&parts, &seen, most)) {
            None => {
                let incoming = UnreadBody { body, timer, peer };
                if let Some(connection) = &peer.service {
                    return self.serve_service(connection, parts, incoming, trail).await;
                }
                let head = Head {
                    parts: &parts,
                    seen,
                };
                self.route(&routes, head, incoming, &mut trail).await
            }
            Some(problem) => Err(problem),
        };
        let mut response = match routed {
            Ok(response) => response,
            Err(problem) => self.refuse(&problem, timer).await,
        };
        if let Some(cors) = &self.shared.cors {
            cors.add_headers(&parts, &mut response);
        }
        if self.shared.config.access_log {
            let path = parts.uri.path();
            let who = (trail.user.as_deref(), peer);
            log(&parts.method, path, who, trail.started, &response);
        }
        trail.end(&self.shared, &parts, peer, &response);
        if parts.method == Method::HEAD {
            response = respond::without_body(response);
        }
        self.keep_headers(parts.headers);
        response
    }

    fn keep_headers(&self, mut headers: HeaderMap) {
        let mut spare = self.spare_headers.borrow_mut();
        if spare.len() < MOST_SPARE && headers.capacity() <= MOST_SPARE_HEADERS {
            headers.clear();
            spare.push(headers);
        }
    }

    async fn route(
        &self,
        routes: &ApiRoutes,
        head: Head<'_>,
        incoming: UnreadBody<'_>,
        trail: &mut RequestRecord,
    ) -> Result<Response<ResponseBody>, ProblemDocument> {
        let parts = head.parts;
        if let Some(recorded) = &mut trail.attributes {
            // A request with a wrong path may still contain a key.
            recorded.secrets.clone_from(&routes.names_of_keys);
        }
        let path = parts.uri.path();
        let Some(found) = routes.router.find(path) else {
            if let Some(handler) = self.shared.backend.web().and_then(|web| web.find(path)) {
                return self.serve_web(handler, parts, incoming, trail).await;
            }
            self.may_read(parts, incoming.peer).await?;
            let health = || self.shared.health();
            return documents::answer(routes, &parts.method, path, &parts.headers, health)
                .ok_or_else(|| {
                    self.shared.metrics.unrouted.fetch_add(1, Relaxed);
                    let detail = format!("No resource at {path}");
                    ProblemDocument::new(StatusCode::NOT_FOUND, "Not found", detail)
                });
        };
        let of = |method: &Method| {
            found
                .value
                .iter()
                .find(|r| r.api.operations[r.operation].method == *method)
        };
        let wanted = &parts.method;
        let route = of(wanted).or_else(|| (wanted == Method::HEAD).then(|| of(&Method::GET))?);
        // A browser's question is answered here, and by no program.
        let route = route.filter(|_| self.shared.cors.is_none() || !is_preflight(parts));
        let Some(route) = route else {
            let methods = found
                .value
                .iter()
                .map(|r| &r.api.operations[r.operation].method);
            let allow = respond::allow(methods);
            if wanted == Method::OPTIONS {
                return Ok(respond::options(allow));
            }
            self.shared.metrics.unrouted.fetch_add(1, Relaxed);
            let names = allow.to_str().unwrap_or_default();
            let detail = format!("{path} accepts {names}, not {wanted}");
            let title = "Method not allowed";
            let problem = ProblemDocument::new(StatusCode::METHOD_NOT_ALLOWED, title, detail);
            return Err(ProblemDocument {
                allow: Some(Box::new(allow)),
                ..problem
            });
        };
        if let Some(recorded) = &mut trail.attributes {
            recorded.kind = RequestKind::Api;
            recorded.api = Some((route.api.clone(), route.operation));
        }
        let mut read = 0;
        let timer = incoming.timer;
        let admitted = if route.gate.is_open() {
            Ok(())
        } else {
            let user = &mut trail.user;
            self.admit(&route.gate, parts, incoming.peer, user).await
        };
        let result = match admitted {
            Ok(()) => {
                self.serve(route, head, &found.variables, incoming, trail, &mut read)
                    .await
            }
            Err(problem) => Err(problem),
        };
        let response = match result {
            Ok(response) => response,
            Err(problem) => self.refuse(&problem, timer).await,
        };
        let (status, length) = (response.status().as_u16(), response.body().len());
        let elapsed = trail.started.elapsed();
        route
            .metrics
            .count(status, elapsed, (read, length), trail.cpu_ns);
        if let Some(recorded) = &mut trail.attributes {
            recorded.read = read;
        }
        Ok(response)
    }

    async fn serve(
        &self,
        route: &Route,
        head: Head<'_>,
        variables: &[(&str, &str)],
        incoming: UnreadBody<'_>,
        trail: &mut RequestRecord,
        read: &mut usize,
    ) -> Result<Response<ResponseBody>, ProblemDocument> {
        if let Some(problem) = route.stopped() {
            return Err(problem);
        }
        let (api, parts) = (&*route.api, head.parts);
        let operation = &api.operations[route.operation];
        let (asset, plan, responses) = match &operation.work {
            OperationHandler::Program {
                asset,
                request,
                responses,
            } => (&**asset, request, responses),
            OperationHandler::Unsupported(why) => {
                let status = StatusCode::NOT_IMPLEMENTED;
                return Err(ProblemDocument::new(
                    status,
                    "Not implemented yet",
                    why.clone(),
                ));
            }
        };
        let chosen = match &route.policy {
            Some(policy) => self.chosen(policy, parts, trail)?,
            None => PolicyChoice::default(),
        };
        let timer = incoming.timer;
        let share = Cell::new(if timer.is_http2() {
            self.share(timer).await?
        } else {
            BudgetShare::default()
        });
        let body = match &operation.body {
            Some(rule) => self.body(rule, &head.seen, incoming).await?,
            None => RequestBody::default(),
        };
        *read = body.bytes.len();
        let mut tape = self.tapes.borrow_mut().pop().unwrap_or_default();
        let work = Job {
            route,
            api,
            operation,
            asset,
            plan,
            responses,
            timer,
            share: &share,
            chosen: &chosen,
            spare_headers: &self.spare_headers,
        };
        let result = self
            .program(&work, parts, variables, &body.bytes, (&mut tape, trail))
            .await;
        self.tapes.borrow_mut().push(tape);
        result
    }

    /// The choices of a policy for a request.
    fn chosen(
        &self,
        policy: &PolicyRules,
        parts: &Parts,
        trail: &RequestRecord,
    ) -> Result<PolicyChoice, ProblemDocument> {
        let known = |name: &str| self.shared.backend.has_connection(name);
        let chosen = policy.choose(parts, trail.user.as_deref(), known);
        chosen.map_err(|why| {
            let title = "The policy cannot be applied";
            ProblemDocument::new(StatusCode::BAD_REQUEST, title, why)
        })
    }

    async fn body(
        &self,
        rule: &BodyRule,
        seen: &RequestHeaders<'_>,
        incoming: UnreadBody<'_>,
    ) -> Result<RequestBody, ProblemDocument> {
        let body = self.read_body(incoming.body, incoming.timer).await?;
        if body.bytes.is_empty() {
            if rule.required {
                let message = "A JSON body is required".to_string();
                let pointer = Some(String::new());
                return Err(ProblemDocument::invalid(vec![Fault {
                    pointer,
                    message,
                    ..Fault::default()
                }]));
            }
            return Ok(body);
        }
        if let Some(problem) = headers::foreign_body(seen) {
            return Err(problem);
        }
        let given = seen.content_type().map(HeaderValue::to_str);
        let fits = match given {
            Some(Ok(given)) => takes(&rule.types, given),
            Some(Err(_)) => false,
            // A body without a type is assumed to have the expected one.
            None => true,
        };
        if !fits {
            let title = "Unsupported media type";
            let types = rule.types.join(" or ");
            let given = given.and_then(Result::ok).unwrap_or("nothing readable");
            let detail =
                format!("The body must be {types}, but the request's Content-Type is {given}");
            return Err(ProblemDocument::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                title,
                detail,
            ));
        }
        Ok(body)
    }

    async fn program(
        &self,
        work: &Job<'_>,
        parts: &Parts,
        variables: &[(&str, &str)],
        body: &Bytes,
        (tape, trail): (&mut JsonTape, &mut RequestRecord),
    ) -> Result<Response<ResponseBody>, ProblemDocument> {
        let Job {
            api,
            operation,
            asset,
            ..
        } = *work;
        let mut faults = Vec::new();
        let sources = params::ParameterSources {
            path: variables,
            query: parts.uri.query(),
            headers: &parts.headers,
        };
        let values = params::read(&operation.params, &api.set, &sources, &mut faults);
        let json = if body.is_empty() {
            None
        } else {
            let depth = self.shared.config.max_json_depth;
            let json = tape.parse_within(body, depth);
            Some(json.map_err(|e| malformed(body, &e))?)
        };
        if let Some(name) = json.and_then(|json| json.repeated_name()) {
            return Err(repeated(&name));
        }
        if let (Some(json), Some(schema)) =
            (json, operation.body.as_ref().and_then(|rule| rule.schema))
        {
            api.set.check(schema, json, &mut faults);
        }
        if !faults.is_empty() {
            return Err(ProblemDocument::invalid(faults));
        }
        let schema = operation.body.as_ref().and_then(|rule| rule.schema);
        let completed = schema.and_then(|schema| api.set.completed(schema, json));
        let mut second = JsonTape::default();
        let json = match &completed {
            Some(text) => Some(second.parse(text).map_err(|e| malformed(text, &e))?),
            None => json,
        };
        let request = Request {
            params: &operation.params,
            values: &values,
            headers: &parts.headers,
            query: parts.uri.query(),
            body: json,
        };
        let called = self.called(work)?;
        let response = &called
            .sides
            .as_ref()
            .map_or(&asset.response, |s| &s.response);
        let reply = self.run(work, &called, parts, &request, trail).await?;
        let abend = reply.abend();
        let code = abend.map(Abend::code);
        trail.answered(reply.costs(), code.as_deref());
        let mut failure = None;
        let derived = asset.api_first.as_ref().filter(|_| abend.is_none());
        let areas: SmallVec<[Option<&[u8]>; 4]> = response
            .areas
            .iter()
            .map(|area| {
                let bytes = match response.style {
                    _ if abend.is_some() => None,
                    InterfaceStyle::Channel => reply.container(area.container),
                    InterfaceStyle::Commarea => Some(reply.commarea()),
                }?;
                if let Err(fault) = area.record.check_length(bytes) {
                    failure.get_or_insert((area.name.clone(), fault));
                }
                Some(bytes)
            })
            .collect();
        let names = || reply.container_names();
        let left = ProgramOutput {
            task: reply.costs().map(|costs| costs.task),
            transid: self.runs_under(work),
            containers: &names,
        };
        if let Some((container, mut fault)) = failure {
            fault.container = Some(container);
            return Err(left.logged(asset, bad_data(*fault)));
        }
        let make = || {
            let (mut text, mut tape) = (Vec::new(), JsonTape::default());
            let json = match derived {
                Some(derived) => Some(read_derived(
                    asset, derived, &left, &reply, &mut text, &mut tape,
                )?),
                None => None,
            };
            let view = MappingReply {
                interface: response,
                bytes: &areas,
                abend: code.as_deref(),
                json,
            };
            answer(work, &request, &view, abend, &left)
        };
        let mut length: usize = areas.iter().flatten().map(|bytes| bytes.len()).sum();
        if derived.is_some() {
            let sizes = names().into_iter().filter_map(|name| reply.container(name));
            length += sizes.map(<[u8]>::len).sum::<usize>();
        }
        self.answered(work, length, &make).await
    }

    /// Makes an answer of about so many bytes when there is room for it; it
    /// waits where the program left it.
    async fn answered(
        &self,
        work: &Job<'_>,
        length: usize,
        make: &dyn Fn() -> Result<Response<Vec<u8>>, Box<ProblemDocument>>,
    ) -> Result<Response<ResponseBody>, ProblemDocument> {
        let mut held = self.room(work.timer, length).await?;
        // Others are served between one large answer and the next.
        let large = length > SMALL;
        let _turn = if large {
            self.turn.acquire().await.ok()
        } else {
            None
        };
        let mut made = make().map_err(|problem| *problem)?;
        let length = made.body().len();
        if !held.resize(length) {
            drop(made);
            let more = self.room(work.timer, length.saturating_sub(held.bytes()));
            held.join(more.await?);
            made = make().map_err(|problem| *problem)?;
        }
        if large {
            tokio::task::yield_now().await;
        }
        let held = held.with(work.share.take());
        Ok(made.map(|bytes| ResponseBody::held(bytes, held)))
    }

    /// The provider of a program, and the form of its data there.
    fn called<'j>(&self, work: &Job<'j>) -> Result<CallTarget<'j>, ProblemDocument> {
        let (asset, chosen) = (work.asset, work.chosen);
        let connection = chosen.connection.as_deref().or(asset.connection.as_deref());
        let sides = match self.door.mainframe_ccsid(connection) {
            None => None,
            Some(_) if asset.api_first.is_some() => {
                let why = "an API-first program needs several containers, but a connection of \
                    [mainframe] transfers one";
                return Err(refused(NotStarted::Impossible(why.into())));
            }
            Some(usual) => {
                let ccsid = chosen.ccsid.or(asset.ccsid).unwrap_or(usual);
                let sides = asset.pages.of(ccsid, &asset.request, &asset.response);
                Some(sides.map_err(|why| refused(NotStarted::Impossible(why)))?)
            }
        };
        Ok(CallTarget { connection, sides })
    }

    /// The transaction that a program runs under.
    fn runs_under(&self, work: &Job<'_>) -> TransId {
        let named = work.chosen.transid.or(work.asset.transid);
        let named = named.filter(|_| !work.asset.eib_only);
        named.unwrap_or(self.shared.config.transid)
    }

    async fn run(
        &self,
        work: &Job<'_>,
        called: &CallTarget<'_>,
        parts: &Parts,
        request: &Request<'_>,
        trail: &mut RequestRecord,
    ) -> Result<<<B::Door as ProgramDoor>::Task as ProgramTask>::Reply, ProblemDocument> {
        let Job {
            asset,
            plan,
            chosen,
            ..
        } = *work;
        let config = &self.shared.config;
        let to = called.sides.as_ref().map_or(&asset.request, |s| &s.request);
        let areas = &to.areas;
        let connection = called.connection;
        let made = match (&plan.derived, &asset.api_first) {
            (Some(plan), Some(derived)) => plan
                .containers(&derived.request, request)
                .map_err(|failure| not_put(PutError::Fill(failure)))?,
            _ => Vec::new(),
        };
        let containers = made.iter().map(|(_, bytes)| bytes.len());
        let seen = chosen.transid.or(asset.transid).filter(|_| asset.eib_only);
        let transid = self.runs_under(work);
        trail.calls(asset.program, transid, connection);
        let user = trail.user.as_ref().and_then(|user| user.user_id);
        let call = ProgramCall {
            request: TaskRequest {
                transid,
                eib_transid: seen.unwrap_or_default(),
                program: asset.program,
                userid: user.unwrap_or_default(),
                trace_id: trail.trace_id,
                expected_bytes: areas
                    .iter()
                    .map(|area| area.record.max_len())
                    .chain(containers)
                    .sum(),
                timeout_ms: config.response_timeout_ms,
                ..TaskRequest::default()
            },
            connection,
            idempotent: parts.method.is_idempotent(),
        };
        let mut task = self.door.begin(call).await.map_err(refused)?;
        match asset.request.style {
            InterfaceStyle::Channel => {
                for (index, area) in areas.iter().enumerate() {
                    let length = area.record.max_len();
                    let put = task.put_container(area.container, length, |record| {
                        plan.encode(index, area, request, &mut record[..length])
                    });
                    put.map_err(not_put)?;
                }
                for (name, bytes) in &made {
                    let name = ContainerName::new(name).map_err(|error| not_put(error.into()))?;
                    let put = task.put_container(name, bytes.len(), |area| {
                        area[..bytes.len()].copy_from_slice(bytes);
                        Ok(bytes.len())
                    });
                    put.map_err(not_put)?;
                }
            }
            InterfaceStyle::Commarea => {
                let answer = asset
                    .response
                    .areas
                    .first()
                    .map_or(0, |a| a.record.max_len());
                let length = areas.first().map_or(0, |a| a.record.max_len());
                let put = task.set_commarea(length.max(answer), |record| match areas.first() {
                    Some(area) => plan
                        .encode(0, area, request, &mut record[..length])
                        .map(drop),
                    None => Ok(()),
                });
                put.map_err(not_put)?;
            }
        }
        let limit = ticks(config.response_timeout_ms) + GRACE_TICKS;
        // Pinned in place: moving the future would copy it.
        let mut running = pin!(task.run());
        let reply = self.deadlines.limit(limit, running.as_mut()).await;
        let reply = reply.ok_or_else(|| {
            let detail = format!("{} did not answer in time", asset.program);
            ProblemDocument::new(
                StatusCode::GATEWAY_TIMEOUT,
                "The program took too long",
                detail,
            )
        })?;
        reply.map_err(not_run)
    }
}

/// The provider and program of a call.
struct CallTarget<'a> {
    /// The connection that policy or asset names.
    connection: Option<&'a str>,
    /// The asset's interfaces in the code page of the mainframe there.
    sides: Option<Arc<PageCodecs>>,
}

/// An operation with its parts at hand.
#[derive(Clone, Copy)]
struct Job<'a> {
    route: &'a Route,
    api: &'a LoadedApi,
    operation: &'a ApiOperation,
    asset: &'a ProgramAsset,
    plan: &'a RequestPlan,
    responses: &'a [ResponsePlan],
    timer: &'a ConnectionTimer,
    /// Its part of what the connection may have at work, until it is answered.
    share: &'a Cell<BudgetShare>,
    /// The choices of the policy.
    chosen: &'a PolicyChoice,
    spare_headers: &'a RefCell<Vec<HeaderMap>>,
}

/// The head of a request, and what was found in it.
#[derive(Clone, Copy)]
struct Head<'h> {
    parts: &'h Parts,
    seen: RequestHeaders<'h>,
}

/// A body that was not read yet, and the connection it comes by.
pub(super) struct UnreadBody<'t> {
    pub body: hyper::body::Incoming,
    pub timer: &'t ConnectionTimer,
    pub peer: &'t PeerAddress,
}

fn answer(
    work: &Job<'_>,
    request: &Request<'_>,
    reply: &MappingReply<'_>,
    abend: Option<&Abend>,
    left: &ProgramOutput<'_>,
) -> Result<Response<Vec<u8>>, Box<ProblemDocument>> {
    let mut context = EvalContext::new(request, Some(reply));
    let fail = |failure: MappingFailure| Box::new(left.logged(work.asset, failed(failure, reply)));
    let chosen = ResponsePlan::choose(work.responses, &mut context).map_err(fail)?;
    let Some(plan) = chosen else {
        return Err(Box::new(match abend {
            Some(abend) => abended(abend, work.asset),
            None => unmapped(work.asset, reply, left),
        }));
    };
    if abend.is_none() {
        let gone = |area: &&usize| reply.bytes.get(**area).is_some_and(Option::is_none);
        let absent: Vec<&str> = plan
            .needs
            .iter()
            .filter(gone)
            .map(|i| reply.interface.areas[*i].name.as_str())
            .collect();
        if !absent.is_empty() {
            return Err(Box::new(absent_containers(work.asset, &absent, left)));
        }
    }
    let expected = work.route.metrics.expected_bytes.load(Relaxed);
    let mut out = memory::buffer((expected + expected / 8) as usize);
    let wrote = plan.write_body(&mut context, &mut out).map_err(fail)?;
    if !wrote {
        out.clear();
        if plan.body.is_some() && plan.status.is_success() {
            tracing::warn!(
                target: "gateway::answer",
                task = left.task,
                transid = left.transid.as_str(),
                method = %work.operation.method,
                path = %work.operation.path,
                program = %work.asset.program,
                status = plan.status.as_u16(),
                "a body is mapped, but none of its values exist: the answer is empty",
            );
        }
    }
    let length = out.len() as u64;
    if length > expected && length <= MAX_EXPECTED {
        work.route.metrics.expected_bytes.store(length, Relaxed);
    }
    let mut response = Response::new(out);
    *response.status_mut() = plan.status;
    if let Some(spare) = work.spare_headers.borrow_mut().pop() {
        *response.headers_mut() = spare;
    }
    if wrote {
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, plan.content_type.clone());
    }
    let headers = response.headers_mut();
    plan.each_header(&mut context, |name, value| {
        headers.insert(name.clone(), value);
    })
    .map_err(fail)?;
    Ok(response)
}
