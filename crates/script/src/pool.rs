//! The engines' threads: each serves many scripts side by side.
//!
//! Tasks are admitted before they come here, so the queue is bounded by MXT. A
//! job waits for any thread. The least busy thread is woken for it, and another
//! one is started when all are busy, up to the setting.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;

use fetch::HttpFetcher;
use region::engine::EngineClass;
use region::{DoorRuntime, Handle, Port};
use tokio::task::JoinSet;

use crate::engine::ScriptAnswer;
use crate::failure::ScriptFailure;
use crate::limits::Limits;
use crate::place::{EngineThread, ScriptJob};
use crate::records::CopybookLibrary;
use crate::source::ModuleSources;

/// Ports that the threads take of the region's 32; other doors need some.
const MOST_PORTS: usize = 24;
/// Nanoseconds that a script may keep a thread at a stretch to be called brief.
const BRIEF_NS: u64 = 1_000_000;
/// Brief requests in a row after which a script is taken to be brief.
const BRIEF_AFTER: u32 = 16;

/// The scripts of one state of the application.
#[derive(Debug)]
pub struct ScriptGeneration {
    /// Their texts.
    pub sources: Arc<ModuleSources>,
    /// Copybooks.
    pub library: Arc<CopybookLibrary>,
    /// Limits.
    pub limits: Limits,
    /// Name and short name of the region.
    pub region: (String, String),
    /// Scripts that programs can link to, by their names among programs.
    pub programs: BTreeMap<String, Arc<str>>,
    /// The client for `fetch`.
    pub fetcher: HttpFetcher,
    /// Scripts of routes, with the brief requests in a row of each.
    pub paces: Vec<(Arc<str>, AtomicU32)>,
}

impl ScriptGeneration {
    /// Records that a request of a script ended and the longest time it
    /// occupied its thread.
    pub fn paced(&self, script: &str, longest_ns: u64) {
        let Some((_, pace)) = self.paces.iter().find(|(name, _)| **name == *script) else {
            return;
        };
        if longest_ns >= BRIEF_NS {
            pace.store(0, Ordering::Relaxed);
        } else if pace.load(Ordering::Relaxed) < BRIEF_AFTER {
            pace.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether the last requests of a script were brief.
    pub fn is_brief(&self, script: &str) -> bool {
        let pace = self.paces.iter().find(|(name, _)| **name == *script);
        pace.is_some_and(|(_, pace)| pace.load(Ordering::Relaxed) >= BRIEF_AFTER)
    }
}

/// The outcome of a request.
pub type ScriptOutcome = Result<ScriptAnswer, ScriptFailure>;

/// Threads and their jobs.
pub struct EnginePool {
    shared: Arc<Shared>,
}

struct Shared {
    region: Handle,
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<(ScriptJob, ReplySender)>,
    threads: Vec<JoinHandle<()>>,
    /// Threads that have not ended, and the requests of each.
    loads: Vec<Arc<AtomicUsize>>,
    /// Threads that wait for a job.
    waiting: Vec<Waiting>,
    made: u64,
    /// Ports that were attached.
    attached: usize,
    stop: bool,
}

struct Waiting {
    load: Arc<AtomicUsize>,
    port: Option<Port>,
    waker: Waker,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes another thread.
    fn grow(self: &Arc<Self>, state: &mut State) {
        state.made += 1;
        state.threads.retain(|t| !t.is_finished());
        let load = Arc::new(AtomicUsize::new(0));
        let (shared, own) = (self.clone(), load.clone());
        let thread = std::thread::Builder::new()
            .name(format!("tupelo-script-{}", state.made))
            .spawn(move || run(&shared, &own));
        match thread {
            Ok(thread) => {
                state.loads.push(load);
                state.threads.push(thread);
            }
            Err(error) => tracing::error!(%error, "cannot start a thread for another engine"),
        }
    }

    /// A port for a thread. Returns `None` when all are taken.
    fn port(&self) -> Option<Port> {
        let mut state = self.lock();
        let port = (state.attached < MOST_PORTS).then(|| self.region.attach_port());
        state.attached += 1;
        port.flatten()
    }

    /// Ready with the next job; with `None` when the thread is to end.
    fn poll_next(
        &self,
        load: &Arc<AtomicUsize>,
        port: Option<&Port>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<(ScriptJob, ReplySender)>> {
        let mut state = self.lock();
        state.waiting.retain(|w| !Arc::ptr_eq(&w.load, load));
        if let Some(job) = state.jobs.pop_front() {
            load.fetch_add(1, Ordering::Relaxed);
            return Poll::Ready(Some(job));
        }
        if state.stop {
            return Poll::Ready(None);
        }
        state.waiting.push(Waiting {
            load: load.clone(),
            port: port.cloned(),
            waker: cx.waker().clone(),
        });
        Poll::Pending
    }
}

impl EnginePool {
    /// A pool of at most so many threads; none runs yet.
    pub fn new(region: Handle, most: usize) -> EnginePool {
        EnginePool {
            shared: Arc::new(Shared {
                region,
                most: most.max(1),
                state: Mutex::default(),
            }),
        }
    }

    /// Has a request served.
    pub fn submit(&self, job: ScriptJob) -> ReplyReceiver {
        let (reply, answering) = answering(self.shared.region.clone());
        let mut state = self.shared.lock();
        state.jobs.push_back((job, reply));
        let least = (state.waiting.iter().enumerate())
            .min_by_key(|(_, w)| w.load.load(Ordering::Relaxed))
            .map(|(at, w)| (at, w.load.load(Ordering::Relaxed)));
        let room = state.loads.len() < self.shared.most;
        match least {
            Some((at, load)) if load == 0 || !room => {
                let Waiting { port, waker, .. } = state.waiting.swap_remove(at);
                drop(state);
                self.shared.region.wake_at(port.as_ref(), waker);
            }
            _ if room => self.shared.grow(&mut state),
            // All are at work, and look here when they can.
            _ => {}
        }
        answering
    }

    /// Lets requests under way end, and then the threads.
    pub fn stop(&self) {
        let (threads, waiting) = {
            let mut state = self.shared.lock();
            state.stop = true;
            (
                std::mem::take(&mut state.threads),
                std::mem::take(&mut state.waiting),
            )
        };
        for Waiting { port, waker, .. } in waiting {
            self.shared.region.wake_at(port.as_ref(), waker);
        }
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// A thread of the pool.
fn run(shared: &Arc<Shared>, load: &Arc<AtomicUsize>) {
    region::engine::enter("script", EngineClass::Offload);
    let own = shared.port();
    let port = own.clone().unwrap_or_else(|| shared.region.default_port());
    let place = Rc::new(EngineThread::new(shared.region.clone(), port));
    let runtime = match &own {
        Some(port) => port.runtime().map(ThreadWait::AtPort),
        None => {
            let mut made = tokio::runtime::Builder::new_current_thread();
            let made = made.enable_all().build_local(Default::default());
            made.map(ThreadWait::Alone)
        }
    };
    match runtime {
        Ok(runtime) => {
            runtime.block_on(take(shared, load, own.as_ref(), &place));
        }
        Err(error) => tracing::error!(%error, "an engine's thread cannot start"),
    }
    shared.lock().loads.retain(|l| !Arc::ptr_eq(l, load));
}

/// Takes jobs until the thread is to end and its running jobs have ended.
async fn take(
    shared: &Arc<Shared>,
    load: &Arc<AtomicUsize>,
    port: Option<&Port>,
    place: &Rc<EngineThread>,
) {
    let mut jobs = JoinSet::new();
    while let Some((job, reply)) = poll_fn(|cx| shared.poll_next(load, port, cx)).await {
        while jobs.try_join_next().is_some() {}
        let (place, load) = (place.clone(), load.clone());
        jobs.spawn_local(async move {
            let served = place.serve(job).await;
            load.fetch_sub(1, Ordering::Relaxed);
            reply.put(served);
        });
    }
    while jobs.join_next().await.is_some() {}
}

/// How a thread waits for its tasks.
enum ThreadWait {
    /// At a port of its own.
    AtPort(DoorRuntime),
    /// All ports are taken: the region's own thread receives its completions.
    Alone(tokio::runtime::LocalRuntime),
}

impl ThreadWait {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        match self {
            ThreadWait::AtPort(runtime) => runtime.block_on(future),
            ThreadWait::Alone(runtime) => runtime.block_on(future),
        }
    }
}

/// Sends the answer to a request.
pub struct ReplySender(Arc<Slot>);

/// The answer to a request. Resolves to `None` if its sender was dropped.
pub struct ReplyReceiver(Arc<Slot>);

struct Slot {
    region: Handle,
    /// The port of the thread that waits.
    port: Option<Port>,
    state: Mutex<SlotState>,
}

#[derive(Default)]
struct SlotState {
    served: Option<ScriptOutcome>,
    waker: Option<Waker>,
    over: bool,
}

fn answering(region: Handle) -> (ReplySender, ReplyReceiver) {
    let slot = Arc::new(Slot {
        port: region.port_here(),
        region,
        state: Mutex::default(),
    });
    (ReplySender(slot.clone()), ReplyReceiver(slot))
}

impl ReplySender {
    fn put(self, served: ScriptOutcome) {
        self.0.lock().served = Some(served);
    }
}

impl Drop for ReplySender {
    fn drop(&mut self) {
        let waker = {
            let mut state = self.0.lock();
            state.over = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            self.0.region.wake_at(self.0.port.as_ref(), waker);
        }
    }
}

impl Drop for ReplyReceiver {
    /// The receiver was dropped.
    fn drop(&mut self) {
        self.0.lock().waker = None;
    }
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Future for ReplyReceiver {
    type Output = Option<ScriptOutcome>;

    fn poll(self: std::pin::Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ScriptOutcome>> {
        let mut state = self.0.lock();
        match (state.served.take(), state.over) {
            (Some(served), _) => Poll::Ready(Some(served)),
            (None, true) => Poll::Ready(None),
            (None, false) => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
