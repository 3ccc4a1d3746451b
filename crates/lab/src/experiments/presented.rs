//! Load on a server of the laboratory: one request repeatedly, at a rate or from
//! clients that wait for answers. The results come from the driver, from `/metrics`
//! and from the monitoring records.

use super::{Context, Experiment};
use crate::error::LabError;
use crate::report::ExperimentReport;
use crate::serve::{Record, Server, stop_flag};
use drive::engine::{self, LoadOutcome, SilentObserver};
use drive::load::{HttpLoad, LoadError};
use std::time::Duration;

/// The result of one run.
pub struct PresentedRun {
    /// By the driver.
    pub outcome: LoadOutcome,
    /// By the region: a record a task.
    pub records: Vec<Record>,
    /// CPU of server and workers, µs a task.
    pub cpu_us: f64,
}

/// Load at a path of a server that keeps up to `outstanding` requests in the
/// air. A request is given up after `patience`.
pub fn load(
    context: &Context<'_>,
    url: String,
    outstanding: usize,
    patience: Duration,
) -> HttpLoad {
    let mut load = HttpLoad::new(url);
    load.clients = outstanding;
    load.timeout = patience;
    load.warmup = Duration::ZERO;
    load.threads = 1;
    load.seed = context.seed;
    load
}

/// Presents a load to a server that is idle, and waits until it is again.
pub fn present(server: &mut Server, load: &HttpLoad) -> Result<PresentedRun, LabError> {
    let before = server.idle()?;
    let plan = load.plan()?;
    let outcome = engine::run(&plan, &mut SilentObserver, stop_flag()).map_err(LoadError::from)?;
    let after = server.idle()?;
    let tasks = after.tasks_ended() - before.tasks_ended();
    Ok(PresentedRun {
        outcome,
        records: server.records(&before, &after)?,
        cpu_us: (after.cpu_s() - before.cpu_s()) / tasks.max(1.0) * 1e6,
    })
}

impl PresentedRun {
    /// The response time in ms that this share of the answers that passed
    /// their checks does not exceed.
    pub fn response_ms(&self, share: f64) -> f64 {
        self.outcome.sum().passed.quantile(share) as f64 / 1e6
    }

    /// The mean of a number of the records.
    pub fn mean(&self, of: impl Fn(&Record) -> f64) -> f64 {
        self.records.iter().map(of).sum::<f64>() / (self.records.len() as f64).max(1.0)
    }
}

/// The report of an experiment with a server.
pub fn report(experiment: &Experiment, title: &str, question: &str) -> ExperimentReport {
    let mut report = experiment.report(title, question);
    report.condition(
        "server",
        "this program, on loopback; server and load driver share the processors of this machine",
    );
    report
}
