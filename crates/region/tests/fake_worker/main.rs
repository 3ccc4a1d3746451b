//! A worker without COBOL: it uses the worker's end of the link only and
//! behaves, well or badly, by the name of the program.

mod descriptors;
mod files;
mod violations;

use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};

use link::{
    ContainerEntry, Name, ProgramName, SlotResults, TaskIn, WORKER_FD, WorkerEvent, WorkerSide,
};

fn main() {
    if std::env::args().any(|a| a == "--die-at-start") {
        std::process::exit(3);
    }
    // SAFETY: the region hands the socket over under this number.
    let socket = unsafe { OwnedFd::from_raw_fd(WORKER_FD) };
    let Ok((mut worker, config)) = WorkerSide::attach(socket) else {
        std::process::exit(7);
    };
    let mut tasks = 0;
    loop {
        match worker.next_task(None) {
            WorkerEvent::Task(task) => run(&mut worker, &task, config.generation, &mut tasks),
            WorkerEvent::Idle => {}
            WorkerEvent::Retire => return,
        }
    }
}

fn run(worker: &mut WorkerSide, task: &TaskIn, generation: u64, tasks: &mut u64) {
    *tasks += 1;
    let started_ns = now_ns();
    let mut results = SlotResults {
        commarea: task.request.commarea,
        commarea_bytes: task.request.commarea_bytes,
        channel: task.request.channel,
        ..SlotResults::default()
    };
    let mut back: Vec<ContainerEntry> = Vec::new();
    let mut message = String::new();
    match task.request.program.as_str() {
        "EMPTY" | "MUCH" => {}
        "ECHO" => back.extend_from_slice(worker.containers()),
        "UPPER" => commarea(worker, task).make_ascii_uppercase(),
        "BIG" => back.push(big(worker, task)),
        "PID" => answer(worker, task, &mut results, &std::process::id().to_string()),
        "GENER" => answer(worker, task, &mut results, &generation.to_string()),
        "COUNT" => answer(worker, task, &mut results, &tasks.to_string()),
        "GATE" => wait_at_gate(worker, task),
        "PRINT" => println!("{}", text(worker, task)),
        "LOOP" => loop {
            std::hint::spin_loop();
        },
        "CRASH" => {
            let mut trace = worker.trace();
            trace.begin_task(task.request.task, task.request.transid);
            trace.enter(cics::command::commands::link::NUMBER, 0);
            crash();
        }
        "EXIT" => std::process::exit(0),
        "QRDIE" => {
            let _ = worker.qr().take();
            crash();
        }
        "QR" => {
            let taken = format!("{:?}", worker.qr().take());
            worker.qr().give();
            answer(worker, task, &mut results, &taken);
        }
        "ABEND" => {
            results.abend = Name::from_bytes(*b"U001");
            results.program = ProgramName::new("ABEND").unwrap_or_default();
            results.line = 42;
            message = "as asked".to_owned();
        }
        "VIOLATE" => violations::perform_violation(worker, task, &mut results),
        "TALK" => {
            let script = text(worker, task);
            let (said, abend) = descriptors::run(worker, &script);
            answer(worker, task, &mut results, &said);
            results.abend = abend;
        }
        "FILES" => {
            let script = text(worker, task);
            let (said, abend) = files::run(worker, &script, &mut results.counts);
            answer(worker, task, &mut results, &said);
            results.abend = abend;
        }
        _ => results.abend = Name::from_bytes(*b"APCT"),
    }
    results.counts.started_ns = started_ns;
    results.counts.ended_ns = now_ns();
    let counts = &mut results.counts;
    counts.cpu_ns = match task.request.program.as_str() {
        "MUCH" => 3_600_000_000_000,
        _ => counts.ended_ns - counts.started_ns - counts.call_wait_ns,
    };
    results.counts.commands = 1;
    worker.progress();
    if worker.finish(results, &message, &back).is_err() {
        results.abend = Name::from_bytes(*b"FULL");
        let _ = worker.finish(results, "", &[]);
    }
}

/// The COMMAREA as it is in the arena.
fn commarea<'a>(worker: &'a mut WorkerSide, task: &TaskIn) -> &'a mut [u8] {
    let request = &task.request;
    // SAFETY: the region put the COMMAREA inside of the slot's arena, which is
    // this process's while the task runs.
    unsafe {
        std::slice::from_raw_parts_mut(
            worker.arena(task.slot).add(request.commarea as usize),
            request.commarea_bytes as usize,
        )
    }
}

fn text(worker: &mut WorkerSide, task: &TaskIn) -> String {
    String::from_utf8_lossy(commarea(worker, task)).into_owned()
}

/// Makes a text the returned COMMAREA.
fn answer(worker: &mut WorkerSide, task: &TaskIn, results: &mut SlotResults, text: &str) {
    let at = worker.heap().alloc(text.len()).expect("room for a text");
    // SAFETY: just allocated in the slot's arena.
    unsafe {
        let to = worker.arena(task.slot).add(at);
        std::ptr::copy_nonoverlapping(text.as_ptr(), to, text.len());
    }
    results.commarea = at as u64;
    results.commarea_bytes = text.len() as u64;
}

/// A container with the number of bytes in the COMMAREA.
fn big(worker: &mut WorkerSide, task: &TaskIn) -> ContainerEntry {
    let bytes: usize = text(worker, task).trim().parse().unwrap_or(0);
    let offset = worker.heap().alloc(bytes).expect("room for a container");
    // SAFETY: just allocated in the slot's arena.
    unsafe { worker.arena(task.slot).add(offset).write_bytes(b'x', bytes) };
    ContainerEntry {
        name: Name::from_bytes(*b"BIG             "),
        offset,
        bytes,
        kind: link::ContainerType::Char,
        ccsid: 0,
    }
}

/// Opens the FIFO that the COMMAREA names, and continues
/// when the other end is closed.
fn wait_at_gate(worker: &mut WorkerSide, task: &TaskIn) {
    let mut all = Vec::new();
    if let Ok(mut gate) = std::fs::File::open(text(worker, task)) {
        let _ = gate.read_to_end(&mut all);
    }
}

fn crash() {
    // SAFETY: this ends the process, which is what it is for.
    unsafe {
        libc::signal(libc::SIGSEGV, libc::SIG_DFL);
        libc::raise(libc::SIGSEGV);
    }
}

fn now_ns() -> u64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the timespec is written by the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}
