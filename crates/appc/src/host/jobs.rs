//! Threads for transaction programs: one an attached program, kept for a while
//! when it ends.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

/// Stack of a program's thread; programs in COBOL run in processes of their own.
const STACK_BYTES: usize = 512 * 1024;
/// How long a thread waits for another program.
const IDLE: Duration = Duration::from_secs(10);

/// A pool that grows with the programs that run at once.
#[derive(Clone)]
pub struct Jobs {
    shared: Arc<(Mutex<Queue>, Condvar)>,
    most: usize,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: usize,
    stopping: bool,
}

impl Jobs {
    /// A pool of at most `most` threads.
    pub fn new(most: usize) -> Jobs {
        Jobs {
            shared: Arc::default(),
            most,
        }
    }

    /// Runs `job` on a thread of its own; false when there are too many, or the
    /// system has none left.
    pub fn run(&self, job: Job) -> bool {
        let mut queue = self.lock();
        if queue.stopping {
            return false;
        }
        if queue.idle > queue.jobs.len() {
            queue.jobs.push_back(job);
            self.shared.1.notify_one();
            return true;
        }
        if queue.threads >= self.most {
            return false;
        }
        let pool = self.clone();
        let thread = std::thread::Builder::new()
            .name("appc-tp".into())
            .stack_size(STACK_BYTES)
            .spawn(move || pool.work(job));
        queue.threads += usize::from(thread.is_ok());
        thread.is_ok()
    }

    /// Programs that run now.
    pub fn running(&self) -> usize {
        let queue = self.lock();
        queue.threads - queue.idle.min(queue.threads)
    }

    /// Lets idle threads end; no further job is taken.
    pub fn stop(&self) {
        self.lock().stopping = true;
        self.shared.1.notify_all();
    }

    fn work(&self, first: Job) {
        let mut job = Some(first);
        while let Some(run) = job.take() {
            // A program that panics ends its conversation (dropped on the way),
            // not the node.
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err() {
                tracing::error!("a transaction program panicked");
            }
            job = self.next();
        }
    }

    fn next(&self) -> Option<Job> {
        let mut queue = self.lock();
        queue.idle += 1;
        let waited = self.shared.1.wait_timeout_while(queue, IDLE, |queue| {
            queue.jobs.is_empty() && !queue.stopping
        });
        queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        queue.idle -= 1;
        let job = queue.jobs.pop_front();
        queue.threads -= usize::from(job.is_none());
        job
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
