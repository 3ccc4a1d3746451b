//! The self-test: a built-in server that stops for one second in the middle of a
//! run at a constant rate, and the comparison of the report with theory.
//!
//! With even arrivals over T seconds and one second of stall, the fraction of
//! requests that wait longer than x seconds is (1 − x) ÷ T. So the true p99 is
//! 1,000 − 10·T ms. A closed-loop driver never sees most of those requests. The
//! rate is low because the formula ignores the time that the server needs for the
//! backlog. At 2,000 requests/s that adds 20 ms to the p99 of a run of 60 s.

use crate::engine::{self, LoadOutcome, SilentObserver};
use crate::load::{HttpLoad, LoadError};
use crate::server::{Server, ServerBehaviour};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use thiserror::Error;

/// The figures of one run.
#[derive(Clone, Debug)]
pub struct RunFigures {
    /// Length of the run in seconds.
    pub seconds: u64,
    /// The p99 of the formula, ms.
    pub true_p99_ms: f64,
    /// The p99 of the report, ms.
    pub reported_p99_ms: f64,
    /// The longest response of the report, ms.
    pub reported_max_ms: f64,
    /// The median of the report, ms.
    pub reported_p50_ms: f64,
}

/// Why the self-test could not run.
#[derive(Debug, Error)]
pub enum SelfTestError {
    /// The server could not start.
    #[error("the built-in server cannot start: {0}")]
    Server(#[from] std::io::Error),
    /// The load could not be presented.
    #[error(transparent)]
    Load(#[from] LoadError),
}

impl RunFigures {
    /// Whether the reported p99 is within the tolerance.
    pub fn true_enough(&self) -> bool {
        (self.reported_p99_ms - self.true_p99_ms).abs() <= TOLERANCE_MS
    }
}

/// Runs for `seconds` (at least 3) with one second of stall.
pub fn run(seconds: u64) -> Result<RunFigures, SelfTestError> {
    let seconds = seconds.max(3);
    let server = Server::start(ServerBehaviour {
        body_bytes: 64,
        ..ServerBehaviour::default()
    })?;
    let outcome = against(&server, seconds)?;
    let sum = outcome.sum();
    let ms = |q: f64| sum.response.quantile(q) as f64 / 1e6;
    Ok(RunFigures {
        seconds,
        true_p99_ms: 1000.0 - 10.0 * seconds as f64,
        reported_p99_ms: ms(0.99),
        reported_max_ms: sum.response.max() as f64 / 1e6,
        reported_p50_ms: ms(0.5),
    })
}

fn against(server: &Server, seconds: u64) -> Result<LoadOutcome, LoadError> {
    let mut load = HttpLoad::new(format!("http://{}/", server.address()));
    load.rate = Some(RATE);
    load.clients = 256;
    // Connections opened during the stall would add delays of the backlog.
    load.ahead = Some(256);
    load.warmup = Duration::from_millis(500);
    load.duration = Duration::from_secs(seconds);
    let plan = load.plan()?;
    let mut stall = ServerStall {
        server,
        after_ns: plan.warmup_ns + seconds * 500_000_000,
        thread: None,
        silent: SilentObserver,
    };
    let outcome = engine::run(&plan, &mut stall, &AtomicBool::new(false))?;
    if let Some(thread) = stall.thread {
        let _ = thread.join();
    }
    Ok(outcome)
}

/// Stops the server at a time relative to the start of the load.
struct ServerStall<'a> {
    server: &'a Server,
    after_ns: u64,
    thread: Option<std::thread::JoinHandle<()>>,
    silent: SilentObserver,
}

impl engine::RunObserver for ServerStall<'_> {
    fn begun(&mut self, start: u64, _wall: u64) {
        let second = Duration::from_secs(1);
        self.thread = Some(self.server.stall(start + self.after_ns, second));
    }

    fn interval(&mut self, interval: &engine::IntervalRecord, seconds: f64) {
        self.silent.interval(interval, seconds);
    }
}

/// Requests/s: enough for a fine distribution, little for any machine.
const RATE: f64 = 500.0;
/// The accepted difference of the p99.
const TOLERANCE_MS: f64 = 20.0;
