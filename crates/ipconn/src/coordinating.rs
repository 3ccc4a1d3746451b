//! The coordinator of units of work: its state for one other region that takes part
//! in them, and the messages between the two.
//!
//! ```text
//!  join ──LINK──▶ part ──prepare──▶ ──commit or back out──▶ removed
//!                  └────commit alone──▶ answered ──────────▶ known
//!                             └── answer lost ──▶ asked ──▶ known
//! ```
//!
//! Messages and replies are bytes. The owner sends them and collects the votes, so
//! `cargo xtask sim` can simulate it.
//!
//! Invariant: no socket, no thread, no clock.

use std::collections::BTreeMap;

use region::{Name, Order, UnitId};

use crate::wire::{
    InUnit, OfUnit, ReplyHead, RequestBuilder, RequestEnding, RequestHead, UnitStep, emit_units,
    parse_units,
};
use region::{CallFailure, NotStarted};

/// Most units that one message reports as finished.
const MAX_FINISHED: usize = 500;

/// A region that takes part, by one connection.
#[derive(Debug)]
pub struct BranchCoordinator {
    link: Name<4>,
    /// Units of this life of the region have greater numbers.
    after: UnitId,
    parts: BTreeMap<u64, RemoteUnit>,
    /// Units that the region was asked to commit in one phase and has not
    /// answered; the value says whether their outcome must be queried.
    one_phase: BTreeMap<u64, bool>,
    /// Units whose outcome is known, so that the other region can remove them.
    finished: Vec<u64>,
}

/// A unit's state in the other region.
#[derive(Debug, Clone, Copy, Default)]
struct RemoteUnit {
    /// LINKs that ran.
    links: u32,
    /// Its changes are lost, so the unit cannot be committed.
    lost: bool,
}

/// A message about units, with its subject.
#[derive(Debug)]
pub struct UnitMessage {
    /// The subject.
    pub about: MessageSubject,
    /// The bytes to send.
    pub bytes: Vec<u8>,
}

/// The subject of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageSubject {
    /// This unit is to be prepared.
    Prepare(u64),
    /// It is committed.
    Commit(u64),
    /// It is backed out.
    BackOut(u64),
    /// The unit is to be committed in one phase; the outcomes of these other
    /// units are known.
    CommitOnePhase(u64, Vec<u64>),
    /// Queries the outcome of a unit.
    Outcome(u64),
    /// The connection is new: query the units in doubt.
    Resync,
}

/// The result of an order.
#[derive(Debug)]
pub enum OrderOutcome {
    /// This is sent, and the reply is the vote.
    Send(UnitMessage),
    /// The vote is a no.
    No,
}

/// The result of a reply.
#[derive(Debug)]
pub enum ReplyOutcome {
    /// The vote on a unit: its order is carried out, or cannot be.
    Vote(u64, bool),
    /// The outcome of the unit is unknown: the query is sent.
    Unsure(u64, UnitMessage),
    /// The message is sent again with its current state.
    Again(UnitMessage),
    /// These units are prepared in the other region and in doubt there.
    InDoubt(Vec<u64>),
    /// No change. The next connection repeats the message.
    Nothing,
}

impl BranchCoordinator {
    /// For a connection of this name; units of this life of the region have
    /// greater numbers than `after`.
    pub fn new(link: Name<4>, after: UnitId) -> BranchCoordinator {
        BranchCoordinator {
            link,
            after,
            parts: BTreeMap::new(),
            one_phase: BTreeMap::new(),
            finished: Vec::new(),
        }
    }

    /// Adds a LINK to a unit. Returns what its request says about the unit.
    pub fn join(&mut self, unit: u64) -> OfUnit {
        let before = self.parts.entry(unit).or_default().links;
        self.of_unit(unit, UnitStep::Link(before))
    }

    /// Whether the unit's changes in the other region are lost: further LINKs
    /// fail.
    pub fn is_lost(&self, unit: u64) -> bool {
        self.parts.get(&unit).is_none_or(|part| part.lost)
    }

    /// Handles what a reply says about the unit after `before` LINKs. Returns
    /// `false` if the unit has no part in that region, so the region does not
    /// take part.
    pub fn linked(&mut self, unit: u64, before: u32, in_unit: InUnit) -> bool {
        match in_unit {
            InUnit::Nothing => {
                self.parts.remove(&unit);
                return false;
            }
            InUnit::Held => {
                if let Some(part) = self.parts.get_mut(&unit) {
                    part.links = before + 1;
                }
            }
            InUnit::Lost => self.lost(unit),
            InUnit::Unchanged => return self.not_taken(unit, before),
        }
        true
    }

    /// The request was rejected: the unit is unchanged. Returns false as
    /// [`BranchCoordinator::linked`] does.
    pub fn not_taken(&mut self, unit: u64, before: u32) -> bool {
        if before == 0 {
            self.parts.remove(&unit);
        }
        before > 0
    }

    /// A LINK was lost: its outcome is unknown.
    pub fn lost(&mut self, unit: u64) {
        if let Some(part) = self.parts.get_mut(&unit) {
            part.lost = true;
        }
    }

    /// The next step of the unit's end.
    pub fn order(&mut self, unit: u64, order: Order) -> OrderOutcome {
        let lost = self.is_lost(unit);
        match order {
            Order::Prepare if lost => OrderOutcome::No,
            Order::Prepare => OrderOutcome::Send(self.message(MessageSubject::Prepare(unit))),
            Order::Commit => {
                self.parts.remove(&unit);
                OrderOutcome::Send(self.message(MessageSubject::Commit(unit)))
            }
            Order::BackOut => {
                self.parts.remove(&unit);
                OrderOutcome::Send(self.message(MessageSubject::BackOut(unit)))
            }
            Order::CommitOnePhase => {
                self.parts.remove(&unit);
                if lost {
                    // Its changes there are already backed out.
                    return OrderOutcome::No;
                }
                self.one_phase.insert(unit, false);
                let known_ends = self.take_finished();
                OrderOutcome::Send(self.message(MessageSubject::CommitOnePhase(unit, known_ends)))
            }
        }
    }

    /// The connection is made: returns its first messages.
    pub fn connected(&mut self) -> Vec<UnitMessage> {
        let mut messages = vec![self.message(MessageSubject::Resync)];
        let asked: Vec<u64> = self.units_to_query().collect();
        for unit in asked {
            messages.push(self.message(MessageSubject::Outcome(unit)));
        }
        messages
    }

    /// Handles the reply to a message.
    pub fn replied(
        &mut self,
        about: MessageSubject,
        reply: Result<(&ReplyHead, &[u8]), &CallFailure>,
    ) -> ReplyOutcome {
        let normal = reply
            .as_ref()
            .is_ok_and(|(head, _)| head.ending == RequestEnding::Normal);
        // Others have all sessions.
        let again = matches!(reply, Err(CallFailure::NotStarted(NotStarted::Busy(_))));
        match about {
            MessageSubject::Prepare(unit) => ReplyOutcome::Vote(unit, normal),
            MessageSubject::Commit(_)
            | MessageSubject::BackOut(_)
            | MessageSubject::Resync
            | MessageSubject::Outcome(_)
                if again =>
            {
                ReplyOutcome::Again(self.message(about))
            }
            MessageSubject::CommitOnePhase(..) if again => ReplyOutcome::Again(self.message(about)),
            // The next connection brings it up again.
            MessageSubject::Commit(unit) | MessageSubject::BackOut(unit) => {
                ReplyOutcome::Vote(unit, normal)
            }
            MessageSubject::CommitOnePhase(unit, known_ends) => {
                if !normal {
                    self.finished.extend(known_ends);
                }
                match reply {
                    Ok((head, _)) if head.ending.is_rolled_back() => self.over(unit, false),
                    Ok(_) if normal => self.over(unit, true),
                    // It was not sent, and its connection has ended.
                    Err(CallFailure::NotStarted(_)) => self.over(unit, false),
                    _ => {
                        self.one_phase.insert(unit, true);
                        ReplyOutcome::Unsure(unit, self.message(MessageSubject::Outcome(unit)))
                    }
                }
            }
            MessageSubject::Outcome(unit) => match reply {
                _ if !self.one_phase.contains_key(&unit) => ReplyOutcome::Nothing,
                Ok((head, _)) if head.ending.is_rolled_back() => self.over(unit, false),
                Ok(_) if normal => self.over(unit, true),
                _ => ReplyOutcome::Nothing,
            },
            MessageSubject::Resync => match reply {
                Ok((_, commarea)) if normal => match parse_units(commarea) {
                    Some(units) => ReplyOutcome::InDoubt(units),
                    None => ReplyOutcome::Nothing,
                },
                _ => ReplyOutcome::Nothing,
            },
        }
    }

    /// Units that it is to be asked for.
    pub fn units_to_query(&self) -> impl Iterator<Item = u64> {
        let asked = self.one_phase.iter().filter(|(_, asked)| **asked);
        asked.map(|(unit, _)| *unit)
    }

    /// Units whose outcome is known here and which the other region may still
    /// keep.
    #[cfg(feature = "sim")]
    pub fn finished_count(&self) -> usize {
        self.finished.len()
    }

    /// Notes the outcome of a unit that was to be committed in one phase.
    fn over(&mut self, unit: u64, committed: bool) -> ReplyOutcome {
        self.one_phase.remove(&unit);
        if committed {
            self.finished.push(unit);
        }
        ReplyOutcome::Vote(unit, committed)
    }

    fn take_finished(&mut self) -> Vec<u64> {
        let some = self.finished.len().min(MAX_FINISHED);
        self.finished.drain(..some).collect()
    }

    fn of_unit(&self, unit: u64, step: UnitStep) -> OfUnit {
        OfUnit {
            unit,
            step,
            link: self.link,
        }
    }

    fn message(&self, about: MessageSubject) -> UnitMessage {
        let (unit, step, units) = match &about {
            MessageSubject::Prepare(unit) => (*unit, UnitStep::Prepare, Vec::new()),
            MessageSubject::Commit(unit) => (*unit, UnitStep::Commit, Vec::new()),
            MessageSubject::BackOut(unit) => (*unit, UnitStep::BackOut, Vec::new()),
            MessageSubject::CommitOnePhase(unit, known_ends) => {
                (*unit, UnitStep::CommitOnePhase, known_ends.clone())
            }
            MessageSubject::Outcome(unit) => (*unit, UnitStep::Outcome, Vec::new()),
            MessageSubject::Resync => (self.after.0, UnitStep::Resync, Vec::new()),
        };
        let head = RequestHead {
            unit: Some(self.of_unit(unit, step)),
            ..RequestHead::default()
        };
        let units = emit_units(&units);
        let mut builder = RequestBuilder::new(head, units.len());
        let filled = builder.set_commarea(units.len(), |area| {
            area.copy_from_slice(&units);
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = filled;
        UnitMessage {
            about,
            bytes: builder.finish(),
        }
    }
}
