//! Typed definitions.

use super::scan::Attribute;
use crate::file::FilePermits;
use crate::names::{FileName, GroupName, ProgramName, SysId, TranClassName, TransId};

/// DEFINE TRANSACTION.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionDef {
    /// The transaction.
    pub name: TransId,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// First program; `None` for one that only runs elsewhere.
    pub program: Option<ProgramName>,
    /// Its class; `None` for DFHTCL00.
    pub tranclass: Option<TranClassName>,
    /// STATUS(ENABLED).
    pub enabled: bool,
    /// PRIORITY, 0 to 255.
    pub priority: u8,
    /// RUNAWAY.
    pub runaway: RunawayLimit,
    /// TWASIZE in bytes.
    pub twa_bytes: u16,
    /// SPURGE(YES): its tasks may be purged.
    pub purgeable: bool,
    /// DTIMOUT in seconds; `None` waits without a limit.
    pub wait_limit_s: Option<u32>,
    /// ACTION, WAIT and WAITTIME.
    pub in_doubt: InDoubt,
    /// TPNAME: another name by which partners attach it.
    pub tp_name: Option<String>,
    /// REMOTESYSTEM.
    pub remote_system: Option<SysId>,
    /// REMOTENAME.
    pub remote_name: Option<String>,
    /// DESCRIPTION.
    pub description: String,
}

/// The end of a unit of work whose coordinator is out of reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InDoubt {
    /// ACTION(COMMIT); else it is backed out.
    pub commits: bool,
    /// WAIT(YES): the action is taken only when the limit has passed.
    pub waits: bool,
    /// WAITTIME in seconds; 0 for no limit.
    pub limit_s: u32,
}

impl Default for InDoubt {
    fn default() -> Self {
        InDoubt {
            commits: false,
            waits: true,
            limit_s: 0,
        }
    }
}

/// RUNAWAY of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunawayLimit {
    /// The region's limit.
    System,
    /// No limit.
    Never,
    /// So many milliseconds.
    Milliseconds(u32),
}

/// DEFINE PROGRAM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramDef {
    /// The program.
    pub name: ProgramName,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// LANGUAGE, if given.
    pub language: Option<ProgramLanguage>,
    /// CONCURRENCY.
    pub concurrency: Concurrency,
    /// STATUS(ENABLED).
    pub enabled: bool,
    /// EXECKEY(USER).
    pub user_key: bool,
    /// DATALOCATION(ANY).
    pub data_anywhere: bool,
    /// EXECUTIONSET(FULLAPI).
    pub full_api: bool,
    /// TRANSID of a program that runs elsewhere.
    pub transid: Option<TransId>,
    /// REMOTESYSTEM.
    pub remote_system: Option<SysId>,
    /// REMOTENAME.
    pub remote_name: Option<ProgramName>,
    /// DESCRIPTION.
    pub description: String,
}

/// LANGUAGE of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramLanguage {
    /// COBOL.
    Cobol,
    /// Assembler.
    Assembler,
    /// C.
    C,
    /// Language Environment, with C or others.
    Le370,
    /// PL/I.
    Pli,
}

/// CONCURRENCY of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concurrency {
    /// Only one such program at a time in the region.
    Quasirent,
    /// At the same time as others, on the engine it is started on.
    Threadsafe,
    /// At the same time as others, from its start.
    Required,
}

/// DEFINE FILE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDef {
    /// The file.
    pub name: FileName,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// KEYLENGTH in bytes, if given.
    pub key_bytes: Option<u16>,
    /// RECORDSIZE in bytes, if given.
    pub record_bytes: Option<u32>,
    /// RECORDFORMAT.
    pub record_format: RecordFormat,
    /// ADD, BROWSE, DELETE, READ and UPDATE.
    pub permits: FilePermits,
    /// RECOVERY.
    pub recovery: FileRecovery,
    /// STATUS(ENABLED).
    pub enabled: bool,
    /// STATUS(UNENABLED): not open, and not opened by its first use.
    pub unenabled: bool,
    /// OPENTIME(STARTUP).
    pub open_at_startup: bool,
    /// STRINGS.
    pub strings: u32,
    /// DSNAME, if given.
    pub dsname: Option<String>,
    /// REMOTESYSTEM.
    pub remote_system: Option<SysId>,
    /// REMOTENAME.
    pub remote_name: Option<FileName>,
    /// DESCRIPTION.
    pub description: String,
}

/// RECORDFORMAT of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFormat {
    /// Every record has RECORDSIZE bytes.
    Fixed,
    /// Records have up to RECORDSIZE bytes.
    Variable,
}

/// RECOVERY of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRecovery {
    /// Changes stay when the unit of work is backed out.
    None,
    /// Changes are backed out with the unit of work.
    Backout,
    /// As backout, and kept for forward recovery.
    All,
}

/// DEFINE TRANCLASS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranClassDef {
    /// The class.
    pub name: TranClassName,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// MAXACTIVE: tasks of the class at a time.
    pub max_active: u32,
    /// PURGETHRESH: tasks that may be active or queued; `None` for NO.
    pub purge_threshold: Option<u32>,
    /// DESCRIPTION.
    pub description: String,
}

/// A definition of a type that is kept as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherDef {
    /// The type, as `URIMAP`.
    pub kind: String,
    /// The name.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// Column of the type, from 1.
    pub column: u32,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}
