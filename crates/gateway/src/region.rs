//! A region of this process behind the gateway.

use crate::backend::{Abend, Backend, Call, Door, PutError, Refusal, Reply, Task};
use ::region::{ContainerType, Handle, Name, Outcome, Port, StartCode, TaskRequest};
use std::fmt::Write;
use std::future::Future;
use std::io;

/// Runs programs in a region.
#[derive(Clone)]
pub struct RegionBackend {
    handle: Handle,
}

impl RegionBackend {
    /// A backend on a region's handle.
    pub fn new(handle: Handle) -> RegionBackend {
        RegionBackend { handle }
    }
}

impl Backend for RegionBackend {
    type Door = RegionDoor;

    fn enter<F: Future>(&self, main: impl FnOnce(RegionDoor) -> F) -> io::Result<F::Output> {
        let port = self
            .handle
            .attach_port()
            .ok_or_else(|| io::Error::other("all ports of the region are taken"))?;
        let runtime = port.runtime()?;
        let door = RegionDoor { handle: self.handle.clone(), port };
        Ok(runtime.block_on(main(door)))
    }

    fn ready(&self) -> bool {
        true
    }

    fn metrics(&self, out: &mut String) {
        let statistics = self.handle.statistics();
        let Ok(serde_json::Value::Object(members)) = serde_json::to_value(&statistics) else {
            return;
        };
        for (name, value) in &members {
            let now = matches!(name.as_str(), "active" | "waiting" | "workers" | "peak_active");
            let (kind, suffix) = if now { ("gauge", "") } else { ("counter", "_total") };
            let name = format!("tupelo_region_{name}{suffix}");
            let _ = writeln!(out, "# TYPE {name} {kind}\n{name} {value}");
        }
    }
}

/// A door thread's port to a region.
pub struct RegionDoor {
    handle: Handle,
    port: Port,
}

impl Door for RegionDoor {
    type Task = ::region::Task;

    async fn begin(&self, call: Call<'_>) -> Result<::region::Task, Refusal> {
        let name = |e: ::region::NameError| Refusal::Impossible(e.to_string());
        let request = TaskRequest {
            transid: Name::new(call.transid).map_err(name)?,
            program: Name::new(call.program).map_err(name)?,
            start_code: StartCode::Web,
            trace_id: call.trace_id,
            expected_bytes: call.expected_bytes,
            timeout_ms: call.timeout_ms,
            ..TaskRequest::default()
        };
        self.handle.begin(&self.port, request).await.map_err(|refusal| {
            match refusal.is_temporary() {
                true => Refusal::Busy(refusal.to_string()),
                false => Refusal::Impossible(refusal.to_string()),
            }
        })
    }
}

impl Task for ::region::Task {
    type Reply = ::region::Reply;

    fn put_container<E>(
        &mut self,
        name: &str,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        ::region::Task::put_container(self, name, ContainerType::Bit, max, fill).map_err(put_error)
    }

    fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        ::region::Task::set_commarea(self, len, fill).map_err(put_error)
    }

    async fn run(self) -> ::region::Reply {
        ::region::Task::run(self).await
    }
}

fn put_error<E>(error: ::region::PutError<E>) -> PutError<E> {
    match error {
        ::region::PutError::Name(e) => PutError::Name(e.to_string()),
        ::region::PutError::TooLarge => PutError::TooLarge,
        ::region::PutError::Fill(e) => PutError::Fill(e),
    }
}

impl Reply for ::region::Reply {
    fn abend(&self) -> Option<Abend> {
        match self.outcome() {
            Outcome::Ok => None,
            Outcome::Abend(abend) => Some(Abend {
                code: abend.code().into_owned(),
                program: abend.program.to_string().trim_end().to_string(),
                line: abend.line,
                message: abend.message.clone(),
            }),
        }
    }

    fn container(&self, name: &str) -> Option<&[u8]> {
        ::region::Reply::container(self, name)
    }

    fn commarea(&self) -> &[u8] {
        ::region::Reply::commarea(self)
    }
}
