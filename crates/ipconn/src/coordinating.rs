//! The state that a region which decides units of work has for one that takes
//! part in them, and their messages about these units.
//!
//! ```text
//!  join ──LINK──▶ part ──prepare──▶ ──commit or back out──▶ forgotten
//!                  └────commit alone──▶ answered ──────────▶ heard
//!                             └── answer lost ──▶ asked ──▶ heard
//! ```
//!
//! Messages and replies go in and out as bytes; who sends them, and who holds the
//! votes, is around it. So `cargo xtask sim` plays it.
//!
//! Invariant: no socket, no thread, no clock.

use std::collections::BTreeMap;

use region::{Name, Order, UnitId};

use crate::shell::pool::Failed;
use crate::wire::{
    Ending, InUnit, OfUnit, ReplyHead, RequestBuilder, RequestHead, Step, emit_units, parse_units,
};

/// Most units that one message reports as finished.
const MOST_HEARD: usize = 500;

/// A region that takes part, by one connection.
#[derive(Debug)]
pub struct Coordinating {
    link: Name<4>,
    /// Units of this life of the region have greater numbers.
    after: UnitId,
    parts: BTreeMap<u64, Part>,
    /// Units that the region was asked to commit in one phase and has not
    /// answered; the value says whether their outcome must be queried.
    alone: BTreeMap<u64, bool>,
    /// Units whose outcome is known and which the other region may forget.
    heard: Vec<u64>,
}

/// A unit's state in the other region.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    /// LINKs that ran.
    links: u32,
    /// Its changes are lost, so the unit cannot be committed.
    lost: bool,
}

/// A message about units, with its subject.
#[derive(Debug)]
pub struct Message {
    /// The subject.
    pub about: About,
    /// As it is sent.
    pub bytes: Vec<u8>,
}

/// The subject of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// This unit is to be prepared.
    Prepare(u64),
    /// It is committed.
    Commit(u64),
    /// It is backed out.
    BackOut(u64),
    /// The unit is to be committed in one phase; the outcomes of these other
    /// units are known.
    CommitAlone(u64, Vec<u64>),
    /// Queries the outcome of a unit.
    Outcome(u64),
    /// The connection is new: what is in doubt there?
    Resync,
}

/// The result of an order.
#[derive(Debug)]
pub enum Ordered {
    /// This is sent, and the reply is the vote.
    Send(Message),
    /// The vote is a no.
    No,
}

/// The result of a reply.
#[derive(Debug)]
pub enum Replied {
    /// The vote on a unit: its order is carried out, or cannot be.
    Vote(u64, bool),
    /// The outcome of the unit is unknown: the query is sent.
    Unsure(u64, Message),
    /// The message is sent again, as it is now.
    Again(Message),
    /// These units are prepared in the other region and in doubt there.
    InDoubt(Vec<u64>),
    /// No change. The next connection repeats the message.
    Nothing,
}

impl Coordinating {
    /// For a connection of this name; units of this life of the region have
    /// greater numbers than `after`.
    pub fn new(link: Name<4>, after: UnitId) -> Coordinating {
        Coordinating {
            link,
            after,
            parts: BTreeMap::new(),
            alone: BTreeMap::new(),
            heard: Vec::new(),
        }
    }

    /// A LINK is about to become part of a unit: what its request says of it.
    pub fn join(&mut self, unit: u64) -> OfUnit {
        let before = self.parts.entry(unit).or_default().links;
        self.of_unit(unit, Step::Link(before))
    }

    /// Whether what a unit had there is lost already: a LINK must fail.
    pub fn is_lost(&self, unit: u64) -> bool {
        self.parts.get(&unit).is_none_or(|part| part.lost)
    }

    /// A reply says what the unit has there after a LINK of so many before. False
    /// when it has nothing there, and its region takes no part in it.
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
    /// [`Coordinating::linked`] does.
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

    /// The unit's end has come so far.
    pub fn order(&mut self, unit: u64, order: Order) -> Ordered {
        let lost = self.is_lost(unit);
        match order {
            Order::Prepare if lost => Ordered::No,
            Order::Prepare => Ordered::Send(self.message(About::Prepare(unit))),
            Order::Commit => {
                self.parts.remove(&unit);
                Ordered::Send(self.message(About::Commit(unit)))
            }
            Order::BackOut => {
                self.parts.remove(&unit);
                Ordered::Send(self.message(About::BackOut(unit)))
            }
            Order::CommitOnePhase => {
                self.parts.remove(&unit);
                if lost {
                    // Its changes there are already backed out.
                    return Ordered::No;
                }
                self.alone.insert(unit, false);
                let heard = self.some_heard();
                Ordered::Send(self.message(About::CommitAlone(unit, heard)))
            }
        }
    }

    /// The connection is made: returns its first messages.
    pub fn connected(&mut self) -> Vec<Message> {
        let mut messages = vec![self.message(About::Resync)];
        let asked: Vec<u64> = self.asked().collect();
        for unit in asked {
            messages.push(self.message(About::Outcome(unit)));
        }
        messages
    }

    /// Handles the reply to a message.
    pub fn replied(
        &mut self,
        about: About,
        reply: Result<(&ReplyHead, &[u8]), &Failed>,
    ) -> Replied {
        let normal = reply
            .as_ref()
            .is_ok_and(|(head, _)| head.ending == Ending::Normal);
        // Others have all sessions.
        let again = matches!(reply, Err(Failed::NoSession(_) | Failed::Busy(_)));
        match about {
            About::Prepare(unit) => Replied::Vote(unit, normal),
            About::Commit(_) | About::BackOut(_) | About::Resync | About::Outcome(_) if again => {
                Replied::Again(self.message(about))
            }
            About::CommitAlone(..) if again => Replied::Again(self.message(about)),
            // The next connection brings it up again.
            About::Commit(unit) | About::BackOut(unit) => Replied::Vote(unit, normal),
            About::CommitAlone(unit, heard) => {
                if !normal {
                    self.heard.extend(heard);
                }
                match reply {
                    Ok((head, _)) if head.ending.is_rolled_back() => self.over(unit, false),
                    Ok(_) if normal => self.over(unit, true),
                    // It was not sent, and its connection has ended.
                    Err(Failed::Unreachable(_) | Failed::Unknown(_)) => self.over(unit, false),
                    _ => {
                        self.alone.insert(unit, true);
                        Replied::Unsure(unit, self.message(About::Outcome(unit)))
                    }
                }
            }
            About::Outcome(unit) => match reply {
                _ if !self.alone.contains_key(&unit) => Replied::Nothing,
                Ok((head, _)) if head.ending.is_rolled_back() => self.over(unit, false),
                Ok(_) if normal => self.over(unit, true),
                _ => Replied::Nothing,
            },
            About::Resync => match reply {
                Ok((_, commarea)) if normal => match parse_units(commarea) {
                    Some(units) => Replied::InDoubt(units),
                    None => Replied::Nothing,
                },
                _ => Replied::Nothing,
            },
        }
    }

    /// Units that it is to be asked for.
    pub fn asked(&self) -> impl Iterator<Item = u64> {
        let asked = self.alone.iter().filter(|(_, asked)| **asked);
        asked.map(|(unit, _)| *unit)
    }

    /// Units whose outcome is known here and which the other region may still
    /// keep.
    #[cfg(feature = "sim")]
    pub fn heard_of(&self) -> usize {
        self.heard.len()
    }

    /// Notes the outcome of a unit that was to be committed in one phase.
    fn over(&mut self, unit: u64, committed: bool) -> Replied {
        self.alone.remove(&unit);
        if committed {
            self.heard.push(unit);
        }
        Replied::Vote(unit, committed)
    }

    fn some_heard(&mut self) -> Vec<u64> {
        let some = self.heard.len().min(MOST_HEARD);
        self.heard.drain(..some).collect()
    }

    fn of_unit(&self, unit: u64, step: Step) -> OfUnit {
        OfUnit {
            unit,
            step,
            link: self.link,
        }
    }

    fn message(&self, about: About) -> Message {
        let (unit, step, units) = match &about {
            About::Prepare(unit) => (*unit, Step::Prepare, Vec::new()),
            About::Commit(unit) => (*unit, Step::Commit, Vec::new()),
            About::BackOut(unit) => (*unit, Step::BackOut, Vec::new()),
            About::CommitAlone(unit, heard) => (*unit, Step::CommitAlone, heard.clone()),
            About::Outcome(unit) => (*unit, Step::Outcome, Vec::new()),
            About::Resync => (self.after.0, Step::Resync, Vec::new()),
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
        Message {
            about,
            bytes: builder.finish(),
        }
    }
}
