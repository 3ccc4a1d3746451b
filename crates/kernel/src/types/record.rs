//! Monitoring records and statistics.

use link::{Name, ProgramName, RunCounters, TransId, UserId};
use serde::Serialize;

/// The monitoring record of a task. Times are in nanoseconds.
///
/// The JSON form, one line a record, has these names.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MonitoringRecord {
    /// Task number.
    pub task: u64,
    /// Transaction.
    pub transid: TransId,
    /// First program.
    pub program: ProgramName,
    /// User of the task.
    pub userid: UserId,
    /// Trace id in hexadecimal; empty for none.
    #[serde(serialize_with = "hex")]
    pub trace_id: [u8; 16],
    /// Abend code, blank for a normal end.
    pub abend: Name<4>,
    /// Time of the request for the task, nanoseconds since 1970.
    pub start_unix_ns: u64,
    /// From the request to the end of the task.
    pub response_ns: u64,
    /// Of this, waiting for admission (MXT, class) and for a worker.
    pub admission_wait_ns: u64,
    /// Of this, queued in a worker.
    pub dispatch_wait_ns: u64,
    /// Of this, in the program, including the program's waits.
    pub elapsed_ns: u64,
    /// CPU time on general engines.
    pub general_cpu_ns: u64,
    /// CPU time on offload engines: of the door while it wrote the task's input, estimated
    /// from the elapsed time; for a task without a program, of the thread that ran the
    /// task.
    pub offload_cpu_ns: u64,
    /// `general_cpu_ns` was estimated from the elapsed time of the task; false if it was
    /// read from the thread's clock for this task alone.
    pub cpu_estimated: bool,
    /// The names of the fields that are estimated; all others are measured.
    pub estimated: &'static [&'static str],
    /// Waiting for the QR token.
    pub qr_wait_ns: u64,
    /// Waiting for the region: locks, updates, syncpoints. The waits by kind
    /// below are parts of it.
    pub region_wait_ns: u64,
    /// Waits by kind.
    #[serde(flatten)]
    pub waits: WaitTimes,
    /// Committing at the end of the task.
    pub commit_wait_ns: u64,
    /// Bytes of input.
    pub input_bytes: u64,
    /// Bytes of output.
    pub output_bytes: u64,
    /// Bytes put in containers.
    pub put_bytes: u64,
    /// Bytes got from containers.
    pub get_bytes: u64,
    /// EXEC CICS commands.
    pub commands: u32,
    /// Of these, file commands.
    pub file_commands: u32,
    /// Of these, container commands.
    pub container_commands: u32,
    /// Of these, LINK and XCTL.
    pub program_commands: u32,
    /// Changes between the QR and the open mode.
    pub mode_switches: u32,
    /// Calls from the worker to the region.
    pub region_calls: u32,
    /// The worker that ran the task.
    pub worker: u32,
    /// Number of times that the task was given to another worker before it started.
    pub moves: u32,
    /// Monitoring points of the program (MONITOR POINT), in the order in which the task first
    /// passed them; at most [`UserPoint::MOST`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub user_points: Vec<UserPoint>,
}

/// The times and counts of a task that its door shows. Times are in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskCosts {
    /// Task number.
    pub task: u64,
    /// CPU time of its programs.
    pub cpu_ns: u64,
    /// Time of the request, since 1970.
    pub start_unix_ns: u64,
    /// From the request to the end of the task.
    pub response_ns: u64,
    /// Of this, waiting for admission and for a worker.
    pub admission_wait_ns: u64,
    /// Of this, queued in a worker.
    pub dispatch_wait_ns: u64,
    /// EXEC CICS commands.
    pub commands: u32,
}

/// The waits of a task in the region by kind, in nanoseconds. Waits for the QR token, which
/// the worker begins itself, are not included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WaitTimes {
    /// For records and names that other tasks had locked.
    pub lock_wait_ns: u64,
    /// For queues: their locks, space for an item, a record.
    pub queue_wait_ns: u64,
    /// For time: DELAY.
    pub delay_wait_ns: u64,
    /// For children: FETCH.
    pub child_wait_ns: u64,
    /// For events, operators and all other waits.
    pub event_wait_ns: u64,
    /// For the store, at syncpoints before the task's end and for files that
    /// are not recoverable.
    pub syncpoint_wait_ns: u64,
    #[serde(skip)]
    now: Option<(WaitKind, u64)>,
}

/// Kinds of wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WaitKind {
    /// A record or an ENQ name.
    Lock,
    /// A queue.
    Queue,
    /// Time.
    Delay,
    /// A child.
    Child,
    /// An event.
    Event,
    /// The store.
    Syncpoint,
}

impl WaitTimes {
    /// Begins a wait, and ends the wait in progress.
    pub fn begin(&mut self, kind: WaitKind, now: u64) {
        self.end(now);
        self.now = Some((kind, now));
    }

    /// Ends the wait in progress, if there is one.
    pub fn end(&mut self, now: u64) {
        if let Some((kind, since)) = self.now.take() {
            self.add(kind, now.saturating_sub(since));
        }
    }

    /// Adds a wait of so many nanoseconds that has ended.
    pub fn add(&mut self, kind: WaitKind, ns: u64) {
        let sum = match kind {
            WaitKind::Lock => &mut self.lock_wait_ns,
            WaitKind::Queue => &mut self.queue_wait_ns,
            WaitKind::Delay => &mut self.delay_wait_ns,
            WaitKind::Child => &mut self.child_wait_ns,
            WaitKind::Event => &mut self.event_wait_ns,
            WaitKind::Syncpoint => &mut self.syncpoint_wait_ns,
        };
        *sum += ns;
    }
}

impl std::ops::AddAssign for WaitTimes {
    fn add_assign(&mut self, other: WaitTimes) {
        self.lock_wait_ns += other.lock_wait_ns;
        self.queue_wait_ns += other.queue_wait_ns;
        self.delay_wait_ns += other.delay_wait_ns;
        self.child_wait_ns += other.child_wait_ns;
        self.event_wait_ns += other.event_wait_ns;
        self.syncpoint_wait_ns += other.syncpoint_wait_ns;
    }
}

/// A monitoring point of the program that a task passed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UserPoint {
    /// ENTRYNAME; `USER` when absent.
    pub entry: Name<8>,
    /// POINT.
    pub point: u8,
    /// Number of times that the task passed it.
    pub count: u32,
    /// Sum of DATA1.
    pub data1: i64,
    /// Sum of DATA2.
    pub data2: i64,
    /// Time of the first pass, nanoseconds after the request for the task.
    pub first_ns: u64,
    /// Time of the last pass, nanoseconds after the request for the task.
    pub last_ns: u64,
}

impl UserPoint {
    /// Most points of a task; further ones are not recorded.
    pub const MOST: usize = 64;
}

impl MonitoringRecord {
    /// The times and counts that a door shows.
    pub fn costs(&self) -> TaskCosts {
        TaskCosts {
            task: self.task,
            cpu_ns: self.general_cpu_ns,
            start_unix_ns: self.start_unix_ns,
            response_ns: self.response_ns,
            admission_wait_ns: self.admission_wait_ns,
            dispatch_wait_ns: self.dispatch_wait_ns,
            commands: self.commands,
        }
    }

    /// Adds the counters of a worker for the task.
    pub fn add_counts(&mut self, c: &RunCounters) {
        self.elapsed_ns = c.ended_ns.saturating_sub(c.started_ns);
        self.general_cpu_ns = c.cpu_ns;
        self.qr_wait_ns = c.qr_wait_ns;
        self.region_wait_ns = c.call_wait_ns;
        self.put_bytes = c.put_bytes;
        self.get_bytes = c.get_bytes;
        self.commands = c.commands;
        self.file_commands = c.file_commands;
        self.container_commands = c.container_commands;
        self.program_commands = c.program_commands;
        self.mode_switches = c.mode_switches;
        self.region_calls = c.region_calls;
    }
}

impl MonitoringRecord {
    /// Adds the record of a program run to the record of its open task. The CPU time of the
    /// task's own thread is read from that thread's clock.
    pub fn add_runs(&mut self, run: &MonitoringRecord) {
        self.admission_wait_ns += run.admission_wait_ns;
        self.dispatch_wait_ns += run.dispatch_wait_ns;
        self.general_cpu_ns += run.general_cpu_ns;
        self.qr_wait_ns += run.qr_wait_ns;
        self.region_wait_ns += run.region_wait_ns;
        self.input_bytes += run.input_bytes;
        self.output_bytes += run.output_bytes;
        self.put_bytes += run.put_bytes;
        self.get_bytes += run.get_bytes;
        self.commands += run.commands;
        self.file_commands += run.file_commands;
        self.container_commands += run.container_commands;
        self.program_commands += run.program_commands;
        self.mode_switches += run.mode_switches;
        self.region_calls += run.region_calls;
        self.moves += run.moves;
        self.worker = run.worker;
        self.cpu_estimated |= run.cpu_estimated;
    }

    /// Sets the names of estimated fields: the CPU time of the programs if it is marked as
    /// estimated, and the CPU time of the gateway if `offload`.
    pub fn mark_estimates(&mut self, offload: bool) {
        self.estimated = match (self.cpu_estimated, offload) {
            (true, true) => &["general_cpu_ns", "offload_cpu_ns"],
            (true, false) => &["general_cpu_ns"],
            (false, true) => &["offload_cpu_ns"],
            (false, false) => &[],
        };
    }
}

fn hex<S: serde::Serializer>(id: &[u8; 16], s: S) -> Result<S::Ok, S::Error> {
    if *id == [0; 16] {
        return s.serialize_str("");
    }
    s.collect_str(&format_args!("{:032x}", u128::from_be_bytes(*id)))
}

/// Counters and gauges of a region, for `/metrics`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RegionStatistics {
    /// Tasks that ended normally.
    pub tasks_ok: u64,
    /// Tasks that abended.
    pub tasks_abended: u64,
    /// Requests refused because of MXT.
    pub refused_mxt: u64,
    /// Requests refused because of their class.
    pub refused_class: u64,
    /// Requests refused for other reasons.
    pub refused_other: u64,
    /// Tasks active now.
    pub active: u64,
    /// Requests waiting for admission now.
    pub waiting: u64,
    /// Starts that wait for their tasks to begin now.
    pub waiting_starts: u64,
    /// Tasks that wait for their children now.
    pub waiting_parents: u64,
    /// 1 while tasks that wait for their children hold all places of children, 2 while
    /// they hold those of requests, too; else 0.
    pub held_by_parents: u64,
    /// Most tasks active at once.
    pub peak_active: u64,
    /// Worker processes now.
    pub workers: u64,
    /// Workers started.
    pub workers_started: u64,
    /// Workers that died with a task or were killed.
    pub workers_lost: u64,
    /// Queued tasks given to another worker.
    pub moves: u64,
    /// Tasks ended by the runaway limit.
    pub runaways: u64,
    /// Tasks purged by their time limit.
    pub purged: u64,
    /// Malformed results of workers that were rejected.
    pub violations: u64,
    /// Holders that died with the QR token.
    pub qr_deaths: u64,
    /// Units of work committed.
    pub commits: u64,
    /// Units of work backed out.
    pub backouts: u64,
    /// Transactions of the store for these commits.
    pub commit_batches: u64,
    /// Failed commits since the last successful one; 0 while the store works.
    pub store_failures: u64,
    /// Units of work that are prepared now and wait for the decision of the coordinating
    /// region.
    pub units_in_doubt: u64,
    /// Waits for record locks.
    pub lock_waits: u64,
    /// Deadlocks found.
    pub deadlocks: u64,
    /// Temporary storage queues now.
    pub ts_queues: u64,
    /// Items of temporary storage queues now; of recoverable ones, the
    /// committed ones.
    pub ts_items: u64,
    /// Bytes of temporary storage queues now, with the overhead of each item.
    pub ts_bytes: u64,
    /// Times a WRITEQ TS waited for space.
    pub ts_space_waits: u64,
    /// Records in intrapartition transient data queues now; of recoverable
    /// ones, the committed ones.
    pub td_items: u64,
    /// Bytes of these records.
    pub td_bytes: u64,
    /// Tasks started because a queue had reached its trigger level.
    pub td_triggers: u64,
    /// Records written to journals.
    pub journal_records: u64,
    /// Monitoring records dropped because the sink was too slow.
    pub records_dropped: u64,
    /// Sums over the monitoring records of all tasks.
    pub work: TaskTotals,
}

/// Sums of the waits and the work of tasks. Times are in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TaskTotals {
    /// CPU time on general engines.
    pub general_cpu_ns: u64,
    /// CPU time of doors on tasks' input, on offload engines.
    pub offload_cpu_ns: u64,
    /// Waits in the region by kind.
    pub waits: WaitTimes,
    /// Waiting for admission and for a worker.
    pub admission_wait_ns: u64,
    /// Queued in a worker.
    pub dispatch_wait_ns: u64,
    /// Waiting for the QR token.
    pub qr_wait_ns: u64,
    /// Waiting for the region.
    pub region_wait_ns: u64,
    /// Committing at the end of the task.
    pub commit_wait_ns: u64,
    /// EXEC CICS commands.
    pub commands: u64,
    /// Of these, file commands.
    pub file_commands: u64,
    /// Changes between the QR and the open mode.
    pub mode_switches: u64,
    /// Calls from the worker to the region.
    pub region_calls: u64,
}

impl TaskTotals {
    /// The work of one task.
    pub fn of(record: &MonitoringRecord) -> TaskTotals {
        TaskTotals {
            general_cpu_ns: record.general_cpu_ns,
            offload_cpu_ns: record.offload_cpu_ns,
            waits: record.waits,
            admission_wait_ns: record.admission_wait_ns,
            dispatch_wait_ns: record.dispatch_wait_ns,
            qr_wait_ns: record.qr_wait_ns,
            region_wait_ns: record.region_wait_ns,
            commit_wait_ns: record.commit_wait_ns,
            commands: record.commands.into(),
            file_commands: record.file_commands.into(),
            mode_switches: record.mode_switches.into(),
            region_calls: record.region_calls.into(),
        }
    }
}

impl std::ops::AddAssign for TaskTotals {
    fn add_assign(&mut self, other: TaskTotals) {
        self.general_cpu_ns += other.general_cpu_ns;
        self.offload_cpu_ns += other.offload_cpu_ns;
        self.waits += other.waits;
        self.admission_wait_ns += other.admission_wait_ns;
        self.dispatch_wait_ns += other.dispatch_wait_ns;
        self.qr_wait_ns += other.qr_wait_ns;
        self.region_wait_ns += other.region_wait_ns;
        self.commit_wait_ns += other.commit_wait_ns;
        self.commands += other.commands;
        self.file_commands += other.file_commands;
        self.mode_switches += other.mode_switches;
        self.region_calls += other.region_calls;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_added_up_by_kind_and_one_that_begins_ends_the_one_before() {
        let mut waits = WaitTimes::default();
        waits.begin(WaitKind::Lock, 100);
        waits.begin(WaitKind::Delay, 130);
        waits.end(200);
        waits.end(900);
        waits.begin(WaitKind::Child, 1_000);
        waits.add(WaitKind::Syncpoint, 5);
        waits.end(1_005);
        let sums = (
            waits.lock_wait_ns,
            waits.delay_wait_ns,
            waits.child_wait_ns,
            waits.syncpoint_wait_ns,
        );
        assert_eq!(sums, (30, 70, 5, 5));
    }

    #[test]
    fn a_record_names_what_is_estimated() {
        let record = MonitoringRecord {
            estimated: &["offload_cpu_ns"],
            ..MonitoringRecord::default()
        };
        let json = serde_json::to_value(&record).expect("a record");
        assert_eq!(json["estimated"][0], "offload_cpu_ns");
        assert_eq!(json["lock_wait_ns"], 0);
        assert!(json.get("now").is_none());
    }
}
