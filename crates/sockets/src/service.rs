//! The interface as a region has it: tasks, helper threads, listeners.
//!
//! The first call of a task takes a helper thread, or starts one while there
//! are fewer than `ntasks`; at the task's end the thread goes to the next
//! waiting task, or sleeps. A thread serves one task at a time, so a call that
//! waits delays no other task.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use ezasoket::{CallReply, Errno, Function, Request};
use region::engine::{self, EngineClass};
use region::{SocketCall, SocketCalls};
use serde_json::{Value, json};

use crate::calls::{SocketState, TaskSockets};
use crate::config::{CallPlace, ConfigError, SocketsConfig};
use crate::given::GivenSockets;
use crate::listener::{ListenerContext, ListenerControl, ListenerSet};
use crate::native::{ReceiverService, ReceiverStatus};
use crate::policy::SocketPolicy;
use crate::signal::TaskSignal;
use crate::stream::TlsSource;
use crate::trace::CallTrace;

/// Stack of a helper thread.
const STACK_BYTES: usize = 512 * 1024;

/// Why the listeners did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The settings are wrong.
    #[error(transparent)]
    Config(#[from] crate::ConfigError),
    /// Something of the system was not to be had.
    #[error("{what}: {source}")]
    System {
        /// The message.
        what: String,
        /// Why.
        source: std::io::Error,
    },
}

/// A listener as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ListenerStatus {
    /// Its transaction.
    pub listener: String,
    /// The listener's address; `None` when it is stopped.
    pub address: Option<SocketAddr>,
    /// Connections accepted.
    pub accepted: u64,
    /// Transactions started.
    pub started: u64,
    /// Clients refused.
    pub refused: u64,
    /// Sockets given that no transaction has taken yet.
    pub waiting: u64,
    /// Sockets that no transaction took in time.
    pub expired: u64,
}

/// The sockets of a region. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SocketService(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// As the region started.
    config: SocketsConfig,
    /// Most helper threads; a reload changes it.
    ntasks: AtomicU32,
    world: Arc<SocketState>,
    trace: Arc<CallTrace>,
    tasks: Mutex<Tasks>,
    listeners: OnceLock<ListenerSet>,
    native: OnceLock<Arc<ReceiverService>>,
}

#[derive(Debug, Default)]
struct Tasks {
    running: HashMap<u64, Handle>,
    /// Tasks that wait for a thread.
    waiting: VecDeque<HelperTask>,
    threads: u32,
    idle: Vec<Sender<HelperTask>>,
    stopped: bool,
}

/// A task's end of its helper thread.
#[derive(Debug)]
struct Handle {
    calls: Sender<SocketCall>,
    signal: Arc<TaskSignal>,
}

/// A task for a helper thread.
#[derive(Debug)]
struct HelperTask {
    task: u64,
    calls: Receiver<SocketCall>,
    signal: Arc<TaskSignal>,
}

impl SocketService {
    /// The interface of a region of this name. Listeners start with
    /// [`SocketService::start`].
    pub fn new(config: SocketsConfig, applid: [u8; 8]) -> SocketService {
        let world = SocketState {
            applid,
            policy: RwLock::new(SocketPolicy::new(&config)),
            resolver: config.resolver,
            given: GivenSockets::default(),
        };
        SocketService(Arc::new(Shared {
            world: Arc::new(world),
            trace: Arc::new(CallTrace::default()),
            tasks: Mutex::new(Tasks::default()),
            listeners: OnceLock::new(),
            native: OnceLock::new(),
            ntasks: AtomicU32::new(config.ntasks),
            config,
        }))
    }

    /// Applies the settings that can be changed while the region runs:
    /// listeners, the addresses of `listen` and `connect`, and `ntasks`.
    /// Returns a message for each that failed.
    pub fn reload(&self, wanted: &SocketsConfig) -> Vec<String> {
        let shared = &self.0;
        let policy = shared.world.policy.write();
        *policy.unwrap_or_else(PoisonError::into_inner) = SocketPolicy::new(wanted);
        shared.ntasks.store(wanted.ntasks, Ordering::Relaxed);
        match shared.listeners.get() {
            Some(listeners) => listeners.reload(&wanted.listeners),
            None => Vec::new(),
        }
    }

    /// Starts the listeners that are to start with the region.
    ///
    /// `tls` gives what listeners with `tls = true` accept connections with;
    /// without it such a listener is an error.
    pub fn start(
        &self,
        region: &region::Handle,
        user: region::UserId,
        tls: Option<TlsSource>,
    ) -> Result<(), StartError> {
        let mut listeners = self.0.config.listeners.iter();
        if let Some((name, _)) = listeners.find(|(_, l)| l.tls && tls.is_none()) {
            return Err(StartError::Config(ConfigError {
                key: format!("listeners.{name}.tls"),
                why: "no certificate: set [gateway] tls_certificate and tls_key".into(),
            }));
        }
        let shared = &self.0;
        let (world, trace) = (shared.world.clone(), shared.trace.clone());
        let native = ReceiverService::start(&shared.config, region, user, &trace)?.map(Arc::new);
        if let Some(native) = &native {
            // Called once.
            let _ = shared.native.set(native.clone());
        }
        let means = ListenerContext {
            region: region.clone(),
            user,
            world,
            trace,
            native,
            tls,
        };
        let listeners = ListenerSet::start(&shared.config, means)?;
        // Called once.
        let _ = shared.listeners.set(listeners);
        Ok(())
    }

    /// The listeners.
    pub fn listening(&self) -> Vec<ListenerStatus> {
        self.0
            .listeners
            .get()
            .map(ListenerSet::list)
            .unwrap_or_default()
    }

    /// The receivers.
    pub fn receiving(&self) -> Vec<ReceiverStatus> {
        let native = self.0.native.get();
        native.map(|native| native.list()).unwrap_or_default()
    }

    /// Ends listeners and waiting calls. Messages of running tasks are
    /// answered, if that takes no longer than the limit.
    pub fn stop(&self, limit: Duration) {
        if let Some(listeners) = self.0.listeners.get() {
            listeners.stop();
        }
        if let Some(native) = self.0.native.get() {
            native.stop(limit);
            native.end();
        }
        let mut tasks = self.0.lock();
        tasks.stopped = true;
        tasks.idle.clear();
        // A thread without a channel to its task closes its sockets.
        for (_, task) in tasks.running.drain() {
            task.signal.end();
        }
    }

    fn overview(&self) -> Value {
        let (calls, failed) = self.0.trace.counts();
        let tasks = self.0.lock();
        json!({
            "listeners": self.listening(),
            "receivers": self.receiving(),
            "tasks": tasks.running.len(),
            "threads": tasks.threads,
            "waiting_tasks": tasks.waiting.len(),
            "calls": calls,
            "failed_calls": failed,
            "trace": self.0.trace.is_on(),
        })
    }

    fn control(&self, listener: &str, control: ListenerControl) -> Result<Value, String> {
        let native = self.0.native.get();
        let stop = control == ListenerControl::Stop;
        match native.and_then(|native| native.control(listener, stop)) {
            Some(done) => done?,
            None => {
                let listeners = self.0.listeners.get();
                let listeners = listeners.ok_or("the region has no listeners yet")?;
                listeners.control(listener, control)?;
            }
        }
        Ok(json!({ "listeners": self.listening(), "receivers": self.receiving() }))
    }
}

impl SocketCalls for SocketService {
    fn call(&self, call: SocketCall) {
        let task = call.task;
        let mut tasks = self.0.lock();
        if tasks.stopped {
            drop(tasks);
            call.answer(CallReply::from(Errno::EIBMNOACTIVETCP).emit(), Vec::new());
            return;
        }
        if let Some(handle) = tasks.running.get(&task) {
            // The thread takes calls until its task has ended; a later call is
            // dropped, which answers it.
            let _ = handle.calls.send(call);
            return;
        }
        let signal = match TaskSignal::new() {
            Ok(signal) => Arc::new(signal),
            Err(error) => {
                drop(tasks);
                call.answer(CallReply::from(Errno::from(error)).emit(), Vec::new());
                return;
            }
        };
        let (sender, calls) = channel();
        let _ = sender.send(call);
        let handle = Handle {
            calls: sender,
            signal: signal.clone(),
        };
        tasks.running.insert(task, handle);
        let work = HelperTask {
            task,
            calls,
            signal,
        };
        self.0.clone().give_thread(&mut tasks, work);
    }

    fn task_ended(&self, task: u64) {
        let handle = self.0.lock().running.remove(&task);
        if let Some(handle) = handle {
            handle.signal.end();
        }
    }

    fn operate(&self, words: &[&str], change: bool) -> Option<Result<String, String>> {
        let done = match (words, change) {
            (["list"], false) => Ok(self.overview()),
            (["trace"], false) => Ok(json!(self.0.trace.lines())),
            (["trace", on @ ("on" | "off")], true) => {
                self.0.trace.switch(*on == "on");
                Ok(json!({ "trace": self.0.trace.is_on() }))
            }
            (["start", listener], true) => self.control(listener, ListenerControl::Start),
            (["stop", listener], true) => self.control(listener, ListenerControl::Stop),
            _ => return None,
        };
        Some(done.map(|value| value.to_string()))
    }

    fn metrics(&self, out: &mut String) {
        crate::metrics::write(self, out);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a helper thread serve a task, now or when one is free.
    fn give_thread(self: Arc<Self>, tasks: &mut Tasks, mut work: HelperTask) {
        while let Some(idle) = tasks.idle.pop() {
            match idle.send(work) {
                Ok(()) => return,
                Err(returned) => work = returned.0,
            }
        }
        if tasks.threads >= self.ntasks.load(Ordering::Relaxed) {
            tasks.waiting.push_back(work);
            return;
        }
        let shared = self.clone();
        let thread = std::thread::Builder::new()
            .name("tupelo-socket".into())
            .stack_size(STACK_BYTES);
        let started = thread.spawn(move || {
            engine::enter("sockets", EngineClass::General);
            shared.run(work);
        });
        match started {
            Ok(_) => tasks.threads += 1,
            // The work is dropped, and its calls with it.
            Err(error) => tracing::error!(%error, "no helper thread for a task's sockets"),
        }
    }

    /// A helper thread: one task after the other.
    fn run(self: &Arc<Self>, mut work: HelperTask) {
        loop {
            self.serve(work);
            let mut tasks = self.lock();
            if let Some(next) = tasks.waiting.pop_front() {
                work = next;
                continue;
            }
            if tasks.stopped {
                tasks.threads -= 1;
                return;
            }
            let (sender, next) = channel();
            tasks.idle.push(sender);
            drop(tasks);
            match next.recv() {
                Ok(next) => work = next,
                Err(_) => {
                    self.lock().threads -= 1;
                    return;
                }
            }
        }
    }

    /// Serves a task to its end.
    fn serve(&self, work: HelperTask) {
        let mut own = TaskSockets::new(self.world.clone(), work.task, work.signal.clone());
        while let Ok(mut call) = work.calls.recv() {
            if work.signal.has_ended() {
                break;
            }
            let data = std::mem::take(&mut call.data);
            let Some(request) = Request::parse(&call.args, data) else {
                call.answer(CallReply::from(Errno::FUNCTION).emit(), Vec::new());
                continue;
            };
            let before = Instant::now();
            let mut reply = own.serve(&request);
            let us = before.elapsed().as_micros() as u64;
            self.trace
                .call(work.task, call.transid, &request, &reply, us);
            if self.config.served != CallPlace::Region {
                lend(&own, &call, &request, &mut reply);
            }
            let data = std::mem::take(&mut reply.data);
            call.answer(reply.emit(), data);
        }
        if self.config.served != CallPlace::Region {
            own.end_copies();
        }
    }
}

/// Passes the worker a copy of the descriptor of a new socket. Where that does
/// not go, its calls come here as they do without.
fn lend(own: &TaskSockets, call: &SocketCall, request: &Request, reply: &mut CallReply) {
    let makes = [Function::Socket, Function::Accept, Function::TakeSocket];
    if reply.retcode < 0 || !makes.contains(&request.function) {
        return;
    }
    if let Some(socket) = own.socket(reply.retcode) {
        match call.pass(reply.retcode as u64, socket.as_fd()) {
            Ok(()) => reply.bring(socket.kind(), socket.blocks()),
            Err(error) => tracing::warn!(%error, "a descriptor could not be passed"),
        }
    }
}
