//! The life of a worker process: attach, run tasks, retire.
//!
//! The region starts the process with its end of the socket as descriptor
//! [`link::WORKER_FD`] and passes everything else on it. The loop takes
//! queued slots in their order and sleeps only when no slot is queued.

use std::cell::RefCell;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::ExitCode;
use std::rc::Rc;

use link::layout::{REQUEST_BRIEF, REQUEST_CHANGED, RESULT_CPU_ESTIMATED, RESULT_RETIRE};
use link::{
    ContainerEntry, Name, SlotResults, TaskIn, WORKER_FD, WorkerConfig, WorkerEvent, WorkerSide,
};
use store::{DiskOptions, DiskReader, ReadStore};

use crate::cpu::CpuMeter;
use crate::print;
use crate::remote::{self, LinkServices, SharedSide};
use crate::sandbox::{self, HealthCheck};
use crate::worker::{TaskEnd, Worker};

/// Why a worker process could not start.
#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error(transparent)]
    Attach(#[from] link::AttachError),
    #[error(transparent)]
    Libcob(#[from] crate::StartError),
    #[error("the store cannot be read: {0}")]
    Store(#[from] store::OpenError),
    #[error("standard input cannot be closed: {0}")]
    Input(std::io::Error),
    #[error("there is no memory for the lines that programs print")]
    Output,
    #[error("the worker's memory size cannot be read: {0}")]
    Size(std::io::Error),
    #[error("the sandbox: {0}")]
    Sandbox(#[from] crate::sandbox::SandboxError),
}

/// Runs a worker process to its end.
pub fn run() -> ExitCode {
    // SAFETY: the region passes this descriptor to the process it starts, and
    // nothing else here knows it.
    let socket = unsafe { OwnedFd::from_raw_fd(WORKER_FD) };
    match serve(socket) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("worker: {error}");
            ExitCode::from(2)
        }
    }
}

fn serve(socket: OwnedFd) -> Result<(), RunError> {
    close_others();
    close_input().map_err(RunError::Input)?;
    let (mut side, config) = WorkerSide::attach(socket)?;
    let reader = reader(&config, side.take_reader_table())?;
    let side: SharedSide = Rc::new(RefCell::new(side));
    let services = LinkServices::new(side.clone(), &config, reader);
    let mut worker = Worker::new(&config, Box::new(services))?;
    if config.trace {
        worker.set_trace(side.borrow().trace());
    }
    worker.set_uses(side.borrow().uses());
    if !worker.print_lines() {
        return Err(RunError::Output);
    }
    let mut cpu = CpuMeter::new();
    let mut health = HealthCheck::new(config.confinement.resident_bytes).map_err(RunError::Size)?;
    sandbox::enter(&config)?;
    let mut entries = Vec::new();
    loop {
        let next = side.borrow_mut().next_task(None);
        match next {
            WorkerEvent::Task(task) => {
                entries.clear();
                entries.extend_from_slice(side.borrow().containers());
                if run_one(&mut worker, &side, &task, &entries, &mut cpu, &mut health) {
                    return Ok(());
                }
            }
            WorkerEvent::Idle => {}
            WorkerEvent::Retire => return Ok(()),
        }
    }
}

/// Closes what the process was started with except its three streams and its
/// socket.
fn close_others() {
    // SAFETY: nothing here has opened a descriptor yet. Where the call does not
    // exist, they stay as the region left them: closed.
    unsafe { libc::syscall(libc::SYS_close_range, WORKER_FD + 1, u32::MAX, 0) };
}

/// ACCEPT gets nothing.
fn close_input() -> std::io::Result<()> {
    let null = File::open("/dev/null")?;
    // SAFETY: two descriptors of this process.
    match unsafe { libc::dup2(null.as_raw_fd(), 0) } {
        -1 => Err(std::io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn reader(
    config: &WorkerConfig,
    table: Option<OwnedFd>,
) -> Result<Option<Box<dyn ReadStore>>, store::OpenError> {
    let Some(store) = &config.store else {
        return Ok(None);
    };
    // Zero means the store's own default.
    let mut options = DiskOptions::default();
    if store.map_bytes > 0 {
        options.map_bytes = store.map_bytes;
    }
    if store.max_readers > 0 {
        options.max_readers = store.max_readers;
    }
    let reader = match table {
        Some(table) => DiskReader::open_lent(&store.path, &table, &options)?,
        None => DiskReader::open(&store.path, &options)?,
    };
    Ok(Some(Box::new(reader)))
}

/// Runs a task and returns its results. True when the worker must end.
fn run_one(
    worker: &mut Worker,
    side: &SharedSide,
    task: &TaskIn,
    entries: &[ContainerEntry],
    cpu: &mut CpuMeter,
    health: &mut HealthCheck,
) -> bool {
    worker.services.begin_task(task.slot);
    if task.request.flags & REQUEST_CHANGED != 0 {
        worker.services.sees_changes();
    }
    print::begin_task(&task.request);
    let brief = task.request.flags & REQUEST_BRIEF != 0;
    cpu.begin(brief, task.waited);
    let mut end = worker.run_task(&task.request, entries);
    worker.flush();
    print::end_task();
    worker.services.end_task();
    // Nothing but tasks uses this thread's time while there are any, so the end
    // of one is the start of the next, unless what was estimated is settled first.
    let counts = &mut end.counts;
    let waited = counts.qr_wait_ns + counts.call_wait_ns;
    let took = counts.ended_ns.saturating_sub(counts.started_ns + waited);
    let used = cpu.task(brief, took);
    counts.cpu_ns = used.ns;
    let (mut results, message) = results(&end);
    if used.estimated {
        results.flags |= RESULT_CPU_ESTIMATED;
    }
    let unfit = match (
        worker.programs.used_up_descriptors(),
        remote::reader_failed(),
    ) {
        (true, _) => Some("its programs left no descriptor free".to_owned()),
        (_, true) => Some("its reader of the store failed".to_owned()),
        (false, false) => health.after_task(took, worker.programs.copies()),
    };
    if let Some(why) = unfit {
        results.flags |= RESULT_RETIRE;
        eprintln!("the worker retires: {why}");
    }
    let retire = results.flags & RESULT_RETIRE != 0;
    let containers = worker.result_containers();
    let mut side = side.borrow_mut();
    if side.finish(results, message, containers).is_err() {
        // No room for the directory: the task's containers are lost, and
        // that is an abend.
        let full = SlotResults {
            abend: Name::from_bytes(*b"ASRA"),
            ..results
        };
        let _ = side.finish(full, "no room for the containers of the reply", &[]);
    }
    retire
}

fn results(end: &TaskEnd) -> (SlotResults, &str) {
    let mut results = SlotResults {
        next_transid: Name::from_bytes(end.next_transid),
        channel: Name::from_bytes(end.channel),
        commarea: end.commarea.0 as u64,
        commarea_bytes: end.commarea.1 as u64,
        web: end.web.0 as u64,
        web_bytes: end.web.1 as u64,
        flags: end.left_return,
        counts: end.counts,
        ..SlotResults::default()
    };
    let Some(abend) = &end.abend else {
        return (results, "");
    };
    results.abend = Name::from_bytes(abend.code);
    results.program = Name::from_bytes(abend.program);
    results.line = abend.line;
    if abend.damaged {
        results.flags |= RESULT_RETIRE;
    }
    (results, &abend.message)
}
