//! The trace as it is read: one record an entry, and which ones are wanted.
//!
//! The JSON form has the names of the fields.

use std::path::PathBuf;

use link::TransId;
use serde::Serialize;

/// One entry of the trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceRecord {
    /// When, in nanoseconds since 1970.
    pub unix_ns: u64,
    /// Task number; 0 for none.
    pub task: u64,
    /// Transaction.
    pub transid: TransId,
    /// The worker whose ring it was in; `None` for the region's own.
    pub worker: Option<u32>,
    /// Domain of the command, or `kernel`, or `user` for ENTER TRACENUM.
    pub domain: &'static str,
    /// `enter`, `exit` or `abend` of a command, or what the kernel did.
    pub event: &'static str,
    /// The command; for ENTER TRACENUM the number and the data.
    pub command: String,
    /// The condition of an exit.
    pub resp: Option<String>,
    /// RESP2 of an exit.
    pub resp2: Option<u32>,
    /// The abend code, where there is one.
    pub abend: Option<String>,
    /// From the entry of the command to this exit, in nanoseconds; `None` when
    /// the entry is no longer in the ring.
    pub elapsed_ns: Option<u64>,
}

impl TraceRecord {
    /// When the command that ended here began, in nanoseconds since 1970; when
    /// it ended where that is not known.
    pub fn start_unix_ns(&self) -> u64 {
        self.unix_ns
            .saturating_sub(self.elapsed_ns.unwrap_or_default())
    }
}

/// Commands of one kind of one transaction, all workers together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandCount {
    /// Transaction; blank for commands that found no place of their own.
    pub transid: TransId,
    /// Domain of the command.
    pub domain: &'static str,
    /// The command.
    pub command: String,
    /// How often it was begun.
    pub count: u64,
    /// The command's own time, without commands that ran inside of it and without waits,
    /// in nanoseconds.
    pub own_ns: u64,
    /// Time in which its tasks waited for the region or for the QR token.
    pub waited_ns: u64,
}

/// How far the writing of the trace to a file has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceStatus {
    /// The file.
    pub path: PathBuf,
    /// Records written.
    pub records: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Entries that were overwritten before they could be read.
    pub lost: u64,
    /// Nothing more is written: the file has its most bytes, or the disk is
    /// full.
    pub full: bool,
}

/// A filter of records. A field that is not set matches every record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceFilter {
    /// Of this task.
    pub task: Option<u64>,
    /// Of this transaction.
    pub transid: Option<TransId>,
    /// Of this domain.
    pub domain: Option<String>,
    /// Only the newest so many.
    pub last: Option<usize>,
}

impl TraceFilter {
    /// Whether a record is wanted; `last` is not looked at.
    pub fn takes(&self, record: &TraceRecord) -> bool {
        self.task.is_none_or(|task| task == record.task)
            && self.transid.is_none_or(|id| id == record.transid)
            && self
                .domain
                .as_ref()
                .is_none_or(|d| d.eq_ignore_ascii_case(record.domain))
    }
}
