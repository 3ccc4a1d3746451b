//! The engines' threads: each runs one script at a time.
//!
//! Tasks are admitted before they come here, so what waits is bounded by MXT.
//! A thread is made when all that there are have work, up to the setting. Each
//! keeps the engines of the scripts that it has served last.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use region::engine::EngineClass;
use region::{Handle, OpenTask, Port};
use tokio::sync::oneshot;

use crate::engine::{Answer, Engine, Request};
use crate::failure::{self, Failure};
use crate::host::{Facts, Host};
use crate::limits::{Limits, thread_cpu_ns};
use crate::records::{Library, Records};
use crate::regional::{RegionHost, Thread, Waiting};
use crate::source::Sources;

/// Engines that a thread keeps, of the scripts it has served last.
const KEPT_ENGINES: usize = 32;
/// Ports that the threads take of the region's 32; other doors need some.
const MOST_PORTS: usize = 24;

/// The scripts of one state of the application.
#[derive(Debug)]
pub struct Edition {
    /// Their texts.
    pub sources: Arc<Sources>,
    /// Copybooks.
    pub library: Arc<Library>,
    /// Limits.
    pub limits: Limits,
    /// Name and short name of the region.
    pub region: (String, String),
}

/// A request with its task.
pub struct Job {
    /// The scripts as they were when it came.
    pub edition: Arc<Edition>,
    /// Which one.
    pub script: Arc<str>,
    /// What is asked.
    pub request: Request,
    /// The task that it runs in.
    pub task: OpenTask,
    /// Where the answer goes.
    pub reply: oneshot::Sender<Result<Answer, Failure>>,
}

/// Threads and what they have to do.
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    region: Handle,
    most: usize,
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: Vec<JoinHandle<()>>,
    /// Threads that have not ended.
    alive: usize,
    idle: usize,
    /// Threads whose scripts wait for tasks of their own: they do not count,
    /// or such scripts alone could keep all others from running.
    blocked: usize,
    made: u64,
    /// Ports of threads that have ended.
    ports: Vec<Port>,
    /// Ports that were attached.
    attached: usize,
    stop: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes another thread when there is work that none is free for.
    fn grow(self: &Arc<Self>, state: &mut State) {
        let counted = state.alive.saturating_sub(state.blocked);
        if state.jobs.len() <= state.idle || counted >= self.most || state.stop {
            return;
        }
        let shared = self.clone();
        state.made += 1;
        state.threads.retain(|t| !t.is_finished());
        let thread = std::thread::Builder::new()
            .name(format!("tupelo-script-{}", state.made))
            .stack_size(STACK_BYTES)
            .spawn(move || run(&shared));
        match thread {
            Ok(thread) => {
                state.alive += 1;
                state.threads.push(thread);
            }
            Err(error) => tracing::error!(%error, "no thread for another engine"),
        }
    }

    /// A thread begins to wait for children, or goes on.
    fn blocks(self: &Arc<Self>, blocked: bool) {
        let mut state = self.lock();
        match blocked {
            true => state.blocked += 1,
            false => state.blocked -= 1,
        }
        self.grow(&mut state);
    }

    /// A port for a thread; none when they are all taken.
    fn port(&self) -> Option<Port> {
        let mut state = self.lock();
        if let Some(port) = state.ports.pop() {
            return Some(port);
        }
        let port = (state.attached < MOST_PORTS).then(|| self.region.attach_port());
        state.attached += 1;
        port.flatten()
    }

    /// The next job; none when the thread is to end.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            let counted = state.alive.saturating_sub(state.blocked);
            if state.stop || counted > self.most {
                state.alive -= 1;
                return None;
            }
            state.idle += 1;
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

impl Pool {
    /// A pool of at most so many threads; none runs yet.
    pub fn new(region: Handle, most: usize) -> Pool {
        Pool {
            shared: Arc::new(Shared {
                region,
                most: most.max(1),
                state: Mutex::default(),
                work: Condvar::new(),
            }),
        }
    }

    /// Has a request served.
    pub fn submit(&self, job: Job) {
        let mut state = self.shared.lock();
        state.jobs.push_back(job);
        match state.idle >= state.jobs.len() {
            true => self.shared.work.notify_one(),
            false => self.shared.grow(&mut state),
        }
    }

    /// Lets what is under way end, and the threads with it.
    pub fn stop(&self) {
        let threads = {
            let mut state = self.shared.lock();
            state.stop = true;
            std::mem::take(&mut state.threads)
        };
        self.shared.work.notify_all();
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// A thread's stack: what scripts may use of it, and the engine's own part.
const STACK_BYTES: usize = 8 << 20;

fn run(shared: &Arc<Shared>) {
    region::engine::enter("script", EngineClass::Offload);
    let runtime = match shared.port() {
        Some(port) => port.runtime().map(|made| (port, Waiting::Own(made))),
        None => {
            let made = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .build();
            made.map(|made| (shared.region.default_port(), Waiting::Shared(made)))
        }
    };
    let (port, runtime) = match runtime {
        Ok(made) => made,
        Err(error) => {
            tracing::error!(%error, "an engine's thread cannot run");
            shared.lock().alive -= 1;
            return;
        }
    };
    let pool = shared.clone();
    let thread = Rc::new(Thread {
        region: shared.region.clone(),
        port,
        runtime,
        blocks: Box::new(move |blocked| pool.blocks(blocked)),
    });
    let mut engines = Engines::default();
    while let Some(job) = shared.next() {
        serve(&thread, &mut engines, job);
    }
    drop(engines);
    let own = matches!(thread.runtime, Waiting::Own(_));
    let port = thread.port.clone();
    drop(thread);
    if own {
        shared.lock().ports.push(port);
    }
}

/// The engines of a thread, by their scripts.
#[derive(Default)]
struct Engines {
    edition: Option<Arc<Edition>>,
    loaded: HashMap<Arc<str>, (u64, Engine)>,
    turn: u64,
}

impl Engines {
    fn of(&mut self, edition: &Arc<Edition>, script: &Arc<str>) -> Result<&mut Engine, Failure> {
        if !self
            .edition
            .as_ref()
            .is_some_and(|e| Arc::ptr_eq(e, edition))
        {
            self.loaded.clear();
            self.edition = Some(edition.clone());
        }
        self.turn += 1;
        let turn = self.turn;
        if !self.loaded.contains_key(script) {
            if self.loaded.len() >= KEPT_ENGINES {
                let oldest = self.loaded.iter().min_by_key(|(_, (turn, _))| *turn);
                if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                    self.loaded.remove(&oldest);
                }
            }
            let records = Records::new(edition.library.clone());
            let engine = Engine::load(&edition.sources, script, edition.limits, records);
            let engine = engine.map_err(|mistake| {
                let mut failure = Failure::new(failure::LOAD, mistake.message);
                failure.abend.program = mistake.place.file;
                failure.abend.line = mistake.place.line;
                failure
            })?;
            self.loaded.insert(script.clone(), (turn, engine));
        }
        let (used, engine) = self.loaded.get_mut(script).expect("it was put there above");
        *used = turn;
        Ok(engine)
    }
}

fn serve(thread: &Rc<Thread>, engines: &mut Engines, job: Job) {
    let Job {
        edition,
        script,
        request,
        mut task,
        reply,
    } = job;
    let began = thread_cpu_ns();
    task.move_to(&thread.port);
    let purged = task.purged();
    let number = task.number();
    let facts = Facts {
        task: number,
        transid: task.transid().to_string().trim_end().to_owned(),
        userid: task.userid().to_string().trim_end().to_owned(),
        applid: edition.region.0.clone(),
        sysid: edition.region.1.clone(),
    };
    let transid = facts.transid.clone();
    let host = RegionHost::new(thread.clone(), task, facts, &script);
    let (mut result, host) = match engines.of(&edition, &script) {
        Ok(engine) => {
            let (result, host) = engine.serve(&request, Box::new(host), purged);
            (result, host)
        }
        Err(failure) => (Err(failure), Box::new(host) as Box<dyn Host>),
    };
    let used = thread_cpu_ns().saturating_sub(began);
    let abend = result.as_ref().err().map(|f| f.abend.clone());
    if let Err(abend) = host.finish(abend.as_ref(), used)
        && result.is_ok()
    {
        result = Err(Failure {
            abend,
            stack: String::new(),
        });
    }
    if let Err(failure) = &result {
        let Failure { abend, stack } = failure;
        // The engine's own part is nobody's mistake.
        let frames = stack.lines().filter(|l| !l.contains("(<tupelo:"));
        let stack: String = frames.map(|l| format!("\n{l}")).collect();
        let (code, line) = (&abend.code, abend.line);
        let place = match line {
            0 => abend.program.clone(),
            line => format!("{}:{line}", abend.program),
        };
        tracing::warn!(
            target: "script", task = number, %transid, %script, %code, at = %place,
            "{}{stack}", abend.message
        );
    }
    // The client may have gone.
    let _ = reply.send(result);
}
