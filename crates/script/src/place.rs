//! A thread's part of the service: its engines, and the scripts that run on
//! them side by side, each on a stack of its own.
//!
//! A place belongs to a thread of the pool or to one of the gateway's. An
//! engine serves one request at a time; what is kept grows with the requests
//! that are under way at once, and an engine that is free is waited for a
//! moment before another one is loaded.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use region::{Handle, Port};
use tokio::sync::Notify;

use crate::engine::{Answer, Engine, Request, Shared};
use crate::failure::{self, Failure};
use crate::fiber::{Ended, Fiber, Stack};
use crate::host::{Facts, Host};
use crate::overdue;
use crate::pool::Edition;
use crate::records::Records;
use crate::regional::{Lender, RegionHost};
use crate::stream::Client;
use crate::work::Work;

/// Engines without work that a place keeps.
const KEPT_IDLE: usize = 64;
/// Engines of a script that are loaded without waiting for one to become free.
const EAGER: usize = 8;
/// How long a request waits for an engine before another one is loaded.
const PATIENCE: Duration = Duration::from_millis(20);
/// Most engines of a place.
const MOST_ENGINES: usize = 128;
/// The same with those of scripts that others wait for.
const MOST_NESTED: usize = 256;
/// Bytes of a stack beside what a script may use of it: natives, and what the
/// engine itself needs where it looks at its limit.
const OWN_STACK: usize = 512 << 10;

/// What is told of a script that was left in the midst of a step.
const OVERDUE: &str = "the script used its runaway limit of CPU time within one function of the \
                       language, which cannot be asked to end";

/// A request with its task.
pub struct Job {
    /// The scripts as they were when it came.
    pub edition: Arc<Edition>,
    /// Which one.
    pub script: Arc<str>,
    /// What is asked.
    pub request: Request,
    /// The task that it runs in.
    pub work: Work,
    /// Who hears the answer by parts; nobody for a script that is linked to.
    pub client: Option<Client>,
}

/// What a thread has to serve scripts.
pub struct Place {
    region: Handle,
    port: Port,
    engines: RefCell<Engines>,
    /// Told when an engine has become free.
    freed: Notify,
    active: Cell<usize>,
}

/// The engines of a place, by their scripts.
#[derive(Default)]
struct Engines {
    edition: Option<Arc<Edition>>,
    /// Without work; those used last stand last.
    idle: Vec<(Arc<str>, Engine)>,
    /// All, with those that work.
    made: HashMap<Arc<str>, usize>,
    stacks: Vec<Stack>,
}

impl Place {
    /// A place for the thread of this port.
    pub fn new(region: Handle, port: Port) -> Place {
        Place {
            region,
            port,
            engines: RefCell::default(),
            freed: Notify::new(),
            active: Cell::new(0),
        }
    }

    /// The region.
    pub fn region(&self) -> &Handle {
        &self.region
    }

    /// The port of its thread.
    pub fn port(&self) -> &Port {
        &self.port
    }

    /// Requests that are under way here.
    pub fn active(&self) -> usize {
        self.active.get()
    }

    /// Serves a request to its end, its unit of work committed or backed out.
    pub async fn serve(self: Rc<Self>, job: Job) -> Result<Answer, Failure> {
        self.serve_for(job, None).await
    }

    /// The same for a script that another one linked to, whose task it gives
    /// back.
    pub async fn serve_for(
        self: Rc<Self>,
        job: Job,
        lender: Option<Rc<Lender>>,
    ) -> Result<Answer, Failure> {
        self.active.set(self.active.get() + 1);
        let result = self.clone().run(job, lender).await;
        self.active.set(self.active.get() - 1);
        result
    }

    async fn run(self: Rc<Self>, job: Job, lender: Option<Rc<Lender>>) -> Result<Answer, Failure> {
        let Job {
            edition,
            script,
            request,
            mut work,
            client,
        } = job;
        work.move_to(&self.port);
        let purged = work.purged();
        let facts = Facts {
            task: work.number(),
            transid: work.transid().to_string().trim_end().to_owned(),
            userid: work.userid().to_string().trim_end().to_owned(),
            applid: edition.region.0.clone(),
            sysid: edition.region.1.clone(),
        };
        let (number, transid) = (facts.task, facts.transid.clone());
        // Who waits for it holds an engine too: it cannot wait for one.
        let nested = lender.is_some() || matches!(work, Work::Guest(_));
        let host = RegionHost::new(&self, &edition, work, facts, &script)
            .answering(client)
            .lent_by(lender);
        let result = match self.engine(&edition, &script, nested).await {
            Ok(mut engine) => {
                let (place, of, name) = (self.clone(), edition.clone(), script.clone());
                let shared = engine.shared();
                let watched = shared.clone();
                let run = move || {
                    let (result, host) = engine.serve(request, Box::new(host), purged);
                    place.give_back(&of, name, engine);
                    finished(result, host, watched.watch.used_ns())
                };
                let fiber = self.fiber(&edition, run)?;
                match (Serving {
                    fiber,
                    shared: shared.clone(),
                })
                .await
                {
                    Ended::Returned(result, stack) => {
                        self.engines.borrow_mut().keep(&edition, stack);
                        edition.paced(&script, shared.watch.longest_ns());
                        result
                    }
                    Ended::Left => {
                        self.lost(&edition, &script);
                        edition.paced(&script, u64::MAX);
                        // SAFETY: the engine was left for good.
                        unsafe { shared.release() };
                        let mut failure = Failure::new(failure::RUNAWAY, OVERDUE);
                        failure.abend.program = script.to_string();
                        let host = shared.host.borrow_mut().take();
                        match host {
                            Some(host) => self.end(&edition, Err(failure), host).await,
                            None => Err(failure),
                        }
                    }
                }
            }
            Err(failure) => self.end(&edition, Err(failure), Box::new(host)).await,
        };
        if let Err(failure) = &result {
            tell(failure, number, &transid, &script);
        }
        result
    }

    /// Ends the task of a script that has not run, or was stopped for good.
    async fn end(
        &self,
        edition: &Arc<Edition>,
        result: Result<Answer, Failure>,
        host: Box<dyn Host>,
    ) -> Result<Answer, Failure> {
        let fiber = self.fiber(edition, move || finished(result, host, 0))?;
        match fiber.await {
            Ended::Returned(result, stack) => {
                self.engines.borrow_mut().keep(edition, stack);
                result
            }
            Ended::Left => Err(Failure::new(failure::PURGED, "the task was ended")),
        }
    }

    fn fiber<R: 'static>(
        &self,
        edition: &Edition,
        run: impl FnOnce() -> R + 'static,
    ) -> Result<Fiber<R>, Failure> {
        let kept = self.engines.borrow_mut().stacks.pop();
        let stack = match kept {
            Some(stack) => stack,
            None => Stack::new(edition.limits.stack_bytes + OWN_STACK)
                .map_err(|e| Failure::new(failure::LOAD, format!("no stack: {e}")))?,
        };
        Ok(Fiber::new(stack, run))
    }

    /// An engine for a script: one without work, or a new one.
    async fn engine(
        &self,
        edition: &Arc<Edition>,
        script: &Arc<str>,
        nested: bool,
    ) -> Result<Engine, Failure> {
        let mut waited = false;
        loop {
            if let Some(engine) = self.engines.borrow_mut().take(edition, script) {
                return Ok(engine);
            }
            if self.engines.borrow_mut().may_make(script, waited, nested) {
                break;
            }
            if nested {
                let text = "too many scripts that wait for one another";
                return Err(Failure::new(failure::NESTED, text));
            }
            tokio::select! {
                () = self.freed.notified() => {}
                () = tokio::time::sleep(PATIENCE) => waited = true,
            }
        }
        let (of, name) = (edition.clone(), script.clone());
        let load = move || {
            let records = Records::new(of.library.clone());
            Engine::load(&of.sources, &name, of.limits, records)
        };
        let loaded = match self.fiber(edition, load)?.await {
            Ended::Returned(loaded, stack) => {
                self.engines.borrow_mut().keep(edition, stack);
                loaded.map_err(|mistake| {
                    let mut failure = Failure::new(failure::LOAD, mistake.message);
                    failure.abend.program = mistake.place.file;
                    failure.abend.line = mistake.place.line;
                    failure
                })
            }
            Ended::Left => Err(Failure::new(
                failure::LOAD,
                "its top level computes for too long",
            )),
        };
        if loaded.is_err() {
            self.lost(edition, script);
        }
        loaded
    }

    /// An engine has no work any more.
    fn give_back(&self, edition: &Arc<Edition>, script: Arc<str>, engine: Engine) {
        let dropped = self.engines.borrow_mut().put(edition, script, engine);
        drop(dropped);
        self.freed.notify_one();
    }

    /// An engine is no more.
    fn lost(&self, edition: &Arc<Edition>, script: &Arc<str>) {
        self.engines.borrow_mut().forget(edition, script);
        self.freed.notify_one();
    }
}

impl Engines {
    fn is_of(&self, edition: &Arc<Edition>) -> bool {
        let own = self.edition.as_ref();
        own.is_some_and(|own| Arc::ptr_eq(own, edition))
    }

    /// An engine without work; engines of other editions go.
    fn take(&mut self, edition: &Arc<Edition>, script: &Arc<str>) -> Option<Engine> {
        if !self.is_of(edition) {
            self.idle.clear();
            self.made.clear();
            self.stacks.clear();
            self.edition = Some(edition.clone());
        }
        let at = self.idle.iter().rposition(|(name, _)| name == script)?;
        Some(self.idle.remove(at).1)
    }

    /// Whether another engine of the script is to be loaded; it is counted.
    fn may_make(&mut self, script: &Arc<str>, waited: bool, nested: bool) -> bool {
        let all: usize = self.made.values().sum();
        let own = self.made.entry(script.clone()).or_default();
        let may = match nested {
            true => all < MOST_NESTED,
            false => (*own < EAGER || waited) && all < MOST_ENGINES,
        };
        if may {
            *own += 1;
        }
        may
    }

    fn forget(&mut self, edition: &Arc<Edition>, script: &Arc<str>) {
        if self.is_of(edition)
            && let Some(made) = self.made.get_mut(script)
        {
            *made = made.saturating_sub(1);
        }
    }

    /// Keeps a stack, which has the size that the edition's limits say.
    fn keep(&mut self, edition: &Arc<Edition>, stack: Stack) {
        if self.is_of(edition) {
            self.stacks.push(stack);
        }
    }

    /// Keeps an engine; gives the one that has to go for it.
    fn put(&mut self, edition: &Arc<Edition>, script: Arc<str>, engine: Engine) -> Option<Engine> {
        if !self.is_of(edition) {
            return Some(engine);
        }
        self.idle.push((script, engine));
        if self.idle.len() <= KEPT_IDLE {
            return None;
        }
        let (script, engine) = self.idle.remove(0);
        self.forget(edition, &script);
        Some(engine)
    }
}

/// A script that runs. When it is dropped in the midst of something, its task
/// is backed out.
struct Serving<R> {
    fiber: Fiber<R>,
    shared: Rc<Shared>,
}

impl<R: 'static> Future for Serving<R> {
    type Output = Ended<R>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Ended<R>> {
        self.shared.watch.entered();
        overdue::enter(self.shared.watch.limit_ns());
        let polled = Pin::new(&mut self.fiber).poll(cx);
        overdue::leave();
        self.shared.watch.left();
        polled
    }
}

impl<R> Drop for Serving<R> {
    fn drop(&mut self) {
        if self.fiber.let_go() {
            // SAFETY: who had it borrowed was on the stack that is never
            // entered again.
            let host = unsafe { (*self.shared.host.as_ptr()).take() };
            drop(host);
        }
    }
}

/// Ends the task of a script, and says what came of it.
fn finished(
    mut result: Result<Answer, Failure>,
    host: Box<dyn Host>,
    used_ns: u64,
) -> Result<Answer, Failure> {
    let ended = match &mut result {
        Ok(answer) => Ok(answer),
        Err(failure) => Err(&failure.abend),
    };
    if let Err(abend) = host.finish(ended, used_ns)
        && result.is_ok()
    {
        result = Err(Failure {
            abend,
            stack: String::new(),
        });
    }
    result
}

/// A line of the log for a script that failed.
fn tell(failure: &Failure, task: u64, transid: &str, script: &str) {
    let Failure { abend, stack } = failure;
    let (code, line) = (&abend.code, abend.line);
    let place = match line {
        0 => abend.program.clone(),
        line => format!("{}:{line}", abend.program),
    };
    let stack: String = stack.lines().map(|l| format!("\n{l}")).collect();
    tracing::warn!(
        target: "script", task, %transid, %script, %code, at = %place,
        "{}{stack}", abend.message
    );
}
