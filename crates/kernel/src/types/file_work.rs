//! Work on files outside the store that commands ask for: journals, queues that
//! are files, reports of the spool, dumps.
//!
//! A resource manager says what is to be done, as data; the shell does it on
//! threads that may wait, and hands the answer back. A file is known by a number
//! that its manager has from the kernel, within one life of the region. What is
//! asked for one file is done in that order.
//!
//! Invariant: nothing here opens, reads or writes a file.

use std::path::PathBuf;
use std::sync::Arc;

use super::{QueueFileFormat, TdKind};

/// Names a file within one life of the region.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey(pub u64);

/// What is asked for a file.
#[derive(Debug)]
pub struct FileWork {
    /// Which one.
    pub file: FileKey,
    /// What.
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

/// What can be asked.
#[derive(Debug)]
pub enum FileAsk {
    /// Of a journal.
    Journal(JournalAsk),
    /// Of a queue that is a file.
    Queue(QueueAsk),
    /// Of a report.
    Report(ReportAsk),
    /// To write a dump.
    Dump(DumpAsk),
    /// The file is not used any more: it is closed, and the number forgotten. An
    /// unfinished report is deleted. Nothing is answered.
    Forget(FileKind),
}

impl FileAsk {
    /// The kind of its file.
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

/// What is asked of a journal.
#[derive(Debug)]
pub enum JournalAsk {
    /// To append a record; the file is opened by its first one.
    Write {
        /// Where the journal is.
        path: PathBuf,
        /// The record.
        record: JournalRecord,
        /// It is on the disk when that is answered.
        wait: bool,
        /// The operand that gets the record's number.
        reqid: u8,
    },
    /// To bring all records to the disk.
    Sync,
}

/// A record of a journal.
#[derive(Debug)]
pub struct JournalRecord {
    /// When it is written, in microseconds since 1970.
    pub at_unix_us: u64,
    /// JTYPEID.
    pub kind: [u8; 2],
    /// Transaction.
    pub transid: [u8; 4],
    /// Number of the task.
    pub task: u64,
    /// For whom it runs.
    pub userid: [u8; 8],
    /// PREFIX, at most 65,535 bytes.
    pub prefix: Vec<u8>,
    /// FROM.
    pub data: Vec<u8>,
}

/// A queue that is a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueFile {
    /// Where it is.
    pub path: PathBuf,
    /// How records stand in it.
    pub format: QueueFileFormat,
    /// Longest record, or the length of all.
    pub record_bytes: usize,
    /// It is written; otherwise read.
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

/// What is asked of a queue that is a file, which is opened by the first command.
#[derive(Debug)]
pub enum QueueAsk {
    /// WRITEQ TD.
    Write(Arc<QueueFile>, Vec<u8>),
    /// READQ TD.
    Read(Arc<QueueFile>),
}

/// What is asked of a report.
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
    /// SPOOLWRITE of a record that the program says has this length.
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
    /// What is in it, in this order.
    pub parts: Vec<Vec<u8>>,
    /// The operand that gets the number.
    pub dumpid: u8,
}
