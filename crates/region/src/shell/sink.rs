//! The sink of monitoring records: a file of JSON lines, off the hot path.
//!
//! Records go through a bounded queue to a thread of their own. When the disk
//! is too slow, records are dropped and counted; no task waits for them.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;

use crate::api::MonitoringRecord;

/// Records that may wait for the disk.
const QUEUE: usize = 8192;

/// Takes monitoring records.
pub struct RecordSink {
    queue: Mutex<Option<SyncSender<MonitoringRecord>>>,
    dropped: AtomicU64,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl RecordSink {
    /// Opens the file for appending and starts the thread.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let (sender, receiver) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("tupelo-monitor".to_owned())
            .spawn(move || write_all(&receiver, BufWriter::new(file)))?;
        Ok(RecordSink {
            queue: Mutex::new(Some(sender)),
            dropped: AtomicU64::new(0),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Hands a record over; it is dropped when the queue is full.
    pub fn push(&self, record: &MonitoringRecord) {
        let Ok(queue) = self.queue.lock() else {
            return;
        };
        let send = |q: &SyncSender<_>| q.try_send(record.clone()).is_ok();
        if !queue.as_ref().is_some_and(send) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Records dropped so far.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Writes the queued records and ends the thread.
    pub fn close(&self) {
        if let Ok(mut queue) = self.queue.lock() {
            queue.take();
        }
        let thread = self.thread.lock().ok().and_then(|mut t| t.take());
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn write_all(queue: &Receiver<MonitoringRecord>, mut file: BufWriter<std::fs::File>) {
    let mut failing = false;
    while let Ok(mut record) = queue.recv() {
        loop {
            let written = serde_json::to_writer(&mut file, &record)
                .map_err(io::Error::from)
                .and_then(|()| file.write_all(b"\n"));
            note(written, &mut failing);
            match queue.try_recv() {
                Ok(next) => record = next,
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        note(file.flush(), &mut failing);
    }
}

/// Says once that writing fails, and once that it works again.
fn note(result: io::Result<()>, failing: &mut bool) {
    match (&result, *failing) {
        (Err(error), false) => tracing::error!(%error, "monitoring records cannot be written"),
        (Ok(()), true) => tracing::info!("monitoring records are written again"),
        _ => {}
    }
    *failing = result.is_err();
}
