//! Files that commands of tasks use outside the store: journals, queues, reports
//! of the spool, dumps.
//!
//! Each kind of file has threads of its own, [`THREADS_A_KIND`] at most
//! (`pool.rs`). The requests for one file are carried out in order, and no two threads use
//! one file at a time. A FIFO without a writer holds up its own file and one
//! thread of its kind, and nothing else.
//!
//! Invariant: no lock is held while a thread here waits for a file.

pub mod dump;
mod journal;
mod pool;
mod queue;
mod report;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use cics::resp::Condition;
use kernel::{FileAsk, JournalAsk, QueueAsk, QueueFile, ReportAsk};
use link::{CallAnswer, CommandOperands};

use journal::JournalFile;
pub use pool::FilePool;
use queue::QueueHandle;
use report::OpenReport;

/// Most threads for files of a kind.
pub const THREADS_A_KIND: usize = 4;

/// An open file.
pub enum OpenFile {
    /// A journal.
    Journal(JournalFile),
    /// An extrapartition queue.
    Queue(QueueHandle),
    /// A report of the spool.
    Report(OpenReport),
}

/// Carries out a request for a file, and opens and closes the file if the
/// request says so. `records` counts the records of journals.
pub fn perform(open: &mut Option<OpenFile>, ask: FileAsk, records: &AtomicU64) -> CallAnswer {
    match ask {
        FileAsk::Journal(ask) => perform_journal(open, ask, records),
        FileAsk::Queue(QueueAsk::Write(def, record)) => {
            with_queue(open, &def, |queue| queue.write(&def, &record))
        }
        FileAsk::Queue(QueueAsk::Read(def)) => with_queue(open, &def, |queue| queue.read(&def)),
        FileAsk::Report(ask) => perform_report(open, ask),
        FileAsk::Dump(ask) => dump::answer(&ask),
        FileAsk::Forget(_) => {
            *open = None;
            CallAnswer::default()
        }
    }
}

fn perform_journal(
    open: &mut Option<OpenFile>,
    ask: JournalAsk,
    records: &AtomicU64,
) -> CallAnswer {
    match ask {
        JournalAsk::Write {
            path,
            record,
            wait,
            reqid,
        } => {
            let new = || OpenFile::Journal(JournalFile::new(path));
            let OpenFile::Journal(journal) = open.get_or_insert_with(new) else {
                return CallAnswer::of_condition(Condition::IoErr, 0);
            };
            match journal.write(&record, wait) {
                Ok(number) => {
                    records.fetch_add(1, Ordering::Relaxed);
                    // A fullword; the low bits distinguish records well enough.
                    let number = i64::from((number & 0x7FFF_FFFF) as u32);
                    CallAnswer::of_data(CommandOperands::default().int(reqid, number).emit())
                }
                Err(condition) => CallAnswer::of_condition(condition, 0),
            }
        }
        JournalAsk::Sync => match open {
            Some(OpenFile::Journal(journal)) => match journal.sync() {
                Ok(()) => CallAnswer::default(),
                Err(condition) => CallAnswer::of_condition(condition, 0),
            },
            _ => CallAnswer::default(),
        },
    }
}

fn with_queue(
    open: &mut Option<OpenFile>,
    def: &QueueFile,
    call: impl FnOnce(&mut QueueHandle) -> CallAnswer,
) -> CallAnswer {
    if open.is_none() {
        match QueueHandle::open(def) {
            Ok(queue) => *open = Some(OpenFile::Queue(queue)),
            Err(answer) => return answer,
        }
    }
    match open {
        Some(OpenFile::Queue(queue)) => call(queue),
        _ => CallAnswer::of_condition(Condition::IoErr, 0),
    }
}

fn perform_report(open: &mut Option<OpenFile>, ask: ReportAsk) -> CallAnswer {
    let (opened, (option, token)) = match ask {
        ReportAsk::Create {
            folder,
            class,
            most,
            token,
        } => (OpenReport::create(&folder, class, most), token),
        ReportAsk::First {
            folder,
            class,
            token,
        } => (OpenReport::first(&folder, class), token),
        ReportAsk::Close(keep) => {
            return match open.take() {
                Some(OpenFile::Report(report)) => report.close(keep),
                _ => CallAnswer::of_condition(Condition::NotOpen, 8),
            };
        }
        ReportAsk::Write(record, length) => {
            return with_report(open, |report| report.write(&record, length));
        }
        ReportAsk::Read(most) => return with_report(open, |report| report.read(most)),
    };
    match opened {
        Ok(report) => {
            *open = Some(OpenFile::Report(report));
            CallAnswer::of_data(CommandOperands::default().bytes(option, token).emit())
        }
        Err((condition, resp2)) => CallAnswer::of_condition(condition, resp2),
    }
}

fn with_report(
    open: &mut Option<OpenFile>,
    call: impl FnOnce(&mut OpenReport) -> CallAnswer,
) -> CallAnswer {
    match open {
        Some(OpenFile::Report(report)) => call(report),
        _ => CallAnswer::of_condition(Condition::NotOpen, 8),
    }
}
