//! Populations whose protocol comes from a library or has its own stack: each
//! client is a task of a small runtime, one runtime for each thread of the driver.
//! A client's life and the settlement of its requests are those of the driver's own
//! request path. [`line`] is the interface to the protocols.

mod appc;
mod client;
mod http2;
mod line;
mod terminal;
mod timer;

use super::group::numbers;
use super::ledger::{ThreadLedger, ThreadResult};
use super::record::IntervalRecord;
use crate::clock;
use crate::plan::{LoadTarget, Population, Protocol, RunPlan};
use client::TaskClient;
use line::ThreadResources;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;
use timer::ThreadTimer;
use tokio::sync::Notify;
use tokio::task::LocalSet;
use tokio::time::timeout;

/// Whether a population's clients are tasks.
pub(super) fn serve(population: &Population) -> bool {
    let foreign = |t: &LoadTarget| !matches!(t.protocol, Protocol::Stream);
    population.targets.iter().any(foreign)
}

/// The task clients of one thread.
pub(super) struct ClientTasks {
    plan: Arc<RunPlan>,
    index: usize,
}

/// Data that the clients of one thread share.
struct ThreadContext {
    plan: Arc<RunPlan>,
    /// The index of the thread.
    index: usize,
    ledger: RefCell<ThreadLedger>,
    timer: ThreadTimer,
    resources: ThreadResources,
}

impl ClientTasks {
    pub fn new(plan: &RunPlan, index: usize) -> ClientTasks {
        ClientTasks {
            plan: Arc::new(plan.clone()),
            index,
        }
    }

    /// Runs the load from `start` on and returns when the run is over.
    pub fn run(
        self,
        start: u64,
        stop: &AtomicBool,
        out: &Sender<IntervalRecord>,
    ) -> io::Result<ThreadResult> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let ClientTasks { plan, index } = self;
        let mut ledger = ThreadLedger::new(&plan, index, serve, true);
        ledger.begin(&plan, start);
        let entered = runtime.enter();
        let common = Rc::new(ThreadContext {
            index,
            ledger: RefCell::new(ledger),
            timer: ThreadTimer::new()?,
            resources: ThreadResources::default(),
            plan,
        });
        drop(entered);
        let done = Rc::new(Notify::new());
        let local = LocalSet::new();
        let plan = &common.plan;
        for p in 0..plan.populations.len() {
            let own = numbers(plan, p, index);
            for client in own.filter_map(|n| TaskClient::new(plan, p, n)) {
                let (common, done) = (common.clone(), done.clone());
                local.spawn_local(async move {
                    client.live(&common).await;
                    done.notify_one();
                });
            }
        }
        let timer = common.clone();
        local.spawn_local(async move { timer.timer.run().await });
        local.block_on(&runtime, watch(&common.ledger, &done, stop, out));
        drop(local);
        Ok(common.ledger.borrow_mut().finish(out))
    }
}

/// Hands over intervals until the run is over.
async fn watch(
    ledger: &RefCell<ThreadLedger>,
    done: &Notify,
    stop: &AtomicBool,
    out: &Sender<IntervalRecord>,
) {
    loop {
        if is_over_now(&mut ledger.borrow_mut(), stop, out) {
            return;
        }
        // Woken by the last client, or after the interval.
        let _ = timeout(POLL_INTERVAL, done.notified()).await;
    }
}

/// Hands over the intervals that have ended; whether the run is over.
fn is_over_now(ledger: &mut ThreadLedger, stop: &AtomicBool, out: &Sender<IntervalRecord>) -> bool {
    let now = clock::now();
    ledger.note_progress(now, stop.load(Ordering::Relaxed));
    ledger.flush_ended(now, out);
    ledger.is_over(now)
}

/// Interval of checking the stop flag.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
