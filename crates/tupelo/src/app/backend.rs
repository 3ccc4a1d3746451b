//! The gateway's providers: the region of this process, regions of other
//! processes, and CICS systems on a mainframe.
//!
//! An asset's `connectionRef` that names a connection or a group of `[ipconn]`, or a
//! connection of `[mainframe]`, selects that provider. Other assets use `[gateway]
//! connection`, or else the region of this process.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use super::ipconn::{ANY, IpconnConnections};
use super::local::{LocalDoor, LocalRegion, LocalReply, LocalTask};
use super::scripts::WebSlot;
use gateway::{
    MainframeConnections, MainframeDoor, MainframeReply, MainframeTask, OperatedLater,
    OperatorResult, ProgramBackend, WebHandlers,
};
use ipconn::{ConnectionPool, RemoteReply, RemoteTask};
use region::engine::{self, EngineClass};
use region::{
    Abend, CallFailure, ContainerName, NotStarted, ProgramCall, ProgramDoor, ProgramReply,
    ProgramTask, PutError, TaskCosts, TraceRecord,
};

/// All providers that run programs for a gateway.
#[derive(Clone)]
pub struct ProgramProviders {
    /// The region of this process, when it has one.
    pub local: Option<LocalRegion>,
    /// The Tupelo regions that this process calls over IP connections, if any.
    pub remote: Option<Arc<RemoteRegions>>,
    /// The CICS systems on a mainframe that this process calls.
    pub mainframe: Arc<MainframeConnections>,
    /// The connection or group for assets whose `connectionRef` names none that is known.
    pub default: Option<String>,
    /// Scripts that are served in addition to the APIs.
    pub web: WebSlot,
}

/// Regions of other processes.
pub struct RemoteRegions {
    /// The connections.
    pub connections: IpconnConnections,
    /// Folder that their certificates are relative to.
    pub folder: PathBuf,
    /// Threads of this process that make calls.
    pub lanes: u16,
}

/// The providers, as one gateway thread uses them.
pub struct ProviderDoor {
    local: Option<LocalDoor>,
    remote: Option<Rc<ConnectionPool>>,
    /// `None` without a `[mainframe]` connection, which is the usual case.
    mainframe: Option<MainframeDoor>,
    default: Option<String>,
}

/// The destination of a call.
enum CallRoute<'a> {
    /// To the region of this process.
    Local,
    /// To a connection or a group.
    Remote(&'a Rc<ConnectionPool>, &'a str),
    /// To a connection of `[mainframe]`.
    Mainframe(&'a MainframeDoor, &'a str),
}

/// An admitted call.
#[allow(
    clippy::large_enum_variant,
    reason = "the larger one is the usual one, and a box would cost every request"
)]
pub enum ProviderTask {
    /// A task of the region of this process.
    Local(LocalTask),
    /// A task of another Tupelo region.
    Remote(RemoteTask),
    /// A task of a CICS system on a mainframe.
    Mainframe(MainframeTask),
}

/// The result of a call.
#[allow(
    clippy::large_enum_variant,
    reason = "the larger one is the usual one, and a box would cost every request"
)]
pub enum ProviderReply {
    /// A result from the region of this process.
    Local(LocalReply),
    /// A result from another Tupelo region.
    Remote(RemoteReply),
    /// A result from a CICS system on a mainframe.
    Mainframe(MainframeReply),
}

impl ProgramBackend for ProgramProviders {
    type Door = ProviderDoor;

    fn enter<F: Future>(&self, main: impl FnOnce(ProviderDoor) -> F) -> io::Result<F::Output> {
        let called = self.remote.as_ref().filter(|remote| remote.calls());
        let pool = called.map(|remote| remote.pool());
        let pool = pool.transpose().map_err(io::Error::other)?;
        let (runtime, local) = match &self.local {
            Some(region) => {
                let (runtime, door) = region.attach()?;
                (DoorRuntime::Region(runtime), Some(door))
            }
            None => {
                let mut builder = tokio::runtime::Builder::new_current_thread();
                let runtime = builder.enable_all().build_local(Default::default())?;
                (DoorRuntime::Plain(runtime), None)
            }
        };
        let mut door = ProviderDoor {
            local,
            remote: None,
            mainframe: (!self.mainframe.is_empty()).then(|| self.mainframe.door()),
            default: self.default.clone(),
        };
        let Some(mut pool) = pool else {
            return Ok(runtime.block_on(main(door)));
        };
        // Connections are made while this thread serves requests, and end with it.
        let entered = async move {
            pool.start();
            door.remote = Some(Rc::new(pool));
            main(door).await
        };
        Ok(runtime.block_on(entered))
    }

    fn on_thread(&self) {
        engine::enter("gateway", EngineClass::Offload);
    }

    fn impairment(&self) -> Option<String> {
        let local = self.local.as_ref().and_then(LocalRegion::impairment);
        let remote = || self.remote.as_ref().and_then(|remote| remote.impairment());
        local
            .or_else(remote)
            .or_else(|| self.mainframe.impairment())
    }

    /// True if at least one region is ready.
    fn ready(&self) -> bool {
        let local = self.local.as_ref().map(LocalRegion::ready);
        let called = self.remote.as_ref().filter(|remote| remote.calls());
        match (local, called) {
            (Some(ready), _) => ready,
            (None, Some(remote)) => {
                let all = remote.connections.directory.connections();
                all.iter().any(|c| c.lanes > 0) || self.mainframe.ready()
            }
            (None, None) => self.mainframe.ready(),
        }
    }

    fn web(&self) -> Option<&dyn WebHandlers> {
        self.web.get().map(|web| &**web)
    }

    fn metrics(&self, out: &mut String) {
        match &self.local {
            Some(local) => local.metrics(out),
            None => super::metrics::write_own(out),
        }
        if let Some(remote) = &self.remote {
            remote.connections.directory.metrics(out);
        }
        self.mainframe.metrics(out);
    }

    fn commands(&self, tasks: &BTreeSet<u64>) -> Vec<TraceRecord> {
        let local = self.local.as_ref();
        local.map_or_else(Vec::new, |local| local.commands(tasks))
    }

    fn has_connection(&self, name: &str) -> bool {
        let config = self.remote.as_ref().map(|r| &r.connections.config);
        let ours = |c: &ipconn::IpconnConfig| {
            c.connections.contains_key(name) || c.groups.contains_key(name)
        };
        config.is_some_and(ours) || self.mainframe.knows(name)
    }

    fn operate(&self, path: &str, query: &str, change: bool) -> Option<OperatorResult> {
        if path.trim_matches('/') == "logs" && !change {
            return Some(super::operate::logs(query));
        }
        if path.trim_matches('/') == "connections" && !change {
            let directory = self.remote.as_ref().map(|r| &r.connections.directory);
            return Some(super::operate::connections(directory, &self.mainframe));
        }
        self.local.as_ref()?.operate(path, query, change)
    }

    fn operate_later(&self, path: &str, query: &str, change: bool) -> Option<OperatedLater> {
        let terminals = self.local.as_ref()?.terminals.get()?;
        super::terminal_pages::answer(terminals, path, query, change)
    }
}

/// The runtime of a gateway thread.
enum DoorRuntime {
    Region(region::DoorRuntime),
    Plain(tokio::runtime::LocalRuntime),
}

impl DoorRuntime {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        match self {
            DoorRuntime::Region(runtime) => runtime.block_on(future),
            DoorRuntime::Plain(runtime) => runtime.block_on(future),
        }
    }
}

impl RemoteRegions {
    /// Whether a region or group is configured.
    fn calls(&self) -> bool {
        !self.connections.config.connections.is_empty()
    }

    fn pool(&self) -> Result<ConnectionPool, String> {
        let IpconnConnections {
            config,
            who,
            directory,
        } = &self.connections;
        let pool = ConnectionPool::new(config, &self.folder, who, self.lanes, directory);
        pool.map_err(|e| e.to_string())
    }

    /// The regions that cannot be reached now, or `None` if all can.
    fn impairment(&self) -> Option<String> {
        let all = self.connections.directory.connections();
        let down = all.iter().filter(|c| c.lanes == 0);
        let down: Vec<String> = down
            .map(|c| format!("{} ({}) {}", c.name, c.address, c.error))
            .collect();
        (!down.is_empty()).then(|| format!("not connected: {}", down.join("; ")))
    }
}

impl ProviderDoor {
    /// The destination of a call whose policy or asset names this connection.
    fn route<'a>(&'a self, named: Option<&'a str>) -> CallRoute<'a> {
        let default = self.default.as_deref();
        for name in [named, default].into_iter().flatten() {
            if let Some(mainframe) = self.mainframe.as_ref().filter(|m| m.ccsid(name).is_some()) {
                return CallRoute::Mainframe(mainframe, name);
            }
            if let Some(pool) = self.remote.as_ref().filter(|pool| pool.has_region(name)) {
                return CallRoute::Remote(pool, name);
            }
        }
        match (&self.remote, &self.local) {
            (Some(pool), None) => CallRoute::Remote(pool, ANY),
            _ => CallRoute::Local,
        }
    }
}

impl ProgramDoor for ProviderDoor {
    type Task = ProviderTask;

    fn mainframe_ccsid(&self, connection: Option<&str>) -> Option<u16> {
        self.mainframe.as_ref()?;
        match self.route(connection) {
            CallRoute::Mainframe(door, name) => door.ccsid(name),
            CallRoute::Local | CallRoute::Remote(..) => None,
        }
    }

    fn poll_completions(&self) {
        if let Some(local) = &self.local {
            local.poll_completions();
        }
    }

    async fn begin(&self, call: ProgramCall<'_>) -> Result<ProviderTask, NotStarted> {
        match (self.route(call.connection), &self.local) {
            (CallRoute::Remote(pool, name), _) => {
                Ok(ProviderTask::Remote(RemoteTask::begin(pool, name, &call)))
            }
            (CallRoute::Mainframe(door, name), _) => {
                let begun = door.begin(name, &call).map(ProviderTask::Mainframe);
                begun
                    .ok_or_else(|| NotStarted::Impossible(format!("there is no connection {name}")))
            }
            (CallRoute::Local, Some(local)) => local.begin(call).await.map(ProviderTask::Local),
            (CallRoute::Local, None) => Err(NotStarted::Impossible(
                "the gateway has no local region and no [ipconn.connections] entry for this program".into(),
            )),
        }
    }
}

impl ProgramTask for ProviderTask {
    type Reply = ProviderReply;

    fn put_container<E>(
        &mut self,
        name: ContainerName,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        match self {
            ProviderTask::Local(task) => task.put_container(name, max, fill),
            ProviderTask::Remote(task) => task.put_container(name, max, fill),
            ProviderTask::Mainframe(task) => task.put_container(name, max, fill),
        }
    }

    fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        match self {
            ProviderTask::Local(task) => task.set_commarea(len, fill),
            ProviderTask::Remote(task) => task.set_commarea(len, fill),
            ProviderTask::Mainframe(task) => task.set_commarea(len, fill),
        }
    }

    fn run(self) -> impl Future<Output = Result<ProviderReply, CallFailure>> {
        let mut run = match self {
            ProviderTask::Local(task) => RunningCall::Local(task.start()),
            ProviderTask::Remote(task) => RunningCall::Elsewhere(Box::pin(async {
                task.run().await.map(ProviderReply::Remote)
            })),
            ProviderTask::Mainframe(task) => RunningCall::Elsewhere(Box::pin(async {
                task.run().await.map(ProviderReply::Mainframe)
            })),
        };
        // Written by hand: an async function would move the whole call once more.
        poll_fn(move |cx| match &mut run {
            RunningCall::Local(run) => {
                (Pin::new(run).poll(cx)).map(|reply| Ok(ProviderReply::Local(reply)))
            }
            RunningCall::Elsewhere(run) => run.as_mut().poll(cx),
        })
    }
}

/// A running call.
enum RunningCall<L> {
    /// In the region of this process.
    Local(L),
    /// In another region. Boxed: the exchange needs much room, and requests of the
    /// local region would carry that room along.
    Elsewhere(Pin<Box<dyn Future<Output = Result<ProviderReply, CallFailure>>>>),
}

impl ProgramReply for ProviderReply {
    fn abend(&self) -> Option<&Abend> {
        match self {
            ProviderReply::Local(reply) => reply.abend(),
            ProviderReply::Remote(reply) => reply.abend(),
            ProviderReply::Mainframe(reply) => reply.abend(),
        }
    }

    fn container(&self, name: ContainerName) -> Option<&[u8]> {
        match self {
            ProviderReply::Local(reply) => reply.container(name),
            ProviderReply::Remote(reply) => reply.container(name),
            ProviderReply::Mainframe(reply) => reply.container(name),
        }
    }

    fn container_names(&self) -> Vec<ContainerName> {
        match self {
            ProviderReply::Local(reply) => reply.container_names(),
            ProviderReply::Remote(reply) => reply.container_names(),
            ProviderReply::Mainframe(reply) => reply.container_names(),
        }
    }

    fn commarea(&self) -> &[u8] {
        match self {
            ProviderReply::Local(reply) => reply.commarea(),
            ProviderReply::Remote(reply) => reply.commarea(),
            ProviderReply::Mainframe(reply) => reply.commarea(),
        }
    }

    fn costs(&self) -> Option<TaskCosts> {
        match self {
            ProviderReply::Local(reply) => reply.costs(),
            ProviderReply::Remote(reply) => reply.costs(),
            ProviderReply::Mainframe(reply) => reply.costs(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of the future that a call returns.
    fn bytes_of<F: Future>(_: impl FnOnce(ProviderTask) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn a_request_of_the_local_region_carries_no_room_for_exchanges_with_others() {
        let bytes = bytes_of(|task| task.run());
        assert!(bytes <= 512, "{bytes}");
    }
}
