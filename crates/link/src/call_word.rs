//! The call area's word: the caller, the thread that has taken the call, and
//! whether the caller sleeps.
//!
//! The worker asks by a swap, and says that it sleeps by adding [`ASLEEP`] with
//! a compare-and-swap before it does. The region takes a question by a
//! compare-and-swap that keeps the mark, and answers by a swap that takes it
//! away: it wakes the asker only when the mark was there. So an answer that
//! comes before the sleep costs neither side a system call.
//!
//! Invariant: no wake-up is lost. All steps are atomic on this one word, so
//! they have one order. The answer is either before the mark, and then the
//! compare-and-swap that would set it fails and the worker looks again; or
//! after it, and then the region sees the mark and wakes after the word has
//! changed: a worker that is not in the kernel yet finds another value there
//! and does not sleep.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::futex;
use crate::layout::call_state::{ANSWERED, ASLEEP, CALL, IDLE, NESTED, NESTED_DONE, TAKEN};

/// The word of one worker.
#[derive(Clone, Copy)]
pub struct CallWord<'m>(pub &'m AtomicU32);

/// The result of the region's attempt to take a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakeResult {
    /// No call is waiting, or another thread took it.
    Nothing,
    /// A call.
    Call,
    /// The results of a nested run.
    NestedDone,
    /// A word that no correct worker writes.
    Violation(u32),
}

/// Times that the region tries to take a call. A correct worker changes the
/// word once meanwhile, when it falls asleep.
const TRIES: usize = 3;

impl CallWord<'_> {
    /// Asks, for the worker.
    pub fn post_call(self, state: u32) {
        self.0.swap(state, Ordering::SeqCst);
    }

    /// Sleeps until what was asked as `asked` is answered. Returns the state.
    pub fn wait(self, asked: u32) -> u32 {
        let mut seen = self.0.load(Ordering::Acquire);
        loop {
            match Wait::of(seen, asked) {
                Wait::Over(state) => return state,
                Wait::Mark(marked) => {
                    let order = (Ordering::AcqRel, Ordering::Acquire);
                    let set = self.0.compare_exchange(seen, marked, order.0, order.1);
                    seen = set.map_or_else(|now| now, |_| marked);
                }
                Wait::Sleep => {
                    futex::wait(self.0, seen, None);
                    seen = self.0.load(Ordering::Acquire);
                }
            }
        }
    }

    /// The worker has read the answer.
    pub fn answer_read(self) {
        self.0.store(IDLE, Ordering::Release);
    }

    /// Takes a call, for the region: each call is given to one thread.
    pub fn take(self) -> TakeResult {
        let mut seen = self.0.load(Ordering::SeqCst);
        for _ in 0..TRIES {
            let reported = question(seen);
            if !matches!(reported, TakeResult::Call | TakeResult::NestedDone) {
                return reported;
            }
            let order = Ordering::SeqCst;
            match self.0.compare_exchange(seen, taken(seen), order, order) {
                Ok(_) => return reported,
                Err(now) => seen = now,
            }
        }
        TakeResult::Violation(seen)
    }

    /// Puts [`ANSWERED`] or [`NESTED`]; true when [`CallWord::wake`] must follow.
    #[must_use]
    pub fn answer(self, state: u32) -> bool {
        self.0.swap(state, Ordering::SeqCst) & ASLEEP != 0
    }

    /// Puts [`NESTED`] where a question is taken and not answered: whether
    /// [`CallWord::wake`] must follow. Returns `None` if no question is.
    #[must_use]
    pub fn nest(self) -> Option<bool> {
        let order = Ordering::SeqCst;
        for seen in [TAKEN, TAKEN | ASLEEP] {
            if self.0.compare_exchange(seen, NESTED, order, order).is_ok() {
                return Some(seen & ASLEEP != 0);
            }
        }
        None
    }

    /// True while a question is taken and not answered.
    pub fn is_taken(self) -> bool {
        self.0.load(Ordering::SeqCst) & !ASLEEP == TAKEN
    }

    /// Wakes the worker.
    pub fn wake(self) {
        futex::wake(self.0);
    }
}

/// The next action of a worker that called as `asked`, for the word that it
/// sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// The wait has ended: this is the answer's state.
    Over(u32),
    /// Puts this word in its place.
    Mark(u32),
    /// Sleeps on it.
    Sleep,
}

impl Wait {
    fn of(seen: u32, asked: u32) -> Wait {
        match seen & !ASLEEP {
            state if state != asked && state != TAKEN => Wait::Over(state),
            _ if seen & ASLEEP != 0 => Wait::Sleep,
            _ => Wait::Mark(seen | ASLEEP),
        }
    }
}

/// The call in a word.
fn question(seen: u32) -> TakeResult {
    match seen & !ASLEEP {
        CALL => TakeResult::Call,
        NESTED_DONE => TakeResult::NestedDone,
        IDLE | ANSWERED | NESTED | TAKEN => TakeResult::Nothing,
        _ => TakeResult::Violation(seen),
    }
}

/// The word once its question is taken.
fn taken(seen: u32) -> u32 {
    TAKEN | seen & ASLEEP
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The state of the worker.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Worker {
        /// The side has read this word and reacts to it.
        Saw(u32),
        /// The side has called the kernel to sleep on this word.
        Falls(u32),
        Sleeps,
        /// The side was woken, or never slept, and reads again.
        Checks,
        Over(u32),
    }

    /// The state of one of the region's threads.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum ModelThread {
        Checks(usize),
        Saw(u32, usize),
        /// The side has the call.
        Has,
        /// The side has answered and must wake the other.
        Wakes,
        Done,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    struct CallModel {
        word: u32,
        worker: Worker,
        threads: [ModelThread; 2],
        answers: u8,
    }

    /// The words after one step of the worker's.
    fn worker_step(world: CallModel, asked: u32) -> Option<CallModel> {
        let mut next = world;
        next.worker = match world.worker {
            Worker::Saw(seen) => match Wait::of(seen, asked) {
                Wait::Over(state) => Worker::Over(state),
                Wait::Mark(marked) if world.word == seen => {
                    next.word = marked;
                    Worker::Saw(marked)
                }
                Wait::Mark(_) => Worker::Saw(world.word),
                Wait::Sleep => Worker::Falls(seen),
            },
            Worker::Falls(on) if world.word == on => Worker::Sleeps,
            Worker::Falls(_) => Worker::Checks,
            Worker::Checks => Worker::Saw(world.word),
            Worker::Sleeps | Worker::Over(_) => return None,
        };
        Some(next)
    }

    fn thread_step(world: CallModel, at: usize) -> Option<CallModel> {
        let mut next = world;
        next.threads[at] = match world.threads[at] {
            ModelThread::Checks(tries) => ModelThread::Saw(world.word, tries),
            ModelThread::Saw(seen, tries) => match question(seen) {
                TakeResult::Violation(word) => panic!("{word:x} is a valid word"),
                TakeResult::Nothing => ModelThread::Done,
                _ if world.word == seen => {
                    next.word = taken(seen);
                    ModelThread::Has
                }
                _ => {
                    assert!(tries < TRIES, "a question is taken in {TRIES} tries");
                    ModelThread::Saw(world.word, tries + 1)
                }
            },
            ModelThread::Has => {
                next.answers += 1;
                next.word = ANSWERED;
                match world.word & ASLEEP {
                    0 => ModelThread::Done,
                    _ => ModelThread::Wakes,
                }
            }
            ModelThread::Wakes => {
                if world.worker == Worker::Sleeps {
                    next.worker = Worker::Checks;
                }
                ModelThread::Done
            }
            ModelThread::Done => return None,
        };
        Some(next)
    }

    /// Every order of the steps of a worker that calls and of two threads that
    /// poll: the worker receives one answer, and no thread sleeps for ever.
    #[test]
    fn in_every_order_of_steps_the_call_is_answered_once_and_the_caller_wakes() {
        for asked in [CALL, NESTED_DONE] {
            let mut seen = BTreeSet::new();
            let mut open = vec![CallModel {
                word: asked,
                worker: Worker::Checks,
                threads: [ModelThread::Checks(1); 2],
                answers: 0,
            }];
            let mut ends = 0;
            while let Some(world) = open.pop() {
                if !seen.insert(world) {
                    continue;
                }
                let steps = [
                    worker_step(world, asked),
                    thread_step(world, 0),
                    thread_step(world, 1),
                ];
                let before = open.len();
                open.extend(steps.into_iter().flatten());
                if open.len() == before {
                    ends += 1;
                    assert_eq!(world.worker, Worker::Over(ANSWERED), "{world:?}");
                    assert_eq!((world.word, world.answers), (ANSWERED, 1), "{world:?}");
                }
            }
            assert!(ends > 0 && seen.len() > 50, "{} worlds", seen.len());
        }
    }

    #[test]
    fn an_answer_wakes_only_a_worker_that_announced_its_sleep() {
        let word = AtomicU32::new(IDLE);
        let word = CallWord(&word);
        word.post_call(CALL);
        assert_eq!(word.take(), TakeResult::Call);
        assert_eq!(word.take(), TakeResult::Nothing);
        assert!(!word.answer(ANSWERED));
        assert_eq!(word.wait(CALL), ANSWERED);
        word.answer_read();
        word.post_call(CALL);
        let marked = Wait::of(CALL, CALL);
        assert_eq!(marked, Wait::Mark(CALL | ASLEEP));
        word.0.store(CALL | ASLEEP, Ordering::SeqCst);
        assert_eq!(word.take(), TakeResult::Call);
        assert_eq!(word.0.load(Ordering::SeqCst), TAKEN | ASLEEP);
        assert!(word.answer(NESTED));
        assert_eq!(word.wait(CALL), NESTED);
        word.post_call(NESTED_DONE);
        assert_eq!(word.take(), TakeResult::NestedDone);
    }

    #[test]
    fn two_threads_that_call_and_answer_without_a_pause_never_stop() {
        const ROUNDS: u32 = 20_000;
        let word = AtomicU32::new(IDLE);
        let word = CallWord(&word);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    while word.take() != TakeResult::Call {
                        std::thread::yield_now();
                    }
                    // So that the worker is seen in every state.
                    (0..round % 64).for_each(|_| std::hint::spin_loop());
                    if word.answer(ANSWERED) {
                        word.wake();
                    }
                }
            });
            for _ in 0..ROUNDS {
                word.post_call(CALL);
                assert_eq!(word.wait(CALL), ANSWERED);
                word.answer_read();
            }
        });
    }
}
