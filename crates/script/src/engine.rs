//! One script, loaded and ready, and the requests that it serves one by one.
//!
//! Loading makes a runtime in an arena of its own, evaluates the engine's own
//! part and the script's modules, and takes a snapshot. A request is served in
//! that realm; afterwards the snapshot is restored. So the top level of a
//! module runs once, when it is loaded, and no state of a request reaches the
//! next.
//!
//! Invariant: an engine stays on the thread that made it. No value of
//! JavaScript that was made since the snapshot is held across a set-back.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rquickjs::module::Evaluated;
use rquickjs::{
    Array, CatchResultExt, CaughtError, Context, Ctx, Error, Function, Module, Object, Persistent,
    Promise, Runtime, Undefined, Value, qjs,
};

use base::Diagnostic;
use region::LinkData;

use crate::arena::{self, Arena};
use crate::failure::{self, ScriptFailure, SourcePosition};
use crate::host::{AbendInfo, HostEvent, ScriptHost};
use crate::limits::{Limits, RequestWatch, StopReason};
use crate::natives;
use crate::records::EngineRecords;
use crate::source::{InFolder, ModuleSources};
use crate::transfer::XctlTarget;

/// The engine's own part: the globals that scripts have in addition to the
/// language.
const PRELUDE: &[(&str, &str)] = &[
    ("<tupelo:locale>", include_str!("prelude/locale.js")),
    ("<tupelo:cics>", include_str!("prelude/cics.js")),
    ("<tupelo:copybook>", include_str!("prelude/copybook.js")),
    ("<tupelo:xml>", include_str!("prelude/xml.js")),
    ("<tupelo:http>", include_str!("prelude/http.js")),
    ("<tupelo:program>", include_str!("prelude/program.js")),
    ("<tupelo:main>", include_str!("prelude/main.js")),
];
/// Bytes that a script may allocate before cycles are looked for: a request
/// that stays below is never held up by it.
const GC_THRESHOLD: usize = 16 << 20;
/// Jobs of promises between two checks of the limits: each may be too short for
/// the engine to check by itself. A script without memory may run this many
/// more.
const JOBS_BETWEEN_CHECKS: u32 = 256;

/// State that natives and the engine share while a request is served.
#[derive(Default)]
pub struct EngineState {
    /// The host of the request; `None` while a script is loaded.
    pub host: RefCell<Option<Box<dyn ScriptHost>>>,
    /// The request.
    pub request: RefCell<Rc<Request>>,
    /// The limits of the request.
    pub watch: RequestWatch,
    /// Layouts that scripts have asked for.
    pub records: EngineRecords,
    /// Promises that were rejected without a handler: address, reason, and call
    /// stack.
    rejected: RefCell<Vec<(usize, String, String)>>,
    /// Timers by their time, with their numbers.
    pub timers: RefCell<Vec<(std::time::Instant, u32)>>,
    /// Tasks that were begun and have not ended.
    pub children: std::cell::Cell<u32>,
    /// The script has transferred control to a program (XCTL).
    pub transfer: RefCell<Option<XctlTarget>>,
    /// The engine's memory: where it begins, and its bytes.
    memory: std::cell::Cell<(usize, usize)>,
}

/// A script that is loaded.
pub struct ScriptEngine {
    // Before the runtime, whose values they are.
    own: EngineFunctions<Persistent<Function<'static>>>,
    namespace: Persistent<Object<'static>>,
    context: Context,
    runtime: Runtime,
    shared: Rc<EngineState>,
    limits: Limits,
    exports: Vec<String>,
    name: String,
    // Last: the others live in it.
    arena: Arena,
}

/// A request as a script sees it.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Method in upper case.
    pub method: String,
    /// Path, as it was sent.
    pub path: String,
    /// The query string after `?`, as it was sent.
    pub query: String,
    /// The path's variables by name, decoded.
    pub variables: Vec<(String, String)>,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// A program links to the script: the script's name among programs, and the passed
    /// data. `None` for a request by HTTP.
    pub call: Option<(String, LinkData)>,
}

/// A script's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScriptAnswer {
    /// Status.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The data for a program that linked to the script.
    pub passed: Option<LinkData>,
    /// The program that takes the script's place before the answer is sent.
    pub transfer: Option<XctlTarget>,
}

impl ScriptEngine {
    /// Loads a script: compiles it with what it imports and runs its top level.
    pub fn load(
        sources: &Arc<ModuleSources>,
        name: &str,
        limits: Limits,
        records: EngineRecords,
    ) -> Result<ScriptEngine, Diagnostic> {
        let failed = |message: String| SourcePosition::of_module(name, message);
        let arena = Arena::new(limits.memory_bytes).map_err(|e| failed(e.to_string()))?;
        let none = |e: Error| failed(format!("the engine of a script cannot be created: {e}"));
        let runtime = Runtime::new_with_alloc(arena.allocator()).map_err(none)?;
        runtime.set_max_stack_size(limits.stack_bytes);
        runtime.set_gc_threshold(GC_THRESHOLD);
        runtime.set_loader(InFolder(sources.clone()), InFolder(sources.clone()));
        let shared = Rc::new(EngineState {
            records,
            ..EngineState::default()
        });
        shared
            .watch
            .begin(Arc::new(AtomicBool::new(false)), &limits);
        let watch = shared.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || watch.watch.check())));
        let tracked = shared.clone();
        runtime.set_host_promise_rejection_tracker(Some(Box::new(
            move |_ctx, promise, reason, handled| tracked.rejection(&promise, &reason, handled),
        )));
        let context = Context::full(&runtime).map_err(none)?;
        let made = context.with(|ctx| prepare(&ctx, &shared, sources, name));
        let made = made.and_then(|made| match runtime_settles(&runtime) {
            Ok(()) => Ok(made),
            Err(message) => Err(failed(message)),
        });
        let (own, namespace, exports) = match made {
            Ok(made) => made,
            Err(mistake) => {
                drop(context);
                drop(runtime);
                return Err(mistake);
            }
        };
        let mut engine = ScriptEngine {
            own,
            namespace,
            context,
            runtime,
            shared,
            limits,
            exports,
            name: name.to_owned(),
            arena,
        };
        if let Some((text, stack)) = engine.shared.rejection_left() {
            let mut place = SourcePosition::of_stack(&stack);
            if place.file.is_empty() {
                name.clone_into(&mut place.file);
            }
            return Err(place.mistake(format!("a promise was rejected: {text}")));
        }
        engine.shared.timers.borrow_mut().clear();
        engine.runtime.run_gc();
        engine.shared.memory.set(engine.arena.whole());
        engine.arena.snapshot();
        Ok(engine)
    }

    /// The names that the script exports.
    pub fn exports(&self) -> &[String] {
        &self.exports
    }

    /// Bytes of the realm as it is after loading, and of those of its pages
    /// that requests have written and are put back.
    pub fn image_bytes(&self) -> (usize, usize) {
        self.arena.written()
    }

    /// The state that this engine and its natives share.
    pub(crate) fn shared(&self) -> Rc<EngineState> {
        self.shared.clone()
    }

    /// Serves a request. `purged` becomes true when its task is to end.
    pub fn serve(
        &mut self,
        request: Request,
        host: Box<dyn ScriptHost>,
        purged: Arc<AtomicBool>,
    ) -> (Result<ScriptAnswer, ScriptFailure>, Box<dyn ScriptHost>) {
        let shared = self.shared.clone();
        shared.watch.begin(purged, &self.limits);
        *shared.host.borrow_mut() = Some(host);
        *shared.request.borrow_mut() = Rc::new(request);
        let mut result = self.context.with(|ctx| {
            stack_begins_here(&ctx);
            self.serve_in(&ctx)
        });
        if let Err(failure) = &mut result {
            self.explain(failure);
        }
        self.set_back();
        let host = shared.host.borrow_mut().take();
        (result, host.expect("the host was put there above"))
    }

    /// Restores the realm to its state after loading. Only values of the
    /// snapshot are referenced.
    pub(crate) fn set_back(&mut self) {
        // SAFETY: what ran in the engine has ended, and with it every value
        // that was made there; what the engine holds was there before.
        unsafe { self.arena.restore() };
        self.shared.rejected.borrow_mut().clear();
        self.shared.timers.borrow_mut().clear();
        self.shared.children.set(0);
        self.shared.transfer.take();
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.arena.is_exhausted()
    }

    fn serve_in(&self, ctx: &Ctx<'_>) -> Result<ScriptAnswer, ScriptFailure> {
        let thrown = |e: CaughtError<'_>| failure_of(&e);
        let own = |function: &Persistent<Function<'static>>| {
            let function = function.clone().restore(ctx);
            function.catch(ctx).map_err(thrown)
        };
        let namespace = self.namespace.clone().restore(ctx);
        let namespace = namespace.catch(ctx).map_err(thrown)?;
        let request = self.shared.request.borrow().clone();
        // No method if a program links to the script: HTTP has a method LINK
        // too.
        let method = match &request.call {
            Some(_) => None,
            None => Some(request.method.as_str()),
        };
        let begin = own(&self.own.begin)?;
        let begun: Value<'_> = begin.call((namespace, method)).catch(ctx).map_err(thrown)?;
        if let Some(begun) = begun.as_array() {
            call(ctx, begun, &self.own, &self.shared)
                .catch(ctx)
                .map_err(thrown)?;
        }
        let outcome = own(&self.own.outcome)?;
        let reported = loop {
            let mut jobs = 0u32;
            while !self.shared.goes_over() && ctx.execute_pending_job() {
                jobs += 1;
                if jobs.is_multiple_of(JOBS_BETWEEN_CHECKS) {
                    self.shared.watch.check();
                    // A job may throw where no handler catches it.
                    if self.arena.is_exhausted() {
                        return Err(self.out_of_memory());
                    }
                }
                if let Some(stop) = self.shared.watch.stopped() {
                    return Err(stopped(stop));
                }
            }
            if let Some(stop) = self.shared.watch.stopped() {
                return Err(stopped(stop));
            }
            if self.shared.goes_over()
                && let Some(begun) = begun.as_array()
            {
                // The answer is the response as made so far.
                let response: Value<'_> = begun.get(2).catch(ctx).map_err(thrown)?;
                let gave = own(&self.own.gave)?;
                let gave = gave.call::<_, ()>((response, Undefined));
                gave.catch(ctx).map_err(thrown)?;
            }
            let reported: Value<'_> = outcome.call(()).catch(ctx).map_err(thrown)?;
            if let Some(reported) = reported.into_array() {
                break reported;
            }
            if !self.wait(ctx, &own(&self.own.deliver)?)? {
                let text = "the script waits for a promise that is never settled";
                return Err(ScriptFailure::new(failure::PROMISE, text));
            }
        };
        let transfer = self.shared.transfer.take();
        if let Some((text, stack)) = self.shared.rejection_left()
            && transfer.is_none()
        {
            let text = format!("a promise was rejected and not handled: {text}");
            return Err(ScriptFailure {
                stack,
                ..ScriptFailure::new(failure::PROMISE, text)
            });
        }
        let mut answer = read_outcome(&reported).catch(ctx).map_err(thrown)??;
        if let (Some((_, given)), Some(passed)) =
            (&self.shared.request.borrow().call, &mut answer.passed)
        {
            natives::keep_types(given, passed);
        }
        answer.transfer = transfer;
        Ok(answer)
    }

    /// Waits for the next event of the script; returns false when none can
    /// arrive.
    fn wait<'js>(&self, ctx: &Ctx<'js>, deliver: &Function<'js>) -> Result<bool, ScriptFailure> {
        let next = self.shared.timers.borrow().iter().min().copied();
        if next.is_none() && self.shared.children.get() == 0 {
            return Ok(false);
        }
        let ended = {
            let mut host = self.shared.host.borrow_mut();
            let host = host.as_mut().expect("a request has its host");
            host.wait(next.map(|(at, _)| at))
        };
        self.shared.watch.progress();
        if self.shared.watch.is_purged() {
            return Err(stopped(StopReason::Purged));
        }
        let thrown = |e: CaughtError<'_>| failure_of(&e);
        match (ended, next) {
            (Some((number, event)), _) => {
                self.shared.children.set(self.shared.children.get() - 1);
                let value = match event {
                    HostEvent::Ended(result) => natives::output(ctx, result),
                    HostEvent::Fetched(result) => natives::fetched(ctx, result),
                };
                let value = value.catch(ctx).map_err(thrown)?;
                deliver
                    .call::<_, ()>((number, value))
                    .catch(ctx)
                    .map_err(thrown)?;
            }
            (None, Some((at, number))) if at <= std::time::Instant::now() => {
                self.shared
                    .timers
                    .borrow_mut()
                    .retain(|t| *t != (at, number));
                deliver
                    .call::<_, ()>((number,))
                    .catch(ctx)
                    .map_err(thrown)?;
            }
            (None, _) => {}
        }
        Ok(true)
    }

    fn out_of_memory(&self) -> ScriptFailure {
        let mib = self.limits.memory_bytes >> 20;
        let text = format!("the script needs more than its {mib} MiB of memory");
        ScriptFailure::new(failure::MEMORY, text)
    }

    /// Adds details to a failure that only the engine has.
    fn explain(&self, failure: &mut ScriptFailure) {
        if let Some(stop) = self.shared.watch.stopped() {
            *failure = stopped(stop);
        } else if self.arena.is_exhausted()
            && matches!(
                failure.abend.code.as_str(),
                failure::THROWN | failure::PROMISE
            )
        {
            *failure = self.out_of_memory();
        }
        if failure.abend.program.is_empty() {
            failure.abend.program = self.name.clone();
            let place = SourcePosition::of_stack(&failure.stack);
            if !place.file.is_empty() {
                failure.abend.program = place.file;
                failure.abend.line = place.line;
            }
        }
    }
}

impl EngineState {
    /// Gives the memory of the engine back.
    ///
    /// # Safety
    /// Its thread left the engine for good, which is never used nor dropped.
    pub unsafe fn release(&self) {
        let (at, bytes) = self.memory.take();
        // SAFETY: the caller guarantees that the engine is not used again.
        unsafe { arena::release(at, bytes) };
    }

    fn rejection(&self, promise: &Value<'_>, reason: &Value<'_>, handled: bool) {
        // SAFETY: only the address is taken, to recognise the promise.
        let at = unsafe { rquickjs::qjs::JS_VALUE_GET_PTR(promise.as_raw()) } as usize;
        let mut rejected = self.rejected.borrow_mut();
        if handled {
            rejected.retain(|(p, ..)| *p != at)
        } else {
            let exception = reason.as_exception();
            let stack = exception.and_then(|e| e.stack()).unwrap_or_default();
            rejected.push((at, text_of(reason), stack));
        }
    }

    /// Whether the script has ended with XCTL.
    pub fn goes_over(&self) -> bool {
        self.transfer.borrow().is_some()
    }

    fn rejection_left(&self) -> Option<(String, String)> {
        let rejected = self.rejected.borrow();
        let first = rejected.first();
        first.map(|(_, text, stack)| (text.clone(), stack.clone()))
    }
}

type EngineModule = (
    EngineFunctions<Persistent<Function<'static>>>,
    Persistent<Object<'static>>,
    Vec<String>,
);

/// Evaluates the engine's own part and the script.
fn prepare(
    ctx: &Ctx<'_>,
    shared: &Rc<EngineState>,
    sources: &Arc<ModuleSources>,
    name: &str,
) -> Result<EngineModule, Diagnostic> {
    let inner = |e: CaughtError<'_>| mistake_of(&e, name);
    let own = Object::new(ctx.clone()).catch(ctx).map_err(inner)?;
    natives::install(ctx, &own, shared)
        .catch(ctx)
        .map_err(inner)?;
    for (file, text) in PRELUDE {
        let mut options = rquickjs::context::EvalOptions::default();
        options.filename = Some((*file).to_owned());
        options.strict = true;
        let part: Function<'_> = ctx
            .eval_with_options(*text, options)
            .catch(ctx)
            .map_err(inner)?;
        part.call::<_, ()>((own.clone(),))
            .catch(ctx)
            .map_err(inner)?;
    }
    let whole = |message: &str| SourcePosition::of_module(name, message);
    let text = sources.text(name);
    let text = text.ok_or_else(|| whole("the region has no such script"))?;
    let declared = Module::declare(ctx.clone(), name, text)
        .catch(ctx)
        .map_err(inner)?;
    let (module, settled): (Module<'_, Evaluated>, Promise<'_>) =
        declared.eval().catch(ctx).map_err(inner)?;
    while ctx.execute_pending_job() {}
    match settled.result::<()>() {
        Some(result) => result.catch(ctx).map_err(inner)?,
        None => {
            return Err(whole(
                "its top level waits for a promise that is never settled",
            ));
        }
    }
    let namespace = module.namespace().catch(ctx).map_err(inner)?;
    let mut exports = Vec::new();
    for key in namespace.keys::<String>() {
        let key = key.catch(ctx).map_err(inner)?;
        let value: Value<'_> = namespace.get(&*key).catch(ctx).map_err(inner)?;
        if value.is_function() {
            exports.push(key);
        }
    }
    let part = |key: &&str| -> Result<Persistent<Function<'static>>, Diagnostic> {
        let function: Function<'_> = own.get(*key).catch(ctx).map_err(inner)?;
        Ok(Persistent::save(ctx, function))
    };
    let names = EngineFunctions {
        begin: "begin",
        gave: "gave",
        thrown: "thrown",
        outcome: "outcome",
        deliver: "deliver",
    };
    Ok((names.each(part)?, Persistent::save(ctx, namespace), exports))
}

/// Functions of the engine's own part that are called from here.
struct EngineFunctions<F> {
    /// Finds a request's handler.
    begin: F,
    /// The handler gave something back.
    gave: F,
    /// Makes the result of a thrown error.
    thrown: F,
    /// Returns the outcome of the request as soon as it has one.
    outcome: F,
    /// Delivers an event that the script waited for.
    deliver: F,
}

impl<F> EngineFunctions<F> {
    fn each<T, E>(&self, make: impl Fn(&F) -> Result<T, E>) -> Result<EngineFunctions<T>, E> {
        Ok(EngineFunctions {
            begin: make(&self.begin)?,
            gave: make(&self.gave)?,
            thrown: make(&self.thrown)?,
            outcome: make(&self.outcome)?,
            deliver: make(&self.deliver)?,
        })
    }
}

/// Calls a handler with its request and response, at the bottom of the stack,
/// so that a script's errors show only its own calls.
fn call<'js>(
    ctx: &Ctx<'js>,
    begun: &Array<'js>,
    own: &EngineFunctions<Persistent<Function<'static>>>,
    shared: &EngineState,
) -> rquickjs::Result<()> {
    let handler: Function<'js> = begun.get(0)?;
    let (request, response): (Value<'js>, Value<'js>) = (begun.get(1)?, begun.get(2)?);
    match handler.call::<_, Value<'js>>((request, response.clone())) {
        Ok(value) => own.gave.clone().restore(ctx)?.call((response, value)),
        Err(Error::Exception) => {
            let thrown = ctx.catch();
            if shared.goes_over() {
                return Ok(());
            }
            own.thrown.clone().restore(ctx)?.call((thrown,))
        }
        Err(error) => Err(error),
    }
}

impl Drop for ScriptEngine {
    fn drop(&mut self) {
        // Its end writes to every page.
        self.arena.open();
    }
}

/// Counts the script's stack from here: each request has another one than the
/// loading had, which the library takes for the same.
fn stack_begins_here(ctx: &Ctx<'_>) {
    // SAFETY: the runtime of a living context, whose thread this is.
    unsafe { qjs::JS_UpdateStackTop(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) };
}

/// Runs the pending jobs after the loading.
fn runtime_settles(runtime: &Runtime) -> Result<(), String> {
    while runtime.is_job_pending() {
        if runtime.execute_pending_job().is_err() {
            return Err("a promise of its top level was rejected".into());
        }
    }
    Ok(())
}

fn read_outcome(reported: &Array<'_>) -> rquickjs::Result<Result<ScriptAnswer, ScriptFailure>> {
    let failed: bool = reported.get(0)?;
    if failed {
        let kind: String = reported.get(1)?;
        let place: String = reported.get(6)?;
        // A script may have thrown an object that looks like this engine's
        // exception.
        let code = match kind.len() {
            1..=4 if kind.bytes().all(|b| b.is_ascii_graphic()) => kind,
            _ => failure::THROWN.to_owned(),
        };
        return Ok(Err(ScriptFailure {
            abend: AbendInfo {
                code,
                program: place,
                line: reported.get(5)?,
                message: reported.get(3)?,
            },
            stack: reported.get(4)?,
        }));
    }
    let status: u16 = reported.get(1)?;
    if status == 0 {
        let given: Value<'_> = reported.get(3)?;
        let passed = natives::ProgramArguments::read(&given, &reported.get(2)?)?.passed();
        return Ok(Ok(ScriptAnswer {
            passed: Some(passed),
            ..ScriptAnswer::default()
        }));
    }
    let flat: Vec<String> = reported.get(2)?;
    let body: Value<'_> = reported.get(3)?;
    let body = natives::body_of(&body)?;
    let pairs = flat.chunks_exact(2);
    Ok(Ok(ScriptAnswer {
        status,
        headers: pairs.map(|p| (p[0].clone(), p[1].clone())).collect(),
        body,
        ..ScriptAnswer::default()
    }))
}

/// The failure that is reported for a stopped script.
pub(crate) fn stopped(stop: StopReason) -> ScriptFailure {
    match stop {
        StopReason::Runaway => ScriptFailure::new(
            failure::RUNAWAY,
            "the script used its runaway limit of CPU time without a command",
        ),
        StopReason::Purged => ScriptFailure::new(
            failure::PURGED,
            "the task was purged: its deadline passed, its client disconnected, or an operator ended it",
        ),
    }
}

/// Formats a thrown value without running code of the script.
fn text_of(value: &Value<'_>) -> String {
    if let Some(exception) = value.as_exception() {
        return exception.message().unwrap_or_default();
    }
    match (value.as_string(), value.as_number(), value.as_bool()) {
        (Some(text), ..) => text.to_string().unwrap_or_default(),
        (_, Some(number), _) => number.to_string(),
        (.., Some(truth)) => truth.to_string(),
        _ => value.type_name().to_owned(),
    }
}

fn failure_of(error: &CaughtError<'_>) -> ScriptFailure {
    let (message, stack) = match error {
        CaughtError::Exception(e) => (
            e.message().unwrap_or_default(),
            e.stack().unwrap_or_default(),
        ),
        CaughtError::Value(value) => (text_of(value), String::new()),
        CaughtError::Error(error) => (error.to_string(), String::new()),
    };
    ScriptFailure {
        stack,
        ..ScriptFailure::new(failure::THROWN, message)
    }
}

fn mistake_of(error: &CaughtError<'_>, name: &str) -> Diagnostic {
    let failure = failure_of(error);
    let mut place = SourcePosition::of_stack(&failure.stack);
    if place.file.is_empty() {
        place.file = name.to_owned();
    }
    place.mistake(failure.abend.message)
}

#[cfg(test)]
mod tests;
