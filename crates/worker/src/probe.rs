//! Tasks from a file, run in this process over files in memory.
//!
//! For programs under test. The file is JSON:
//!
//! ```json
//! {"config": {"programs": [{"name": "A", "module": "a.so", "enabled": true}], "files": []},
//!  "records": {"ACCTS": ["0001 first", "0002 second"]},
//!  "tasks": [{"program": "A", "commarea": "text", "channel": "CH", "repeat": 1,
//!             "containers": {"IN": "text"}}]}
//! ```
//!
//! Each task prints one line of JSON with its end; one that is repeated prints
//! the last end only, with the CPU time of a task on average. A program of the
//! file may end the process; what was printed before stays.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use link::layout::REQUEST_CHANNEL;
use link::{
    ChannelName, ContainerEntry, ContainerName, ContainerType, Name, ProgramName, Request, TransId,
    WorkerConfig,
};
use runtime::sql::{SessionOptions, UnitOwner};
use serde_json::{Map, Value, json};
use sql::temporal::DateStyle;

use crate::memory::MemoryServices;
use crate::services::{FileServices, UnitServices};
use crate::worker::{TaskEnd, Worker};

/// Arena of the tasks.
const ARENA_BYTES: usize = 16 << 20;

/// Runs the file's tasks; exit code 2 when it cannot.
pub fn main(file: &Path) -> ExitCode {
    match probe(file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("probe: {error}");
            ExitCode::from(2)
        }
    }
}

/// How EXEC SQL is served.
fn sql_options(of: &Value) -> SessionOptions {
    let text = |name: &str| of[name].as_str().unwrap_or_default();
    let defaults = SessionOptions::default();
    SessionOptions {
        owner: if text("owner") == "program" {
            UnitOwner::Program
        } else {
            UnitOwner::Region
        },
        rolls_back: of["rolls_back"].as_bool().unwrap_or(true),
        dates: DateStyle::from_name(text("dates")).unwrap_or(defaults.dates),
        qualifier: of["qualifier"].as_str().map(str::to_owned),
        cursor_bytes: of["cursor_bytes"]
            .as_u64()
            .and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or(defaults.cursor_bytes),
        ..defaults
    }
}

fn probe(file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let scenario: Value = serde_json::from_slice(&std::fs::read(file)?)?;
    let config: WorkerConfig = serde_json::from_value(scenario["config"].clone())?;
    let mut services = MemoryServices::new(&config.files, ARENA_BYTES)?;
    if let Some(socket) = scenario["sql"]["socket"].as_str() {
        let user = scenario["sql"]["user"].as_str().unwrap_or_default();
        let fd = crate::sql::connect(Path::new(socket), user, "postgres")?;
        services.set_sql(fd, sql_options(&scenario["sql"]));
    }
    for (i, def) in config.files.iter().enumerate() {
        for record in scenario["records"][def.name.as_str()]
            .as_array()
            .into_iter()
            .flatten()
        {
            let record = record.as_str().unwrap_or_default();
            services
                .write(i, &[], record.as_bytes(), false)
                .map_err(|f| format!("{record}: {f:?}"))?;
        }
    }
    services.syncpoint().map_err(|f| format!("{f:?}"))?;
    services.add_remote(*b"FARAWAY ", |commarea| commarea.make_ascii_uppercase());
    let mut worker = Worker::new(&config, Box::new(services))?;
    let mut number = 0;
    for task in scenario["tasks"].as_array().into_iter().flatten() {
        let repeat = task["repeat"].as_u64().unwrap_or(1).max(1);
        let before = crate::clock::thread_cpu_ns();
        let mut end = TaskEnd::default();
        for _ in 0..repeat {
            number += 1;
            let (request, entries) = prepare(&mut worker, task, number)?;
            end = worker.run_task(&request, &entries);
            worker.services().end_task();
        }
        let cpu_ns = (crate::clock::thread_cpu_ns() - before) / repeat;
        let line = outcome(&mut worker, &end, cpu_ns);
        writeln!(std::io::stdout(), "{line}")?;
    }
    Ok(())
}

fn prepare(
    worker: &mut Worker,
    task: &Value,
    number: u64,
) -> Result<(Request, Vec<ContainerEntry>), Box<dyn std::error::Error>> {
    let text = |key: &str| task[key].as_str().unwrap_or_default();
    let arena = worker.services().arena();
    arena.heap.reset(0);
    let mut put = |bytes: &[u8]| -> Result<usize, &'static str> {
        let at = arena.heap.alloc(bytes.len()).ok_or("the arena is full")?;
        // SAFETY: a block of the arena of that size.
        unsafe {
            arena
                .base
                .add(at)
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len())
        };
        Ok(at)
    };
    let mut request = Request {
        task: number,
        program: ProgramName::new(text("program"))?,
        transid: TransId::new(task["transid"].as_str().unwrap_or("TEST"))?,
        start_code: Name::new(task["start_code"].as_str().unwrap_or("U"))?,
        ..Request::default()
    };
    let commarea = text("commarea").as_bytes();
    request.commarea = put(commarea)? as u64;
    request.commarea_bytes = commarea.len() as u64;
    let mut entries = Vec::new();
    if let Some(channel) = task["channel"].as_str() {
        request.flags |= REQUEST_CHANNEL;
        request.channel = ChannelName::new(channel)?;
        for (name, data) in task["containers"].as_object().unwrap_or(&Map::new()) {
            let data = data.as_str().unwrap_or_default().as_bytes();
            entries.push(ContainerEntry {
                name: ContainerName::new(name)?,
                offset: put(data)?,
                bytes: data.len(),
                kind: ContainerType::Char,
                ccsid: 0,
            });
        }
    }
    Ok((request, entries))
}

fn outcome(worker: &mut Worker, end: &TaskEnd, cpu_ns: u64) -> Value {
    let base = worker.services().arena().base;
    let text = |offset: usize, bytes: usize| {
        // SAFETY: a result's range of the arena, as the task left it.
        let bytes = unsafe { std::slice::from_raw_parts(base.add(offset), bytes) };
        bytes.iter().map(|&b| char::from(b)).collect::<String>()
    };
    let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    let containers: Map<String, Value> = worker
        .result_containers()
        .iter()
        .map(|e| (e.name.to_string(), text(e.offset, e.bytes).into()))
        .collect();
    let abend = end.abend.as_ref().map(|a| {
        json!({"code": name(&a.code), "program": name(&a.program), "line": a.line,
               "message": a.message, "damaged": a.damaged})
    });
    json!({
        "abend": abend,
        "commarea": text(end.commarea.0, end.commarea.1),
        "containers": containers,
        "next_transid": name(&end.next_transid),
        "commands": end.counts.commands,
        "mode_switches": end.counts.mode_switches,
        "elapsed_ns": end.counts.ended_ns - end.counts.started_ns,
        "cpu_ns": cpu_ns,
    })
}
