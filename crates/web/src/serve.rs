//! The way of a request: URIMAP, attach task, alias task, answer.
//!
//! The attach task takes the place of CWXN: it is admitted and ends before the
//! alias task begins, uses no worker, and has a monitoring record of its own.
//! The alias task runs the program, and continues if its client disconnects.
//!
//! Reference: CICS Internet guide, "How CICS web support handles requests".

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use cics::csd::{UriMapAnswer, UriMapDef, UriMapUsage};
use http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderValue, Method, StatusCode};
use link::ProgramFault;
use link::clock::thread_cpu_ns;
use region::{Port, ProgramName, StartRefusal, Task, TaskOutcome, TaskReply, TaskRequest, UserId};
use tokio::sync::oneshot;
use webtask::{AnalyzerInput, AnalyzerOutput, ConverterInput, WebStage};

use crate::cpu::metered;
use crate::document::{SymbolTable, TemplateError};
use crate::pipelines::provider::{self, PipelineCall};
use crate::request::{WebAnswer, WebBody, WebRequest};
use crate::service::{
    ALIAS, ATTACH, AnalyzerProgram, CicsWebSupport, PIPELINE, RegionContext, WebDefinitions, lock,
};
use crate::task::{AnswerState, ServerSide};
use crate::{files, pages};

/// Seconds after which a client that found the region busy should try again.
const RETRY_AFTER_S: u32 = 1;

/// When the work on a request began.
#[derive(Debug, Clone, Copy)]
struct WorkStart {
    at: Instant,
    /// By the clock of the thread's CPU.
    cpu_ns: u64,
}

impl WorkStart {
    fn now() -> WorkStart {
        WorkStart {
            at: Instant::now(),
            cpu_ns: thread_cpu_ns(),
        }
    }
}

/// A request with its attributes.
struct WebExchange {
    request: Arc<WebRequest>,
    started: RegionContext,
    port: Port,
}

/// The work of the alias task.
#[derive(Debug, Default)]
struct AliasWork {
    /// Empty for none.
    program: String,
    /// Empty for CWBA.
    transaction: String,
    /// Empty for none.
    converter: String,
    /// The user token, of which 8 bytes count.
    token: String,
    /// The analyzer's output, empty without one.
    analysis: Vec<u8>,
}

/// The state of a task, dropped with this: if a client disconnects, the future
/// that waits for its analyzer is dropped.
struct Registered<'w>(&'w CicsWebSupport, u64);

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        self.0.forget(self.1);
    }
}

/// The output of an analyzer.
struct AnalyzerResult {
    user: UserId,
    chosen: AliasWork,
}

impl AliasWork {
    /// As the sample analyzer DFHWBADX reads a path:
    /// `/converter/alias/program/ignored?token`, where CICS is not a converter.
    fn by_path(path: &str, query: Option<&str>) -> Option<AliasWork> {
        let upper = path.to_ascii_uppercase();
        let mut parts = upper.strip_prefix('/')?.split('/');
        let mut part = |most: usize| {
            let part = parts.next()?;
            (!part.is_empty() && part.len() <= most).then(|| part.to_owned())
        };
        let (converter, transaction, program) = (part(8)?, part(4)?, part(8)?);
        let token = query.unwrap_or_default().to_ascii_uppercase();
        Some(AliasWork {
            token,
            program,
            transaction,
            converter: match converter.as_str() {
                "CICS" => String::new(),
                _ => converter,
            },
            analysis: Vec::new(),
        })
    }

    fn is_empty(&self) -> bool {
        self.program.is_empty() && self.converter.is_empty()
    }

    fn stage(&self, request: &WebRequest) -> WebStage {
        if self.converter.is_empty() && self.analysis.is_empty() {
            return WebStage::Program;
        }
        WebStage::Convert(ConverterInput {
            program: self.program.clone(),
            converter: self.converter.clone(),
            client: request.client.ip().to_string(),
            token: self.token.clone(),
            analysis: self.analysis.clone(),
        })
    }
}

impl CicsWebSupport {
    /// Answers a request. Runs on a thread of its connection, where `spawn_local`
    /// works; `port` is the thread's.
    pub async fn serve(&self, request: WebRequest, port: Port) -> WebAnswer {
        let begun = WorkStart::now();
        let started = self.0.started.read();
        let started = started.as_deref().ok().and_then(Clone::clone);
        let Some(started) = started else {
            return WebAnswer::problem(
                StatusCode::SERVICE_UNAVAILABLE,
                "The region has not started",
            );
        };
        let edition = self.edition();
        let path = request.parts.uri.path();
        let found = edition
            .maps
            .find(&request.service, request.secure, request.host(), path);
        let found = found.cloned();
        let missing = format!("No resource at {path}");
        let way = WebExchange {
            request: Arc::new(request),
            started,
            port,
        };
        let Some(map) = found else {
            // A path without a map may be known to the service's analyzer.
            let known = match edition.analyzer(&way.request.service) {
                AnalyzerProgram::Accept => None,
                analyzer => Some(analyzer),
            };
            let Some(analyzer) = known else {
                return WebAnswer::problem(StatusCode::NOT_FOUND, &missing);
            };
            let result = self
                .analyzed(&way, &edition, None, AliasWork::default(), analyzer, begun)
                .await;
            return result.unwrap_or_else(|refused| refused);
        };
        if !map.enabled {
            let detail = format!("URIMAP {} is disabled", map.name);
            return WebAnswer::problem(StatusCode::SERVICE_UNAVAILABLE, &detail);
        }
        let result = match &map.usage {
            UriMapUsage::Server { answer, .. } => match answer {
                UriMapAnswer::Redirect {
                    permanent,
                    location,
                } => Ok(redirect(*permanent, location)),
                UriMapAnswer::File(file) => Ok(self.file(&way, &edition, &map, file).await),
                UriMapAnswer::Template(name) => Ok(self.template(&way, &edition, &map, name)),
                UriMapAnswer::Program {
                    program,
                    transaction,
                    converter,
                    analyzer,
                } => {
                    let chosen = AliasWork {
                        program: program.clone().unwrap_or_default(),
                        transaction: transaction.clone().unwrap_or_default(),
                        converter: converter.clone().unwrap_or_default(),
                        ..AliasWork::default()
                    };
                    let asked = if *analyzer {
                        edition.analyzer(&way.request.service)
                    } else {
                        AnalyzerProgram::Accept
                    };
                    match asked {
                        AnalyzerProgram::Accept | AnalyzerProgram::Path => {
                            self.program(&way, &edition, Some(&map), chosen, begun)
                                .await
                        }
                        own => {
                            self.analyzed(&way, &edition, Some(&map), chosen, own, begun)
                                .await
                        }
                    }
                }
            },
            UriMapUsage::Pipeline { .. } => self.pipeline(way, &edition, &map, begun).await,
            UriMapUsage::Client => Err(refused_map("its USAGE is CLIENT")),
        };
        result.unwrap_or_else(|refused| refused)
    }

    /// The path of a request's URIMAP, where nothing but its program answers and
    /// the region does not have it: a script may be called so.
    pub fn without_program(&self, request: &WebRequest) -> Option<String> {
        let started = self.0.started.read();
        let started = started.as_deref().ok().and_then(Clone::clone)?;
        let edition = self.edition();
        let path = request.parts.uri.path();
        let maps = &edition.maps;
        let map = maps.find(&request.service, request.secure, request.host(), path)?;
        let UriMapUsage::Server {
            answer:
                UriMapAnswer::Program {
                    program: Some(program),
                    converter: None,
                    analyzer: false,
                    ..
                },
            ..
        } = &map.usage
        else {
            return None;
        };
        let known = program.parse().is_ok_and(|name: ProgramName| {
            let cannot = started.region.can_run(name).err();
            !matches!(
                cannot,
                Some(StartRefusal::Program(_, ProgramFault::NotDefined))
            )
        });
        (map.enabled && !known).then(|| map.path.clone())
    }

    async fn file(
        &self,
        way: &WebExchange,
        edition: &WebDefinitions,
        map: &UriMapDef,
        file: &str,
    ) -> WebAnswer {
        let name = files::of_wildcard(file, &map.path, way.request.parts.uri.path());
        let root = edition.files.clone();
        let (media, request) = (map.media_type.clone(), way.request.clone());
        let read = tokio::task::spawn_blocking(move || {
            let path = name.and_then(|name| files::below(&root, &name));
            let parts = &request.parts;
            files::serve(path, &media, &parts.method, &parts.headers)
        });
        read.await.unwrap_or_else(|_| {
            WebAnswer::problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                "The file could not be read",
            )
        })
    }

    fn template(
        &self,
        way: &WebExchange,
        edition: &WebDefinitions,
        map: &UriMapDef,
        name: &str,
    ) -> WebAnswer {
        let method = &way.request.parts.method;
        if !matches!(*method, Method::GET | Method::HEAD) {
            return WebAnswer::problem(
                StatusCode::METHOD_NOT_ALLOWED,
                "Only GET and HEAD are allowed \
                for a template",
            );
        }
        // The query gives the symbols their values, as in CICS.
        let mut symbols = SymbolTable::default();
        let query = way.request.parts.uri.query().unwrap_or_default();
        let _ = symbols.set_list(query.as_bytes(), b'&', false);
        let (text, binary) = match edition.templates.expand(name, &mut symbols) {
            Ok(made) => made,
            Err(why) => {
                let why = match why {
                    TemplateError::Wanted(_) => {
                        "a part of it is in a queue, in a file or made by a program, which only \
                         a program can read"
                    }
                    TemplateError::NotFound => "it does not exist",
                    _ => "its content is not valid",
                };
                let detail = format!("The template {name} cannot be used: {why}");
                return WebAnswer::problem(StatusCode::INTERNAL_SERVER_ERROR, &detail);
            }
        };
        let to = pages::named(&map.character_set);
        let body = match (binary, to) {
            (false, Ok(to)) => {
                let from = pages::host(&map.host_code_page, self.0.page).unwrap_or(self.0.page);
                pages::convert(&text, from, to)
            }
            _ => text,
        };
        let media = match map.media_type.as_str() {
            "" => "text/html",
            media => media,
        };
        let mut answer = WebAnswer::of(StatusCode::OK);
        if let Ok(media) = HeaderValue::from_str(media) {
            answer.headers.insert(CONTENT_TYPE, media);
        }
        answer.body = WebBody::Whole(body);
        answer
    }

    /// Runs what an analyzer chooses.
    async fn analyzed(
        &self,
        way: &WebExchange,
        edition: &WebDefinitions,
        map: Option<&UriMapDef>,
        chosen: AliasWork,
        analyzer: AnalyzerProgram,
        begun: WorkStart,
    ) -> Result<WebAnswer, WebAnswer> {
        let chosen = match analyzer {
            AnalyzerProgram::Accept => chosen,
            AnalyzerProgram::Path => {
                let path = way.request.parts.uri.path();
                let found = AliasWork::by_path(path, way.request.parts.uri.query());
                found.ok_or_else(|| {
                    let detail = "The path must name a converter, a transaction and a program";
                    WebAnswer::problem(StatusCode::BAD_REQUEST, detail)
                })?
            }
            AnalyzerProgram::Program(name) => {
                let asked = self.analyze(way, edition, map, &chosen, &name).await;
                return match asked? {
                    said if said.chosen.is_empty() => {
                        let detail = "The analyzer returned no program";
                        Err(WebAnswer::problem(StatusCode::BAD_REQUEST, detail))
                    }
                    said => self.alias(way, map, said.user, said.chosen).await,
                };
            }
        };
        self.program(way, edition, map, chosen, begun).await
    }

    /// Runs an analyzer in the attach task.
    async fn analyze(
        &self,
        way: &WebExchange,
        edition: &WebDefinitions,
        map: Option<&UriMapDef>,
        chosen: &AliasWork,
        analyzer: &str,
    ) -> Result<AnalyzerResult, WebAnswer> {
        let user = self.user(way, map)?;
        let service = edition.services.get(&way.request.service);
        let attach = service.and_then(|s| s.transaction.as_deref());
        let stage = WebStage::Analyze(AnalyzerInput {
            program: chosen.program.clone(),
            converter: chosen.converter.clone(),
            transaction: chosen.transaction.clone(),
            user: map.and_then(|map| map.user_id.clone()).unwrap_or_default(),
            client: way.request.client.ip().to_string(),
            server: way.request.server.ip().to_string(),
        });
        let names = (attach.unwrap_or(ATTACH), analyzer);
        let task = self.begin_task(way, map, names, user, stage).await?;
        // With its own number: a command that asks the region finds its request.
        let number = task.number();
        let (answer, _unheard) = oneshot::channel();
        self.register(number, ServerSide::new(way.request.clone(), answer));
        let registered = Registered(self, number);
        let reply = task.run().await;
        drop(registered);
        if let TaskOutcome::Abend(abend) = reply.outcome() {
            let detail = format!("The analyzer abended with code {}", abend.code());
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return Err(WebAnswer::problem(status, &detail));
        }
        // Copied before it is looked at: a worker may write there meanwhile.
        let bytes = reply.web_answer().to_vec();
        let Some(said) = AnalyzerOutput::parse(&bytes) else {
            let detail = "The analyzer returned invalid values";
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return Err(WebAnswer::problem(status, detail));
        };
        if said.response != 0 {
            let detail = format!(
                "The analyzer rejected the request: response {}, reason {}",
                said.response, said.reason
            );
            return Err(WebAnswer::problem(StatusCode::BAD_REQUEST, &detail));
        }
        let user = match said.user.as_str() {
            "" => way.started.user,
            name => named(name)?,
        };
        // An authenticated caller remains the user.
        let user = match way.request.user_id {
            Some(_) => self.user(way, map)?,
            None => user,
        };
        Ok(AnalyzerResult {
            user,
            chosen: AliasWork {
                program: said.program,
                transaction: said.transaction,
                converter: said.converter,
                token: String::new(),
                analysis: bytes,
            },
        })
    }

    /// Runs the attach task, and a program under its alias transaction.
    async fn program(
        &self,
        way: &WebExchange,
        edition: &WebDefinitions,
        map: Option<&UriMapDef>,
        chosen: AliasWork,
        begun: WorkStart,
    ) -> Result<WebAnswer, WebAnswer> {
        let service = edition.services.get(&way.request.service);
        let attach = service.and_then(|s| s.transaction.as_deref());
        let user = self.user(way, map)?;
        if self.0.config.attach_task {
            self.attach(way, attach.unwrap_or(ATTACH), user, begun)
                .await?;
        }
        if chosen.is_empty() {
            return Err(refused_map("it names no program"));
        }
        self.alias(way, map, user, chosen).await
    }

    /// Begins a task that has the request.
    async fn begin_task(
        &self,
        way: &WebExchange,
        map: Option<&UriMapDef>,
        (transaction, program): (&str, &str),
        user: UserId,
        stage: WebStage,
    ) -> Result<Task, WebAnswer> {
        let request = TaskRequest {
            transid: named(transaction)?,
            program: named::<ProgramName>(program)?,
            userid: user,
            trace_id: way.request.trace_id,
            timeout_ms: self.0.config.response_timeout_ms,
            ..TaskRequest::default()
        };
        let begun = way.started.region.begin(&way.port, request).await;
        let mut task = begun.map_err(refused)?;
        let about = self.about(&way.request, map, stage).emit();
        match task.set_web_request([&about, &way.request.body]) {
            Ok(()) => Ok(task),
            Err(_) => {
                let detail = "The request is larger than a task's memory";
                Err(WebAnswer::problem(StatusCode::PAYLOAD_TOO_LARGE, detail))
            }
        }
    }

    /// Runs a program, or a converter and its program, under its alias
    /// transaction.
    async fn alias(
        &self,
        way: &WebExchange,
        map: Option<&UriMapDef>,
        user: UserId,
        chosen: AliasWork,
    ) -> Result<WebAnswer, WebAnswer> {
        let transaction = match chosen.transaction.as_str() {
            "" => ALIAS,
            own => own,
        };
        let program = match chosen.converter.as_str() {
            "" => &chosen.program,
            converter => converter,
        };
        let stage = chosen.stage(&way.request);
        let names = (transaction, program);
        let task = self.begin_task(way, map, names, user, stage).await?;
        let number = task.number();
        let (answer, answered) = oneshot::channel();
        let server = ServerSide::new(way.request.clone(), answer);
        let cell = self.register(number, server);
        let web = self.clone();
        // Not part of this future: a disconnecting client does not end it.
        tokio::task::spawn_local(async move {
            let reply = task.run().await;
            let ended = reply.outcome().clone();
            let own = match &ended {
                TaskOutcome::Ok => own_answer(&reply),
                TaskOutcome::Abend(abend) => {
                    let record = reply.record();
                    let (task, transid) = (record.task, record.transid);
                    let (program, line) = (abend.program, abend.line);
                    let (code, why) = (abend.code(), &abend.message);
                    tracing::warn!(task, %transid, %program, line, "abend {code}: {why}");
                    None
                }
            };
            drop(reply);
            web.forget(number);
            let mut state = lock(&cell);
            let Some(server) = &mut state.server else {
                return;
            };
            let Some(way) = server.way.take() else {
                // The answer has been sent; chunks without their end are cut
                // off when the queue of this state is dropped.
                return;
            };
            let made = match (std::mem::take(&mut server.answer), own) {
                (AnswerState::None, Some(own)) => AnswerState::Eventual(own),
                (made, _) => made,
            };
            let _ = way.send(finished(ended, made));
        });
        Ok(answered.await.unwrap_or_else(|_| {
            WebAnswer::problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                "The task ended without an answer",
            )
        }))
    }

    /// The request as a program's commands see it.
    fn about<'r>(
        &self,
        request: &'r WebRequest,
        map: Option<&'r UriMapDef>,
        stage: WebStage,
    ) -> webtask::request::RequestOrigin<'r> {
        let parts = &request.parts;
        webtask::request::RequestOrigin {
            secure: request.secure,
            version: parts.version,
            port: request.server.port(),
            page: self.0.page,
            method: parts.method.as_str(),
            path: parts.uri.path(),
            query: parts.uri.query().unwrap_or_default(),
            host: request.host(),
            map: map.map_or("", |map| &map.name),
            media: request.media(),
            headers: &parts.headers,
            stage,
        }
    }

    /// The attach task: admitted, accounted for, over.
    async fn attach(
        &self,
        way: &WebExchange,
        transaction: &str,
        user: UserId,
        begun: WorkStart,
    ) -> Result<(), WebAnswer> {
        let request = TaskRequest {
            transid: named(transaction)?,
            userid: user,
            trace_id: way.request.trace_id,
            ..TaskRequest::default()
        };
        let region = &way.started.region;
        let used = Cell::new(thread_cpu_ns().saturating_sub(begun.cpu_ns));
        let before_ns = begun.at.elapsed().as_nanos() as u64;
        // Others have the thread while the task waits for its admission.
        let task = metered(&used, region.begin_open(&way.port, request)).await;
        let mut task = task.map_err(refused)?;
        task.began_before(before_ns);
        let (_, _record) = task.end(None, used.get()).await;
        Ok(())
    }

    async fn pipeline(
        &self,
        way: WebExchange,
        edition: &WebDefinitions,
        map: &UriMapDef,
        begun: WorkStart,
    ) -> Result<WebAnswer, WebAnswer> {
        let UriMapUsage::Pipeline {
            pipeline,
            web_service,
            transaction,
            ..
        } = &map.usage
        else {
            return Err(refused_map("its USAGE is not PIPELINE"));
        };
        let user = self.user(&way, Some(map))?;
        if self.0.config.attach_task {
            let service = edition.services.get(&way.request.service);
            let attach = service.and_then(|s| s.transaction.as_deref());
            self.attach(&way, attach.unwrap_or(ATTACH), user, begun)
                .await?;
        }
        let call = PipelineCall {
            pipeline: pipeline.clone(),
            web_service: web_service.clone(),
            map: (map.name.clone(), map.path.clone()),
            transaction: named(transaction.as_deref().unwrap_or(PIPELINE))?,
            userid: user,
            request: way.request,
            port: way.port,
        };
        let (answer, answered) = oneshot::channel();
        let (web, region) = (self.clone(), way.started.region);
        // Not part of this future: a disconnecting client does not end it.
        tokio::task::spawn_local(async move {
            let _ = answer.send(provider::serve(&web, region, call).await);
        });
        Ok(answered.await.unwrap_or_else(|_| {
            WebAnswer::problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                "The pipeline ended without an answer",
            )
        }))
    }

    /// The user of a request.
    fn user(&self, way: &WebExchange, map: Option<&UriMapDef>) -> Result<UserId, Box<WebAnswer>> {
        let said = way.request.user_id.as_deref();
        match said.or(map.and_then(|map| map.user_id.as_deref())) {
            Some(user) => named(user),
            None => Ok(way.started.user),
        }
    }
}

/// The answer that the task's worker has kept for its end. Returns `None` when it kept
/// no answer.
fn own_answer(reply: &TaskReply) -> Option<WebAnswer> {
    let bytes = reply.web_answer();
    if bytes.is_empty() {
        return None;
    }
    // Copied before it is looked at: a worker may write there meanwhile.
    let copy = bytes.to_vec();
    let answer = webtask::CompleteAnswer::parse(&copy);
    Some(answer.map_or_else(
        || {
            tracing::error!(task = reply.record().task, "a worker's answer is malformed");
            let detail = "The task's answer is malformed";
            WebAnswer::problem(StatusCode::INTERNAL_SERVER_ERROR, detail)
        },
        WebAnswer::from,
    ))
}

/// A name of a definition as the region has names.
fn named<T: std::str::FromStr>(text: &str) -> Result<T, Box<WebAnswer>> {
    text.parse()
        .map_err(|_| Box::new(refused_map(&format!("{text} is not a valid name"))))
}

/// The transaction, program or user of a URIMAP is wrong.
fn refused_map(why: &str) -> WebAnswer {
    let detail = format!("The URIMAP of this path cannot be served: {why}");
    WebAnswer::problem(StatusCode::INTERNAL_SERVER_ERROR, &detail)
}

pub fn refused(refusal: StartRefusal) -> WebAnswer {
    let status = if refusal.is_temporary() {
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        StatusCode::INTERNAL_SERVER_ERROR
    };
    let mut answer = WebAnswer::problem(status, &refusal.to_string());
    if refusal.is_temporary() {
        let seconds = HeaderValue::from(RETRY_AFTER_S);
        answer.headers.insert(RETRY_AFTER, seconds);
    }
    answer
}

fn redirect(permanent: bool, location: &str) -> WebAnswer {
    let mut answer = WebAnswer::of(if permanent {
        StatusCode::MOVED_PERMANENTLY
    } else {
        StatusCode::FOUND
    });
    if let Ok(location) = HeaderValue::from_str(location) {
        answer.headers.insert(LOCATION, location);
    }
    answer
}

/// The client's answer at the end of the task.
fn finished(ended: TaskOutcome, made: AnswerState) -> WebAnswer {
    match (ended, made) {
        (TaskOutcome::Ok, AnswerState::Eventual(answer)) => answer,
        (TaskOutcome::Ok, _) => WebAnswer::problem(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The program ended without WEB SEND",
        ),
        (TaskOutcome::Abend(abend), _) => {
            let status = match &abend.code {
                b"AEXY" => StatusCode::GATEWAY_TIMEOUT,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            };
            let detail = format!("The task abended with code {}", abend.code());
            WebAnswer::problem(status, &detail)
        }
    }
}
