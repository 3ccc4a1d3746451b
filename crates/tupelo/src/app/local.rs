//! The region of this process, as the gateway uses it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Poll, ready};

use super::appc::PartnerDirectory;
use super::store_watch::StoreWatch;
use super::texts::ProgramTexts;
use ::terminal::BrowserTerminals;
use gateway::OperatorResult;
use region::{
    Abend, CallFailure, ContainerName, DoorRuntime, Handle, NotStarted, Port, ProgramCall,
    ProgramDoor, ProgramReply, ProgramTask, PutError, TaskCosts, TaskOutcome, TaskRequest,
    TraceFilter, TraceRecord, UserId,
};

/// A handle on the region, and the default user of its tasks.
#[derive(Clone)]
pub struct LocalRegion {
    /// The region.
    pub region: Handle,
    /// User id of tasks whose caller is not authenticated.
    pub user: UserId,
    /// Watches the store's file, if the region has files.
    pub store: Option<Arc<StoreWatch>>,
    /// The programs' source texts, which the reports of abends quote.
    pub texts: Arc<ProgramTexts>,
    /// The APPC node, if the region has one.
    pub partners: Arc<OnceLock<PartnerDirectory>>,
    /// The terminals in browsers.
    pub terminals: Arc<OnceLock<Arc<BrowserTerminals>>>,
}

thread_local! {
    static THREAD_PORT: RefCell<Option<Port>> = const { RefCell::new(None) };
}

/// The port on which the calling gateway thread receives the ends of its tasks.
pub fn port_of_this_thread() -> Option<Port> {
    THREAD_PORT.with_borrow(Clone::clone)
}

/// A gateway thread's access to the region.
pub struct LocalDoor {
    region: Handle,
    port: Port,
    user: UserId,
    texts: Arc<ProgramTexts>,
}

/// An admitted task.
pub struct LocalTask(region::Task, Arc<ProgramTexts>);

/// The result of a task.
pub struct LocalReply(region::TaskReply, Option<Box<Abend>>);

impl LocalRegion {
    /// Makes the calling thread a gateway thread: its runtime, and its port of the region.
    pub fn attach(&self) -> io::Result<(DoorRuntime, LocalDoor)> {
        let port = self
            .region
            .attach_port()
            .ok_or_else(|| io::Error::other("the region has no free port for another thread"))?;
        let runtime = port.runtime()?;
        THREAD_PORT.with_borrow_mut(|own| *own = Some(port.clone()));
        let door = LocalDoor {
            region: self.region.clone(),
            port,
            user: self.user,
            texts: self.texts.clone(),
        };
        Ok((runtime, door))
    }

    /// Why programs run badly or not at all now. Returns `None` if they run well.
    pub fn impairment(&self) -> Option<String> {
        let refusing = || self.refusing();
        let failing = self.failing().or_else(refusing);
        let held = || self.held_by_parents(1);
        failing.or_else(held).or_else(|| self.region.store_damage())
    }

    /// Whether requests are answered. A store with a damaged part still answers
    /// requests for the other parts.
    pub fn ready(&self) -> bool {
        self.failing().is_none() && self.refusing().is_none()
    }

    /// Why every request is rejected now, or waits without end.
    fn refusing(&self) -> Option<String> {
        let limits = self.region.limits();
        let is_full = |name: &str| {
            let limit = limits.iter().find(|limit| limit.name == name)?;
            (limit.count >= limit.count_limit?).then_some(limit.count)
        };
        if let Some(reason) = self.held_by_parents(2) {
            return Some(reason);
        }
        let waiting = is_full("waiting_requests")?;
        Some(format!(
            "every request is refused: {waiting} wait for a task already"
        ))
    }

    /// Says that parents hold all places of children (1), or those of requests, too (2).
    fn held_by_parents(&self, least: u64) -> Option<String> {
        let statistics = self.region.statistics();
        (statistics.held_by_parents >= least).then(|| {
            format!(
                "{} tasks wait for their children, and no child can begin: `tupelo task purge` \
                 ends one",
                statistics.waiting_parents
            )
        })
    }

    /// Why no request can be run now, or none that changes files.
    fn failing(&self) -> Option<String> {
        let statistics = self.region.statistics();
        if statistics.workers == 0 {
            return Some("no COBOL worker runs or can be started; the log says why".to_owned());
        }
        let failed = statistics.store_failures;
        let failing = (failed > 0).then(|| {
            let full = self.store.as_ref().and_then(|store| store.full());
            full.unwrap_or_else(|| {
                format!("the store failed the last {failed} commits; the log says why")
            })
        });
        let store = self.store.as_ref().and_then(|store| store.impairment());
        store.or(failing)
    }

    /// Appends the region's metrics in the Prometheus text format.
    pub fn metrics(&self, out: &mut String) {
        super::metrics::write(&self.region.statistics(), out);
        super::metrics::write_limits(&self.region.limits(), out);
        if let Some(sockets) = self.region.sockets() {
            sockets.metrics(out);
        }
        for service in self.region.services() {
            service.metrics(out);
        }
    }

    /// The ends of the commands of tasks, as far as the trace still contains them.
    pub fn commands(&self, tasks: &BTreeSet<u64>) -> Vec<TraceRecord> {
        let mut all = self.region.trace(&TraceFilter::default());
        all.retain(|record| tasks.contains(&record.task) && record.elapsed_ns.is_some());
        all
    }

    /// Answers an operator. Returns `None` for a path that is not the region's.
    pub fn operate(&self, path: &str, query: &str, change: bool) -> Option<OperatorResult> {
        if (path.trim_matches('/'), change) == ("partners", false) {
            return Some(super::operate::partners(self.partners.get()));
        }
        super::operate::answer(&self.region, self.user, path, query, change)
            .or_else(|| super::observe::answer(&self.region, path, query, change))
    }
}

impl ProgramDoor for LocalDoor {
    type Task = LocalTask;

    fn poll_completions(&self) {
        self.port.poll_completions();
    }

    async fn begin(&self, call: ProgramCall<'_>) -> Result<LocalTask, NotStarted> {
        let mut request: TaskRequest = call.request;
        if request.userid.is_blank() {
            request.userid = self.user;
        }
        let task = self.region.begin(&self.port, request).await?;
        Ok(LocalTask(task, self.texts.clone()))
    }
}

impl ProgramTask for LocalTask {
    type Reply = LocalReply;

    fn put_container<E>(
        &mut self,
        name: ContainerName,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        ProgramTask::put_container(&mut self.0, name, max, fill)
    }

    fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        self.0.set_commarea(len, fill)
    }

    fn run(self) -> impl Future<Output = Result<LocalReply, CallFailure>> {
        let mut run = self.start();
        poll_fn(move |cx| Pin::new(&mut run).poll(cx).map(Ok))
    }
}

impl LocalTask {
    /// Runs the task to its end.
    pub fn start(self) -> impl Future<Output = LocalReply> + Unpin {
        let LocalTask(task, texts) = self;
        let mut run = task.run();
        poll_fn(move |cx| {
            let reply = ready!(Pin::new(&mut run).poll(cx));
            let abend = match reply.outcome() {
                TaskOutcome::Ok => None,
                TaskOutcome::Abend(abend) => {
                    Some(Box::new(texts.logged_abend(abend, reply.record())))
                }
            };
            Poll::Ready(LocalReply(reply, abend))
        })
    }
}

impl ProgramReply for LocalReply {
    fn abend(&self) -> Option<&Abend> {
        self.1.as_deref()
    }

    fn container(&self, name: ContainerName) -> Option<&[u8]> {
        ProgramReply::container(&self.0, name)
    }

    fn container_names(&self) -> Vec<ContainerName> {
        self.0.container_names()
    }

    fn commarea(&self) -> &[u8] {
        self.0.commarea()
    }

    fn costs(&self) -> Option<TaskCosts> {
        self.0.costs()
    }
}
