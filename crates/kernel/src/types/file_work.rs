//! Requests of commands to files outside the store: journals, queues that are files,
//! reports of the spool, dumps.
//!
//! A resource manager makes a request as data; the shell executes it on threads that
//! may wait, and returns the result. A number from the kernel identifies a file until
//! the region ends. The requests for one file are executed in their order.
//!
//! Invariant: this module opens, reads and writes no file.

use std::path::PathBuf;
use std::sync::Arc;

use super::{QueueFileFormat, TdKind};

/// Identifies a file until the region ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey(pub u64);

/// A request for a file.
#[derive(Debug)]
pub struct FileWork {
    /// The file.
    pub file: FileKey,
    /// The action.
    pub ask: FileAsk,
}

/// Kinds of files, each of which has threads of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// Journals.
    Journal,
    /// Extrapartition transient data queues.
    Queue,
    /// Reports of the spool.
    Report,
    /// Dumps.
    Dump,
}

impl FileKind {
    /// All kinds.
    pub const ALL: [FileKind; 4] = [
        FileKind::Journal,
        FileKind::Queue,
        FileKind::Report,
        FileKind::Dump,
    ];
}

/// The actions on files.
#[derive(Debug)]
pub enum FileAsk {
    /// For a journal.
    Journal(JournalAsk),
    /// For a queue that is a file.
    Queue(QueueAsk),
    /// For a report.
    Report(ReportAsk),
    /// Write a dump.
    Dump(DumpAsk),
    /// Close the file, which is not used any more, and forget its number. An unfinished
    /// report is deleted. There is no response.
    Forget(FileKind),
}

impl FileAsk {
    /// The kind of the file.
    pub fn kind(&self) -> FileKind {
        match self {
            FileAsk::Journal(_) => FileKind::Journal,
            FileAsk::Queue(_) => FileKind::Queue,
            FileAsk::Report(_) => FileKind::Report,
            FileAsk::Dump(_) => FileKind::Dump,
            FileAsk::Forget(kind) => *kind,
        }
    }
}

/// The actions on journals.
#[derive(Debug)]
pub enum JournalAsk {
    /// Append a record; the first record opens the file.
    Write {
        /// The file of the journal.
        path: PathBuf,
        /// The record.
        record: JournalRecord,
        /// The response comes after the record is on the disk.
        wait: bool,
        /// The operand that gets the record's number.
        reqid: u8,
    },
    /// Flush all records to the disk.
    Sync,
}

/// A record of a journal.
#[derive(Debug)]
pub struct JournalRecord {
    /// Time of the command, in microseconds since 1970.
    pub at_unix_us: u64,
    /// JTYPEID.
    pub kind: [u8; 2],
    /// Transaction.
    pub transid: [u8; 4],
    /// Number of the task.
    pub task: u64,
    /// User of the task.
    pub userid: [u8; 8],
    /// PREFIX, at most 65,535 bytes.
    pub prefix: Vec<u8>,
    /// FROM.
    pub data: Vec<u8>,
}

/// A queue that is a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The format of the records.
    pub format: QueueFileFormat,
    /// Longest record; for fixed records, the length of each.
    pub record_bytes: usize,
    /// The file is written; if false, it is read.
    pub output: bool,
    /// Output is appended to the existing contents.
    pub append: bool,
}

impl QueueFile {
    /// The file of a queue's definition, in a folder. Returns `None` if the queue
    /// is not a file.
    pub fn of(kind: &TdKind, folder: &std::path::Path) -> Option<QueueFile> {
        let TdKind::Extrapartition {
            output,
            path,
            format,
            record_bytes,
            append,
            ..
        } = kind
        else {
            return None;
        };
        Some(QueueFile {
            path: folder.join(path),
            format: *format,
            record_bytes: *record_bytes as usize,
            output: *output,
            append: *append,
        })
    }
}

impl QueueFile {
    /// Whether a record may have this length.
    pub fn fits(&self, bytes: usize) -> bool {
        match self.format {
            QueueFileFormat::Fixed => bytes == self.record_bytes,
            QueueFileFormat::Lines => bytes <= self.record_bytes,
            QueueFileFormat::Variable => bytes + RDW <= self.record_bytes.max(RDW + 1),
        }
    }
}

/// Bytes of a record descriptor word.
const RDW: usize = 4;

/// The actions on queues that are files. The first command opens the file.
#[derive(Debug)]
pub enum QueueAsk {
    /// WRITEQ TD.
    Write(Arc<QueueFile>, Vec<u8>),
    /// READQ TD.
    Read(Arc<QueueFile>),
}

/// The actions on reports.
#[derive(Debug)]
pub enum ReportAsk {
    /// SPOOLOPEN OUTPUT.
    Create {
        /// The folder of its user.
        folder: PathBuf,
        /// CLASS.
        class: u8,
        /// RECORDLENGTH.
        most: i64,
        /// The operand that gets the token.
        token: (u8, [u8; 8]),
    },
    /// SPOOLOPEN INPUT: the first report of a user.
    First {
        /// The folder of its user.
        folder: PathBuf,
        /// CLASS; `None` for any.
        class: Option<u8>,
        /// The operand that gets the token.
        token: (u8, [u8; 8]),
    },
    /// SPOOLWRITE of a record with the length that the program specified.
    Write(Vec<u8>, i64),
    /// SPOOLREAD of so many bytes at most.
    Read(usize),
    /// SPOOLCLOSE: `Some(true)` for KEEP, `Some(false)` for DELETE.
    Close(Option<bool>),
}

/// A dump to be written.
#[derive(Debug)]
pub struct DumpAsk {
    /// The folder of dumps.
    pub folder: PathBuf,
    /// The code, as a part of the file's name.
    pub code: String,
    /// The parts of the dump, in their order.
    pub parts: Vec<Vec<u8>>,
    /// The operand that gets the number.
    pub dumpid: u8,
}
