//! A provider's pipeline task: the request of a URIMAP with USAGE(PIPELINE)
//! through the handlers to the program, and the answer back.
//!
//! The task is open: it holds a worker only while one of its programs runs, and
//! all of them are in its unit of work. The task has CPIH as its transaction, or the
//! URIMAP's. When a handler has changed DFHWS-TRANID or DFHWS-USERID, the
//! program runs in a task of its own, under that transaction for that user.
//!
//! Reference: CICS Transaction Server, "The service provider pipeline",
//! "Pipeline containers", "Dynamic routing in a provider".

use std::cell::Cell;
use std::sync::Arc;

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, StatusCode};
use link::ChannelData;
use region::{
    Abend, Handle, OpenTask, Port, StartCode, Task, TaskOutcome, TaskReply, TaskRequest, TransId,
    UserId,
};
use soap::binding::ProgramInterface;
use soap::envelope::{Fault, FaultCode, SoapVersion};
use soap::pipeline::{
    self as machine, AnswerDestination, CONVERTER, ChannelContainers, Pipeline, PipelineAction,
    names,
};
use soap::xml::Limits;

use super::abends::{no_program, refusal_abend, too_large};
use super::addressing::{ReplyAllowList, message_id};
use super::channel::ContainerKinds;
use super::faults::ServiceSide;
use super::{InstalledPipeline, PipelineTable, WebService};
use super::{convert, encoding};
use crate::commands::addressing::Context;
use crate::cpu::metered;
use crate::request::{WebAnswer, WebBody, WebRequest};
use crate::service::{CicsWebSupport, TaskCell, lock};

/// Channel of handlers.
const HANDLERS: &str = "DFHPIPELINE";
/// Channel of programs for header blocks.
const HEADERS: &str = "DFHHHC-V1";
/// Channel of the application.
const APPLICATION: &str = "DFHAHC-V1";

/// Whether a channel is one of those that a provider's programs are given.
pub fn is_own(channel: &[u8; 16]) -> bool {
    let own = [HANDLERS, HEADERS, APPLICATION];
    own.iter()
        .any(|name| format!("{name:<16}").as_bytes() == channel)
}

/// A request for a pipeline.
pub struct PipelineCall {
    /// PIPELINE of the URIMAP.
    pub pipeline: String,
    /// WEBSERVICE of the URIMAP.
    pub web_service: Option<String>,
    /// The URIMAP's name, and its path.
    pub map: (String, String),
    /// TRANSACTION of the URIMAP, or CPIH.
    pub transaction: TransId,
    /// The authenticated caller, or USERID of the URIMAP, or the region's
    /// default user.
    pub userid: UserId,
    /// The request.
    pub request: Arc<WebRequest>,
    /// The port on which the thread receives the ends of its tasks.
    pub port: Port,
}

/// A pipeline's run in its task.
struct Run<'w> {
    web: &'w CicsWebSupport,
    region: Handle,
    port: Port,
    call: &'w PipelineCall,
    pipelines: Arc<PipelineTable>,
    task: OpenTask,
    cell: TaskCell,
    pipeline: Pipeline,
    kinds: ContainerKinds,
    /// Why the unit of work is to be backed out.
    abend: Option<Abend>,
    /// The service names the methods that it takes.
    restful: bool,
}

/// The outcome of a program.
enum ProgramOutcome {
    Back(Box<TaskReply>),
    Failed(Abend),
}

/// The input of a program.
enum Input {
    Channel(ChannelData),
    Commarea(Vec<u8>),
}

/// Serves a request.
pub async fn serve(web: &CicsWebSupport, region: Handle, call: PipelineCall) -> WebAnswer {
    let pipelines = web.edition().pipelines.clone();
    let installed = match ready(&pipelines, &call) {
        Ok(installed) => installed,
        Err(answer) => return *answer,
    };
    let request = TaskRequest {
        transid: call.transaction,
        userid: call.userid,
        start_code: StartCode::Pipeline,
        trace_id: call.request.trace_id,
        timeout_ms: web.0.config.response_timeout_ms,
        ..TaskRequest::default()
    };
    let task = match region.begin_open(&call.port, request).await {
        Ok(task) => task,
        Err(refusal) => return crate::serve::refused(refusal),
    };
    let containers = initial(&call);
    let config = &installed.config;
    let media = call.request.parts.headers.get(CONTENT_TYPE);
    let media = media.and_then(|m| m.to_str().ok()).unwrap_or_default();
    let message = encoding::in_utf8(&call.request.body, media);
    let mut pipeline = Pipeline::new(config, &message, containers, Limits::default());
    let cell = web.register_service(task.number(), ServiceSide::default());
    let plain = media_of(&call.request);
    let versions = [SoapVersion::V11, SoapVersion::V12];
    pipeline.request_version = versions.into_iter().find(|v| plain == v.media_type());
    pipeline.addressing.message_id = message_id();
    pipeline.addressing.replies = Some(Arc::new(ReplyAllowList(web.0.replies.clone())));
    let mut run = Run {
        web,
        region,
        port: call.port.clone(),
        call: &call,
        pipelines,
        task,
        cell,
        pipeline,
        kinds: ContainerKinds::default(),
        abend: None,
        restful: false,
    };
    let used = Cell::new(0);
    let outcome = metered(&used, run.drive()).await;
    run.end(outcome, used.get()).await
}

/// The pipeline of a request, or why it is not served.
fn ready(
    pipelines: &PipelineTable,
    call: &PipelineCall,
) -> Result<Arc<InstalledPipeline>, Box<WebAnswer>> {
    let request = &call.request;
    if request.parts.method == Method::GET
        && request
            .parts
            .uri
            .query()
            .is_some_and(|query| query.eq_ignore_ascii_case("wsdl"))
    {
        return Err(Box::new(description(pipelines, call)));
    }
    let refused = match pipelines.pipeline(&call.pipeline) {
        Some(installed) if installed.config.role != machine::PipelineRole::Provider => {
            problem(&call.pipeline, "is a requester's")
        }
        Some(installed) if installed.enabled => {
            let methods = methods(pipelines, installed, call);
            if methods.iter().any(|m| request.parts.method == **m) {
                return Ok(installed.clone());
            }
            let methods = methods.join(", ");
            let detail = format!("This web service accepts {methods} only");
            let mut answer = WebAnswer::problem(StatusCode::METHOD_NOT_ALLOWED, &detail);
            if let Ok(methods) = HeaderValue::from_str(&methods) {
                answer.headers.insert(http::header::ALLOW, methods);
            }
            answer
        }
        Some(_) => {
            let detail = format!("The PIPELINE {} is disabled", call.pipeline);
            WebAnswer::problem(StatusCode::SERVICE_UNAVAILABLE, &detail)
        }
        None => problem(&call.pipeline, "is not defined, or cannot be used"),
    };
    Err(Box::new(refused))
}

/// The methods by which a pipeline takes requests: those of a RESTful service, all
/// where a program of the application reads the message itself, else POST.
fn methods<'p>(
    pipelines: &'p PipelineTable,
    installed: &InstalledPipeline,
    call: &PipelineCall,
) -> Vec<&'p str> {
    let config = &installed.config;
    let service = call.web_service.as_deref();
    if let Some(service) = service.and_then(|name| pipelines.service(name))
        && config.is_json()
        && !service.binding.methods.is_empty()
    {
        return service.binding.methods.iter().map(String::as_str).collect();
    }
    let reads_itself = match &config.terminal {
        Some(machine::MessageHandler::Program { .. }) => true,
        Some(machine::MessageHandler::Json) => {
            let program = config.application.as_deref();
            program.is_some_and(|program| program != CONVERTER)
        }
        _ => false,
    };
    if reads_itself {
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].to_vec()
    } else {
        ["POST"].to_vec()
    }
}

fn problem(pipeline: &str, why: &str) -> WebAnswer {
    let detail = format!("The PIPELINE {pipeline} of this path {why}");
    WebAnswer::problem(StatusCode::INTERNAL_SERVER_ERROR, &detail)
}

/// The service's description, with the address that it was asked at.
fn description(pipelines: &PipelineTable, call: &PipelineCall) -> WebAnswer {
    let service = call
        .web_service
        .as_deref()
        .and_then(|name| pipelines.service(name));
    let Some(text) = service.and_then(|service| service.description.clone()) else {
        return WebAnswer::problem(
            StatusCode::NOT_FOUND,
            "This service has no description at this address",
        );
    };
    let mut answer = WebAnswer::of(StatusCode::OK);
    let media = HeaderValue::from_static("text/xml; charset=UTF-8");
    answer.headers.insert(CONTENT_TYPE, media);
    answer.body = WebBody::Whole(text);
    answer
}

/// The type of a request, without its parameters.
fn media_of(request: &WebRequest) -> &str {
    let media = request.parts.headers.get(CONTENT_TYPE);
    let media = media.and_then(|m| m.to_str().ok()).unwrap_or_default();
    media.split(';').next().unwrap_or_default().trim()
}

/// The containers that a pipeline begins with.
fn initial(call: &PipelineCall) -> ChannelContainers {
    let mut containers = ChannelContainers::new();
    let mut put = |name: &str, text: String| containers.insert(name.to_owned(), text.into_bytes());
    let parts = &call.request.parts;
    let (map, map_path) = &call.map;
    put(names::URI, parts.uri.path().to_owned());
    put(names::HTTP_METHOD, format!("{:<8}", parts.method.as_str()));
    put(names::URI_MAP, format!("{map:<8}"));
    put(names::URI_MAP_PATH, map_path.clone());
    let resource = map_path.strip_suffix('*');
    let resource = resource.and_then(|before| parts.uri.path().strip_prefix(before));
    if let Some(resource) = resource {
        put(names::URI_RESOURCE, resource.to_owned());
    }
    if let Some(query) = parts.uri.query() {
        put(names::URI_QUERY, query.to_owned());
    }
    let media = media_of(&call.request);
    if !media.is_empty() {
        put(names::MEDIA_TYPE, media.to_owned());
    }
    put(names::TRANSID, call.transaction.to_string());
    put(names::USERID, call.userid.to_string());
    put(names::PIPELINE, format!("{:<8}", call.pipeline));
    if let Some(service) = &call.web_service {
        put(names::WEB_SERVICE, format!("{service:<32}"));
    }
    containers
}

impl Run<'_> {
    /// Runs the pipeline to its end.
    async fn drive(&mut self) -> machine::PipelineOutcome {
        loop {
            match self.pipeline.poll() {
                PipelineAction::Link { program, .. } => self.handler(&program).await,
                PipelineAction::Application { program } if program == CONVERTER => {
                    self.converted().await
                }
                PipelineAction::Application { program } => self.own_application(&program).await,
                // A provider sends nothing.
                PipelineAction::Send => self
                    .pipeline
                    .handle_failure("a provider has no server to send to"),
                PipelineAction::Done(outcome) => return outcome,
            }
        }
    }

    /// A handler, or a program for header blocks.
    async fn handler(&mut self, program: &str) {
        let channel = if self.pipeline.containers.contains_key(names::HEADER) {
            HEADERS
        } else {
            HANDLERS
        };
        self.note_version();
        let given = self.kinds.give(channel, &self.pipeline.containers);
        match self.here(program, &Input::Channel(given)).await {
            ProgramOutcome::Back(reply) => {
                let back = reply.channel_data();
                drop(reply);
                self.pipeline.containers = self.kinds.take(&back, self.web.0.page);
                match self.made_fault() {
                    Some(fault) if self.pipeline.in_headers() => self.pipeline.handle_fault(&fault),
                    _ => self.pipeline.handle_return(),
                }
            }
            ProgramOutcome::Failed(abend) => self.failed(abend),
        }
    }

    /// An application that reads the body itself.
    async fn own_application(&mut self, program: &str) {
        self.note_version();
        let given = self.kinds.give(APPLICATION, &self.pipeline.containers);
        match self.application(program, &Input::Channel(given)).await {
            ProgramOutcome::Back(reply) => {
                let back = reply.channel_data();
                drop(reply);
                self.pipeline.containers = self.kinds.take(&back, self.web.0.page);
                let name = if self.pipeline.is_json() {
                    names::RESPONSE
                } else {
                    names::BODY
                };
                let answer = self.pipeline.containers.get(name);
                let answered = answer.is_some_and(|bytes| !bytes.is_empty());
                let fault = self.made_fault();
                self.pipeline.handle_answer(fault.as_ref(), answered);
            }
            ProgramOutcome::Failed(abend) => self.failed(abend),
        }
    }

    /// The program of the binding: its record from the message, the answer
    /// from its record.
    async fn converted(&mut self) {
        let service = match self.service() {
            Ok(service) => service,
            Err(fault) => return self.pipeline.handle_answer(Some(&fault), true),
        };
        let json = self.pipeline.is_json();
        self.restful = json && !service.binding.methods.is_empty();
        let from = if json { names::REQUEST } else { names::BODY };
        let containers = &self.pipeline.containers;
        let request = &service.conversions.request;
        let message = if self.restful && !self.has_body() {
            Ok(None)
        } else {
            convert::record(request, json, containers, from).map(Some)
        };
        let message = match message {
            Ok(message) => message,
            Err(why) => {
                let reason = format!("The message cannot be converted: {why}");
                let fault = Fault::new(FaultCode::Sender, reason);
                return self.pipeline.handle_answer(Some(&fault), true);
            }
        };
        if let Some(actions) = &service.binding.addressing {
            let own = &mut self.pipeline.addressing;
            own.response_action = actions.response.clone().unwrap_or_default();
        }
        let program = service.binding.program.clone().unwrap_or_default();
        let input = self.input(&service, message);
        self.note_version();
        let reply = match self.application(&program, &input).await {
            ProgramOutcome::Back(reply) => reply,
            ProgramOutcome::Failed(abend) => return self.failed(abend),
        };
        if let Some(fault) = self.made_fault() {
            drop(reply);
            return self.pipeline.handle_answer(Some(&fault), true);
        }
        for name in [names::HTTP_STATUS, names::MEDIA_TYPE] {
            if let Some(said) = reply.container(name) {
                let said = said.to_vec();
                self.pipeline.containers.insert(name.to_owned(), said);
            }
        }
        if self.restful {
            return self.answer_of_resource(&service, *reply);
        }
        let Some(response) = &service.conversions.response else {
            drop(reply);
            return self.pipeline.handle_answer(None, false);
        };
        match answer(&service, response, json, &reply) {
            Ok(text) => {
                let to = if json { names::RESPONSE } else { names::BODY };
                self.pipeline.containers.insert(to.to_owned(), text);
                self.pipeline.handle_answer(None, true);
            }
            Err(why) => self.unconverted(&service, &why),
        }
    }

    /// Whether the request's method has a body to read.
    fn has_body(&self) -> bool {
        let without = [Method::GET, Method::HEAD, Method::DELETE];
        !without.contains(&self.call.request.parts.method)
    }

    /// The answer of a RESTful service: the DFHRESPONSE of its program, else
    /// for GET its record, else nothing.
    fn answer_of_resource(&mut self, service: &WebService, reply: TaskReply) {
        let channel = reply.channel_data();
        drop(reply);
        let own = self.kinds.take(&channel, self.web.0.page);
        let own = own.get(names::RESPONSE).filter(|text| !text.is_empty());
        if let Some(text) = own {
            let text = text.clone();
            self.pipeline
                .containers
                .insert(names::RESPONSE.to_owned(), text);
            return self.pipeline.handle_answer(None, true);
        }
        let reads = [Method::GET, Method::HEAD].contains(&self.call.request.parts.method);
        let record = match &service.binding.interface {
            ProgramInterface::Channel { container } if reads => {
                let mut all = channel.containers.iter();
                all.find(|c| c.name.as_str().trim_end() == container)
            }
            _ => None,
        };
        let conversions = &service.conversions;
        let conversion = conversions
            .response
            .as_ref()
            .unwrap_or(&conversions.request);
        let Some(record) = record else {
            return self.pipeline.handle_answer(None, false);
        };
        let mut text = Vec::new();
        match convert::object(conversion, &record.bytes, &mut text) {
            Ok(()) => {
                self.pipeline
                    .containers
                    .insert(names::RESPONSE.to_owned(), text);
                self.pipeline.handle_answer(None, true);
            }
            Err(why) => self.unconverted(service, &why),
        }
    }

    /// Answers with a fault because the program's output is not a valid record.
    fn unconverted(&mut self, service: &WebService, why: &str) {
        tracing::warn!(
            service = service.name,
            "an answer cannot be converted: {why}"
        );
        let reason = format!("The answer cannot be converted: {why}");
        let fault = Fault::new(FaultCode::Receiver, reason);
        self.pipeline.handle_answer(Some(&fault), true);
    }

    /// The web service that the request is for; a handler may have named it.
    fn service(&self) -> Result<Arc<WebService>, Fault> {
        let name = self.text(names::WEB_SERVICE);
        let wrong = |reason: String| Fault::new(FaultCode::Receiver, reason);
        if name.is_empty() {
            let reason = "no web service is named: give the URIMAP a WEBSERVICE, or put one into \
                DFHWS-WEBSERVICE";
            return Err(wrong(reason.to_owned()));
        }
        match self.pipelines.service(&name) {
            Some(service) if service.pipeline == self.call.pipeline => Ok(service.clone()),
            Some(_) => Err(wrong(format!(
                "the web service {name} belongs to another pipeline"
            ))),
            None => Err(wrong(format!("no web service {name} is defined"))),
        }
    }

    /// The input for the program of a service.
    fn input(
        &mut self,
        service: &WebService,
        message: Option<soap::codec::RecordMessage>,
    ) -> Input {
        match &service.binding.interface {
            ProgramInterface::Commarea => {
                // The area holds the answer afterwards.
                let mut area = message.map_or_else(Vec::new, |message| message.record);
                let response = service.conversions.response.as_ref();
                let room = response.map_or(0, |r| r.xml.max_len());
                area.resize(area.len().max(room), 0);
                Input::Commarea(area)
            }
            ProgramInterface::Channel { container } => {
                let mut containers = self.pipeline.containers.clone();
                for made in [
                    names::REQUEST,
                    names::RESPONSE,
                    names::BODY,
                    names::FUNCTION,
                ] {
                    containers.remove(made);
                }
                if let Some(message) = message {
                    let own = message.containers.into_iter();
                    for (name, bytes) in own.chain([(container.clone(), message.record)]) {
                        self.kinds.binary(&name);
                        containers.insert(name, bytes);
                    }
                }
                Input::Channel(self.kinds.give(APPLICATION, &containers))
            }
        }
    }

    /// Runs the application program: in this task, or in a new one if a handler
    /// has changed transaction or user.
    async fn application(&mut self, program: &str, input: &Input) -> ProgramOutcome {
        let (transid, userid) = (self.text(names::TRANSID), self.text(names::USERID));
        let transid = transid.parse().unwrap_or(self.call.transaction);
        let userid = userid.parse().unwrap_or(self.call.userid);
        if (transid, userid) == (self.call.transaction, self.call.userid) {
            return self.here(program, input).await;
        }
        let Ok(name) = program.parse() else {
            return ProgramOutcome::Failed(no_program(program));
        };
        let request = TaskRequest {
            transid,
            program: name,
            userid,
            start_code: StartCode::Pipeline,
            trace_id: self.call.request.trace_id,
            timeout_ms: self.web.0.config.response_timeout_ms,
            is_child: true,
            ..TaskRequest::default()
        };
        // The other task may begin above MXT meanwhile.
        self.task.lend(true);
        let ran = match self.region.begin(&self.port, request).await {
            Ok(mut task) => {
                let number = task.number();
                let side = ServiceSide::default();
                let cell = self.web.register_service(number, side);
                lock(&cell).service.clone_from(&lock(&self.cell).service);
                let ran = if fill(&mut task, input) {
                    back(task.run().await)
                } else {
                    ProgramOutcome::Failed(too_large(program))
                };
                let made = lock(&cell).service.take();
                if let (Some(side), Some(made)) = (&mut lock(&self.cell).service, made) {
                    *side = made;
                }
                self.web.forget(number);
                ran
            }
            Err(refusal) => ProgramOutcome::Failed(refusal_abend(program, &refusal.to_string())),
        };
        self.task.lend(false);
        ran
    }

    /// A program in this task's unit of work.
    async fn here(&mut self, program: &str, input: &Input) -> ProgramOutcome {
        let Ok(name) = program.parse() else {
            return ProgramOutcome::Failed(no_program(program));
        };
        let bytes = match input {
            Input::Channel(channel) => channel.containers.iter().map(|c| c.bytes.len()).sum(),
            Input::Commarea(area) => area.len(),
        };
        let mut run = match self.task.run(name, bytes).await {
            Some(Ok(run)) => run,
            Some(Err(refusal)) => {
                return ProgramOutcome::Failed(refusal_abend(program, &refusal.to_string()));
            }
            None => return ProgramOutcome::Failed(refusal_abend(program, "the task is to end")),
        };
        if !fill(&mut run, input) {
            return ProgramOutcome::Failed(too_large(program));
        }
        let reply = run.run().await;
        self.task.ran(&reply);
        back(reply)
    }

    fn failed(&mut self, abend: Abend) {
        let reason = if abend.message.is_empty() {
            format!("abend {}", abend.code())
        } else {
            format!("abend {}: {}", abend.code(), abend.message)
        };
        self.pipeline.handle_failure(&reason);
        self.abend = Some(abend);
    }

    /// Passes the message's version of SOAP and its addressing to the commands
    /// of programs.
    fn note_version(&mut self) {
        let version = (!self.pipeline.is_json()).then(|| self.pipeline.version());
        let own = &self.pipeline.addressing;
        let context = self.pipeline.has_addressing().then(|| Context {
            request: own.request.clone(),
            response: own.response.clone(),
        });
        if let Some(side) = &mut lock(&self.cell).service {
            side.version = version;
            side.addressing = context;
        }
    }

    /// The fault that a program has made, and the addressing that it has built
    /// for the response.
    fn made_fault(&mut self) -> Option<Fault> {
        let mut state = lock(&self.cell);
        let side = state.service.as_mut()?;
        if let Some(context) = side.addressing.take() {
            self.pipeline.set_response_addressing(context.response);
        }
        side.fault.take()
    }

    fn text(&self, name: &str) -> String {
        let bytes = self.pipeline.containers.get(name);
        let text = String::from_utf8_lossy(bytes.map_or(&[][..], Vec::as_slice));
        text.trim_end_matches([' ', '\0']).to_owned()
    }

    /// Ends the task, and makes the answer of what the pipeline came to.
    async fn end(self, outcome: machine::PipelineOutcome, cpu_ns: u64) -> WebAnswer {
        self.web.forget(self.task.number());
        let backed_out = self.abend.is_some();
        let (ended, _record) = self.task.end(self.abend, cpu_ns).await;
        let json = self.pipeline.is_json();
        let version = self.pipeline.version();
        if let (TaskOutcome::Abend(abend), false) = (&ended, backed_out) {
            let reason = format!("The task abended with code {}", abend.code());
            return if json {
                WebAnswer::problem(StatusCode::INTERNAL_SERVER_ERROR, &reason)
            } else {
                let text = Fault::new(FaultCode::Receiver, reason).message(version);
                answered(
                    text,
                    StatusCode::INTERNAL_SERVER_ERROR,
                    version.media_type(),
                )
            };
        }
        let status = match self.pipeline.answered_fault() {
            None => StatusCode::OK,
            Some(FaultCode::Sender) if json || version == SoapVersion::V12 => {
                StatusCode::BAD_REQUEST
            }
            Some(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let media = match (json, status) {
            (true, StatusCode::OK) => "application/json",
            (true, _) => "application/problem+json",
            (false, _) => version.media_type(),
        };
        let shaped = |answer: WebAnswer| match self.pipeline.answered_fault() {
            None => with_program_status(
                answer,
                &self.pipeline.containers,
                media_of(&self.call.request),
            ),
            Some(_) => answer,
        };
        match outcome {
            machine::PipelineOutcome::Response(text) => match self.pipeline.destination() {
                AnswerDestination::Connection => shaped(answered(text, status, media)),
                AnswerDestination::Nowhere => WebAnswer::of(StatusCode::ACCEPTED),
                AnswerDestination::Elsewhere {
                    address,
                    by_program,
                } => {
                    self.web.send_elsewhere(address, by_program, version, text);
                    WebAnswer::of(StatusCode::ACCEPTED)
                }
            },
            machine::PipelineOutcome::NoResponse if self.restful => {
                shaped(WebAnswer::of(StatusCode::NO_CONTENT))
            }
            machine::PipelineOutcome::NoResponse => shaped(WebAnswer::of(StatusCode::ACCEPTED)),
            machine::PipelineOutcome::Fault(fault) => answered(
                fault.message(version),
                StatusCode::INTERNAL_SERVER_ERROR,
                media,
            ),
            machine::PipelineOutcome::Failed(why) => {
                WebAnswer::problem(StatusCode::INTERNAL_SERVER_ERROR, &why.to_string())
            }
        }
    }
}

/// An answer with the status and the type that the pipeline's programs have asked for:
/// `201 Created`, or the whole status line, in DFHHTTPSTATUS; a type other than the
/// request's in DFHMEDIATYPE.
fn with_program_status(
    mut answer: WebAnswer,
    containers: &ChannelContainers,
    asked: &str,
) -> WebAnswer {
    let text = |name: &str| {
        let bytes = containers.get(name).map_or(&[][..], Vec::as_slice);
        let text = String::from_utf8_lossy(bytes);
        text.trim_matches([' ', '\0']).to_owned()
    };
    let status = text(names::HTTP_STATUS);
    let status = match status.split_once(' ') {
        Some((version, status)) if version.starts_with("HTTP/") => status.trim_start(),
        _ => &status,
    };
    let (code, reason) = status.split_once(' ').unwrap_or((status, ""));
    let code = code.parse().ok().filter(|code| (200..=599).contains(code));
    if let Some(code) = code.and_then(|code| StatusCode::from_u16(code).ok()) {
        answer.status = code;
        answer.reason = match HeaderValue::from_str(reason.trim()) {
            Ok(reason) => reason.as_bytes().to_vec(),
            Err(_) => Vec::new(),
        };
    }
    let media = text(names::MEDIA_TYPE);
    if !media.is_empty()
        && !media.eq_ignore_ascii_case(asked)
        && let Ok(media) = HeaderValue::from_str(&media)
    {
        answer.headers.insert(CONTENT_TYPE, media);
    }
    answer
}

/// The answer's text from the program's returned data.
fn answer(
    service: &WebService,
    response: &soap::MessageCodec,
    json: bool,
    reply: &TaskReply,
) -> Result<Vec<u8>, String> {
    // Copied: a worker could change it while it is read.
    match &service.binding.interface {
        ProgramInterface::Commarea => {
            let record = reply.commarea().to_vec();
            convert::message(response, json, &record, &ChannelData::default())
        }
        ProgramInterface::Channel { container } => {
            let channel = reply.channel_data();
            let mut all = channel.containers.iter();
            let found = all.find(|c| c.name.as_str().trim_end() == container);
            let record = found
                .ok_or_else(|| format!("the program has not returned the container {container}"))?;
            convert::message(response, json, &record.bytes, &channel)
        }
    }
}

fn answered(text: Vec<u8>, status: StatusCode, media: &str) -> WebAnswer {
    let mut answer = WebAnswer::of(status);
    if let Ok(media) = HeaderValue::from_str(&format!("{media}; charset=UTF-8")) {
        answer.headers.insert(CONTENT_TYPE, media);
    }
    answer.body = WebBody::Whole(text);
    answer
}

/// Writes a program's input; false when it has no room.
fn fill(task: &mut Task, input: &Input) -> bool {
    match input {
        Input::Channel(channel) => task.put_channel(channel).is_ok(),
        Input::Commarea(area) => task
            .set_commarea(area.len(), |to| {
                to.copy_from_slice(area);
                Ok::<_, std::convert::Infallible>(())
            })
            .is_ok(),
    }
}

fn back(reply: TaskReply) -> ProgramOutcome {
    match reply.outcome() {
        TaskOutcome::Ok => ProgramOutcome::Back(Box::new(reply)),
        TaskOutcome::Abend(abend) => ProgramOutcome::Failed(abend.clone()),
    }
}
