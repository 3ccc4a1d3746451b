//! The threads for files: their bound, and the order of work with one file.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cics::resp::Condition;
use kernel::core::TaskKey;
use kernel::{
    FileAsk, FileKey, FileKind, FileWork, JournalAsk, JournalRecord, QueueAsk, QueueFile,
    QueueFileFormat,
};
use link::CallAnswer;

use super::super::THREADS_A_KIND;
use super::super::pool::{FileAnswer, FilePool};

fn answers() -> (FileAnswer, Receiver<(FileKey, CallAnswer)>) {
    let (way, answers) = channel();
    let way = Mutex::new(way);
    let answered: FileAnswer = Arc::new(move |_, (_, file), answer| {
        let way = way.lock().expect("a channel");
        // The test may be over.
        let _ = way.send((file, answer));
    });
    (answered, answers)
}

fn queue(path: &Path, output: bool) -> Arc<QueueFile> {
    Arc::new(QueueFile {
        path: path.to_owned(),
        format: QueueFileFormat::Lines,
        record_bytes: 80,
        output,
        append: false,
    })
}

fn make_fifo(path: &Path) {
    let name = CString::new(path.as_os_str().as_bytes()).expect("a path");
    // SAFETY: `name` is a string with its end.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
}

const WAIT: Duration = Duration::from_secs(30);

#[test]
fn files_that_wait_for_writers_hold_up_their_own_kind_alone_and_no_more_threads_than_the_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let pool = FilePool::new();
    let (answered, answers) = answers();
    let hand_over = |file, ask| {
        let work = FileWork {
            file: FileKey(file),
            ask,
        };
        let answered = answered.clone();
        pool.hand_over(Some(TaskKey::NO_TASK), work, move || answered)
            .expect("a thread");
    };
    let fifos: Vec<_> = (0..THREADS_A_KIND as u64 + 3)
        .map(|number| {
            let path = folder.path().join(format!("fifo{number}"));
            make_fifo(&path);
            hand_over(number, FileAsk::Queue(QueueAsk::Read(queue(&path, false))));
            path
        })
        .collect();
    let record = JournalRecord {
        at_unix_us: 0,
        kind: *b"XX",
        transid: *b"TEST",
        task: 1,
        userid: *b"ANOTHER1",
        prefix: Vec::new(),
        data: b"x".to_vec(),
    };
    let ask = JournalAsk::Write {
        path: folder.path().join("journal"),
        record,
        wait: false,
        reqid: 1,
    };
    hand_over(0, FileAsk::Journal(ask));
    let (_, answer) = answers.recv_timeout(WAIT).expect("the journal's answer");
    assert_eq!(answer.condition, Condition::Normal);
    assert_eq!(pool.journal_records(), 1);
    assert_eq!(pool.threads(FileKind::Queue), THREADS_A_KIND);
    assert!(answers.try_recv().is_err(), "no FIFO has a writer yet");
    // Each is written once the one before was read, so any order of threads ends.
    for path in &fifos {
        std::fs::write(path, "a line\n").expect("a FIFO with a reader");
    }
    for _ in &fifos {
        let (_, answer) = answers.recv_timeout(WAIT).expect("a queue's answer");
        assert_eq!(answer.condition, Condition::Normal);
    }
    pool.close();
}

#[test]
fn requests_for_one_file_are_done_in_their_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lines");
    let pool = FilePool::new();
    let (answered, answers) = answers();
    for number in 0..200 {
        let record = format!("{number:03}").into_bytes();
        let work = FileWork {
            file: FileKey(1 + number % 3),
            ask: match number % 3 {
                0 => FileAsk::Queue(QueueAsk::Write(queue(&path, true), record)),
                _ => FileAsk::Forget(FileKind::Queue),
            },
        };
        let answered = answered.clone();
        pool.hand_over(Some(TaskKey::NO_TASK), work, move || answered)
            .expect("a thread");
    }
    for _ in 0..200 {
        answers.recv_timeout(WAIT).expect("an answer");
    }
    assert!(pool.threads(FileKind::Queue) <= THREADS_A_KIND);
    let lines = std::fs::read_to_string(&path).expect("the queue's file");
    let wanted: String = (0..200).step_by(3).map(|n| format!("{n:03}\n")).collect();
    assert_eq!(lines, wanted);
    pool.close();
}
