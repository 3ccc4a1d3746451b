//! The region as the gateway sees it.

use std::future::Future;
use std::io;

use gateway::{Abend, Backend, Call, Door, Operated, PutError, Refusal, Reply, Task};
use region::{ContainerType, Handle, Outcome, Port, TaskRequest, UserId};

/// A handle on the region, and who its callers are.
#[derive(Clone)]
pub struct RegionBackend {
    /// The region.
    pub region: Handle,
    /// User id of tasks whose caller did not say who it is.
    pub user: UserId,
}

/// A door thread's end of the region.
pub struct RegionDoor {
    region: Handle,
    port: Port,
    user: UserId,
}

/// An admitted task.
pub struct RegionTask(region::Task);

/// What came of it.
pub struct RegionReply(region::Reply);

impl Backend for RegionBackend {
    type Door = RegionDoor;

    fn enter<F: Future>(&self, main: impl FnOnce(RegionDoor) -> F) -> io::Result<F::Output> {
        let port = self
            .region
            .attach_port()
            .ok_or_else(|| io::Error::other("the region has no port left for another thread"))?;
        let runtime = port.runtime()?;
        let door = RegionDoor {
            region: self.region.clone(),
            port,
            user: self.user,
        };
        Ok(runtime.block_on(main(door)))
    }

    fn ready(&self) -> bool {
        true
    }

    fn metrics(&self, out: &mut String) {
        super::metrics::write(&self.region.statistics(), out);
    }

    fn operate(&self, path: &str, query: &str, change: bool) -> Option<Operated> {
        super::operate::answer(&self.region, path, query, change)
    }
}

impl Door for RegionDoor {
    type Task = RegionTask;

    async fn begin(&self, call: Call<'_>) -> Result<RegionTask, Refusal> {
        let impossible = |what: &str, name: &str, why: &dyn std::fmt::Display| {
            Refusal::Impossible(format!("{what} {name:?}: {why}"))
        };
        let request = TaskRequest {
            transid: call
                .transid
                .parse()
                .map_err(|e| impossible("transaction", call.transid, &e))?,
            program: call
                .program
                .parse()
                .map_err(|e| impossible("program", call.program, &e))?,
            userid: self.user,
            trace_id: call.trace_id,
            expected_bytes: call.expected_bytes,
            timeout_ms: call.timeout_ms,
            ..TaskRequest::default()
        };
        match self.region.begin(&self.port, request).await {
            Ok(task) => Ok(RegionTask(task)),
            Err(refusal) if refusal.is_temporary() => Err(Refusal::Busy(refusal.to_string())),
            Err(refusal) => Err(Refusal::Impossible(refusal.to_string())),
        }
    }
}

impl Task for RegionTask {
    type Reply = RegionReply;

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

    async fn run(self) -> RegionReply {
        RegionReply(self.0.run().await)
    }
}

fn put_error<E>(error: region::PutError<E>) -> PutError<E> {
    match error {
        region::PutError::Name(e) => PutError::Name(e.to_string()),
        region::PutError::TooLarge => PutError::TooLarge,
        region::PutError::Fill(e) => PutError::Fill(e),
    }
}

impl Reply for RegionReply {
    fn abend(&self) -> Option<Abend> {
        match self.0.outcome() {
            Outcome::Ok => None,
            Outcome::Abend(abend) => Some(Abend {
                code: abend.code().into_owned(),
                program: abend.program.to_string(),
                line: abend.line,
                message: abend.message.clone(),
            }),
        }
    }

    fn container(&self, name: &str) -> Option<&[u8]> {
        self.0.container(name)
    }

    fn commarea(&self) -> &[u8] {
        self.0.commarea()
    }
}
