//! How a region is set up.

use cics::command::SpiGrants;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use link::display::DisplayCharacters;
use link::{Name, SandboxMode, StoreEntry, WorkerConfinement};

use crate::api::{CommandService, ConversationService, GuestPrograms, SocketCalls};
use kernel::{AccountLimits, FacilityLimits, KernelConfig, RegionDefinitions};

/// Everything that a region needs to start.
#[derive(Debug, Clone)]
pub struct RegionConfig {
    /// Application name.
    pub applid: Name<8>,
    /// System identifier.
    pub sysid: Name<4>,
    /// User id of tasks whose caller gave none (DFLTUSER).
    pub default_user: Name<8>,
    /// Most active tasks, and so most workers; 1 to 1,000.
    pub mxt: usize,
    /// Most requests that wait for an active task to end.
    pub queue_limit: usize,
    /// Workers that are started with the region and never ended for idleness.
    pub min_workers: usize,
    /// Milliseconds after which an idle worker above `min_workers` is ended.
    pub worker_idle_ms: u32,
    /// Milliseconds of CPU that a task may use without a command (ICVR).
    pub runaway_ms: u32,
    /// Milliseconds of waiting that raise a priority by one (PRTYAGE), 0 to
    /// 65,535; 0 for priorities that do not age.
    pub priority_aging_ms: u32,
    /// Milliseconds that a task without a DTIMOUT of its own waits for a lock;
    /// 0 for no limit.
    pub lock_timeout_ms: u32,
    /// Bytes of the common work area (WRKAREA), 0 to 3,584; 0 for none.
    pub cwa_bytes: u32,
    /// Bytes of storage for GETMAIN SHARED that all workers have; 0 keeps it
    /// within the worker.
    pub shared_storage_bytes: usize,
    /// Bytes of each slot's area, a multiple of 4,096.
    pub arena_bytes: usize,
    /// The worker's executable.
    pub worker_exe: PathBuf,
    /// Its arguments.
    pub worker_args: Vec<OsString>,
    /// Steps of nice(2), 0 to 19, that workers get in addition to those of the
    /// region: when CPUs are short, the region's threads and the doors run first.
    pub worker_nice: u8,
    /// A worker gets a task only when nothing of another one is in its memory.
    pub isolate_tasks: bool,
    /// CPU sets.
    pub engines: EngineCpus,
    /// File that monitoring records are appended to, a JSON line each.
    pub monitoring: Option<PathBuf>,
    /// Folder of transaction dumps; none suppresses them.
    pub dumps: Option<PathBuf>,
    /// The store with the embedded files; `None` for a region without files.
    pub store: Option<StoreEntry>,
    /// The confinement of workers.
    pub confinement: WorkerConfinement,
    /// The commands by which programs may administer the region.
    pub spi: SpiGrants,
    /// Lines a second that programs and scripts may write into the log, all in
    /// all; ten seconds' worth at once. 0 for no bound.
    pub display_lines_per_s: u32,
    /// The character set of program text, for the log.
    pub characters: DisplayCharacters,
    /// The region and its workers write their traces.
    pub trace: bool,
    /// Partners of APPC conversations; `None` for a region without them.
    pub conversations: Option<Arc<dyn ConversationService>>,
    /// The service for the socket calls of tasks. `None` for a region without sockets,
    /// where such a call ends with abend AEY9.
    pub sockets: Option<Arc<dyn SocketCalls>>,
    /// Services that serve commands in addition to the kernel. Without its service
    /// a command ends with abend AEY9.
    pub services: Vec<Arc<dyn CommandService>>,
    /// The service that runs programs without a module. Without it, a LINK to such a
    /// program is answered with PGMIDERR.
    pub guests: Option<Arc<dyn GuestPrograms>>,
    /// How workers serve their programs' socket calls.
    pub socket_options: link::SocketOptions,
    /// Is notified when a program shuts the region down. `None` when the process
    /// ends with its last task anyway.
    pub stop: Option<Arc<dyn ProcessStopper>>,
    /// Folder of files that queues and journals are written to, when their
    /// definition does not name another one.
    pub state: PathBuf,
    /// Most bytes of all temporary storage queues.
    pub temporary_storage_bytes: u64,
    /// Most bytes of all intrapartition transient data queues.
    pub transient_data_bytes: u64,
    /// Bounds of facilities and of what waits at them.
    pub facilities: FacilityLimits,
    /// Bounds of what tasks can make grow.
    pub accounts: AccountLimits,
    /// Free bytes of the disks of the store and of the state folder that programs
    /// cannot use up; 0 for none.
    pub disk_reserve_bytes: u64,
    /// Transactions, classes, programs, files and queues.
    pub definitions: RegionDefinitions,
}

impl Default for RegionConfig {
    fn default() -> Self {
        RegionConfig {
            applid: Name::from_bytes(*b"TUPELO  "),
            sysid: Name::from_bytes(*b"TUP1"),
            default_user: Name::from_bytes(*b"CICSUSER"),
            mxt: 100,
            queue_limit: 500,
            min_workers: 1,
            worker_idle_ms: 30_000,
            runaway_ms: 5_000,
            priority_aging_ms: 1_000,
            lock_timeout_ms: 10_000,
            cwa_bytes: 0,
            shared_storage_bytes: 0,
            arena_bytes: link::layout::ARENA_BYTES,
            worker_exe: PathBuf::from("/proc/self/exe"),
            worker_args: vec![OsString::from("worker")],
            worker_nice: 0,
            isolate_tasks: false,
            engines: EngineCpus::default(),
            monitoring: None,
            dumps: None,
            store: None,
            confinement: WorkerConfinement {
                sandbox: SandboxMode::BestEffort,
                task_bytes: 256 << 20,
                process_bytes: 2 << 30,
                resident_bytes: 256 << 20,
            },
            spi: SpiGrants::default(),
            display_lines_per_s: 1000,
            characters: DisplayCharacters::Utf8,
            trace: true,
            conversations: None,
            sockets: None,
            services: Vec::new(),
            guests: None,
            socket_options: link::SocketOptions::default(),
            stop: None,
            state: PathBuf::from("."),
            temporary_storage_bytes: 256 << 20,
            transient_data_bytes: 256 << 20,
            facilities: FacilityLimits::default(),
            accounts: AccountLimits::usual(),
            disk_reserve_bytes: 0,
            definitions: RegionDefinitions::default(),
        }
    }
}

impl RegionConfig {
    /// The settings of the resource managers, under these definitions.
    pub(crate) fn kernel_config(&self, definitions: &RegionDefinitions) -> KernelConfig {
        KernelConfig {
            applid: self.applid,
            sysid: self.sysid,
            state: self.state.clone(),
            temporary_storage_bytes: self.temporary_storage_bytes,
            transient_data_bytes: self.transient_data_bytes,
            facilities: self.facilities,
            accounts: self.accounts.clone(),
            definitions: definitions.clone(),
        }
    }
}

/// Ends the process that a region is part of.
pub trait ProcessStopper: std::fmt::Debug + Send + Sync {
    /// A program has shut the region down, which takes no more tasks. Returns at
    /// once.
    fn stop(&self);
}

/// CPU sets by kind of engine; empty for all CPUs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineCpus {
    /// For workers, dispatch and commit.
    pub general: Vec<usize>,
    /// For doors.
    pub offload: Vec<usize>,
}
