//! The region of this process as the gateway sees it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Poll, ready};

use super::appc::Partners;
use super::store_watch::StoreWatch;
use super::texts::ProgramTexts;
use gateway::{Abend, Call, Command, Door, Failed, Operated, PutError, Ran, Refusal, Reply, Task};
use region::{
    ContainerType, DoorRuntime, Handle, Outcome, Port, TaskRequest, TraceFilter, TraceRecord,
    UserId,
};

/// A handle on the region, and who its callers are.
#[derive(Clone)]
pub struct LocalRegion {
    /// The region.
    pub region: Handle,
    /// User id of tasks whose caller did not say who it is.
    pub user: UserId,
    /// The store's file, when the region has files.
    pub store: Option<Arc<StoreWatch>>,
    /// Where the programs' texts are, for what is told of abends.
    pub texts: Arc<ProgramTexts>,
    /// Its APPC node, when it has one.
    pub partners: Arc<OnceLock<Partners>>,
}

thread_local! {
    static THREAD_PORT: RefCell<Option<Port>> = const { RefCell::new(None) };
}

/// Where the calling door thread hears of the ends of its tasks.
pub fn port_of_this_thread() -> Option<Port> {
    THREAD_PORT.with_borrow(Clone::clone)
}

/// A door thread's end of the region.
pub struct LocalDoor {
    region: Handle,
    port: Port,
    user: UserId,
    texts: Arc<ProgramTexts>,
}

/// An admitted task.
pub struct LocalTask(region::Task, Arc<ProgramTexts>);

/// What came of it.
pub struct LocalReply(region::Reply, Option<Box<Abend>>);

impl LocalRegion {
    /// Makes the calling thread a door: its runtime, and its end of the region.
    pub fn attach(&self) -> io::Result<(DoorRuntime, LocalDoor)> {
        let port = self
            .region
            .attach_port()
            .ok_or_else(|| io::Error::other("the region has no port left for another thread"))?;
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

    /// Why programs cannot be run well now, in words; none when they can.
    pub fn impairment(&self) -> Option<String> {
        self.failing().or_else(|| self.region.store_damage())
    }

    /// Whether requests are answered: a store of which a part is damaged
    /// answers all others.
    pub fn ready(&self) -> bool {
        self.failing().is_none()
    }

    /// Why nothing, or nothing that changes files, can be run now.
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

    /// Appends the region's figures in the Prometheus text format.
    pub fn metrics(&self, out: &mut String) {
        super::metrics::write(&self.region.statistics(), out);
        if let Some(sockets) = self.region.sockets() {
            sockets.metrics(out);
        }
        for service in self.region.services() {
            service.metrics(out);
        }
    }

    /// The commands of tasks that are over, as far as the trace still has them.
    pub fn commands(&self, tasks: &BTreeSet<u64>) -> Vec<Command> {
        let all = self.region.trace(&TraceFilter::default()).into_iter();
        let ended = all.filter(|record| tasks.contains(&record.task));
        let command = |record: TraceRecord| {
            Some(Command {
                task: record.task,
                start_unix_ns: record.unix_ns.saturating_sub(record.elapsed_ns?),
                end_unix_ns: record.unix_ns,
                name: record.command,
                domain: record.domain,
                resp: record.resp,
                abend: record.abend,
            })
        };
        ended.filter_map(command).collect()
    }

    /// Answers an operator; none for a path that is not the region's.
    pub fn operate(&self, path: &str, query: &str, change: bool) -> Option<Operated> {
        if (path.trim_matches('/'), change) == ("partners", false) {
            return Some(super::operate::partners(self.partners.get()));
        }
        super::operate::answer(&self.region, self.user, path, query, change)
            .or_else(|| super::observe::answer(&self.region, path, query, change))
    }
}

impl Door for LocalDoor {
    type Task = LocalTask;

    fn hear(&self) {
        self.port.hear();
    }

    async fn begin(&self, call: Call<'_>) -> Result<LocalTask, Refusal> {
        let request = TaskRequest {
            transid: call
                .transid
                .parse()
                .map_err(|e| impossible("transaction", call.transid, &e))?,
            program: call
                .program
                .parse()
                .map_err(|e| impossible("program", call.program, &e))?,
            userid: call
                .user_id
                .and_then(|id| id.parse().ok())
                .unwrap_or(self.user),
            trace_id: call.trace_id,
            expected_bytes: call.expected_bytes,
            timeout_ms: call.timeout_ms,
            ..TaskRequest::default()
        };
        match self.region.begin(&self.port, request).await {
            Ok(mut task) => {
                if let Some(seen) = call.eib_transid {
                    let name = seen.parse();
                    task.set_eib_transid(name.map_err(|e| impossible("transaction", seen, &e))?);
                }
                Ok(LocalTask(task, self.texts.clone()))
            }
            Err(refusal) if refusal.is_temporary() => Err(Refusal::Busy(refusal.to_string())),
            Err(refusal) => Err(Refusal::Impossible(refusal.to_string())),
        }
    }
}

impl Task for LocalTask {
    type Reply = LocalReply;

    fn put_container<E>(
        &mut self,
        name: &str,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        self.0
            .put_container(name, ContainerType::Bit, max, fill)
            .map_err(put_error)
    }

    fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        self.0.set_commarea(len, fill).map_err(put_error)
    }

    fn run(self) -> impl Future<Output = Result<LocalReply, Failed>> {
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
                Outcome::Ok => None,
                Outcome::Abend(abend) => Some(Box::new(texts.told(abend, reply.record()))),
            };
            Poll::Ready(LocalReply(reply, abend))
        })
    }
}

#[cold]
fn impossible(what: &str, name: &str, why: &dyn std::fmt::Display) -> Refusal {
    Refusal::Impossible(format!("{what} {name:?}: {why}"))
}

#[cold]
fn put_error<E>(error: region::PutError<E>) -> PutError<E> {
    match error {
        region::PutError::Name(e) => PutError::Name(e.to_string()),
        region::PutError::TooLarge => PutError::TooLarge,
        region::PutError::Fill(e) => PutError::Fill(e),
    }
}

impl Reply for LocalReply {
    fn abend(&self) -> Option<Abend> {
        self.1.as_deref().cloned()
    }

    fn container(&self, name: &str) -> Option<&[u8]> {
        self.0.container(name)
    }

    fn container_names(&self) -> Vec<String> {
        self.0.containers().map(|c| c.name.to_string()).collect()
    }

    fn commarea(&self) -> &[u8] {
        self.0.commarea()
    }

    fn ran(&self) -> Option<Ran> {
        let record = self.0.record();
        Some(Ran {
            task: record.task,
            cpu_ns: record.general_cpu_ns,
            start_unix_ns: record.start_unix_ns,
            response_ns: record.response_ns,
            admission_wait_ns: record.admission_wait_ns,
            dispatch_wait_ns: record.dispatch_wait_ns,
            commands: record.commands,
        })
    }
}
