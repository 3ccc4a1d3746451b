//! Tests of the language itself, run where scripts run: in an engine with its
//! own part, its limits and a fresh realm each.
//!
//! `cargo xtask test262` runs the conformance suite through this.
//!
//! Reference: test262, INTERPRETING.md.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rquickjs::context::EvalOptions;
use rquickjs::{CatchResultExt, CaughtError, Ctx, Module, Promise, Value};

use crate::engine::{ScriptEngine, stopped};
use crate::failure::{self, ScriptFailure};

/// A text and how it is run.
#[derive(Debug, Clone, Copy)]
pub struct ConformanceTest<'t> {
    /// Its name, in stacks and for its imports.
    pub name: &'t str,
    /// Scripts that run before it, by name.
    pub before: &'t [(&'t str, &'t str)],
    /// The text.
    pub text: &'t str,
    /// Whether it is a module.
    pub module: bool,
}

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestResult {
    /// The test ran to its end, having printed this.
    Ended(String),
    /// The test threw: name of the error, and its message.
    Threw(String, String),
    /// The test was ended, with this abend code.
    Stopped(String),
}

impl ScriptEngine {
    /// Runs a text in a fresh realm.
    pub fn try_text(&mut self, trial: ConformanceTest<'_>) -> TestResult {
        self.shared()
            .watch
            .begin(Arc::new(AtomicBool::new(false)), self.limits());
        let verdict = self.context().with(|ctx| self.run(&ctx, trial));
        self.set_back();
        verdict
    }

    fn run(&self, ctx: &Ctx<'_>, trial: ConformanceTest<'_>) -> TestResult {
        let ran = self.run_parts(ctx, trial);
        let shared: Rc<_> = self.shared();
        if let Some(stop) = shared.watch.stopped() {
            return TestResult::Stopped(stopped(stop).abend.code);
        }
        match ran {
            Ok(said) => TestResult::Ended(said),
            Err(_) if self.is_exhausted() => TestResult::Stopped(failure::MEMORY.to_owned()),
            Err(threw) => threw,
        }
    }

    fn run_parts(&self, ctx: &Ctx<'_>, trial: ConformanceTest<'_>) -> Result<String, TestResult> {
        let script = |name: &str, text: &str| -> Result<(), TestResult> {
            let mut options = EvalOptions::default();
            options.filename = Some(name.to_owned());
            options.strict = false;
            let done = ctx.eval_with_options::<Value<'_>, _>(text, options);
            done.catch(ctx).map_err(threw).map(drop)
        };
        for (name, text) in trial.before {
            script(name, text)?;
        }
        if trial.module {
            let declared = Module::declare(ctx.clone(), trial.name, trial.text);
            let evaluated = declared.and_then(Module::eval);
            let (_, promise): (_, Promise<'_>) = evaluated.catch(ctx).map_err(threw)?;
            self.jobs(ctx);
            if let Some(result) = promise.result::<Value<'_>>() {
                result.catch(ctx).map_err(threw)?;
            }
        } else {
            script(trial.name, trial.text)?;
        }
        self.jobs(ctx);
        let said: Option<String> = ctx.globals().get("__said").unwrap_or_default();
        Ok(said.unwrap_or_default())
    }

    /// Runs what promises have left to do, within the limits.
    fn jobs(&self, ctx: &Ctx<'_>) {
        let shared = self.shared();
        let mut jobs = 0u32;
        while ctx.execute_pending_job() && shared.watch.stopped().is_none() {
            jobs += 1;
            if jobs.is_multiple_of(256) {
                shared.watch.check();
            }
        }
    }
}

fn threw(error: CaughtError<'_>) -> TestResult {
    let name = |value: &Value<'_>| -> Option<String> {
        let object = value.as_object()?;
        let constructor: Value<'_> = object.get("constructor").ok()?;
        let name: Option<String> = constructor.as_object()?.get("name").ok()?;
        name
    };
    match &error {
        CaughtError::Exception(e) => {
            let value = e.as_value();
            let name = name(value).unwrap_or_else(|| "Error".to_owned());
            TestResult::Threw(name, e.message().unwrap_or_default())
        }
        CaughtError::Value(value) => {
            let name = name(value).unwrap_or_else(|| value.type_name().to_owned());
            let message = value.as_object().and_then(|o| o.get("message").ok());
            TestResult::Threw(name, message.unwrap_or_default())
        }
        CaughtError::Error(error) => {
            let ScriptFailure { abend, .. } =
                ScriptFailure::new(failure::THROWN, error.to_string());
            TestResult::Threw("Error".to_owned(), abend.message)
        }
    }
}
