//! Guests, joined to the worker that waits for them.
//!
//! A worker's task waits for one LINK at a time, and the programs that a guest
//! has run in it may link to guests again: so the guests of a worker are a
//! stack, of which only the top one works. The kernel's answers to a task with a
//! guest are passed to that guest.
//!
//! Invariant: the lock of a worker's guests is held for no other lock.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use cics::resp::Condition;
use link::layout::CALL_BYTES;
use link::{CallAnswer, Name, ProgramName, WorkerCall};

use super::SharedRegion;
use super::calls::no_such_program;
use super::links::WorkerLink;
use super::wakes;
use crate::api::{GIVEN_UP, GuestHost, GuestTask, LinkData, NotRun, StartRefusal, abend_of};
use kernel::PURGED;
use kernel::core::TaskKey;

/// The guests of a worker.
#[derive(Default)]
pub struct GuestStack {
    /// How many there are, to be looked at without the lock.
    depth: AtomicUsize,
    stack: Mutex<Vec<RunningGuest>>,
}

/// A guest that works, or waits for a program that it has run.
struct RunningGuest {
    purged: Arc<AtomicBool>,
    /// The guest has asked the kernel.
    awaits_kernel: bool,
    /// A program runs for it.
    runs: bool,
    answer: Option<CallAnswer>,
    /// Its worker's process has ended.
    over: bool,
    port: usize,
    waker: Option<Waker>,
}

/// A guest's hold on the LINK that it serves.
pub struct GuestSeat {
    shared: Arc<SharedRegion>,
    link: Arc<WorkerLink>,
    worker: usize,
    key: TaskKey,
    /// Its place in the stack.
    at: usize,
    answered: bool,
}

/// Guests of one task that wait for each other.
const MOST_GUESTS: usize = 16;
/// Too many guests of a task wait for each other.
const TOO_DEEP: &[u8; 4] = b"AJSN";

/// A waker, with the port of its thread.
type PortWaker = Option<(usize, Waker)>;

impl GuestStack {
    fn lock(&self) -> MutexGuard<'_, Vec<RunningGuest>> {
        self.stack.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a guest works here, or has a program run.
    pub fn any(&self) -> bool {
        self.depth.load(Ordering::Acquire) > 0
    }

    /// Whether one works: the worker waits for it, and for nothing else.
    pub fn works(&self) -> bool {
        self.any() && self.lock().last().is_some_and(|g| !g.runs)
    }

    /// Adds one. Returns its place in the stack.
    fn push(&self) -> usize {
        let mut stack = self.lock();
        stack.push(RunningGuest {
            purged: Arc::default(),
            awaits_kernel: false,
            runs: false,
            answer: None,
            over: false,
            port: 0,
            waker: None,
        });
        self.depth.store(stack.len(), Ordering::Release);
        stack.len() - 1
    }

    fn pop(&self, at: usize) {
        let mut stack = self.lock();
        stack.truncate(at);
        self.depth.store(stack.len(), Ordering::Release);
    }

    /// Passes the kernel's answer to the guest that asked. Returns `None` when no guest asked.
    pub fn answer(&self, answer: &CallAnswer) -> Option<PortWaker> {
        if !self.any() {
            return None;
        }
        let mut stack = self.lock();
        let guest = stack.last_mut().filter(|g| g.awaits_kernel)?;
        guest.awaits_kernel = false;
        guest.answer = Some(answer.clone());
        Some(guest.wake())
    }

    /// The program that a guest had run is over; false when none has.
    fn ran(&self, answer: CallAnswer) -> Option<PortWaker> {
        let mut stack = self.lock();
        let guest = stack.last_mut().filter(|g| g.runs)?;
        guest.runs = false;
        guest.answer = Some(answer);
        Some(guest.wake())
    }

    /// The task shall end: notifies each guest. True when a guest works now: it
    /// will end the task itself.
    fn purge(&self) -> (bool, Vec<PortWaker>) {
        let mut stack = self.lock();
        let wakes = stack.iter_mut().map(|guest| {
            guest.purged.store(true, Ordering::SeqCst);
            guest.wake()
        });
        let wakes = wakes.collect();
        (stack.last().is_some_and(|g| !g.runs), wakes)
    }

    /// The worker's process has ended, and with it the LINKs that they served.
    fn end(&self) -> Vec<PortWaker> {
        let mut stack = self.lock();
        let wakes = stack.iter_mut().map(|guest| {
            guest.over = true;
            guest.purged.store(true, Ordering::SeqCst);
            guest.wake()
        });
        wakes.collect()
    }
}

impl RunningGuest {
    fn wake(&mut self) -> PortWaker {
        let port = self.port;
        self.waker.take().map(|waker| (port, waker))
    }
}

impl SharedRegion {
    /// A task links to a program that no worker has.
    pub(super) fn begin_guest(
        self: &Arc<Self>,
        worker: usize,
        link: &Arc<WorkerLink>,
        key: TaskKey,
        call: &WorkerCall,
    ) {
        let Some(guests) = &self.config.guests else {
            wakes::answer(link, &no_such_program(call));
            return;
        };
        let read = call.data.split_first_chunk::<8>().and_then(|(name, rest)| {
            let given = LinkData::parse(call.args[0], rest).ok()?;
            Some((ProgramName::from_bytes(*name), given))
        });
        let Some((program, given)) = read else {
            tracing::error!(worker, "a worker's LINK is not valid");
            self.with(|core, cx| core.protocol_violation(cx, worker));
            return;
        };
        let known = self.with(|core, cx| {
            let task = core.task(key)?;
            let known = (task.number, task.transid, task.userid);
            core.waits(cx, worker, true);
            Some(known)
        });
        let Some((number, transid, userid)) = known else {
            return;
        };
        let facility = self.facility_of(key);
        let at = link.guests.push();
        let mut task = GuestTask {
            seat: Box::new(GuestSeat {
                shared: self.clone(),
                link: link.clone(),
                worker,
                key,
                at,
                answered: false,
            }),
            number,
            transid,
            userid,
            program,
            facility,
            depth: at,
            given,
        };
        if at < MOST_GUESTS {
            guests.begin(task)
        } else {
            task.seat.answer(&CallAnswer::of_abend(TOO_DEEP), 0)
        }
    }

    /// The program that a worker's guest had run is over.
    pub(super) fn guest_ran(
        self: &Arc<Self>,
        worker: usize,
        link: &WorkerLink,
        answer: CallAnswer,
    ) {
        let Some(wake) = link.guests.ran(answer) else {
            return;
        };
        self.with(|core, cx| core.waits(cx, worker, true));
        self.wake_futures(&mut wake.into_iter().collect());
    }

    /// Notifies the guests of a task that shall end; true when one works, and
    /// ends the task by itself.
    pub(super) fn purge_guests(&self, key: TaskKey) -> bool {
        let link = {
            let state = self.lock();
            let worker = state.core.runs_in(key);
            worker.and_then(|w| state.links.get(w).cloned())
        };
        let Some(link) = link.filter(|l| l.guests.any()) else {
            return false;
        };
        let (works, wakes) = link.guests.purge();
        self.wake_futures(&mut wakes.into_iter().flatten().collect());
        works
    }

    /// The process of a worker has ended: so have its guests.
    pub(super) fn end_guests(&self, link: &WorkerLink) {
        if link.guests.any() {
            let wakes = link.guests.end();
            self.wake_futures(&mut wakes.into_iter().flatten().collect());
        }
    }
}

impl GuestSeat {
    /// Calls `act` with the guest's entry. Returns `None` when the worker has ended,
    /// and with it the LINK that the guest serves.
    fn own<R>(&self, act: impl FnOnce(&mut RunningGuest) -> R) -> Option<R> {
        let mut stack = self.link.guests.lock();
        let guest = stack.get_mut(self.at).filter(|g| !g.over)?;
        Some(act(guest))
    }

    /// Whether the unit of work has changes that the worker reads through the
    /// region.
    fn changed(&self) -> u64 {
        let owner = self.shared.lock().core.unit_owner(self.key);
        u64::from(self.shared.has_changes(owner))
    }
}

impl GuestHost for GuestSeat {
    fn purged(&self) -> Arc<AtomicBool> {
        self.own(|guest| guest.purged.clone()).unwrap_or_else(|| {
            // A guest that reads it is to end.
            Arc::new(AtomicBool::new(true))
        })
    }

    fn listen_at(&self, port: usize) {
        self.own(|guest| guest.port = port);
    }

    fn ask(&self, call: WorkerCall) -> Result<(), CallAnswer> {
        let begun = self.own(|guest| {
            let purged = guest.purged.load(Ordering::SeqCst);
            guest.awaits_kernel = !purged;
            guest.answer = None;
            !purged
        });
        if begun != Some(true) {
            return Err(CallAnswer::of_abend(&PURGED));
        }
        self.shared.serve_open(self.key, call)
    }

    fn poll_answer(&self, cx: &mut Context<'_>) -> Poll<CallAnswer> {
        let answer = self.own(|guest| {
            let answer = guest.answer.take();
            if answer.is_none() {
                guest.waker = Some(cx.waker().clone());
            }
            answer
        });
        match answer {
            Some(Some(answer)) => Poll::Ready(answer),
            Some(None) => Poll::Pending,
            None => Poll::Ready(CallAnswer::of_abend(&PURGED)),
        }
    }

    fn begin_run(&self, program: ProgramName, given: &LinkData) -> Result<(), NotRun> {
        if let Err(StartRefusal::Program(_, fault)) = self.shared.can_run(program) {
            return Err(NotRun::Condition(Condition::PgmIdErr, fault.resp2()));
        }
        let (bytes, kind) = given.emit();
        if bytes.len() + 8 > CALL_BYTES {
            return Err(NotRun::Condition(Condition::LengErr, 11));
        }
        let begun = self.own(|guest| {
            let purged = guest.purged.load(Ordering::SeqCst);
            guest.runs = !purged;
            guest.answer = None;
            !purged
        });
        if begun != Some(true) {
            return Err(NotRun::Abend(PURGED));
        }
        let worker = self.worker;
        self.shared.with(|core, cx| core.waits(cx, worker, false));
        let data = [program.as_bytes().as_slice(), &bytes].concat();
        self.link.side.run_nested(&CallAnswer {
            args: [kind, self.changed(), 0, 0, 0, 0, 0, 0],
            data,
            ..CallAnswer::default()
        });
        Ok(())
    }

    fn poll_run(&self, cx: &mut Context<'_>) -> Poll<Result<LinkData, NotRun>> {
        let answer = std::task::ready!(self.poll_answer(cx));
        Poll::Ready(match abend_of(&answer) {
            // The worker's answer for a program that it does not have any more.
            Some(code) if &code == b"APCT" => Err(NotRun::Condition(Condition::PgmIdErr, 1)),
            Some(code) => Err(NotRun::Abend(code)),
            None => LinkData::parse(answer.args[0], &answer.data).map_err(|_| {
                let worker = self.worker;
                tracing::error!(worker, "the data that a program returned is not valid");
                self.shared
                    .with(|core, cx| core.protocol_violation(cx, worker));
                NotRun::Abend(*b"ASRA")
            }),
        })
    }

    fn poll_purged(&self, cx: &mut Context<'_>) -> Poll<()> {
        let purged = self.own(|guest| {
            guest.waker = Some(cx.waker().clone());
            guest.purged.load(Ordering::SeqCst)
        });
        match purged {
            Some(false) => Poll::Pending,
            Some(true) | None => Poll::Ready(()),
        }
    }

    fn lend(&self, lends: bool) {
        let key = self.key;
        self.shared.with(|core, cx| {
            let owner = core.unit_owner(key);
            core.lend(cx, owner, lends);
        });
    }

    fn finish(&mut self, result: Result<LinkData, [u8; 4]>, cpu_ns: u64) {
        let answer = match result {
            Err(code) => CallAnswer::of_abend(&code),
            Ok(passed) => {
                let (data, kind) = passed.emit();
                if data.len() <= CALL_BYTES {
                    CallAnswer {
                        args: [kind, self.changed(), 0, 0, 0, 0, 0, 0],
                        data,
                        ..CallAnswer::default()
                    }
                } else {
                    CallAnswer::of_condition(Condition::LengErr, 11)
                }
            }
        };
        self.answer(&answer, cpu_ns);
    }

    fn answer(&mut self, answer: &CallAnswer, cpu_ns: u64) {
        if std::mem::replace(&mut self.answered, true) {
            return;
        }
        let (key, worker) = (self.key, self.worker);
        let here = self.own(|_| ()).is_some();
        self.link.guests.pop(self.at);
        if !here {
            return;
        }
        self.shared.with(|core, cx| {
            core.waits(cx, worker, false);
            let owner = core.unit_owner(key);
            if let Some(task) = core.task_mut(owner) {
                task.guest_cpu_ns += cpu_ns;
            }
        });
        wakes::answer(&self.link, answer);
    }
}

impl Drop for GuestSeat {
    fn drop(&mut self) {
        let code = Name::from_bytes(GIVEN_UP);
        let answer = CallAnswer {
            abend: code,
            ..CallAnswer::default()
        };
        self.answer(&answer, 0);
    }
}
