//! INVOKE SERVICE: a program's record through a requester's pipeline to a
//! server, and the answer back into its channel.
//!
//! The command is passed with the program's channel. Handlers run in the task's
//! worker: the answer names the program and has its channel, and the command
//! is repeated when the program has returned. Waits and conversions are on the
//! runtime of [`crate::client`].
//!
//! The reason of a failure is a text in DFHERROR; a fault's element is in
//! DFHWS-BODY.
//!
//! Reference: CICS API reference, INVOKE SERVICE. Of its RESP2 values, 6, 14 and
//! 107 could be compared with what IBM says of them; the others are from memory
//! of the manual.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use cics::command::commands::invoke_service as row;
use cics::resp::Condition;
use http::header::{CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use link::{CHANNEL_DATA, CallAnswer, ChannelData, CommandOperands, RUN_ENDED, RUN_PROGRAM};
use region::ServiceCommand;
use soap::addressing::ANONYMOUS;
use soap::binding::ProgramInterface;
use soap::envelope::SoapVersion;
use soap::pipeline::{
    ChannelContainers, Pipeline, PipelineAction, PipelineOutcome, PipelineRole, names,
};
use soap::xml::Limits;
use tokio::time::timeout;

use super::addressing::message_id;
use super::channel::ContainerKinds;
use super::{InstalledPipeline, WebService, convert, encoding};
use crate::client::{ClientError, OutgoingRequest, Response, ServerTarget, exchange};
use crate::commands::addressing::Context;
use crate::commands::{CommandFailure, answer, fail, text};
use crate::service::{CicsWebSupport, TaskCell, lock};

/// Channel of handlers.
const HANDLERS: &str = "DFHPIPELINE";
/// Containers that are the pipeline's own: programs do not get them back.
const OWN: [&str; 14] = [
    names::REQUEST,
    names::RESPONSE,
    names::FUNCTION,
    names::HEADER,
    names::HANDLER_PARAMETERS,
    names::SERVICE_PARAMETERS,
    names::APPLICATION,
    names::OPERATION,
    names::LEVEL,
    names::TRANSID,
    names::USERID,
    names::PIPELINE,
    names::WEB_SERVICE,
    names::URI,
];

/// RESP2 of INVREQ.
mod resp2 {
    /// OPERATION is not a name.
    pub const OPERATION: u32 = 1;
    /// The pipeline is a provider's.
    pub const PROVIDER: u32 = 4;
    /// The pipeline of the service cannot be used.
    pub const NO_PIPELINE: u32 = 5;
    /// The server answered with a fault.
    pub const FAULT: u32 = 6;
    /// Neither the command nor the binding names a server.
    pub const NO_URI: u32 = 7;
    /// The pipeline is disabled.
    pub const DISABLED: u32 = 8;
    /// The container with the record is not there.
    pub const NO_DATA: u32 = 10;
    /// A record or a message cannot be converted.
    pub const CONVERSION: u32 = 14;
    /// A program of the pipeline has failed.
    pub const PIPELINE: u32 = 15;
    /// The server cannot be reached.
    pub const SERVER: u32 = 101;
    /// The server's answer is not a message.
    pub const NO_MESSAGE: u32 = 107;
}

/// A request that is on its way through its pipeline.
#[derive(Debug)]
pub struct RequesterRun {
    service: Arc<WebService>,
    installed: Arc<InstalledPipeline>,
    pipeline: Pipeline,
    kinds: ContainerKinds,
    /// The connection settings of its URIMAP.
    of_map: OfMap,
    /// The channel that its program has named, whose addressing it has.
    channel: [u8; 16],
    /// The condition of a failed send.
    failed: Option<(Condition, u32)>,
}

/// The connection settings of a URIMAP.
#[derive(Debug, Default)]
struct OfMap {
    /// How long one is kept afterwards.
    keep: Option<Duration>,
    /// Label of the certificate that the server is shown.
    certificate: Option<String>,
}

impl CicsWebSupport {
    /// INVOKE SERVICE and INVOKE WEBSERVICE.
    pub(crate) fn invoke(&self, mut command: ServiceCommand, cell: TaskCell) {
        command.later();
        let web = self.clone();
        self.0.runtime.spawn(move || async move {
            let taken = match command.operands.get_bytes(RUN_ENDED) {
                None => web.begin_request(&command.operands, &cell),
                Some(ended) => match lock(&cell).requesters.pop() {
                    Some(requester) => Ok(resumed(requester, ended, &command.operands, &web)),
                    None => fail(Condition::InvReq, resp2::PIPELINE),
                },
            };
            match taken {
                Ok(requester) => web.advance(requester, command, &cell).await,
                Err(failure) => command.answer(&answer(Err(failure))),
            }
        });
    }

    /// Drives a pipeline until it needs a program or ends.
    async fn advance(&self, mut requester: RequesterRun, command: ServiceCommand, cell: &TaskCell) {
        loop {
            match requester.pipeline.poll() {
                PipelineAction::Link { program, .. } => {
                    let given = requester
                        .kinds
                        .give(HANDLERS, &requester.pipeline.containers);
                    lock(cell).requesters.push(requester);
                    let operands = CommandOperands::default()
                        .bytes(RUN_PROGRAM, program.into_bytes())
                        .bytes(CHANNEL_DATA, given.emit());
                    return command.answer(&CallAnswer::of_data(operands.emit()));
                }
                PipelineAction::Send => self.send_message(&mut requester).await,
                // A requester has no application program.
                PipelineAction::Application { .. } => {
                    requester.pipeline.handle_failure("no application")
                }
                PipelineAction::Done(outcome) => {
                    requester.publish_addressing(cell);
                    return command.answer(&answer(requester.finish(outcome)));
                }
            }
        }
    }

    /// The pipeline of a command, with its message made.
    fn begin_request(
        &self,
        given: &CommandOperands,
        cell: &TaskCell,
    ) -> Result<RequesterRun, CommandFailure> {
        let channel = given.get_bytes(CHANNEL_DATA).unwrap_or_default();
        let channel = ChannelData::parse(channel).unwrap_or_default();
        let context = lock(cell).contexts.get(channel.name.as_bytes()).cloned();
        let built = context.map(|context| context.request).unwrap_or_default();
        let edition = self.edition();
        let name = text(given, row::SERVICE).unwrap_or_default();
        let Some(service) = edition.pipelines.service(&name).cloned() else {
            return fail(Condition::NotFnd, 1);
        };
        let Some(installed) = edition.pipelines.pipeline(&service.pipeline).cloned() else {
            return fail(Condition::InvReq, resp2::NO_PIPELINE);
        };
        if installed.config.role != PipelineRole::Requester {
            return fail(Condition::InvReq, resp2::PROVIDER);
        }
        if !installed.enabled {
            return fail(Condition::InvReq, resp2::DISABLED);
        }
        match text(given, row::OPERATION).as_deref() {
            None | Some("") => {}
            Some(operation) if operation.contains(char::is_whitespace) => {
                return fail(Condition::InvReq, resp2::OPERATION);
            }
            Some(operation) if operation != service.binding.operation => {
                return fail(Condition::NotFnd, 2);
            }
            Some(_) => {}
        }
        let (uri, of_map) = match text(given, row::URIMAP).filter(|name| !name.is_empty()) {
            Some(name) => match edition.maps.client(&name) {
                Some(map) if map.enabled => {
                    let of_map = OfMap {
                        keep: keeping(map.socket_close_s),
                        certificate: map.certificate.clone(),
                    };
                    (url_of(map), of_map)
                }
                Some(_) => return fail(Condition::InvReq, resp2::NO_URI),
                None => return fail(Condition::NotFnd, 3),
            },
            None => {
                let named = text(given, row::URI).filter(|uri| !uri.trim().is_empty());
                let to = built.to.as_ref().map(|to| to.address.clone());
                let to = to.filter(|to| !to.is_empty() && to != ANONYMOUS);
                (
                    named.or(to).unwrap_or_else(|| service.binding.uri.clone()),
                    OfMap::default(),
                )
            }
        };
        if uri.is_empty() {
            return fail(Condition::InvReq, resp2::NO_URI);
        }
        let mut requester = self.request(service, installed, uri, of_map, &channel)?;
        let binding = &requester.service.binding;
        let action = binding.addressing.as_ref().map(|a| a.request.clone());
        let own = &mut requester.pipeline.addressing;
        own.request_action = action.unwrap_or_else(|| binding.action.clone());
        own.message_id = message_id();
        own.request = built;
        Ok(requester)
    }

    fn request(
        &self,
        service: Arc<WebService>,
        installed: Arc<InstalledPipeline>,
        uri: String,
        of_map: OfMap,
        channel: &ChannelData,
    ) -> Result<RequesterRun, CommandFailure> {
        let name = data_container(&service);
        let mut all = channel.containers.iter();
        let Some(data) = all.find(|c| c.name.as_str().trim_end() == name) else {
            return fail(Condition::InvReq, resp2::NO_DATA);
        };
        let json = installed.config.is_json();
        let body = convert::message(&service.conversions.request, json, &data.bytes, channel);
        let body = match body {
            Ok(body) => body,
            Err(why) => {
                tracing::info!(
                    service = service.name,
                    "a record cannot be converted: {why}"
                );
                return refused(channel, Condition::InvReq, resp2::CONVERSION, &why);
            }
        };
        let mut kinds = ContainerKinds::default();
        let mut containers = kinds.take(channel, self.0.page);
        containers.insert(names::URI.to_owned(), uri.into_bytes());
        let pipeline = format!("{:<8}", installed.name).into_bytes();
        containers.insert(names::PIPELINE.to_owned(), pipeline);
        let web_service = format!("{:<32}", service.name).into_bytes();
        containers.insert(names::WEB_SERVICE.to_owned(), web_service);
        let operation = service.binding.operation.clone().into_bytes();
        containers.insert(names::OPERATION.to_owned(), operation);
        Ok(RequesterRun {
            pipeline: Pipeline::new(&installed.config, &body, containers, Limits::default()),
            service,
            installed,
            kinds,
            of_map,
            channel: *channel.name.as_bytes(),
            failed: None,
        })
    }

    /// Sends the message and takes the answer.
    async fn send_message(&self, requester: &mut RequesterRun) {
        let (target, outgoing) = match outgoing(requester) {
            Ok(made) => made,
            Err(why) => return requester.fails(Condition::InvReq, resp2::SERVER, &why),
        };
        let limit = match requester.installed.wait_s {
            None => Duration::from_millis(u64::from(self.0.config.client_timeout_ms)),
            Some(0) => Duration::MAX,
            Some(seconds) => Duration::from_secs(u64::from(seconds)),
        };
        let connector = &self.0.connector;
        let kept = requester.of_map.keep.and_then(|_| connector.kept(&target));
        let most = usize::try_from(self.0.config.client_body_bytes).unwrap_or(usize::MAX);
        let exchanged = exchange(connector, &target, kept, outgoing, most);
        let exchanged = timeout(limit, exchanged).await;
        match exchanged.unwrap_or(Err(ClientError::TimedOut)) {
            Ok((response, sender)) => {
                if let (Some(sender), Some(time)) = (sender, requester.of_map.keep)
                    && connector.keep(&target, sender, time)
                {
                    let connector = connector.clone();
                    tokio::task::spawn_local(async move { connector.sweep(target).await });
                }
                requester.received(&response);
            }
            Err(ClientError::TimedOut) => {
                requester.fails(Condition::TimedOut, 1, "the server did not answer in time");
            }
            Err(error) => {
                let why = format!("{}:{}: {}", target.host, target.port, error_text(error));
                requester.fails(Condition::InvReq, resp2::SERVER, &why);
            }
        }
    }
}

impl RequesterRun {
    fn fails(&mut self, condition: Condition, resp2: u32, why: &str) {
        tracing::info!(service = self.service.name, "INVOKE SERVICE: {why}");
        self.failed = Some((condition, resp2));
        self.pipeline.handle_failure(why);
    }

    /// The server's answer: a message, or none where none was wanted.
    fn received(&mut self, response: &Response) {
        let wants_none = self.service.binding.response.is_none()
            || self.pipeline.is_answered_elsewhere()
            || self.pipeline.containers.contains_key(names::NO_RESPONSE);
        let status = response.status;
        if status.is_success() && (wants_none || response.body.is_empty()) {
            return self.pipeline.handle_received(None);
        }
        let media = response.headers.get(CONTENT_TYPE);
        let media = media.and_then(|m| m.to_str().ok()).unwrap_or_default();
        let message = encoding::in_utf8(&response.body, media);
        let media = media.split(';').next().unwrap_or_default().trim();
        let fits = if self.pipeline.is_json() {
            status.is_success() && media.ends_with("json")
        } else {
            media == "text/xml" || media.ends_with("/xml") || media.ends_with("+xml")
        };
        if !fits || response.body.is_empty() {
            let why = format!(
                "the server returned status {} and the type {media:?}",
                status.as_u16()
            );
            return self.fails(Condition::InvReq, resp2::NO_MESSAGE, &why);
        }
        self.pipeline.handle_received(Some(message.into_owned()));
    }

    /// Leaves the addressing of the response where the program can ask for it.
    fn publish_addressing(&self, cell: &TaskCell) {
        if self.pipeline.has_addressing() {
            let own = &self.pipeline.addressing;
            let context = Context {
                request: own.request.clone(),
                response: own.response.clone(),
            };
            lock(cell).contexts.insert(self.channel, context);
        }
    }

    /// The program's result: its channel, and the condition.
    fn finish(mut self, outcome: PipelineOutcome) -> Result<CommandOperands, CommandFailure> {
        let (condition, code) = match outcome {
            PipelineOutcome::Response(_) => match self.taken_apart() {
                Ok(()) => (Condition::Normal, 0),
                Err(why) => {
                    tracing::info!(
                        service = self.service.name,
                        "an answer cannot be converted: {why}"
                    );
                    let containers = &mut self.pipeline.containers;
                    containers.insert(names::ERROR.to_owned(), why.into_bytes());
                    (Condition::InvReq, resp2::CONVERSION)
                }
            },
            PipelineOutcome::NoResponse => match self.service.binding.response {
                Some(_)
                    if !self.pipeline.containers.contains_key(names::NO_RESPONSE)
                        && !self.pipeline.is_answered_elsewhere() =>
                {
                    (Condition::InvReq, resp2::NO_MESSAGE)
                }
                _ => (Condition::Normal, 0),
            },
            PipelineOutcome::Fault(_) => (Condition::InvReq, resp2::FAULT),
            PipelineOutcome::Failed(soap::pipeline::PipelineError::Answer(_)) => self
                .failed
                .unwrap_or((Condition::InvReq, resp2::NO_MESSAGE)),
            PipelineOutcome::Failed(_) => (Condition::InvReq, resp2::PIPELINE),
        };
        let mut containers = self.pipeline.containers;
        OWN.iter().for_each(|name| drop(containers.remove(*name)));
        if (condition, code) != (Condition::InvReq, resp2::FAULT) {
            containers.remove(names::BODY);
            containers.remove(names::XMLNS);
        }
        let operands = channel_back(&self.kinds, &containers);
        match condition {
            Condition::Normal => Ok(operands),
            condition => Err(CommandFailure {
                condition,
                resp2: code,
                operands,
            }),
        }
    }

    /// The answer's record into the containers.
    fn taken_apart(&mut self) -> Result<(), String> {
        let Some(response) = &self.service.conversions.response else {
            return Ok(());
        };
        let json = self.pipeline.is_json();
        let containers = &self.pipeline.containers;
        let message = convert::record(response, json, containers, names::BODY)?;
        let name = data_container(&self.service).to_owned();
        for (name, bytes) in message
            .containers
            .into_iter()
            .chain([(name, message.record)])
        {
            self.kinds.binary(&name);
            self.pipeline.containers.insert(name, bytes);
        }
        Ok(())
    }
}

/// A handler is back.
fn resumed(
    mut requester: RequesterRun,
    ended: &[u8],
    given: &CommandOperands,
    web: &CicsWebSupport,
) -> RequesterRun {
    let channel = given.get_bytes(CHANNEL_DATA).unwrap_or_default();
    let channel = ChannelData::parse(channel).unwrap_or_default();
    requester.pipeline.containers = requester.kinds.take(&channel, web.0.page);
    if ended.iter().all(|b| *b == b' ') {
        requester.pipeline.handle_return()
    } else {
        let why = format!("abend {}", String::from_utf8_lossy(ended));
        requester.pipeline.handle_failure(&why);
    }
    requester
}

/// The channel as operands.
fn channel_back(kinds: &ContainerKinds, containers: &ChannelContainers) -> CommandOperands {
    CommandOperands::default().bytes(CHANNEL_DATA, kinds.give("", containers).emit())
}

/// A condition before the pipeline began, with its reason in DFHERROR.
fn refused<T>(
    channel: &ChannelData,
    condition: Condition,
    resp2: u32,
    why: &str,
) -> Result<T, CommandFailure> {
    let mut back = channel.clone();
    back.containers
        .retain(|c| c.name.as_str().trim_end() != names::ERROR);
    if let Ok(name) = link::ContainerName::new(names::ERROR) {
        back.containers.push(link::ContainerData {
            name,
            kind: link::ContainerType::Char,
            ccsid: 1208,
            bytes: why.as_bytes().to_vec(),
        });
    }
    Err(CommandFailure {
        condition,
        resp2,
        operands: CommandOperands::default().bytes(CHANNEL_DATA, back.emit()),
    })
}

/// The container with the record.
fn data_container(service: &WebService) -> &str {
    match &service.binding.interface {
        ProgramInterface::Channel { container } => container,
        ProgramInterface::Commarea => names::DATA,
    }
}

fn url_of(map: &cics::csd::UriMapDef) -> String {
    let scheme = if map.secure { "https" } else { "http" };
    match map.port {
        Some(port) => format!("{scheme}://{}:{port}{}", map.host, map.path),
        None => format!("{scheme}://{}{}", map.host, map.path),
    }
}

fn keeping(seconds: u32) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(u64::from(seconds)))
}

/// The outgoing request, with its destination by DFHWS-URI.
fn outgoing(requester: &RequesterRun) -> Result<(ServerTarget, OutgoingRequest), String> {
    let containers = &requester.pipeline.containers;
    let uri = containers.get(names::URI).map_or(&[][..], Vec::as_slice);
    let uri = String::from_utf8_lossy(uri);
    let uri = uri.trim_end_matches([' ', '\0']);
    let url = crate::parse_url(uri).ok_or_else(|| format!("{uri:?} is not an HTTP address"))?;
    let target = ServerTarget {
        secure: url.scheme.eq_ignore_ascii_case("https"),
        host: url.host.to_owned(),
        port: url.port,
        certificate: requester.of_map.certificate.clone(),
    };
    let path = match url.query {
        "" => url.path.to_owned(),
        query => format!("{}?{query}", url.path),
    };
    let mut headers = HeaderMap::new();
    let mut put = |name: HeaderName, value: &str| {
        let value = HeaderValue::from_str(value);
        value
            .map(|value| drop(headers.insert(name, value)))
            .map_err(|e| e.to_string())
    };
    put(HOST, &target.authority())?;
    let action = &requester.service.binding.action;
    match (requester.pipeline.is_json(), requester.pipeline.version()) {
        (true, _) => put(CONTENT_TYPE, "application/json")?,
        (false, SoapVersion::V11) => {
            put(CONTENT_TYPE, "text/xml; charset=UTF-8")?;
            put(
                HeaderName::from_static("soapaction"),
                &format!("\"{action}\""),
            )?;
        }
        (false, SoapVersion::V12) if action.is_empty() => {
            put(CONTENT_TYPE, "application/soap+xml; charset=UTF-8")?;
        }
        (false, SoapVersion::V12) => put(
            CONTENT_TYPE,
            &format!("application/soap+xml; charset=UTF-8; action=\"{action}\""),
        )?,
    }
    let body = containers.get(names::REQUEST).cloned().unwrap_or_default();
    Ok((
        target,
        OutgoingRequest {
            method: Method::POST,
            target: path,
            headers,
            body: Bytes::from(body).into(),
            close: requester.of_map.keep.is_none(),
        },
    ))
}

pub(super) fn error_text(error: ClientError) -> &'static str {
    match error {
        ClientError::Host => "the host name is unknown",
        ClientError::NotAllowed => "[web] connect does not allow the address",
        ClientError::Trust => "the server's certificate is not trusted",
        ClientError::Certificate => "the client certificate of its URIMAP cannot be used",
        ClientError::Socket => "the connection failed",
        ClientError::Path => "the path is not valid in a request",
        ClientError::Body => "the answer is larger than client_body_bytes, or malformed",
        ClientError::TimedOut => "the server did not answer in time",
    }
}
