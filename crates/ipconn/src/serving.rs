//! A caller's unit of work: its LINKs, and its end.
//!
//! ```text
//!  LINK ──▶ task ──LINK──▶ task ──prepare──▶ a branch of the region
//!             │             │                 ├──commit
//!             │             │                 └──back out
//!             │             └──commit alone──▶ committed, with a record of it
//!             └──back out, connection ended
//! ```
//!
//! The caller decides. What is prepared when the connection ends waits until
//! the caller is there again and asks for it ([`UnitStep::Resync`]); what is not is
//! backed out at once. What was to be committed in one phase the caller asks for
//! when it lost the answer.
//!
//! Reference: CICS intercommunication guide, "Recovery and restart in
//! interconnected systems".
//! Invariant: no socket, no thread, no clock. [`BranchRegion`] is the interface to
//! a region, which is one in virtual time under `cargo xtask sim`.

use region::{Abend, BranchId, OnePhaseOutcome, PrepareOutcome};

use crate::units::{BranchTable, CallerConnection};
use crate::wire::{
    IN_UNIT_AT, InUnit, OfUnit, ReplyHead, Request, RequestEnding, UnitStep, WireName, emit_reply,
    emit_units, parse_units,
};

/// TERMERR with RESP2 17: the changes of the caller's unit were backed out.
const LOST: RequestEnding = RequestEnding::Condition(81, 17);
/// ROLLEDBACK: the unit cannot be committed.
const ROLLED_BACK: RequestEnding = RequestEnding::Condition(82, 0);

/// A region that does its part of callers' units.
pub trait BranchRegion {
    /// A task of a unit. Dropping it backs the unit out.
    type Task;

    /// Begins a task for a LINK; an error is the reply that says why not.
    async fn begin(&self, request: &Request<Vec<u8>>) -> Result<Self::Task, Vec<u8>>;
    /// Runs its program in a task.
    async fn link(&self, task: &mut Self::Task, request: &Request<Vec<u8>>) -> LinkOutcome;
    /// Whether the end of a task's unit would do something.
    fn holds_unit(&self, task: &Self::Task) -> bool;
    /// Prepares a task's unit.
    async fn prepare(&self, task: &mut Self::Task, branch: BranchId) -> PrepareOutcome;
    /// Commits a task's unit in one phase. `known_outcomes` are the units whose
    /// outcome the caller knows.
    async fn commit_one_phase(
        &self,
        task: &mut Self::Task,
        branch: BranchId,
        finished: &[BranchId],
    ) -> OnePhaseOutcome;
    /// Ends a task, with its unit committed or backed out.
    async fn end(&self, task: Self::Task, abend: Option<Abend>);
    /// Commits or backs out a prepared unit. Returns `true` if it is done.
    async fn settle(&self, branch: BranchId, commit: bool) -> bool;
    /// The outcome of a unit that was to be committed in one phase. Returns
    /// `None` if it is not known yet.
    async fn outcome(&self, branch: BranchId) -> Option<bool>;
    /// A caller whose branches have this prefix has reconnected, and asks for
    /// no unit up to `after`.
    fn caller_returned(&self, prefix: &[u8], after: &[u8]);
    /// Branches that are prepared, or may be soon.
    fn branches(&self) -> Vec<BranchId>;
    /// Lets some time go by.
    async fn pause(&self);
}

/// The result of a LINK.
pub struct LinkOutcome {
    /// The answer.
    pub reply: Vec<u8>,
    /// The program's abend.
    pub abend: Option<Abend>,
    /// Whether the program ran. If not, the unit is unchanged.
    pub ran: bool,
}

/// A partner, by one of its connections.
#[derive(Debug, Clone, Copy)]
pub struct ServedPartner {
    /// Its name.
    pub applid: WireName,
    /// The connection: later ones have greater numbers.
    pub connection: u64,
}

/// Serves callers' units in a region.
pub struct BranchServer<'r, R: BranchRegion> {
    /// The region.
    pub region: &'r R,
    /// The caller's units in this region.
    pub units: &'r BranchTable<R::Task>,
}

impl<R: BranchRegion> BranchServer<'_, R> {
    /// A LINK in the caller's unit.
    pub async fn link(
        &self,
        request: &Request<Vec<u8>>,
        from: ServedPartner,
        unit: OfUnit,
    ) -> Vec<u8> {
        let UnitStep::Link(before) = unit.step else {
            return refused(
                RequestEnding::Never,
                "an order on a unit of work instead of a LINK".into(),
            );
        };
        let of = coordinator(from, unit);
        let begun = if self.units.enter(of, from.connection) {
            self.units.begin(of, unit.unit, before)
        } else {
            Err(())
        };
        let Ok((working, task)) = begun else {
            return lost();
        };
        let mut task = match task {
            Some(task) => task,
            None => match self.region.begin(request).await {
                Ok(task) => Box::new(task),
                Err(refused) => return with_unit(refused, InUnit::Unchanged),
            },
        };
        let LinkOutcome { reply, abend, ran } = self.region.link(&mut task, request).await;
        let holds = self.region.holds_unit(&task) || before > 0;
        match (abend, holds) {
            (Some(abend), holds) => {
                self.region.end(*task, Some(abend)).await;
                working.close();
                let in_unit = if holds { InUnit::Lost } else { InUnit::Nothing };
                with_unit(reply, in_unit)
            }
            (None, true) => match working.keep(task, before + u32::from(ran)) {
                None if ran => with_unit(reply, InUnit::Held),
                None => with_unit(reply, InUnit::Unchanged),
                Some(task) => {
                    self.region.end(*task, Some(ended())).await;
                    lost()
                }
            },
            (None, false) => {
                working.close();
                self.region.end(*task, None).await;
                reply
            }
        }
    }

    /// Runs an order of the caller on a unit.
    pub async fn order(
        &self,
        request: &Request<Vec<u8>>,
        from: ServedPartner,
        unit: OfUnit,
    ) -> Vec<u8> {
        let of = coordinator(from, unit);
        if !self.units.enter(of, from.connection) {
            let why = "a later connection of the same name owns its units";
            return refused(ROLLED_BACK, why.into());
        }
        let Some(finished) = parse_units(request.commarea()) else {
            return refused(
                RequestEnding::Never,
                "the list of units is malformed".into(),
            );
        };
        let finished: Vec<BranchId> = finished.iter().filter_map(|u| of.branch(*u)).collect();
        let Some(branch) = of.branch(unit.unit) else {
            return refused(RequestEnding::Never, "no unit has this number".into());
        };
        match unit.step {
            UnitStep::Link(_) => refused(
                RequestEnding::Never,
                "a LINK instead of an order on a unit of work".into(),
            ),
            UnitStep::Prepare => self.prepare(of, unit.unit, branch).await,
            UnitStep::CommitOnePhase => self.commit_alone(of, unit.unit, branch, &finished).await,
            UnitStep::Outcome => self.outcome(of, unit.unit, branch).await,
            UnitStep::Commit => {
                if self.region.settle(branch, true).await {
                    emit_reply(&ReplyHead::default(), &[], &[])
                } else {
                    refused(ROLLED_BACK, "the store accepts no changes now".into())
                }
            }
            UnitStep::BackOut => {
                self.units.back_out(of, unit.unit);
                self.region.settle(branch, false).await;
                emit_reply(&ReplyHead::default(), &[], &[])
            }
            UnitStep::Resync => {
                self.region.caller_returned(&of.prefix(), branch.as_bytes());
                let branches = self.region.branches();
                let units = branches.iter().filter_map(|b| of.unit_of(b));
                let units: Vec<u64> = units.collect();
                emit_reply(&ReplyHead::default(), &emit_units(&units), &[])
            }
        }
    }

    async fn prepare(&self, of: CallerConnection, unit: u64, branch: BranchId) -> Vec<u8> {
        let Some((working, mut task)) = self.units.take(of, unit) else {
            return unknown();
        };
        let prepared = self.region.prepare(&mut task, branch.clone()).await;
        let abend = (prepared == PrepareOutcome::BackedOut).then(ended);
        self.region.end(*task, abend).await;
        if working.close() {
            self.region.settle(branch, false).await;
            return unknown();
        }
        match prepared {
            PrepareOutcome::Yes => {
                let head = ReplyHead {
                    in_unit: InUnit::Held,
                    ..ReplyHead::default()
                };
                emit_reply(&head, &[], &[])
            }
            PrepareOutcome::NothingToCommit => emit_reply(&ReplyHead::default(), &[], &[]),
            PrepareOutcome::BackedOut => {
                let why = "the region could not prepare the changes of the unit of work";
                refused(ROLLED_BACK, why.into())
            }
        }
    }

    async fn commit_alone(
        &self,
        of: CallerConnection,
        unit: u64,
        branch: BranchId,
        finished: &[BranchId],
    ) -> Vec<u8> {
        let Some((working, mut task)) = self.units.take(of, unit) else {
            return unknown();
        };
        let committed = self
            .region
            .commit_one_phase(&mut task, branch, finished)
            .await;
        // The outcome can be queried from now on.
        working.close();
        let abend = (committed != OnePhaseOutcome::Yes).then(ended);
        self.region.end(*task, abend).await;
        reported(match committed {
            OnePhaseOutcome::Yes => Some(true),
            OnePhaseOutcome::BackedOut => Some(false),
            OnePhaseOutcome::InDoubt => None,
        })
    }

    async fn outcome(&self, of: CallerConnection, unit: u64, branch: BranchId) -> Vec<u8> {
        // A newer connection of the caller replaces the unit.
        while self.units.is_there(of, unit) {
            self.region.pause().await;
        }
        reported(self.region.outcome(branch).await)
    }
}

/// The reply with the outcome of a one-phase commit.
fn reported(committed: Option<bool>) -> Vec<u8> {
    match committed {
        Some(true) => emit_reply(&ReplyHead::default(), &[], &[]),
        Some(false) => {
            let why = "the unit of work is backed out";
            refused(ROLLED_BACK, why.into())
        }
        None => {
            let why = "the outcome of the unit of work is known only after a restart of the region";
            refused(RequestEnding::Never, why.into())
        }
    }
}

fn unknown() -> Vec<u8> {
    let why = "the region no longer has the unit of work";
    refused(ROLLED_BACK, why.into())
}

fn coordinator(from: ServedPartner, unit: OfUnit) -> CallerConnection {
    CallerConnection {
        applid: from.applid,
        link: unit.link,
    }
}

/// The abend of a task whose unit is backed out.
pub fn ended() -> Abend {
    Abend {
        code: *b"ASP1",
        program: region::Name::BLANK,
        line: 0,
        message: "the unit of work that it was part of is backed out".into(),
    }
}

/// The reply that the unit's changes are backed out.
fn lost() -> Vec<u8> {
    let why = "the unit of work's changes in this region are backed out";
    with_unit(refused(LOST, why.into()), InUnit::Lost)
}

/// A reply with the state of the caller's unit.
pub fn with_unit(mut reply: Vec<u8>, in_unit: InUnit) -> Vec<u8> {
    reply[IN_UNIT_AT] = in_unit as u8;
    reply
}

/// A reply without data.
pub fn refused(ending: RequestEnding, text: String) -> Vec<u8> {
    let head = ReplyHead {
        ending,
        text,
        ..ReplyHead::default()
    };
    emit_reply(&head, &[], &[])
}
