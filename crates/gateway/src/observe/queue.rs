//! A bounded queue with the thread that empties it.
//!
//! Putting never waits: a full queue rejects the item. The reader receives all
//! queued items as one batch.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The putting end.
#[derive(Debug)]
pub(super) struct Queue<T> {
    sender: SyncSender<Option<T>>,
    ending: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The reading end.
pub(super) struct BatchReceiver<T> {
    receiver: Receiver<Option<T>>,
    most: usize,
    wait: Duration,
    ending: Arc<AtomicBool>,
    ended: bool,
}

impl<T: Send + 'static> Queue<T> {
    /// A queue with this many places whose thread runs `work` on batches of at
    /// most `most`, which wait at most this long.
    pub fn start(
        name: &str,
        places: usize,
        (most, wait): (usize, Duration),
        work: impl FnOnce(BatchReceiver<T>) + Send + 'static,
    ) -> Result<Queue<T>, String> {
        let (sender, receiver) = sync_channel(places.max(1));
        let ending = Arc::new(AtomicBool::new(false));
        let batches = BatchReceiver {
            ending: ending.clone(),
            receiver,
            most,
            wait,
            ended: false,
        };
        let thread = std::thread::Builder::new().name(name.to_owned());
        let thread = thread.spawn(move || work(batches));
        Ok(Queue {
            sender,
            ending,
            thread: Mutex::new(Some(thread.map_err(|e| e.to_string())?)),
        })
    }

    /// Puts something; false when there is no place.
    pub fn put(&self, what: T) -> bool {
        self.sender.try_send(Some(what)).is_ok()
    }

    /// Has the thread work off what there is, and waits for its end.
    pub fn finish(&self) {
        self.ending.store(true, Relaxed);
        let thread = self.thread.lock();
        let thread = thread.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && self.sender.send(None).is_ok()
        {
            let _ = thread.join();
        }
    }
}

impl<T> BatchReceiver<T> {
    /// Whether the end is waited for.
    pub fn is_ending(&self) -> bool {
        self.ending.load(Relaxed)
    }

    /// Returns queued items: at once if they fill a batch, otherwise after the
    /// wait; `None` after the end. A batch may be empty.
    pub fn next(&mut self) -> Option<Vec<T>> {
        if self.ended {
            return None;
        }
        let until = Instant::now() + self.wait;
        let mut batch = Vec::new();
        while batch.len() < self.most {
            let left = until.saturating_duration_since(Instant::now());
            match self.receiver.recv_timeout(left) {
                Ok(Some(one)) => batch.push(one),
                Ok(None) | Err(RecvTimeoutError::Disconnected) => {
                    self.ended = true;
                    break;
                }
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        Some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_full_queue_rejects_and_its_entries_are_processed_at_the_end() {
        let (go, held) = mpsc::channel::<()>();
        let (report, reported) = mpsc::channel();
        let work = move |mut batches: BatchReceiver<u32>| {
            let _ = held.recv();
            while let Some(batch) = batches.next() {
                batch.into_iter().for_each(|n| report.send(n).unwrap());
            }
        };
        let queue = Queue::start("test", 3, (2, Duration::from_millis(1)), work).unwrap();
        let taken: Vec<bool> = (0..5).map(|n| queue.put(n)).collect();
        assert_eq!(taken, [true, true, true, false, false]);
        go.send(()).unwrap();
        queue.finish();
        assert_eq!(reported.iter().collect::<Vec<_>>(), [0, 1, 2]);
        assert!(!queue.put(9));
    }
}
