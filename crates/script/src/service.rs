//! The scripts of an application in a running region.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base::Diagnostic;
use copybook::CodePage;
use fetch::{HttpFetcher, SettingsError};
use region::{GuestTask, Handle, StartRefusal, TaskRequest, UserId};
use tokio::task::spawn_local;

use crate::config::ScriptConfig;
use crate::engine::{Request, ScriptAnswer, ScriptEngine};
use crate::failure::{ScriptFailure, SourcePosition as At};
use crate::limits::Limits;
use crate::place::{EngineThread, ScriptJob};
use crate::pool::{self, EnginePool, ScriptGeneration};
use crate::records::{CopybookLibrary, EngineRecords};
use crate::regional::program_name;
use crate::routes::{MatchedRoute, Route, RouteError, ScriptRoutes};
use crate::source::ModuleSources;
use crate::stream::{self, StreamedAnswer};
use crate::work::ScriptTask;

/// Scripts that were read and looked at.
#[derive(Debug)]
pub struct LoadedScripts {
    /// Their routes; those of scripts with mistakes are not among them.
    pub routes: ScriptRoutes,
    /// The problems found.
    pub mistakes: Vec<Diagnostic>,
    /// Names that are not files of the application, and why not.
    pub left_out: Vec<(String, String)>,
    /// Modules that were read.
    pub modules: usize,
    edition: Arc<ScriptGeneration>,
}

/// Why a request was not served by a script.
#[derive(Debug)]
pub enum ScriptRefusal {
    /// Its task was not admitted.
    Region(StartRefusal),
    /// The script, or a program that it ran, abended.
    Failed(ScriptFailure),
    /// The region is shutting down.
    Ending,
}

/// The service.
pub struct ScriptService {
    region: Handle,
    user: UserId,
    timeout_ms: u32,
    pool: EnginePool,
    /// The number that identifies it among the places of the gateway's threads.
    number: u64,
    now: Mutex<Arc<LoadedScripts>>,
}

/// A complete answer, or one that is sent in parts.
#[derive(Debug)]
pub enum ScriptResponse {
    /// The answer is complete, and its unit of work committed.
    Whole(ScriptAnswer),
    /// The answer has begun. The unit of work is not over.
    Begun(StreamedAnswer),
}

/// Reads the scripts of an application, loads each that a route or a program
/// names, and returns the problems. `root` is the application's folder. `maps`
/// are further routes, with a script's name among programs instead of its file:
/// path, program, transaction.
pub fn check(
    config: &ScriptConfig,
    root: &Path,
    copybooks: Vec<PathBuf>,
    code_page: CodePage,
    region: (String, String),
    maps: &[(String, String, Option<String>)],
) -> LoadedScripts {
    let mut mistakes = Vec::new();
    let sources = ModuleSources::read(&root.join(&config.folder)).unwrap_or_else(|error| {
        mistakes.push(At::of_module("", error.to_string()));
        ModuleSources::default()
    });
    let fetcher = HttpFetcher::new(&config.fetch.settings(root)).unwrap_or_else(|wrong| {
        let which = match wrong {
            SettingsError::Address { .. } => "allow",
            SettingsError::Trusted(_) | SettingsError::Shown(_) => "trusted",
        };
        let message = format!("[script.fetch] {which}: {wrong}");
        mistakes.push(At::of_module("", message));
        HttpFetcher::default()
    });
    let mut edition = Arc::new(ScriptGeneration {
        sources: Arc::new(sources),
        library: Arc::new(CopybookLibrary::new(copybooks, code_page)),
        limits: config.limits(),
        region,
        fetcher,
        programs: BTreeMap::new(),
        paces: Vec::new(),
    });
    let mut routes = Vec::new();
    for route in wanted(config, &edition.sources, maps) {
        match route {
            Ok(route) => routes.push(route),
            Err(error) => mistakes.push(At::of_module("", format!("[script.routes] {error}"))),
        }
    }
    let mut scripts: Vec<Arc<str>> = routes.iter().map(|r| r.script.clone()).collect();
    scripts.sort();
    scripts.dedup();
    for script in &scripts {
        let wrong = edition.try_script(script, &METHODS).err();
        if let Some(mistake) = wrong {
            routes.retain(|r| r.script != *script);
            mistakes.push(mistake);
        }
    }
    let mut programs = BTreeMap::new();
    for (name, script) in &config.programs {
        match edition.try_script(script, &["LINK"]) {
            Ok(()) => drop(programs.insert(name.clone(), Arc::from(script.as_str()))),
            // A mistake that a route already reported is not repeated.
            Err(mistake) if mistakes.contains(&mistake) => {}
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if let Some(edition) = Arc::get_mut(&mut edition) {
        edition.programs = programs;
        let paces = scripts
            .into_iter()
            .map(|script| (script, AtomicU32::new(0)));
        edition.paces = paces.collect();
    }
    LoadedScripts {
        routes: ScriptRoutes::new(routes),
        mistakes,
        left_out: edition.sources.left_out().to_vec(),
        modules: edition.sources.names().count(),
        edition,
    }
}

/// The routes of an application, as [`check`] takes them, whether their scripts
/// are right or not; texts that are not routes are left out.
pub fn routes(
    config: &ScriptConfig,
    root: &Path,
    maps: &[(String, String, Option<String>)],
) -> Vec<Route> {
    let sources = ModuleSources::read(&root.join(&config.folder)).unwrap_or_default();
    let all = wanted(config, &sources, maps);
    all.filter_map(Result::ok).collect()
}

/// The routes of the settings, then those of URIMAP definitions whose program is
/// a script.
fn wanted<'a>(
    config: &'a ScriptConfig,
    sources: &'a ModuleSources,
    maps: &'a [(String, String, Option<String>)],
) -> impl Iterator<Item = Result<Route, RouteError>> + 'a {
    let given = config.routes.iter();
    let given = given.map(|(path, route)| (path, route.script(), route.transaction()));
    let mapped = maps.iter().filter_map(|(path, program, transaction)| {
        let file = sources.names().find(|file| program_name(file) == *program);
        Some((path, file?, transaction.as_deref()))
    });
    given.chain(mapped).map(|(path, script, transaction)| {
        let transaction = transaction.unwrap_or(&config.transaction);
        Route::new(path, script, transaction)
    })
}

/// The functions that a script may export for a route.
const METHODS: [&str; 8] = [
    "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "default",
];
/// Milliseconds of CPU time that a script's top level may take.
const LOADING_MS: u32 = 5_000;

impl ScriptGeneration {
    /// Loads a script, to see whether it can be.
    fn try_script(&self, script: &str, handlers: &[&str]) -> Result<(), Diagnostic> {
        let records = EngineRecords::new(self.library.clone());
        // Loading must end, whatever the setting for requests.
        let limits = Limits {
            runaway_ms: LOADING_MS,
            ..self.limits
        };
        let engine = ScriptEngine::load(&self.sources, script, limits, records)?;
        let mut exports = engine.exports().iter();
        if exports.any(|e| handlers.contains(&e.as_str())) {
            Ok(())
        } else {
            let message = match handlers {
                ["LINK"] => "it is linked to as a program, but exports no function LINK",
                _ => {
                    "it exports no handler; export a function GET, POST, PUT, DELETE, PATCH \
                     or default"
                }
            };
            Err(At::of_module(script, message))
        }
    }
}

thread_local! {
    /// Places of the calling thread, by the numbers of their services.
    static PLACES: RefCell<Vec<(u64, Rc<EngineThread>)>> = const { RefCell::new(Vec::new()) };
}

/// Most scripts at a time on a thread of the gateway's.
const MOST_HERE: usize = 256;
/// Bytes of a body that a thread of the gateway's has taken apart.
const BRIEF_BODY: usize = 64 << 10;

impl ScriptService {
    /// Begins to serve; threads are made when there is work.
    pub fn start(
        region: Handle,
        user: UserId,
        config: &ScriptConfig,
        scripts: LoadedScripts,
    ) -> ScriptService {
        static MADE: AtomicU64 = AtomicU64::new(0);
        ScriptService {
            number: MADE.fetch_add(1, Ordering::Relaxed),
            pool: EnginePool::new(region.clone(), config.threads()),
            region,
            user,
            timeout_ms: config.timeout_ms,
            now: Mutex::new(Arc::new(scripts)),
        }
    }

    /// Takes over other scripts; requests under way end with those before.
    pub fn reload(&self, scripts: LoadedScripts) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(scripts);
    }

    /// The scripts that are served now.
    pub fn now(&self) -> Arc<LoadedScripts> {
        self.now
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Serves a request by its route, for an authenticated user or the region's
    /// own.
    pub async fn serve(
        &self,
        now: &Arc<LoadedScripts>,
        found: &MatchedRoute<'_>,
        trace_id: [u8; 16],
        user: Option<UserId>,
        request: Request,
    ) -> Result<ScriptResponse, ScriptRefusal> {
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
        let here = self.region.port_here();
        let port = here.clone().unwrap_or_else(|| self.region.default_port());
        let begun = self.region.begin_open(&port, task).await;
        let task = begun.map_err(ScriptRefusal::Region)?;
        let brief = now.edition.is_brief(&script) && request.body.len() <= BRIEF_BODY;
        let (client, begun) = match request.method.as_str() {
            "HEAD" => (None, None),
            _ => {
                let (client, begun) = stream::answer(self.region.clone());
                (Some(client), Some(begun))
            }
        };
        let job = ScriptJob {
            edition: now.edition.clone(),
            script,
            request,
            work: ScriptTask::Own(task),
            client,
        };
        // A script that is known to be brief runs where its request came in.
        let place = here.filter(|_| brief).map(|port| self.place(port));
        let served = async {
            let served: Option<pool::ScriptOutcome> = match place {
                Some(place) if place.active() < MOST_HERE => {
                    // The script continues if the client disconnects.
                    spawn_local(place.serve(job)).await.ok()
                }
                _ => self.pool.submit(job).await,
            };
            match served {
                Some(Ok(answer)) => Ok(ScriptResponse::Whole(answer)),
                Some(Err(failure)) => Err(ScriptRefusal::Failed(failure)),
                None => Err(ScriptRefusal::Ending),
            }
        };
        match begun {
            Some(mut begun) => tokio::select! {
                biased;
                // Never when the script sends nothing by itself.
                Ok(begun) = &mut begun => Ok(ScriptResponse::Begun(begun)),
                // On a thread of the pool it may have begun and ended since
                // the look above.
                served = served => match begun.try_recv() {
                    Ok(begun) => Ok(ScriptResponse::Begun(begun)),
                    Err(_) => served,
                },
            },
            None => served.await,
        }
    }

    /// Runs the script that a program links to, within its task.
    pub fn link(&self, task: GuestTask) {
        let edition = self.now().edition.clone();
        let program = task.program().to_string().trim_end().to_owned();
        let Some(script) = edition.programs.get(&program).cloned() else {
            return task.is_unknown();
        };
        let request = Request {
            method: "LINK".into(),
            call: Some((program, task.given().clone())),
            ..Request::default()
        };
        // The guest answers by itself.
        drop(self.pool.submit(ScriptJob {
            edition,
            script,
            request,
            work: ScriptTask::Guest(task),
            client: None,
        }));
    }

    /// The place of the calling thread, which has this port.
    fn place(&self, port: region::Port) -> Rc<EngineThread> {
        PLACES.with_borrow_mut(|places| {
            if let Some((_, place)) = places.iter().find(|(number, _)| *number == self.number) {
                return place.clone();
            }
            let place = Rc::new(EngineThread::new(self.region.clone(), port));
            // The engine thread lasts as long as its thread: engines cannot end with it, when
            // objects of the thread that they use may be dropped before.
            std::mem::forget(place.clone());
            places.push((self.number, place.clone()));
            place
        })
    }

    /// Waits for requests under way and ends the threads.
    pub fn stop(&self) {
        self.pool.stop();
    }
}
