//! The scripts of an application, and the gateway's access to them.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use cics::csd::{UriMapAnswer, UriMapUsage};
use gateway::{
    AnswerPieces, LoadedApi, ServiceBody, WebAbend, WebAnswer, WebAnswerFuture, WebHandler,
    WebHandlers, WebRefusal,
};
use http::request::Parts;
use region::{GuestPrograms, GuestTask, NotStarted, StartRefusal, UserId};
use script::{
    LoadedScripts, ModuleSources, Request, Route, ScriptRefusal, ScriptResponse, ScriptService,
};

use super::Application;
use super::definitions::MIRRORS;
use super::finding::{Finding, Findings, Severity};
use super::toml_errors;

/// The slot in which the gateway finds the scripts, once they are loaded.
pub type WebSlot = Arc<OnceLock<Arc<dyn WebHandlers>>>;

/// Reads and loads an application's scripts.
pub fn check(app: &Application) -> LoadedScripts {
    let config = &app.config.script;
    let region = &app.config.region;
    script::check(
        config,
        &app.folder,
        app.copy_folders(),
        app.code_page(),
        (region.applid.clone(), region.sysid.clone()),
        &maps(app),
    )
}

/// Findings about the scripts and about the transactions of their routes.
pub fn findings(app: &Application, checked: &LoadedScripts) -> Findings {
    let mut findings = Findings::new(&app.folder);
    findings.extend(checked.mistakes.iter().map(|m| finding(app, m)));
    let folder = app.folder.join(&app.config.script.folder);
    findings.extend(checked.left_out.iter().map(|(name, why)| {
        Finding::new(
            Severity::Warning,
            (0, 0),
            format!("the file is left out: {why}"),
        )
        .in_file(folder.join(name))
    }));
    let defined = |name: &str| {
        name == script::TRANSACTION
            || MIRRORS.contains(&name)
            || app.csd.transactions.iter().any(|t| t.name.as_str() == name)
    };
    for route in checked.routes.iter().filter(|r| !defined(&r.transaction)) {
        findings.warn(format!(
            "[script.routes] {}: its transaction {} is not defined",
            route.path, route.transaction
        ));
    }
    let rules = app.config.security.apis.get(gateway::OUTSIDE_APIS);
    for key in rules.iter().flat_map(|rule| rule.operations.keys()) {
        let path = key.split_once(' ').map(|(_, path)| path);
        if !checked.routes.iter().any(|r| path == Some(&*r.path)) {
            findings.warn(format!(
                "[security.apis.{}.operations] \"{key}\" names no route: write METHOD /path as \
                 [script.routes] has it",
                gateway::OUTSIDE_APIS
            ));
        }
    }
    findings
}

/// Whether the program that a URIMAP names is a script's file.
pub fn has_file(app: &Application, program: &str) -> bool {
    let folder = app.folder.join(&app.config.script.folder);
    let files = ModuleSources::read(&folder).unwrap_or_default();
    files
        .names()
        .any(|file| script::program_name(file) == program)
}

/// Reports routes that no request reaches, since an API or another route has their paths.
pub fn hidden(app: &Application, apis: &[&LoadedApi], findings: &mut Findings) {
    let routes = script::routes(&app.config.script, &app.folder, &maps(app));
    let operations = apis.iter().flat_map(|api| {
        let templates = api.operations().map(|(_, path, _)| path);
        templates.map(|path| (api.name(), path))
    });
    let served: Vec<(&str, Route)> = operations
        .filter_map(|(api, path)| Some((api, Route::new(&path, "", "").ok()?)))
        .collect();
    for (i, route) in routes.iter().enumerate() {
        let subject = format!("script route {} ({})", route.path, route.script);
        if let Some((api, path)) = served.iter().find(|(_, path)| path.covers(route)) {
            findings.warn(format!(
                "{subject}: no request reaches it, since API {api} serves {}",
                path.path
            ));
        }
        let before = routes[..i].iter();
        let same = |other: &&Route| other.covers(route) && route.covers(other);
        if let Some(first) = before.into_iter().find(same) {
            findings.warn(format!(
                "{subject}: no request reaches it, since {} ({}) is the same path",
                first.path, first.script
            ));
        }
    }
}

fn finding(app: &Application, mistake: &Finding) -> Finding {
    let script = mistake.file.to_str().unwrap_or_default();
    let folder = app.folder.join(&app.config.script.folder);
    // A missing script is reported at its name, a faulty route at its path.
    let named = match (script.is_empty(), folder.join(script).is_file()) {
        (true, _) => mistake.message.strip_prefix("[script.routes] "),
        (false, false) => Some(script),
        (false, true) => None,
    };
    let places = toml_errors::places(&app.folder);
    let written = named.and_then(|named| {
        if script.is_empty() {
            places.find(&format!("script.routes.{}", named.split_once(": ")?.0))
        } else {
            places.naming("script.", named)
        }
    });
    let (message, help) = match (written, script.is_empty()) {
        (Some(_), false) => {
            let script = app.config.script.folder.join(script);
            let message = format!("there is no script {}", script.display());
            (message, Some("scripts are named from their folder"))
        }
        (Some(_), true) => {
            let help = "write a path such as \"/bank/{number}\"";
            (mistake.message.clone(), Some(help))
        }
        (None, _) => (mistake.message.clone(), None),
    };
    let file = if written.is_some() || script.is_empty() {
        PathBuf::from("tupelo.toml")
    } else {
        folder.join(script)
    };
    let place = written.unwrap_or((mistake.line, mistake.column));
    Finding::new(Severity::Error, place, message)
        .in_file(file)
        .maybe_help(help.map(str::to_owned))
}

/// URIMAP definitions that may name scripts: path, program, transaction.
///
/// Reference: CICS resource definition, URIMAP with USAGE(SERVER).
fn maps(app: &Application) -> Vec<(String, String, Option<String>)> {
    let read = |def: &cics::csd::UriMapDef| match &def.usage {
        UriMapUsage::Server {
            answer:
                UriMapAnswer::Program {
                    program: Some(program),
                    transaction,
                    ..
                },
            ..
        } => Some((def.path.clone(), program.clone(), transaction.clone())),
        _ => None,
    };
    let maps = app.csd.urimaps.iter().filter(|def| def.enabled);
    maps.filter_map(read).collect()
}

/// The region's access to scripts that programs link to, once they are loaded.
#[derive(Clone, Default)]
pub struct ScriptGuests(pub Arc<OnceLock<Arc<ScriptService>>>);

impl GuestPrograms for ScriptGuests {
    fn begin(&self, task: GuestTask) {
        match self.0.get() {
            Some(scripts) => scripts.link(task),
            None => task.is_unknown(),
        }
    }
}

impl Debug for ScriptGuests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScriptGuests")
    }
}

/// The gateway's access to running scripts.
pub struct ScriptWeb(pub Arc<ScriptService>);

struct ServedScript {
    scripts: Arc<ScriptService>,
    now: Arc<LoadedScripts>,
    path: String,
    template: String,
}

impl WebHandlers for ScriptWeb {
    fn find(&self, path: &str) -> Option<Box<dyn WebHandler>> {
        let now = self.0.now();
        let template = now.routes.find(path)?.route.path.clone();
        Some(Box::new(ServedScript {
            scripts: self.0.clone(),
            now,
            path: path.to_owned(),
            template,
        }))
    }
}

impl WebHandler for ServedScript {
    fn template(&self) -> &str {
        &self.template
    }

    fn serve(
        self: Box<Self>,
        parts: &Parts,
        trace_id: [u8; 16],
        user: Option<UserId>,
        body: Bytes,
    ) -> WebAnswerFuture {
        let headers = parts.headers.iter();
        let headers = headers.map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        });
        let mut request = Request {
            method: parts.method.as_str().to_owned(),
            path: self.path.clone(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            variables: Vec::new(),
            headers: headers.collect(),
            body: body.to_vec(),
            call: None,
        };
        Box::pin(async move {
            // The route was found before, so it exists.
            let Some(found) = self.now.routes.find(&self.path) else {
                return Err(WebRefusal::Region(NotStarted::Impossible(
                    "no route matches".into(),
                )));
            };
            request.variables.clone_from(&found.variables);
            let served = self
                .scripts
                .serve(&self.now, &found, trace_id, user, request);
            match served.await {
                Ok(ScriptResponse::Whole(answer)) => Ok(WebAnswer {
                    status: answer.status,
                    headers: answer.headers,
                    body: ServiceBody::Whole(answer.body),
                }),
                Ok(ScriptResponse::Begun(begun)) => Ok(WebAnswer {
                    status: begun.status,
                    headers: begun.headers,
                    body: ServiceBody::Stream(AnswerPieces::Chunks(begun.parts)),
                }),
                Err(refused) => Err(refusal(refused)),
            }
        })
    }
}

fn refusal(refused: ScriptRefusal) -> WebRefusal {
    match refused {
        ScriptRefusal::Region(why) => WebRefusal::Region(why.into()),
        ScriptRefusal::Ending => WebRefusal::Region(StartRefusal::ShuttingDown.into()),
        ScriptRefusal::Failed(failure) => {
            let abend = WebAbend {
                code: failure.abend.code,
                place: failure.abend.program,
                line: failure.abend.line,
                message: failure.abend.message,
            };
            if abend.code == "AEXY" {
                WebRefusal::TooSlow(abend)
            } else {
                WebRefusal::Abend(abend)
            }
        }
    }
}
