//! A thread's part of the service: its engines, and the scripts that run on
//! them side by side, each on a stack of its own.
//!
//! A place belongs to a thread of the pool or to one of the gateway's. An
//! engine serves one request at a time. Only a few requests of a script run at
//! the same time, and later ones wait for an engine: each engine has memory of
//! its own, and only that of a few stays in the processor's caches. A request
//! that has waited long for an event does not count as one of the few, so slow
//! programs delay no other request.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use region::{Handle, Port};
use tokio::sync::Notify;
use tokio::task::spawn_local;

use crate::engine::{EngineState, Request, ScriptAnswer, ScriptEngine};
use crate::failure::{self, ScriptFailure};
use crate::fiber::{Fiber, FiberExit, FiberStack};
use crate::host::{ScriptHost, TaskAttributes};
use crate::overdue;
use crate::pool::ScriptGeneration;
use crate::records::EngineRecords;
use crate::regional::{LinkingScript, RegionHost};
use crate::stream::Client;
use crate::transfer::gone_over;
use crate::work::ScriptTask;

/// Engines without work that a place keeps.
const KEPT_IDLE: usize = 64;
/// Requests of a script that continue side by side: while one waits for a brief
/// program the others compute. With sixteen a request took twice the time of
/// one with four, since none found its memory in the processor's caches.
const TOGETHER: usize = 4;
/// A request that has waited for so long is not counted among them.
const LONG_WAIT: Duration = Duration::from_millis(1);
/// Between two looks, while requests wait for an engine, whether those that have
/// one wait for long.
const ENGINE_CHECK_INTERVAL: Duration = Duration::from_millis(2);
/// Most engines of a place.
const MOST_ENGINES: usize = 128;
/// The limit including scripts that others wait for.
const MOST_NESTED: usize = 256;
/// Bytes of a stack in addition to what a script may use: natives, and the
/// engine's own use where it checks its limit.
const OWN_STACK: usize = 512 << 10;

/// The message for a script that was abandoned within a step.
const OVERDUE: &str = "the script used its runaway limit of CPU time within one built-in \
    function, which cannot be interrupted";

/// A request with its task.
pub struct ScriptJob {
    /// The scripts as they were when it came.
    pub edition: Arc<ScriptGeneration>,
    /// Which one.
    pub script: Arc<str>,
    /// The request.
    pub request: Request,
    /// The task that it runs in.
    pub work: ScriptTask,
    /// The client that receives the answer in parts; `None` for a script that
    /// was linked to.
    pub client: Option<Client>,
}

/// The state of a thread that serves scripts.
pub struct EngineThread {
    region: Handle,
    port: Port,
    engines: RefCell<Engines>,
    /// A timer checks whether engines wait for long.
    check_timer_runs: Cell<bool>,
    active: Cell<usize>,
}

/// The engines of a place.
#[derive(Default)]
struct Engines {
    edition: Option<Arc<ScriptGeneration>>,
    scripts: Vec<OfScript>,
    stacks: Vec<FiberStack>,
}

/// The engines of a script.
struct OfScript {
    name: Arc<str>,
    /// Idle engines; the one used last is at the end, its memory still warm.
    #[expect(
        clippy::vec_box,
        reason = "moved into a request and back through a future"
    )]
    idle: Vec<Box<ScriptEngine>>,
    /// The shared state of running engines.
    busy: Vec<Rc<EngineState>>,
    /// Engines that are being loaded.
    loading: usize,
    /// Notified when an engine becomes free; each waiting request has a
    /// reference to it.
    freed: Rc<Notify>,
}

/// How a request gets its engine.
enum EngineSource {
    /// By one without work.
    Engine(Box<ScriptEngine>),
    /// By loading one.
    Load,
    /// Others are before it.
    Wait,
}

impl EngineThread {
    /// A place for the thread of this port.
    pub fn new(region: Handle, port: Port) -> EngineThread {
        EngineThread {
            region,
            port,
            engines: RefCell::default(),
            check_timer_runs: Cell::new(false),
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
    pub fn serve(
        self: Rc<Self>,
        job: ScriptJob,
    ) -> impl Future<Output = Result<ScriptAnswer, ScriptFailure>> {
        self.serve_for(job, None)
    }

    /// As above for a script that another one linked to; returns the task to
    /// that one.
    pub async fn serve_for(
        self: Rc<Self>,
        job: ScriptJob,
        lender: Option<Rc<LinkingScript>>,
    ) -> Result<ScriptAnswer, ScriptFailure> {
        self.active.set(self.active.get() + 1);
        let result = self.clone().run(job, lender).await;
        self.active.set(self.active.get() - 1);
        result
    }

    async fn run(
        self: Rc<Self>,
        job: ScriptJob,
        lender: Option<Rc<LinkingScript>>,
    ) -> Result<ScriptAnswer, ScriptFailure> {
        let ScriptJob {
            edition,
            script,
            request,
            mut work,
            client,
        } = job;
        work.move_to(&self.port);
        let purged = work.purged();
        let facts = TaskAttributes {
            task: work.number(),
            transid: work.transid().to_string().trim_end().to_owned(),
            userid: work.userid().to_string().trim_end().to_owned(),
            applid: edition.region.0.clone(),
            sysid: edition.region.1.clone(),
        };
        let (number, transid) = (facts.task, facts.transid.clone());
        // The waiting script has an engine: a nested one must not queue.
        let nested = lender.is_some() || matches!(work, ScriptTask::Guest(_));
        let host = RegionHost::new(&self, &edition, work, facts, &script)
            .answering(client)
            .lent_by(lender);
        let host: Box<dyn ScriptHost> = Box::new(host);
        let result = match self.engine(&edition, &script, nested).await {
            Ok(mut engine) => {
                let (place, of, name) = (self.clone(), edition.clone(), script.clone());
                let shared = engine.shared();
                let watched = shared.clone();
                let run = move || {
                    let (result, mut host) = engine.serve(request, host, purged);
                    place.give_back(&of, name, engine);
                    let result = result.and_then(|answer| gone_over(answer, &mut *host));
                    finished(result, host, watched.watch.used_ns())
                };
                let fiber = self.fiber(&edition, run);
                let fiber = fiber.inspect_err(|_| self.lost(&edition, &script, &shared))?;
                match (RunningScript {
                    fiber,
                    shared: shared.clone(),
                })
                .await
                {
                    FiberExit::Returned(result, stack) => {
                        self.engines.borrow_mut().keep(&edition, stack);
                        edition.paced(&script, shared.watch.longest_ns());
                        result
                    }
                    FiberExit::Left => {
                        self.lost(&edition, &script, &shared);
                        edition.paced(&script, u64::MAX);
                        // SAFETY: the engine was left for good.
                        unsafe { shared.release() };
                        let mut failure = ScriptFailure::new(failure::RUNAWAY, OVERDUE);
                        failure.abend.program = script.to_string();
                        let host = shared.host.borrow_mut().take();
                        match host {
                            Some(host) => self.end(&edition, Err(failure), host).await,
                            None => Err(failure),
                        }
                    }
                }
            }
            Err(failure) => self.end(&edition, Err(failure), host).await,
        };
        if let Err(failure) = &result {
            log_failure(failure, number, &transid, &script);
        }
        result
    }

    /// Ends the task of a script that has not run, or was stopped for good.
    async fn end(
        &self,
        edition: &Arc<ScriptGeneration>,
        result: Result<ScriptAnswer, ScriptFailure>,
        host: Box<dyn ScriptHost>,
    ) -> Result<ScriptAnswer, ScriptFailure> {
        let fiber = self.fiber(edition, move || finished(result, host, 0))?;
        match fiber.await {
            FiberExit::Returned(result, stack) => {
                self.engines.borrow_mut().keep(edition, stack);
                result
            }
            FiberExit::Left => Err(ScriptFailure::new(failure::PURGED, "the task was ended")),
        }
    }

    fn fiber<R: 'static>(
        &self,
        edition: &ScriptGeneration,
        run: impl FnOnce() -> R + 'static,
    ) -> Result<Fiber<R>, ScriptFailure> {
        let kept = self.engines.borrow_mut().stacks.pop();
        let stack = match kept {
            Some(stack) => stack,
            None => FiberStack::new(edition.limits.stack_bytes + OWN_STACK)
                .map_err(|e| ScriptFailure::new(failure::LOAD, format!("no stack: {e}")))?,
        };
        Ok(Fiber::new(stack, run))
    }

    /// An engine for a script: one without work, or a new one.
    async fn engine(
        self: &Rc<Self>,
        edition: &Arc<ScriptGeneration>,
        script: &Arc<str>,
        nested: bool,
    ) -> Result<Box<ScriptEngine>, ScriptFailure> {
        loop {
            let turn = self.engines.borrow_mut().turn(edition, script, nested);
            match turn {
                EngineSource::Engine(engine) => return Ok(engine),
                EngineSource::Load => break,
                EngineSource::Wait => {}
            }
            if nested {
                let text = "too many scripts wait for one another";
                return Err(ScriptFailure::new(failure::NESTED, text));
            }
            let freed = self.engines.borrow_mut().of(edition, script).freed.clone();
            self.check_busy_engines();
            freed.notified().await;
        }
        let (of, name) = (edition.clone(), script.clone());
        let load = move || {
            let records = EngineRecords::new(of.library.clone());
            ScriptEngine::load(&of.sources, &name, of.limits, records).map(Box::new)
        };
        let fiber = self.fiber(edition, load).inspect_err(|_| {
            self.engines.borrow_mut().loaded(edition, script, None);
        })?;
        let loaded = match fiber.await {
            FiberExit::Returned(loaded, stack) => {
                self.engines.borrow_mut().keep(edition, stack);
                loaded.map_err(|mistake| {
                    let mut failure = ScriptFailure::new(failure::LOAD, mistake.message);
                    failure.abend.program = mistake.file.display().to_string();
                    failure.abend.line = mistake.line;
                    failure
                })
            }
            FiberExit::Left => Err(ScriptFailure::new(
                failure::LOAD,
                "its top level used its limit of CPU time",
            )),
        };
        let shared = loaded.as_ref().ok().map(|engine| engine.shared());
        let mut engines = self.engines.borrow_mut();
        engines.loaded(edition, script, shared);
        if loaded.is_err() {
            engines.notify_first_waiting(edition, script);
        }
        loaded
    }

    /// While a request waits for an engine, checks from time to time whether
    /// the busy engines wait for long. One timer for each waiting request would
    /// cost more than a brief script.
    fn check_busy_engines(self: &Rc<Self>) {
        if self.check_timer_runs.replace(true) {
            return;
        }
        let place = self.clone();
        spawn_local(async move {
            loop {
                tokio::time::sleep(ENGINE_CHECK_INTERVAL).await;
                if !place.engines.borrow().notify_long_waiting(Instant::now()) {
                    break;
                }
            }
            place.check_timer_runs.set(false);
        });
    }

    /// An engine has no work any more.
    fn give_back(
        &self,
        edition: &Arc<ScriptGeneration>,
        script: Arc<str>,
        engine: Box<ScriptEngine>,
    ) {
        let dropped = self.engines.borrow_mut().put(edition, &script, engine);
        drop(dropped);
        self.engines
            .borrow_mut()
            .notify_first_waiting(edition, &script);
    }

    /// An engine has ended.
    fn lost(&self, edition: &Arc<ScriptGeneration>, script: &Arc<str>, shared: &Rc<EngineState>) {
        let mut engines = self.engines.borrow_mut();
        engines.rests(edition, script, shared);
        engines.notify_first_waiting(edition, script);
    }
}

impl Engines {
    fn is_of(&self, edition: &Arc<ScriptGeneration>) -> bool {
        let own = self.edition.as_ref();
        own.is_some_and(|own| Arc::ptr_eq(own, edition))
    }

    /// The engines of a script; those of other editions go.
    fn of(&mut self, edition: &Arc<ScriptGeneration>, script: &Arc<str>) -> &mut OfScript {
        if !self.is_of(edition) {
            for script in self.scripts.drain(..) {
                script.freed.notify_waiters();
            }
            self.stacks.clear();
            self.edition = Some(edition.clone());
        }
        let found = self.scripts.iter().position(|s| s.name == *script);
        let at = found.unwrap_or_else(|| {
            self.scripts.push(OfScript {
                name: script.clone(),
                idle: Vec::new(),
                busy: Vec::new(),
                loading: 0,
                freed: Rc::default(),
            });
            self.scripts.len() - 1
        });
        &mut self.scripts[at]
    }

    /// Decides how a request gets an engine. A `nested` request does not queue,
    /// because the script that waits for it occupies an engine.
    fn turn(
        &mut self,
        edition: &Arc<ScriptGeneration>,
        script: &Arc<str>,
        nested: bool,
    ) -> EngineSource {
        let of = self.of(edition, script);
        let many = of.busy.len() + of.loading >= TOGETHER;
        if !nested && many && of.together(Instant::now()) >= TOGETHER {
            return EngineSource::Wait;
        }
        if let Some(engine) = of.idle.pop() {
            of.busy.push(engine.shared());
            return EngineSource::Engine(engine);
        }
        let most = if nested { MOST_NESTED } else { MOST_ENGINES };
        if self.scripts.iter().map(OfScript::made).sum::<usize>() >= most {
            return EngineSource::Wait;
        }
        self.of(edition, script).loading += 1;
        EngineSource::Load
    }

    /// Notifies the first waiting request that an engine is free.
    fn notify_first_waiting(&mut self, edition: &Arc<ScriptGeneration>, script: &Arc<str>) {
        if self.is_of(edition) {
            self.of(edition, script).freed.notify_one();
        }
    }

    /// Notifies waiting requests whose busy engines wait for long; returns
    /// false when no request waits.
    fn notify_long_waiting(&self, now: Instant) -> bool {
        let waits = |of: &&OfScript| Rc::strong_count(&of.freed) > 1;
        let mut any = false;
        for of in self.scripts.iter().filter(waits) {
            any = true;
            if of.together(now) < TOGETHER {
                of.freed.notify_waiters();
            }
        }
        any
    }

    /// An engine has been loaded, and is at work, or could not be.
    fn loaded(
        &mut self,
        edition: &Arc<ScriptGeneration>,
        script: &Arc<str>,
        shared: Option<Rc<EngineState>>,
    ) {
        if self.is_of(edition) {
            let of = self.of(edition, script);
            of.loading = of.loading.saturating_sub(1);
            of.busy.extend(shared);
        }
    }

    /// An engine has no work any more.
    fn rests(
        &mut self,
        edition: &Arc<ScriptGeneration>,
        script: &Arc<str>,
        shared: &Rc<EngineState>,
    ) {
        if self.is_of(edition) {
            let busy = &mut self.of(edition, script).busy;
            busy.retain(|other| !Rc::ptr_eq(other, shared));
        }
    }

    /// Keeps a stack, which has the size that the edition's limits say.
    fn keep(&mut self, edition: &Arc<ScriptGeneration>, stack: FiberStack) {
        if self.is_of(edition) {
            self.stacks.push(stack);
        }
    }

    /// Keeps an engine. Returns the one that has to go for it: of the script
    /// that has most without work, the one used longest ago.
    fn put(
        &mut self,
        edition: &Arc<ScriptGeneration>,
        script: &Arc<str>,
        engine: Box<ScriptEngine>,
    ) -> Option<Box<ScriptEngine>> {
        if !self.is_of(edition) {
            return Some(engine);
        }
        self.rests(edition, script, &engine.shared());
        self.of(edition, script).idle.push(engine);
        let idle = self.scripts.iter().map(|s| s.idle.len());
        if idle.sum::<usize>() <= KEPT_IDLE {
            return None;
        }
        let most = self.scripts.iter_mut().max_by_key(|s| s.idle.len())?;
        Some(most.idle.remove(0))
    }
}

impl OfScript {
    /// Engines that there are, or will be in a moment.
    fn made(&self) -> usize {
        self.idle.len() + self.busy.len() + self.loading
    }

    /// Requests that continue side by side now.
    fn together(&self, now: Instant) -> usize {
        let waits = |shared: &&Rc<EngineState>| shared.watch.has_waited(now) >= LONG_WAIT;
        self.loading + self.busy.len() - self.busy.iter().filter(waits).count()
    }
}

/// A script that runs. When it is dropped in the midst of something, its task
/// is backed out.
struct RunningScript<R> {
    fiber: Fiber<R>,
    shared: Rc<EngineState>,
}

impl<R: 'static> Future for RunningScript<R> {
    type Output = FiberExit<R>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<FiberExit<R>> {
        self.shared.watch.entered();
        overdue::enter(self.shared.watch.limit_ns());
        let polled = Pin::new(&mut self.fiber).poll(cx);
        overdue::leave();
        self.shared.watch.left();
        polled
    }
}

impl<R> Drop for RunningScript<R> {
    fn drop(&mut self) {
        if self.fiber.discard_stack() {
            // SAFETY: the borrower was on the stack that is never
            // entered again.
            let host = unsafe { (*self.shared.host.as_ptr()).take() };
            drop(host);
        }
    }
}

/// Ends the task of a script and returns its outcome.
fn finished(
    mut result: Result<ScriptAnswer, ScriptFailure>,
    host: Box<dyn ScriptHost>,
    used_ns: u64,
) -> Result<ScriptAnswer, ScriptFailure> {
    let ended = match &mut result {
        Ok(answer) => Ok(answer),
        Err(failure) => Err(&failure.abend),
    };
    if let Err(abend) = host.finish(ended, used_ns)
        && result.is_ok()
    {
        result = Err(ScriptFailure {
            abend,
            stack: String::new(),
        });
    }
    result
}

/// A line of the log for a script that failed.
fn log_failure(failure: &ScriptFailure, task: u64, transid: &str, script: &str) {
    let ScriptFailure { abend, stack } = failure;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::records::CopybookLibrary;
    use crate::source::ModuleSources;
    use fetch::HttpFetcher;

    fn edition() -> Arc<ScriptGeneration> {
        Arc::new(ScriptGeneration {
            sources: Arc::new(ModuleSources::default()),
            library: Arc::new(CopybookLibrary::new(
                Vec::new(),
                copybook::CodePage::ascii(),
            )),
            limits: Limits::default(),
            region: (String::new(), String::new()),
            fetcher: HttpFetcher::default(),
            programs: std::collections::BTreeMap::new(),
            paces: Vec::new(),
        })
    }

    /// A script that has left its thread now.
    fn waits() -> Rc<EngineState> {
        let shared = Rc::new(EngineState::default());
        shared.watch.entered();
        shared.watch.left();
        shared
    }

    /// Whether a request may have an engine.
    fn may(engines: &mut Engines, edition: &Arc<ScriptGeneration>, script: &Arc<str>) -> bool {
        matches!(engines.turn(edition, script, false), EngineSource::Load)
    }

    #[test]
    fn few_requests_of_a_script_run_together_and_later_ones_wait() {
        let (mut engines, edition) = (Engines::default(), edition());
        let (one, other): (Arc<str>, Arc<str>) = ("one.js".into(), "other.js".into());
        let begun = (0..TOGETHER).all(|_| may(&mut engines, &edition, &one));
        assert!(begun && !may(&mut engines, &edition, &one));
        assert!(may(&mut engines, &edition, &other), "each script by itself");
        // One that could not be loaded makes room, and so does one that ends.
        engines.loaded(&edition, &one, None);
        assert!(may(&mut engines, &edition, &one) && !may(&mut engines, &edition, &one));
        let shared = waits();
        engines.loaded(&edition, &one, Some(shared.clone()));
        assert!(!may(&mut engines, &edition, &one));
        engines.rests(&edition, &one, &shared);
        assert!(may(&mut engines, &edition, &one));
    }

    #[test]
    fn a_request_that_waits_for_long_keeps_no_other_from_its_turn() {
        let (mut engines, edition) = (Engines::default(), edition());
        let script: Arc<str> = "one.js".into();
        let all: Vec<Rc<EngineState>> = (0..TOGETHER).map(|_| waits()).collect();
        for shared in &all {
            assert!(may(&mut engines, &edition, &script));
            engines.loaded(&edition, &script, Some(shared.clone()));
        }
        let of = engines.of(&edition, &script);
        let left = Instant::now();
        assert_eq!(of.together(left + LONG_WAIT), 0);
        // It continues, so it counts again.
        all[0].watch.entered();
        assert_eq!(of.together(left + 2 * LONG_WAIT), 1);
    }

    #[test]
    fn engines_of_other_scripts_than_those_in_force_are_forgotten() {
        let (mut engines, old, new) = (Engines::default(), edition(), edition());
        let script: Arc<str> = "one.js".into();
        (0..TOGETHER).for_each(|_| assert!(may(&mut engines, &old, &script)));
        assert!(may(&mut engines, &new, &script));
        // Engines of the old scripts do not count for the new ones.
        engines.rests(&old, &script, &waits());
        engines.loaded(&old, &script, None);
        assert_eq!(engines.of(&new, &script).made(), 1);
    }
}
