//! One run of a pipeline.

use std::sync::Arc;

use super::addressing::RunAddressing;
use super::config::{Config, MessageHandler, PipelineRole};
use super::headers::Headers;
use super::{ChannelContainers, HandlerFunction, names};
use crate::addressing::AddressingVersion;
use crate::envelope::{Fault, FaultCode, SoapVersion};
use crate::xml::Limits;

/// The next step for the pipeline's driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PipelineAction {
    /// Link to a program with the channel of [`Pipeline::containers`], then
    /// [`Pipeline::handle_return`].
    Link {
        /// The program.
        program: String,
        /// The function of the call.
        function: HandlerFunction,
    },
    /// Run the application with the body in DFHWS-BODY, or with JSON in
    /// DFHREQUEST; leave the answer there, or in DFHRESPONSE.
    Application {
        /// The program; `DFHPITP` means conversion by the binding.
        program: String,
    },
    /// Send DFHREQUEST and put the answer into DFHRESPONSE.
    Send,
    /// The pipeline has ended.
    Done(PipelineOutcome),
}

/// The outcome of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PipelineOutcome {
    /// With a message: to be sent by a provider, in DFHWS-BODY of a requester.
    Response(Vec<u8>),
    /// Without one.
    NoResponse,
    /// A requester got a fault.
    Fault(Fault),
    /// No answer is possible.
    Failed(PipelineError),
}

/// Why a pipeline failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PipelineError {
    /// A program ended in an abend, or could not be linked to.
    #[error("the program {program} failed: {reason}")]
    Program {
        /// The program.
        program: String,
        /// How.
        reason: String,
    },
    /// A program left containers that mean nothing.
    #[error("the program {program} returned both DFHREQUEST and DFHRESPONSE")]
    Containers {
        /// The program.
        program: String,
    },
    /// No program is named for the SOAP handler.
    #[error(
        "no program is named: give the pipeline an apphandler, or put one into DFHWS-APPHANDLER"
    )]
    NoApplication,
    /// The server was not reached, or its answer is not a message.
    #[error("the server: {0}")]
    Answer(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// A handler with a request, by number; the number after the last is the
    /// terminal handler.
    Request(usize),
    /// Handler by number, with a response; [`Stage::Over`] is before the first.
    Response(usize),
    /// The response stage without a response.
    Silence(usize),
    /// The stage after a failure.
    Error(usize),
    /// Within a SOAP handler: the programs for header blocks.
    Headers(usize, HandlerFunction),
    /// The application runs.
    Application,
    /// The request was sent.
    Sent,
    Over,
}

/// A run of a pipeline.
#[derive(Debug)]
pub struct Pipeline {
    config: Arc<Config>,
    /// The channel that programs get.
    pub containers: ChannelContainers,
    /// The version in the content type of a provider's request. A fault has
    /// this version if the message itself does not show one.
    pub request_version: Option<SoapVersion>,
    /// The addressing of its messages.
    pub addressing: RunAddressing,
    pub(super) limits: Limits,
    /// Version of the message under way.
    pub(super) version: SoapVersion,
    pub(super) headers: Headers,
    stage: Stage,
    failure: Option<PipelineError>,
    /// The fault that a provider answers with.
    answered: Option<FaultCode>,
    /// A requester's fault.
    pub(super) fault: Option<Fault>,
    /// The received message is empty; DFHREQUEST exists anyway.
    empty: bool,
    /// The action that [`Pipeline::poll`] returned and that is not yet
    /// answered.
    waiting: Option<PipelineAction>,
}

impl Pipeline {
    /// A provider's run for a received message, or a requester's run with the
    /// contents of a body.
    pub fn new(
        config: &Arc<Config>,
        message: &[u8],
        containers: ChannelContainers,
        limits: Limits,
    ) -> Self {
        let mut pipeline = Pipeline {
            config: config.clone(),
            containers,
            request_version: None,
            addressing: RunAddressing::default(),
            limits,
            version: SoapVersion::V11,
            headers: Headers::default(),
            stage: Stage::Request(0),
            failure: None,
            answered: None,
            fault: None,
            empty: config.role == PipelineRole::Provider && message.is_empty(),
            waiting: None,
        };
        let name = match config.role {
            PipelineRole::Provider => names::REQUEST,
            PipelineRole::Requester => names::BODY,
        };
        pipeline.put(name, message.to_vec());
        if !config.parameters.is_empty() {
            pipeline.put(
                names::SERVICE_PARAMETERS,
                config.parameters.clone().into_bytes(),
            );
        }
        if let (Some(program), None) = (
            &config.application,
            pipeline.containers.get(names::APPLICATION),
        ) {
            pipeline.put(names::APPLICATION, program.clone().into_bytes());
        }
        pipeline
    }

    pub(super) fn put(&mut self, name: &str, data: Vec<u8>) {
        self.containers.insert(name.to_owned(), data);
    }

    pub(super) fn text(&self, name: &str) -> String {
        let data = self.containers.get(name).map_or(&[][..], Vec::as_slice);
        String::from_utf8_lossy(data)
            .trim_end_matches([' ', '\0'])
            .to_owned()
    }

    fn has(&self, name: &str) -> bool {
        self.containers
            .get(name)
            .is_some_and(|data| !data.is_empty())
    }

    /// The version of SOAP of the message under way.
    pub fn version(&self) -> SoapVersion {
        self.version
    }

    /// The code of the fault that a provider answers with. Returns `None` if
    /// the answer is not a fault.
    pub fn answered_fault(&self) -> Option<&FaultCode> {
        self.answered.as_ref()
    }

    /// The edition of addressing that a provider's handler writes unasked.
    pub(super) fn terminal_edition(&self) -> Option<AddressingVersion> {
        match &self.config.terminal {
            Some(MessageHandler::Soap { addressing, .. }) => {
                addressing.as_ref()?.editions.first().copied()
            }
            _ => None,
        }
    }

    /// Whether a program for a header block is called.
    pub fn in_headers(&self) -> bool {
        matches!(self.stage, Stage::Headers(..))
    }

    /// Whether messages are JSON.
    pub fn is_json(&self) -> bool {
        self.config.is_json()
    }

    /// Returns the next step.
    pub fn poll(&mut self) -> PipelineAction {
        if let Some(action) = &self.waiting {
            return action.clone();
        }
        loop {
            if let Some(action) = self.step() {
                if !matches!(action, PipelineAction::Done(_)) {
                    self.waiting = Some(action.clone());
                }
                return action;
            }
        }
    }

    /// Runs a step. Returns `None` if the step needs no program.
    fn step(&mut self) -> Option<PipelineAction> {
        let terminal = self.config.handlers.len();
        match self.stage {
            Stage::Request(at) if at < terminal => self.request(at),
            Stage::Request(_) => self.last(),
            Stage::Response(at) => self.response(at),
            Stage::Silence(at) => self.called(at, HandlerFunction::NoResponse),
            Stage::Error(at) => self.called(at, HandlerFunction::HandlerError),
            Stage::Headers(at, function) => self.header_programs(at, function),
            // These stages end with the answer to their action.
            Stage::Application | Stage::Sent => None,
            Stage::Over => Some(PipelineAction::Done(self.outcome())),
        }
    }

    fn outcome(&mut self) -> PipelineOutcome {
        if let Some(fault) = self.fault.take() {
            return PipelineOutcome::Fault(fault);
        }
        let name = match self.config.role {
            PipelineRole::Provider => names::RESPONSE,
            PipelineRole::Requester => names::BODY,
        };
        let failure = self.failure.take();
        match (self.containers.get(name), failure) {
            (Some(message), _) if !message.is_empty() => PipelineOutcome::Response(message.clone()),
            (_, Some(failure)) => match self.config.role {
                PipelineRole::Provider => {
                    let fault = Fault::new(FaultCode::Receiver, failure.to_string());
                    PipelineOutcome::Response(self.fault_message(&fault))
                }
                PipelineRole::Requester => PipelineOutcome::Failed(failure),
            },
            _ => PipelineOutcome::NoResponse,
        }
    }

    /// The stage before a handler's, on the way back.
    fn back(at: usize, stage: impl FnOnce(usize) -> Stage) -> Stage {
        match at.checked_sub(1) {
            Some(before) => stage(before),
            None => Stage::Over,
        }
    }

    fn request(&mut self, at: usize) -> Option<PipelineAction> {
        let config = self.config.clone();
        let function = match config.role {
            PipelineRole::Provider => HandlerFunction::ReceiveRequest,
            PipelineRole::Requester => HandlerFunction::SendRequest,
        };
        match &config.handlers[at] {
            MessageHandler::Program { .. } => {
                self.put(names::RESPONSE, Vec::new());
                self.called(at, function)
            }
            MessageHandler::Soap {
                version, headers, ..
            } => {
                self.version = *version;
                self.headers = Headers::to_send(headers);
                self.stage = Stage::Headers(at, function);
                None
            }
            MessageHandler::Json => {
                let body = self.containers.remove(names::BODY).unwrap_or_default();
                self.put(names::REQUEST, body);
                self.stage = Stage::Request(at + 1);
                None
            }
        }
    }

    /// The stage after the last handler: a provider's terminal handler, or the
    /// network.
    fn last(&mut self) -> Option<PipelineAction> {
        let config = self.config.clone();
        let at = config.handlers.len();
        match &config.terminal {
            None => {
                if !self.has(names::REQUEST) {
                    // Without a SOAP handler the body is the message.
                    let body = self.containers.remove(names::BODY).unwrap_or_default();
                    self.put(names::REQUEST, body);
                }
                self.stage = Stage::Sent;
                Some(PipelineAction::Send)
            }
            Some(MessageHandler::Program { .. }) => {
                self.put(names::RESPONSE, Vec::new());
                self.called(at, HandlerFunction::ProcessRequest)
            }
            Some(MessageHandler::Soap {
                version,
                headers,
                addressing,
            }) => {
                match self.open_request(*version, headers, addressing.as_ref()) {
                    Ok(()) => self.stage = Stage::Headers(at, HandlerFunction::ProcessRequest),
                    Err(fault) => self.answer_fault(&fault, at),
                }
                None
            }
            Some(MessageHandler::Json) => {
                self.put(names::LEVEL, 10_i32.to_be_bytes().to_vec());
                self.application(at)
            }
        }
    }

    fn application(&mut self, at: usize) -> Option<PipelineAction> {
        let program = self.text(names::APPLICATION);
        if program.is_empty() {
            self.fail(at, PipelineError::NoApplication);
            return None;
        }
        self.stage = Stage::Application;
        Some(PipelineAction::Application { program })
    }

    fn response(&mut self, at: usize) -> Option<PipelineAction> {
        let config = self.config.clone();
        match &config.handlers[at] {
            MessageHandler::Program { .. } => {
                self.containers.remove(names::REQUEST);
                let function = match self.config.role {
                    PipelineRole::Provider => HandlerFunction::SendResponse,
                    PipelineRole::Requester => HandlerFunction::ReceiveResponse,
                };
                self.called(at, function)
            }
            MessageHandler::Soap { addressing, .. } => {
                match self.open_response(addressing.is_some()) {
                    Ok(()) => self.stage = Self::back(at, Stage::Response),
                    Err(failure) => self.fail(at, failure),
                }
                None
            }
            MessageHandler::Json => {
                let body = self.containers.remove(names::RESPONSE).unwrap_or_default();
                self.put(names::BODY, body);
                self.stage = Self::back(at, Stage::Response);
                None
            }
        }
    }

    /// Calls a handler that is a program; others are passed by.
    fn called(&mut self, at: usize, function: HandlerFunction) -> Option<PipelineAction> {
        let terminal = self.config.terminal.as_ref();
        let handler = self.config.handlers.get(at).or(terminal);
        let Some(MessageHandler::Program {
            program,
            parameters,
        }) = handler
        else {
            self.stage = match self.stage {
                Stage::Silence(_) => Self::back(at, Stage::Silence),
                _ => Self::back(at, Stage::Error),
            };
            return None;
        };
        let (program, parameters) = (program.clone(), parameters.clone());
        self.put(names::HANDLER_PARAMETERS, parameters.into_bytes());
        match function {
            HandlerFunction::NoResponse => {
                self.containers.remove(names::REQUEST);
                self.containers.remove(names::RESPONSE);
            }
            HandlerFunction::HandlerError => {
                self.containers.remove(names::REQUEST);
                self.put(names::RESPONSE, Vec::new());
            }
            _ => {}
        }
        Some(self.link(program, function))
    }

    fn link(&mut self, program: String, function: HandlerFunction) -> PipelineAction {
        self.put(
            names::FUNCTION,
            format!("{:<16}", function.name()).into_bytes(),
        );
        PipelineAction::Link { program, function }
    }

    fn header_programs(&mut self, at: usize, function: HandlerFunction) -> Option<PipelineAction> {
        if let Some((program, header)) = self.headers.next() {
            self.put(names::HEADER, header.into_bytes());
            return Some(self.link(program, function));
        }
        self.containers.remove(names::HEADER);
        match function {
            HandlerFunction::ProcessRequest => self.application(at),
            HandlerFunction::SendResponse => {
                self.close_response();
                self.stage = Self::back(at, Stage::Response);
                None
            }
            _ => {
                let config = self.config.clone();
                let addressing = match config.handlers.get(at) {
                    Some(MessageHandler::Soap { addressing, .. }) => addressing.as_ref(),
                    _ => None,
                };
                self.close_request(addressing);
                self.stage = Stage::Request(at + 1);
                None
            }
        }
    }

    /// A program that [`PipelineAction::Link`] named is back; its containers are in
    /// [`Pipeline::containers`].
    pub fn handle_return(&mut self) {
        let Some(PipelineAction::Link { program, .. }) = &self.waiting else {
            return;
        };
        let program = program.clone();
        self.waiting = None;
        let response = self.has(names::RESPONSE);
        // An empty container means that a handler has removed the message. A
        // message that was received empty counts as removed only if its
        // container is deleted.
        let request = self.has(names::REQUEST)
            || (self.empty && !response && self.containers.contains_key(names::REQUEST));
        match self.stage {
            Stage::Headers(..) => {
                let header = self.containers.remove(names::HEADER).unwrap_or_default();
                self.headers
                    .done(String::from_utf8_lossy(&header).into_owned());
            }
            Stage::Request(at) if at == self.config.handlers.len() => {
                self.stage = if response {
                    Self::back(at, Stage::Response)
                } else {
                    Self::back(at, Stage::Silence)
                };
            }
            Stage::Request(at) => match (request, response) {
                (true, true) => self.fail(at + 1, PipelineError::Containers { program }),
                (true, false) => self.stage = Stage::Request(at + 1),
                // The same handler receives the response that it has made.
                (false, true) => self.stage = Stage::Response(at),
                (false, false) => self.stage = Stage::Silence(at),
            },
            Stage::Response(at) | Stage::Silence(at) => {
                self.stage = if response {
                    Self::back(at, Stage::Response)
                } else {
                    Self::back(at, Stage::Silence)
                };
            }
            Stage::Error(at) => {
                self.stage = if response {
                    Self::back(at, Stage::Response)
                } else {
                    Self::back(at, Stage::Error)
                };
            }
            Stage::Application | Stage::Sent | Stage::Over => {}
        }
        if self.stage == Stage::Over && !response {
            self.containers.remove(names::RESPONSE);
        }
    }

    /// A program or the [`PipelineAction::Send`] has failed.
    pub fn handle_failure(&mut self, reason: &str) {
        let Some(action) = self.waiting.take() else {
            return;
        };
        let reason = reason.to_owned();
        let failure = match action {
            PipelineAction::Link { program, .. } | PipelineAction::Application { program } => {
                PipelineError::Program { program, reason }
            }
            PipelineAction::Send | PipelineAction::Done(_) => PipelineError::Answer(reason),
        };
        let at = match self.stage {
            Stage::Request(at) | Stage::Response(at) | Stage::Silence(at) => at,
            Stage::Error(at) | Stage::Headers(at, _) => at,
            Stage::Application | Stage::Sent => self.config.handlers.len(),
            Stage::Over => 0,
        };
        self.fail(at, failure);
    }

    /// A program for a header block of the request is back with a fault for
    /// the sender.
    pub fn handle_fault(&mut self, fault: &Fault) {
        if self.in_headers() && self.waiting.take().is_some() {
            self.containers.remove(names::HEADER);
            self.containers.remove(names::REQUEST);
            self.answer_fault(fault, self.config.handlers.len());
        }
    }

    /// Handles the end of the application, whose answer is in DFHWS-BODY, or in
    /// DFHRESPONSE for a JSON pipeline; `answer` says whether it has one.
    pub fn handle_answer(&mut self, fault: Option<&Fault>, answer: bool) {
        if !matches!(self.waiting, Some(PipelineAction::Application { .. })) {
            return;
        }
        self.waiting = None;
        let at = self.config.handlers.len();
        self.containers.remove(names::REQUEST);
        match (&self.config.terminal, fault, answer) {
            (_, Some(fault), _) => self.answer_fault(fault, at),
            (Some(MessageHandler::Soap { .. }), None, true) => {
                self.headers.answer();
                self.stage = Stage::Headers(at, HandlerFunction::SendResponse);
            }
            (_, None, true) => self.stage = Self::back(at, Stage::Response),
            (_, None, false) => self.stage = Self::back(at, Stage::Silence),
        }
    }

    /// Handles the network's answer to [`PipelineAction::Send`]. `None` if no
    /// answer was expected.
    pub fn handle_received(&mut self, answer: Option<Vec<u8>>) {
        if self.waiting != Some(PipelineAction::Send) {
            return;
        }
        self.waiting = None;
        let at = self.config.handlers.len();
        self.containers.remove(names::REQUEST);
        match answer {
            Some(answer) if at == 0 => {
                self.put(names::BODY, answer);
                self.stage = Stage::Over;
            }
            Some(answer) => {
                self.put(names::RESPONSE, answer);
                self.stage = Self::back(at, Stage::Response);
            }
            None => self.stage = Self::back(at, Stage::Silence),
        }
    }

    /// A fault as its sender understands it: of JSON a problem document.
    fn fault_message(&mut self, fault: &Fault) -> Vec<u8> {
        self.answered = Some(fault.code.clone());
        if !self.is_json() {
            return self.fault_envelope(fault);
        }
        let (status, title) = match fault.code {
            FaultCode::Sender => (400, "Bad Request"),
            _ => (500, "Internal Server Error"),
        };
        let detail = serde_json::Value::from(fault.reason());
        format!(
            "{{\"type\":\"about:blank\",\"title\":\"{title}\",\"status\":{status},\"detail\":{detail}}}"
        )
        .into_bytes()
    }

    fn answer_fault(&mut self, fault: &Fault, at: usize) {
        let message = self.fault_message(fault);
        self.put(names::RESPONSE, message);
        self.stage = Self::back(at, Stage::Response);
    }

    /// Notifies every handler before `at` of a failure; each may answer.
    fn fail(&mut self, at: usize, failure: PipelineError) {
        self.put(names::ERROR, failure.to_string().into_bytes());
        self.containers.remove(names::RESPONSE);
        if self.config.role == PipelineRole::Requester {
            self.containers.remove(names::BODY);
        }
        self.failure = Some(failure);
        self.stage = Self::back(at, Stage::Error);
    }
}
