//! What resource managers are set up with, and what can change while a region
//! runs.

use std::path::PathBuf;

use cics::csd::InDoubt;
use link::{FileEntry, Name, ProgramEntry, ProgramName, TransId};

use super::{AccountLimits, QueueDefinitions};

/// What resource managers are set up with.
#[derive(Debug, Clone)]
pub struct KernelConfig {
    /// Application name.
    pub applid: Name<8>,
    /// System identifier.
    pub sysid: Name<4>,
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
    /// The definitions in force.
    pub definitions: RegionDefinitions,
}

impl Default for KernelConfig {
    fn default() -> Self {
        KernelConfig {
            applid: Name::from_bytes(*b"TUPELO  "),
            sysid: Name::from_bytes(*b"TUP1"),
            state: PathBuf::from("."),
            temporary_storage_bytes: 256 << 20,
            transient_data_bytes: 256 << 20,
            facilities: FacilityLimits::default(),
            accounts: AccountLimits::default(),
            definitions: RegionDefinitions::default(),
        }
    }
}

/// Bounds of facilities that outlive tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FacilityLimits {
    /// Most facilities.
    pub most: usize,
    /// Most bytes of all that is saved for next tasks and entered ahead.
    pub bytes: usize,
    /// Most STARTs that wait for one terminal.
    pub queued_starts: usize,
    /// Most inputs that wait at one.
    pub queued_inputs: usize,
    /// Seconds after which what outlived the region is not given back.
    pub kept_s: u32,
}

impl Default for FacilityLimits {
    fn default() -> Self {
        FacilityLimits {
            most: 10_000,
            bytes: 64 << 20,
            queued_starts: 100,
            queued_inputs: 8,
            kept_s: 86_400,
        }
    }
}

/// What can change while the region runs.
#[derive(Debug, Clone, Default)]
pub struct RegionDefinitions {
    /// Transactions.
    pub transactions: Vec<TransactionDef>,
    /// Transaction classes.
    pub classes: Vec<ClassDef>,
    /// The program table.
    pub programs: Vec<ProgramEntry>,
    /// Programs that a DISCARD took out of it: CREATE finds their modules here.
    pub discarded: Vec<ProgramEntry>,
    /// Files. A reload may add files, leave some out and change their switches;
    /// the records of a file keep the form they have in the store.
    pub files: Vec<FileEntry>,
    /// Queues and journals.
    pub queues: QueueDefinitions,
    /// Routines outside of the program table that CALL may reach.
    pub callable: Vec<String>,
    /// File commands run under the QR token (FCQRONLY=YES).
    pub fc_qr_only: bool,
    /// What TRANSFORM converts by.
    pub transforms: Vec<link::TransformEntry>,
}

/// TRANSACTION.
#[derive(Debug, Clone, PartialEq)]
pub struct TransactionDef {
    /// Name.
    pub name: TransId,
    /// First program.
    pub program: ProgramName,
    /// Transaction class.
    pub class: Option<Name<8>>,
    /// Priority, 0 to 255; higher first.
    pub priority: u8,
    /// False: requests are refused.
    pub enabled: bool,
    /// RUNAWAY in milliseconds; `None` for the region's, 0 for no limit.
    pub runaway_ms: Option<u32>,
    /// SPURGE(YES): its tasks may be purged, and DTIMOUT counts. Those of
    /// others end by a forced purge only.
    pub purgeable: bool,
    /// DTIMOUT in milliseconds; `None` for the region's limit.
    pub lock_timeout_ms: Option<u32>,
    /// Milliseconds after which a task is purged; 0 for never.
    pub timeout_ms: u32,
    /// ACTION, WAIT and WAITTIME.
    pub in_doubt: InDoubt,
    /// Bytes of the transaction work area.
    pub twa_bytes: u32,
    /// What RETURN saves for its next task at a terminal outlives the region.
    pub recover_conversation: bool,
}

impl Default for TransactionDef {
    fn default() -> Self {
        TransactionDef {
            name: Name::BLANK,
            program: Name::BLANK,
            class: None,
            priority: 1,
            enabled: true,
            runaway_ms: None,
            purgeable: true,
            lock_timeout_ms: None,
            timeout_ms: 0,
            in_doubt: InDoubt::default(),
            twa_bytes: 0,
            recover_conversation: false,
        }
    }
}

/// TRANCLASS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassDef {
    /// Name.
    pub name: Name<8>,
    /// MAXACTIVE: most active tasks of the class.
    pub max_active: usize,
    /// PURGETHRESH: requests are refused when this many wait; `None` for NO.
    pub purge_threshold: Option<usize>,
}

/// Why a region did not start or reload.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A setting is out of its range.
    #[error("{0}")]
    Setting(String),
    /// A definition names something that is not defined.
    #[error("{kind} {name} names {missing}, which is not defined")]
    Undefined {
        /// What names it.
        kind: &'static str,
        /// Name of that.
        name: String,
        /// What is missing.
        missing: String,
    },
    /// Two definitions have the same name.
    #[error("{kind} {name} is defined twice")]
    Twice {
        /// Kind of definition.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// The store could not be opened.
    #[error("the store could not be opened: {0}")]
    Store(String),
    /// A system call failed.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// How it failed.
        source: std::io::Error,
    },
}
