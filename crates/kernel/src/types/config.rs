//! The configuration of the resource managers, and the definitions, which can change
//! while a region runs.

use std::path::PathBuf;

use cics::csd::InDoubt;
use link::{FileEntry, Name, ProgramEntry, ProgramName, TransId};

use super::{AccountLimits, QueueDefinitions};

/// The configuration of the resource managers.
#[derive(Debug, Clone)]
pub struct KernelConfig {
    /// Application name.
    pub applid: Name<8>,
    /// System identifier.
    pub sysid: Name<4>,
    /// Folder of the files of queues and journals, unless their definition specifies
    /// another one.
    pub state: PathBuf,
    /// Most bytes of all temporary storage queues.
    pub temporary_storage_bytes: u64,
    /// Most bytes of all intrapartition transient data queues.
    pub transient_data_bytes: u64,
    /// Limits of facilities and of the inputs and STARTs that wait for them.
    pub facilities: FacilityLimits,
    /// Limits of the accounts.
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

/// Limits of facilities that outlive tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FacilityLimits {
    /// Most facilities.
    pub most: usize,
    /// Most bytes of all data saved for next tasks and of all inputs that wait.
    pub bytes: usize,
    /// Most STARTs that wait for one terminal.
    pub queued_starts: usize,
    /// Most inputs that wait for one facility.
    pub queued_inputs: usize,
    /// Seconds after which data kept over a restart of the region are not restored.
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

/// The definitions, which can change while the region runs.
#[derive(Debug, Clone, Default)]
pub struct RegionDefinitions {
    /// Transactions.
    pub transactions: Vec<TransactionDef>,
    /// Transaction classes.
    pub classes: Vec<ClassDef>,
    /// The program table.
    pub programs: Vec<ProgramEntry>,
    /// Programs that DISCARD removed from the table: CREATE finds their modules here.
    pub discarded: Vec<ProgramEntry>,
    /// Files. A reload may add and remove files and change their attributes; the
    /// format of a file's records in the store stays.
    pub files: Vec<FileEntry>,
    /// Queues and journals.
    pub queues: QueueDefinitions,
    /// Routines outside of the program table that CALL may use.
    pub callable: Vec<String>,
    /// File commands run under the QR token (FCQRONLY=YES).
    pub fc_qr_only: bool,
    /// The mappings of the TRANSFORM commands.
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
    /// SPURGE(YES): its tasks may be purged, and DTIMOUT applies. Without it only a
    /// forced purge ends them.
    pub purgeable: bool,
    /// DTIMOUT in milliseconds; `None` for the region's limit.
    pub lock_timeout_ms: Option<u32>,
    /// Milliseconds after which a task is purged; 0 for never.
    pub timeout_ms: u32,
    /// ACTION, WAIT and WAITTIME.
    pub in_doubt: InDoubt,
    /// Bytes of the transaction work area.
    pub twa_bytes: u32,
    /// The data that RETURN saves for the next task at a terminal outlive the region.
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
        /// Kind of the definition.
        kind: &'static str,
        /// Name of the definition.
        name: String,
        /// Name that is not defined.
        missing: String,
    },
    /// Two definitions have the same name.
    #[error("{kind} {name} is defined twice")]
    Twice {
        /// Kind of definition.
        kind: &'static str,
        /// Name of the definitions.
        name: String,
    },
    /// The store could not be opened.
    #[error("the store could not be opened: {0}")]
    Store(String),
    /// A system call failed.
    #[error("{what}: {source}")]
    Io {
        /// The action that failed.
        what: &'static str,
        /// The error.
        source: std::io::Error,
    },
}
