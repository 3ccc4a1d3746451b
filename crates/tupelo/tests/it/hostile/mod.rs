//! Hostile programs: one for each attack, its result, and the check that other tasks are not
//! disturbed.
//!
//! `native` runs a module written in C, which can do more than compiled COBOL; `cobol` runs
//! COBOL programs. Each test has its own region with the whole sandbox; a test ends with a
//! note if the kernel lacks a part of it.

mod cobol;
mod kernel;
mod native;
mod slots;

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use region::{
    Handle, Name, ProgramEntry, Region, RegionConfig, RegionDefinitions, SandboxMode, StoreEntry,
    TaskOutcome, TaskReply, TaskRequest, TransactionDef, WorkerConfinement, block_on,
};

/// A region over hostile programs.
pub struct Arena {
    pub region: Region,
    pub folder: tempfile::TempDir,
}

/// Entries of the hostile module that run under the quasi-reentrant rule.
const QUASI: [&str; 2] = ["GOOD", "FILLDIE"];

/// The hostile module and a small one of the same source, compiled once.
fn modules() -> &'static [PathBuf; 2] {
    static MODULES: OnceLock<(tempfile::TempDir, [PathBuf; 2])> = OnceLock::new();
    let (_, paths) = MODULES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/hostile/attacks.c");
        let build = |name: &str, storage: &str| {
            let path = folder.path().join(name);
            let built = Command::new("cc")
                .args(["-shared", "-fPIC", "-O1", "-w", storage, "-o"])
                .arg(&path)
                .arg(source)
                .status()
                .unwrap();
            assert!(built.success());
            path
        };
        let paths = [
            build("attacks.so", "-DBIG_MIB=150"),
            build("small.so", "-DBIG_MIB=1"),
        ];
        (folder, paths)
    });
    paths
}

/// The entries of the hostile module, as its source names them.
fn entries() -> Vec<&'static str> {
    let source = include_str!("attacks.c");
    let heads = source.lines().filter_map(|l| l.strip_prefix("PROGRAM("));
    heads.filter_map(|l| l.split(')').next()).collect()
}

/// True where the kernel has every part of the sandbox.
pub fn sandbox_is_whole() -> bool {
    let lacking = worker::sandbox::lacking();
    if !lacking.is_empty() {
        let why = format!("this kernel lacks {}", lacking.join(" and "));
        skipped::lacking("sandbox", why);
    }
    lacking.is_empty()
}

impl Arena {
    /// A region of at most `mxt` workers, with a store.
    pub fn open(mxt: usize) -> Arena {
        Arena::with(mxt, |_| {})
    }

    /// The same with other settings.
    pub fn with(mxt: usize, change: impl FnOnce(&mut RegionConfig)) -> Arena {
        let folder = tempfile::tempdir().unwrap();
        let programs = entries().into_iter().map(|name| ProgramEntry {
            name: Name::new(name).unwrap(),
            module: Some(modules()[usize::from(name == "WORKER")].clone()),
            enabled: true,
            threadsafe: !QUASI.contains(&name),
            ..ProgramEntry::default()
        });
        let mut config = RegionConfig {
            mxt,
            arena_bytes: 1 << 20,
            worker_exe: PathBuf::from(env!("CARGO_BIN_EXE_tupelo")),
            store: Some(StoreEntry {
                path: folder.path().join("store"),
                map_bytes: 1 << 30,
                ..StoreEntry::default()
            }),
            confinement: WorkerConfinement {
                sandbox: SandboxMode::Required,
                task_bytes: 64 << 20,
                process_bytes: 512 << 20,
                resident_bytes: 128 << 20,
            },
            definitions: RegionDefinitions {
                transactions: vec![TransactionDef {
                    name: Name::new("TEST").unwrap(),
                    ..TransactionDef::default()
                }],
                programs: programs.collect(),
                ..RegionDefinitions::default()
            },
            ..RegionConfig::default()
        };
        change(&mut config);
        Arena {
            region: Region::start(config).unwrap(),
            folder,
        }
    }

    /// Runs a program; its answer, or `abend CODE: message`.
    pub fn run(&self, program: &str, asked: &str) -> String {
        block_on(call(
            self.region.handle(),
            program.to_owned(),
            asked.to_owned(),
        ))
    }

    /// Runs an attack while another task is at work in another worker; that
    /// one, and one after it, end well.
    pub fn attack(&self, program: &str, asked: &str) -> String {
        let handle = self.region.handle();
        let other = std::thread::spawn(move || {
            block_on(call(handle, "WORKER".to_owned(), "300".to_owned()))
        });
        let outcome = self.run(program, asked);
        let other = other.join().unwrap();
        assert!(
            other.parse::<i32>().is_ok(),
            "{program} hit another task: {other}"
        );
        assert_eq!(self.run("GOOD", ""), "good", "after {program}");
        outcome
    }
}

async fn call(handle: Handle, program: String, asked: String) -> String {
    let request = TaskRequest {
        transid: Name::new("TEST").unwrap(),
        program: Name::new(&program).unwrap(),
        ..TaskRequest::default()
    };
    let mut task = match handle.begin(&handle.default_port(), request).await {
        Ok(task) => task,
        Err(refusal) => return format!("refused: {refusal}"),
    };
    task.set_commarea(200, |area| {
        area.fill(0);
        area[..asked.len()].copy_from_slice(asked.as_bytes());
        Ok::<(), ()>(())
    })
    .unwrap();
    answer(&task.run().await)
}

fn answer(reply: &TaskReply) -> String {
    match reply.outcome() {
        TaskOutcome::Abend(abend) => format!("abend {}: {}", abend.code(), abend.message),
        TaskOutcome::Ok => {
            let area = reply.commarea();
            let end = area.iter().position(|&b| b == 0).unwrap_or(area.len());
            String::from_utf8_lossy(&area[..end]).into_owned()
        }
    }
}
