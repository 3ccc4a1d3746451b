//! The serving region's part in callers' units of work.
//!
//! [`crate::serving`] decides the order of messages; this module runs them.

use std::time::Duration;

use region::{Abend, BranchId, OnePhaseOutcome, OpenTask, Port, PrepareOutcome, TaskOutcome};
use tokio::sync::oneshot;

use super::mirror::{MirrorRegion, answer, fill, not_taken};
use crate::serving::{BranchRegion, LinkOutcome, ended, refused};
use crate::wire::{Request, RequestEnding};

/// How long a query waits for a commit in progress before it checks again.
const PAUSE: Duration = Duration::from_millis(5);

/// The region, for a thread of the listener.
pub struct InUnits<'m> {
    pub mirror: &'m MirrorRegion,
    pub port: &'m Port,
}

impl BranchRegion for InUnits<'_> {
    type Task = OpenTask;

    async fn begin(&self, request: &Request<Vec<u8>>) -> Result<OpenTask, Vec<u8>> {
        let wanted = self.mirror.wanted(request);
        let begun = self.mirror.region.begin_open(self.port, wanted).await;
        let task = begun.map_err(|refusal| not_taken(refusal, true))?;
        // Its caller's region may have to have it prepared.
        task.set_branch();
        Ok(task)
    }

    async fn link(&self, task: &mut OpenTask, request: &Request<Vec<u8>>) -> LinkOutcome {
        // An earlier LINK may have arrived on another thread.
        task.move_to(self.port);
        let (reply, abend, ran) = match task.run(request.head.program, request.len()).await {
            None => {
                let made = refused(RequestEnding::Abend(*b"AEXY"), "the task was ended".into());
                (made, Some(ended()), false)
            }
            Some(Err(refusal)) => (not_taken(refusal, true), None, false),
            Some(Ok(mut run)) => match fill(&mut run, request) {
                Err(reply) => (reply, None, false),
                Ok(()) => {
                    let reply = run.run().await;
                    task.ran(&reply);
                    let abend = match reply.outcome() {
                        TaskOutcome::Abend(abend) => Some(abend.clone()),
                        TaskOutcome::Ok => None,
                    };
                    // The reply's memory belongs to the worker:
                    // it is copied first.
                    (answer(&reply, reply.outcome(), request), abend, true)
                }
            },
        };
        LinkOutcome { reply, abend, ran }
    }

    fn holds_unit(&self, task: &OpenTask) -> bool {
        task.holds_unit()
    }

    async fn prepare(&self, task: &mut OpenTask, branch: BranchId) -> PrepareOutcome {
        task.prepare(branch).await
    }

    async fn commit_one_phase(
        &self,
        task: &mut OpenTask,
        branch: BranchId,
        known_outcomes: &[BranchId],
    ) -> OnePhaseOutcome {
        task.commit_one_phase(branch, known_outcomes).await
    }

    async fn end(&self, task: OpenTask, abend: Option<Abend>) {
        task.end(abend, 0).await;
    }

    async fn settle(&self, branch: BranchId, commit: bool) -> bool {
        let (done, receiver) = oneshot::channel();
        self.mirror.region.settle(branch, commit, move |yes| {
            // The requester may have stopped waiting.
            let _ = done.send(yes);
        });
        receiver.await.unwrap_or(false)
    }

    async fn outcome(&self, branch: BranchId) -> Option<bool> {
        let (reported, receiver) = oneshot::channel();
        self.mirror.region.outcome(branch, move |committed| {
            let _ = reported.send(committed);
        });
        receiver.await.unwrap_or(None)
    }

    fn caller_returned(&self, prefix: &[u8], after: &[u8]) {
        self.mirror.region.coordinator_returned(prefix, after);
    }

    fn branches(&self) -> Vec<BranchId> {
        self.mirror.region.branches()
    }

    async fn pause(&self) {
        tokio::time::sleep(PAUSE).await;
    }
}
