//! A caller's unit of work: LINKs that belong to it, and how it ends.
//!
//! ```text
//!  LINK ──▶ task ──LINK──▶ task ──prepare──▶ a branch of the region
//!             │                               ├──commit
//!             └──back out, connection ended   └──back out
//! ```
//!
//! The caller decides. What is prepared when the connection ends waits until
//! the caller is there again and asks for it ([`Step::Resync`]); what is not is
//! backed out at once.
//!
//! Reference: CICS intercommunication guide, "Recovery and restart in
//! interconnected systems".

use region::{Abend, BranchId, OpenTask, Outcome, Port, Prepared};
use tokio::sync::oneshot;

use super::mirror::{Mirror, Partner, answer, fill, not_taken, refused, with_unit};
use super::units::Coordinator;
use crate::wire::{Ending, InUnit, OfUnit, ReplyHead, Request, Step, emit_reply, emit_units};

/// TERMERR with RESP2 17: what the caller's unit had here is backed out.
const LOST: Ending = Ending::Condition(81, 17);
/// ROLLEDBACK: the unit cannot be committed.
const ROLLED_BACK: Ending = Ending::Condition(82, 0);

impl Mirror {
    /// A LINK in the caller's unit.
    pub(super) async fn in_unit(
        &self,
        port: &Port,
        request: &Request<Vec<u8>>,
        from: Partner,
        unit: OfUnit,
    ) -> Vec<u8> {
        let Step::Link(before) = unit.step else {
            return refused(Ending::Never, "an order is no LINK".into());
        };
        let of = coordinator(from, unit);
        let begun = match self.units.enter(of, from.connection) {
            true => self.units.begin(of, unit.unit, before),
            false => Err(()),
        };
        let Ok((working, task)) = begun else {
            return lost();
        };
        let mut task = match task {
            Some(mut task) => {
                task.move_to(port);
                task
            }
            None => match self.region.begin_open(port, self.wanted(request)).await {
                Ok(task) => Box::new(task),
                Err(refusal) => return with_unit(not_taken(refusal, true), InUnit::Unchanged),
            },
        };
        let program = request.head.program;
        // What did not run leaves the unit as it was.
        let (made, abend, ran) = match task.run(program, request.len()).await {
            None => {
                let made = refused(Ending::Abend(*b"AEXY"), "the task was ended".into());
                (made, Some(ended()), false)
            }
            Some(Err(refusal)) => (not_taken(refusal, true), None, false),
            Some(Ok(mut run)) => match fill(&mut run, request) {
                Err(reply) => (reply, None, false),
                Ok(()) => {
                    let reply = run.run().await;
                    task.ran(&reply);
                    let abend = match reply.outcome() {
                        Outcome::Abend(abend) => Some(abend.clone()),
                        Outcome::Ok => None,
                    };
                    // The reply's memory is the worker's: it is copied before
                    // anything else.
                    (answer(&reply, reply.outcome(), request), abend, true)
                }
            },
        };
        let holds = task.holds_unit() || before > 0;
        match (abend, holds) {
            (Some(abend), holds) => {
                task.end(Some(abend), 0).await;
                working.close();
                let in_unit = if holds { InUnit::Lost } else { InUnit::Nothing };
                with_unit(made, in_unit)
            }
            (None, true) => match working.keep(task, before + u32::from(ran)) {
                None if ran => with_unit(made, InUnit::Held),
                None => with_unit(made, InUnit::Unchanged),
                Some(task) => {
                    task.end(Some(ended()), 0).await;
                    lost()
                }
            },
            (None, false) => {
                working.close();
                task.end(None, 0).await;
                made
            }
        }
    }

    /// What the caller says of a unit.
    pub(super) async fn order(&self, from: Partner, unit: OfUnit) -> Vec<u8> {
        let of = coordinator(from, unit);
        if !self.units.enter(of, from.connection) {
            let why = "a later connection of the same name speaks for its units";
            return refused(ROLLED_BACK, why.into());
        }
        let Some(branch) = of.branch(unit.unit) else {
            return refused(Ending::Never, "no unit has this number".into());
        };
        match unit.step {
            Step::Link(_) => refused(Ending::Never, "a LINK is no order".into()),
            Step::Prepare => self.prepare(of, unit.unit, branch).await,
            Step::Commit => match self.settle(branch, true).await {
                true => emit_reply(&ReplyHead::default(), &[], &[]),
                false => refused(ROLLED_BACK, "the store takes nothing now".into()),
            },
            Step::BackOut => {
                self.units.back_out(of, unit.unit);
                self.settle(branch, false).await;
                emit_reply(&ReplyHead::default(), &[], &[])
            }
            Step::Resync => {
                let branches = self.region.branches();
                let units = branches.iter().filter_map(|b| of.unit_of(b));
                let units: Vec<u64> = units.collect();
                emit_reply(&ReplyHead::default(), &emit_units(&units), &[])
            }
        }
    }

    async fn prepare(&self, of: Coordinator, unit: u64, branch: BranchId) -> Vec<u8> {
        let unknown = || {
            let why = "nothing of the unit of work is here any more";
            refused(ROLLED_BACK, why.into())
        };
        let Some((working, mut task)) = self.units.take(of, unit) else {
            return unknown();
        };
        let prepared = task.prepare(branch.clone()).await;
        end(*task, prepared).await;
        if working.close() {
            self.settle(branch, false).await;
            return unknown();
        }
        match prepared {
            Prepared::Yes => {
                let head = ReplyHead {
                    in_unit: InUnit::Held,
                    ..ReplyHead::default()
                };
                emit_reply(&head, &[], &[])
            }
            Prepared::NothingToCommit => emit_reply(&ReplyHead::default(), &[], &[]),
            Prepared::BackedOut => {
                let why = "the region could not prepare what the unit of work changed";
                refused(ROLLED_BACK, why.into())
            }
        }
    }

    /// Has a branch committed or backed out; true when that is carried out.
    async fn settle(&self, branch: BranchId, commit: bool) -> bool {
        let (done, heard) = oneshot::channel();
        self.region.settle(branch, commit, move |yes| {
            // Whoever asked may be gone.
            let _ = done.send(yes);
        });
        heard.await.unwrap_or(false)
    }
}

/// Ends a task whose unit was to be prepared.
async fn end(task: OpenTask, prepared: Prepared) {
    let abend = match prepared {
        Prepared::Yes | Prepared::NothingToCommit => None,
        Prepared::BackedOut => Some(ended()),
    };
    task.end(abend, 0).await;
}

fn coordinator(from: Partner, unit: OfUnit) -> Coordinator {
    Coordinator {
        applid: from.applid,
        link: unit.link,
    }
}

/// The abend of a task whose unit is backed out.
fn ended() -> Abend {
    Abend {
        code: *b"ASP1",
        program: region::Name::BLANK,
        line: 0,
        message: "the unit of work that it was part of is backed out".into(),
    }
}

/// What the unit had here is backed out.
fn lost() -> Vec<u8> {
    let why = "what the unit of work had here is backed out";
    with_unit(refused(LOST, why.into()), InUnit::Lost)
}
