//! Threads for transaction programs: one an attached program, kept for a while
//! when it ends.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::ThreadHook;

type Job = Box<dyn FnOnce() + Send>;

/// Stack of a program's thread; programs in COBOL run in processes of their own.
const STACK_BYTES: usize = 512 * 1024;
/// How long an idle thread waits for another job.
const IDLE: Duration = Duration::from_secs(10);

/// A pool that grows with the programs that run at once.
#[derive(Clone)]
pub struct JobPool {
    shared: Arc<(Mutex<Queue>, Condvar)>,
    most: usize,
    on_thread: ThreadHook,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: usize,
    stopping: bool,
}

impl JobPool {
    /// A pool of at most `most` threads.
    pub fn new(most: usize, on_thread: ThreadHook) -> JobPool {
        JobPool {
            shared: Arc::default(),
            most,
            on_thread,
        }
    }

    /// Runs a job on its own thread; returns false if too many run, or the system
    /// has no thread left. The job is made only when it has a thread: the caller
    /// may hold a lock that the job's end takes.
    pub fn run(&self, job: impl FnOnce() -> Job) -> bool {
        let mut queue = self.lock();
        if queue.stopping || (queue.idle <= queue.jobs.len() && !self.grow(&mut queue)) {
            return false;
        }
        queue.jobs.push_back(job());
        self.shared.1.notify_one();
        true
    }

    /// Adds a thread that waits for jobs, up to the limit.
    fn grow(&self, queue: &mut Queue) -> bool {
        if queue.threads >= self.most {
            return false;
        }
        let pool = self.clone();
        let thread = std::thread::Builder::new()
            .name("appc-tp".into())
            .stack_size(STACK_BYTES)
            .spawn(move || pool.work());
        queue.threads += usize::from(thread.is_ok());
        queue.idle += usize::from(thread.is_ok());
        thread.is_ok()
    }

    /// Programs that run now.
    pub fn running(&self) -> usize {
        let queue = self.lock();
        (queue.threads + queue.jobs.len()).saturating_sub(queue.idle)
    }

    /// Lets idle threads end; no further job is taken.
    pub fn stop(&self) {
        self.lock().stopping = true;
        self.shared.1.notify_all();
    }

    fn work(&self) {
        (self.on_thread)();
        while let Some(run) = self.next() {
            // A program that panics ends its conversation (dropped on the way),
            // not the node.
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err() {
                tracing::error!("a transaction program panicked");
            }
            self.lock().idle += 1;
        }
    }

    /// The next job of an idle thread. Returns `None` if the thread ends.
    fn next(&self) -> Option<Job> {
        let waited = self
            .shared
            .1
            .wait_timeout_while(self.lock(), IDLE, |queue| {
                queue.jobs.is_empty() && !queue.stopping
            });
        let mut queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        queue.idle -= 1;
        let job = queue.jobs.pop_front();
        queue.threads -= usize::from(job.is_none());
        job
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
