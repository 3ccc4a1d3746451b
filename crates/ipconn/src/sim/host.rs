//! A simulated region that serves callers' units.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use region::sim::node::{Node, TaskAnswer};
use region::{Abend, BranchId, OnePhaseOutcome, PrepareOutcome};

use crate::serving::{BranchRegion, BranchServer, LinkOutcome, ServedPartner, ended};
use crate::units::BranchTable;
use crate::wire::{ReplyHead, Request, emit_reply};

/// A region that is linked to.
pub struct SimulatedRegion {
    pub node: Rc<RefCell<Node>>,
    /// LINKs that ran, of both regions.
    pub ran: Rc<RefCell<BTreeSet<u64>>>,
}

/// A task of a caller's unit.
pub struct HostTask {
    node: Rc<RefCell<Node>>,
    number: u32,
    life: u64,
    ended: bool,
}

/// The input of a program by LINK.
#[derive(Debug, Clone, Copy)]
pub struct LinkInput {
    /// The id of the LINK.
    pub link: u64,
    /// The number that it writes.
    pub number: u64,
    /// Where; 0 for nowhere.
    pub queue: u8,
    /// It abends then.
    pub abends: bool,
}

impl LinkInput {
    /// As a COMMAREA.
    pub fn emit(self) -> Vec<u8> {
        let head = [self.link.to_be_bytes(), self.number.to_be_bytes()].concat();
        [&head[..], &[self.queue, u8::from(self.abends)]].concat()
    }

    fn parse(bytes: &[u8]) -> LinkInput {
        let number = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight"));
        LinkInput {
            link: number(0),
            number: number(8),
            queue: bytes[16],
            abends: bytes[17] == 1,
        }
    }
}

/// Serves a message and returns the reply. The region does not fail during it.
pub fn serve(
    host: SimulatedRegion,
    units: Rc<BranchTable<HostTask>>,
    from: ServedPartner,
    message: Vec<u8>,
) -> Pin<Box<dyn Future<Output = Vec<u8>>>> {
    Box::pin(async move {
        let request = Request::parse(message).expect("a request");
        let of = request.head.unit.expect("a unit");
        let serving = BranchServer {
            region: &host,
            units: &units,
        };
        if of.step.is_order() {
            serving.order(&request, from, of).await
        } else {
            serving.link(&request, from, of).await
        }
    })
}

impl HostTask {
    async fn answer(&self) -> TaskAnswer {
        poll_fn(|_| match self.node.borrow_mut().take_answer(self.number) {
            Some(said) => Poll::Ready(said),
            None => Poll::Pending,
        })
        .await
    }
}

impl Drop for HostTask {
    fn drop(&mut self) {
        let mut node = self.node.borrow_mut();
        if !self.ended && node.life == self.life {
            node.end(self.number, false);
        }
    }
}

impl BranchRegion for SimulatedRegion {
    type Task = HostTask;

    async fn begin(&self, _: &Request<Vec<u8>>) -> Result<HostTask, Vec<u8>> {
        let mut node = self.node.borrow_mut();
        Ok(HostTask {
            number: node.begin(),
            life: node.life,
            node: self.node.clone(),
            ended: false,
        })
    }

    async fn link(&self, task: &mut HostTask, request: &Request<Vec<u8>>) -> LinkOutcome {
        let asked = LinkInput::parse(request.commarea());
        let first = self.ran.borrow_mut().insert(asked.link);
        assert!(first, "LINK {} runs twice", asked.link);
        let mut abend = asked.abends.then(ended);
        if asked.queue > 0 {
            let node = &self.node;
            node.borrow_mut()
                .put(task.number, asked.queue, asked.number);
            if task.answer().await != TaskAnswer::Normal(false) {
                abend = Some(ended());
            }
        }
        let head = ReplyHead {
            ending: match &abend {
                Some(abend) => crate::wire::RequestEnding::Abend(abend.code),
                None => crate::wire::RequestEnding::Normal,
            },
            ..ReplyHead::default()
        };
        LinkOutcome {
            reply: emit_reply(&head, &[], &[]),
            abend,
            ran: true,
        }
    }

    fn holds_unit(&self, task: &HostTask) -> bool {
        self.node.borrow().holds_unit(task.number)
    }

    async fn prepare(&self, task: &mut HostTask, branch: BranchId) -> PrepareOutcome {
        self.node.borrow_mut().prepare(task.number, branch);
        match task.answer().await {
            TaskAnswer::Normal(false) => PrepareOutcome::Yes,
            TaskAnswer::Normal(true) => PrepareOutcome::NothingToCommit,
            _ => PrepareOutcome::BackedOut,
        }
    }

    async fn commit_one_phase(
        &self,
        task: &mut HostTask,
        branch: BranchId,
        finished: &[BranchId],
    ) -> OnePhaseOutcome {
        let node = &self.node;
        node.borrow_mut()
            .commit_one_phase(task.number, branch, finished);
        match task.answer().await {
            TaskAnswer::Normal(_) => OnePhaseOutcome::Yes,
            TaskAnswer::Raised(_) => OnePhaseOutcome::BackedOut,
            TaskAnswer::Abend(_) => OnePhaseOutcome::InDoubt,
        }
    }

    async fn end(&self, mut task: HostTask, abend: Option<Abend>) {
        task.ended = true;
        self.node.borrow_mut().end(task.number, abend.is_none());
        poll_fn(|_| {
            if self.node.borrow().is_over(task.number) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    async fn settle(&self, branch: BranchId, commit: bool) -> bool {
        let number = self.node.borrow_mut().settle(&branch, commit);
        poll_fn(|_| match self.node.borrow_mut().take_settled(number) {
            Some(yes) => Poll::Ready(yes),
            None => Poll::Pending,
        })
        .await
    }

    async fn outcome(&self, branch: BranchId) -> Option<bool> {
        let number = self.node.borrow_mut().outcome(&branch);
        poll_fn(|_| match self.node.borrow_mut().take_outcome(number) {
            Some(reported) => Poll::Ready(reported),
            None => Poll::Pending,
        })
        .await
    }

    fn caller_returned(&self, prefix: &[u8], after: &[u8]) {
        self.node.borrow_mut().coordinator_returned(prefix, after);
    }

    fn branches(&self) -> Vec<BranchId> {
        self.node.borrow().branches()
    }

    async fn pause(&self) {
        let mut waited = false;
        poll_fn(|_| {
            if std::mem::replace(&mut waited, true) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}
