//! Definitions of queues, journals and models of ENQ names.
//!
//! Reference: CICS resource definition, TSMODEL, TDQUEUE, JOURNALMODEL and
//! ENQMODEL.

use std::path::PathBuf;

use link::{Name, TransId, UserId};

/// The definitions of queues, journals and ENQ names.
#[derive(Debug, Clone, Default)]
pub struct QueueDefinitions {
    /// TSMODEL.
    pub models: Vec<TsModelDef>,
    /// TDQUEUE.
    pub transient: Vec<TdQueueDef>,
    /// JOURNALMODEL, in their order.
    pub journals: Vec<JournalDef>,
    /// ENQMODEL.
    pub enq_models: Vec<EnqModelDef>,
}

impl QueueDefinitions {
    /// Whether any queue is to be kept in the store.
    pub fn need_store(&self) -> bool {
        let kept = |q: &TdQueueDef| matches!(&q.kind, TdKind::Intrapartition { recovery, .. } if *recovery != TdRecovery::No);
        self.models.iter().any(|m| m.recoverable) || self.transient.iter().any(kept)
    }
}

/// TSMODEL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TsModelDef {
    /// Name of the model.
    pub name: Name<8>,
    /// PREFIX or XPREFIX, at most 16 bytes; `+` matches any one byte.
    pub prefix: Vec<u8>,
    /// RECOVERY(YES).
    pub recoverable: bool,
    /// REMOTESYSTEM, blank for none.
    pub remote_system: Name<4>,
}

/// TDQUEUE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TdQueueDef {
    /// Name.
    pub name: Name<4>,
    /// The TYPE of the queue.
    pub kind: TdKind,
    /// False: DISABLED.
    pub enabled: bool,
}

/// TYPE of a transient data queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TdKind {
    /// TYPE(INTRA): records that the region keeps.
    Intrapartition {
        /// RECOVSTATUS.
        recovery: TdRecovery,
        /// The transaction to start when there are enough records.
        trigger: Option<Trigger>,
    },
    /// TYPE(EXTRA): a file.
    Extrapartition {
        /// TYPEFILE(OUTPUT): records are written, not read.
        output: bool,
        /// The file; relative to the region's folder.
        path: PathBuf,
        /// How its records are written.
        format: QueueFileFormat,
        /// RECORDSIZE, the most bytes of a record.
        record_bytes: u32,
        /// DISPOSITION(MOD): output is appended to the existing contents.
        append: bool,
        /// OPENTIME.
        opens: OpenTime,
    },
    /// TYPE(EXTRA), TYPEFILE(OUTPUT): lines of the region's log.
    Log,
    /// TYPE(INDIRECT): another name of a queue.
    Indirect(Name<4>),
    /// TYPE(REMOTE): a queue of another system.
    Remote(Name<4>),
}

/// RECOVSTATUS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TdRecovery {
    /// Lost with the region.
    #[default]
    No,
    /// Each command changes the store at once.
    Physical,
    /// Part of units of work.
    Logical,
}

/// The transaction that a queue with enough records starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trigger {
    /// TRIGGERLEVEL, not 0.
    pub level: u32,
    /// TRANSID.
    pub transid: TransId,
    /// USERID. With a terminal, the user signed on at the terminal is used instead.
    pub userid: UserId,
    /// The terminal of the task; blank for none.
    pub terminal: Name<4>,
}

/// The format of the records of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QueueFileFormat {
    /// A record a line.
    #[default]
    Lines,
    /// Records of RECORDSIZE bytes.
    Fixed,
    /// Each record follows a record descriptor word of four bytes: the length including the
    /// word, two bytes big-endian, and two zero bytes.
    Variable,
}

/// OPENTIME of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OpenTime {
    /// INITIAL: with the region.
    #[default]
    Initial,
    /// DEFERRED: when a program opens it.
    Deferred,
}

/// JOURNALMODEL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalDef {
    /// Name of the model.
    pub model: Name<8>,
    /// JOURNALNAME; `*` at its end matches any rest and `+` any one character.
    pub name: String,
    /// TYPE.
    pub kind: JournalKind,
}

/// TYPE of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalKind {
    /// TYPE(MVS): a file; `&JNAME` in its name stands for the journal's.
    /// Relative to the region's folder.
    File(String),
    /// TYPE(DUMMY): records are not written.
    Dummy,
}

/// ENQMODEL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnqModelDef {
    /// Name of the model.
    pub name: Name<8>,
    /// ENQNAME without the `*` at its end, at most 255 bytes.
    pub enq_name: Vec<u8>,
    /// ENQNAME ends with `*`: the model applies to names that begin with it.
    pub generic: bool,
    /// ENQSCOPE, blank for the region alone. Names with a scope are also local to the
    /// region: no other region shares them.
    pub scope: Name<4>,
    /// STATUS(ENABLED).
    pub enabled: bool,
}
