//! A region over the fake worker, and gates at which its tasks wait.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use region::{
    Handle, Name, ProgramEntry, Region, RegionConfig, RegionDefinitions, TaskOutcome, TaskReply,
    TaskRequest, TransId, TransactionDef, block_on,
};

/// Programs of the fake worker.
const PROGRAMS: [&str; 16] = [
    "EMPTY", "ECHO", "UPPER", "BIG", "PID", "GENER", "COUNT", "GATE", "PRINT", "LOOP", "CRASH",
    "EXIT", "QRDIE", "QR", "ABEND", "MUCH",
];

/// The settings of most tests: small arenas, one transaction.
pub fn config() -> RegionConfig {
    RegionConfig {
        mxt: 20,
        arena_bytes: 1 << 20,
        worker_exe: PathBuf::from(env!("CARGO_BIN_EXE_fake-worker")),
        worker_args: Vec::new(),
        definitions: definitions(),
        ..RegionConfig::default()
    }
}

/// Transaction `TEST` and the fake worker's programs.
pub fn definitions() -> RegionDefinitions {
    let more = ["VIOLATE", "FILES", "TALK"];
    RegionDefinitions {
        transactions: vec![TransactionDef {
            name: tran("TEST"),
            ..TransactionDef::default()
        }],
        programs: PROGRAMS
            .iter()
            .chain(&more)
            .map(|name| ProgramEntry {
                name: Name::new(name).unwrap(),
                enabled: true,
                ..ProgramEntry::default()
            })
            .collect(),
        ..RegionDefinitions::default()
    }
}

pub fn tran(name: &str) -> TransId {
    TransId::new(name).unwrap()
}

pub fn request(program: &str) -> TaskRequest {
    TaskRequest {
        transid: tran("TEST"),
        program: Name::new(program).unwrap(),
        ..TaskRequest::default()
    }
}

/// Runs a program with a COMMAREA on the default port.
pub async fn call(handle: &Handle, program: &str, commarea: &str) -> TaskReply {
    let port = handle.default_port();
    let mut task = handle.begin(&port, request(program)).await.unwrap();
    put(&mut task, commarea);
    task.run().await
}

/// As [`call`], blocking.
pub fn call_now(region: &Region, program: &str, commarea: &str) -> TaskReply {
    block_on(call(&region.handle(), program, commarea))
}

pub fn put(task: &mut region::Task, commarea: &str) {
    task.set_commarea(commarea.len(), |area| {
        area.copy_from_slice(commarea.as_bytes());
        Ok::<(), ()>(())
    })
    .unwrap();
}

pub fn text(reply: &TaskReply) -> String {
    String::from_utf8_lossy(reply.commarea()).into_owned()
}

/// The abend code, `OK` for a normal end.
pub fn code(reply: &TaskReply) -> String {
    match reply.outcome() {
        TaskOutcome::Ok => "OK".to_owned(),
        TaskOutcome::Abend(abend) => abend.code().into_owned(),
    }
}

/// A FIFO at which a program waits.
pub struct FifoGate {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl FifoGate {
    pub fn new() -> FifoGate {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate");
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: a C string.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        FifoGate {
            path,
            _folder: folder,
        }
    }

    pub fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// Waits until a program is at the gate. The program continues when the returned file
    /// is dropped.
    pub fn reached(&self) -> File {
        OpenOptions::new().write(true).open(&self.path).unwrap()
    }
}

/// Repeats a check until it is true; fails after half a minute.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let begin = std::time::Instant::now();
    while !so() {
        assert!(begin.elapsed().as_secs() < 60, "waited for {what}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}
