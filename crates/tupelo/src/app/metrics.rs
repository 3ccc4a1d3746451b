//! The metrics of the region and of this process on `/metrics`.
//!
//! `tupelo_engine_cpu_seconds_total` is CPU time by the kind of engine that a
//! thread belongs to: `offload` for the front doors, `general` for the region's
//! threads and the workers, whose time is kept when they end.
//!
//! Reference: Prometheus, "Writing client libraries", process metrics.

use std::fmt::Write;

use measure::proc::{CountedSubject, Usage};
use region::engine::{EngineClass, ServiceUse};
use region::{LimitInfo, RegionStatistics, TaskTotals};

/// Appends everything as text.
pub fn write(statistics: &RegionStatistics, out: &mut String) {
    for (name, kind, help, value) in METRICS {
        head(out, &format!("tupelo_region_{name}"), kind, help);
        let _ = writeln!(out, "tupelo_region_{name} {}", value(statistics));
    }
    let work = &statistics.work;
    for (name, help, label, rows) in WORK {
        head(out, name, "counter", help);
        for (value, of) in *rows {
            let labels = if value.is_empty() {
                String::new()
            } else {
                format!("{{{label}=\"{value}\"}}")
            };
            let sum = of(work);
            if name.ends_with("_seconds_total") {
                writeln!(out, "{name}{labels} {:.9}", sum as f64 / 1e9)
            } else {
                writeln!(out, "{name}{labels} {sum}")
            }
            .expect("a string takes everything");
        }
    }
    write_own(out);
}

/// A metric of each limit: name, help, and its value.
type LimitMetric = (&'static str, &'static str, fn(&LimitInfo) -> Option<u64>);

const LIMITS: &[LimitMetric] = &[
    (
        "tupelo_region_limit_used",
        "Number in use of a limited resource.",
        |l| Some(l.count),
    ),
    (
        "tupelo_region_limit_used_bytes",
        "Bytes in use of a limited resource.",
        |l| Some(l.bytes),
    ),
    ("tupelo_region_limit_most", "Limit of the number.", |l| {
        l.count_limit
    }),
    (
        "tupelo_region_limit_most_bytes",
        "Limit of the bytes.",
        |l| l.bytes_limit,
    ),
];

/// Appends the use of each limit.
pub fn write_limits(limits: &[LimitInfo], out: &mut String) {
    for (name, help, value) in LIMITS {
        head(out, name, "gauge", help);
        for limit in limits {
            if let Some(value) = value(limit) {
                let _ = writeln!(out, "{name}{{limit=\"{}\"}} {value}", limit.name);
            }
        }
    }
}

/// Appends the metrics of this process.
pub fn write_own(out: &mut String) {
    if let Ok(usage) = CountedSubject::Process(std::process::id()).usage() {
        write_process(&usage, out);
    }
}

/// CPU time so far by kind of engine, general and offload, in nanoseconds. Returns
/// `None` if it cannot be read.
pub fn engines() -> Option<(u64, u64)> {
    let usage = CountedSubject::Process(std::process::id()).usage().ok()?;
    Some(by_engine(
        &usage,
        &region::engine::usage(),
        ended_children_ns(),
    ))
}

fn by_engine(usage: &Usage, services: &[ServiceUse], ended_ns: u64) -> (u64, u64) {
    let on_offload = services.iter().filter(|s| s.class == EngineClass::Offload);
    let offload: u64 = on_offload.map(|s| s.cpu_ns).sum();
    (usage.cpu_ns.saturating_sub(offload) + ended_ns, offload)
}

fn write_process(usage: &Usage, out: &mut String) {
    let services = region::engine::usage();
    let ended = ended_children_ns();
    let (general, offload) = by_engine(usage, &services, ended);
    let name = "tupelo_engine_cpu_seconds_total";
    head(out, name, "counter", "CPU time by kind of engine.");
    for (engine, ns) in [("general", general), ("offload", offload)] {
        let _ = writeln!(out, "{name}{{engine=\"{engine}\"}} {:.9}", ns as f64 / 1e9);
    }
    let name = "tupelo_service_cpu_seconds_total";
    head(
        out,
        name,
        "counter",
        "CPU time of the threads of each service.",
    );
    for s in &services {
        let seconds = s.cpu_ns as f64 / 1e9;
        let _ = writeln!(out, "{name}{{service=\"{}\"}} {seconds:.9}", s.service);
    }
    let name = "process_cpu_seconds_total";
    head(out, name, "counter", "CPU time, with the workers'.");
    let _ = writeln!(out, "{name} {:.9}", (usage.cpu_ns + ended) as f64 / 1e9);
    let name = "process_resident_memory_bytes";
    head(out, name, "gauge", "Resident memory, with the workers'.");
    let _ = writeln!(out, "{name} {}", usage.resident_bytes);
}

/// CPU time of the workers that have ended, as far as the kernel reports it.
pub fn ended_children_ns() -> u64 {
    // SAFETY: all zeros are a valid rusage, which the call fills.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let ns = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1000;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

/// A metric of the region: name, type, help, and its value.
type RegionMetric = (
    &'static str,
    &'static str,
    &'static str,
    fn(&RegionStatistics) -> u64,
);

/// The region's figures on `/metrics`.
const METRICS: &[RegionMetric] = &[
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
        "worker_protocol_violations_total",
        "counter",
        "Malformed results of workers that were rejected.",
        |s| s.violations,
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
        "store_failures",
        "gauge",
        "Commits that failed in the store since the last successful one.",
        |s| s.store_failures,
    ),
    (
        "units_in_doubt",
        "gauge",
        "Units of work in doubt: they wait for their coordinator.",
        |s| s.units_in_doubt,
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
    ("ts_queues", "gauge", "Temporary storage queues.", |s| {
        s.ts_queues
    }),
    (
        "ts_items",
        "gauge",
        "Items of temporary storage queues; of recoverable queues only committed ones.",
        |s| s.ts_items,
    ),
    (
        "ts_bytes",
        "gauge",
        "Bytes that temporary storage queues take.",
        |s| s.ts_bytes,
    ),
    (
        "ts_space_waits_total",
        "counter",
        "Times a WRITEQ TS waited for space.",
        |s| s.ts_space_waits,
    ),
    (
        "td_items",
        "gauge",
        "Records in intrapartition queues; of recoverable queues only committed ones.",
        |s| s.td_items,
    ),
    (
        "td_bytes",
        "gauge",
        "Bytes that intrapartition queues take.",
        |s| s.td_bytes,
    ),
    (
        "td_triggers_total",
        "counter",
        "Tasks started because a queue reached its trigger level.",
        |s| s.td_triggers,
    ),
    (
        "journal_records_total",
        "counter",
        "Records written to journals.",
        |s| s.journal_records,
    ),
    (
        "starts_waiting",
        "gauge",
        "Starts and children that wait to begin.",
        |s| s.waiting_starts,
    ),
    (
        "parents_waiting",
        "gauge",
        "Tasks that wait for their children.",
        |s| s.waiting_parents,
    ),
    (
        "records_dropped_total",
        "counter",
        "Monitoring records dropped.",
        |s| s.records_dropped,
    ),
];

/// One sum of the tasks' work, by the value of its label.
type WorkSum = (&'static str, fn(&TaskTotals) -> u64);

/// Name, help, label and sums.
const WORK: &[(&str, &str, &str, &[WorkSum])] = &[
    (
        "tupelo_region_task_cpu_seconds_total",
        "CPU time of programs, by the monitoring records.",
        "",
        &[("", |w| w.general_cpu_ns)],
    ),
    (
        "tupelo_region_wait_seconds_total",
        "Time that tasks waited, by the monitoring records.",
        "kind",
        &[
            ("admission", |w| w.admission_wait_ns),
            ("dispatch", |w| w.dispatch_wait_ns),
            ("qr", |w| w.qr_wait_ns),
            ("region", |w| w.region_wait_ns),
            ("commit", |w| w.commit_wait_ns),
        ],
    ),
    (
        "tupelo_region_call_wait_seconds_total",
        "Time that tasks waited in the region, by the monitoring records.",
        "kind",
        &[
            ("lock", |w| w.waits.lock_wait_ns),
            ("queue", |w| w.waits.queue_wait_ns),
            ("delay", |w| w.waits.delay_wait_ns),
            ("child", |w| w.waits.child_wait_ns),
            ("event", |w| w.waits.event_wait_ns),
            ("syncpoint", |w| w.waits.syncpoint_wait_ns),
        ],
    ),
    (
        "tupelo_region_commands_total",
        "EXEC CICS commands.",
        "kind",
        &[
            ("file", |w| w.file_commands),
            ("other", |w| w.commands - w.file_commands),
        ],
    ),
    (
        "tupelo_region_mode_switches_total",
        "Changes between the QR and the open mode.",
        "",
        &[("", |w| w.mode_switches)],
    ),
    (
        "tupelo_region_calls_total",
        "Commands that crossed from a worker to the region.",
        "",
        &[("", |w| w.region_calls)],
    ),
];
