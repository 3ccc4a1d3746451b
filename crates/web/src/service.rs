//! Web support of a region: the definitions in force, the state of its tasks, and the
//! commands that the region passes on.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use cics::command::commands as rows;
use cics::csd::{TcpIpServiceDef, UriMapDef};
use cics::resp::Condition;
use copybook::codepage::CodePage;
use link::{CallAnswer, CommandOperands, OperandValue, TEMPLATE_TEXT};
use region::{CommandService, Handle, ServiceCommand, UserId};

use crate::client::{ClientConnector, ClientThread};
use crate::commands::document::DocumentContext;
use crate::commands::send::SendOutcome;
use crate::commands::{
    CommandFailure, WebCommandResult, addressing, answer, document, extract, fail, headers,
    inquire, parse, resources, send,
};
use crate::config::WebConfig;
use crate::document::TemplateTable;
use crate::maps::UriMaps;
use crate::outgoing::token_option;
use crate::pipelines::PipelineTable;
use crate::pipelines::faults::{self, ServiceSide};
use crate::pipelines::provider::is_own;
use crate::task::{ServerSide, TaskState};

/// Attach tasks' transaction if the TCPIPSERVICE has none.
pub const ATTACH: &str = "CWXN";
/// Alias tasks' transaction if the URIMAP has none.
pub const ALIAS: &str = "CWBA";
/// Pipeline tasks' transaction if the URIMAP has none.
pub const PIPELINE: &str = "CPIH";

/// The definitions of one state of the application.
#[derive(Debug, Clone)]
pub struct WebDefinitions {
    /// URIMAPs.
    pub maps: UriMaps,
    /// TCPIPSERVICEs, by name.
    pub services: HashMap<String, TcpIpServiceDef>,
    /// Document templates.
    pub templates: TemplateTable,
    /// Folder of static files.
    pub files: PathBuf,
    /// Pipelines and web services.
    pub pipelines: Arc<PipelineTable>,
    /// Analyzers of TCPIPSERVICEs that are programs of the application.
    pub analyzers: HashSet<String>,
}

/// The analyzer of a TCPIPSERVICE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnalyzerProgram {
    /// None, or DFHWBAAX: the URIMAP decides.
    Accept,
    /// DFHWBADX: the path names converter, transaction and program.
    Path,
    /// A program.
    Program(String),
}

impl WebDefinitions {
    /// Puts definitions together.
    pub fn new(
        maps: &[UriMapDef],
        services: &[TcpIpServiceDef],
        templates: TemplateTable,
        files: PathBuf,
        pipelines: PipelineTable,
    ) -> WebDefinitions {
        let services = services.iter().map(|s| (s.name.clone(), s.clone()));
        WebDefinitions {
            maps: UriMaps::new(maps.iter().chain(pipelines.maps())),
            services: services.collect(),
            templates,
            files,
            pipelines: Arc::new(pipelines),
            analyzers: HashSet::new(),
        }
    }

    /// A copy with the application's own analyzer programs: those that CICS
    /// supplies are built in unless the application has its own.
    #[must_use]
    pub fn with_analyzers(mut self, analyzers: HashSet<String>) -> WebDefinitions {
        self.analyzers = analyzers;
        self
    }

    /// The analyzer of a service.
    pub fn analyzer(&self, service: &str) -> AnalyzerProgram {
        let def = self.services.get(service);
        match def.and_then(|def| def.analyzer.as_deref()) {
            None => AnalyzerProgram::Accept,
            Some(name) if self.analyzers.contains(name) => {
                AnalyzerProgram::Program(name.to_owned())
            }
            Some("DFHWBAAX") => AnalyzerProgram::Accept,
            Some("DFHWBADX" | "DFHWBAOX" | "DFHWBAHX" | "DFHWBALX") => AnalyzerProgram::Path,
            Some(name) => AnalyzerProgram::Program(name.to_owned()),
        }
    }
}

/// A task's state, shared by its commands and its request.
pub(crate) type TaskCell = Arc<Mutex<TaskState>>;

/// Web support; cheap to clone.
#[derive(Debug, Clone)]
pub struct CicsWebSupport(pub(crate) Arc<CicsWebState>);

#[derive(Debug)]
pub(crate) struct CicsWebState {
    pub config: WebConfig,
    /// The region's code page.
    pub page: CodePage,
    edition: RwLock<Arc<WebDefinitions>>,
    tasks: Mutex<HashMap<u64, TaskCell>>,
    pub runtime: ClientThread,
    pub connector: Arc<ClientConnector>,
    /// The connector for answers to other addresses.
    pub replies: Arc<ClientConnector>,
    pub started: RwLock<Option<RegionContext>>,
}

/// The context that exists once the region runs.
#[derive(Clone)]
pub(crate) struct RegionContext {
    pub region: Handle,
    pub user: UserId,
}

impl std::fmt::Debug for RegionContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Started").field("user", &self.user).finish()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CicsWebSupport {
    /// Web support with these settings and definitions. `page` is the code
    /// page of programs.
    pub fn new(config: WebConfig, page: CodePage, edition: WebDefinitions) -> CicsWebSupport {
        // Bytes above ASCII are those of the wider page.
        let page = if page.ccsid() == CodePage::ascii().ccsid() {
            CodePage::latin1()
        } else {
            page
        };
        let connector = ClientConnector::new(&config);
        let replies = ClientConnector::new(&WebConfig {
            connect: config.reply_to.clone(),
            ..config.clone()
        });
        CicsWebSupport(Arc::new(CicsWebState {
            config,
            page,
            edition: RwLock::new(Arc::new(edition)),
            tasks: Mutex::default(),
            runtime: ClientThread::default(),
            connector: Arc::new(connector),
            replies: Arc::new(replies),
            started: RwLock::default(),
        }))
    }

    /// The region runs: requests may be served. `user` is the user of requests
    /// that name none.
    pub fn start(&self, region: Handle, user: UserId) {
        let mut started = self.0.started.write();
        *started
            .as_deref_mut()
            .unwrap_or_else(|_| panic!("no thread panics while it has this lock")) =
            Some(RegionContext { region, user });
    }

    /// Takes over other definitions. Changes by SET of definitions that stay the same
    /// are kept.
    pub fn reload(&self, mut edition: WebDefinitions) {
        self.change(|before| {
            edition.maps = std::mem::take(&mut edition.maps).with_changes_of(&before.maps);
            let pipelines = PipelineTable::clone(&edition.pipelines);
            edition.pipelines = Arc::new(pipelines.with_changes_of(&before.pipelines));
            Ok(edition)
        })
        .unwrap_or_default();
    }

    /// Changes the definitions in force.
    fn change(
        &self,
        make: impl FnOnce(&WebDefinitions) -> Result<WebDefinitions, CommandFailure>,
    ) -> Result<(), CommandFailure> {
        let mut edition = self
            .0
            .edition
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *edition = Arc::new(make(&edition)?);
        Ok(())
    }

    /// The commands that change definitions; `None` for another one.
    fn changing(&self, number: u16, given: &CommandOperands) -> Option<WebCommandResult> {
        let serve = CHANGES.iter().find(|(n, _)| *n == number)?.1;
        let changed = self.change(|before| serve(before, given));
        Some(changed.map(|()| CommandOperands::default()))
    }

    /// The definitions in force.
    pub fn edition(&self) -> Arc<WebDefinitions> {
        let edition = self
            .0
            .edition
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        edition.clone()
    }

    /// Lets its thread end.
    pub fn stop(&self) {
        self.0.runtime.stop();
    }

    /// Registers a task that serves a request.
    pub(crate) fn register(&self, task: u64, server: ServerSide) -> TaskCell {
        let state = TaskState {
            server: Some(server),
            ..TaskState::default()
        };
        let cell = Arc::new(Mutex::new(state));
        lock(&self.0.tasks).insert(task, cell.clone());
        cell
    }

    /// Registers a task that serves a pipeline.
    pub(crate) fn register_service(&self, task: u64, side: ServiceSide) -> TaskCell {
        let state = TaskState {
            service: Some(side),
            ..TaskState::default()
        };
        let cell = Arc::new(Mutex::new(state));
        lock(&self.0.tasks).insert(task, cell.clone());
        cell
    }

    /// A task has ended.
    pub(crate) fn forget(&self, task: u64) {
        lock(&self.0.tasks).remove(&task);
    }

    /// The state of a task that asks; made for one that no request began.
    fn state_of(&self, command: &ServiceCommand) -> TaskCell {
        let mut tasks = lock(&self.0.tasks);
        let cell = tasks.entry(command.task).or_insert_with(|| {
            command.report_end();
            TaskCell::default()
        });
        cell.clone()
    }

    fn document(&self, command: &ServiceCommand, state: &mut TaskState) -> WebCommandResult {
        let edition = self.edition();
        let read = command
            .operands
            .each()
            .filter_map(|(index, operand)| match operand {
                OperandValue::Bytes(bytes) if index == TEMPLATE_TEXT => Some(bytes.as_slice()),
                _ => None,
            });
        let templates = edition.templates.with_read(read);
        let means = DocumentContext {
            templates: &templates,
            most: usize::try_from(self.0.config.document_bytes).unwrap_or(usize::MAX),
            page: self.0.page,
            account: &|total| command.account_documents(total),
        };
        let (given, documents) = (&command.operands, &mut state.documents);
        let outcome = match command.number {
            rows::document_create::NUMBER => document::create(documents, given, &means),
            rows::document_insert::NUMBER => document::insert(documents, given, &means),
            rows::document_set::NUMBER => document::set(documents, given, &means),
            rows::document_retrieve::NUMBER => document::retrieve(documents, given, &means),
            _ => document::delete(documents, given),
        };
        // Documents that were refused after they were counted, and deleted ones.
        command.account_documents(documents.amount());
        outcome
    }

    /// A command about the fault that the task answers with.
    fn fault(&self, command: &ServiceCommand, state: &mut TaskState) -> WebCommandResult {
        let (given, page) = (&command.operands, self.0.page);
        let mut nothing = ServiceSide::default();
        let side = state.service.as_mut().unwrap_or(&mut nothing);
        match command.number {
            rows::soapfault_create::NUMBER => faults::create(side, given, page),
            rows::soapfault_add::NUMBER => faults::add(side, given, page),
            _ => faults::delete(side),
        }
    }

    /// A command about the addressing of messages.
    fn addressing(&self, command: &ServiceCommand, state: &mut TaskState) -> WebCommandResult {
        let (given, page) = (&command.operands, self.0.page);
        if command.number == rows::wsaepr_create::NUMBER {
            return addressing::create(given, page);
        }
        let option = match command.number {
            rows::wsacontext_get::NUMBER => rows::wsacontext_get::CHANNEL,
            rows::wsacontext_build::NUMBER => rows::wsacontext_build::CHANNEL,
            _ => rows::wsacontext_delete::CHANNEL,
        };
        let channel: [u8; 16] = given.get_name(option).unwrap_or([b' '; 16]);
        let served = state.service.as_mut().filter(|_| is_own(&channel));
        match (command.number, served) {
            (rows::wsacontext_get::NUMBER, Some(side)) => {
                addressing::get(side.addressing.as_ref(), given, page)
            }
            (rows::wsacontext_get::NUMBER, None) => {
                addressing::get(state.contexts.get(&channel), given, page)
            }
            (rows::wsacontext_build::NUMBER, Some(side)) => {
                let mut context = side.addressing.clone().unwrap_or_default();
                let built = addressing::build(&mut context.response, given, page)?;
                side.addressing = Some(context);
                Ok(built)
            }
            (rows::wsacontext_build::NUMBER, None) => {
                let mut context = state.contexts.get(&channel).cloned().unwrap_or_default();
                let built = addressing::build(&mut context.request, given, page)?;
                state.contexts.insert(channel, context);
                Ok(built)
            }
            (_, Some(_)) => fail(Condition::InvReq, addressing::PROVIDER),
            (_, None) => match state.contexts.remove(&channel) {
                Some(_) => Ok(CommandOperands::default()),
                None => fail(Condition::NotFnd, addressing::NO_CONTEXT),
            },
        }
    }

    /// A command about the request that the task serves, or its answer.
    fn about_request(&self, command: &ServiceCommand, server: &mut ServerSide) -> WebCommandResult {
        let given = &command.operands;
        match command.number {
            rows::extract_tcpip::NUMBER => {
                let edition = self.edition();
                match edition.services.get(&server.request.service) {
                    Some(service) => extract::connection(server, service, given),
                    None => fail(Condition::InvReq, 5),
                }
            }
            rows::extract_certificate::NUMBER => {
                extract::certificate(server, given, command.userid.as_bytes())
            }
            rows::web_write_httpheader::NUMBER => headers::write(&mut server.headers, given),
            rows::web_retrieve::NUMBER => send::retrieve(server),
            // The task's worker serves commands that read the request.
            _ => fail(Condition::InvReq, 1),
        }
    }

    /// SEND: done at once, or when the client has read some of its chunks.
    fn send(&self, mut command: ServiceCommand, state: &mut TaskState) {
        let Some(server) = &mut state.server else {
            return command.answer(&answer(fail(Condition::InvReq, 1)));
        };
        let (given, documents) = (&command.operands, &mut state.documents);
        match send::send(server, documents, given, self.0.page) {
            Ok(SendOutcome::Done) => command.answer(&CallAnswer::default()),
            Err(failure) => command.answer(&answer(Err(failure))),
            Ok(SendOutcome::Waits(queue, pieces)) => {
                command.later();
                self.0.runtime.spawn(move || async move {
                    for piece in pieces {
                        if queue.send(piece).await.is_err() {
                            let gone = CallAnswer::of_condition(Condition::IoErr, 42);
                            return command.answer(&gone);
                        }
                    }
                    command.answer(&CallAnswer::default());
                });
            }
        }
    }
}

/// Applies a command to the definitions in force.
type MakeEdition = fn(&WebDefinitions, &CommandOperands) -> Result<WebDefinitions, CommandFailure>;

/// The commands that change definitions.
const CHANGES: &[(u16, MakeEdition)] = &[
    (rows::create_urimap::NUMBER, inquire::create),
    (rows::discard_urimap::NUMBER, inquire::discard),
    (rows::set_doctemplate::NUMBER, resources::set_template),
    (rows::set_pipeline::NUMBER, resources::set_pipeline),
    (rows::set_urimap::NUMBER, inquire::set),
];

/// The commands that are served here.
const COMMANDS: &[u16] = &[
    rows::create_urimap::NUMBER,
    rows::discard_urimap::NUMBER,
    rows::document_create::NUMBER,
    rows::document_delete::NUMBER,
    rows::document_insert::NUMBER,
    rows::document_retrieve::NUMBER,
    rows::document_set::NUMBER,
    rows::extract_certificate::NUMBER,
    rows::extract_tcpip::NUMBER,
    rows::extract_web::NUMBER,
    rows::inquire_doctemplate::NUMBER,
    rows::inquire_host::NUMBER,
    rows::inquire_pipeline::NUMBER,
    rows::inquire_tcpipservice::NUMBER,
    rows::inquire_urimap::NUMBER,
    rows::inquire_webservice::NUMBER,
    rows::invoke_service::NUMBER,
    rows::invoke_webservice::NUMBER,
    rows::soapfault_add::NUMBER,
    rows::soapfault_create::NUMBER,
    rows::soapfault_delete::NUMBER,
    rows::set_doctemplate::NUMBER,
    rows::set_pipeline::NUMBER,
    rows::set_urimap::NUMBER,
    rows::wsacontext_build::NUMBER,
    rows::wsacontext_delete::NUMBER,
    rows::wsacontext_get::NUMBER,
    rows::wsaepr_create::NUMBER,
    rows::web_close::NUMBER,
    rows::web_converse::NUMBER,
    rows::web_endbrowse_formfield::NUMBER,
    rows::web_endbrowse_httpheader::NUMBER,
    rows::web_endbrowse_queryparm::NUMBER,
    rows::web_extract::NUMBER,
    rows::web_open::NUMBER,
    rows::web_parse::NUMBER,
    rows::web_read_formfield::NUMBER,
    rows::web_read_httpheader::NUMBER,
    rows::web_read_queryparm::NUMBER,
    rows::web_readnext_formfield::NUMBER,
    rows::web_readnext_httpheader::NUMBER,
    rows::web_readnext_queryparm::NUMBER,
    rows::web_receive::NUMBER,
    rows::web_retrieve::NUMBER,
    rows::web_send::NUMBER,
    rows::web_startbrowse_formfield::NUMBER,
    rows::web_startbrowse_httpheader::NUMBER,
    rows::web_startbrowse_queryparm::NUMBER,
    rows::web_write_httpheader::NUMBER,
];

impl CommandService for CicsWebSupport {
    fn commands(&self) -> &'static [u16] {
        COMMANDS
    }

    fn serve(&self, command: ServiceCommand) {
        if command.number == rows::web_parse::NUMBER {
            let outcome = parse::parse(&command.operands);
            return command.answer(&answer(outcome));
        }
        if let Some(outcome) = self.changing(command.number, &command.operands) {
            return command.answer(&answer(outcome));
        }
        let cell = self.state_of(&command);
        if command.number == rows::web_open::NUMBER {
            return self.open(command, cell);
        }
        if matches!(
            command.number,
            rows::invoke_service::NUMBER | rows::invoke_webservice::NUMBER
        ) {
            return self.invoke(command, cell);
        }
        let option = token_option(command.number).filter(|option| command.operands.has(*option));
        if let Some(option) = option {
            let token = command.operands.get_name(option).unwrap_or_default();
            return self.in_session(command, &cell, token);
        }
        let mut state = lock(&cell);
        let outcome = match command.number {
            rows::document_create::NUMBER..=rows::document_set::NUMBER => {
                self.document(&command, &mut state)
            }
            rows::soapfault_add::NUMBER..=rows::soapfault_delete::NUMBER => {
                self.fault(&command, &mut state)
            }
            rows::wsacontext_build::NUMBER..=rows::wsaepr_create::NUMBER => {
                self.addressing(&command, &mut state)
            }
            rows::web_send::NUMBER => return self.send(command, &mut state),
            rows::inquire_urimap::NUMBER => {
                let edition = self.edition();
                inquire::urimap(&edition.maps, &mut state.browses, &command.operands)
            }
            rows::inquire_doctemplate::NUMBER
            | rows::inquire_host::NUMBER
            | rows::inquire_pipeline::NUMBER
            | rows::inquire_tcpipservice::NUMBER
            | rows::inquire_webservice::NUMBER => {
                let (browses, given) = (&mut state.browses, &command.operands);
                resources::inquire(&self.edition(), browses, command.number, given)
            }
            _ => match &mut state.server {
                Some(server) => self.about_request(&command, server),
                // EXTRACT TCPIP and EXTRACT CERTIFICATE have their own words.
                None => match command.number {
                    rows::extract_tcpip::NUMBER => fail(Condition::InvReq, 5),
                    rows::extract_certificate::NUMBER => fail(Condition::InvReq, 0),
                    _ => fail(Condition::InvReq, 1),
                },
            },
        };
        drop(state);
        command.answer(&answer(outcome));
    }

    fn task_ended(&self, task: u64) {
        self.forget(task);
    }

    fn metrics(&self, out: &mut String) {
        write_metrics(lock(&self.0.tasks).len(), out);
    }
}

/// The figures of web support that has done nothing, for their reference page.
pub fn metrics_sample(out: &mut String) {
    write_metrics(0, out);
}

fn write_metrics(tasks: usize, out: &mut String) {
    out.push_str(
        "# HELP tupelo_web_tasks Tasks that serve a web request or have used web commands\n\
         # TYPE tupelo_web_tasks gauge\n",
    );
    out.push_str(&format!("tupelo_web_tasks {tasks}\n"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use cics::command::{CommandDomain, CommandSupport, all};

    #[test]
    fn every_served_row_of_the_domain_is_served_here() {
        for row in all().filter(|row| row.domain == CommandDomain::Web) {
            let count = COMMANDS.iter().filter(|n| **n == row.number).count();
            let expected = usize::from(row.served == CommandSupport::Region);
            assert_eq!(count, expected, "{}", row.name);
        }
    }
}
