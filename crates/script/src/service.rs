//! The scripts of an application in a running region.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use copybook::CodePage;
use region::{Handle, Refusal, TaskRequest, UserId};
use tokio::sync::oneshot;

use crate::config::ScriptConfig;
use crate::engine::{Answer, Engine, Request};
use crate::failure::{Failure, Mistake, Place};
use crate::limits::Limits;
use crate::pool::{Edition, Job, Pool};
use crate::records::{Library, Records};
use crate::regional::program_name;
use crate::routes::{Match, Route, Routes};
use crate::source::Sources;

/// Scripts that were read and looked at.
#[derive(Debug)]
pub struct Checked {
    /// Their routes; those of scripts with mistakes are not among them.
    pub routes: Routes,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
    /// Modules that were read.
    pub modules: usize,
    edition: Arc<Edition>,
}

/// Why a request was not served by a script.
#[derive(Debug)]
pub enum Refused {
    /// Its task was not admitted.
    Region(Refusal),
    /// The script, or a program that it ran, abended.
    Failed(Failure),
    /// The region is shutting down.
    Ending,
}

/// The service.
pub struct Scripts {
    region: Handle,
    user: UserId,
    timeout_ms: u32,
    pool: Pool,
    now: Mutex<Arc<Checked>>,
}

/// Reads the scripts of an application, loads each that a route names, and
/// says what is wrong. `maps` are further routes, with a script's name among
/// programs instead of its file: path, program, transaction.
pub fn check(
    config: &ScriptConfig,
    folder: &std::path::Path,
    copybooks: Vec<PathBuf>,
    code_page: CodePage,
    region: (String, String),
    maps: &[(String, String, Option<String>)],
) -> Checked {
    let mut mistakes = Vec::new();
    let whole = |file: String, message: String| Mistake {
        place: Place {
            file,
            ..Place::default()
        },
        message,
    };
    let sources = Sources::read(folder).unwrap_or_else(|error| {
        mistakes.push(whole(String::new(), error.to_string()));
        Sources::default()
    });
    let edition = Arc::new(Edition {
        sources: Arc::new(sources),
        library: Arc::new(Library::new(copybooks, code_page)),
        limits: config.limits(),
        region,
    });
    let mut wanted: Vec<(String, String, Option<String>)> = Vec::new();
    for (path, route) in &config.routes {
        let transaction = route.transaction().map(str::to_owned);
        wanted.push((path.clone(), route.script().to_owned(), transaction));
    }
    for (path, program, transaction) in maps {
        let file = edition
            .sources
            .names()
            .find(|file| program_name(file) == *program);
        if let Some(file) = file {
            wanted.push((path.clone(), file.to_owned(), transaction.clone()));
        }
    }
    let mut routes = Vec::new();
    for (path, script, transaction) in wanted {
        let transaction = transaction.as_deref().unwrap_or(&config.transaction);
        match Route::new(&path, &script, transaction) {
            Ok(route) => routes.push(route),
            Err(error) => mistakes.push(whole(String::new(), format!("[script.routes] {error}"))),
        }
    }
    let mut scripts: Vec<Arc<str>> = routes.iter().map(|r| r.script.clone()).collect();
    scripts.sort();
    scripts.dedup();
    for script in scripts {
        let wrong = edition.try_script(&script).err();
        if let Some(mistake) = wrong {
            routes.retain(|r| r.script != script);
            mistakes.push(mistake);
        }
    }
    Checked {
        routes: Routes::new(routes),
        mistakes,
        modules: edition.sources.names().count(),
        edition,
    }
}

/// Milliseconds of CPU time that a script's top level may take.
const LOADING_MS: u32 = 5_000;

impl Edition {
    /// Loads a script, to see whether it can be.
    fn try_script(&self, script: &str) -> Result<(), Mistake> {
        let records = Records::new(self.library.clone());
        // Loading must end, whatever the setting for requests.
        let limits = Limits {
            runaway_ms: LOADING_MS,
            ..self.limits
        };
        let engine = Engine::load(&self.sources, script, limits, records)?;
        let methods = [
            "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "default",
        ];
        match engine
            .exports()
            .iter()
            .any(|e| methods.contains(&e.as_str()))
        {
            true => Ok(()),
            false => Err(Mistake {
                place: Place {
                    file: script.to_owned(),
                    ..Place::default()
                },
                message:
                    "it exports no handler: a function GET, POST, PUT, DELETE, PATCH or default"
                        .into(),
            }),
        }
    }
}

impl Scripts {
    /// Begins to serve; threads are made when there is work.
    pub fn start(region: Handle, user: UserId, config: &ScriptConfig, scripts: Checked) -> Scripts {
        Scripts {
            pool: Pool::new(region.clone(), config.threads()),
            region,
            user,
            timeout_ms: config.timeout_ms,
            now: Mutex::new(Arc::new(scripts)),
        }
    }

    /// Takes over other scripts; requests under way end with those before.
    pub fn reload(&self, scripts: Checked) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(scripts);
    }

    /// What is served now.
    pub fn now(&self) -> Arc<Checked> {
        self.now
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Serves a request by the route that was found for it, for a user who said
    /// who calls or for the region's own.
    pub async fn serve(
        &self,
        now: &Arc<Checked>,
        found: &Match<'_>,
        trace_id: [u8; 16],
        user: Option<UserId>,
        request: Request,
    ) -> Result<Answer, Refused> {
        let route = found.route;
        let script = route.script.clone();
        let task = TaskRequest {
            transid: route.transaction.parse().unwrap_or_default(),
            program: program_name(&script).parse().unwrap_or_default(),
            userid: user.unwrap_or(self.user),
            trace_id,
            timeout_ms: self.timeout_ms,
            ..TaskRequest::default()
        };
        let port = self.region.default_port();
        let begun = self.region.begin_open(&port, task).await;
        let task = begun.map_err(Refused::Region)?;
        let (reply, answer) = oneshot::channel();
        self.pool.submit(Job {
            edition: now.edition.clone(),
            script,
            request,
            task,
            reply,
        });
        match answer.await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(failure)) => Err(Refused::Failed(failure)),
            Err(_) => Err(Refused::Ending),
        }
    }

    /// Waits for what is under way and ends the threads.
    pub fn stop(&self) {
        self.pool.stop();
    }
}
