//! Tasks that the region starts: their begin, refusal and end, and the starts that are held
//! until others have begun.
//!
//! [`super::StartQueue`] has the rules of the queue; this module notifies resource managers
//! of the ends.

use link::TransId;

use super::managers::ResourceManagers;
use super::start_queue::{ROOM, WaitingStarts};
use super::{CallingTask, InternalStart, Kernel, KernelContext, KernelEffect};
use crate::types::{Abend, StartRefusal};

/// The end of a task that the region started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartEnd {
    /// It could not begin.
    Refused(StartRefusal),
    /// It ran: its abend, if it had one, and its channel.
    Ran(Option<Abend>, Option<link::ChannelData>),
}

impl KernelContext<'_> {
    /// A number for a task to be started.
    pub fn next_start(&mut self) -> u64 {
        self.kernel.last_start += 1;
        self.kernel.last_start
    }

    /// Starts a task now if fewer starts than the limit wait, and later otherwise.
    pub fn start(&mut self, start: InternalStart) {
        let start = self.kernel.starts.add(start);
        self.out
            .extend(start.map(|s| KernelEffect::Start(Box::new(s))));
    }

    /// The origin of a start by this task: the task from outside that its chain of starts comes
    /// from.
    pub fn origin_of(&self, caller: &CallingTask) -> u64 {
        self.kernel.starts.origin_of(caller.start, caller.number)
    }
}

impl<R: ResourceManagers> Kernel<R> {
    /// A started task has ended, or could not begin.
    pub fn start_ended(
        &mut self,
        now: u64,
        start: u64,
        ended: &StartEnd,
        out: &mut Vec<KernelEffect>,
    ) {
        self.state.starts.ended(start);
        self.manage(now, out, |resources, cx| {
            resources.start_ended(cx, start, ended);
        });
        self.starts_changed(now, out);
    }

    /// The task of a start has begun: it no longer waits.
    pub fn start_begun(&mut self, now: u64, start: u64, out: &mut Vec<KernelEffect>) {
        self.state.starts.begun(start);
        self.starts_changed(now, out);
    }

    /// Fewer starts wait: held ones proceed, and tasks that wait to add one.
    fn starts_changed(&mut self, now: u64, out: &mut Vec<KernelEffect>) {
        while let Some(start) = self.state.starts.next() {
            out.push(KernelEffect::Start(Box::new(start)));
        }
        self.manage(now, out, |_, cx| cx.signal(ROOM, b""));
        self.wake(now, out);
    }

    /// Rejects the held starts of a transaction.
    pub fn refuse_starts(
        &mut self,
        now: u64,
        transid: TransId,
        refusal: StartRefusal,
        out: &mut Vec<KernelEffect>,
    ) {
        let held = self.state.starts.take_held(Some(transid));
        self.refuse_held(now, held, refusal, out);
    }

    /// The region ends: no start is held any more.
    pub fn close_starts(&mut self, now: u64, out: &mut Vec<KernelEffect>) {
        self.state.starts.close();
        let held = self.state.starts.take_held(None);
        self.refuse_held(now, held, StartRefusal::ShuttingDown, out);
    }

    fn refuse_held(
        &mut self,
        now: u64,
        held: Vec<u64>,
        refusal: StartRefusal,
        out: &mut Vec<KernelEffect>,
    ) {
        for start in held {
            self.state.starts.ended(start);
            let ended = StartEnd::Refused(refusal);
            self.manage(now, out, |resources, cx| {
                resources.start_ended(cx, start, &ended);
            });
        }
        self.starts_changed(now, out);
    }

    /// Sets the limit of a kernel that has no starts yet.
    #[cfg(any(test, feature = "sim"))]
    pub fn limit_starts(&mut self, limit: usize) {
        assert!(self.state.starts.is_idle(), "starts wait");
        self.state.starts = super::StartQueue::new(limit);
    }

    /// Checks the counters of starts; panics if they are inconsistent.
    #[cfg(any(test, feature = "sim"))]
    pub fn check_starts(&self) {
        self.state.starts.check_books();
    }

    /// True when no start waits and no task of one is there.
    #[cfg(any(test, feature = "sim"))]
    pub fn has_no_starts(&self) -> bool {
        self.state.starts.is_idle()
    }

    /// How many starts wait for their tasks.
    pub fn waiting_starts(&self) -> WaitingStarts {
        self.state.starts.counts()
    }
}
