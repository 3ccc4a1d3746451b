//! The region and the handles on it.

use std::future::Future;
use std::io;
use std::sync::Arc;

use crate::api::{Definitions, Refusal, RegionConfig, StartError, Statistics, Task, TaskRequest};
use crate::shell::Shared;

/// A running region. Dropping it without [`Region::shutdown`] ends its workers
/// at once.
pub struct Region {
    handle: Handle,
}

/// A handle on a region: cheap to clone, for any thread.
#[derive(Clone)]
pub struct Handle {
    pub(crate) shared: Arc<Shared>,
}

/// Where a thread hears of its tasks' ends.
#[derive(Clone)]
pub struct Port {
    pub(crate) shared: Arc<Shared>,
    pub(crate) number: usize,
}

/// A tokio runtime for the thread of a door, which hears of its tasks' ends
/// whenever it would go to sleep: in batches, without a wake-up from another
/// thread.
pub struct DoorRuntime {
    runtime: tokio::runtime::Runtime,
}

impl Region {
    /// Starts a region: its threads, its files and its first workers.
    pub fn start(config: RegionConfig) -> Result<Region, StartError> {
        let _ = config;
        todo!()
    }

    /// A handle for doors.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Refuses new tasks, waits for those that are active, commits, and ends
    /// the workers.
    pub async fn shutdown(self) {
        todo!()
    }
}

impl Handle {
    /// Attaches a port for the calling thread; `None` when all are taken.
    /// Drive it with [`Port::runtime`].
    pub fn attach_port(&self) -> Option<Port> {
        todo!()
    }

    /// The port of the region's own thread, for callers without a runtime of
    /// their own kind: any executor, or [`block_on`].
    pub fn default_port(&self) -> Port {
        Port {
            shared: self.shared.clone(),
            number: 0,
        }
    }

    /// Begins a task: waits for its admission and for a place in a worker.
    /// Dropping the future gives the place in the queue up.
    pub async fn begin(&self, port: &Port, request: TaskRequest) -> Result<Task, Refusal> {
        let _ = (port, request);
        todo!()
    }

    /// Switches to other definitions. Active tasks end under the old ones.
    pub fn reload(&self, definitions: Definitions) -> Result<(), StartError> {
        let _ = definitions;
        todo!()
    }

    /// Counters and gauges.
    pub fn statistics(&self) -> Statistics {
        todo!()
    }
}

impl Port {
    /// Makes the runtime of a door's thread around this port.
    pub fn runtime(&self) -> io::Result<DoorRuntime> {
        todo!()
    }
}

impl DoorRuntime {
    /// Runs a future to its end on the calling thread. Use
    /// `tokio::task::spawn` or a `LocalSet` inside.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}

/// Runs a future to its end on a thread without a runtime.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let _ = future;
    todo!()
}
