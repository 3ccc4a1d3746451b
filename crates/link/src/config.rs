//! The configuration that a worker receives at its start.
//!
//! One JSON text for all workers of a generation, in a memfd that each of them
//! is handed. The order of programs and files gives them their numbers.

use std::path::PathBuf;

use cics::file::{FileAccess, FileFault, FilePermits, FileSwitches};
use serde::{Deserialize, Serialize};

use crate::{FileName, Name, ProgramName, TransId};

/// Configuration of the workers of one generation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerConfig {
    /// VTAM application name of the region, for ASSIGN APPLID.
    pub applid: Name<8>,
    /// System identifier, for ASSIGN SYSID.
    pub sysid: Name<4>,
    /// Number of this set of definitions; grows with every reload.
    pub generation: u64,
    /// Bytes of the CWA, at the front of the area that all workers share.
    pub cwa_bytes: u32,
    /// File commands run under the QR token.
    pub fc_qr_only: bool,
    /// Routines outside of the program table that CALL may reach.
    pub callable: Vec<String>,
    /// The program table.
    pub programs: Vec<ProgramEntry>,
    /// Transactions, for RETURN TRANSID and their TWA.
    pub transactions: Vec<TransactionEntry>,
    /// The files; a file's number is its place in this list.
    pub files: Vec<FileEntry>,
    /// The store with the embedded files; `None` without files.
    pub store: Option<StoreEntry>,
    /// The confinement of the worker's programs.
    pub confinement: WorkerConfinement,
    /// How socket calls are served.
    pub sockets: SocketOptions,
    /// Commands are traced.
    pub trace: bool,
    /// The definitions for TRANSFORM.
    pub transforms: Vec<TransformEntry>,
}

/// A binding of records to XML and JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TransformEntry {
    /// Its name in XMLTRANSFORM and TRANSFORMER, 1 to 32 characters.
    pub name: String,
    /// The binding file's text.
    pub binding: String,
}

/// How a worker serves its programs' socket calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SocketOptions {
    /// The region has the interface.
    pub enabled: bool,
    /// Calls that only move data are made in the worker; false: all of them go
    /// to the region.
    pub local: bool,
    /// EZACIC04 and its like translate by the tables of the manual; false: they
    /// leave data alone, because programs have ASCII characters here.
    pub tables: bool,
}

/// How far a worker's programs are confined. A bound of 0 means no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerConfinement {
    /// The sandbox of the process.
    pub sandbox: SandboxMode,
    /// Most bytes that GETMAIN gives a task.
    pub task_bytes: u64,
    /// Most bytes of memory that the process takes in addition to the shared
    /// memory.
    pub process_bytes: u64,
    /// Bytes of memory above which the process ends after its task.
    pub resident_bytes: u64,
}

/// Whether a worker runs in a sandbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// A worker that cannot apply a part of it does not start.
    Required,
    /// The parts that the kernel has.
    BestEffort,
    /// No confinement: for debuggers and profilers.
    #[default]
    Off,
}

/// A program that LINK, XCTL and CALL can reach.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramEntry {
    /// Name.
    pub name: ProgramName,
    /// The compiled module; `None` for a program that the region serves.
    pub module: Option<PathBuf>,
    /// There is a definition and no program: no module was made, and nothing in
    /// the region serves it.
    pub missing: bool,
    /// The module is missing because its source did not compile.
    pub uncompiled: bool,
    /// The program may run outside of the QR token.
    pub threadsafe: bool,
    /// False: LINK and XCTL answer PGMIDERR.
    pub enabled: bool,
    /// REMOTESYSTEM: LINK runs it there; blank for here.
    pub remote_system: Name<4>,
    /// REMOTENAME: its name there; blank for the same name.
    pub remote_name: ProgramName,
    /// TRANSID: the mirror transaction there; blank for CSMI.
    pub remote_transid: TransId,
    /// The program was translated from EXEC CICS; false: a plain COBOL
    /// subprogram that only CALL reaches.
    pub translated: bool,
}

/// Why a program cannot be run here: the cause of PGMIDERR, or of APCT for a
/// task's first program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFault {
    /// The name is not defined.
    #[error("is not defined")]
    NotDefined,
    /// The definition or SET PROGRAM disables it.
    #[error("is disabled")]
    Disabled,
    /// There is a definition and no program.
    #[error("is defined, but its program does not exist")]
    NotLoaded,
    /// The source did not compile.
    #[error("did not compile; see the log or run `tupelo check`")]
    NotCompiled,
    /// Its definition names another region.
    #[error("is a program of another region")]
    Remote,
}

impl ProgramFault {
    /// RESP2 of PGMIDERR.
    ///
    /// Reference: CICS API reference, LINK, XCTL, LOAD.
    pub fn resp2(self) -> u32 {
        match self {
            ProgramFault::NotDefined => 1,
            ProgramFault::Disabled => 2,
            ProgramFault::NotLoaded | ProgramFault::NotCompiled => 3,
            ProgramFault::Remote => 9,
        }
    }
}

impl ProgramEntry {
    /// Why it cannot be run here. Returns `None` when it can.
    pub fn fault(&self) -> Option<ProgramFault> {
        match (self.enabled, self.missing, self.remote_system.is_blank()) {
            (false, ..) => Some(ProgramFault::Disabled),
            (true, true, true) if self.uncompiled => Some(ProgramFault::NotCompiled),
            (true, true, true) => Some(ProgramFault::NotLoaded),
            (true, true, false) => Some(ProgramFault::Remote),
            (true, false, _) => None,
        }
    }
}

/// A transaction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TransactionEntry {
    /// Name.
    pub name: TransId,
    /// First program.
    pub program: ProgramName,
    /// Bytes of its transaction work area.
    pub twa_bytes: u32,
}

/// How the records of a file are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    /// By the key in each record.
    #[default]
    Ksds,
    /// By the address of each record, in the order of their coming.
    Esds,
    /// By relative record number.
    Rrds,
    /// By an alternate key, which several records may have.
    Path,
}

/// A file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileEntry {
    /// Name.
    pub name: FileName,
    /// Name of the data set in the store; empty for the file's own name.
    pub data_set: String,
    /// Name in the store of the data set that has the records: the name of the
    /// data set, or for a path that of its base. All paths of one base show the
    /// changes of one file.
    pub base: String,
    /// How its records are found.
    pub kind: FileKind,
    /// Offset of the key in a record: of a path, the alternate key.
    pub key_offset: u32,
    /// Bytes of the key: of a path, the alternate key.
    pub key_bytes: u32,
    /// Most bytes of a record.
    pub record_bytes: u32,
    /// Records may be shorter than that.
    pub variable: bool,
    /// Changes belong to the unit of work; false: they are made at once.
    pub recoverable: bool,
    /// The operations that commands may do.
    #[serde(flatten)]
    pub permits: FilePermits,
    /// False: commands are answered DISABLED.
    pub enabled: bool,
    /// UNENABLED: commands are answered NOTOPEN.
    pub closed: bool,
    /// STRINGS, as INQUIRE returns it; it limits nothing.
    pub strings: u32,
}

impl FileEntry {
    /// Whether a command may touch the file; `stored` says whether the store
    /// has its data set.
    pub fn check(&self, access: FileAccess, stored: bool) -> Result<(), FileFault> {
        let switches = FileSwitches {
            enabled: self.enabled,
            open: stored && !self.closed,
            permits: self.permits,
        };
        switches.check(access)
    }

    /// Whether the store had the data set when the region completed the entry:
    /// the key of one that it lacks has no bytes.
    pub fn is_stored(&self) -> bool {
        self.kind != FileKind::Ksds || self.key_bytes > 0
    }
}

/// The embedded store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoreEntry {
    /// Its folder.
    pub path: PathBuf,
    /// Bytes of its map; the same for every process.
    pub map_bytes: u64,
    /// Its reader slots; the same for every process.
    pub max_readers: u32,
    /// A commit survives a crash of the machine: it is flushed to the disk.
    pub sync: bool,
    /// Bytes up to which all pages are looked at before anything is served;
    /// `None` for the store's own number.
    pub walked_bytes: Option<u64>,
}

impl Default for StoreEntry {
    fn default() -> Self {
        StoreEntry {
            path: PathBuf::new(),
            map_bytes: 0,
            max_readers: 0,
            sync: true,
            walked_bytes: None,
        }
    }
}
