//! The region as the gateway sees it.

use std::fmt::Write;
use std::future::Future;
use std::io;

use gateway::{Abend, Backend, Call, Door, PutError, Refusal, Reply, Task};
use region::{ContainerType, Handle, Outcome, Port, Statistics, TaskRequest, UserId};

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
        let statistics = self.region.statistics();
        for (name, kind, help, value) in METRICS {
            let value = value(&statistics);
            let _ = write!(
                out,
                "# HELP tupelo_region_{name} {help}\n# TYPE tupelo_region_{name} {kind}\n\
                 tupelo_region_{name} {value}\n"
            );
        }
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

/// A figure of the region: name, type, help, and where it stands.
type Metric = (
    &'static str,
    &'static str,
    &'static str,
    fn(&Statistics) -> u64,
);

/// The region's figures on `/metrics`.
const METRICS: &[Metric] = &[
    (
        "tasks_ok_total",
        "counter",
        "Tasks that ended normally.",
        |s| s.tasks_ok,
    ),
    (
        "tasks_abended_total",
        "counter",
        "Tasks that abended.",
        |s| s.tasks_abended,
    ),
    (
        "refused_mxt_total",
        "counter",
        "Requests refused at the maximum of tasks.",
        |s| s.refused_mxt,
    ),
    (
        "refused_class_total",
        "counter",
        "Requests refused by their class.",
        |s| s.refused_class,
    ),
    (
        "refused_other_total",
        "counter",
        "Requests refused for other reasons.",
        |s| s.refused_other,
    ),
    ("tasks_active", "gauge", "Tasks active now.", |s| s.active),
    (
        "tasks_waiting",
        "gauge",
        "Requests waiting for admission.",
        |s| s.waiting,
    ),
    (
        "tasks_active_peak",
        "gauge",
        "Most tasks active at once.",
        |s| s.peak_active,
    ),
    ("workers", "gauge", "Worker processes.", |s| s.workers),
    (
        "workers_started_total",
        "counter",
        "Workers started.",
        |s| s.workers_started,
    ),
    (
        "workers_lost_total",
        "counter",
        "Workers that died or were killed.",
        |s| s.workers_lost,
    ),
    (
        "task_moves_total",
        "counter",
        "Queued tasks given to another worker.",
        |s| s.moves,
    ),
    (
        "runaways_total",
        "counter",
        "Tasks ended by the runaway limit.",
        |s| s.runaways,
    ),
    (
        "purged_total",
        "counter",
        "Tasks purged by their time limit.",
        |s| s.purged,
    ),
    (
        "worker_lies_total",
        "counter",
        "Results refused because they made no sense.",
        |s| s.lies,
    ),
    (
        "qr_deaths_total",
        "counter",
        "Workers that died with the QR token.",
        |s| s.qr_deaths,
    ),
    (
        "commits_total",
        "counter",
        "Units of work committed.",
        |s| s.commits,
    ),
    (
        "backouts_total",
        "counter",
        "Units of work backed out.",
        |s| s.backouts,
    ),
    (
        "commit_batches_total",
        "counter",
        "Flushes that carried the commits.",
        |s| s.commit_batches,
    ),
    (
        "lock_waits_total",
        "counter",
        "Waits for record locks.",
        |s| s.lock_waits,
    ),
    ("deadlocks_total", "counter", "Deadlocks found.", |s| {
        s.deadlocks
    }),
    (
        "records_dropped_total",
        "counter",
        "Monitoring records dropped.",
        |s| s.records_dropped,
    ),
];
