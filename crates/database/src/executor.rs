//! Threads for work that waits for the server.
//!
//! A thread is started when work comes and none is free, up to a limit; each stays.
//! Commits of many tasks wait for the server at the same time, so that it can
//! flush them together.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use region::engine::{EngineClass, enter};

type QueuedWork = Box<dyn FnOnce() + Send>;

/// Threads, and work for them.
#[derive(Clone)]
pub struct Executor(Arc<ExecutorState>);

struct ExecutorState {
    name: &'static str,
    most: usize,
    queue: Mutex<Queue>,
    comes: Condvar,
}

#[derive(Default)]
struct Queue {
    works: VecDeque<QueuedWork>,
    threads: usize,
    free: usize,
    stopped: bool,
}

impl Executor {
    /// Threads of a name of at most 15 bytes, at most so many.
    pub fn new(name: &'static str, most: usize) -> Executor {
        Executor(Arc::new(ExecutorState {
            name,
            most,
            queue: Mutex::default(),
            comes: Condvar::new(),
        }))
    }

    /// Has a thread do something. After [`Executor::stop`] it is dropped.
    pub fn run(&self, work: impl FnOnce() + Send + 'static) {
        let mut queue = self.0.lock();
        if queue.stopped {
            return;
        }
        queue.works.push_back(Box::new(work));
        if queue.free >= queue.works.len() || queue.threads >= self.0.most {
            drop(queue);
            self.0.comes.notify_one();
            return;
        }
        queue.threads += 1;
        drop(queue);
        let inner = self.0.clone();
        let thread = std::thread::Builder::new().name(self.0.name.to_owned());
        if let Err(error) = thread.spawn(move || inner.work()) {
            tracing::error!(%error, "cannot start a thread for SQL");
            self.0.lock().threads -= 1;
        }
    }

    /// Ends the threads once the work is done.
    pub fn stop(&self) {
        self.0.lock().stopped = true;
        self.0.comes.notify_all();
    }
}

impl ExecutorState {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        enter("sql", EngineClass::General);
        let mut queue = self.lock();
        loop {
            if let Some(work) = queue.works.pop_front() {
                drop(queue);
                work();
                queue = self.lock();
            } else if queue.stopped {
                queue.threads -= 1;
                return;
            } else {
                queue.free += 1;
                queue = self
                    .comes
                    .wait(queue)
                    .unwrap_or_else(PoisonError::into_inner);
                queue.free -= 1;
            }
        }
    }
}

impl std::fmt::Debug for Executor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Executor").field(&self.0.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn works_that_wait_for_each_other_are_done_at_the_same_time() {
        let executor = Executor::new("test", 2);
        let (to_first, at_first) = channel();
        let (to_test, at_test) = channel();
        let answer = to_test.clone();
        executor.run(move || answer.send(at_first.recv().unwrap()).unwrap());
        executor.run(move || to_first.send(7).unwrap());
        assert_eq!(at_test.recv().unwrap(), 7);
        executor.run(move || to_test.send(8).unwrap());
        assert_eq!(at_test.recv().unwrap(), 8);
        executor.stop();
    }
}
